//! Monte-Carlo counterfactual regret minimisation: on the machine, without a tree.
//!
//! An iteration samples a part of the game for each role and updates the regrets of the information sets it meets;
//! these are kept by evidence, and there is nothing else that grows with the game. The average policy approaches an
//! equilibrium in zero-sum games of two roles and an optimum in games of one role, with high probability; the error
//! falls with the root of the number of iterations. With more roles or other goals nothing is guaranteed. Steps are
//! sequences of decisions as in the tree, and a history in which a role has no legal move ends as there.
//!
//! Iteration t counts t times, in regrets and in averages (linear CFR): measured in Leduc poker and Liar's Dice that is
//! up to a third better than equal weights in the first 10,000 iterations and no different after a million.
//!
//! Iteration i draws from the stream i of its seed alone. So the same iterations give the same result, however they are
//! divided into calls.
//!
//! Reference: Lanctot, Waugh, Zinkevich, Bowling, *Monte Carlo Sampling for Regret Minimization in Extensive Games*
//! (NIPS 2009); Brown, Sandholm, *Solving Imperfect-Information Games via Discounted Regret Minimization* (AAAI 2019),
//! for the linear weights.

mod accounts;
mod external;
mod outcome;
mod positions;
mod rule;
mod scheme;
mod target;
mod traversal;

#[cfg(test)]
mod tests;

use super::met::{Averages, Sampled, SampledPolicy, SamplingError};
use super::profile::Profile;
use super::tree::{GameTree, TreeError};
use crate::tree::{Following, SetMoves};
use accounts::Accounts;
use external::VISITS;
use hyperplay_machine::{Budget, Bulk, Evidence, History, Move, Seed, StateMachineExt};
use outcome::OwnStep;
use positions::MetPositions;
use target::Target;
use traversal::{NOBODY, Traversal};

pub use scheme::SamplingScheme;
pub use target::AimOptions;

/// A regret minimiser that samples.
///
/// ```
#[doc = include_str!("../../monty_hall.example")]
/// use hyperplay_think::solve::{
///     GameTree, MonteCarloMinimiser, Sampled, SampledPolicy, SamplingScheme, SequenceForm, TreeLimits,
/// };
///
/// let seed = Seed::root(1);
/// let mut minimiser = MonteCarloMinimiser::new(&*machine, SamplingScheme::External);
/// let done: Sampled = minimiser.iterate(&*machine, 1_000, &seed);
/// done?;
/// assert_eq!((minimiser.method, minimiser.iterations), (SamplingScheme::External, 1_000));
/// assert_eq!(minimiser.information_sets(), 7);
/// assert!(minimiser.visits > 10_000);
///
/// // The candidate who has seen a goat switches.
/// let mut policies = minimiser.policies();
/// let SampledPolicy { role, moves, probabilities, .. } =
///     policies.find(|policy| policy.evidence == evidence).expect("it was met");
/// assert_eq!((role, machine.show_move(moves[1])), (candidate, "switch".to_owned()));
/// assert!(probabilities[1] > 0.99);
///
/// // In a game that has a tree the average can be judged.
/// let tree = GameTree::build(&*machine, &TreeLimits::default())?;
/// let profile = minimiser.to_profile(&tree);
/// assert!(SequenceForm::new(&tree, 50.0).judge(&profile).nash_conv < 0.01);
///
/// // The same iterations give the same, in one call or in two.
/// let mut again = MonteCarloMinimiser::new(&*machine, SamplingScheme::External);
/// again.iterate(&*machine, 300, &seed)?;
/// again.iterate(&*machine, 700, &seed)?;
/// assert_eq!(again.to_profile(&tree), profile);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive_where::derive_where(Clone)]
pub struct MonteCarloMinimiser<M: Bulk> {
    /// The method.
    pub method: SamplingScheme,
    /// Iterations made, each with a traversal for every role.
    pub iterations: u64,
    /// Nodes visited: draws of `random`, decisions and ends.
    pub visits: u64,
    /// A traversal of external sampling that visits more nodes ends with an error.
    pub widest: u64,
    /// The places of the roles that decide.
    players: Vec<u32>,
    positions: MetPositions<M>,
    accounts: Accounts,
    root: Option<Following>,
    target: Target,
    /// Why it cannot go on.
    failure: Option<SamplingError>,
}

impl<M: Bulk> MonteCarloMinimiser<M> {
    /// A minimiser before its first iteration.
    pub fn new(machine: &M, method: SamplingScheme) -> Self {
        let players = machine.each_role().filter(|&role| Some(role) != machine.random());
        MonteCarloMinimiser {
            method,
            iterations: 0,
            visits: 0,
            widest: VISITS,
            players: players.map(|role| role.index() as u32).collect(),
            positions: MetPositions::new(machine),
            accounts: Accounts::new(method == SamplingScheme::Outcome),
            root: None,
            target: Target::default(),
            failure: None,
        }
    }

    /// Information sets met. Each takes about 150 bytes.
    pub fn information_sets(&self) -> usize {
        self.positions.tree.sets.list().len()
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        self.positions.tree.bytes() + 24 * self.positions.tree.classes() + self.accounts.bytes()
    }

