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

use rand::RngExt;

use super::super::decision::{Decision, DecisionCost, Player, View};
use hyperplay_engine::{Engine, EngineScratch};
use hyperplay_machine::{
    Budget, Bulk, ByRole, ChanceDistribution, EvaluationFailure, Evidence, JointMove, Move, Observation,
    OwnMove, Role, Seed, Start, State, StateMachine as _, StateMachineExt,
};
use hyperplay_think::belief::{
    Belief, BeliefOptions, OpponentModel, ParticleSampler, Sampler, Trembling, UpdateOutcome, systematic,
};

/// The tremble of the model in the belief.
const TREMBLE: f64 = 0.01;

/// Means this close count as equal.
const TIE: f64 = 1e-9;

/// How much a local best response thinks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LocalResponseOptions {
    /// Histories of the belief: enumerated while there are no more, sampled after that.
    pub particles: usize,
    /// Histories that are followed, for all own moves together; at least one for each.
    pub followed: usize,
    /// Steps for which they are followed by the model.
    pub steps: usize,
    /// Random playouts from where they are not over by then, all together; at least one for each.
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
    model: Arc<dyn OpponentModel>,
    belief: Box<dyn Belief<Engine>>,
    options: LocalResponseOptions,
    scratch: EngineScratch,
}

impl LocalBestResponse {
    /// A player for one match in which the others, and the player whose seat this is, play as the model says.
    pub fn new(
        machine: Arc<Engine>,
        role: Role,
        model: Arc<dyn OpponentModel>,
        options: LocalResponseOptions,
    ) -> Self {
        let particles = options.particles.max(1);
        let sampler =
            ParticleSampler(BeliefOptions { enumerate_limit: particles, ..BeliefOptions::default() });
        let trembling: Arc<dyn OpponentModel> = if model.is_uniform() {
            Arc::clone(&model)
        } else {
            Arc::new(Trembling::new(Arc::clone(&model), TREMBLE))
        };
        let belief = sampler.belief(&machine, role, &trembling, particles);
        let scratch = machine.scratch();
        LocalBestResponse { machine, role, model, belief, options, scratch }
    }

    /// The mean goal of every legal move.
    fn values(&mut self, legal: &[Move], seed: &Seed) -> Judged {
        let weights: Vec<f64> = self.belief.particles().iter().map(|particle| particle.weight).collect();
        let each = (self.options.followed / legal.len()).max(1);
        let drawn = systematic(&weights, each, &mut seed.child("histories").rng());
        let mut judged =
            Judged { values: vec![0.0; legal.len()], cost: DecisionCost::default(), failure: None };
        let mut starts: Vec<Start<State>> = Vec::new();
        let mut of_move: Vec<usize> = Vec::new();
        for (number, &place) in drawn.iter().enumerate() {
            let particle = self.belief.particles()[place];
            let known =
                ByRole::from_fn(self.machine.roles().len(), |role| self.belief.evidence(&particle, role));
            let state = self.belief.state(&particle).clone();
            for (at, &own) in legal.iter().enumerate() {
                let seed = seed.child("follow").index(number);
                match self.follow(state.clone(), own, known.clone(), &seed, &mut judged) {
                    Followed::Over(goal) => judged.values[at] += goal / each as f64,
                    Followed::Open(state) => {
                        starts.push(Start { state, first: Vec::new(), count: 1 });
                        of_move.push(at);
                    }
                }
            }
        }
        let count = (self.options.playouts / starts.len().max(1)).max(1) as u32;
        starts.iter_mut().for_each(|start| start.count = count);
        let (seed, scratch) = (seed.child("playouts"), &mut self.scratch);
        for (at, tally) in
            of_move.into_iter().zip(self.machine.playouts(&starts, &seed, &Budget::UNLIMITED, scratch))
        {
            judged.values[at] += tally.mean(self.role) / each as f64;
            judged.cost.playouts += u64::from(tally.count);
            judged.cost.states += tally.steps;
        }
        judged
    }

