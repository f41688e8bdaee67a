//! Negation: the condition under which the rules have one meaning, and the rules of play that follow from it.
//!
//! - `unstratified-negation`: no ground atom may depend on its own negation.
//! - `negation-through-itself`: a relation does, but no ground atom does. The rules are rewritten so that each atom is
//!   decided after those that it depends on (`stratify`).
//!
//! The rules of play are the alternatives of the clauses, with the free variables of negations projected away and,
//! where it is needed, rewritten. They are computed here because the decision needs them.

use super::{MANY, RulesheetView, projection};
use crate::gdl::depend::Dependency;
use crate::gdl::stratify::{MAX_INSTANCES, Refusal, Step, stratify};
use crate::gdl::{Atom, Dependencies, Finding, FindingCode, PositionDomains, Rule, Span};
use hyperplay_machine::terms::{Symbol, Symbols, Term};

/// The rules of play with their symbols. They are meaningful if no finding is an error.
pub(super) fn rules(view: &RulesheetView<'_>, findings: &mut Vec<Finding>) -> (Vec<Rule>, Symbols) {
    let mut symbols = view.symbols.clone();
    let mut rules: Vec<Rule> = Vec::new();
    for (index, (clause, branches)) in view.clauses().enumerate() {
        rules.extend(branches.iter().map(|branch| branch.clone().rule(clause, index)));
    }
    rules.extend_from_slice(&view.asked);
    projection::project(&mut rules, &mut symbols);
    let cycles = view.graph.negative_cycles();
    if cycles.is_empty() {
        return (rules, symbols);
    }
    let graph = Dependencies::of(&rules);
    let domains = PositionDomains::of(&rules);
    for cycle in cycles {
        let inside = |relation: Symbol| graph.in_a_cycle(relation, cycle[0].head);
        match stratify(&rules, &inside, &domains, &mut symbols) {
            Ok(stratified) => {
                rules = stratified;
                findings.push(accepted(view, &cycle));
            }
            Err(refusal) => findings.push(refused(view, &cycle, &refusal)),
        }
    }
    (rules, symbols)
}

/// The warning about relations whose atoms do not depend on their own negations.
fn accepted(view: &RulesheetView<'_>, cycle: &[Dependency]) -> Finding {
    let name = view.name(cycle[0].head);
    let message = format!(
        "the relation `{name}` depends on its own negation, but no ground atom does: {}",
        in_words(&relations(view, cycle))
    );
    Finding::warning(FindingCode::NegationThroughItself, place(view, &cycle[0]), message).help(
        "each atom is decided after those that it depends on; some systems refuse the rules: define a relation for \
         what is negated",
    )
}

/// The error about a cycle of ground atoms, or of relations if ground atoms are too many.
fn refused(view: &RulesheetView<'_>, cycle: &[Dependency], refusal: &Refusal) -> Finding {
    let (arrows, words) = match refusal {
        Refusal::Cycle(steps) => atoms(view, steps),
        Refusal::Infinite | Refusal::TooMany => (cycle.to_vec(), relations(view, cycle)),
    };
    let why = match refusal {
        Refusal::Cycle(_) => String::new(),
        Refusal::Infinite => {
            "whether a ground atom does cannot be decided, because some variable has infinitely many values; "
                .to_owned()
        }
        Refusal::TooMany => format!(
            "whether a ground atom does is not decided, because the rules have more than {MAX_INSTANCES} instances; "
        ),
    };
    let message = format!("`{}` depends on its own negation: {}", words[0].0, in_words(&words));
    let lines: Vec<String> = arrows
        .iter()
        .take(MANY)
        .map(|arrow| format!("`{}` at line {}", view.name(arrow.head), view.line(place(view, arrow))))
        .collect();
    let help = format!("{why}the cycle runs through {}; break it at one of them", lines.join(", "));
    let finding =
        Finding::error(FindingCode::UnstratifiedNegation, place(view, &arrows[0]), message).help(help);
    match arrows.last() {
        Some(last) if arrows.len() > 1 => finding.related(place(view, last), "the cycle closes here"),
        _ => finding,
    }
}

/// The names in a cycle, each with whether it depends on the negation of the next.
type Words = Vec<(String, bool)>;

fn relations(view: &RulesheetView<'_>, cycle: &[Dependency]) -> Words {
    cycle.iter().map(|arrow| (view.name(arrow.head).to_owned(), arrow.negative)).collect()
}

/// The atoms of a cycle and the dependencies of their relations. The relations that stand for a negation with a free
/// variable are left out.
fn atoms(view: &RulesheetView<'_>, steps: &[Step]) -> (Vec<Dependency>, Words) {
    let is_written = |relation: Symbol| relation.index() < view.sheet.symbols.count();
    let written: Vec<&Step> = steps.iter().filter(|step| is_written(step.atom.relation)).collect();
    let next = |position: usize| written[(position + 1) % written.len()].atom.relation;
    let arrows = written.iter().enumerate().map(|(position, step)| Dependency {
        head: step.atom.relation,
        body: next(position),
        negative: step.negative,
        clause: step.clause,
    });
    let words = written
        .iter()
        .map(|step| (view.show(&Term::new(step.atom.relation, step.atom.arguments.clone())), step.negative));
    (arrows.collect(), words.collect())
}

/// A cycle in words: `p <- not q <- r <- p`.
fn in_words(words: &Words) -> String {
    let mut text = format!("`{}`", words[0].0);
    for ((_, negative), (next, _)) in words.iter().zip(words.iter().skip(1).chain([&words[0]])).take(MANY) {
        let not = if *negative { "not " } else { "" };
        text += &format!(" <- {not}`{next}`");
    }
    if words.len() > MANY {
        text += &format!(" <- ... <- `{}`", words[0].0);
    }
    text
}

/// The place at which the body of the clause reads the relation of a dependency.
fn place(view: &RulesheetView<'_>, arrow: &Dependency) -> Span {
    let is_it = |(atom, negative): (&Atom, bool)| (atom.relation, negative) == (arrow.body, arrow.negative);
    view.branches[arrow.clause]
        .iter()
        .flat_map(|branch| &branch.body)
        .find(|(literal, _)| literal.signed().is_some_and(is_it))
        .map_or(view.sheet.clauses[arrow.clause].at.0, |(_, span)| *span)
}
