//! Places: the place in the text that a finding about play refers to.
//!
//! Play meets ground terms, whereas the text consists of clauses. A term is traced to the first clause, in the order
//! of the text, whose head it can be an instance of.

use hyperplay_logic::gdl::{Atom, Finding, FindingCode, Game, Rulesheet, Span, Symbol, TermId, print_rule};
use hyperplay_machine::{EvaluationFailure, Role};

/// Where findings stand.
pub(super) struct Places<'a> {
    /// The game.
    pub game: &'a Game,
    /// Its rules as written.
    pub rulesheet: &'a Rulesheet,
}

impl Places<'_> {
    /// The declaration of a role.
    pub(super) fn role(&self, role: Role) -> Span {
        self.source(Symbol::ROLE, &[self.game.roles()[role.index()]], None).unwrap_or_default()
    }

    /// The first clause for a relation from which these arguments can come, the `skip`ped place apart.
    pub(super) fn source(&self, relation: Symbol, tuple: &[TermId], skip: Option<Span>) -> Option<Span> {
        let terms: Vec<_> = tuple.iter().map(|&term| self.game.terms().term(term)).collect();
        let mut heads = self.rulesheet.clauses.iter().map(|clause| &clause.head);
        let is_source = |Atom { relation: of, arguments, at }: &&Atom| {
            (*of, arguments.len()) == (relation, terms.len())
                && Some(at.0) != skip
                && arguments.iter().zip(&terms).all(|(a, b)| a.may_unify(b))
        };
        heads.find(is_source).map(|head| head.at.0)
    }

    /// The finding that evaluation failed, at the rule that the failure quotes.
    pub(super) fn failed(&self, failure: &EvaluationFailure) -> Finding {
        let symbols = self.game.terms().symbols();
        let mut rules = self.game.rules().iter();
        let quoted =
            rules.find(|rule| failure.reason.ends_with(&format!("rule: {})", print_rule(rule, symbols))));
        let place = quoted.map_or_else(Span::default, |rule| rule.head.at.0);
        Finding::fault(FindingCode::EvaluationLimit, place, failure.to_string())
    }
}
