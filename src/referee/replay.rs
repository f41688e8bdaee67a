//! Replay: a transcript held against the rules.
//!
//! Everything that the rules determine is checked, in the order in which it happened: that the match was not over
//! before a step, that every move was legal, that every role perceived what is written, that an illegal answer was
//! illegal, and how it ended. The first [`Difference`] is named with its step. What the players thought is not
//! checked: a transcript says it, the rules do not.

use thiserror::Error;

use super::transcript::{SCHEMA, StepRecord, Transcript};
use crate::machine::{JointMove, Move, Role, StateMachine, StateMachineExt};

/// Where a transcript and the rules differ first.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Difference {
    /// Another form of transcripts.
    #[error("the transcript has the schema {found:?}; this program reads {SCHEMA:?}")]
    Schema {
        /// What it says.
        found: String,
    },
    /// Other rules.
    #[error("the transcript was made with other rules: it names {found}, these are {expected}")]
    Rules {
        /// What it says.
        found: String,
        /// The hash of the rules at hand.
        expected: String,
    },
    /// Other roles.
    #[error("the transcript has the roles {found}, the rules have {expected}")]
    Roles {
        /// What it says.
        found: String,
        /// What the rules say.
        expected: String,
    },
    /// A step cannot have happened as it is written.
    #[error("step {step}: {what}")]
    Step {
        /// The number of the step, from 1.
        step: usize,
        /// What differs.
        what: String,
    },
    /// The end is another.
    #[error("after step {step}: {what}")]
    End {
        /// The number of steps.
        step: usize,
        /// What differs.
        what: String,
    },
}

/// Checks a transcript against a machine whose rules have the hash `rules`.
///
/// # Errors
/// The first difference.
pub fn replay<M: StateMachine>(machine: &M, rules: &str, transcript: &Transcript) -> Result<(), Difference> {
    check_heading(machine, rules, transcript)?;
    let mut scratch = machine.scratch();
    let mut state = machine.initial();
    for (index, record) in transcript.steps.iter().enumerate() {
        let differs = |what| Difference::Step { step: index + 1, what };
        if machine.terminal(&state, &mut scratch) {
            return Err(differs("the match was over before it".to_owned()));
        }
        let joint = check_moves(machine, &state, record, &mut scratch).map_err(differs)?;
        check_percepts(machine, &state, &joint, record, &mut scratch).map_err(differs)?;
        state = machine.next(&state, &joint, &mut scratch);
        if let Some(failure) = machine.failure() {
            return Err(differs(failure.to_string()));
        }
    }
    let differs = |what| Difference::End { step: transcript.steps.len(), what };
    check_end(machine, &state, transcript, &mut scratch).map_err(differs)
}

fn check_heading<M: StateMachine>(
    machine: &M,
    rules: &str,
    transcript: &Transcript,
) -> Result<(), Difference> {
    if transcript.schema != SCHEMA {
        return Err(Difference::Schema { found: transcript.schema.clone() });
    }
    if transcript.rules != rules {
        return Err(Difference::Rules { found: transcript.rules.clone(), expected: rules.to_owned() });
    }
    let roles = machine.roles().values();
    let same = |(a, b): (&String, &String)| a.eq_ignore_ascii_case(b);
    if roles.len() != transcript.roles.len() || !roles.iter().zip(&transcript.roles).all(same) {
        return Err(Difference::Roles { found: transcript.roles.join(" "), expected: roles.join(" ") });
    }
    Ok(())
}

/// The joint move, if every move of it is legal and every fault is one.
fn check_moves<M: StateMachine>(
    machine: &M,
    state: &M::State,
    record: &StepRecord,
    scratch: &mut M::Scratch,
) -> Result<JointMove, String> {
    let legal = machine.legal_by_role(state, scratch);
    if record.moves.len() != legal.len() {
        return Err(format!("{} moves for {} roles", record.moves.len(), legal.len()));
    }
    let is_legal =
        |role: Role, text: &str| machine.terms().read(text).map(Move).filter(|own| legal[role].contains(own));
    let mut joint = Vec::with_capacity(legal.len());
    for (role, text) in machine.each_role().zip(&record.moves) {
        let name = &machine.roles()[role];
        joint.push(is_legal(role, text).ok_or_else(|| {
            let legal: Vec<String> = legal[role].iter().map(|&own| machine.show_move(own)).collect();
            format!("{name} cannot do {text}; legal are {}", legal.join(" "))
        })?);
    }
    for fault in &record.faults {
        let role =
            machine.role_named(&fault.role).ok_or_else(|| format!("no role is named {}", fault.role))?;
        if let ("illegal", Some(answer)) = (fault.kind.as_str(), &fault.detail)
            && is_legal(role, answer).is_some()
        {
            return Err(format!("{answer} of {} is recorded as illegal but is legal", fault.role));
        }
    }
    Ok(JointMove::new(joint))
}

fn check_percepts<M: StateMachine>(
    machine: &M,
    state: &M::State,
    joint: &JointMove,
    record: &StepRecord,
    scratch: &mut M::Scratch,
) -> Result<(), String> {
    if record.percepts.len() != joint.len() {
        return Err(format!("percepts of {} roles for {} roles", record.percepts.len(), joint.len()));
    }
    for (role, written) in machine.each_role().zip(&record.percepts) {
        let seen = machine.percepts(state, joint, role, scratch);
        let read = written.iter().map(|text| machine.terms().read(text));
        if !read.eq(seen.iter().map(|percept| Some(percept.0))) {
            let seen: Vec<String> = seen.iter().map(|percept| machine.terms().show(percept.0)).collect();
            let name = &machine.roles()[role];
            return Err(format!("{name} perceives [{}], not [{}]", seen.join(" "), written.join(" ")));
        }
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
    let over = transcript.outcome == "over";
    if terminal != over {
        let is = if terminal { "over" } else { "not over" };
        return Err(format!("the match is {is}, but its outcome is written as {:?}", transcript.outcome));
    }
    let goals: Option<Vec<u8>> =
        over.then(|| machine.goals(state, scratch).values().iter().map(|goal| goal.value()).collect());
    if goals != transcript.goals {
        return Err(format!("the goals are {goals:?}, not {:?}", transcript.goals));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{ByRole, Seed};
    use crate::referee::toy::{Behaviour, Coin, guess};
    use crate::referee::{Heading, Interrupt, Settings, play_match};

    fn transcript(behaviour: Behaviour) -> Transcript {
        let machine = Coin::new();
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
        replay(&Coin::new(), "sha256:0", &changed).map_err(|difference| difference.to_string())
    }

    #[test]
    fn a_transcript_replays_to_the_same_end_after_a_round_trip_through_json() {
        for behaviour in [Behaviour::First, Behaviour::Illegal, Behaviour::Panics] {
            let written = transcript(behaviour);
            let line = serde_json::to_string(&written).unwrap();
            let read: Transcript = serde_json::from_str(&line).unwrap();
            assert_eq!(read, written);
            assert_eq!(replay(&Coin::new(), "sha256:0", &read), Ok(()));
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
        differs(|t| drop(t.steps.pop()), "after step 1: the match is not over");
        differs(|t| t.steps.push(t.steps[0].clone()), "step 3: the match was over before it");
    }
}
