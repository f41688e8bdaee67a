//! ggp.org's record of a match: one JSON object, which viewers and statistics of ggp-base read.
//!
//! States, moves and times stand in lists by step. A state is a text, `( ( cell 1 1 b ) ( control x ) )`. An error is
//! `""`, `TO` (late), `CE` (no connection), or `IL move` (an answer that is not legal); for a player of this program
//! that crashed, and for one that is not asked any more, `CE` stands too. Times are milliseconds since 1970. The record
//! has the true states and nothing of percepts, so for a game with hidden information it is for after the match.

use serde_json::{Value, json};

use hyperplay_engine::Engine;
use hyperplay_machine::{ByRole, JointMove, Role, Seed, StateMachine as _, StateMachineExt as _};
use hyperplay_play::referee::{FaultKind, Heading, Match, MatchOutcome, Settings};
use rand::RngExt as _;

/// Characters of a random token.
const TOKEN: usize = 32;

/// The further data of a record, besides the events.
#[derive(Clone, Debug)]
pub struct RecordHeading<'a> {
    /// The further data of a transcript.
    pub transcript: &'a Heading,
    /// The seed of the match, of which the token is made.
    pub seed: &'a Seed,
    /// When each state was reached, the initial one included.
    pub times: &'a [u64],
    /// Whether names were scrambled.
    pub scrambled: bool,
    /// Which roles persons play.
    pub persons: &'a [Role],
}

/// The record of a match that was played on this machine: a JSON object, whose fields are those of ggp-base; its rules
/// are named as on the command line. Clocks are in seconds. O(steps × facts).
pub fn ggp_record(
    machine: &Engine,
    heading: &RecordHeading<'_>,
    settings: &Settings,
    played: &Match,
) -> Value {
    let goals: Option<Vec<u8>> = match &played.outcome {
        MatchOutcome::Over(goals) => Some(goals.values().iter().map(|goal| goal.value()).collect()),
        _ => None,
    };
    let shown =
        |joint: &JointMove| joint.iter().map(|&own| spaced(&machine.show_move(own))).collect::<Value>();
    let names = heading.transcript.players.iter();
    let mut record = json!({
        "matchId": settings.id,
        "randomToken": token(heading.seed),
        "startTime": heading.times.first().copied().unwrap_or_default(),
        "gameMetaURL": heading.transcript.game,
        "isCompleted": goals.is_some(),
        "isAborted": goals.is_none(),
        "states": played.states(machine).map(|state| state_text(&machine.fluents(&state))).collect::<Value>(),
        "moves": played.steps.iter().map(|step| shown(&step.joint)).collect::<Value>(),
        "stateTimes": heading.times,
        "errors": played.steps.iter().map(|step| errors(step.joint.len(), &step.faults)).collect::<Value>(),
        "goalValues": goals,
        "previewClock": 0,
        "startClock": settings.clocks.map_or(0, |clocks| clocks.start.as_secs()),
        "playClock": settings.clocks.map_or(0, |clocks| clocks.play.as_secs()),
        "playerNamesFromHost": names.map(|name| name.as_deref().unwrap_or("random")).collect::<Value>(),
        "isPlayerHuman": machine.each_role().map(|role| heading.persons.contains(&role)).collect::<Value>(),
        "tournamentNameFromHost": "hyperplay",
        "scrambled": heading.scrambled,
    });
    // A record without a result has no goals.
    record.as_object_mut().into_iter().for_each(|fields| fields.retain(|_, value| !value.is_null()));
    record
}

/// The word of each role for what went wrong in one step.
fn errors(roles: usize, faults: &[hyperplay_play::referee::Fault]) -> Vec<String> {
    let of_role = |role| {
        let fault = faults.iter().find(|fault| fault.role == role);
        match fault.map(|fault| &fault.kind) {
            None => String::new(),
            Some(FaultKind::Late(_)) => "TO".to_owned(),
            Some(FaultKind::Illegal(answer)) => format!("IL {answer}"),
            Some(FaultKind::Unreachable(_) | FaultKind::Crashed(_) | FaultKind::Dropped) => "CE".to_owned(),
        }
    };
    ByRole::from_fn(roles, of_role).values().to_vec()
}

/// A state as ggp-base prints it.
fn state_text(fluents: &[String]) -> String {
    let mut text = "( ".to_owned();
    for fluent in fluents {
        text.push_str(&spaced(fluent));
        text.push(' ');
    }
    text.push(')');
    text
}

/// A term with blanks inside its parentheses, as ggp-base prints it.
fn spaced(term: &str) -> String {
    term.replace('(', "( ").replace(')', " )")
}

fn token(seed: &Seed) -> String {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut rng = seed.child("token").rng();
    (0..TOKEN).map(|_| char::from(LETTERS[rng.random_range(0..LETTERS.len())])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_machine::Move;
    use hyperplay_play::referee::Fault;

    #[test]
    fn states_and_faults_are_written_as_ggp_base_writes_them() {
        let fluents = ["(cell 1 1 b)".to_owned(), "(at (pos 1 2) x)".to_owned(), "done".to_owned()];
        assert_eq!(state_text(&fluents), "( ( cell 1 1 b ) ( at ( pos 1 2 ) x ) done )");
        assert_eq!(state_text(&[]), "( )");
        let replacement = Move(Default::default());
        let fault = |role, kind| Fault { role: Role::new(role), kind, replacement };
        let faults = [
            fault(1, FaultKind::Late(Default::default())),
            fault(2, FaultKind::Illegal("(foo ?x)".to_owned())),
        ];
        assert_eq!(errors(3, &faults), ["", "TO", "IL (foo ?x)"]);
        assert_eq!(errors(1, &[fault(0, FaultKind::Unreachable("refused".to_owned()))]), ["CE"]);
    }
}
