//! The player `hyperplay2`: it simulates the rest of the game with every role playing from what that role knows.
//!
//! The belief is that of [`hyperplay`](fn@super::hyperplay), with the same keys. A decision draws particles by their weight
//! and follows each once after every own move ([`Simulations`]): all roles, its own included, then decide as an inner
//! player would from their evidence in that history. So no role acts on what it cannot know: the player learns what it
//! is worth to ask, and that a secret is worth keeping. The move of the greatest mean is played. It does not bluff or mix,
//! because the inner player stays as it is whatever is found out.
//!
//! The inner player is asked like an [opponent](AskedModel), with a seed that belongs to the decision, so a counted
//! number of simulations reproduces. One inner decision may spend a hundredth of the budget. A particle that the budget cuts
//! off does not count, and without one that was followed to the end the move is drawn at random.
//!
//! Reference: Schofield, Thielscher, *Lifting Model Sampling for General Game Playing to Incomplete-Information Models*,
//! AAAI 2015.

use std::sync::Arc;

use rand::seq::SliceRandom;

use super::asked::{AskedModel, DecisionBudget, Made, Simulations};
use super::deliberation::Deliberation;
use super::judgement::Judgement;
use super::own_belief::Possible;
use super::{Decision, DecisionCost, OwnBelief, Player, PlayerSpec, Reason};
use hyperplay_engine::Engine;
use hyperplay_machine::{ByRole, Seed, StateMachine as _, StateMachineExt as _};
use hyperplay_think::belief::systematic;

/// The parts of a budget of which an inner decision may spend one.
const PARTS: u32 = 100;

/// Steps that are simulated; playouts go on from there.
const STEPS: usize = 200;

/// The particles that are drawn together, spread by weight.
const ROUND: u64 = 64;

/// The player `hyperplay2` for one match, with the number of simulations for decisions without a deadline and for those
/// with.
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_engine::{EngineKind, Engines};
/// use hyperplay_think::belief::{ParticleSampler, Uniform};
/// use hyperplay_play::player::{OwnBelief, Player, Registry, View, hyperplay2};
///
/// let machine = Engines::new(&game).get(EngineKind::Auto)?;
/// let evidence = machine.evidence(&truth, candidate, &mut machine.scratch());
/// let state = machine.replay(&truth, &mut machine.scratch());
/// let legal = machine.legal_by_role(&state, &mut machine.scratch())[candidate].clone();
/// let (model, sampler) = (Arc::new(Uniform), Arc::new(ParticleSampler::default()));
/// let belief = OwnBelief::new(machine.clone(), candidate, model, sampler, 20);
/// let inner = Registry::standard().player("hyperplay:playouts=50")?;
/// let mut player = hyperplay2(machine.clone(), belief, inner, [600, 600]);
/// let decision = player.decide(&View { evidence: &evidence, legal: &legal }, &Budget::UNLIMITED, &Seed::root(1));
/// assert_eq!(machine.show_move(decision.choice), "switch");
/// assert!((decision.values[1].1 - 200.0 / 3.0).abs() < 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn hyperplay2(
    machine: Arc<Engine>,
    belief: OwnBelief,
    inner: PlayerSpec,
    simulations: [u64; 2],
) -> impl Player {
    belief.player(move |deliberation, possible| {
        let simulations = simulations[usize::from(!deliberation.budget.reproduces())];
        decide(&machine, deliberation, possible, &inner, simulations)
    })
}

fn decide(
    machine: &Arc<Engine>,
    deliberation: Deliberation<'_>,
    possible: &Possible<'_>,
    inner: &PlayerSpec,
    simulations: u64,
) -> Decision {
    let (legal, seed, mut failure) = (deliberation.legal, deliberation.seed, None);
    let decision = deliberation.unless_forced(|context, legal| {
        let nodes = context.budget.nodes.map(|nodes| nodes / u64::from(PARTS));
        let time = context.budget.left().map(|left| left / PARTS);
        let part = DecisionBudget { nodes, time, cancel: context.budget.cancel };
        let players = ByRole::from_fn(machine.roles().len(), |role| {
            (Some(role) != machine.random()).then(|| (inner.clone(), Arc::clone(machine)))
        });
        let model = match AskedModel::new(players, part, context.seed.child("inner")) {
            Ok(model) => model,
            Err(error) => {
                let why = Reason::said(error.to_string());
                return (Judgement::none(legal), DecisionCost::default(), vec![why]);
            }
        };
        let budget = context.budget.less(part.nodes.unwrap_or(0));
        let made = machine.by_deadline(budget.deadline, context.scratch, |scratch| {
            let mut followed = Simulations {
                machine,
                belief: possible.belief,
                role: context.role,
                legal,
                model: &model,
                of_model: &|| model.counts().states,
                steps: STEPS,
                playouts: 1,
                budget,
                scratch,
                made: Made::default(),
            };
            follow(&mut followed, (simulations / legal.len() as u64).max(1), &context.seed);
            followed.made
        });
        let of_inner = model.counts();
        let cost = DecisionCost {
            states: made.cost.states + of_inner.states,
            playouts: made.cost.playouts + of_inner.playouts,
        };
        let words = format!(
            "{} simulations of the rest of the game after each move, with {} decisions of {}",
            made.count,
            of_inner.decisions,
            inner.spec()
        );
        let judgement = made.judgement(legal);
        failure = made.failure;
        (judgement, cost, vec![Reason::said(words)])
    });
    decision.admitting(failure, legal, seed)
}

/// Follows `count` particles, or as many as the budget allows. Those that are followed are drawn by their weight.
fn follow(simulations: &mut Simulations<'_>, count: u64, seed: &Seed) {
    let (particles, mut rng) = (simulations.belief.particles(), seed.child("histories").rng());
    let weights: Vec<f64> = particles.iter().map(|particle| particle.weight).collect();
    let (mut left, seed) = (count, seed.child("follow"));
    while left > 0 {
        let mut drawn = systematic(&weights, left.min(ROUND) as usize, &mut rng);
        drawn.shuffle(&mut rng);
        for place in drawn {
            if !simulations.add(&particles[place], &seed.index(simulations.made.count)) {
                return;
            }
            left -= 1;
        }
    }
}