    /// Makes the own move and follows the match from there.
    fn follow(
        &mut self,
        mut state: State,
        own: Move,
        mut known: ByRole<Evidence>,
        seed: &Seed,
        judged: &mut Judged,
    ) -> Followed {
        let (machine, role, scratch) = (&self.machine, self.role, &mut self.scratch);
        let mut rng = seed.rng();
        let mut legal = machine.legal_by_role(&state, scratch);
        legal[role] = vec![own];
        for _ in 0..self.options.steps.max(1) {
            if legal.values().iter().any(Vec::is_empty) {
                break;
            }
            let chance = ChanceDistribution::of(&**machine, &state, scratch);
            let joint = JointMove::new(machine.each_role().map(|each| {
                let moves = &legal[each];
                if moves.len() < 2 {
                    return moves[0];
                }
                if Some(each) == machine.random() {
                    return moves[chance.draw(moves.len(), &mut rng)];
                }
                let (policy, failure) = self.model.policy_and_failure(each, &known[each], moves);
                judged.failure = judged.failure.take().or(failure);
                moves[draw(&policy, rng.random())]
            }));
            for each in machine.each_role().filter(|&each| Some(each) != machine.random()) {
                let percepts = machine.percepts(&state, &joint, each, scratch);
                known[each].steps.push(Observation { own: OwnMove::Known(joint.of(each)), percepts });
            }
            state = machine.next(&state, &joint, scratch);
            judged.cost.states += 1;
            if machine.terminal(&state, scratch) {
                return Followed::Over(f64::from(machine.goal(&state, role, scratch).value()));
            }
            legal = machine.legal_by_role(&state, scratch);
        }
        Followed::Open(state)
    }
}

/// Where a history was followed to.
enum Followed {
    /// To the end, with this goal.
    Over(f64),
    /// To a state where it is not over.
    Open(State),
}

/// The values of the own moves.
struct Judged {
    values: Vec<f64>,
    cost: DecisionCost,
    failure: Option<EvaluationFailure>,
}

/// The position that a number from 0 to 1 falls on.
fn draw(policy: &[f64], number: f64) -> usize {
    let mut left = number;
    let found = policy.iter().position(|share| {
        left -= share;
        left < 0.0
    });
    // Rounding may leave a remainder behind the last share.
    found.or(policy.iter().rposition(|&share| share > 0.0)).unwrap_or(0)
}

impl Player for LocalBestResponse {
    /// Thinks as much as its options say, whatever the budget.
    fn decide(&mut self, view: &View<'_>, _: &Budget, seed: &Seed) -> Decision {
        if let [own] = *view.legal {
            return Decision::draw(vec![(own, 1.0)], seed);
        }
        let outcome = self.belief.update(view.evidence, &Budget::UNLIMITED, &seed.child("belief"));
        let spent = self.belief.cost().states;
        if !matches!(outcome, UpdateOutcome::Enumerated | UpdateOutcome::Sampled) {
            let mut decision = Decision::uniform(view.legal, seed);
            decision.depleted = true;
            decision.cost.states = spent;
            return decision.admitting(self.belief.take_failure(), view.legal, seed);
        }
        let Judged { values, mut cost, failure } = self.values(view.legal, &seed.child("search"));
        cost.states += spent;
        let best = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let ties = values.iter().filter(|&&value| value >= best - TIE).count() as f64;
        let share = |value: f64| if value >= best - TIE { 1.0 / ties } else { 0.0 };
        let policy = view.legal.iter().zip(&values).map(|(&own, &value)| (own, share(value))).collect();
        let values = view.legal.iter().copied().zip(values).collect();
        let failure = self.belief.take_failure().or(failure).or(self.machine.take_failure(&mut self.scratch));
        let decision = Decision { values, cost, ..Decision::draw(policy, seed) };
        decision.admitting(failure, view.legal, seed)
    }
}
