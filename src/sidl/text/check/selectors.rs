//! Switches, chances and branchings: owners, aliases, distributions, lengths, first settings.

use num_traits::{One, Zero};
use rustc_hash::FxHashSet;

use crate::text::lower::{items, number, weights};
use crate::text::number::{Arithmetic, Number, checked};
use hyperplay_logic::gdl::{FindingCode, Span, Symbol, Term};

use super::Checker;

impl<'s> Checker<'s> {
    pub(super) fn selectors(&mut self) {
        for clause in &self.sheet.clauses {
            let (word, arguments) = self.head(clause);
            let at = clause.head.at.0;
            match (word, arguments) {
                ("switch", [id, owner, aliases]) => {
                    self.identifier(id, at);
                    self.agent_name(owner, at);
                    self.aliases(id, aliases, at);
                }
                ("chance", [id, distribution]) => {
                    self.identifier(id, at);
                    self.distribution(id, distribution, at);
                }
                ("branching", [operations, id]) => self.branching(operations, id, at),
                ("momentary", [id]) => self.momentary(id, at),
                ("init", [Term::Compound(word, parts)]) if *word == Symbol::DOES => match &parts[..] {
                    [id, alias] => self.setting(id, alias, false, at),
                    _ => self.wrong_arity("does", 2, parts.len(), at),
                },
                _ => {}
            }
        }
        if self.is_complete {
            self.unset();
        }
    }

    fn identifier(&mut self, id: &Term, at: Span) {
        let spelled = self.spell(id);
        if !id.is_ground() {
            let message = format!("the identifier `{spelled}` has a variable");
            self.error(FindingCode::FactWithVariable, at, message).set_help("write a name or a number");
        } else if matches!(id, Term::Constant(name) if self.name(*name) == "nil") {
            let message = "`nil` says that a branching has neither a switch nor a chance";
            self.error(FindingCode::KeywordMisused, at, message).set_help("give it another identifier");
        }
    }

    fn aliases(&mut self, id: &Term, aliases: &Term, at: Span) {
        let spelled = self.spell(id);
        let Some(aliases) = items(aliases, &self.sheet.symbols) else {
            let message = format!("the aliases of the switch `{spelled}` are no list");
            self.error(FindingCode::KeywordMisused, at, message)
                .set_help("write them in brackets, as in `[wait, act]`");
            return;
        };
        if aliases.is_empty() {
            let message = format!("the switch `{spelled}` has no alias, so nobody can set it");
            self.error(FindingCode::BranchingLength, at, message).set_help("write at least one alias");
        }
        let mut seen = FxHashSet::default();
        for alias in aliases {
            let name = self.spell(alias);
            if !alias.is_ground() {
                let message = format!("the alias `{name}` of the switch `{spelled}` has a variable");
                self.error(FindingCode::FactWithVariable, at, message)
                    .set_help("write a name; one that begins with a capital is quoted, as in `'Wait'`");
            } else if matches!(alias, Term::Constant(name) if self.name(*name) == "nil") {
                let message =
                    format!("`nil` says that the switch `{spelled}` is not set, so it cannot be an alias");
                self.error(FindingCode::KeywordMisused, at, message).set_help("give the alias another name");
            } else if !seen.insert(alias) {
                let message = format!("the switch `{spelled}` has the alias `{name}` twice");
                self.error(FindingCode::DuplicateDeclaration, at, message)
                    .set_help("give each alias its own name; capitals make no difference");
            }
        }
    }

    fn distribution(&mut self, id: &Term, distribution: &Term, at: Span) {
        let spelled = self.spell(id);
        let Some(members) = items(distribution, &self.sheet.symbols) else {
            let message = format!("the distribution of the chance `{spelled}` is no list");
            self.error(FindingCode::Distribution, at, message)
                .set_help("write the probabilities in brackets, as in `[1/3, 2/3]`");
            return;
        };
        let mut sum = Some(Number::zero());
        let mut values = Vec::new();
        let errors = self.findings.len();
        for member in members {
            let name = self.spell(member);
            let Some(value) = number(member, &self.sheet.symbols) else {
                let message = format!("the probability `{name}` of the chance `{spelled}` is no number");
                self.error(FindingCode::NotANumber, at, message)
                    .set_help("write a decimal or a fraction, as in `0.5` or `1/6`");
                continue;
            };
            if value <= Number::zero() || value >= Number::one() {
                let message =
                    format!("the probability `{name}` of the chance `{spelled}` is not between 0 and 1");
                self.error(FindingCode::Distribution, at, message).set_help("leave out what cannot happen; what always happens needs no chance, but a branching with `nil`");
            }
            sum = sum.and_then(|sum| checked(Arithmetic::Plus, sum, value));
            values.push(value);
        }
        if self.findings.len() > errors {
            return;
        }
        match sum {
            Some(sum) if sum.is_one() && weights(&values).is_some() => {}
            Some(sum) if !sum.is_one() => {
                let message =
                    format!("the probabilities of the chance `{spelled}` add up to {sum}, not to 1");
                self.error(FindingCode::Distribution, at, message).set_help(
                    "numbers are exact here: write fractions such as `1/3`, or decimals that add up to 1",
                );
            }
            _ => {
                let message = format!(
                    "the probabilities of the chance `{spelled}` have too many digits to be compared exactly"
                );
                self.error(FindingCode::Distribution, at, message).set_help("write simpler fractions");
            }
        }
    }

