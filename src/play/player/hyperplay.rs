//! The player `hyperplay`: it plays a game whose state it does not know by searching every state that its evidence
//! leaves possible.
//!
//! A decision has three steps:
//! 1. the belief follows the evidence. Its particles are histories that explain all that was perceived, with weights;
//! 2. the distinct states of the particles are searched as if each were the truth;
//! 3. the value of a move is the weighted mean of its values, and the best is played; where roles move at once, the
//!    mean of the matrix games is solved.
//!
//! It cannot value information, keep a secret or bluff: every state is searched as if all roles saw it. Where the other roles
//! follow a model that is not uniform (the key `modelled`), it can: the states are searched together by what the roles
//! know ([`epimc`](mod@super::epimc)). The module
//! [`own_belief`](super::own_belief) says what it does without a particle, and where its opponent model excludes what
//! was seen.
//!
//! Reference: Schofield, Cerexhe, Thielscher, *HyperPlay: A Solution to General Game Playing with Imperfect
//! Information*, AAAI 2012.

use std::sync::Arc;

use super::epimc::{clocked, unpostponed};
use super::{OwnBelief, Player, SearchEffort};
use hyperplay_engine::Engine;
use hyperplay_think::search::StateSearch;

/// The player `hyperplay` for one match: the states of its belief are searched.
///
/// ```
/// use std::sync::Arc;
///
/// use hyperplay_machine::{ByRole, Goal, Role, Seed};
/// use hyperplay_think::belief::{ParticleSampler, Uniform};
/// use hyperplay_play::player::{Clairvoyant, OwnBelief, Seat, hyperplay};
/// use hyperplay_play::referee::{Interrupt, MatchOutcome, Settings, play_match};
/// use hyperplay_think::search::{Algorithm, SearchOptions};
///
/// # use hyperplay_engine::{EngineKind, Engines};
/// # use hyperplay_logic::gdl::{Source, load};
/// // One role says yes, and wins, or no.
/// let text = "(role me) (init asked) (legal me yes) (legal me no)
///     (<= (next said_yes) (does me yes)) (<= terminal (not (true asked)))
///     (<= (goal me 100) (true said_yes)) (<= (goal me 0) (not (true said_yes)))";
/// let game = load(Source::new("yes", text), None).game.expect("the rules are in order");
/// let machine = Engines::new(&game).get(EngineKind::Auto)?;
/// let (role, algorithm) = (Role::new(0), Algorithm::Exact);
/// let search = Arc::new(SearchOptions { algorithm, nodes: 100, ..SearchOptions::default() });
/// let sampler = Arc::new(ParticleSampler::default());
/// let belief = OwnBelief::new(machine.clone(), role, Arc::new(Uniform), sampler, 20);
/// let blind = hyperplay(belief, search.clone());
/// let seeing = Clairvoyant::new(machine.clone(), role, search);
/// for seat in [Seat::player(blind), Seat::clairvoyant(seeing)] {
///     let (seats, settings) = (ByRole::new(vec![Some(seat)]), Settings::default());
///     let played = play_match(&*machine, seats, &settings, &Seed::root(1), &Interrupt::default(), |_| ())?;
///     assert_eq!(played.outcome, MatchOutcome::Over(ByRole::new(vec![Goal::MAX])));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn hyperplay(belief: OwnBelief, search: Arc<dyn StateSearch<Engine>>) -> impl Player {
    clocked(belief, search, unpostponed([SearchEffort::default().nodes; 2]), None)
}
