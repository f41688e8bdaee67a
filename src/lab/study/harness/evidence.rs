//! Evidence: the matches that figures are measured on.

use rand::RngExt;

use super::evaluated;
use hyperplay_engine::Engine;
use hyperplay_machine::{
    ByRole, ChanceDistribution, Evaluated, Evidence, History, JointMove, Observation, OwnMove, Seed,
    StateMachine, StateMachineExt, share_at,
};
use hyperplay_think::belief::OpponentModel;

/// A match in which every role chooses uniformly, of at most `steps` steps.
///
/// # Errors
/// If the rules cannot be evaluated.
pub fn random_match(machine: &Engine, steps: usize, seed: &Seed) -> Evaluated<History> {
    let (mut rng, mut scratch) = (seed.rng(), machine.scratch());
    let mut state = machine.initial();
    let mut history = History::default();
    while history.step() < steps && !machine.terminal(&state, &mut scratch) {
        let Some(joint) = machine.random_joint(&state, &mut scratch, &mut rng) else { break };
        state = machine.next(&state, &joint, &mut scratch);
        history.0.push(joint);
    }
    evaluated(machine, &mut scratch, history)
}

/// A match of at most `steps` steps in which every role but `random` chooses as `model` says.
///
/// # Errors
/// If the rules cannot be evaluated, by the match or by the model.
pub fn model_match(
    machine: &Engine,
    model: &dyn OpponentModel,
    steps: usize,
    seed: &Seed,
) -> Evaluated<History> {
    let (mut rng, mut scratch) = (seed.rng(), machine.scratch());
    let mut state = machine.initial();
    let mut known = ByRole::from_fn(machine.roles().len(), Evidence::new);
    let mut history = History::default();
    while history.step() < steps && !machine.terminal(&state, &mut scratch) {
        let legal = machine.legal_by_role(&state, &mut scratch);
        if legal.values().iter().any(Vec::is_empty) {
            break;
        }
        let mut failed = None;
        let chance = ChanceDistribution::of(machine, &state, &mut scratch);
        let joint = JointMove::new(machine.each_role().map(|role| {
            let moves = &legal[role];
            if machine.random() == Some(role) {
                return moves[chance.draw(moves.len(), &mut rng)];
            }
            let (policy, failure) = model.policy_and_failure(role, &known[role], moves);
            failed = failed.take().or(failure);
            let place = share_at(policy.iter().copied(), rng.random());
            moves[place.expect("some legal move has a positive share")]
        }));
        if let Some(failure) = failed {
            return Err(failure);
        }
        for role in machine.each_role() {
            let percepts = machine.percepts(&state, &joint, role, &mut scratch);
            known[role].steps.push(Observation { own: OwnMove::Known(joint.of(role)), percepts });
        }
        state = machine.next(&state, &joint, &mut scratch);
        history.0.push(joint);
    }
    evaluated(machine, &mut scratch, history)
}