    fn branching(&mut self, operations: &Term, id: &Term, at: Span) {
        let Some(operations) = items(operations, &self.sheet.symbols) else {
            self.error(FindingCode::KeywordMisused, at, "the operations of the branching are no list")
                .set_help("write them in brackets, as in `branching([act], nil)`");
            return;
        };
        for operation in operations {
            let spelled = self.spell(operation);
            if !operation.is_ground() {
                let message = format!("the operation `{spelled}` of the branching has a variable");
                self.error(FindingCode::FactWithVariable, at, message)
                    .set_help("write one operation for each alias or probability, without variables");
            }
        }
        let spelled = self.spell(id);
        let length = operations.len();
        if matches!(id, Term::Constant(name) if self.name(*name) == "nil") {
            if length != 1 {
                let message =
                    format!("the branching has {length} operations, and `nil` selects none of them");
                self.error(FindingCode::BranchingLength, at, message).set_help(
                    "name the switch or the chance that selects, or write one branching for each operation",
                );
            }
            return;
        }
        let Some(selector) = self.declared.selectors.get(id) else { return self.unknown_selector(id, at) };
        let (kind, members) = match selector.owner {
            Some(_) => ("switch", "aliases"),
            None => ("chance", "probabilities"),
        };
        if let Some(right) = selector.members.map(<[Term]>::len).filter(|right| *right != length) {
            let message = format!(
                "the branching has {length} operations, and its {kind} `{spelled}` has {right} {members}"
            );
            let place = selector.span;
            self.error(FindingCode::BranchingLength, at, message)
                .set_related(place, format!("the {kind}"))
                .set_help(format!("write {right} operations, in the order of the {members}"));
        }
    }

    fn unknown_selector(&mut self, id: &Term, at: Span) {
        if !self.is_complete {
            return;
        }
        let known = self.suggestion(id, self.declared.selectors.keys().copied());
        let message = format!("no switch or chance has the identifier `{}`{known}", self.spell(id));
        self.error(FindingCode::UnknownSwitch, at, message)
            .set_help("declare it by `switch` or `chance`; a branching with one operation may have `nil`");
    }

    fn momentary(&mut self, id: &Term, at: Span) {
        let spelled = self.spell(id);
        match self.declared.selectors.get(id) {
            Some(selector) if selector.owner.is_some() => {
                let is_unset =
                    self.program.switches.iter().any(|switch| switch.id == *id && switch.initial.is_none());
                if is_unset && self.is_complete && !self.set_at_first("does").contains(id) {
                    let message = format!(
                        "the momentary switch `{spelled}` has no first setting to which it could return"
                    );
                    self.error(FindingCode::UnsetSwitch, at, message)
                        .set_help(format!("write `init(does({spelled}, alias)).`"));
                }
            }
            Some(_) => {
                let message = format!("`{spelled}` is a chance; only a switch can be momentary");
                self.error(FindingCode::UnknownSwitch, at, message)
                    .set_help("remove it: a chance is drawn anew in every chronon");
            }
            None => self.unknown_selector(id, at),
        }
    }

    /// A setting that the text names: the switch, and its alias. A test may ask for `nil`: not set.
    pub(super) fn setting(&mut self, id: &Term, alias: &Term, is_test: bool, at: Span) {
        let is_nil = matches!(alias, Term::Constant(name) if self.name(*name) == "nil");
        let (spelled, name) = (self.spell(id), self.spell(alias));
        if !is_test && (!id.is_ground() || !alias.is_ground()) {
            let message = format!("`does({spelled}, {name})` has a variable, but it holds at the start");
            self.error(FindingCode::FactWithVariable, at, message)
                .set_help("write the switch and one of its aliases");
            return;
        }
        let aliases: Vec<&Term> = match self.declared.selectors.get(id) {
            Some(selector) if selector.owner.is_none() => {
                let message = format!("`{spelled}` is a chance, and nobody sets a chance");
                self.error(FindingCode::UnknownSwitch, at, message).set_help("name a switch");
                return;
            }
            Some(selector) => selector.members.unwrap_or_default().iter().collect(),
            None if id.is_ground() => {
                if self.is_complete {
                    let known = self.suggestion(id, self.declared.switches().map(|switch| switch.id));
                    let message = format!("no switch has the identifier `{spelled}`{known}");
                    self.error(FindingCode::UnknownSwitch, at, message)
                        .set_help(format!("declare it by `switch({spelled}, owner, [alias, ...]).`"));
                }
                return;
            }
            None => self.declared.switches().flat_map(|switch| switch.members.unwrap_or_default()).collect(),
        };
        if (is_nil && is_test) || !alias.is_ground() || aliases.is_empty() || aliases.contains(&alias) {
            return;
        }
        let known = self.suggestion(alias, aliases.iter().copied());
        let whose = if id.is_ground() {
            format!("the switch `{spelled}` has no alias")
        } else {
            "no switch has an alias".to_owned()
        };
        let listed: Vec<String> = aliases.iter().take(12).map(|alias| self.spell(alias)).collect();
        self.error(FindingCode::UnknownAlias, at, format!("{whose} `{name}`{known}"))
            .set_help(format!("write one of {}", listed.join(", ")));
    }

    /// Switches that nobody has set at the start.
    fn unset(&mut self) {
        let set = self.set_at_first("does");
        for switch in self.declared.switches().filter(|switch| !set.contains(switch.id)) {
            let spelled = self.spell(switch.id);
            let message = format!(
                "the switch `{spelled}` has no first setting: no operation of its branchings runs before its owner sets it"
            );
            self.warning(FindingCode::UnsetSwitch, switch.span, message)
                .set_help(format!("write `init(does({spelled}, alias)).`"));
        }
    }
}
