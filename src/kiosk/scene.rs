//! Scenes: the knowledge that one token may have at one moment, as the page reads it.

use serde::Serialize;

use super::room::GameRoom;
use super::view::BoardView;
use hyperplay_engine::Engine;
use hyperplay_logic::gdl::TermId;
use hyperplay_machine::{Evidence, Move, StateMachineExt as _};
use hyperplay_play::player::{Companion, Decision, is_certain};
use hyperplay_view::{BoardPicture, MoveTarget};

/// States that are listed with their probabilities, and open facts of each.
const LIKELIEST: usize = 8;

/// Facts that are listed with their probabilities.
const FACTS: usize = 400;

/// The scenes that a role is told of the match, ready to be sent.
#[derive(Clone, Default)]
pub(super) struct SightScene {
    pub(super) evidence: Option<Evidence>,
    pub(super) past: Vec<PastStep>,
    pub(super) picture: Option<BoardPicture>,
    pub(super) belief: Option<SceneBelief>,
}

/// The game of a scene.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(super) struct SceneGame {
    pub(super) name: String,
    pub(super) roles: Vec<String>,
    pub(super) random: Option<String>,
    pub(super) hidden: bool,
}

impl SceneGame {
    pub(super) fn of(room: &GameRoom) -> SceneGame {
        SceneGame {
            name: room.name.clone(),
            roles: room.game.role_names(),
            random: room.random(),
            hidden: room.game.is_imperfect(),
        }
    }
}

/// Where a match is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Phase {
    /// Persons are awaited, or the engine is being made.
    #[default]
    Waiting,
    /// It is played.
    Play,
    /// It is over.
    Over,
}

/// The occupant of a seat.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct SceneSeat {
    pub(super) role: String,
    /// `person`, `program` or `random`.
    pub(super) kind: &'static str,
    /// The spec of a program.
    pub(super) player: Option<String>,
    pub(super) is_you: bool,
}

/// A legal move and what it names on the picture.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct SceneMove {
    pub(super) text: String,
    pub(super) targets: Vec<MoveTarget>,
}

/// A step as a role knows it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct PastStep {
    pub(super) step: usize,
    pub(super) own: String,
    pub(super) percepts: Vec<String>,
    /// Why the own move was not chosen by the person.
    pub(super) note: Option<String>,
}

/// The time that is left.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub(super) struct SceneClock {
    pub(super) total: f64,
    pub(super) left: f64,
}

/// A move with a number: its probability or its value.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Weighed {
    #[serde(rename = "move")]
    pub(super) own: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) probability: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) value: Option<f64>,
}

/// The judgement of an equilibrium on an own move.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct SceneMix {
    pub(super) step: usize,
    pub(super) own: String,
    pub(super) mix: Vec<Weighed>,
    /// The loss of the move against the best one, in goal points; none where the equilibrium does not say.
    pub(super) loss: Option<f64>,
}

/// A fact and its probability.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct SceneFact {
    pub(super) fact: String,
    pub(super) probability: f64,
}

/// A state by what is open in it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct SceneState {
    pub(super) probability: f64,
    pub(super) facts: Vec<String>,
}

/// The belief.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(super) struct SceneBelief {
    /// `enumerated`, `sampled` or `none`.
    pub(super) source: &'static str,
    pub(super) sentence: String,
    pub(super) method: String,
    pub(super) histories: usize,
    pub(super) states: usize,
    pub(super) ess: f64,
    pub(super) facts: Vec<SceneFact>,
    pub(super) picture: Option<BoardPicture>,
    pub(super) likeliest: Vec<SceneState>,
}

/// The goal of a role.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct SceneGoal {
    pub(super) role: String,
    pub(super) goal: u8,
}

/// How a match ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct SceneResult {
    /// `over`, `step-limit`, `no-legal-move`, `failed` or `interrupted`.
    pub(super) outcome: String,
    pub(super) goals: Vec<SceneGoal>,
}

/// The choice of a program, and its reasons.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct SceneChoice {
    choice: String,
    policy: Vec<Weighed>,
    values: Vec<Weighed>,
    explanation: Vec<String>,
}

/// The choice of a program at a step.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct SceneDecision {
    pub(super) role: String,
    #[serde(flatten)]
    pub(super) choice: SceneChoice,
    pub(super) belief: Option<SceneBelief>,
}

