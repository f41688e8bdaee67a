//! Recursion: the condition under which the rules derive finitely many atoms.
//!
//! - `unrestricted-recursion`: if a clause calls a relation that is in a cycle with its head, every argument of the
//!   call must be ground, or be an argument of the head, or occur in a positive condition that is not in the cycle
//!   (the recursion restriction of the GDL specification). A compound argument also counts as occurring there if all
//!   its variables do, because then it has finitely many instances.

use rustc_hash::FxHashSet;

use super::RulesheetView;
use crate::gdl::{Atom, Clause, Dependencies, Finding, FindingCode};
use hyperplay_machine::terms::{Symbol, Term};

pub(super) fn check(view: &RulesheetView<'_>, findings: &mut Vec<Finding>) {
    // A negation brings no term into a head, so a cycle through one builds no terms.
    let positive = (!view.graph.negative_cycles().is_empty()).then(|| view.graph.positive());
    let graph = positive.as_ref().unwrap_or(&view.graph);
    for (clause, branches) in view.clauses() {
        let mut seen = FxHashSet::default();
        let arguments: FxHashSet<&Term> = clause.head.arguments.iter().collect();
        for branch in
            branches.iter().filter(|branch| branch.positive().any(|call| recursive(graph, clause, call)))
        {
            let is_outside = |atom: &&Atom| !graph.in_a_cycle(clause.head.relation, atom.relation);
            let outside: FxHashSet<Symbol> =
                branch.positive().filter(is_outside).flat_map(Atom::variables).collect();
            for call in branch.positive().filter(|call| recursive(graph, clause, call)) {
                for argument in &call.arguments {
                    let listed = argument.all_variables(&|variable| outside.contains(&variable));
                    if !listed && !arguments.contains(argument) && seen.insert((call.at.0, argument)) {
                        findings.push(unrestricted(view, clause, call, argument));
                    }
                }
            }
        }
    }
}

/// Whether a condition is a recursive call. A keyword with a wrong number of arguments has a finding already.
fn recursive(graph: &Dependencies, clause: &Clause, call: &Atom) -> bool {
    let head = &clause.head;
    graph.in_a_cycle(head.relation, call.relation)
        && (head.relation != call.relation || head.arguments.len() == call.arguments.len())
}

fn unrestricted(view: &RulesheetView<'_>, clause: &Clause, call: &Atom, argument: &Term) -> Finding {
    let head = view.name(clause.head.relation);
    let argument = view.show(argument);
    let message = format!(
        "unrestricted recursion: in the clause for `{head}`, the argument `{argument}` of `{}` is neither ground, nor \
         an argument of the head, nor in a condition outside the cycle",
        view.name(call.relation)
    );
    Finding::error(FindingCode::UnrestrictedRecursion, call.at.0, message)
        .related(clause.head.at.0, "the head that it recurs to")
        .help("add a condition that lists the values it may take")
}
