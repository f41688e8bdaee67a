//! Local best response: a player that knows the policies of all players and looks for one better move at a time.
//!
//! Its gain over the player whose seat it takes is a lower bound on the gain of a best response, however well or
//! badly it plays, because a best response is at least as good as any player. So it can be measured in matches where
//! the game tree is too large to be searched.
//!
//! A decision:
//! 1. the belief follows the evidence, with the others' policies as the opponent model. The model trembles a little in
//!    the belief, so that a player that draws random numbers does not surprise it;
//! 2. histories are drawn from the belief, and for each own move the match is followed from there: every role acts by
//!    the model, the own role by the policy of the player whose seat this is, `random` uniformly. The draws are the
//!    same for every own move. After some steps, if the match is not over by then, uniformly random playouts end it;
//! 3. the move with the best mean goal is made.
//!
//! Without errors of belief and sampling that is one step of policy improvement at every decision, which is never worse
//! than the player itself. The paper's poker player checks and calls to the end where this one follows the player's
//! policy: no rules say what checking and calling are in another game.
//!
//! Reference: Lisy, Bowling, *Equilibrium Approximation Quality of Current No-Limit Poker Bots* (2017).

use std::sync::Arc;

use super::super::decision::{Decision, DecisionCost, Player, View};
use super::super::judgement::Judgement;
use super::simulation::{Made, Simulations};
use hyperplay_engine::{Engine, EngineScratch};
use hyperplay_machine::{Budget, Move, Role, Seed, StateMachine as _};
use hyperplay_think::belief::{
    BeliefOptions, BoxedBelief, ParticleSampler, Sampler, SharedModel, Trembling, UpdateOutcome, systematic,
};

/// The tremble of the model in the belief.
const TREMBLE: f64 = 0.01;

/// How much a local best response thinks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocalResponseOptions {
    /// Histories of the belief: enumerated while there are no more, sampled after that.
    pub particles: usize,
    /// Histories that are followed, for all own moves together; at least one for each.
    pub followed: usize,
    /// Steps for which they are followed by the model.
    pub steps: usize,
    /// Random playouts, shared by all histories and used by those that are not over by then; at least one for each.
    pub playouts: usize,
}

impl Default for LocalResponseOptions {
    fn default() -> Self {
        LocalResponseOptions { particles: 200, followed: 400, steps: 200, playouts: 2_000 }
    }
}

/// A player that responds to the policies of all roles.
pub struct LocalBestResponse {
    machine: Arc<Engine>,
    role: Role,
    model: SharedModel,
    belief: BoxedBelief<Engine>,
    options: LocalResponseOptions,
    scratch: EngineScratch,
}

impl LocalBestResponse {
    /// A player for one match in which the others, and the player whose seat this is, play as the model says.
    pub fn new(machine: Arc<Engine>, role: Role, model: SharedModel, options: LocalResponseOptions) -> Self {
        let particles = options.particles.max(1);
        let sampler =
            ParticleSampler(BeliefOptions { enumerate_limit: particles, ..BeliefOptions::default() });
        let trembling: SharedModel = if model.is_uniform() {
            Arc::clone(&model)
        } else {
            Arc::new(Trembling::new(Arc::clone(&model), TREMBLE))
        };
        let belief = sampler.belief(&machine, role, &trembling, particles);
        let scratch = machine.scratch();
        LocalBestResponse { machine, role, model, belief, options, scratch }
    }

    /// Simulates the rest of the match after every legal move.
    fn simulated(&mut self, legal: &[Move], budget: Budget, seed: &Seed) -> Made {
        let LocalResponseOptions { followed, steps, playouts, .. } = self.options;
        let particles = self.belief.particles();
        let weights: Vec<f64> = particles.iter().map(|particle| particle.weight).collect();
        let each = (followed / legal.len()).max(1);
        let mut simulations = Simulations {
            machine: &self.machine,
            belief: &*self.belief,
            role: self.role,
            legal,
            model: &*self.model,
            of_model: &|| 0,
            steps: steps.max(1),
            playouts: (playouts / (each * legal.len())).max(1) as u32,
            budget,
            scratch: &mut self.scratch,
            made: Made::default(),
        };
        let drawn = systematic(&weights, each, &mut seed.child("histories").rng());
        for (number, place) in drawn.into_iter().enumerate().take_while(|_| !budget.is_late()) {
            simulations.add(&particles[place], &seed.child("follow").index(number));
        }
        simulations.made
    }
}

impl Player for LocalBestResponse {
    /// Thinks as much as its options say, whatever the budget, which can only cancel it.
    fn decide(&mut self, view: &View<'_>, budget: &Budget, seed: &Seed) -> Decision {
        if let [own] = *view.legal {
            return Decision::draw(vec![(own, 1.0)], seed);
        }
        let budget = Budget { cancel: budget.cancel, ..Budget::UNLIMITED };
        let outcome = self.belief.update(view.evidence, &budget, &seed.child("belief"));
        let spent = self.belief.cost().states;
        if !matches!(outcome, UpdateOutcome::Enumerated | UpdateOutcome::Sampled) {
            let mut decision = Decision::uniform(view.legal, seed);
            decision.depleted = true;
            decision.cost.states = spent;
            return decision.admitting(self.belief.take_failure(), view.legal, seed);
        }
        let made = self.simulated(view.legal, budget, &seed.child("search"));
        let Judgement { policy, values, .. } = made.judgement(view.legal);
        let cost = DecisionCost { states: made.cost.states + spent, ..made.cost };
        let failure =
            self.belief.take_failure().or(made.failure).or(self.machine.take_failure(&mut self.scratch));
        let decision = Decision { values, cost, ..Decision::draw(policy, seed) };
        decision.admitting(failure, view.legal, seed)
    }
}
