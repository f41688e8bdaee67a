//! ggp.org's record of a match: one JSON object, which viewers and statistics of ggp-base read.
//!
//! States, moves and times stand in lists by step. A state is a text, `( ( cell 1 1 b ) ( control x ) )`. An error is
//! `""`, `TO` (late), `CE` (no connection), or `IL move` (an answer that is not legal); for a player of this program
//! that crashed, and for one that is not asked any more, `CE` stands too. Times are milliseconds since 1970. The record
//! has the true states and nothing of percepts, so for a game with hidden information it is for after the match.

use serde::Serialize;

use hyperplay_engine::Engine;
use hyperplay_machine::{ByRole, Role, Seed, StateMachine as _, StateMachineExt as _};
use hyperplay_play::referee::{FaultKind, Heading, Match, MatchOutcome, Settings};
use rand::RngExt as _;

/// Characters of a random token.
const TOKEN: usize = 32;

/// The record of one match; its fields are those of ggp-base, in camel case.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GgpRecord {
    /// The name of the match.
    pub match_id: String,
    /// A text that no other record has.
    pub random_token: String,
    /// When the match began.
    pub start_time: u64,
    /// Where the rules are; here what names them on the command line.
    #[serde(rename = "gameMetaURL")]
    pub game_meta_url: String,
    /// Whether it came to its end.
    pub is_completed: bool,
    /// Whether it ended without a result.
    pub is_aborted: bool,
    /// The states, the first and the last among them.
    pub states: Vec<String>,
    /// The joint moves.
    pub moves: Vec<Vec<String>>,
    /// When each state was reached.
    pub state_times: Vec<u64>,
    /// The errors, by step and role.
    pub errors: Vec<Vec<String>>,
    /// The goals, if it came to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal_values: Option<Vec<u8>>,
    /// Seconds; there is no preview.
    pub preview_clock: u64,
    /// Seconds.
    pub start_clock: u64,
    /// Seconds.
    pub play_clock: u64,
    /// The specs of the players.
    pub player_names_from_host: Vec<String>,
    /// Whether a person plays.
    pub is_player_human: Vec<bool>,
    /// The name of the series.
    pub tournament_name_from_host: String,
    /// Whether the players were given other names than those of the rules.
    pub scrambled: bool,
}

/// The further data of a record, besides the events.
#[derive(Clone, Debug)]
pub struct RecordHeading<'a> {
    /// The further data of a transcript.
    pub transcript: &'a Heading,
    /// The name of the series.
    pub series: &'a str,
    /// The seed of the match, of which the token is made.
    pub seed: &'a Seed,
    /// When each state was reached, the initial one included.
    pub times: &'a [u64],
    /// Whether names were scrambled.
    pub scrambled: bool,
    /// Which roles persons play.
    pub persons: &'a [Role],
}

impl GgpRecord {
    /// The record of a match that was played on this machine. O(steps × facts).
    pub fn new(machine: &Engine, heading: &RecordHeading<'_>, settings: &Settings, played: &Match) -> Self {
        let goals = match &played.outcome {
            MatchOutcome::Over(goals) => Some(goals.values().iter().map(|goal| goal.value()).collect()),
            _ => None,
        };
        let clocks = settings.clocks;
        let names = &heading.transcript.players;
        Self {
            match_id: settings.id.clone(),
            random_token: token(heading.seed),
            start_time: heading.times.first().copied().unwrap_or_default(),
            game_meta_url: heading.transcript.game.clone(),
            is_completed: goals.is_some(),
            is_aborted: goals.is_none(),
            moves: played
                .steps
                .iter()
                .map(|step| step.joint.iter().map(|&own| spaced(&machine.show_move(own))).collect())
                .collect(),
            errors: played.steps.iter().map(|step| errors(step.joint.len(), &step.faults)).collect(),
            states: played.states(machine).map(|state| state_text(&machine.fluents(&state))).collect(),
            state_times: heading.times.to_vec(),
            goal_values: goals,
            preview_clock: 0,
            start_clock: clocks.map_or(0, |clocks| clocks.start.as_secs()),
            play_clock: clocks.map_or(0, |clocks| clocks.play.as_secs()),
            player_names_from_host: names
                .iter()
                .map(|name| name.clone().unwrap_or_else(|| "random".to_owned()))
                .collect(),
            is_player_human: machine.each_role().map(|role| heading.persons.contains(&role)).collect(),
            tournament_name_from_host: heading.series.to_owned(),
            scrambled: heading.scrambled,
        }
    }
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
