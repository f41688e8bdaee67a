//! The choice of the engine that evaluates a game.
//!
//! [`Engines`] makes each engine of a game when it is first needed and keeps it, so the players of one match may run
//! on different engines. An [`Engine`] is one of them.
//!
//! Invariant: the answers of all engines of one [`Engines`] use ids of the same term store.

use std::sync::{Arc, OnceLock};

use super::lanes::{LaneDetail, Lanes};
use super::{Engine, EngineCosts, EngineError, EngineKind, Interpreter, NetworkEngine, Propagator};
use crate::propnet::simplify::PassStats;
use crate::propnet::{GroundingLimits, GroundingStats, Propnet, TooLarge, What, ground, simplify};
use hyperplay_logic::gdl::{Game, Language};
use hyperplay_sidl::InteractionMachine;

/// The largest network, in gates of two inputs, that is used by default: it takes some ten seconds to compile.
const WORTHWHILE: u64 = 1_500_000;

/// The largest network, in gates of two inputs, that is compiled for single states to see what they cost: half a
/// second.
const COMPILED: usize = 300_000;

/// The engines of a game, which all threads share. Each is made when it is first needed.
///
/// ```
/// use hyperplay_machine::StateMachine;
/// use hyperplay_engine::propnet::{GroundingLimits, What};
/// use hyperplay_engine::{EngineError, EngineKind, Engines, Grounded};
/// # use hyperplay_logic::gdl::{self, Source};
/// # let text = "(role a) (role b) (legal a x) (legal a y) (legal b noop) (init s) (<= (next (did ?m)) (does a ?m))
/// #     (<= terminal (not (true s))) (<= (goal a 100) (true (did x))) (<= (goal a 0) (true (did y))) (goal b 50)";
/// # let game = gdl::load(Source::new("pick", text), None).game.expect("the rules are fine");
/// let engines = Engines::new(&game);
/// let engine = engines.get(EngineKind::Auto)?;
/// assert_eq!(engine.kind(), EngineKind::Lanes);
/// assert_eq!(engines.for_steps(EngineKind::Auto)?.kind(), EngineKind::Propagator);
/// assert_eq!(engines.chosen(), (EngineKind::Lanes, EngineKind::Propagator));
/// assert_eq!("interpreter".parse(), Ok(EngineKind::Interpreter));
/// assert_eq!(engines.interpreter()?.fluents(&engines.interpreter()?.initial()), ["s"]);
/// let Grounded { propnet, grounding, passes } = engines.network()?;
/// assert!(engines.is_worthwhile().is_ok() && grounding.moves == 3);
/// assert_eq!(passes.last().map(|pass| pass.bits), Some(propnet.bits()));
/// assert!(engines.perceiving_lanes()?.lanes.is_some());
///
/// // A game that is too large to be grounded is played by the interpreter.
/// let engines = Engines::within(&game, GroundingLimits { instances: 0, ..GroundingLimits::default() });
/// assert!(matches!(engines.lanes().unwrap_err().what, What::Instances(_)));
/// assert!(matches!(engines.get(EngineKind::Lanes), Err(EngineError::TooLarge(_))));
/// assert_eq!(engines.get(EngineKind::Auto)?.kind(), EngineKind::Interpreter);
/// # Ok::<(), EngineError>(())
/// ```
#[derive(Debug)]
pub struct Engines {
    game: Game,
    limits: GroundingLimits,
    interpreter: OnceLock<Result<Arc<Interpreter>, EngineError>>,
    interaction: OnceLock<Arc<InteractionMachine>>,
    network: OnceLock<Result<Grounded, TooLarge>>,
    propagator: OnceLock<Arc<Propagator>>,
    /// The engines on the network, without lanes and with them, each stepping by itself and by the interpreter.
    on_network: [[OnceLock<Arc<NetworkEngine>>; 2]; 2],
}

