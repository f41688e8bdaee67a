//! hyperplay: general game playing with imperfect information.
//!
//! A general game player is given the *rules* of a game it has never seen and plays it. Rules are written in GDL, a
//! stratified logic program; GDL-II adds the role `random` and the relation `sees`, and so describes every finite
//! game. A role is told only its percepts; it must reason about all that may be true. HyperPlay does this by
//! particles: complete histories consistent with what was seen, weighed by their probability, each searched as if
//! it were true.
//!
//! The way from a rulesheet to a move, stage by stage:
//!
//! ```
//! use hyperplay::engine::{EngineKind, Engines};
//! use hyperplay::gdl::{self, Source};
//! use hyperplay::machine::{Budget, Evidence, Seed, StateMachine, StateMachineExt};
//! use hyperplay::player::{Registry, Seat, View};
//!
//! // Text becomes a rulesheet, and a game if nothing is wrong with it. Here: guess a coin that was hidden.
//! let text = "
//!     (role guesser) (role random)
//!     (init hiding)
//!     (<= (legal random (hide heads)) (true hiding))
//!     (<= (legal random (hide tails)) (true hiding))
//!     (<= (legal random noop) (not (true hiding)))
//!     (<= (legal guesser noop) (true hiding))
//!     (<= (legal guesser (call heads)) (not (true hiding)))
//!     (<= (legal guesser (call tails)) (not (true hiding)))
//!     (<= (sees guesser heads) (does random (hide heads)))   ; the hider is careless
//!     (<= (next (hidden ?side)) (does random (hide ?side)))
//!     (<= (next (hidden ?side)) (true (hidden ?side)))
//!     (<= (next (called ?side)) (does guesser (call ?side)))
//!     (<= terminal (true (called ?side)))
//!     (<= (goal guesser 100) (true (called ?side)) (true (hidden ?side)))
//!     (<= (goal guesser 0) (true (called ?side)) (not (true (hidden ?side))))";
//! let loaded = gdl::load(Source::new("coin", text), None);
//! let game = loaded.game.expect("the rules are fine");
//!
//! // A game becomes a machine: states, legal moves, percepts, goals.
//! let machine = Engines::new(&game).get(EngineKind::Auto)?;
//! let guesser = machine.role_named("guesser").expect("it is declared");
//! let mut scratch = machine.scratch();
//! let start = machine.initial();
//! assert!(!machine.terminal(&start, &mut scratch));
//!
//! // The coin is hidden tails up. The guesser sees nothing, and that is what it knows.
//! let legal = machine.legal_by_role(&start, &mut scratch);
//! let random = machine.random().expect("it is declared");
//! let tails = *legal[random].iter().find(|&&own| machine.show_move(own) == "(hide tails)").unwrap();
//! let step = hyperplay::machine::JointMove::new([legal[guesser][0], tails]);
//! let history = hyperplay::machine::History(vec![step]);
//! let evidence: Evidence = machine.evidence(&history, guesser, &mut scratch);
//! assert!(evidence.steps[0].percepts.is_empty());
//!
//! // A player turns evidence into a move: it samples what may have happened and searches each particle.
//! let spec = Registry::standard().player("hyperplay:particles=50")?;
//! let Seat::Player(mut player) = spec.seat(&machine, guesser) else { unreachable!("it is not clairvoyant") };
//! let state = machine.replay(&history, &mut scratch);
//! let legal = machine.legal_by_role(&state, &mut scratch);
//! let view = View { evidence: &evidence, legal: &legal[guesser] };
//! let decision = player.decide(&view, &Budget::UNLIMITED, &Seed::root(1));
//! assert_eq!(machine.show_move(decision.choice), "(call tails)");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The public doors: [`gdl`] (text to game), [`games`] (a name to a game), [`engine`] (game to machine), [`machine`] (the contract),
//! [`belief`], [`search`], [`solve`] (information sets), [`player`], [`referee`] (matches), [`for_engine`] (what
//! of these is generic and hot, compiled once with optimisation), [`analysis`] (of games), [`experiment`]
//! (many matches and their statistics), [`study`] (measurements of beliefs and engines), [`report`] (tables, figures and pages),
//! [`view`] (pictures of states), [`net`] (the network protocol: player server and game master), [`kiosk`] (the table in the
//! browser), [`cli`] (the program, with players of your own). The API is not stable.
//!
//! The program, [`cli`] and this facade need Unix. The crates below `cli` build on Windows too.

#[cfg(feature = "cli")]
pub use hyperplay_cli as cli;
pub use hyperplay_engine as engine;
pub use hyperplay_engine::propnet;
#[cfg(feature = "lab")]
pub use hyperplay_experiment as experiment;
pub use hyperplay_games as games;
#[cfg(feature = "kiosk")]
pub use hyperplay_kiosk as kiosk;
#[cfg(feature = "lab")]
pub use hyperplay_lab::study;
pub use hyperplay_logic::{datalog, gdl};
pub use hyperplay_machine as machine;
#[cfg(feature = "net")]
pub use hyperplay_net as net;
pub use hyperplay_play::{analysis, for_engine, player, referee};
#[cfg(feature = "lab")]
pub use hyperplay_report as report;
pub use hyperplay_sidl as sidl;
pub use hyperplay_think::{belief, search, solve};
pub use hyperplay_view as view;
