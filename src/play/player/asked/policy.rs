//! The policy of a player, asked at every information set of a role.
//!
//! Asked along a match the answers are those of the referee's match of the same seed without clocks, wherever it leads. Else the
//! information set with the number `i` of the tree is asked with the seed `seed/role/NAME/set/i`, so the policy
//! does not depend on the number of threads. Without a time limit the sets are asked side by side in the pool of the
//! caller. With one they are asked one after the other: a thread that waits for a part of its own decision may begin
//! another decision meanwhile, and the deadline of the first would pass.

use std::sync::Arc;

use rayon::prelude::*;

use super::along::Along;
use super::question::{Answer, AskedSeat, check};
use super::{AskError, Asked, AskedCounts, Asking};
use crate::player::{PlayerSpec, View};
use hyperplay_engine::Engine;
use hyperplay_logic::gdl::fold;
use hyperplay_machine::Role;
use hyperplay_think::solve::{GameTree, Profile};

/// The policy of a player in one role.
#[derive(Clone, PartialEq, Debug)]
pub struct AskedPolicy {
    /// The information sets of the role, in rising order, with the probabilities of their moves.
    pub sets: Vec<(usize, Vec<f64>)>,
    /// The cost of the answers, and what went wrong.
    pub counts: AskedCounts,
}

impl AskedPolicy {
    /// Writes the policy into a profile of the same tree.
    pub fn put_into(&self, tree: &GameTree, profile: &mut Profile) {
        self.sets.iter().for_each(|(set, shares)| profile.set(tree, *set, shares));
    }
}

/// Asks a player at every information set of a role, on its engine.
///
/// Along a match a player that can be [copied](crate::player::Player::fork) decides once at each step of each course of the match. Any other
/// makes its decisions anew for each of the last information sets of its role.
///
/// # Errors
/// If the player is clairvoyant, or the caller asked to stop.
pub fn ask_policy(
    player: &PlayerSpec,
    machine: &Arc<Engine>,
    role: Role,
    asking: &Asking<'_>,
) -> Asked<AskedPolicy> {
    check(player, machine, role)?;
    let Asking { tree, budget, seed, along_match, stop, tick } = *asking;
    let seed = seed.child("role").child(&fold(&tree.roles()[role]));
    let one = |set: usize| {
        if stop() {
            return None;
        }
        let (evidence, legal) = (tree.evidence(&tree.sets()[set]), tree.moves(set));
        let seed = seed.child("set").index(set);
        let view = View { evidence: &evidence, legal };
        let answer = AskedSeat::new(player, machine, role).answer(&view, &budget, &seed);
        tick();
        (!stop()).then_some((set, answer))
    };
    let sets: Vec<usize> = (0..tree.sets().len()).filter(|&set| tree.sets()[set].role == role).collect();
    let answers: Option<Vec<_>> = if along_match {
        Along { player, machine, role, asking, seed: seed.child("step") }.answers(sets)
    } else if budget.reproduces() {
        sets.into_par_iter().map(one).collect()
    } else {
        sets.into_iter().map(one).collect()
    };
    let mut answers: Vec<(usize, Answer)> = answers.ok_or(AskError::Stopped)?;
    answers.sort_by_key(|&(set, _)| set);
    let mut asked = AskedPolicy { sets: Vec::with_capacity(answers.len()), counts: AskedCounts::default() };
    for (set, Answer { policy, counts, .. }) in answers {
        asked.sets.push((set, policy));
        asked.counts.add(counts);
    }
    Ok(asked)
}
