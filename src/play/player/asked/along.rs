//! A player that carries a plan, asked along the evidence: one seat is shown what its role knows step by step, as in a match,
//! and every answer may rest on those before it.
//!
//! With the seed of a match and a budget without time the answers are those of the player in that match, wherever the match
//! leads: its *realised policy*. The own moves are those of the evidence, whatever the player would have drawn.

use std::sync::Arc;

use rayon::prelude::*;

use super::question::{Answer, AskedSeat, check};
use super::{AskError, AskedCounts, AskedPolicy, Asking, DecisionBudget};
use crate::player::{PlayerSpec, View};
use hyperplay_engine::Engine;
use hyperplay_logic::gdl::fold;
use hyperplay_machine::{Budget, Evidence, Move, Role, Seed};

/// Asks a player at every information set of a role as it decides there in the match whose seed that of `asking` is.
///
/// Decisions before which the role has decided equally are made anew for each of the last information sets, so the work is
/// at most the number of these times the steps of a match.
///
/// # Errors
/// As [`ask_policy`](super::ask_policy).
pub fn realised_policy(
    player: &PlayerSpec,
    machine: &Arc<Engine>,
    role: Role,
    asking: &Asking<'_>,
) -> Result<AskedPolicy, AskError> {
    check(player, machine, role)?;
    let Asking { budget, stop, .. } = *asking;
    let paths = paths(asking, role);
    let one = |path: &Path| if stop() { None } else { Some(along(player, machine, role, asking, path)) };
    let answers: Option<Vec<_>> = if budget.reproduces() {
        paths.par_iter().map(one).collect()
    } else {
        paths.iter().map(one).collect()
    };
    let mut answers: Vec<(usize, Answer)> = answers.ok_or(AskError::Stopped)?.into_iter().flatten().collect();
    answers.sort_by_key(|&(set, _)| set);
    let mut asked = AskedPolicy { sets: Vec::with_capacity(answers.len()), counts: AskedCounts::default() };
    for (set, Answer { policy, counts, .. }) in answers {
        asked.sets.push((set, policy));
        asked.counts.add(counts);
    }
    Ok(asked)
}

/// Own information sets, each after the one before it in the same match. The first ones belong to another path, too.
struct Path {
    sets: Vec<usize>,
    shared: usize,
}

/// The paths to those information sets of a role after which it does not decide again; each set is the own of one path.
fn paths(Asking { tree, .. }: &Asking<'_>, role: Role) -> Vec<Path> {
    let own = || (0..tree.sets().len()).filter(|&set| tree.sets()[set].role == role);
    let former = |set: usize| tree.sets()[set].former.map(|(former, _)| former as usize);
    let mut is_last = vec![true; tree.sets().len()];
    own().filter_map(former).for_each(|set| is_last[set] = false);
    let mut is_taken = vec![false; tree.sets().len()];
    let path = |last: usize| {
        let mut sets: Vec<usize> = std::iter::successors(Some(last), |&set| former(set)).collect();
        sets.reverse();
        let shared = sets.iter().take_while(|&&set| is_taken[set]).count();
        sets.iter().for_each(|&set| is_taken[set] = true);
        Path { sets, shared }
    };
    own().filter(|&set| is_last[set]).map(path).collect()
}

/// The answers at the sets of a path that are its own.
fn along(
    player: &PlayerSpec,
    machine: &Arc<Engine>,
    role: Role,
    asking: &Asking<'_>,
    path: &Path,
) -> Vec<(usize, Answer)> {
    let Asking { tree, budget, seed, tick, .. } = *asking;
    let seed = seed.child("role").child(&fold(&tree.roles()[role])).child("step");
    let known: Vec<Evidence> = path.sets.iter().map(|&set| tree.evidence(&tree.sets()[set])).collect();
    let last = known.last().expect("a path has a last set");
    let mut seat = AskedSeat::new(player, machine, role);
    let mut answers = Vec::new();
    for step in 0..=last.step() {
        let place = known.iter().position(|evidence| evidence.step() == step);
        let legal = place.map_or_else(|| last.steps[step].own.named(), |place| tree.moves(path.sets[place]));
        let answer = seat.answer(&View { evidence: &last.until(step), legal }, &budget, &seed.index(step));
        if let Some(place) = place.filter(|&place| place >= path.shared) {
            tick();
            answers.push((path.sets[place], answer));
        }
    }
    answers
}

/// The answer of a player after it was shown the evidence step by step. Its moves before are known, and what it could have
/// done instead is what it says itself to be legal.
pub(super) fn ask_along(
    mut seat: AskedSeat,
    view: &View<'_>,
    budget: &DecisionBudget,
    seed: &dyn Fn(&Evidence) -> Seed,
) -> Answer {
    for (step, observation) in view.evidence.steps.iter().enumerate() {
        let (known, own) = (view.evidence.until(step), observation.own.named());
        let seed = seed(&known);
        let legal = seat.guarded(|player| player.legal_after(&known, &Budget::UNLIMITED, &seed));
        let legal: Option<Vec<Move>> =
            legal.ok().flatten().filter(|legal| own.iter().all(|own| legal.contains(own)));
        let legal = legal.as_deref().unwrap_or(own);
        seat.answer(&View { evidence: &known, legal }, budget, &seed);
    }
    seat.answer(view, budget, &seed(view.evidence))
}
