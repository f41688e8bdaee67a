//! Scenes: the knowledge that one token may have at one moment, as the page reads it.

use serde::Serialize;
use serde_json::{Value, json};

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
    /// The open facts, as `fact` and `probability`.
    pub(super) facts: Vec<Value>,
    pub(super) picture: Option<BoardPicture>,
    /// States by what is open in them, as `probability` and `facts`.
    pub(super) likeliest: Vec<Value>,
}

/// How a match ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(super) struct SceneResult {
    /// `over`, `step-limit`, `no-legal-move`, `failed` or `interrupted`.
    pub(super) outcome: String,
    /// As `role` and `goal`.
    pub(super) goals: Vec<Value>,
}

/// The choice of a program, and its reasons.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct SceneChoice {
    choice: String,
    /// As `move` and `probability`.
    policy: Vec<Value>,
    /// As `move` and `value`.
    values: Vec<Value>,
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

/// The scene that a token may know.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub(super) struct Scene {
    pub(super) table: String,
    /// How many scenes this token has been sent on this stream.
    pub(super) version: u64,
    /// Its `name`, its `roles`, which of them is `random`, and whether something is `hidden`.
    pub(super) game: Value,
    pub(super) view: BoardView,
    pub(super) sees: String,
    pub(super) phase: Phase,
    pub(super) step: usize,
    /// The seconds of the step, as `total` and `left`.
    pub(super) clock: Option<Value>,
    pub(super) seats: Vec<SceneSeat>,
    pub(super) legal: Vec<SceneMove>,
    /// The switches of the seat, in an interaction that runs in real time; absent elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) switches: Option<Vec<SceneSwitch>>,
    pub(super) chosen: Option<String>,
    pub(super) past: Vec<PastStep>,
    pub(super) picture: Option<BoardPicture>,
    pub(super) belief: Option<SceneBelief>,
    /// The judgements of the equilibrium on own moves: `step`, `own`, `mix` and `loss` of each.
    pub(super) equilibrium: Vec<Value>,
    pub(super) result: Option<SceneResult>,
    /// Where in a finished match the scene stands: at `step` of `steps`, seen `as`, the `joint` move that follows, and the `decisions`.
    pub(super) review: Option<Value>,
}

impl Scene {
    /// The scene that a sight is told at a table; the match is awaited, and nothing is to be done.
    pub(super) fn of(table: &str, room: &GameRoom, sees: &str, told: SightScene) -> Scene {
        Scene {
            table: table.to_owned(),
            game: json!({
                "name": room.name,
                "roles": room.game.role_names(),
                "random": room.random(),
                "hidden": room.game.is_imperfect(),
            }),
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
                .map(|&(fact, probability)| json!({ "fact": game.show(fact), "probability": probability }))
                .collect(),
            picture: Some(room.picture(&facts, before)),
            likeliest: likeliest
                .map(|(facts, probability)| {
                    let facts: Value = facts.into_iter().map(|fact| game.show(fact)).collect();
                    json!({ "probability": probability, "facts": facts })
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
            policy: weighed(engine, &decision.policy, "probability"),
            values: weighed(engine, &decision.values, "value"),
            explanation,
        }
    }
}

/// Moves, each with a number of this name: its `probability` or its `value`.
pub(super) fn weighed(engine: &Engine, moves: &[(Move, f64)], name: &str) -> Vec<Value> {
    moves.iter().map(|&(own, number)| json!({ "move": engine.show_move(own), name: number })).collect()
}
