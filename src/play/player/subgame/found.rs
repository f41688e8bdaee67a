//! Roots that the last tree has not: particles of the belief, and what the others hold possible there.
//!
//! All weights are in one unit, in which the states that the searching role holds possible have the sum 1. A belief of
//! another role has a unit of its own. How the two compare is seen in the states that both roles hold possible: their
//! part in the one belief over their part in the other. Of more states than there is room for some are drawn, all as likely as
//! each other, and weigh more for it.

use rand::seq::index::sample;
use rustc_hash::FxHashMap;

use super::super::own_belief::Possible;
use hyperplay_engine::Engine;
use hyperplay_machine::{Budget, Evidence, Role, Seed, State, StateMachine as _, StateMachineExt as _};
use hyperplay_think::search::HeldState;
use hyperplay_think::solve::{FoundState, GrowingMinimiser};

/// The share of the time in which it is looked up what the others hold possible.
const LOOKING_UP: f64 = 0.2;

/// The most evidences of other roles that are looked up.
const LOOKED_UP: usize = 8;

/// States for `roots` roots; none where the tree has enough that the role of the evidence holds possible, and none that only others hold
/// possible where it has enough of these.
pub(super) fn found(
    minimiser: &mut GrowingMinimiser<Engine>,
    evidence: &Evidence,
    possible: &Possible<'_>,
    budget: &Budget,
    roots: usize,
    seed: &Seed,
) -> Vec<FoundState<State>> {
    let (machine, (states, known)) = (possible.machine, possible.knowing(budget.deadline));
    let wanted = states.len().min(roots.div_ceil(2));
    let (held, led) = minimiser.held(evidence);
    if held >= wanted {
        return Vec::new();
    }
    let mut rng = seed.child("drawn").rng();
    let mut found = Vec::new();
    // For each evidence of another role its part in the belief, and a particle in which the role has it.
    let mut others: FxHashMap<(Role, Evidence), (f64, usize)> = FxHashMap::default();
    for place in sample(&mut rng, states.len(), wanted) {
        let (state, weight) = (states[place].0, states[place].1 * states.len() as f64 / wanted as f64);
        let known: Vec<Evidence> = machine.each_role().map(|role| known(place, role)).collect();
        if budget.is_late() {
            break; // what the others know may have been cut off
        }
        for (role, other) in machine.each_role().zip(&known) {
            if role != evidence.role && Some(role) != machine.random() {
                others.entry((role, other.clone())).or_insert((0.0, place)).0 += weight;
            }
        }
        found.push(FoundState { state: state.clone(), known, weight });
    }
    let mut others: Vec<((Role, Evidence), (f64, usize))> = others.into_iter().collect();
    others.sort_by(|(_, (a, first)), (_, (b, second))| b.total_cmp(a).then(first.cmp(second)));
    let is_known = led >= roots / 2 && 2 * held >= wanted.min(possible.states.len());
    others.truncate(if is_known { 0 } else { LOOKED_UP });
    let count = (roots / 2 / others.len().max(1)).max(1);
    let (held, budget) = (possible.held(count, seed.child("others")), budget.share(LOOKING_UP));
    for ((role, _), (part, place)) in others {
        let (states, _) = held(place, role, &budget);
        if budget.is_late() {
            break;
        }
        let is_own = |of: &HeldState<State>| of.known[evidence.role.index()] == *evidence;
        let common: f64 = states.iter().filter(|of| is_own(of)).map(|of| of.weight).sum();
        // Where none was drawn, it is taken that the next would have been one.
        let unit = part / if common > 0.0 { common } else { 1.0 / (states.len() + 1) as f64 };
        let alternatives: Vec<&HeldState<State>> = states.iter().filter(|of| !is_own(of)).collect();
        let drawn = alternatives.len().min(count);
        let unit = unit * alternatives.len() as f64 / drawn as f64;
        found.extend(sample(&mut rng, alternatives.len(), drawn).iter().map(|place| {
            let HeldState { state, weight, known } = alternatives[place].clone();
            FoundState { state, known, weight: unit * weight }
        }));
    }
    found
}
