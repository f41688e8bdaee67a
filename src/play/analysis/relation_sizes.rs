//! The findings of a derivation of all that depends on no state: relations that are too large.

use hyperplay_engine::{EvaluableRules, Interpreter};
use hyperplay_logic::gdl::{Finding, FindingCode, Game, Rule, Span, Symbol, print_rule};

/// Derives what depends on no state, and tells which relations are too large for it. Takes some seconds at most where
/// the game can be played.
pub fn findings_on_size(game: &Game) -> Vec<Finding> {
    let rules = EvaluableRules::of(game);
    let symbols = game.terms().symbols();
    let place = |is_there: &dyn Fn(&Rule) -> bool| {
        let rule = game.rules().iter().find(|rule| is_there(rule));
        rule.map_or(Span::default(), |rule| game.rule_span(rule))
    };
    let on_demand = |&relation: &Symbol| {
        let at = place(&|rule| rule.head.relation == relation);
        let message = format!(
            "`{}` has too many tuples to derive them all: it is derived as far as it is asked for",
            symbols.name(relation)
        );
        Finding::note(FindingCode::EvaluationLimit, at, message)
    };
    let mut findings: Vec<Finding> = rules.on_demand.iter().map(on_demand).collect();
    if let Some(limit) = rules.obstacle.as_ref() {
        let span = place(&|rule| print_rule(rule, symbols) == limit.rule);
        let finding = match Interpreter::new(game) {
            Ok(_) => Finding::warning(
                FindingCode::EvaluationLimit,
                span,
                format!("{limit}; all of them are derived before the game begins"),
            ),
            Err(error) => Finding::fault(FindingCode::EvaluationLimit, span, error.to_string()),
        };
        let remedy = "bind fewer variables together, or let each rule that reads the relation bind its arguments first";
        findings.push(finding.help(remedy));
    }
    findings
}
