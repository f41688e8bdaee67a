//! stub
use super::super::finding::Finding;
use super::View;
pub(super) fn check(_view: &View<'_>, _findings: &mut Vec<Finding>) {}
use super::super::rule::Clause;
use super::super::symbol::Symbol;
pub(super) struct Uses {
    pub(super) variables: rustc_hash::FxHashMap<Symbol, usize>,
}
pub(super) fn uses(_: &Clause) -> Uses {
    Uses { variables: Default::default() }
}
pub(super) fn better(_: &View<'_>, _: &Clause, _: Symbol) -> Option<String> {
    None
}
