//! The option --baseline of `match` and `experiment report`: by which guess goals are adjusted.

use std::num::NonZero;
use std::sync::Arc;

use clap::Args;

use super::failure::{CommandFailure, CommandResult};
use super::game_tree::no_tree;
use super::policies::model_of;
use super::session::Session;
use hyperplay_engine::Engine;
use hyperplay_play::analysis::Baseline;
use hyperplay_play::for_engine::game_tree;
use hyperplay_think::solve::{TreeError, TreeLimits};

/// How goals are adjusted.
#[derive(Args, Clone, Debug)]
pub struct BaselineOption {
    /// Also report adjusted goals, which have the same mean with less luck in it. The guess that this rests on is what follows
    /// if all roles go on as a MODEL says, where the game has a tree, or after N random playouts
    #[arg(long, value_name = "MODEL|N")]
    pub baseline: Option<String>,
    /// With --baseline: follow up to N histories that the others cannot tell from the true one, where the policy of a player is
    /// known (random, legal, policy)
    #[arg(long, value_name = "N", default_value_t = 1_000, requires = "baseline")]
    imagined: usize,
}

impl BaselineOption {
    /// The baseline of a game, and the most histories that are imagined, if asked for.
    ///
    /// # Errors
    /// If there is no such model, it is one of another game, or the game has no tree.
    pub fn open(
        &self,
        name: &str,
        machine: &Arc<Engine>,
        session: &Session,
    ) -> CommandResult<Option<(Arc<Baseline>, usize)>> {
        let Some(text) = &self.baseline else { return Ok(None) };
        if let Ok(count) = text.parse::<NonZero<u32>>() {
            return Ok(Some((Arc::new(Baseline::Playouts(count.get())), self.imagined)));
        }
        let model = model_of(text, machine.game(), &machine.game().rules_hash(), &session.registry)?;
        let stop = |_| session.interrupt.is_raised();
        let tree = game_tree(machine, &TreeLimits { stop: &stop, ..TreeLimits::default() });
        let tree = tree.map_err(|error| match error {
            TreeError::Stopped => CommandFailure::Interrupted,
            TreeError::TooLarge { .. } | TreeError::Endless(..) => CommandFailure::failed(
                format!("{name}: {error}"),
                "take random playouts instead, as in --baseline 100",
            ),
            error => no_tree(name, &error),
        })?;
        Ok(Some((Arc::new(Baseline::of_model(tree, &*model.model(machine))), self.imagined)))
    }
}
