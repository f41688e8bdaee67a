//! Match sources: the players of the matches that the evidence of a study is taken from.

use std::fmt;

use hyperplay_engine::EngineKind;
use hyperplay_logic::gdl::fold;
use hyperplay_machine::History;
use hyperplay_play::player::{ModelSpec, PlayerSpec, Registry, Spec, SpecError, SpecKind};

/// The source of the moves in the matches that evidence is taken from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MatchSource {
    /// Every role chooses as an opponent model says. This is a policy, so there is a posterior under it.
    Model(ModelSpec),
    /// Players: what they would do is asked for the posterior. Each has the name of its role; the last one, without a name, is that of all other roles.
    Players(Vec<(String, PlayerSpec)>),
    /// Matches that were played before, by whomever, and what to call them.
    Recorded(Vec<History>, String),
}

impl MatchSource {
    /// Reads the spec of an opponent model or of a player. `random` is another name of the model `uniform`. A name that
    /// both a model and a player have means the model; [`MatchSource::read_seats`] reads the player.
    ///
    /// # Errors
    /// [`SpecError`] lists the known names.
    pub fn read(text: &str, registry: &Registry) -> Result<MatchSource, SpecError> {
        let name = text.split(':').next().unwrap_or_default().trim();
        if registry.entries(SpecKind::Model).any(|entry| entry.name == name) {
            return Ok(MatchSource::Model(registry.model(text)?));
        }
        let player = registry.player(text)?;
        Ok(if player.spec().name() == "random" {
            MatchSource::Model(registry.model("uniform")?)
        } else {
            MatchSource::Players(vec![(String::new(), player)])
        })
    }

    /// Reads players of single roles, as in `alice=hyperplay`; the other roles choose at random. `None` if one of the texts
    /// does not begin with a name and `=`.
    ///
    /// # Errors
    /// If one of the players is not known.
    pub fn read_seats<'a>(texts: &'a [String], registry: &Registry) -> Option<Result<Self, SpecError>> {
        let seat = |text: &'a String| text.split_once('=').filter(|(name, _)| !name.contains(':'));
        let seats: Vec<(&str, &str)> = texts.iter().map(seat).collect::<Option<_>>()?;
        let player = |(name, spec): (&str, &str)| Ok((name.trim().to_owned(), registry.player(spec)?));
        let all: Result<_, SpecError> = seats.into_iter().chain([("", "random")]).map(player).collect();
        Some(all.map(Self::Players))
    }

    /// All players, each with the name of its role or none.
    fn players(&self) -> &[(String, PlayerSpec)] {
        if let MatchSource::Players(players) = self { players } else { &[] }
    }

    /// The player of a role, if players play.
    pub fn player(&self, role: &str) -> Option<&PlayerSpec> {
        let is_of = |name: &str| name.is_empty() || fold(name) == fold(role);
        self.players().iter().find(|(name, _)| is_of(name)).map(|(_, player)| player)
    }

    /// The names of the roles that have a player of their own.
    pub fn roles(&self) -> impl Iterator<Item = &str> {
        self.players().iter().map(|(name, _)| name.as_str()).filter(|name| !name.is_empty())
    }

    /// The engine that a player asks for; `None` for the one of the study.
    pub fn engine(&self) -> Option<EngineKind> {
        self.players().iter().find_map(|(_, player)| player.engine())
    }

    /// The specs of all that play.
    pub fn specs(&self) -> Vec<&Spec> {
        match self {
            MatchSource::Model(model) => vec![model.spec()],
            MatchSource::Players(players) => players.iter().map(|(_, player)| player.spec()).collect(),
            MatchSource::Recorded(..) => Vec::new(),
        }
    }
}

/// As it is written on the command line.
impl fmt::Display for MatchSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let MatchSource::Recorded(_, name) = self {
            return formatter.write_str(name);
        }
        let seats = self.players().split_last().map_or(&[][..], |(_, seats)| seats);
        if seats.is_empty() {
            return self.specs()[0].fmt(formatter);
        }
        let seats = seats.iter().map(|(name, player)| format!("{name}={}", player.spec()));
        formatter.write_str(&seats.collect::<Vec<_>>().join(" "))
    }
}