    /// Makes `count` iterations on the game for which it was made. The first iteration of all draws from
    /// `seed.index(1)`.
    ///
    /// # Errors
    /// If an iteration meets something that the rules or the method do not allow; then the minimiser stays as it is,
    /// and gives the same error again.
    pub fn iterate(&mut self, machine: &M, count: u64, seed: &Seed) -> Sampled {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let done = self.try_to_iterate(machine, count, seed);
        self.failure = done.clone().err();
        done
    }

    fn try_to_iterate(&mut self, machine: &M, count: u64, seed: &Seed) -> Sampled {
        let root = self.root(machine)?;
        let (mut values, mut path): (Vec<f64>, Vec<OwnStep>) = (Vec::new(), Vec::new());
        for _ in 0..count {
            self.iterations += 1;
            let Following::Position(root) = root else { continue };
            let mut rng = seed.index(self.iterations as usize).rng();
            for place in 0..self.players.len() {
                let averaged = self.players[(place + 1) % self.players.len()];
                // A single role is averaged in traversals of nobody.
                let alone = (averaged == self.players[place]).then_some(NOBODY);
                for role in [self.players[place]].into_iter().chain(alone) {
                    let (before, aim) = (self.positions.tree.len(), self.target.aim(&mut rng));
                    let mut traversal = Traversal {
                        machine,
                        positions: &mut self.positions,
                        accounts: &mut self.accounts,
                        rng: &mut rng,
                        role,
                        averaged,
                        weight: self.iterations as f64,
                        visits: 0,
                        widest: self.widest,
                        aim,
                        ratio: 1.0,
                    };
                    let node = traversal.enter(root);
                    if role == NOBODY {
                        traversal.run(node, 1.0)?;
                    } else if self.method == SamplingScheme::External {
                        traversal.external(node, &mut values, 0)?;
                    } else {
                        traversal.outcome(node, &mut path)?;
                    }
                    self.visits += traversal.visits;
                    self.positions.release(before);
                }
            }
        }
        Ok(())
    }

    /// Makes iterations of outcome sampling that aim at histories, each with a weight, until the options or the budget end
    /// them, whose nodes are visits. What is learnt has the expectation that it has without a target, and is sooner good
    /// where the histories lead. Half of the budget may be spent on finding them.
    ///
    /// # Errors
    /// As [`iterate`](MonteCarloMinimiser::iterate); a deadline is none.
    ///
    /// # Panics
    /// If the method is external sampling, which tries all moves and follows no history.
    pub fn iterate_aimed(
        &mut self,
        machine: &M,
        histories: impl Iterator<Item = (History, f64)>,
        options: &AimOptions,
        budget: &Budget,
        seed: &Seed,
    ) -> Sampled {
        assert_eq!(self.method, SamplingScheme::Outcome, "only outcome sampling aims");
        let held = self.positions.tree.len();
        self.positions.memory = self.positions.memory.min(options.memory / 4);
        machine.set_deadline(&mut self.positions.scratch, budget.deadline);
        let done = self.try_to_aim(machine, histories, options, budget, seed);
        machine.set_deadline(&mut self.positions.scratch, None);
        self.target = Target::default();
        self.failure = done.err().filter(|failure| *failure != SamplingError::Rules(TreeError::Stopped));
        self.positions.release(held);
        self.failure.clone().map_or(Ok(()), Err)
    }

    fn try_to_aim(
        &mut self,
        machine: &M,
        histories: impl Iterator<Item = (History, f64)>,
        options: &AimOptions,
        budget: &Budget,
        seed: &Seed,
    ) -> Sampled {
        self.iterate(machine, 0, seed)?;
        let root = self.root(machine)?;
        let (begin, half) = (self.visits, budget.share(0.5));
        let mut found = Vec::new();
        for (history, weight) in histories {
            if half.is_late() || half.nodes.is_some_and(|nodes| self.visits - begin >= nodes / 2) {
                break;
            }
            let before = self.positions.tree.len();
            let places = self.positions.places(machine, &mut self.accounts, root, &history)?;
            self.positions.release(before);
            self.visits += places.len() as u64;
            found.push((places, weight));
        }
        self.target = Target::new(found, options.share);
        for _ in 0..options.iterations {
            let is_spent = budget.less(self.visits - begin).nodes == Some(0) || budget.is_late();
            if is_spent || self.bytes() > options.memory {
                break;
            }
            self.iterate(machine, 1, seed)?;
        }
        Ok(())
    }

    /// The first position or the end of the game.
    fn root(&mut self, machine: &M) -> Sampled<Following> {
        match self.root {
            Some(root) => Ok(root),
            None => Ok(*self.root.insert(self.positions.root(machine, &mut self.accounts)?)),
        }
    }

    /// The average policy after some evidence: the moves there, and their probabilities; `None` where it was not met.
    pub fn policy(&self, evidence: &Evidence) -> Option<(&[Move], Vec<f64>)> {
        self.averages().policy(evidence)
    }

    /// The average policies at all information sets that were met, in the order in which they were.
    pub fn policies(&self) -> impl Iterator<Item = SampledPolicy<'_>> {
        self.averages().policies()
    }

    /// The average policies as a profile of the tree of the same game, for judgement; even where none was met.
    pub fn to_profile(&self, tree: &GameTree) -> Profile {
        self.averages().to_profile(tree)
    }

    fn averages(&self) -> Averages<'_, M, impl Fn(SetMoves) -> Vec<f64>> {
        let average = |SetMoves { first, count }| self.accounts.average(first, count);
        Averages { tree: &self.positions.tree, average }
    }
}
