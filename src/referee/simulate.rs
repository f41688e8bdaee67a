//! Simulate: the dynamic checks of a rulesheet, by random play and by a bounded search.
//!
//! Random matches look for what must never be met: a role without a legal move, more or less than one goal at the
//! end or one out of range, a match without end, and terms that `base`, `input` or `percept` leave undeclared. The
//! search looks at the whole game as far as its limit goes, for playability and winnability. Every issue is reported
//! once, with the number of matches that met it and the first of them.
//!
//! Invariant: findings depend on the rules, the seed and the limits only. Matches are played in batches; after a
//! batch in which one did not end no further is played, for they would take as long.
//!
//! Places: a finding about a role stands at its declaration, one about a term at the clause that it comes from.

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::interrupt::Interrupt;
use super::prospects::prospects;
use crate::engine::{Interpreter, Scratch, declared};
use crate::gdl::{Code, Finding, Rulesheet, Severity, Span, Symbol, TermId};
use crate::machine::{Failure, JointMove, Role, Seed, StateMachine, StateMachineExt};

/// Matches played between two looks at what was found.
const BATCH: usize = 16;

/// How much is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Random matches.
    pub matches: usize,
    /// Their seed.
    pub seed: u64,
    /// The longest match that counts as ending, in steps.
    pub limit: usize,
    /// Joint moves that the search may try.
    pub search: usize,
}

/// What must not be met in play.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Issue {
    NoLegalMove(Role),
    SeveralGoals(Role, TermId, TermId),
    MissingGoal(Role),
    GoalOutOfRange(Role, TermId),
    NoTermination,
    NotInBase(TermId),
    NotInInput(Role, TermId),
    NotInPercept(Role, TermId),
}

/// In how many matches an issue was met.
#[derive(Clone, Copy, Debug)]
struct Meeting {
    issue: Issue,
    matches: usize,
    /// The first match, and the number of joint moves made there before.
    first: (usize, usize),
}

/// Plays and searches; the findings in no particular order.
pub fn simulate(
    machine: &Interpreter,
    rulesheet: &Rulesheet,
    effort: &Effort,
    interrupt: &Interrupt,
) -> Vec<Finding> {
    let places = Places { machine, rulesheet };
    let declarations = match Declarations::of(machine) {
        Ok(declarations) => declarations,
        Err(failure) => return vec![places.failed(&failure)],
    };
    let meetings = match meet(machine, &declarations, effort, interrupt) {
        Ok(meetings) => meetings,
        Err(failure) => return vec![places.failed(&failure)],
    };
    let mut findings = report(&places, &meetings, effort);
    if !interrupt.is_raised() {
        findings.extend(prospects(machine, &places, effort));
    }
    findings
}

/// What the rules declare about their own terms, where they do.
struct Declarations {
    base: Option<FxHashSet<TermId>>,
    input: Option<FxHashSet<(TermId, TermId)>>,
    percept: Option<FxHashSet<(TermId, TermId)>>,
}

impl Declarations {
    fn of(machine: &Interpreter) -> Result<Self, Failure> {
        let tuples = |relation| {
            declared(machine.game(), relation).map_err(|error| Failure { reason: error.to_string() })
        };
        let pairs = |relation| -> Result<_, Failure> {
            Ok(tuples(relation)?.map(|all| all.iter().map(|tuple| (tuple[0], tuple[1])).collect()))
        };
        Ok(Declarations {
            base: tuples(Symbol::BASE)?.map(|all| all.iter().map(|tuple| tuple[0]).collect()),
            input: pairs(Symbol::INPUT)?,
            percept: pairs(Symbol::PERCEPT)?.filter(|_| machine.game().is_imperfect()),
        })
    }
}

/// All issues, in the order in which the matches (by index) met them.
fn meet(
    machine: &Interpreter,
    declarations: &Declarations,
    effort: &Effort,
    interrupt: &Interrupt,
) -> Result<Vec<Meeting>, Failure> {
    let seed = Seed::root(effort.seed).child("simulate");
    let mut meetings: Vec<Meeting> = Vec::new();
    let mut known: FxHashMap<Issue, usize> = FxHashMap::default();
    for start in (0..effort.matches).step_by(BATCH) {
        let batch: Vec<Vec<(Issue, usize)>> = (start..effort.matches.min(start + BATCH))
            .into_par_iter()
            .map(|index| {
                Inspector::new(machine, declarations).play(effort.limit, &seed.index(index), interrupt)
            })
            .collect();
        if let Some(failure) = machine.failure() {
            return Err(failure);
        }
        for (index, met) in batch.into_iter().enumerate() {
            for (issue, step) in met {
                let fresh = Meeting { issue, matches: 0, first: (start + index, step) };
                let position = *known.entry(issue).or_insert_with(|| {
                    meetings.push(fresh);
                    meetings.len() - 1
                });
                meetings[position].matches += 1;
            }
        }
        if known.contains_key(&Issue::NoTermination) || interrupt.is_raised() {
            break;
        }
    }
    Ok(meetings)
}

