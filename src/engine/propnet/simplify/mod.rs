//! The simplifier: the same game on a smaller network.
//!
//! A pass is a function from a game to a game that decides every query alike in every reachable state, and every step
//! alike for every joint move in which each role makes exactly one of its legal moves. The passes:
//!
//! | pass | what it does |
//! | --- | --- |
//! | [`constants()`] | folds what never changes, drops moves that are never legal |
//! | [`equivalent()`] | merges bits that are always equal or opposite |
//! | [`flatten()`] | merges an AND into the only AND that reads it |
//! | [`context()`] | drops what the surroundings of a gate decide |
//! | [`factor()`] | factors sums of products |
//! | [`choice()`] | turns an OR over most of a group into NOT the OR of the rest |
//! | [`one_of()`] | finds the groups of bits that `choice` and `context` use; changes nothing itself |
//! | [`share()`] | gives gates of their own to pairs of wires that several gates read |
//!
//! Invariants: outputs that a state alone decides stay independent of moves; the order of lists is kept; the result
//! depends on nothing but the game. Every pass is near-linear in the number of wires.

mod choice;
mod constants;
mod context;
mod equivalent;
mod factor;
mod flatten;
mod groups;
mod known;
mod one_of;
mod play;
mod rebuild;
mod share;

use std::time::Instant;

pub use choice::choice;
pub use constants::constants;
pub use context::context;
pub use equivalent::equivalent;
pub use factor::factor;
pub use flatten::flatten;
pub use groups::{Group, Groups};
pub use one_of::one_of;
pub use play::RandomPlay;
pub use share::share;

use serde::Serialize;

use super::net::Propnet;
use hyperplay_logic::gdl::TermStore;

/// The statistics of the network after a pass.
///
/// ```
/// use hyperplay_engine::propnet::simplify::PassStats;
/// use hyperplay_engine::propnet::{GroundingLimits, ground, simplify};
/// # use hyperplay_logic::gdl::{self, Source};
/// # let text = "(role a) (role b) (legal a x) (legal a y) (legal b noop) (init s) (<= (next (did ?m)) (does a ?m))
/// #     (<= terminal (not (true s))) (<= (goal a 100) (true (did x))) (<= (goal a 0) (true (did y))) (goal b 50)";
/// # let game = gdl::load(Source::new("pick", text), None).game.expect("the rules are fine");
/// let (net, _) = ground(&game, &GroundingLimits::default())?;
/// let before = net.stats();
/// let (_, passes) = simplify(net, game.terms());
/// let PassStats { name, gates, bits, .. } = passes[0];
/// assert_eq!((name, gates, bits), ("ground", before.all.gates, before.bits));
/// assert_eq!(passes.last().map(|pass| pass.name), Some("share"));
/// # Ok::<(), hyperplay_engine::propnet::TooLarge>(())
/// ```
#[derive(Clone, Debug, Serialize)]
pub struct PassStats {
    /// The name of the pass; `ground` for the network as it came.
    pub name: &'static str,
    /// The number of bits of a state.
    pub bits: usize,
    /// The number of gates.
    pub gates: usize,
    /// The number of wires into gates.
    pub wires: usize,
    /// The number of two-input gates they amount to.
    pub two_inputs: usize,
    /// The time the pass took.
    pub seconds: f64,
}

/// How often the passes on gates go round at most.
const ROUNDS: usize = 4;

/// The same game on a smaller network, and the size after each pass.
pub fn simplify(net: Propnet, store: &TermStore) -> (Propnet, Vec<PassStats>) {
    let mut run = Run { net, passes: Vec::new() };
    run.pass("ground", &mut Propnet::clone);
    run.pass("constants", &mut |net| constants(net, store));
    run.pass("flatten", &mut flatten);
    run.pass("equivalent", &mut |net| equivalent(net, store));
    for _ in 0..ROUNDS {
        let before = run.size();
        let mut groups = Groups::default();
        run.pass("one of", &mut |net| {
            groups = one_of(net, store);
            net.clone()
        });
        run.pass("factor", &mut factor);
        run.pass("choice", &mut |net| choice(net, &groups));
        run.pass("flatten", &mut flatten);
        run.pass("context", &mut |net| context(net, &groups));
        run.pass("flatten", &mut flatten);
        if 100 * run.size() > 99 * before {
            break;
        }
    }
    run.pass("constants", &mut |net| constants(net, store));
    run.pass("equivalent", &mut |net| equivalent(net, store));
    run.pass("share", &mut share);
    (run.net, run.passes)
}

/// A game on its way through the passes.
struct Run {
    net: Propnet,
    passes: Vec<PassStats>,
}

impl Run {
    fn pass(&mut self, name: &'static str, pass: &mut dyn FnMut(&Propnet) -> Propnet) {
        let start = Instant::now();
        self.net = pass(&self.net);
        let seconds = start.elapsed().as_secs_f64();
        let stats = self.net.stats();
        let (gates, wires, two_inputs) = (stats.all.gates, stats.all.wires, stats.all.two_inputs);
        self.passes.push(PassStats { name, gates, wires, two_inputs, bits: stats.bits, seconds });
    }

    fn size(&self) -> usize {
        self.passes.last().map_or(0, |pass| pass.two_inputs)
    }
}
