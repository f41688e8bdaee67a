//! The player `pimc`, perfect information Monte Carlo: it searches every state that its evidence leaves possible and
//! lets the states vote.
//!
//! Belief and search are those of [`hyperplay`](mod@super::hyperplay), with the same keys, so the two differ in nothing
//! but the last step: there the values of a move are averaged, here every state [votes](super::vote) for its best move.
//! It assumes that it will know the state from the next step on, and that the others know it (Frank, Basin 1998:
//! strategy fusion and non-locality). So it cannot value information, keep a secret or bluff.
//!
//! References: Ginsberg, *GIB: Imperfect Information in a Computationally Challenging Game*, JAIR 14, 2001; Long,
//! Sturtevant, Buro, Furtak, *Understanding the Success of Perfect Information Monte Carlo Sampling in Game Tree
//! Search*, AAAI 2010.

use std::sync::Arc;

use super::epimc::{clocked, unpostponed};
use super::{OwnBelief, Player, SearchEffort, VotePolicy};
use hyperplay_engine::Engine;
use hyperplay_think::search::StateSearch;

/// The player `pimc` for one match: the states of its belief are searched and vote.
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_engine::{EngineKind, Engines};
/// use hyperplay_think::belief::{ParticleSampler, Uniform};
/// use hyperplay_play::player::{OwnBelief, Player, View, VotePolicy, pimc};
/// use hyperplay_think::search::{Algorithm, SearchOptions};
///
/// let machine = Engines::new(&game).get(EngineKind::Auto)?;
/// let evidence = machine.evidence(&truth, candidate, &mut machine.scratch());
/// let state = machine.replay(&truth, &mut machine.scratch());
/// let legal = machine.legal_by_role(&state, &mut machine.scratch())[candidate].clone();
/// let search = Arc::new(SearchOptions { algorithm: Algorithm::Exact, ..SearchOptions::default() });
/// // In one of three states the car is behind the door that was chosen first.
/// for (policy, stay) in [(VotePolicy::Vote, 0.0), (VotePolicy::Mixed, 1.0 / 3.0)] {
///     let (model, sampler) = (Arc::new(Uniform), Arc::new(ParticleSampler::default()));
///     let belief = OwnBelief::new(machine.clone(), candidate, model, sampler, 20);
///     let mut player = pimc(belief, search.clone(), policy);
///     let view = View { evidence: &evidence, legal: &legal };
///     let decision = player.decide(&view, &Budget::UNLIMITED, &Seed::root(1));
///     assert!((decision.policy[0].1 - stay).abs() < 1e-9);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn pimc(belief: OwnBelief, search: Arc<dyn StateSearch<Engine>>, policy: VotePolicy) -> impl Player {
    clocked(belief, search, unpostponed([SearchEffort::default().nodes; 2]), Some(policy))
}