/// Plays one random match and notes each issue once.
struct Inspector<'a> {
    machine: &'a Interpreter,
    declarations: &'a Declarations,
    scratch: Scratch,
    seen: FxHashSet<Issue>,
    met: Vec<(Issue, usize)>,
}

impl<'a> Inspector<'a> {
    fn new(machine: &'a Interpreter, declarations: &'a Declarations) -> Self {
        let scratch = machine.scratch();
        Inspector { machine, declarations, scratch, seen: FxHashSet::default(), met: Vec::new() }
    }

    fn note(&mut self, step: usize, issue: Issue) {
        if self.seen.insert(issue) {
            self.met.push((issue, step));
        }
    }

    fn play(mut self, limit: usize, seed: &Seed, interrupt: &Interrupt) -> Vec<(Issue, usize)> {
        let mut rng = seed.rng();
        let mut state = self.machine.initial();
        for step in 0.. {
            if self.machine.failure().is_some() || interrupt.is_raised() {
                break;
            }
            self.fluents(step, &state);
            if self.machine.terminal(&state, &mut self.scratch) {
                self.goals(step, &state);
                break;
            }
            if step >= limit {
                self.note(step, Issue::NoTermination);
                break;
            }
            self.moves(step, &state);
            let Some(joint) = self.machine.random_joint(&state, &mut self.scratch, &mut rng) else { break };
            self.percepts(step, &state, &joint);
            state = self.machine.next(&state, &joint, &mut self.scratch);
        }
        self.met
    }

    fn fluents(&mut self, step: usize, state: &<Interpreter as StateMachine>::State) {
        let Some(base) = &self.declarations.base else { return };
        let mut fresh: Vec<TermId> = state.iter().filter(|fluent| !base.contains(fluent)).collect();
        fresh.sort_unstable_by(|&a, &b| self.machine.terms().compare(a, b));
        fresh.into_iter().for_each(|fluent| self.note(step, Issue::NotInBase(fluent)));
    }

    fn moves(&mut self, step: usize, state: &<Interpreter as StateMachine>::State) {
        let legal = self.machine.legal_by_role(state, &mut self.scratch);
        for (role, moves) in legal.iter() {
            if moves.is_empty() {
                self.note(step, Issue::NoLegalMove(role));
            }
            let name = self.machine.game().roles()[role.index()];
            for own in moves {
                if self.declarations.input.as_ref().is_some_and(|input| !input.contains(&(name, own.0))) {
                    self.note(step, Issue::NotInInput(role, own.0));
                }
            }
        }
    }

    fn percepts(&mut self, step: usize, state: &<Interpreter as StateMachine>::State, joint: &JointMove) {
        let Some(percept) = &self.declarations.percept else { return };
        for role in self.machine.each_role() {
            let name = self.machine.game().roles()[role.index()];
            let seen = self.machine.percepts(state, joint, role, &mut self.scratch);
            for term in seen.iter().filter(|term| !percept.contains(&(name, term.0))) {
                self.note(step, Issue::NotInPercept(role, term.0));
            }
        }
    }

    fn goals(&mut self, step: usize, state: &<Interpreter as StateMachine>::State) {
        let (terms, random) = (self.machine.terms(), self.machine.random());
        for role in self.machine.each_role() {
            let values = self.machine.goal_values(state, role, &mut self.scratch);
            match values[..] {
                [] if random == Some(role) => {}
                [] => self.note(step, Issue::MissingGoal(role)),
                [_] => {}
                [first, second, ..] => self.note(step, Issue::SeveralGoals(role, first, second)),
            }
            for value in values {
                let number: Option<i64> = terms.symbols().name(terms.functor(value)).parse().ok();
                if !number.is_some_and(|number| (0..=100).contains(&number)) {
                    self.note(step, Issue::GoalOutOfRange(role, value));
                }
            }
        }
    }
}

/// Where findings stand.
pub(super) struct Places<'a> {
    machine: &'a Interpreter,
    rulesheet: &'a Rulesheet,
}

impl Places<'_> {
    /// The place of the first clause for a relation that `admits` accepts, else of the first for it, else the start.
    fn clause(&self, relation: Symbol, admits: impl Fn(&[crate::gdl::Term]) -> bool) -> Option<Span> {
        let clauses = self.rulesheet.clauses.iter().filter(|clause| clause.head.relation == relation);
        clauses.into_iter().find(|clause| admits(&clause.head.arguments)).map(|clause| clause.head.at.0)
    }

    /// The declaration of a role.
    pub(super) fn role(&self, role: Role) -> Span {
        let name = self.machine.terms().term(self.machine.game().roles()[role.index()]);
        self.clause(Symbol::ROLE, |arguments| arguments.first().is_some_and(|of| of.may_unify(&name)))
            .unwrap_or_default()
    }

    /// The first clause for a relation from which these arguments can come, the `skip`ped place apart.
    fn source(&self, relation: Symbol, tuple: &[TermId], skip: Option<Span>) -> Option<Span> {
        let terms: Vec<_> = tuple.iter().map(|&term| self.machine.terms().term(term)).collect();
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
    pub(super) fn failed(&self, failure: &Failure) -> Finding {
        Finding::new(Code::EvaluationLimit, Severity::Fault, Span::default(), failure.to_string())
    }
}

