//! Match sources: the players of the matches that the evidence of a study is taken from.

use std::fmt;

use thiserror::Error;

use hyperplay_engine::EngineKind;
use hyperplay_logic::gdl::fold;
use hyperplay_play::player::{ModelSpec, PlayerSpec, Registry, Spec, SpecError, SpecKind};

/// The source of the moves in the matches that evidence is taken from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MatchSource {
    /// Every role chooses as an opponent model says. This is a policy, so there is a posterior under it.
    Model(ModelSpec),
    /// Players: those of the roles that are named, and one for all others. What they would do is asked for the posterior.
    Players {
        /// Names of roles with their players.
        named: Vec<(String, PlayerSpec)>,
        /// The player of each other role.
        others: PlayerSpec,
    },
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
                    MatchSource::Players { named: Vec::new(), others: player }
                })
            }
        }
    }

    /// Reads players of single roles, as in `alice=hyperplay`; the other roles choose at random. `None` if one of the texts
    /// does not begin with a name and `=`.
    ///
    /// # Errors
    /// If one of the players is not known.
    pub fn read_seats(
        texts: &[String],
        registry: &Registry,
    ) -> Option<Result<MatchSource, MatchSourceError>> {
        let seat = |text: &String| {
            let (name, spec) = text.split_once('=').filter(|(name, _)| !name.contains(':'))?;
            Some((name.trim().to_owned(), spec.to_owned()))
        };
        let seats: Vec<(String, String)> = texts.iter().map(seat).collect::<Option<_>>()?;
        let read = || -> Result<MatchSource, SpecError> {
            let player = |(name, spec): (String, String)| -> Result<(String, PlayerSpec), SpecError> {
                Ok((name, registry.player(&spec)?))
            };
            let named = seats.into_iter().map(player).collect::<Result<_, _>>()?;
            Ok(MatchSource::Players { named, others: registry.player("random")? })
        };
        Some(read().map_err(MatchSourceError::from))
    }

    /// The player of a role, if players play.
    pub fn player(&self, role: &str) -> Option<&PlayerSpec> {
        let MatchSource::Players { named, others } = self else { return None };
        Some(named.iter().find(|(name, _)| fold(name) == fold(role)).map_or(others, |(_, player)| player))
    }

    /// The names of the roles that have a player of their own.
    pub fn roles(&self) -> impl Iterator<Item = &str> {
        let named = if let MatchSource::Players { named, .. } = self { named.as_slice() } else { &[] };
        named.iter().map(|(name, _)| name.as_str())
    }

    /// The engine that a player asks for; `None` for the one of the study.
    pub fn engine(&self) -> Option<EngineKind> {
        let MatchSource::Players { named, others } = self else { return None };
        named.iter().map(|(_, player)| player).chain([others]).find_map(PlayerSpec::engine)
    }

    /// The specs of all that play.
    pub fn specs(&self) -> Vec<&Spec> {
        match self {
            MatchSource::Model(model) => vec![model.spec()],
            MatchSource::Players { named, others } => {
                named.iter().map(|(_, player)| player.spec()).chain([others.spec()]).collect()
            }
        }
    }
}

/// As it is written on the command line.
impl fmt::Display for MatchSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MatchSource::Model(model) => model.spec().fmt(formatter),
            MatchSource::Players { named, others } if named.is_empty() => others.spec().fmt(formatter),
            MatchSource::Players { named, .. } => {
                let seats = named.iter().map(|(name, player)| format!("{name}={}", player.spec()));
                formatter.write_str(&seats.collect::<Vec<_>>().join(" "))
            }
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
