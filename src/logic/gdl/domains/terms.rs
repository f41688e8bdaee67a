//! The ground terms of a meet as a list.
//!
//! The list is complete or not given at all: a meet that occurs inside its own terms is taken to be infinite. The order
//! is constants first, then compound terms, each by symbol, which is by first occurrence in the text.

use super::graph::{Budget, Graph, Meet};
use hyperplay_machine::terms::Term;

/// The terms of a meet inside those of the meets of `path`, unless they are infinitely many or more than `most`.
pub(super) fn list(
    graph: &Graph,
    meet: &Meet,
    most: usize,
    path: &mut Vec<Meet>,
    budget: &mut Budget,
) -> Option<Vec<Term>> {
    if path.contains(meet) || graph.is_any_meet(meet) {
        return None;
    }
    let mut constants = graph.constants(meet, budget).ok()?;
    if constants.len() > most {
        return None;
    }
    constants.sort_unstable();
    let mut terms: Vec<Term> = constants.into_iter().map(Term::Constant).collect();
    let mut functors = graph.functors(meet, budget).ok()?;
    functors.sort_unstable_by_key(|(functor, _)| *functor);
    path.push(meet.clone());
    for ((name, _), arguments) in functors {
        let mut rows: Vec<Vec<Term>> = vec![Vec::new()];
        for argument in &arguments {
            let values = list(graph, argument, most, path, budget)?;
            if rows.len().saturating_mul(values.len()) > most {
                return None;
            }
            let longer = |row: &Vec<Term>| {
                let row = row.clone();
                values.iter().map(move |value| [&row[..], std::slice::from_ref(value)].concat())
            };
            rows = rows.iter().flat_map(longer).collect();
        }
        terms.extend(rows.into_iter().map(|row| Term::new(name, row)));
        if terms.len() > most {
            return None;
        }
    }
    path.pop();
    Some(terms)
}