/// One finding an issue; undeclared terms of one clause are gathered in one.
fn report(places: &Places<'_>, meetings: &[Meeting], effort: &Effort) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut gathered: FxHashMap<(Code, Span), usize> = FxHashMap::default();
    let mut more: Vec<usize> = Vec::new();
    for meeting in meetings {
        let finding = describe(places, meeting, effort);
        let is_term = matches!(finding.code, Code::NotInBase | Code::NotInInput | Code::NotInPercept);
        if let (true, Some(&known)) = (is_term, gathered.get(&(finding.code, finding.span))) {
            more[known] += 1;
            continue;
        }
        gathered.insert((finding.code, finding.span), findings.len());
        findings.push(finding);
        more.push(0);
    }
    for (finding, more) in findings.iter_mut().zip(more).filter(|(_, more)| *more > 0) {
        finding.message += &format!("; and {more} more from this clause");
    }
    findings
}

fn describe(places: &Places<'_>, meeting: &Meeting, effort: &Effort) -> Finding {
    let Places { machine, .. } = places;
    let show = |term| machine.terms().show(term);
    let name = |role: Role| machine.roles()[role].as_str();
    let role_term = |role: Role| machine.game().roles()[role.index()];
    let or_role = |place: Option<Span>, role| place.unwrap_or_else(|| places.role(role));
    let undeclared = |code, place: Option<Span>, what: String, by: &str| {
        Finding::new(
            code,
            Severity::Warning,
            place.unwrap_or_default(),
            format!("{what} but not declared by `{by}`"),
        )
        .help(format!("declare it by `{by}`, or leave out all of `{by}`"))
    };
    let finding = match meeting.issue {
        Issue::NoLegalMove(role) => Finding::new(
            Code::NoLegalMove,
            Severity::Fault,
            places.role(role),
            format!("{} has no legal move in a state that is not terminal", name(role)),
        )
        .help("give it a move, such as noop, or end the game there; the match ends unfinished"),
        Issue::SeveralGoals(role, first, second) => {
            let kept = places.source(Symbol::GOAL, &[role_term(role), first], None);
            let other = places.source(Symbol::GOAL, &[role_term(role), second], kept).or(kept);
            let message =
                format!("{} has several goals at the end: {} and {}", name(role), show(first), show(second));
            let finding = Finding::new(Code::SeveralGoals, Severity::Fault, or_role(other, role), message);
            let help = format!("the first in rule order is taken: {}", show(first));
            kept.filter(|_| kept != other)
                .map_or(finding.clone(), |kept| finding.related(kept, "the first goal comes from here"))
                .help(help)
        }
        Issue::MissingGoal(role) => Finding::new(
            Code::MissingGoal,
            Severity::Fault,
            places.role(role),
            format!("{} has no goal at the end", name(role)),
        )
        .help("it gets 0"),
        Issue::GoalOutOfRange(role, value) => Finding::new(
            Code::GoalOutOfRange,
            Severity::Fault,
            or_role(places.source(Symbol::GOAL, &[role_term(role), value], None), role),
            format!("{} has the goal {}, which is not a number from 0 to 100", name(role), show(value)),
        )
        .help("it is clamped; what is no number counts as 0"),
        Issue::NoTermination => Finding::new(
            Code::NoTermination,
            Severity::Fault,
            places.clause(Symbol::TERMINAL, |_| true).unwrap_or_default(),
            format!("a random match did not end within {} steps", effort.limit),
        )
        .help("count the steps and end the game after so many, or raise --limit"),
        Issue::NotInBase(fluent) => {
            let of = |relation| places.source(relation, &[fluent], None);
            let place = of(Symbol::INIT).filter(|_| meeting.first.1 == 0).or_else(|| of(Symbol::NEXT));
            undeclared(Code::NotInBase, place, format!("{} holds in play", show(fluent)), "base")
        }
        Issue::NotInInput(role, own) => {
            let place = places.source(Symbol::LEGAL, &[role_term(role), own], None);
            let what = format!("{} is legal for {} in play", show(own), name(role));
            undeclared(Code::NotInInput, place, what, "input")
        }
        Issue::NotInPercept(role, seen) => {
            let place = places.source(Symbol::SEES, &[role_term(role), seen], None);
            let what = format!("{} perceives {} in play", name(role), show(seen));
            undeclared(Code::NotInPercept, place, what, "percept")
        }
    };
    let (index, step) = meeting.first;
    let times =
        if meeting.matches == 1 { String::new() } else { format!("in {} matches, ", meeting.matches) };
    let message = format!("{} ({times}first in match {index} after {step} steps)", finding.message);
    Finding { message, ..finding }
}
