//! Verification of a transcript against the rules.
//!
//! Everything that the rules determine is checked, in the order in which it happened: that the match was not over
//! before a step, that every move was legal, that every role perceived what is written, that an illegal answer was
//! illegal, and how it ended. The first [`TranscriptDifference`] is named with its step. The thoughts of the players
//! are not checked, because the rules do not determine it.

use thiserror::Error;

use super::transcript::{SCHEMA, Transcript};
use hyperplay_machine::{StateMachine, StateMachineExt};

/// A result where a record agrees with the rules, or their first difference.
pub type Agreement<T = ()> = Result<T, TranscriptDifference>;

/// Where a transcript, or the record of a player, and the rules differ first.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum TranscriptDifference {
    /// Other rules.
    #[error("the match was played with other rules: the record names {found}, these are {expected}")]
    Rules {
        /// The hash that the record names.
        found: String,
        /// The hash of the rules at hand.
        expected: String,
    },
    /// It is no record of a match of these roles in a form that this program reads.
    #[error("{0}")]
    Heading(String),
    /// A step cannot have happened as it is written.
    #[error("step {step}: {what}")]
    Step {
        /// The number of the step, from 1.
        step: usize,
        /// The difference, in words.
        what: String,
    },
    /// The end is another.
    #[error("after step {step}: {what}")]
    End {
        /// The number of steps.
        step: usize,
        /// The difference, in words.
        what: String,
    },
}

/// Checks a transcript against a machine whose rules have the hash `rules`; its steps are checked by
/// [`Transcript::walk`].
///
/// ```
/// use hyperplay_machine::{ByRole, Role, Seed};
/// use hyperplay_play::player::Registry;
/// use hyperplay_play::referee::{Heading, Interrupt, Settings, Transcript, TranscriptDifference, play_match, verify};
///
/// # use hyperplay_engine::{EngineKind, Engines};
/// # use hyperplay_logic::gdl::{Source, load};
/// // One role says yes, and wins, or no.
/// let text = "(role me) (init asked) (legal me yes) (legal me no)
///     (<= (next said_yes) (does me yes)) (<= terminal (not (true asked)))
///     (<= (goal me 100) (true said_yes)) (<= (goal me 0) (not (true said_yes)))";
/// let game = load(Source::new("yes", text), None).game.expect("the rules are in order");
/// let machine = Engines::new(&game).get(EngineKind::Auto)?;
/// let seats = ByRole::new(vec![Some(Registry::standard().player("hyperplay")?.seat(&machine, Role::new(0)))]);
/// let (settings, interrupt) = (Settings::default(), Interrupt::default());
/// let played = play_match(&*machine, seats, &settings, &Seed::root(1), &interrupt, |_| ())?;
///
/// let rules = "sha256:0".to_owned();
/// let players = vec![Some("hyperplay".to_owned())];
/// let heading = Heading { game: "yes".to_owned(), rules, players, seed: 1, decisions: false };
/// let mut transcript = Transcript::new(&*machine, &heading, &settings, 0, &played);
/// assert_eq!(transcript.steps[0].moves, ["yes"]);
/// assert_eq!(verify(&*machine, "sha256:0", &transcript), Ok(()));
///
/// transcript.goals = Some(vec![50]);
/// let difference = verify(&*machine, "sha256:0", &transcript).unwrap_err();
/// assert!(matches!(difference, TranscriptDifference::End { step: 1, .. }));
/// assert_eq!(difference.to_string(), "after step 1: the goals are [100], not [50]");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The first difference.
pub fn verify<M: StateMachine>(machine: &M, rules: &str, transcript: &Transcript) -> Agreement {
    check_heading(machine, rules, transcript)?;
    let mut walk = transcript.walk(machine);
    walk.by_ref().try_for_each(|step| step.map(drop))?;
    let differs = |what| TranscriptDifference::End { step: transcript.steps.len(), what };
    check_end(machine, walk.state(), transcript, &mut machine.scratch()).map_err(differs)
}

