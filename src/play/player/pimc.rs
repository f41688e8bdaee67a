//! The player `pimc`, perfect information Monte Carlo: it searches every state that its evidence leaves possible and lets
//! the states vote.
//!
//! Belief and search are those of [`hyperplay`](super::hyperplay), with the same keys, so the two differ in nothing but the
//! last step: there the values of a move are averaged, here every state [votes](super::vote) for its best move. It assumes that
//! it will know the state from the next step on, and that the others know it (Frank, Basin 1998: strategy fusion and
//! non-locality). So it cannot value information, keep a secret or bluff.
//!
//! References: Ginsberg, *GIB: Imperfect Information in a Computationally Challenging Game*, JAIR 14, 2001; Long, Sturtevant,
//! Buro, Furtak, *Understanding the Success of Perfect Information Monte Carlo Sampling in Game Tree Search*, AAAI 2010.

use std::sync::Arc;
use std::time::Duration;

use super::decision::{BelievedState, Decision, Player, View};
use super::own_belief::OwnBelief;
use super::vote::{VotePolicy, vote};
use crate::belief::{OpponentModel, Sampler};
use crate::search::StateSearch;
use hyperplay_engine::Engine;
use hyperplay_engine::machine::{Budget, Evidence, Move, Role, Seed};

/// The player `pimc`.
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_engine::{EngineKind, Engines};
/// use hyperplay_play::belief::{ParticleSampler, Uniform};
/// use hyperplay_play::player::{Pimc, Player, View, VotePolicy};
/// use hyperplay_play::search::{Algorithm, SearchOptions};
///
/// let machine = Engines::new(&game).get(EngineKind::Auto)?;
/// let evidence = machine.evidence(&truth, candidate, &mut machine.scratch());
/// let state = machine.replay(&truth, &mut machine.scratch());
/// let legal = machine.legal_by_role(&state, &mut machine.scratch())[candidate].clone();
/// let search = Arc::new(SearchOptions { algorithm: Algorithm::Exact, ..SearchOptions::default() });
/// // In one of three states the car is behind the door that was chosen first.
/// for (policy, stay) in [(VotePolicy::Vote, 0.0), (VotePolicy::Mixed, 1.0 / 3.0)] {
///     let (model, sampler) = (Arc::new(Uniform), Arc::new(ParticleSampler::default()));
///     let mut player = Pimc::new(machine.clone(), candidate, model, sampler, 20, search.clone(), policy);
///     let view = View { evidence: &evidence, legal: &legal };
///     let decision = player.decide(&view, &Budget::UNLIMITED, &Seed::root(1));
///     assert!((decision.policy[0].1 - stay).abs() < 1e-9);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Pimc {
    belief: OwnBelief,
    search: Arc<dyn StateSearch<Engine>>,
    policy: VotePolicy,
}

impl Pimc {
    /// A player for one match: its belief is sampled by so many particles under an opponent model, and the states of these
    /// are searched and vote.
    pub fn new(
        machine: Arc<Engine>,
        role: Role,
        model: Arc<dyn OpponentModel>,
        sampler: Arc<dyn Sampler<Engine>>,
        particles: usize,
        search: Arc<dyn StateSearch<Engine>>,
        policy: VotePolicy,
    ) -> Self {
        Pimc { belief: OwnBelief::new(machine, role, model, sampler, particles), search, policy }
    }
}

impl Player for Pimc {
    fn decide(&mut self, view: &View<'_>, budget: &Budget, seed: &Seed) -> Decision {
        let Pimc { belief, search, policy } = self;
        belief.decide(view, budget, seed, |deliberation, possible| {
            deliberation.decide(&**search, possible.states, |judged, legal| vote(judged, legal, *policy))
        })
    }

    fn legal_after(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> Option<Vec<Move>> {
        self.belief.legal_after(evidence, budget, seed)
    }

    fn think_ahead(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> bool {
        self.belief.think_ahead(evidence, budget, seed)
    }

    fn update_time(&self) -> Option<Duration> {
        self.belief.update_time()
    }

    fn believed(&self) -> Vec<BelievedState> {
        self.belief.believed()
    }
}
