//! Match sources: the players of the matches that the evidence of a study is taken from.

use thiserror::Error;

use hyperplay_engine::EngineKind;
use hyperplay_play::player::{ModelSpec, PlayerSpec, Registry, Spec, SpecError, SpecKind};

/// The source of the moves in the matches that evidence is taken from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MatchSource {
    /// Every role chooses as an opponent model says. This is a policy, so there is a posterior under it.
    Model(ModelSpec),
    /// The same player is in every seat. Its policy cannot be written down, so there is no posterior under it.
    Player(PlayerSpec),
}

impl MatchSource {
    /// Reads the spec of an opponent model or of a player. `random` is another name of the model `uniform`. A name that
    /// both a model and a player have is refused: the program never guesses what is played.
    ///
    /// # Errors
    /// [`MatchSourceError`] lists the known names.
    pub fn read(text: &str, registry: &Registry) -> Result<MatchSource, MatchSourceError> {
        let name = text.split(':').next().unwrap_or_default().trim();
        let is_a = |kind| registry.entries(kind).any(|entry| entry.name == name);
        match (is_a(SpecKind::Model), is_a(SpecKind::Player)) {
            (true, true) => Err(MatchSourceError::Ambiguous { name: name.to_owned() }),
            (true, false) => Ok(MatchSource::Model(registry.model(text)?)),
            (false, _) => {
                let player = registry.player(text)?;
                let is_random = player.spec().name() == "random";
                Ok(if is_random {
                    MatchSource::Model(registry.model("uniform")?)
                } else {
                    MatchSource::Player(player)
                })
            }
        }
    }

    /// The engine that the player asks for; `None` for the one of the study.
    pub fn engine(&self) -> Option<EngineKind> {
        match self {
            MatchSource::Model(_) => None,
            MatchSource::Player(player) => player.engine(),
        }
    }

    /// The source as a spec.
    pub fn spec(&self) -> &Spec {
        match self {
            MatchSource::Model(model) => model.spec(),
            MatchSource::Player(player) => player.spec(),
        }
    }
}

/// Why a text does not say who plays.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum MatchSourceError {
    /// It is no spec.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// It may mean two things.
    #[error("'{name}' is both an opponent model and a player; one of them needs another name")]
    Ambiguous {
        /// The name.
        name: String,
    },
}