fn check_heading<M: StateMachine>(machine: &M, rules: &str, transcript: &Transcript) -> Agreement {
    check_origin((&transcript.schema, &transcript.rules), (SCHEMA, rules))?;
    let (found, expected) = (&transcript.roles, machine.roles().values());
    let same = |(a, b): (&String, &String)| a.eq_ignore_ascii_case(b);
    if expected.len() != found.len() || !expected.iter().zip(found).all(same) {
        let (found, expected) = (found.join(" "), expected.join(" "));
        let what = format!("the transcript has the roles {found}, the rules have {expected}");
        return Err(TranscriptDifference::Heading(what));
    }
    let (players, roles) = (transcript.players.len(), expected.len());
    if players != roles {
        let what = format!("the transcript has {players} players for {roles} roles");
        return Err(TranscriptDifference::Heading(what));
    }
    Ok(())
}

/// Checks the schema of a record, and the hash of its rules.
pub(super) fn check_origin((schema, rules): (&str, &str), expected: (&str, &str)) -> Agreement {
    if schema != expected.0 {
        let what = format!("the schema is {schema:?}; this program reads {:?}", expected.0);
        return Err(TranscriptDifference::Heading(what));
    }
    if rules != expected.1 {
        let (found, expected) = (rules.to_owned(), expected.1.to_owned());
        return Err(TranscriptDifference::Rules { found, expected });
    }
    Ok(())
}

fn check_end<M: StateMachine>(
    machine: &M,
    state: &M::State,
    transcript: &Transcript,
    scratch: &mut M::Scratch,
) -> Result<(), String> {
    let terminal = machine.terminal(state, scratch);
    let goals = terminal.then(|| machine.goals(state, scratch));
    let is_stuck = !terminal && machine.legal_by_role(state, scratch).values().iter().any(Vec::is_empty);
    let failed = transcript.outcome == "failed";
    let over = match machine.take_failure(scratch) {
        Some(failure) if !failed => return Err(failure.to_string()),
        // Where the referee could not go on, neither can this.
        Some(_) => false,
        None if terminal != (transcript.outcome == "over") => {
            let is = if terminal { "over" } else { "not over" };
            return Err(format!("the match is {is}, but its outcome is written as {:?}", transcript.outcome));
        }
        None => terminal,
    };
    let goals = goals.filter(|_| over);
    let goals = goals.map(|goals| goals.values().iter().map(|goal| goal.value()).collect::<Vec<u8>>());
    if goals != transcript.goals {
        let list =
            |goals: &Option<Vec<u8>>| goals.as_ref().map_or("none".to_owned(), |goals| format!("{goals:?}"));
        return Err(format!("the goals are {}, not {}", list(&goals), list(&transcript.goals)));
    }
    if over { Ok(()) } else { check_unfinished(is_stuck, transcript) }
}

