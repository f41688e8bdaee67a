//! A player that carries a plan, asked along the evidence: one seat is shown what its role knows step by step, as in a match,
//! and every answer may rest on those before it.
//!
//! The own moves are those of the evidence, whatever the player would have drawn.

use super::DecisionBudget;
use super::question::{Answer, AskedSeat};
use crate::player::View;
use hyperplay_machine::{Budget, Evidence, Role, Seed};
use hyperplay_think::solve::GameTree;

/// Own information sets, each after the one before it in the same match. The first ones are asked on another path.
pub(super) struct Path {
    pub(super) sets: Vec<usize>,
    asked_before: usize,
}

fn own_sets(tree: &GameTree, role: Role) -> impl Iterator<Item = usize> {
    (0..tree.sets().len()).filter(move |&set| tree.sets()[set].role == role)
}

/// Each information set of a role by itself.
pub(super) fn alone(tree: &GameTree, role: Role) -> Vec<Path> {
    own_sets(tree, role).map(|set| Path { sets: vec![set], asked_before: 0 }).collect()
}

/// The paths to those information sets of a role after which it does not decide again.
pub(super) fn paths(tree: &GameTree, role: Role) -> Vec<Path> {
    let former = |set: usize| tree.sets()[set].former.map(|(former, _)| former as usize);
    let mut is_last = vec![true; tree.sets().len()];
    own_sets(tree, role).filter_map(former).for_each(|set| is_last[set] = false);
    let mut is_asked = vec![false; tree.sets().len()];
    let path = |last: usize| {
        let mut sets: Vec<usize> = std::iter::successors(Some(last), |&set| former(set)).collect();
        sets.reverse();
        let asked_before = sets.iter().take_while(|&&set| is_asked[set]).count();
        sets.iter().for_each(|&set| is_asked[set] = true);
        Path { sets, asked_before }
    };
    own_sets(tree, role).filter(|&set| is_last[set]).map(path).collect()
}

impl AskedSeat {
    /// Its answers at those sets of a path that are asked on no path before.
    pub(super) fn along(
        &mut self,
        tree: &GameTree,
        path: &Path,
        budget: &DecisionBudget,
        seed: &Seed,
    ) -> Vec<(usize, Answer)> {
        let known: Vec<Evidence> = path.sets.iter().map(|&set| tree.evidence(&tree.sets()[set])).collect();
        let last = known.last().expect("a path has a last set");
        let mut answers = Vec::new();
        for step in 0..=last.step() {
            let place = known.iter().position(|evidence| evidence.step() == step);
            let legal =
                place.map_or_else(|| last.steps[step].own.named(), |place| tree.moves(path.sets[place]));
            let answer = self.answer(&View { evidence: &last.until(step), legal }, budget, &seed.index(step));
            answers.extend(
                place.filter(|&place| place >= path.asked_before).map(|place| (path.sets[place], answer)),
            );
        }
        answers
    }

    /// Its answer after it was shown the evidence step by step. Its moves before are known, and those that it could have made
    /// instead are the ones that it says to be legal.
    pub(super) fn answer_along(
        &mut self,
        view: &View<'_>,
        budget: &DecisionBudget,
        seed: &dyn Fn(&Evidence) -> Seed,
    ) -> Answer {
        for (step, observation) in view.evidence.steps.iter().enumerate() {
            let (known, own) = (view.evidence.until(step), observation.own.named());
            let seed = seed(&known);
            let legal = self.guarded(|player| player.legal_after(&known, &Budget::UNLIMITED, &seed));
            let legal = legal.ok().flatten().filter(|legal| own.iter().all(|own| legal.contains(own)));
            let legal = legal.as_deref().unwrap_or(own);
            self.answer(&View { evidence: &known, legal }, budget, &seed);
        }
        self.answer(view, budget, &seed(view.evidence))
    }
}
