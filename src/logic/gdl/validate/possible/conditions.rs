//! `impossible-condition`: conditions that nothing can match.
//!
//! The causes are told from their consequences by a second inference. It takes all impossible conditions to be
//! fulfilled; a condition that is impossible even then has no cause among the others. The conditions that remain when
//! the causes are taken to be fulfilled wait for themselves, as when a fluent is made only where it is true already; of
//! these the first is reported.

use rustc_hash::FxHashSet;

use super::unread::{Kind, Reads, unread_as};
use super::words::{differ_in_letters, first_place, ordinal, place, show, similar};
use super::{Explained, occurrences, subject};
use crate::gdl::domains::{Budget, Obstacle};
use crate::gdl::normal::ClauseBranch;
use crate::gdl::validate::{MANY, RulesheetView, list};
use crate::gdl::{Atom, Finding, FindingCode, Literal, PositionDomains, Span};
use hyperplay_machine::terms::{Symbol, Term};

/// The most that the questions of one inference may cost, in elementary steps. A condition that is left open then may
/// hold.
const QUESTIONS: u64 = 20_000_000;

/// How many conditions that wait for each other are reported at most.
const CYCLES: usize = 8;

/// The relations and functors around a term with the position inside, from the outermost.
type Path = Vec<(Symbol, usize)>;

/// The conditions that cannot hold.
struct Impossible<'v> {
    /// Atoms, and whether they are negated, in the order of the text.
    atoms: Vec<(&'v Atom, bool)>,
    /// Clauses whose conditions never hold together, although each of them may hold.
    clauses: Vec<usize>,
}

pub(super) fn check(
    view: &RulesheetView<'_>,
    reads: &Reads<'_>,
    explained: &mut Explained,
    named: &mut FxHashSet<Symbol>,
    findings: &mut Vec<Finding>,
) {
    let domains = explained.domains(view);
    let all = Impossible::of(view, explained, &domains);
    if all.is_empty() {
        return;
    }
    let mut fulfilled = explained.clone();
    all.explain(&mut fulfilled);
    let domains = fulfilled.domains(view);
    let mut report = Report { view, reads, named, reported: FxHashSet::default(), findings };
    let mut causes = Impossible { atoms: Vec::new(), clauses: Vec::new() };
    for &(atom, is_negated) in &all.atoms {
        if let Some(obstacle) = domains.obstacle(atom) {
            causes.atoms.push((atom, is_negated));
            report.atom(atom, is_negated, &obstacle, false);
        }
    }
    for &clause in &all.clauses {
        if is_dead(view, explained, &domains, clause, &mut Budget(QUESTIONS)) {
            causes.clauses.push(clause);
            report.clause(clause, &domains);
        }
    }
    causes.explain(explained);
    for _ in 0..CYCLES {
        let domains = explained.domains(view);
        let mut left = Impossible::of(view, explained, &domains);
        left.atoms.truncate(1);
        let Some(&(atom, is_negated)) = left.atoms.first() else { break };
        if let Some(obstacle) = domains.obstacle(atom) {
            report.atom(atom, is_negated, &obstacle, true);
        }
        left.clauses.clear();
        left.explain(explained);
    }
}

/// Whether no branch of a clause may hold, although each of its atoms may.
fn is_dead(
    view: &RulesheetView<'_>,
    explained: &Explained,
    domains: &PositionDomains,
    clause: usize,
    budget: &mut Budget,
) -> bool {
    let branches = &view.branches[clause];
    !branches.is_empty()
        && branches.iter().all(|branch| {
            let body = explained.rest(clause, branch);
            !domains.may_hold_together(&body, budget)
                && body.iter().all(|literal| match literal {
                    Literal::Positive(atom) => domains.may_hold_within(atom, budget),
                    _ => true,
                })
        })
}

impl<'v> Impossible<'v> {
    fn of(view: &'v RulesheetView<'_>, explained: &Explained, domains: &PositionDomains) -> Self {
        let mut seen = FxHashSet::default();
        let budget = &mut Budget(QUESTIONS);
        let mut impossible = Impossible { atoms: Vec::new(), clauses: Vec::new() };
        for (index, (_, branches)) in view.clauses().enumerate() {
            for branch in branches.iter().filter(|_| !explained.clauses.contains(&index)) {
                for (atom, is_negated) in branch.atoms() {
                    let is_open = !explained.atoms.contains(&atom.at.0) && seen.insert(atom.at.0);
                    if is_open && !domains.may_hold_within(atom, budget) {
                        impossible.atoms.push((atom, is_negated));
                    }
                }
            }
            if !explained.clauses.contains(&index) && is_dead(view, explained, domains, index, budget) {
                impossible.clauses.push(index);
            }
        }
        impossible.atoms.sort_by_key(|(atom, _)| atom.at.0);
        impossible
    }

