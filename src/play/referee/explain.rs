//! Verification of the record of a player: whether a history explains it.
//!
//! A belief under uniform opponents follows the evidence step by step, so that the first step that no history explains
//! is the one named. Every history that the rules allow has a positive probability under uniform opponents, so evidence
//! that the belief calls inconsistent cannot have come about. While the information set is small it is enumerated; then
//! it is sampled, and one particle is enough.
//!
//! The answers are checked too: after as many steps as were made, some history that explains them must allow it.

use std::sync::Arc;

use super::evidence_record::{EVIDENCE_SCHEMA, EvidenceRecord};
use super::verify::{Agreement, TranscriptDifference, check_origin};
use hyperplay_machine::{Budget, Bulk, Evidence, Move, Observation, OwnMove, Role, Seed, StateMachineExt};
use hyperplay_think::belief::{Belief, BeliefOptions, ParticleBelief, Uniform, UpdateOutcome};

/// How hard to look for a history that explains the evidence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExplainEffort {
    /// How histories are found. They are enough to begin with: how likely they are does not matter.
    pub belief: BeliefOptions,
    /// States that may be visited for all steps together.
    pub nodes: u64,
    /// How often a step is tried before it is left undecided.
    pub attempts: usize,
}

impl Default for ExplainEffort {
    fn default() -> Self {
        let belief = BeliefOptions {
            particles: 200,
            enumerate_limit: 10_000,
            states: 5_000,
            ..BeliefOptions::default()
        };
        ExplainEffort { belief, nodes: 2_000_000, attempts: 3 }
    }
}

/// The results for a record in which no difference was found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EvidenceVerdict {
    /// The steps that some history explains.
    pub explained: usize,
    /// Whether the whole information set was at hand at each of these steps, and not only a sample of it.
    pub is_enumerated: bool,
    /// The first step, from 1, of which the record does not say what happened: nothing was checked from there on.
    pub hole: Option<usize>,
    /// Why it was not found out whether the rest can have happened, if it was not.
    pub undecided: Option<String>,
}

/// Checks the record of a player against a machine whose rules have the hash `rules`.
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_play::referee::{
///     EvidenceHeading, EvidenceOutcome, EvidenceRecord, EvidenceVerdict, ExplainEffort, ToldClocks,
///     TranscriptDifference, explained, verify_evidence,
/// };
///
/// let heading = EvidenceHeading {
///     game: "monty_hall.kif".to_owned(),
///     rules: "sha256:0".to_owned(),
///     match_id: "tv.77".to_owned(),
///     player: "hyperplay".to_owned(),
///     seed: 1,
///     dialect: "GDL-II".to_owned(),
///     clocks: ToldClocks { startclock: 30.0, playclock: 10.0 },
/// };
/// let mut record = EvidenceRecord::new(&*machine, heading, &evidence, EvidenceOutcome::Aborted);
/// record.step(2).answered = Some("switch".to_owned());
/// let effort = ExplainEffort::default();
/// let verdict = verify_evidence(&machine, "sha256:0", &record, &effort)?;
/// assert_eq!(verdict, EvidenceVerdict { explained: 2, is_enumerated: true, hole: None, undecided: None });
///
/// // The same is asked of evidence without a record, with what was answered.
/// let switch = machine.terms().read("switch").map(Move);
/// assert_eq!(explained(&machine, &evidence, &[None, None, switch], &effort), Ok(verdict));
///
/// // The door that was chosen is not opened.
/// record.step(1).percepts = Some(vec!["(goat 2)".to_owned()]);
/// let difference = verify_evidence(&machine, "sha256:0", &record, &effort).unwrap_err();
/// assert!(matches!(difference, TranscriptDifference::Step { step: 2, .. }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first difference.
pub fn verify_evidence<M: Bulk + 'static>(
    machine: &Arc<M>,
    rules: &str,
    record: &EvidenceRecord,
    effort: &ExplainEffort,
) -> Agreement<EvidenceVerdict> {
    check_origin((&record.schema, &record.heading.rules), (EVIDENCE_SCHEMA, rules))?;
    let evidence = record.evidence(&**machine)?;
    let read = |(index, text): (usize, Option<&String>)| {
        text.map(|text| {
            machine.terms().read(text).map(Move).ok_or_else(|| TranscriptDifference::Step {
                step: index + 1,
                what: format!("the answer {text} is no term of the game"),
            })
        })
        .transpose()
    };
    // The answer in the first step that is not known is checked in a state that is known.
    let asked = record.steps.iter().take(evidence.step() + 1).map(|step| step.answered.as_ref());
    let answers: Vec<Option<Move>> = asked.enumerate().map(read).collect::<Result<_, _>>()?;
    let verdict = explained(machine, &evidence, &answers, effort)?;
    Ok(EvidenceVerdict { hole: record.hole(), ..verdict })
}

