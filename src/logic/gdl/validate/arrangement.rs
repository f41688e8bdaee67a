//! The clauses that are checked and played: those of the rulesheet, after the repairs that concern whole clauses.
//!
//! - A name with several arities is several relations. The arity that is used first keeps the name; any other gets a
//!   name such as `succ/3`.
//! - A declaration (`base`, `input` or `percept`) with a malformed clause is left out as a whole, if no rule of play
//!   reads a declaration. A declaration changes no match, and the clauses that are left would say too little.
//!
//! Invariant: the rulesheet itself stays as its author wrote it, and [`Arrangement::origin`] leads from a clause here
//! to its place there. A rulesheet that needs no repair is not copied.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::each_atom_of_clause;
use crate::gdl::{Atom, Clause, Finding, Formula, Rulesheet, Severity};
use hyperplay_machine::terms::Symbol;

/// Relations by the name and the arity that they are written with.
pub(super) type Arities = FxHashMap<(Symbol, usize), Symbol>;

/// The clauses that are checked and played.
pub(super) struct Arrangement<'s> {
    /// The rulesheet as written: a name may have several arities there, and declarations may be malformed.
    pub(super) written: &'s Rulesheet,
    /// The rulesheet with the repairs.
    pub(super) sheet: Cow<'s, Rulesheet>,
    /// The clauses that were left out.
    pub(super) ignored: Vec<Clause>,
    /// The relations whose name has another arity where it is used first, by name and arity.
    pub(super) split: Arities,
    /// For each clause its position among those written; empty if no clause was left out.
    origin: Vec<usize>,
}

impl<'s> Arrangement<'s> {
    /// All clauses of a rulesheet, each relation with one arity.
    pub(super) fn of(written: &'s Rulesheet) -> Arrangement<'s> {
        let (sheet, split) = match one_arity_each(written) {
            Some((sheet, split)) => (Cow::Owned(sheet), split),
            None => (Cow::Borrowed(written), FxHashMap::default()),
        };
        Arrangement { written, sheet, ignored: Vec::new(), split, origin: Vec::new() }
    }

    /// The position of a clause in the rulesheet as written.
    pub(super) fn origin(&self, clause: usize) -> usize {
        self.origin.get(clause).copied().unwrap_or(clause)
    }

    /// Leaves out every declaration that has a malformed clause: one with an error among these findings, or one that
    /// could not be read. Returns the findings about the clauses that are left out, with the errors as faults.
    pub(super) fn leave_out_malformed(&mut self, findings: &[Finding]) -> Vec<Finding> {
        let clauses = &self.sheet.clauses;
        let declares = |clause: &Clause| clause.head.relation.is_declaration();
        if is_read_by_play(clauses) {
            return Vec::new();
        }
        let about = |finding: &Finding| {
            let next = clauses.partition_point(|clause| clause.at.0.start <= finding.span.start);
            let clause = &clauses[next.checked_sub(1)?];
            (finding.span.start < clause.at.0.end && declares(clause)).then_some(clause.head.relation)
        };
        let mut left_out: Vec<Symbol> = self.sheet.unread.iter().map(|&(relation, _)| relation).collect();
        left_out
            .extend(findings.iter().filter(|finding| finding.severity == Severity::Error).filter_map(about));
        if left_out.is_empty() {
            return Vec::new();
        }
        let faults = findings
            .iter()
            .filter(|finding| about(finding).is_some_and(|relation| left_out.contains(&relation)))
            .map(|finding| ignored(finding.clone()))
            .collect();
        let mut kept = Vec::new();
        for (index, clause) in self.sheet.to_mut().clauses.drain(..).enumerate() {
            if left_out.contains(&clause.head.relation) {
                self.ignored.push(clause);
            } else {
                self.origin.push(index);
                kept.push(clause);
            }
        }
        self.sheet.to_mut().clauses = kept;
        faults
    }
}

/// Makes the findings about clauses of declarations that could not be read faults, if no rule of play reads a
/// declaration.
pub(in super::super) fn ignore_unread(sheet: &Rulesheet, findings: &mut [Finding]) {
    if sheet.unread.is_empty() || is_read_by_play(&sheet.clauses) {
        return;
    }
    for finding in findings {
        let next = sheet.unread.partition_point(|(_, clause)| clause.start <= finding.span.start);
        if next > 0 && finding.span.start < sheet.unread[next - 1].1.end {
            *finding = ignored(finding.clone());
        }
    }
}

/// The finding about a clause that is left out.
fn ignored(mut finding: Finding) -> Finding {
    if finding.severity == Severity::Error {
        finding.severity = Severity::Fault;
        let repair = "the clause is ignored, because it only declares what may occur";
        finding.help = Some(match finding.help {
            Some(help) => format!("{repair}; {help}"),
            None => repair.to_owned(),
        });
    }
    finding
}

/// Whether a rule that is not a declaration itself reads one.
fn is_read_by_play(clauses: &[Clause]) -> bool {
    let mut read = false;
    for clause in clauses.iter().filter(|clause| !clause.head.relation.is_declaration()) {
        let mut visit = |atom: &Atom| read |= atom.relation.is_declaration();
        clause.body.iter().for_each(|formula| formula.each_atom(&mut visit));
    }
    read
}

/// The rulesheet with one relation for each arity of a name, and the relations that got a new name; `None` if every
/// name has one arity.
fn one_arity_each(sheet: &Rulesheet) -> Option<(Rulesheet, Arities)> {
    let mut first: FxHashMap<Symbol, usize> = FxHashMap::default();
    let mut other: Vec<(Symbol, usize)> = Vec::new();
    for clause in &sheet.clauses {
        each_atom_of_clause(clause, &mut |atom| {
            let arity = atom.arguments.len();
            if atom.relation.keyword_arity().is_none()
                && *first.entry(atom.relation).or_insert(arity) != arity
            {
                other.push((atom.relation, arity));
            }
        });
    }
    other.sort_unstable();
    other.dedup();
    if other.is_empty() {
        return None;
    }
    let mut sheet = sheet.clone();
    let names: Arities = other
        .into_iter()
        .map(|(relation, arity)| {
            ((relation, arity), sheet.symbols.fresh(format!("{}/{arity}", sheet.symbols.name(relation))))
        })
        .collect();
    let rename = |atom: &mut Atom| {
        if let Some(&name) = names.get(&atom.functor()) {
            atom.relation = name;
        }
    };
    for clause in &mut sheet.clauses {
        rename(&mut clause.head);
        let rename = &mut |leaf: &mut Formula| {
            if let Formula::Atom(atom) = leaf {
                rename(atom);
            }
        };
        clause.body.iter_mut().for_each(|formula| formula.each_leaf_mut(rename));
    }
    Some((sheet, names))
}
