//! The opponent model `softmax`: an opponent that plays HyperPlay on *its own* evidence and chooses better moves more
//! often (level-k reasoning).
//!
//! The probability of a move is proportional to `exp(value / temperature)`, where the values, 0..=100, are those of the
//! player [`hyperplay`](fn@hyperplay) given what that role knows in the particle: its own belief, searched with small
//! budgets. At level 1 that belief takes all others to play uniformly, at level k to play as at level k - 1.
//!
//! An answer is a function of role, evidence and legal moves, because its random stream is derived from the printed
//! evidence and its budget is a number of states. So answers can be [remembered](super::remembered) and shared by all
//! threads. Their cost is not counted in the cost of the belief that uses the model. An answer that rests on a
//! failed evaluation of the rules is not remembered, and the failure goes with it to the belief that asks.

use std::sync::Arc;

use super::evidence_seed::evidence_seed;
use super::remembered::Remembered;
use super::{Decision, OwnBelief, Player, View, hyperplay};
use hyperplay_engine::Engine;
use hyperplay_machine::{Budget, Evidence, Move, Role, Seed, StateMachine as _};
use hyperplay_think::belief::{
    BeliefOptions, OpponentModel, ParticleSampler, PolicyAndFailure, SharedModel, Uniform,
};
use hyperplay_think::search::SearchOptions;

/// The parameters of a softmax opponent.
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
    below: SharedModel,
    /// The policies worked out before.
    met: Remembered,
}

impl Softmax {
    pub(super) fn new(machine: Arc<Engine>, options: SoftmaxOptions) -> Self {
        let below: SharedModel = if options.level <= 1 {
            Arc::new(Uniform)
        } else {
            let below = SoftmaxOptions { level: options.level - 1, ..options };
            Arc::new(Softmax::new(Arc::clone(&machine), below))
        };
        Softmax { machine, options, below, met: Remembered::new() }
    }

    /// The decision of the player HyperPlay for a role, with the values of the moves; no values where it cannot
    /// say.
    fn decision(&self, role: Role, evidence: &Evidence, legal: &[Move]) -> Decision {
        let SoftmaxOptions { particles, playouts, nodes, .. } = self.options;
        let belief = BeliefOptions { enumerate_limit: particles, ..BeliefOptions::default() };
        let search = SearchOptions { nodes, playouts: playouts.into(), ..SearchOptions::default() };
        let (machine, below) = (Arc::clone(&self.machine), Arc::clone(&self.below));
        let (sampler, search) = (Arc::new(ParticleSampler(belief)), Arc::new(search));
        let mut player = hyperplay(OwnBelief::new(machine, role, below, sampler, particles), search);
        let view = View { evidence, legal };
        let seed = Seed::root(self.options.level).child(&self.machine.roles()[role]);
        player.decide(&view, &Budget::UNLIMITED, &evidence_seed(&self.machine, seed, evidence))
    }
}

impl OpponentModel for Softmax {
    fn policy(&self, role: Role, evidence: &Evidence, legal: &[Move]) -> Vec<f64> {
        self.policy_and_failure(role, evidence, legal).0
    }

    fn policy_and_failure(&self, role: Role, evidence: &Evidence, legal: &[Move]) -> PolicyAndFailure {
        if legal.len() == 1 {
            return (vec![1.0], None);
        }
        self.met.or(evidence, legal, || {
            let Decision { values, failure, .. } = self.decision(role, evidence, legal);
            (shares(&values, legal, self.options.temperature as f64), failure)
        })
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
    use hyperplay_engine::{EngineKind, Engines};
    use hyperplay_logic::gdl::{Source, Symbols, TermStore, load};
    use hyperplay_machine::{History, JointMove, StateMachineExt};
    use hyperplay_think::belief::{BootstrapSampler, IndependentSampler, Sampler, Trembling};
    use hyperplay_think::search::Algorithm;

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

    /// While `opp` goes on, a term becomes deeper by forty; the third time it is too deep for any engine.
    fn deepening() -> Arc<Engine> {
        let deep = "(s ".repeat(40) + "?x" + &")".repeat(40);
        let text = format!(
            "(role me) (role opp) (init (depth zero)) (legal me wait) (legal opp stop) (legal opp go)
             (<= (next (depth {deep})) (does opp go) (true (depth ?x)))
             (<= (next stopped) (does opp stop))
             (<= terminal (true stopped)) (goal me 0) (goal opp 50)"
        );
        let game = load(Source::new("deepening", text), None).game.expect("the rules are in order");
        Engines::new(&game).get(EngineKind::Interpreter).unwrap()
    }

    #[test]
    fn a_failed_evaluation_is_not_remembered_and_reaches_the_belief_that_asks() {
        let machine = deepening();
        let mut scratch = machine.scratch();
        let [me, opp] = [0, 1].map(Role::new);
        let options = SoftmaxOptions { level: 1, temperature: 10, particles: 4, playouts: 20, nodes: 100 };
        let model: Arc<dyn OpponentModel> = Arc::new(Softmax::new(Arc::clone(&machine), options));
        let (nothing, legal) = (Evidence::new(opp), machine.legal_by_role(&machine.initial(), &mut scratch));
        for _ in 0..2 {
            let (policy, failure) = model.policy_and_failure(opp, &nothing, &legal[opp]);
            assert!(failure.is_some() && (policy.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        }
        // `me` has nothing to choose, so nothing is evaluated for it.
        assert_eq!(model.policy_and_failure(me, &Evidence::new(me), &legal[me]), (vec![1.0], None));
        // A belief about one step of `opp` does not meet the limit by itself.
        let went = History(vec![JointMove::new([legal[me][0], legal[opp][0]])]);
        let evidence = machine.evidence(&went, me, &mut scratch);
        let trembling: Arc<dyn OpponentModel> = Arc::new(Trembling::new(Arc::clone(&model), 0.1));
        let uniform: Arc<dyn OpponentModel> = Arc::new(Uniform);
        let sampled = BeliefOptions { enumerate: false, exact_update: false, ..BeliefOptions::default() };
        let samplers: [Box<dyn Sampler<Engine>>; 4] = [
            Box::new(ParticleSampler::default()),
            Box::new(ParticleSampler(sampled)),
            Box::new(BootstrapSampler),
            Box::new(IndependentSampler),
        ];
        for (place, sampler) in samplers.iter().enumerate() {
            for (model, fails) in [(&uniform, false), (&model, true), (&trembling, true)] {
                let mut belief = sampler.belief(&machine, me, model, 10);
                belief.update(&evidence, &Budget::UNLIMITED, &Seed::root(1));
                assert_eq!(belief.take_failure().is_some(), fails, "sampler {place}");
                assert_eq!(belief.take_failure(), None);
            }
        }
        // So a softmax opponent of the second level, and a player that assumes one, admit it too.
        let search =
            SearchOptions { algorithm: Algorithm::Flat, playouts: 1.into(), ..SearchOptions::default() };
        let sampler = Arc::new(ParticleSampler::default());
        let belief = OwnBelief::new(Arc::clone(&machine), me, model, sampler, 10);
        let mut player = hyperplay(belief, Arc::new(search));
        let view = View { evidence: &evidence, legal: &legal[me] };
        assert!(player.decide(&view, &Budget::UNLIMITED, &Seed::root(1)).failure.is_some());
    }
}
