//! Simulations of the rest of a match in which every role acts on what it knows by itself.
//!
//! A particle of a belief is followed once after each own move, with the same draws: every role acts by a model of what
//! it knows in this history, `random` by its weights. What the believing role knows of the particle is hidden from all
//! models, its own included. After some steps, if the match is not over by then, uniformly random playouts end it.
//!
//! Invariant: a particle counts after all own moves or after none, so the means are of the same histories.

use rand::RngExt;

use super::super::decision::DecisionCost;
use super::super::judgement::{Judgement, greedy, with};
use hyperplay_engine::{Engine, EngineScratch};
use hyperplay_machine::{
    Budget, Bulk, ByRole, ChanceDistribution, EvaluationFailure, Evidence, JointMove, Move, Observation,
    OwnMove, Role, Seed, Start, StateMachine as _, StateMachineExt, share_at,
};
use hyperplay_think::belief::{Belief, OpponentModel, Particle};

/// What is simulated, and the sums so far.
pub(in super::super) struct Simulations<'a> {
    pub(in super::super) machine: &'a Engine,
    pub(in super::super) belief: &'a dyn Belief<Engine>,
    pub(in super::super) role: Role,
    /// The own moves that are compared.
    pub(in super::super) legal: &'a [Move],
    pub(in super::super) model: &'a dyn OpponentModel,
    /// How many states the model has visited.
    pub(in super::super) of_model: &'a dyn Fn() -> u64,
    /// Steps that are made by the model.
    pub(in super::super) steps: usize,
    /// Playouts where it is not over by then.
    pub(in super::super) playouts: u32,
    pub(in super::super) budget: Budget,
    pub(in super::super) scratch: &'a mut EngineScratch,
    pub(in super::super) made: Made,
}

/// The result of simulations.
#[derive(Default)]
pub(in super::super) struct Made {
    /// Particles followed.
    pub(in super::super) count: usize,
    /// The sum of the goals after each own move.
    sums: Vec<f64>,
    /// Without the states that the model visited.
    pub(in super::super) cost: DecisionCost,
    /// The first failure that the model met.
    pub(in super::super) failure: Option<EvaluationFailure>,
}

impl Made {
    /// The moves of the greatest mean, ties mixed evenly; each of the `legal` ones alike if no particle was followed.
    pub(in super::super) fn judgement(&self, legal: &[Move]) -> Judgement {
        if self.count == 0 {
            return Judgement::none(legal);
        }
        let means: Vec<f64> = self.sums.iter().map(|sum| sum / self.count as f64).collect();
        Judgement { values: with(legal, means.clone()), ..Judgement::of(legal, greedy(&means)) }
    }
}

impl Simulations<'_> {
    /// Follows a particle after each own move. False if the budget ran out meanwhile; then it does not count.
    pub(in super::super) fn add(&mut self, particle: &Particle, seed: &Seed) -> bool {
        let deadline = self.budget.deadline;
        let knows = |role| self.belief.evidence_until(particle, role, deadline);
        let known = ByRole::from_fn(self.machine.roles().len(), knows);
        let goals: Option<Vec<f64>> =
            self.legal.iter().map(|&own| self.follow(particle, own, known.clone(), seed)).collect();
        let Some(goals) = goals else { return false };
        self.made.sums.resize(goals.len(), 0.0);
        self.made.sums.iter_mut().zip(&goals).for_each(|(sum, goal)| *sum += goal);
        self.made.count += 1;
        true
    }

    fn is_out(&self) -> bool {
        let spent = self.made.cost.states + (self.of_model)();
        self.budget.is_late()
            || self.budget.less(spent).nodes == Some(0)
            || self.machine.is_interrupted(self.scratch)
    }

    /// Makes the own move and follows the match from there; the goal, `None` if the budget ran out.
    fn follow(
        &mut self,
        particle: &Particle,
        own: Move,
        mut known: ByRole<Evidence>,
        seed: &Seed,
    ) -> Option<f64> {
        let (machine, role) = (self.machine, self.role);
        let (mut rng, mut state) = (seed.rng(), self.belief.state(particle).clone());
        let mut legal = machine.legal_by_role(&state, self.scratch);
        legal[role] = vec![own];
        for _ in 0..self.steps {
            let chance = ChanceDistribution::of(machine, &state, self.scratch);
            if legal.values().iter().any(Vec::is_empty) || machine.is_interrupted(self.scratch) {
                break;
            }
            let joint = JointMove::new(machine.each_role().map(|each| {
                let moves = &legal[each];
                if moves.len() < 2 {
                    return moves[0];
                }
                if Some(each) == machine.random() {
                    return moves[chance.draw(moves.len(), &mut rng)];
                }
                let (policy, failure) = self.model.policy_and_failure(each, &known[each], moves);
                self.made.failure = self.made.failure.take().or(failure);
                moves[share_at(policy.iter().copied(), rng.random()).unwrap_or(0)]
            }));
            for each in machine.each_role().filter(|&each| Some(each) != machine.random()) {
                let percepts = machine.percepts(&state, &joint, each, self.scratch);
                known[each].steps.push(Observation { own: OwnMove::Known(joint.of(each)), percepts });
            }
            state = machine.next(&state, &joint, self.scratch);
            self.made.cost.states += 1;
            let is_over = machine.terminal(&state, self.scratch);
            let goal = is_over.then(|| f64::from(machine.goal(&state, role, self.scratch).value()));
            if self.is_out() || is_over {
                return goal.filter(|_| !self.is_out());
            }
            legal = machine.legal_by_role(&state, self.scratch);
        }
        let start = Start { state, first: Vec::new(), weights: None, count: self.playouts };
        let tally = machine.playouts(&[start], &seed.child("playouts"), &self.budget, self.scratch).remove(0);
        self.made.cost.playouts += u64::from(tally.count);
        self.made.cost.states += tally.steps;
        (tally.count > 0).then(|| tally.mean(role))
    }
}
