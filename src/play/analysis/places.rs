//! Places: the place in the text that a finding about play refers to.
//!
//! Play meets ground terms, whereas the text consists of clauses. A term is traced to the first clause, in the order
//! of the text, whose head it can be an instance of.

use hyperplay_logic::gdl::{Finding, FindingCode, Game, Rulesheet, Span, Symbol, Term, TermId};
use hyperplay_machine::{EvaluationFailure, Role};

/// Where findings stand.
pub(super) struct Places<'a> {
    /// The game.
    pub game: &'a Game,
    /// Its rules as written.
    pub rulesheet: &'a Rulesheet,
}

impl Places<'_> {
    /// The place of the first clause for a relation whose arguments `admits` accepts.
    pub(super) fn clause(&self, relation: Symbol, admits: impl Fn(&[Term]) -> bool) -> Option<Span> {
        let clauses = self.rulesheet.clauses.iter().filter(|clause| clause.head.relation == relation);
        clauses.into_iter().find(|clause| admits(&clause.head.arguments)).map(|clause| clause.head.at.0)
    }

    /// The declaration of a role.
    pub(super) fn role(&self, role: Role) -> Span {
        let name = self.game.terms().term(self.game.roles()[role.index()]);
        self.clause(Symbol::ROLE, |arguments| arguments.first().is_some_and(|of| of.may_unify(&name)))
            .unwrap_or_default()
    }

    /// The first clause for a relation from which these arguments can come, the `skip`ped place apart.
    pub(super) fn source(&self, relation: Symbol, tuple: &[TermId], skip: Option<Span>) -> Option<Span> {
        let terms: Vec<_> = tuple.iter().map(|&term| self.game.terms().term(term)).collect();
        let clauses = self.rulesheet.clauses.iter().filter(|clause| clause.head.relation == relation);
        clauses
            .filter(|clause| Some(clause.head.at.0) != skip)
            .find(|clause| {
                let arguments = &clause.head.arguments;
                arguments.len() == terms.len() && arguments.iter().zip(&terms).all(|(a, b)| a.may_unify(b))
            })
            .map(|clause| clause.head.at.0)
    }

    /// The finding that evaluation failed.
    pub(super) fn failed(&self, failure: &EvaluationFailure) -> Finding {
        Finding::fault(FindingCode::EvaluationLimit, Span::default(), failure.to_string())
    }
}
