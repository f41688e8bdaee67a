//! The opponent model `softmax`: an opponent that plays HyperPlay on *its own* evidence and chooses better moves more
//! often (level-k reasoning).
//!
//! The probability of a move is proportional to `exp(value / temperature)`, where the values, 0..=100, are those of the
//! player [`HyperPlay`] given what that role knows in the particle: its own belief, searched with small
//! budgets. At level 1 that belief takes all others to play uniformly, at level k to play as at level k - 1.
//!
//! An answer is a function of role, evidence and legal moves, because its random stream is derived from the printed
//! evidence and its budget is a number of states. So answers can be [remembered](super::remembered) and shared by all
//! threads. Their cost is not counted in the cost of the belief that uses the model.

use std::sync::Arc;

use super::decision::{Player, View};
use super::hyperplay::HyperPlay;
use super::remembered::Remembered;
use crate::belief::{BeliefOptions, OpponentModel, ParticleSampler, Uniform};
use crate::search::{Algorithm, SearchOptions};
use hyperplay_engine::Engine;
use hyperplay_engine::machine::{Budget, Evidence, Move, OwnMove, Role, Seed, StateMachine as _};

/// What a softmax opponent is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct SoftmaxOptions {
    /// The level of reasoning, 1 or more.
    pub(super) level: u64,
    /// In goal points: a move that is worth so much less is chosen e times less often.
    pub(super) temperature: u64,
    /// Particles of its belief.
    pub(super) particles: usize,
    /// Playouts of a decision.
    pub(super) playouts: u64,
    /// States of exhaustive search of a decision.
    pub(super) nodes: u64,
}

/// The opponent model `softmax`.
pub(super) struct Softmax {
    machine: Arc<Engine>,
    options: SoftmaxOptions,
    below: Arc<dyn OpponentModel>,
    /// The policies worked out before.
    met: Remembered<Vec<f64>>,
}

impl Softmax {
    pub(super) fn new(machine: Arc<Engine>, options: SoftmaxOptions) -> Self {
        let below: Arc<dyn OpponentModel> = if options.level <= 1 {
            Arc::new(Uniform)
        } else {
            let below = SoftmaxOptions { level: options.level - 1, ..options };
            Arc::new(Softmax::new(Arc::clone(&machine), below))
        };
        Softmax { machine, options, below, met: Remembered::new() }
    }

    /// What its moves are worth to a role; empty where it cannot say.
    fn values(&self, role: Role, evidence: &Evidence, legal: &[Move]) -> Vec<(Move, f64)> {
        let SoftmaxOptions { particles, playouts, nodes, .. } = self.options;
        let belief = BeliefOptions { enumerate_limit: particles, ..BeliefOptions::default() };
        let search = SearchOptions { algorithm: Algorithm::Auto, nodes, playouts, per_move: None };
        let (machine, below) = (Arc::clone(&self.machine), Arc::clone(&self.below));
        let (sampler, search) = (Arc::new(ParticleSampler(belief)), Arc::new(search));
        let mut player = HyperPlay::new(machine, role, below, sampler, particles, search);
        let view = View { evidence, legal };
        player.decide(&view, &Budget::UNLIMITED, &self.seed(role, evidence)).values
    }

    /// The stream of what a role knows.
    fn seed(&self, role: Role, evidence: &Evidence) -> Seed {
        let terms = self.machine.terms();
        let seed = Seed::root(self.options.level).child(&self.machine.roles()[role]);
        evidence.steps.iter().fold(seed, |seed, step| {
            let own = match &step.own {
                OwnMove::Known(own) => terms.show(own.0),
                OwnMove::OneOf(possible) => possible.iter().map(|own| terms.show(own.0)).collect(),
            };
            step.percepts.iter().fold(seed.child(&own), |seed, percept| seed.child(&terms.show(percept.0)))
        })
    }
}

impl OpponentModel for Softmax {
    fn policy(&self, role: Role, evidence: &Evidence, legal: &[Move]) -> Vec<f64> {
        if legal.len() == 1 {
            return vec![1.0];
        }
        let temperature = self.options.temperature as f64;
        self.met.or(evidence, legal, || shares(&self.values(role, evidence, legal), legal, temperature))
    }
}

/// The probabilities of the legal moves; a move without a value counts as the mean of the others.
fn shares(values: &[(Move, f64)], legal: &[Move], temperature: f64) -> Vec<f64> {
    let mean = values.iter().map(|(_, value)| value).sum::<f64>() / values.len().max(1) as f64;
    let value = |own: &Move| values.iter().find(|(of, _)| of == own).map_or(mean, |&(_, value)| value);
    let worth: Vec<f64> = legal.iter().map(value).collect();
    let best = worth.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let shares: Vec<f64> = worth.iter().map(|value| ((value - best) / temperature).exp()).collect();
    let sum: f64 = shares.iter().sum();
    shares.into_iter().map(|share| share / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_logic::gdl::{Symbols, TermStore};

    #[test]
    fn a_move_worth_a_temperature_less_is_chosen_e_times_less_often() {
        let mut symbols = Symbols::new();
        let names = ["a", "b", "c"].map(|name| symbols.intern(name));
        let terms = TermStore::new(symbols);
        let [a, b, c] = names.map(|name| Move(terms.intern(name, &[])));
        let got = shares(&[(a, 60.0), (b, 50.0)], &[a, b], 10.0);
        assert!((got[0] / got[1] - 1_f64.exp()).abs() < 1e-12 && (got[0] + got[1] - 1.0).abs() < 1e-12);
        // One that was not judged stands in the middle; nothing judged is uniform.
        let got = shares(&[(a, 60.0), (b, 50.0)], &[a, b, c], 10.0);
        assert!(got[0] > got[2] && got[2] > got[1]);
        assert_eq!(shares(&[], &[a, b], 10.0), [0.5, 0.5]);
    }
}
