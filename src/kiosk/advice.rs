//! Advice: the choice of a program with the knowledge of a role, and the judgement of an equilibrium on a move that was
//! made.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Weak};
use std::time::Duration;

use serde::Serialize;
use serde_json::json;

use super::answers::{KioskResult, refusal};
use super::scene::{SceneChoice, weighed};
use super::table::Table;
use hyperplay_engine::Engine;
use hyperplay_machine::{Budget, Evidence, Move, Seed, StateMachineExt as _};
use hyperplay_play::player::{PlayerSpec, Seat, View};

/// Hints that are worked out at a time, for all tables.
pub(super) const HINTS: usize = 4;

/// The time that a hint takes at most; a player that searches uses all of it.
pub(super) const HINT: Duration = Duration::from_secs(5);

/// The advice of a program.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Hint {
    player: String,
    #[serde(flatten)]
    choice: SceneChoice,
}

/// The advice of this player on this evidence.
///
/// # Errors
/// If it would have to be shown the truth.
pub(super) fn hint(
    engine: &Arc<Engine>,
    spec: &PlayerSpec,
    (evidence, legal): &(Evidence, Vec<Move>),
) -> KioskResult<Hint> {
    let Seat::Player(mut player) = spec.seat(engine, evidence.role) else {
        let error = format!("{} is shown the truth, so it gives no hint", spec.spec());
        return Err(refusal(400, error, "take another player, for example hyperplay"));
    };
    let seed = Seed::root(0).child("hint").index(evidence.step());
    let decision = player.decide(&View { evidence, legal }, &Budget::time(HINT), &seed);
    Ok(Hint { player: spec.spec().to_string(), choice: SceneChoice::of(engine, &decision) })
}

/// A move that was made, and the knowledge of the role.
pub(super) struct AskedMix {
    pub(super) evidence: Evidence,
    pub(super) legal: Vec<Move>,
    pub(super) own: Move,
}

/// Answers questions to the equilibrium on a thread of its own, which ends with the one who asks.
pub(super) fn mixes(table: Weak<Table>, engine: &Arc<Engine>, spec: &PlayerSpec) -> Sender<AskedMix> {
    let (questions, asked) = channel::<AskedMix>();
    let (engine, spec) = (Arc::clone(engine), spec.clone());
    let asking = table.clone();
    let answering = std::thread::Builder::new().name("equilibrium".to_owned()).spawn(move || {
        let _settling = Settling(table.clone());
        for AskedMix { evidence, legal, own } in asked {
            let role = evidence.role;
            let Seat::Player(mut player) = spec.seat(&engine, role) else { return };
            let view = View { evidence: &evidence, legal: &legal };
            let decision = player.decide(&view, &Budget::UNLIMITED, &Seed::root(0).child("mix"));
            if decision.values.is_empty() {
                // The game has no tree that fits, or the equilibrium says nothing about this evidence.
                continue;
            }
            let value =
                |of: Move| decision.values.iter().find(|(own, _)| *own == of).map(|(_, value)| *value);
            let best = decision.values.iter().map(|(_, value)| *value).fold(f64::NEG_INFINITY, f64::max);
            // The loss is that against the best move, in goal points; none where the equilibrium does not say.
            let mix = json!({
                "step": evidence.step() + 1,
                "own": engine.show_move(own),
                "mix": weighed(&engine, &decision.policy, "probability"),
                "loss": value(own).map(|value| (best - value).max(0.0)),
            });
            let Some(table) = table.upgrade() else { return };
            table.add_mix(role, mix);
        }
    });
    if let Err(error) = answering {
        tracing::warn!(%error, "no thread for the equilibrium");
        drop(Settling(asking));
    }
    questions
}

/// Tells the table, when it is dropped, that nothing more is said of its moves.
struct Settling(Weak<Table>);

impl Drop for Settling {
    fn drop(&mut self) {
        if let Some(table) = self.0.upgrade() {
            table.settle();
        }
    }
}
