//! What the position domains exclude never occurs in play.
//!
//! To each game fluents are added that become true as soon as something occurs that the domains exclude: a condition of the
//! rules with one constant replaced, or a value of a variable that is not among the values listed for it. Random matches
//! never reach such a fluent. The fluents and legal moves of the matches are all in the domains.
//!
//! The games are those of `games/`, and the rulesheets of the folder that `HYPERPLAY_RULESHEETS` names. The long form plays
//! 100 matches of each.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{games_of_the_field, games_of_the_house, loaded};
use hyperplay::engine::Interpreter;
use hyperplay::gdl::{
    At, Atom, Game, Literal, PositionDomains, Rule, Severity, Source, Symbol, Symbols, Syntax, Term, TermId,
    load, print, print_rule, print_term,
};
use hyperplay::machine::{Seed, StateMachine, StateMachineExt};
use rayon::prelude::*;

/// The number of conditions, and of variables, that are tried for each game.
const PROBES: usize = 60;

/// The relations whose first argument is a role.
const ABOUT_A_ROLE: [Symbol; 6] =
    [Symbol::DOES, Symbol::LEGAL, Symbol::SEES, Symbol::GOAL, Symbol::INPUT, Symbol::PERCEPT];

/// The constants of some rules.
fn constants(rules: &[Rule]) -> Vec<Term> {
    fn collect(term: &Term, constants: &mut BTreeSet<Symbol>) {
        match term {
            Term::Variable(_) => {}
            Term::Constant(name) => {
                constants.insert(*name);
            }
            Term::Compound(_, arguments) => arguments.iter().for_each(|term| collect(term, constants)),
        }
    }
    let mut all = BTreeSet::new();
    for rule in rules {
        rule.head.arguments.iter().for_each(|term| collect(term, &mut all));
    }
    all.into_iter().map(Term::Constant).collect()
}

/// A term with its constant number `which` replaced; counts `which` down.
fn replaced(term: &Term, which: &mut Option<usize>, by: &Term) -> Term {
    match (term, *which) {
        (Term::Constant(_), Some(0)) => {
            *which = None;
            by.clone()
        }
        (Term::Constant(_), Some(more)) => {
            *which = Some(more - 1);
            term.clone()
        }
        (Term::Compound(name, arguments), Some(_)) => {
            Term::Compound(*name, arguments.iter().map(|term| replaced(term, which, by)).collect())
        }
        _ => term.clone(),
    }
}

/// The conditions of the rules and what becomes of them if one constant is replaced, as far as the domains exclude it.
fn excluded(game: &Game, domains: &PositionDomains) -> Vec<String> {
    let symbols = game.terms().symbols();
    let constants = constants(game.rules());
    let mut all = BTreeSet::new();
    let mut tried: usize = 0;
    for literal in game.rules().iter().flat_map(|rule| &rule.body) {
        let (Literal::Positive(atom) | Literal::Negative(atom)) = literal else { continue };
        // A probe is read in a rule for `next`.
        if atom.relation == Symbol::NEXT {
            continue;
        }
        let mut variants = vec![atom.clone()];
        for place in 0..10 {
            for _ in 0..3 {
                tried += 1;
                let mut which = Some(place);
                let by = &constants[(tried * 7919) % constants.len()];
                // A constant that is no role is an error where a role must stand.
                let roles = usize::from(ABOUT_A_ROLE.contains(&atom.relation));
                let replace = |(position, term): (usize, &Term)| match position < roles {
                    true => term.clone(),
                    false => replaced(term, &mut which, by),
                };
                let arguments = atom.arguments.iter().enumerate().map(replace).collect();
                if which.is_none() {
                    variants.push(Atom { arguments, ..atom.clone() });
                }
            }
        }
        for atom in variants.into_iter().filter(|atom| !domains.may_hold(atom)) {
            let condition = match &atom.arguments[..] {
                [] => Term::Constant(atom.relation),
                arguments => Term::Compound(atom.relation, arguments.into()),
            };
            all.insert(print_term(&condition, symbols, Syntax::Kif));
        }
    }
    let step = all.len().div_ceil(PROBES).max(1);
    all.into_iter().step_by(step).collect()
}

/// For variables of the rules, the bodies with the condition that a variable has none of its values.
fn other_values(game: &Game, domains: &PositionDomains) -> Vec<String> {
    let mut symbols: Symbols = game.terms().symbols().clone();
    let probe = symbols.intern("a_value_that_is_not_listed");
    let mut all = Vec::new();
    let reads_next =
        |literal: &Literal| matches!(literal, Literal::Positive(atom) if atom.relation == Symbol::NEXT);
    for rule in game.rules().iter().filter(|rule| !rule.body.iter().any(reads_next)) {
        let mut variables = BTreeSet::new();
        for literal in &rule.body {
            if let Literal::Positive(atom) = literal {
                atom.each_variable(&mut |variable| {
                    variables.insert(variable);
                });
            }
        }
        for variable in variables {
            let Some(values) = domains.values_of(rule, variable, 40) else { continue };
            let mut rule = rule.clone();
            rule.head =
                Atom { relation: Symbol::NEXT, arguments: vec![Term::Constant(probe)], at: At::default() };
            rule.body
                .extend(values.into_iter().map(|value| Literal::Distinct(Term::Variable(variable), value)));
            all.push(print_rule(&rule, &symbols));
        }
    }
    let step = all.len().div_ceil(PROBES).max(1);
    all.into_iter().step_by(step).collect()
}