    fn is_empty(&self) -> bool {
        self.atoms.is_empty() && self.clauses.is_empty()
    }

    fn explain(&self, explained: &mut Explained) {
        explained.atoms.extend(self.atoms.iter().map(|(atom, _)| atom.at.0));
        explained.clauses.extend(&self.clauses);
    }
}

/// The findings of this check, with what they share.
struct Report<'r, 'v, 's> {
    view: &'v RulesheetView<'s>,
    reads: &'r Reads<'v>,
    named: &'r mut FxHashSet<Symbol>,
    /// The positions and names that have been reported.
    reported: FxHashSet<(Path, Symbol, usize)>,
    findings: &'r mut Vec<Finding>,
}

impl Report<'_, '_, '_> {
    /// Reports an atom, unless the same has been said of another one.
    fn atom(&mut self, atom: &Atom, is_negated: bool, obstacle: &Obstacle<'_>, waits: bool) {
        let view = self.view;
        let shown = show(view, atom);
        let never = match is_negated {
            false => format!("`{shown}` never holds"),
            true => format!("`{shown}` never holds, so its negation always does"),
        };
        let finding = |span: Span, reason: String| {
            Finding::warning(FindingCode::ImpossibleCondition, span, format!("{never}: {reason}"))
        };
        let finding = match obstacle {
            Obstacle::Relation => {
                if !self.reported.insert((Vec::new(), atom.relation, atom.arguments.len())) {
                    return;
                }
                let reason = match atom.relation {
                    Symbol::TRUE if !waits => "there is neither `init` nor `next`".to_owned(),
                    relation => format!("the rules for `{}` wait for each other", view.name(relation)),
                };
                finding(view.locate(atom.at.0, atom.relation), reason)
            }
            Obstacle::Variable(variable) => {
                let name = view.variable(atom.at.0, *variable);
                finding(atom.at.0, format!("no term may stand at all places of `{name}`"))
            }
            Obstacle::Term { term, path, known } => {
                let Some((name, arity)) = term.functor() else { return };
                // The functions with two arities have a finding of their own.
                let other_arity = |&(other, arguments): &(Symbol, usize)| other == name && arguments > 0;
                if !self.reported.insert((path.clone(), name, arity))
                    || (arity > 0 && known.iter().any(other_arity))
                {
                    return;
                }
                let span = place(view, atom, term);
                let near = similar(view, name, known.iter().map(|&(known, _)| known));
                if let Some(finding) = near.and_then(|near| self.misspelt_head(atom, path, name, near, span))
                {
                    self.findings.push(finding);
                    return;
                }
                let near = near.filter(|_| !waits);
                self.named.extend(near);
                let finding = finding(span, self.reason(term, path, waits));
                let place = near.and_then(|near| Some((first_place(view, near)?, view.name(near))));
                let finding = match place {
                    Some((place, near)) => finding.related(place, format!("`{near}` stands here")),
                    None => finding,
                };
                finding.help_if(self.remedy(term, path, known, near).filter(|_| !waits))
            }
        };
        self.findings.push(finding);
    }

    /// Why a term cannot stand at the end of a path.
    fn reason(&self, term: &Term, path: &[(Symbol, usize)], waits: bool) -> String {
        let view = self.view;
        let (Term::Constant(name) | Term::Compound(name, _)) = term else { return String::new() };
        let name = view.name(*name);
        let is_made = |relations: &[Symbol]| {
            let heads = view.sheet.clauses.iter().map(|clause| &clause.head);
            let mut made = heads.filter(|head| relations.contains(&head.relation));
            made.any(|head| head.arguments.last().is_some_and(|made| made.may_unify(term)))
        };
        match path {
            [(Symbol::TRUE, _)] if waits && is_made(&[Symbol::INIT, Symbol::NEXT]) => {
                format!("the rules that make the fluent `{name}` wait for it themselves")
            }
            [(Symbol::TRUE, _)] => format!("no `init` or `next` makes the fluent `{name}`"),
            [(Symbol::DOES, 1)] if waits && is_made(&[Symbol::LEGAL]) => {
                format!("the rules that make the move `{name}` legal wait for it themselves")
            }
            [(Symbol::DOES, 1)] => format!("no `legal` names the move `{name}`"),
            [.., (outer, position)] => {
                let outer = view.name(*outer);
                format!("the {} argument of `{outer}` is never `{name}`", ordinal(*position))
            }
            [] => String::new(),
        }
    }

    /// Advice on the term to write instead.
    fn remedy(
        &self,
        term: &Term,
        path: &[(Symbol, usize)],
        known: &[(Symbol, usize)],
        near: Option<Symbol>,
    ) -> Option<String> {
        let view = self.view;
        let (Term::Constant(name) | Term::Compound(name, _)) = term else { return None };
        if let Some(near) = near {
            return Some(format!("did you mean `{}`?", view.name(near)));
        }
        if known.iter().any(|(other, _)| other == name) {
            return Some(format!("`{}` has another number of arguments there", view.name(*name)));
        }
        let shown = |relation: Symbol, arguments: Vec<Term>| view.show(&Term::new(relation, arguments));
        let role = || Term::Variable(Symbol::ROLE);
        match path {
            [(Symbol::TRUE, _)] if self.reads.is_made(Kind::Move, *name) => {
                let does = shown(Symbol::DOES, vec![role(), term.clone()]);
                Some(format!("`{}` is a move: did you mean `{does}`?", view.name(*name)))
            }
            [(Symbol::DOES, 1)] if self.reads.is_made(Kind::Fluent, *name) => {
                let holds = shown(Symbol::TRUE, vec![term.clone()]);
                Some(format!("`{}` is a fluent: did you mean `{holds}`?", view.name(*name)))
            }
            [_] if matches!(path[0].0, Symbol::TRUE | Symbol::DOES) && view.defines(*name) => {
                Some(format!("`{}` is a relation: did you mean `{}`?", view.name(*name), view.show(term)))
            }
            _ if known.is_empty() || known.len() > MANY => None,
            path => {
                let what = match path {
                    [(Symbol::TRUE, _)] => "the fluents are",
                    [(Symbol::DOES, 1)] => "the moves are",
                    _ => "there it can be",
                };
                let mut names: Vec<Symbol> = known.iter().map(|&(name, _)| name).collect();
                names.sort_by(|&a, &b| view.sheet.symbols.compare(a, b));
                let names = list(names.into_iter().map(|name| view.name(name)));
                Some(format!("{what} {names}"))
            }
        }
    }

    /// The finding for a head that spells a name wrong which the conditions spell right: nothing reads what it makes,
    /// and the name occurs less often.
    fn misspelt_head(
        &self,
        atom: &Atom,
        path: &[(Symbol, usize)],
        read: Symbol,
        made: Symbol,
        span: Span,
    ) -> Option<Finding> {
        let view = self.view;
        let (kind, _) = subject(atom)
            .filter(|_| path.first().is_some_and(|(_, last)| last + 1 == atom.arguments.len()))?;
        let count = occurrences(view);
        let times = |name: Symbol| count.get(&name).copied().unwrap_or(0);
        if times(made) >= times(read) || !differ_in_letters(view, made, read) {
            return None;
        }
        let heads = view.sheet.clauses.iter().map(|clause| &clause.head);
        let (head, part) = heads
            .filter(|head| kind.is_made_by(head.relation) && self.reads.is_unread(head))
            .find_map(|head| Some((head, part_at(head, &path[1..]).filter(|part| names(part, made))?)))?;
        let finding = unread_as(view, kind, head, place(view, head, part));
        Some(
            finding
                .related(span, format!("`{}` is read here", view.name(read)))
                .help(format!("did you mean `{}`?", view.name(read))),
        )
    }

    /// Reports a clause whose conditions exclude each other.
    fn clause(&mut self, index: usize, domains: &PositionDomains) {
        let view = self.view;
        let clause = &view.sheet.clauses[index];
        let branch = &view.branches[index][0];
        let message = "the conditions of this rule never hold together";
        let found =
            |span: Span, message: String| Finding::warning(FindingCode::ImpossibleCondition, span, message);
        let variable = domains.variable_without_value(&mut branch.positive());
        self.findings.push(
            match variable.and_then(|variable| Some((variable, outermost(branch, variable)?))) {
                None => found(clause.at.0, format!("{message}, because of `distinct`")),
                Some((variable, (first, last))) => {
                    let name = view.variable(clause.at.0, variable);
                    found(last, format!("{message}: no term may stand for `{name}` in all of them"))
                        .related(first, format!("`{name}` stands here, too"))
                }
            },
        );
    }
}

/// The places of the first and of the last positive condition with a variable.
fn outermost(branch: &ClauseBranch, variable: Symbol) -> Option<(Span, Span)> {
    let mut places = branch.positive().filter(|atom| atom.mentions(variable)).map(|atom| atom.at.0);
    let first = places.next()?;
    Some((first, places.last().unwrap_or(first)))
}

/// The part of an atom's last argument at the end of a path.
fn part_at<'t>(atom: &'t Atom, path: &[(Symbol, usize)]) -> Option<&'t Term> {
    path.iter().try_fold(atom.arguments.last()?, |term, &(functor, position)| match term {
        Term::Compound(name, arguments) if *name == functor => arguments.get(position),
        _ => None,
    })
}

/// Whether a term is a constant with this name or has this functor.
fn names(term: &Term, name: Symbol) -> bool {
    matches!(term, Term::Constant(own) | Term::Compound(own, _) if *own == name)
}