/// Whether a match that is not over could end as it is written; `is_stuck` if a role has no legal move.
fn check_unfinished(is_stuck: bool, transcript: &Transcript) -> Result<(), String> {
    let (steps, limit) = (transcript.steps.len(), transcript.limits.steps);
    match transcript.outcome.as_str() {
        "no-legal-move" if is_stuck => Ok(()),
        "no-legal-move" => Err("every role has a legal move, but the outcome is no-legal-move".to_owned()),
        "step-limit" if steps == limit => Ok(()),
        "step-limit" => Err(format!("the outcome is step-limit, but the limit is {limit} steps")),
        // The next step, which is not recorded, may be what failed.
        "failed" => Ok(()),
        other => Err(format!("the match is not over, and {other:?} is no outcome of a transcript")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::toy::{Behaviour, guess};
    use crate::referee::{FaultRecord, Heading, Interrupt, Settings, play_match};
    use crate::toy::Toy;
    use hyperplay_machine::{ByRole, Seed};

    fn transcript(behaviour: Behaviour) -> Transcript {
        let machine = Toy::coin();
        let settings = Settings::default();
        let players = ByRole::new(vec![None, Some(guess(behaviour))]);
        let interrupt = Interrupt::default();
        let played = play_match(&machine, players, &settings, &Seed::root(5), &interrupt, |_| ()).unwrap();
        let heading = Heading {
            game: "coin".to_owned(),
            rules: "sha256:0".to_owned(),
            players: vec![None, Some("first".to_owned())],
            seed: 5,
            decisions: true,
        };
        Transcript::new(&machine, &heading, &settings, 0, &played)
    }

    fn check(change: impl Fn(&mut Transcript)) -> Result<(), String> {
        let mut changed = transcript(Behaviour::Illegal);
        change(&mut changed);
        verify(&Toy::coin(), "sha256:0", &changed).map_err(|difference| difference.to_string())
    }

    #[test]
    fn a_transcript_replays_to_the_same_end_after_a_round_trip_through_json() {
        for behaviour in [Behaviour::First, Behaviour::Illegal, Behaviour::Panics] {
            let written = transcript(behaviour);
            let line = serde_json::to_string(&written).unwrap();
            let read: Transcript = serde_json::from_str(&line).unwrap();
            assert_eq!(read, written);
            assert_eq!(verify(&Toy::coin(), "sha256:0", &read), Ok(()));
        }
    }

    #[test]
    fn the_first_difference_is_named_with_its_step() {
        assert_eq!(check(|_| ()), Ok(()));
        let differs = |change: fn(&mut Transcript), expected: &str| {
            let found = check(change).unwrap_err();
            assert!(found.contains(expected), "{found}");
        };
        differs(|t| t.schema = "other/9".to_owned(), "schema");
        differs(|t| t.rules = "sha256:1".to_owned(), "other rules");
        differs(|t| t.roles[1] = "guest".to_owned(), "roles");
        differs(
            |t| t.steps[1].moves[1] = "noop".to_owned(),
            "step 2: guesser cannot do noop; legal are heads tails",
        );
        differs(|t| t.steps[0].percepts[1].clear(), "step 1: guesser perceives [thud], not []");
        differs(
            |t| t.steps[1].faults[0].detail = Some("tails".to_owned()),
            "step 2: tails of guesser is recorded",
        );
        differs(|t| t.goals = Some(vec![7, 7]), "after step 2: the goals are");
        differs(|t| t.outcome = "step-limit".to_owned(), "after step 2: the match is over");
        differs(|t| t.outcome = "failed".to_owned(), "after step 2: the match is over");
        differs(|t| drop(t.steps.pop()), "after step 1: the match is not over");
        differs(|t| drop(t.players.pop()), "1 players for 2 roles");
        differs(|t| t.limits.steps = 1, "step 2: the limit is 1 steps");
        differs(|t| t.steps.push(t.steps[0].clone()), "step 3: the match was over before it");
    }

    #[test]
    fn a_fault_that_cannot_be_one_is_named_with_its_step() {
        let differs = |change: fn(&mut FaultRecord), expected: &str| {
            let found = check(|t| change(&mut t.steps[1].faults[0])).unwrap_err();
            assert!(found.contains(expected), "{found}");
        };
        differs(|fault| fault.kind = "lazy".to_owned(), "step 2: \"lazy\" of guesser is no kind of fault");
        differs(|fault| fault.detail = None, "step 2: the illegal move of guesser is not recorded");
        differs(|fault| fault.role = "random".to_owned(), "step 2: random is recorded with a fault");
        differs(|fault| fault.role = "nobody".to_owned(), "step 2: no role is named nobody");
        differs(|fault| fault.kind = "late".to_owned(), "step 2: a fault is late, but there was no clock");
        let twice = |t: &mut Transcript| {
            let fault = t.steps[0].faults[0].clone();
            t.steps[0].faults.push(fault);
        };
        assert_eq!(check(twice).unwrap_err(), "step 1: guesser is recorded with two faults");
    }

    #[test]
    fn an_end_before_the_end_must_have_its_reason() {
        let cut = |outcome: &str, limit| {
            check(|t| {
                t.steps.pop();
                t.outcome = outcome.to_owned();
                t.goals = None;
                t.limits.steps = limit;
            })
        };
        assert_eq!(cut("step-limit", 1), Ok(()));
        assert_eq!(cut("failed", 9), Ok(()));
        let differs = |outcome, expected: &str| {
            let found = cut(outcome, 9).unwrap_err();
            assert!(found.contains(expected), "{found}");
        };
        differs("step-limit", "after step 1: the outcome is step-limit, but the limit is 9 steps");
        differs("no-legal-move", "after step 1: every role has a legal move");
        differs("interrupted", "after step 1: the match is not over, and \"interrupted\" is no outcome");
    }
}