/// An atom of a ground term.
fn atom(game: &Game, relation: Symbol, terms: &[TermId]) -> Atom {
    let arguments = terms.iter().map(|&term| game.terms().term(term)).collect();
    Atom { relation, arguments, at: At::default() }
}

/// Plays random matches of a game with probes. Gives the number of probes.
fn probe(path: &Path, matches: usize, steps: usize) -> Result<usize, String> {
    let loaded = loaded(path);
    let Some(game) = &loaded.game else { return Ok(0) };
    let domains = PositionDomains::of(game.rules());
    let mut text = print(&loaded.rulesheet, Syntax::Kif);
    let mut probes = 0;
    for condition in excluded(game, &domains) {
        text += &format!("\n(<= (next (excluded_probe {probes})) {condition})");
        probes += 1;
    }
    for rule in other_values(game, &domains) {
        text += &format!("\n{rule}");
        probes += 1;
    }
    let with_probes = load(Source::new("probes", text), Some(Syntax::Kif));
    let first = with_probes.findings.iter().find(|finding| finding.severity == Severity::Error);
    let game = with_probes.game.as_ref().ok_or_else(|| format!("{first:?}"))?;
    let machine = Interpreter::new(game).map_err(|error| error.to_string())?;
    let mut scratch = machine.scratch();
    let domains = PositionDomains::of(game.rules());
    for number in 0..matches {
        let mut rng = Seed::root(16).child("impossible").index(number).rng();
        let mut state = machine.initial();
        for _ in 0..steps {
            for fluent in machine.fluents(&state) {
                let id = game.terms().read(&fluent).ok_or_else(|| fluent.clone())?;
                if fluent.contains("probe") || fluent.contains("not_listed") {
                    return Err(format!("{fluent} is true"));
                }
                if !domains.may_hold(&atom(game, Symbol::TRUE, &[id])) {
                    return Err(format!("{fluent} is not in the domains"));
                }
            }
            if machine.terminal(&state, &mut scratch) {
                break;
            }
            for (role, name) in machine.roles().iter() {
                let role_term = game.terms().read(name).ok_or_else(|| name.clone())?;
                let mut legal = Vec::new();
                machine.legal(&state, role, &mut scratch, &mut legal);
                for made in legal {
                    let shown = machine.show_move(made);
                    let id = game.terms().read(&shown).ok_or_else(|| shown.clone())?;
                    if !domains.may_hold(&atom(game, Symbol::DOES, &[role_term, id])) {
                        return Err(format!("({name} {shown}) is not in the domains"));
                    }
                }
            }
            let Some(joint) = machine.random_joint(&state, &mut scratch, &mut rng) else { break };
            state = machine.next(&state, &joint, &mut scratch);
        }
    }
    Ok(probes)
}

/// Rulesheets on which a step takes a second or more with the probes: steps that are played.
const SLOW: [(&str, usize); 1] = [("chess.kif", 3)];

/// Plays all games.
fn all(games: &[PathBuf], matches: usize, steps: usize) -> usize {
    let probes = AtomicUsize::new(0);
    let one = |path: &PathBuf| {
        let slow = SLOW.iter().find(|(file, _)| path.ends_with(file));
        let (matches, steps) = slow.map_or((matches, steps), |&(_, steps)| (1, steps));
        match probe(path, matches, steps) {
            Ok(number) => {
                probes.fetch_add(number, Ordering::Relaxed);
                None
            }
            Err(error) => Some(format!("{}: {error}", path.display())),
        }
    };
    let wrong: Vec<String> = games.par_iter().filter_map(one).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    probes.into_inner()
}

#[test]
fn what_the_domains_exclude_never_occurs_in_the_games_of_the_house() {
    let probes = all(&games_of_the_house(), 5, 60);
    assert!(probes > 3000, "{probes}");
}

#[test]
fn what_the_domains_exclude_never_occurs_in_the_games_of_the_field() {
    if let Some(games) = games_of_the_field() {
        let probes = all(&games, 1, 12);
        assert!(probes > 4000, "{probes}");
    }
}

#[test]
#[ignore = "minutes"]
fn what_the_domains_exclude_never_occurs_in_a_hundred_matches() {
    all(&games_of_the_house(), 100, 300);
    all(&games_of_the_field().unwrap_or_default(), 100, 50);
}
