//! A game as the kiosk plays it: its rules, its engine, its board. Tables of one game share it.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;

use super::answers::{KioskResult, refusal};
use super::view::BoardView;
use hyperplay_engine::propnet::GroundingLimits;
use hyperplay_engine::{Engine, EngineKind, Engines};
use hyperplay_logic::gdl::{Game, Severity, Source, TermId};
use hyperplay_play::player::{PlayerSpec, Registry, SpecError};
use hyperplay_view::{BoardLayout, BoardPicture};

/// The player that solves a game whose tree fits, and says nothing of others.
const EQUILIBRIUM: &str = "equilibrium:nodes=200000,nash_conv=0.01,iterations=2000,otherwise=random";

/// Bytes that the rules of a game may take, by estimate: those of the lobby, and those that somebody sent.
const MEMORY: u64 = 1 << 30;
const MEMORY_OF_SENT: u64 = 256 << 20;

/// Held while the engine of rules that somebody sent is made: one at a time, so that they keep neither the processors
/// nor the memory from others.
static MAKING: Mutex<()> = Mutex::new(());

/// A game at the tables.
pub(super) struct GameRoom {
    /// Its name.
    pub(super) name: String,
    /// Whether it is one of the lobby, and not a text that somebody sent.
    pub(super) is_listed: bool,
    /// The hash of its rules.
    pub(super) hash: String,
    /// The game.
    pub(super) game: Game,
    /// Glyphs and colours, as the page reads them.
    pub(super) view: BoardView,
    kind: EngineKind,
    engines: OnceLock<Engines>,
    /// The engine of tables.
    engine: OnceLock<Result<Arc<Engine>, String>>,
    layout: OnceLock<BoardLayout>,
    equilibrium: OnceLock<PlayerSpec>,
}

impl GameRoom {
    /// The room of some rules.
    ///
    /// # Errors
    /// If no game can be made of them.
    pub(super) fn open(
        name: &str,
        text: &str,
        view: Option<&str>,
        is_listed: bool,
        kind: EngineKind,
    ) -> KioskResult<GameRoom> {
        let loaded = hyperplay_games::load(Source::new(name, text), None);
        let Some(game) = loaded.game else {
            let first = loaded.findings.iter().find(|finding| finding.severity == Severity::Error);
            let first = first.map_or("there are no rules", |finding| finding.message.as_str());
            let error = format!("no game can be made of these rules: {first}");
            return Err(refusal(
                400,
                error,
                "check the rules in the lobby, which shows each finding by its line",
            ));
        };
        let view = view.map_or(Ok(BoardView::default()), |text| BoardView::read(text, &game));
        let view = view.map_err(|error| {
            refusal(400, format!("the view file: {error}"), "correct the file, or play without it")
        })?;
        let hash = game.rules_hash();
        Ok(GameRoom {
            name: name.to_owned(),
            is_listed,
            hash,
            game,
            view,
            kind,
            engines: OnceLock::new(),
            engine: OnceLock::new(),
            layout: OnceLock::new(),
            equilibrium: OnceLock::new(),
        })
    }

    /// The engine, which is made when it is first asked for.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn engine(&self) -> Result<Arc<Engine>, String> {
        self.engine.get_or_init(|| self.made(self.kind)).clone()
    }

    /// The engine that a player asks for.
    ///
    /// # Errors
    /// Why there is none.
    pub(super) fn engine_for(&self, player: &PlayerSpec) -> Result<Arc<Engine>, String> {
        match player.engine() {
            Some(kind) if kind != self.kind => self.made(kind),
            _ => self.engine(),
        }
    }

    fn made(&self, kind: EngineKind) -> Result<Arc<Engine>, String> {
        let (memory, _making) = match self.is_listed {
            true => (MEMORY, None),
            false => (MEMORY_OF_SENT, Some(MAKING.lock())),
        };
        let engines =
            self.engines.get_or_init(|| Engines::within(&self.game, GroundingLimits::in_memory(memory)));
        let engine = engines.get(kind).map_err(|error| error.to_string())?;
        engine.prepare();
        Ok(engine)
    }

    /// The player that solves the game; tables of one game share what it has solved.
    ///
    /// # Errors
    /// If the registry has no such player.
    pub(super) fn equilibrium(&self, registry: &Registry) -> Result<PlayerSpec, SpecError> {
        let spec = registry.player(EQUILIBRIUM)?;
        Ok(self.equilibrium.get_or_init(|| spec).clone())
    }

    /// How its states are drawn.
    pub(super) fn layout(&self) -> &BoardLayout {
        self.layout.get_or_init(|| BoardLayout::of(&self.game))
    }

    /// A picture, as the view says.
    pub(super) fn picture(&self, facts: &[(TermId, f64)], before: Option<&[(TermId, f64)]>) -> BoardPicture {
        let mut picture = self.layout().picture(facts, before);
        if self.view.flip {
            picture.panels.iter_mut().for_each(|panel| panel.rows.reverse());
        }
        for hand in &mut picture.hands {
            hand.kind = self.view.kinds.get(&hand.relation).copied().unwrap_or(hand.kind);
        }
        for line in &mut picture.lines {
            line.kind = self.view.kinds.get(&line.name).copied().unwrap_or(line.kind);
        }
        picture
    }

    /// The name of the role that chance plays.
    pub(super) fn random(&self) -> Option<String> {
        self.game.random().map(|role| self.game.role_names().remove(role))
    }
}