/// Looks for histories that explain the evidence, step by step. `answers` says what was answered in each step, where it
/// is known; it may be one longer than the evidence, or shorter.
///
/// # Errors
/// The first step that no history explains, or whose answer no history allows.
pub fn explained<M: Bulk + 'static>(
    machine: &Arc<M>,
    evidence: &Evidence,
    answers: &[Option<Move>],
    effort: &ExplainEffort,
) -> Agreement<EvidenceVerdict> {
    let mut explainer = Explainer::new(machine, evidence.role, effort);
    let mut verdict = EvidenceVerdict { is_enumerated: true, ..EvidenceVerdict::default() };
    for made in 0..=evidence.step() {
        match explainer.follow(&evidence.until(made)) {
            Err(failure) => {
                verdict.undecided = Some(format!("step {made}: the rules cannot be evaluated: {failure}"));
                return Ok(verdict);
            }
            Ok(UpdateOutcome::Enumerated) => {}
            Ok(UpdateOutcome::Sampled) => verdict.is_enumerated = false,
            Ok(UpdateOutcome::Depleted { step }) => {
                let why = "no history was found that explains this, which does not prove that there is none";
                verdict.undecided = Some(format!("step {step}: {why}"));
                return Ok(verdict);
            }
            Ok(UpdateOutcome::Inconsistent { step }) => {
                return Err(inconsistency(machine, evidence, step, made, effort));
            }
        }
        verdict.explained = made;
        let Some(answer) = answers.get(made).copied().flatten() else { continue };
        if !explainer.allows(answer) {
            let step = made + 1;
            let what = format!("the answer {} is not legal", machine.show_move(answer));
            if explainer.is_enumerated {
                return Err(TranscriptDifference::Step {
                    step,
                    what: format!("{what} in any state that is possible"),
                });
            }
            verdict.undecided = Some(format!("step {step}: {what} in any state of those that were drawn"));
            return Ok(verdict);
        }
    }
    Ok(verdict)
}

/// A belief that follows the evidence of a record.
struct Explainer<'a, M: Bulk> {
    machine: &'a Arc<M>,
    role: Role,
    effort: &'a ExplainEffort,
    belief: ParticleBelief<M>,
    budget: Budget,
    is_enumerated: bool,
}

impl<'a, M: Bulk + 'static> Explainer<'a, M> {
    fn new(machine: &'a Arc<M>, role: Role, effort: &'a ExplainEffort) -> Self {
        let belief = ParticleBelief::new(Arc::clone(machine), role, Arc::new(Uniform), effort.belief.clone());
        Explainer { machine, role, effort, belief, budget: Budget::nodes(effort.nodes), is_enumerated: false }
    }

    /// Follows the evidence, in several attempts where one finds nothing.
    fn follow(&mut self, evidence: &Evidence) -> Result<UpdateOutcome, String> {
        let seed = Seed::root(0).index(evidence.step());
        let mut outcome = UpdateOutcome::Depleted { step: evidence.step() };
        for attempt in 0..self.effort.attempts.max(1) {
            outcome = self.belief.update(evidence, &self.budget, &seed.index(attempt));
            self.budget = self.budget.less(self.belief.cost().states);
            if let Some(failure) = self.belief.take_failure() {
                return Err(failure.to_string());
            }
            if !matches!(outcome, UpdateOutcome::Depleted { .. }) {
                break;
            }
        }
        self.is_enumerated = outcome == UpdateOutcome::Enumerated;
        Ok(outcome)
    }

    /// Whether a move is legal in some state that is held possible.
    fn allows(&self, own: Move) -> bool {
        let (mut scratch, mut legal) = (self.machine.scratch(), Vec::new());
        self.belief.particles().iter().any(|particle| {
            self.machine.legal(self.belief.state(particle), self.role, &mut scratch, &mut legal);
            legal.contains(&own)
        })
    }
}

/// The message on evidence of which no history explains `step`, found after `made` steps: whether it is only the end of
/// the match that is wrong.
fn inconsistency<M: Bulk + 'static>(
    machine: &Arc<M>,
    evidence: &Evidence,
    step: usize,
    made: usize,
    effort: &ExplainEffort,
) -> TranscriptDifference {
    let said = evidence.until(made);
    let other = Evidence { over: !said.over, ..said.clone() };
    let outcome = Explainer::new(machine, evidence.role, effort).follow(&other);
    if let (true, Ok(UpdateOutcome::Enumerated | UpdateOutcome::Sampled)) = (step == made, outcome) {
        let what = if said.over {
            "the match was ended as if it were over, but it cannot be"
        } else {
            "the match must be over, but it is recorded as if it were not"
        };
        return TranscriptDifference::End { step, what: what.to_owned() };
    }
    let what = match step.checked_sub(1).and_then(|index| evidence.steps.get(index)) {
        Some(Observation { own, percepts }) => {
            let own: Vec<String> = match own {
                OwnMove::Untold(_) => vec!["any move".to_owned()],
                own => own.named().iter().map(|&own| machine.show_move(own)).collect(),
            };
            let seen: Vec<String> = percepts.iter().map(|percept| machine.terms().show(percept.0)).collect();
            let (name, own, seen) = (&machine.roles()[evidence.role], own.join(" or "), seen.join(" "));
            format!("no history explains that {name} did {own} and perceived [{seen}]")
        }
        None => "the match cannot begin as it is recorded".to_owned(),
    };
    TranscriptDifference::Step { step, what }
}
