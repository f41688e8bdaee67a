//! Numbers: those that no state can hold, and arithmetic that has no value.
//!
//! A whole number of a state, and each part of a fraction, is from -10,000 to 10,000. The probabilities of a chance are
//! no part of a state, so they may be finer.

use num_traits::Zero;

use crate::text::load::NUMBERS;
use crate::text::lower::number;
use crate::text::number::{Number, spelled_number};
use hyperplay_logic::gdl::{Atom, FindingCode, Span, Term};

use super::Checker;
use super::bodies::is_comparison;

impl<'s> Checker<'s> {
    pub(super) fn numbers(&mut self) {
        for clause in &self.sheet.clauses {
            let (word, arguments) = self.head(clause);
            let at = clause.head.at.0;
            match (word, arguments) {
                ("fact" | "balances", _) => {}
                ("chance", [id, _]) => self.value(id, at),
                // The check of accounts reports the faults of a first balance.
                ("init", [Term::Compound(word, parts)]) if self.name(*word) == "account" => {
                    let is_number = |term: &Term| number(term, &self.sheet.symbols).is_some();
                    parts.iter().filter(|part| is_number(part)).for_each(|part| self.value(part, at));
                }
                _ => arguments.iter().for_each(|argument| self.value(argument, at)),
            }
            clause.body.iter().for_each(|formula| formula.each_atom(&mut |atom| self.atom_values(atom)));
        }
    }

    fn atom_values(&mut self, atom: &'s Atom) {
        let at = atom.at.0;
        atom.arguments.iter().for_each(|argument| self.value(argument, at));
        let word = self.name(atom.relation);
        let operands: &[Term] = match &atom.arguments[..] {
            both @ [_, _] if is_comparison(word) && !matches!(word, "=" | "==" | "\\=" | "is") => both,
            [_, payoff] if word == "goal" => std::slice::from_ref(payoff),
            [_, value] if word == "is" => std::slice::from_ref(value),
            _ => &[],
        };
        for operand in operands {
            self.operand(operand, at);
        }
    }

    /// A term that stands where a number must stand.
    fn operand(&mut self, term: &Term, at: Span) {
        let is_other = match term {
            Term::Variable(_) => false,
            Term::Constant(name) => spelled_number(self.name(*name)).is_none(),
            Term::Compound(..) => !self.is_arithmetic(term),
        };
        if is_other {
            let message = format!("`{}` stands where a number must stand", self.spell(term));
            self.error(FindingCode::NotANumber, at, message)
                .set_help("write a number, a variable or arithmetic; a variable begins with a capital");
        }
    }

    /// The numbers and the arithmetic of a term.
    fn value(&mut self, term: &Term, at: Span) {
        match term {
            Term::Variable(_) => {}
            Term::Constant(name) => {
                if let Some(number) = spelled_number(self.name(*name)) {
                    self.in_range(number, term, at);
                }
            }
            Term::Compound(functor, parts) => {
                if !self.is_arithmetic(term) {
                    parts.iter().for_each(|part| self.value(part, at));
                    return;
                }
                let found = self.findings.len();
                for part in parts {
                    self.operand(part, at);
                    if !matches!(part, Term::Constant(_)) {
                        self.value(part, at);
                    }
                }
                let divides = matches!(self.name(*functor), "/" | "mod");
                let is_zero =
                    |term: &Term| number(term, &self.sheet.symbols).is_some_and(|number| number.is_zero());
                if divides && is_zero(&parts[1]) {
                    self.error(FindingCode::NotANumber, at, format!("`{}` divides by 0", self.spell(term)))
                        .set_help("divide by another number");
                }
                if self.findings.len() > found {
                    return;
                }
                match number(term, &self.sheet.symbols) {
                    Some(number) => self.in_range(number, term, at),
                    None if term.is_ground() => self.out_of_range(term, at),
                    None => parts.iter().for_each(|part| {
                        if let (Term::Constant(_), Some(number)) = (part, number(part, &self.sheet.symbols)) {
                            self.in_range(number, part, at);
                        }
                    }),
                }
            }
        }
    }

    fn in_range(&mut self, number: Number, term: &Term, at: Span) {
        if !NUMBERS.contains(number.numer()) || !NUMBERS.contains(number.denom()) {
            self.out_of_range(term, at);
        }
    }

    fn out_of_range(&mut self, term: &Term, at: Span) {
        let message = format!("the number `{}` is out of range", self.spell(term));
        self.error(FindingCode::NumberOutOfRange, at, message).set_help(format!(
            "whole numbers, and both parts of a fraction, are from {} to {}",
            NUMBERS.start(),
            NUMBERS.end()
        ));
    }
}