/// The network of a game, and how it was made.
#[derive(Debug)]
pub struct Grounded {
    /// The network, simplified.
    pub propnet: Arc<Propnet>,
    /// The size of the ground rules.
    pub grounding: GroundingStats,
    /// The size of the network after grounding and after each pass.
    pub passes: Vec<PassStats>,
}

impl Engines {
    /// The engines of a game; none is made yet.
    pub fn new(game: &Game) -> Engines {
        Engines::within(game, GroundingLimits::default())
    }

    /// The engines of a game that is grounded within these limits.
    pub fn within(game: &Game, limits: GroundingLimits) -> Engines {
        Engines {
            game: game.clone(),
            limits,
            interpreter: OnceLock::new(),
            interaction: OnceLock::new(),
            network: OnceLock::new(),
            propagator: OnceLock::new(),
            on_network: Default::default(),
        }
    }

    /// The engines of another game, within the same limits.
    pub fn of(&self, game: &Game) -> Engines {
        Engines::within(game, self.limits)
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The reference engine.
    ///
    /// # Errors
    /// See [`Interpreter::new`]; and if the game is an interaction in SIDL, which has no rules of GDL.
    pub fn interpreter(&self) -> Result<Arc<Interpreter>, EngineError> {
        if self.game.language() == Language::Sidl {
            return Err(EngineError::TooLarge(TooLarge::NO_RULES));
        }
        self.interpreter
            .get_or_init(|| Interpreter::within(&self.game, self.limits.of_evaluations()).map(Arc::new))
            .clone()
    }

    /// The network of the game.
    ///
    /// # Errors
    /// If the game is too large to be grounded.
    pub fn network(&self) -> Result<&Grounded, TooLarge> {
        let make = || {
            if self.game.language() == Language::Sidl {
                return Err(TooLarge::NO_RULES);
            }
            let (propnet, grounding) = ground(&self.game, &self.limits)?;
            let (propnet, passes) = simplify(propnet, self.game.terms());
            Ok(Grounded { propnet: Arc::new(propnet), grounding, passes })
        };
        self.network.get_or_init(make).as_ref().map_err(TooLarge::clone)
    }

    /// The engine for single states.
    ///
    /// # Errors
    /// As [`network`](Engines::network).
    pub fn propagator(&self) -> Result<Arc<Propagator>, TooLarge> {
        let propnet = &self.network()?.propnet;
        let make = || Arc::new(Propagator::new(&self.game, Arc::clone(propnet)));
        Ok(Arc::clone(self.propagator.get_or_init(make)))
    }

    /// The engine for many playouts.
    ///
    /// # Errors
    /// As [`network`](Engines::network).
    pub fn lanes(&self) -> Result<Arc<NetworkEngine>, TooLarge> {
        self.on_network(true, None)
    }

    /// The engine on the network with lanes or without; it steps by the interpreter if one is given.
    fn on_network(
        &self,
        has_lanes: bool,
        interpreter: Option<Arc<Interpreter>>,
    ) -> Result<Arc<NetworkEngine>, TooLarge> {
        let propagator = self.propagator()?;
        let kept = &self.on_network[usize::from(has_lanes)][usize::from(interpreter.is_some())];
        let make = || {
            let lanes = has_lanes.then(|| Lanes::new(&propagator));
            let engine = NetworkEngine::new(propagator, lanes);
            Arc::new(match interpreter {
                Some(interpreter) => engine.stepping_by(interpreter),
                None => engine,
            })
        };
        Ok(Arc::clone(kept.get_or_init(make)))
    }

    /// The cost of a step on each engine; the interpreter is not asked where it cannot be faster.
    ///
    /// # Errors
    /// If the game has no network.
    pub fn costs(&self) -> Result<EngineCosts, TooLarge> {
        let gates = self.network()?.passes.last().map_or(0, |pass| pass.two_inputs);
        let mut costs = EngineCosts::of_network(gates);
        if costs.is_surely_fast() {
            return Ok(costs);
        }
        if let Ok(interpreter) = self.interpreter() {
            costs = costs.with(interpreter.step_work);
        }
        if costs.single > costs.interpreter && gates <= COMPILED {
            // There is a form for single states that does less, if the network has one; only compiling it shows.
            costs = costs.compiled(self.propagator()?.single_work());
        }
        Ok(costs)
    }

    /// Succeeds if [`EngineKind::Auto`] uses the network.
    ///
    /// # Errors
    /// If the game is too large to be grounded, or if its network is so large that it takes long to compile.
    pub fn is_worthwhile(&self) -> Result<(), TooLarge> {
        let needed = self.network()?.passes.last().map_or(0, |pass| pass.two_inputs) as u64;
        if needed <= WORTHWHILE {
            Ok(())
        } else {
            Err(TooLarge { what: What::Simplified, needed, limit: WORTHWHILE })
        }
    }

    /// The engines that [`EngineKind::Auto`] uses: for playouts, and for single states.
    pub fn chosen(&self) -> (EngineKind, EngineKind) {
        match self.costs() {
            Ok(costs) if self.is_worthwhile().is_ok() => costs.chosen(),
            _ => (EngineKind::Interpreter, EngineKind::Interpreter),
        }
    }

    /// An engine with lanes that also compute what every role perceives of every step, for a measurement of the whole
    /// game; a new one each time.
    ///
    /// # Errors
    /// As [`network`](Engines::network).
    pub fn perceiving_lanes(&self) -> Result<Arc<NetworkEngine>, TooLarge> {
        let propagator = self.propagator()?;
        let lanes = Lanes::with(&propagator, LaneDetail::Percepts);
        Ok(Arc::new(NetworkEngine::new(propagator, Some(lanes))))
    }

    /// The machine of an interaction in SIDL; `None` for a game of GDL.
    pub fn interaction(&self) -> Option<Arc<InteractionMachine>> {
        let is_one = self.game.language() == Language::Sidl;
        let make = || Arc::new(InteractionMachine::new(&self.game));
        is_one.then(|| Arc::clone(self.interaction.get_or_init(make)))
    }

    /// The engine of this kind. [`EngineKind::Auto`] makes playouts and answers for single states by the engine that
    /// is estimated to be the fastest at each; see [`EngineCosts`].
    ///
    /// # Errors
    /// If the game does not allow it.
    pub fn get(&self, kind: EngineKind) -> Result<Arc<Engine>, EngineError> {
        match kind {
            EngineKind::Auto => self.auto(true),
            EngineKind::Interpreter => self.reference(),
            EngineKind::Propagator => Ok(Engine::Network(self.on_network(false, None)?).into()),
            EngineKind::Lanes => Ok(Engine::Network(self.lanes()?).into()),
        }
    }

    /// The engine of this kind for work without playouts, for which lanes are no faster than the propagator that they
    /// are made from.
    ///
    /// # Errors
    /// As [`get`](Engines::get).
    pub fn for_steps(&self, kind: EngineKind) -> Result<Arc<Engine>, EngineError> {
        match kind {
            EngineKind::Auto => self.auto(false),
            kind => self.get(kind),
        }
    }

    /// The engine on the network, which steps by the interpreter if that is faster; the reference engine if it is faster
    /// in every respect, or the only one.
    fn auto(&self, has_lanes: bool) -> Result<Arc<Engine>, EngineError> {
        let interpreter = match self.chosen() {
            (EngineKind::Interpreter, _) => return self.reference(),
            (_, EngineKind::Propagator) => None,
            _ => Some(self.interpreter()?),
        };
        Ok(Engine::Network(self.on_network(has_lanes, interpreter)?).into())
    }

    fn reference(&self) -> Result<Arc<Engine>, EngineError> {
        if let Some(machine) = self.interaction() {
            return Ok(Engine::Interaction(machine).into());
        }
        Ok(Engine::Interpreter(self.interpreter()?).into())
    }
}