/// Where in a finished match a scene stands.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct SceneReview {
    pub(super) step: usize,
    pub(super) steps: usize,
    #[serde(rename = "as")]
    pub(super) seen_by: String,
    /// The joint move that follows, in the order of the roles; none at the end.
    pub(super) joint: Option<Vec<String>>,
    pub(super) decisions: Vec<SceneDecision>,
}

/// The scene that a token may know.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(super) struct Scene {
    pub(super) table: String,
    /// How many scenes this token has been sent on this stream.
    pub(super) version: u64,
    pub(super) game: SceneGame,
    pub(super) view: BoardView,
    pub(super) sees: String,
    pub(super) phase: Phase,
    pub(super) step: usize,
    pub(super) clock: Option<SceneClock>,
    pub(super) seats: Vec<SceneSeat>,
    pub(super) legal: Vec<SceneMove>,
    /// The switches of the seat, in an interaction that runs in real time; absent elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) switches: Option<Vec<SceneSwitch>>,
    pub(super) chosen: Option<String>,
    pub(super) past: Vec<PastStep>,
    pub(super) picture: Option<BoardPicture>,
    pub(super) belief: Option<SceneBelief>,
    pub(super) equilibrium: Vec<SceneMix>,
    pub(super) result: Option<SceneResult>,
    pub(super) review: Option<SceneReview>,
}

impl Scene {
    /// The scene that a sight is told at a table; the match is awaited, and nothing is to be done.
    pub(super) fn of(table: &str, room: &GameRoom, sees: &str, told: SightScene) -> Scene {
        Scene {
            table: table.to_owned(),
            game: SceneGame::of(room),
            view: room.view.clone(),
            sees: sees.to_owned(),
            past: told.past,
            picture: told.picture,
            belief: told.belief,
            ..Scene::default()
        }
    }
}

/// A switch of a seat.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct SceneSwitch {
    pub(super) switch: String,
    /// As it is set now.
    pub(super) setting: Option<String>,
    /// The value that was commanded in this chronon.
    pub(super) commanded: Option<String>,
    pub(super) aliases: Vec<String>,
}

/// Facts with their probabilities.
pub(super) type Shares = Vec<(TermId, f64)>;

impl SceneBelief {
    /// The belief of a companion; the picture marks the differences from the facts before.
    pub(super) fn of(room: &GameRoom, companion: &Companion, before: Option<&[(TermId, f64)]>) -> Self {
        let game = &room.game;
        let Some(facts) = companion.facts() else {
            let sentence = if companion.is_contradicted() {
                "no history of these rules explains what was seen"
            } else {
                "no history was found that explains what was seen; nothing can be said of the state"
            };
            return Self {
                source: "none",
                sentence: sentence.to_owned(),
                method: companion.method().to_string(),
                ..Self::default()
            };
        };
        let states = companion.states();
        let open: Shares = facts.iter().filter(|(_, share)| !is_certain(*share)).copied().collect();
        let listed = if states.len() > 1 { LIKELIEST } else { 0 };
        let likeliest = companion.likeliest(&states, &facts, listed).into_iter();
        Self {
            source: if companion.is_enumerated() { "enumerated" } else { "sampled" },
            sentence: companion.histories(),
            method: companion.method().to_string(),
            histories: companion.particles(),
            states: states.len(),
            ess: companion.effective(),
            facts: open
                .iter()
                .take(FACTS)
                .map(|&(fact, probability)| SceneFact { fact: game.show(fact), probability })
                .collect(),
            picture: Some(room.picture(&facts, before)),
            likeliest: likeliest
                .map(|(facts, probability)| SceneState {
                    probability,
                    facts: facts.into_iter().map(|fact| game.show(fact)).collect(),
                })
                .collect(),
        }
    }
}

impl SceneChoice {
    /// A decision in words.
    pub(super) fn of(engine: &Engine, decision: &Decision) -> SceneChoice {
        let mut explanation = decision.explain(engine);
        if explanation.is_empty() && decision.depleted {
            // A transcript does not keep more.
            explanation.push("no history was found that explains what was seen".to_owned());
        }
        SceneChoice {
            choice: engine.show_move(decision.choice),
            policy: weighed(engine, &decision.policy, true),
            values: weighed(engine, &decision.values, false),
            explanation,
        }
    }
}

/// Moves with their probabilities, or with their values.
pub(super) fn weighed(engine: &Engine, moves: &[(Move, f64)], are_shares: bool) -> Vec<Weighed> {
    let of = |&(own, number): &(Move, f64)| Weighed {
        own: engine.show_move(own),
        probability: are_shares.then_some(number),
        value: (!are_shares).then_some(number),
    };
    moves.iter().map(of).collect()
}
