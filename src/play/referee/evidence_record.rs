//! The record of a match as one player knew it, as one line of JSON.
//!
//! A player that is asked over the network does not know the joint moves, so it cannot write a
//! [`Transcript`](super::Transcript). It knows its evidence: which own move was recorded in each step, and what it
//! perceived. Terms stand as strings in prefix form. The rules are named by the same hash as in transcripts.
//!
//! A step of which a message was missed has no percepts, or no own move. The record after such a hole explains nothing,
//! because it is not known what happened in it.
//!
//! `docs/transcript.md` explains every field. [`verify_evidence`](super::verify_evidence) asks whether a history
//! explains such a record.

use serde::{Deserialize, Serialize};

use super::{Agreement, RunInfo, TranscriptDifference};
use hyperplay_machine::{
    Evidence, Move, Observation, OwnMove, Percept, Percepts, StateMachine, StateMachineExt,
};

/// The name of this form of records.
pub const EVIDENCE_SCHEMA: &str = "hyperplay.evidence/1";

/// The knowledge of a player about one match, and its answers.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EvidenceRecord {
    /// [`EVIDENCE_SCHEMA`].
    pub schema: String,
    /// The knowledge at the start.
    #[serde(flatten)]
    pub heading: EvidenceHeading,
    /// The name of the player's role.
    pub role: String,
    /// The messages heard and answers given, step by step.
    pub steps: Vec<EvidenceStep>,
    /// How it ended.
    pub outcome: EvidenceOutcome,
    /// The oddities, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// Where and when; no part of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunInfo>,
}

/// The knowledge of a player about a match at its start, and who played.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EvidenceHeading {
    /// Where the rules are: a path relative to the folder of the record's file, or the name of a built-in game.
    pub game: String,
    /// The hash of the rules, by [`rules_hash`](hyperplay_logic::gdl::rules_hash).
    pub rules: String,
    /// The name that the game master gave the match.
    #[serde(rename = "match")]
    pub match_id: String,
    /// The spec of the player.
    pub player: String,
    /// The seed that it drew from.
    pub seed: u64,
    /// The dialect of the protocol that the game master spoke.
    pub dialect: String,
    /// The clocks that the game master told.
    pub clocks: ToldClocks,
}

/// The clocks of a match as the game master told them, in seconds.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct ToldClocks {
    /// Until the first step.
    pub startclock: f64,
    /// For each move.
    pub playclock: f64,
}

/// The messages heard and answers given in one step. The default is a step of which nothing is known.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct EvidenceStep {
    /// The move that was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<String>,
    /// The move that the game master recorded; several if it may have been any of these; none if it is not known.
    #[serde(default)]
    pub own: Vec<String>,
    /// Whether the game master does not tell the move: then `own` is the one that was sent, and it may be another.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untold: bool,
    /// The percepts of the role, if they are known.
    #[serde(default)]
    pub percepts: Option<Vec<String>>,
    /// From the message of the game master to the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Whether the answer left after the deadline.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
    /// Why another legal move stood in for the player's, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
}

impl EvidenceStep {
    /// Whether it is known what the role did and perceived.
    fn is_known(&self) -> bool {
        (self.untold || !self.own.is_empty()) && self.percepts.is_some()
    }
}

/// How a match ended for a player.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
#[serde(rename_all = "lowercase")]
pub enum EvidenceOutcome {
    /// The game master said that the last step ended it.
    Stopped,
    /// The game master ended it before its end.
    Aborted,
    /// Nothing was heard for too long.
    Expired,
    /// The game master started another match in its place.
    Replaced,
    /// The player's program was stopped.
    Interrupted,
}

impl EvidenceOutcome {
    /// The stable name, as in records.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl EvidenceRecord {
    /// The record of what a role knew. Answers, and steps of which nothing was heard, are added with
    /// [`step`](EvidenceRecord::step).
    pub fn new<M: StateMachine>(
        machine: &M,
        heading: EvidenceHeading,
        evidence: &Evidence,
        outcome: EvidenceOutcome,
    ) -> EvidenceRecord {
        let step = |observation: &Observation| {
            let own = observation.own.named().iter().map(|&own| machine.show_move(own)).collect();
            let untold = matches!(observation.own, OwnMove::Untold(_));
            let percepts = observation.percepts.iter().map(|percept| machine.terms().show(percept.0));
            EvidenceStep { own, untold, percepts: Some(percepts.collect()), ..EvidenceStep::default() }
        };
        EvidenceRecord {
            schema: EVIDENCE_SCHEMA.to_owned(),
            heading,
            role: machine.roles()[evidence.role].clone(),
            steps: evidence.steps.iter().map(step).collect(),
            outcome,
            remarks: Vec::new(),
            run: None,
        }
    }

    /// The step after `made` joint moves. If the record has no such step yet, it gets it, and nothing is known of the
    /// steps added.
    pub fn step(&mut self, made: usize) -> &mut EvidenceStep {
        self.steps.resize(self.steps.len().max(made + 1), EvidenceStep::default());
        &mut self.steps[made]
    }

    /// How many steps from the first one on are known.
    pub(super) fn known(&self) -> usize {
        self.steps.iter().take_while(|step| step.is_known()).count()
    }

    /// The first step, from 1, of which it is not known what happened. A last step that the match did not live to see
    /// the end of is none: nothing was missed there.
    pub fn hole(&self) -> Option<usize> {
        let known = self.known();
        let is_last = known + 1 == self.steps.len() && self.outcome != EvidenceOutcome::Stopped;
        (known < self.steps.len() && !is_last).then_some(known + 1)
    }

    /// The evidence of this record, up to the first step that is not known.
    ///
    /// # Errors
    /// If the game has no such role, or a term is none of the game.
    pub fn evidence<M: StateMachine>(&self, machine: &M) -> Agreement<Evidence> {
        let role = machine.role_named(&self.role).ok_or_else(|| {
            let (found, expected) = (&self.role, machine.roles().values().join(" "));
            let what = format!("the record is of the role {found}, the rules have the roles {expected}");
            TranscriptDifference::Heading(what)
        })?;
        let terms = machine.terms();
        let mut evidence = Evidence::new(role);
        let known = self.known();
        for (index, step) in self.steps[..known].iter().enumerate() {
            let read = |text: &String| {
                let what = || format!("{text} is no term of the game");
                terms.read(text).ok_or_else(|| TranscriptDifference::Step { step: index + 1, what: what() })
            };
            let own: Vec<Move> =
                step.own.iter().map(|text| read(text).map(Move)).collect::<Result<_, _>>()?;
            let percepts = step.percepts.iter().flatten().map(|text| read(text).map(Percept));
            evidence.steps.push(Observation {
                own: match own[..] {
                    _ if step.untold => OwnMove::Untold(own.first().copied()),
                    [own] => OwnMove::Known(own),
                    _ => OwnMove::OneOf(own.into()),
                },
                percepts: Percepts::new(percepts.collect::<Result<_, _>>()?, |a, b| terms.compare(a.0, b.0)),
            });
        }
        evidence.over = self.outcome == EvidenceOutcome::Stopped && known == self.steps.len();
        Ok(evidence)
    }
}
