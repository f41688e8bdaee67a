//! Regret minimisation on a tree that grows: an anytime solver that needs no complete tree. It begins at the initial state,
//! and can go over to the sub-game around what a role knows ([`resolve`]), whose [`roots`] are many.
//!
//! An iteration first grows the leaves to which descents come ([`descent`]; with a blueprint the first ones by number of steps), about a tenth of the tree, and then updates
//! the regrets of every information set of the grown tree, role by role, by predictive discounted CFR+ ([`pass`]). A leaf is worth
//! the mean goals of random playouts, or what [other values](GrowingMinimiser::valued_by) say, and in a sub-game the other roles can choose how
//! they play in these ([`continuations`]). With the last leaf the tree is the game tree, and from then on this is a regret
//! minimiser by [that rule](RegretRule::PredictiveDiscounted); in zero-sum games of two roles the average policies
//! approach an equilibrium.
//! Before that nothing is guaranteed; local best responses in matches bound what can be gained then.
//!
//! The roles but one can [follow](GrowingMinimiser::following) a model with a probability at each choice. What is learnt for them is
//! the rest. With a [blueprint](GrowingMinimiser::with_blueprint) nothing is learnt where that says something, until the rest of the game fits
//! into the tree.
//!
//! An iteration takes time in proportion to the grown tree, so all of them together take about fifty times the last.
//! Iteration i draws from the stream i of its seed alone, so iterations give the same in one call or in several.
//!
//! Reference: Schmid et al., *Student of Games* (2023), growing-tree CFR; Zhang, Sandholm, *General Search Techniques
//! without Common Knowledge for Imperfect-Information Games, and Application to Superhuman Fog of War Chess* (2025).

mod continuations;
mod descent;
mod estimate;
mod gadget;
mod grown;
mod pass;
mod resolve;
mod roots;
mod settled;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use rustc_hash::FxHashSet;

use super::met::{Averages, Sampled, SampledPolicy, SamplingError};
use super::profile::{Profile, normalise};
use super::regret::{PREDICTED, RegretRule};
use super::sequences::MIDDLE;
use super::tree::{GameTree, TreeError};
use crate::tree::{LeafValues, SetMoves};
use descent::Guide;
pub use gadget::GadgetKind;
use grown::GrownTree;
use hyperplay_machine::{Budget, Bulk, Evidence, Move, Role, Seed, StateMachineExt, Stopwatch};
use pass::{Pass, Policies};
pub use resolve::{Alternative, FoundState, Subgame};

/// An iteration begins only if this many times the time that it probably takes is left.
const RESERVE: f64 = 2.0;

/// How the tree of a solve grows under a clock.
struct Pace {
    /// In which part of the time, at its beginning. A leaf that was not yet refuted looks better than it is, and while new ones come the
    /// average policies go after them.
    growing: f64,
    /// And while a pass takes less than the whole time over this number.
    passes: u32,
    /// And never while a pass takes longer than this.
    slowest: Duration,
}

/// The solve from the initial state. To go over to a sub-game takes some passes of a play clock that may be short.
const FIRST: Pace = Pace { growing: 0.8, passes: 300, slowest: Duration::from_millis(5) };

/// The solve of a sub-game, whose policies do not begin anew.
const LATER: Pace = Pace { growing: 0.5, passes: 15, slowest: Duration::MAX };

/// A solve that keeps something goes on as if it had made this number of iterations.
const WARM: u64 = 4;

/// How a tree grows. The growth was chosen by measurement (`docs/measurements.md`).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GrowingOptions {
    /// Playouts of a new leaf.
    pub playouts: u32,
    /// By which share of its nodes the tree grows before an iteration.
    pub growth: f64,
    /// The most nodes, about; a tree that has them does not grow. A node takes about 250 bytes.
    pub nodes: usize,
    /// The choice of the other roles before the roots of a sub-game.
    pub gadget: GadgetKind,
    /// How much of that choice is what they did under the last solve, at least: 0 to 1.
    pub perturbation: f64,
    /// The most roots of a sub-game.
    pub roots: usize,
    /// Among how many policies each other role chooses at the leaves of a sub-game, 1 to 3. With a blueprint, where a model is followed,
    /// and where a leaf would have more than 64 values, there is one.
    pub continuations: u32,
}

impl Default for GrowingOptions {
    fn default() -> Self {
        let (nodes, gadget, perturbation) = (10_000_000, GadgetKind::Resolve, 0.1);
        let (roots, continuations) = (200, 1);
        GrowingOptions { playouts: 16, growth: 0.1, nodes, gadget, perturbation, roots, continuations }
    }
}

/// The probabilities with which a role chooses among its moves, given what it knows.
pub type Policy = Arc<dyn Fn(Role, &Evidence, &[Move]) -> Vec<f64> + Send + Sync>;

/// The same, one probability for each move, with the sum 1; `None` where nothing is said.
pub type Blueprint = Arc<dyn Fn(Role, &Evidence, &[Move]) -> Option<Vec<f64>> + Send + Sync>;

/// A regret minimiser on a tree that grows.
///
/// ```
#[doc = include_str!("../../monty_hall.example")]
/// use hyperplay_think::solve::{GrowingMinimiser, GrowingOptions};
///
/// let mut minimiser = GrowingMinimiser::new(&*machine, GrowingOptions::default());
/// minimiser.iterate(&*machine, 5, &Seed::root(1))?;
/// assert!(minimiser.leaves() > 0);
/// minimiser.iterate(&*machine, 500, &Seed::root(1))?;
/// assert!(minimiser.leaves() == 0 && minimiser.judged_in_tree().is_some_and(|(gain, _)| gain < 0.01));
///
/// assert_eq!(minimiser.information_sets(), 7);
/// assert_eq!(minimiser.policy(&evidence).expect("it was met").0.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive_where::derive_where(Clone)]
pub struct GrowingMinimiser<M: Bulk> {
    options: GrowingOptions,
    /// Iterations made.
    pub iterations: u64,
    /// The places of the roles that decide.
    pub players: Vec<u32>,
    tree: GrownTree<M>,
    guide: Guide,
    pass: Pass,
    /// By number of a move: its regret as the rule keeps it, what is played, and the weighted sum of what was played.
    regrets: Vec<f64>,
    policy: Vec<f64>,
    sums: Vec<f64>,
    /// The role that follows nothing, how probably the others follow a policy at a choice, and that policy.
    model: Option<(u32, f64, Policy)>,
    /// By number of a move: its probability by that policy.
    modelled: Vec<f64>,
    /// The numbers of the sets at which the blueprint says something.
    given: FxHashSet<usize>,
    /// Whether the roots are all positions to which somebody's knowledge leads.
    is_closed: bool,
    /// Nodes visited, in each iteration all those below the roots.
    pub visits: u64,
    /// The time of the last iteration in which the tree grew and that of the last passes, over the nodes of the tree.
    growing: Duration,
    passing: Duration,
    /// Iterations on the sub-game, about.
    round: u64,
    /// By role: the value of the game under the first solve; nothing before the first sub-game.
    expected: Vec<f64>,
    /// By number of a move: the average policies of the last solve, where its tree was grown and 0 elsewhere.
    last: Vec<f64>,
    /// About the time that it takes to judge a sub-game that has not grown yet: twice that of making its gadgets.
    judging: Duration,
    /// The last sub-game.
    pub subgame: Subgame,
    /// Why it cannot go on.
    failure: Option<SamplingError>,
}

impl<M: Bulk> GrowingMinimiser<M> {
    /// A minimiser before its first iteration.
    pub fn new(machine: &M, options: GrowingOptions) -> Self {
        let players = machine.each_role().filter(|&role| Some(role) != machine.random());
        GrowingMinimiser {
            options,
            iterations: 0,
            players: players.map(|role| role.index() as u32).collect(),
            tree: GrownTree::new(machine, options.playouts),
            guide: Guide::default(),
            pass: Pass::default(),
            regrets: Vec::new(),
            policy: Vec::new(),
            sums: Vec::new(),
            model: None,
            modelled: Vec::new(),
            given: FxHashSet::default(),
            is_closed: true,
            visits: 0,
            growing: Duration::ZERO,
            passing: Duration::ZERO,
            round: 0,
            expected: Vec::new(),
            last: Vec::new(),
            judging: Duration::ZERO,
            subgame: Subgame::default(),
            failure: None,
        }
    }

    /// The same, before its first iteration, where all roles but `own` follow a policy with this probability at each choice.
    #[must_use]
    pub fn following(self, own: Role, share: f64, policy: Policy) -> Self {
        let model = (share > 0.0).then_some((own.index() as u32, share, policy));
        GrowingMinimiser { model, ..self }
    }

    /// The same, before its first iteration, with policies that were found before, if there are any. They are what is played before the first sub-game
    /// (the trunk, Moravcik et al. 2017), and in each that does not fit into the tree to its end. One that does begins with them and learns; what
    /// the other roles had before is then what they have at best against these policies (Burch et al. 2014), without any value of a leaf.
    #[must_use]
    pub fn with_blueprint(mut self, blueprint: Option<Blueprint>) -> Self {
        self.subgame.follows = blueprint.is_some();
        self.tree.blueprint = blueprint;
        self
    }

    /// The same, before its first iteration, with other values of leaves than random playouts.
    #[must_use]
    pub fn valued_by(mut self, leaves: Arc<dyn LeafValues<M>>) -> Self {
        self.tree.valued_by = leaves;
        self
    }

    /// How probably a role follows the model.
    fn share(&self, role: u32) -> f64 {
        self.model.as_ref().filter(|(own, ..)| *own != role).map_or(0.0, |(_, share, _)| *share)
    }

    /// Nodes of the grown tree.
    pub fn nodes(&self) -> usize {
        self.tree.nodes()
    }

    /// How many positions may still be grown; 0 if the tree is that of the whole game but for what is too wide.
    pub fn leaves(&self) -> usize {
        self.tree.leaves - self.tree.wide
    }

    /// How many positions have too many choices to be grown.
    pub fn too_wide(&self) -> usize {
        self.tree.wide
    }

    /// Whether some position is grown in which this role knows this, so that its policy is more than that every move is as
    /// good.
    pub fn is_grown(&self, evidence: &Evidence) -> bool {
        let (set, role) = (self.tree.positions.set(evidence), evidence.role.index() as u32);
        let chooses = |at: u32| {
            self.tree.positions.choosers(at).iter().any(|of| of.role == role && Some(of.set) == set)
        };
        let mut all = self.tree.by_step.get(evidence.step()).into_iter().flatten().copied();
        all.any(|at| !self.tree.followings(at).is_empty() && chooses(at))
    }

    /// Whether nothing is grown and nothing can be, because what the tree begins at has too many choices.
    fn is_bare(&self) -> bool {
        self.tree.wide > 0 && self.leaves() == 0 && self.tree.followed == 0
    }

    /// Information sets met.
    pub fn information_sets(&self) -> usize {
        let (origins, roles) = (self.tree.positions.sets.origins(), self.tree.positions.roles());
        origins.iter().filter(|(role, _)| role.index() < roles).count()
    }

    /// Makes `count` iterations on the game for which it was made. The first iteration of all draws from
    /// `seed.index(1)`.
    ///
    /// # Errors
    /// If an iteration meets something that has no place in a tree; then the minimiser stays as it is, and gives the same
    /// error again.
    pub fn iterate(&mut self, machine: &M, count: u64, seed: &Seed) -> Sampled {
        self.iterate_within(machine, count, &Budget::UNLIMITED, seed)
    }

    /// The same within a budget, of which an iteration takes a node for each node of the tree. Time that would probably
    /// not do for one more iteration is left over.
    ///
    /// # Errors
    /// As [`iterate`](GrowingMinimiser::iterate).
    pub fn iterate_within(&mut self, machine: &M, count: u64, budget: &Budget, seed: &Seed) -> Sampled {
        self.failure.clone().map_or(Ok(()), Err)?;
        self.tree.set_deadline(machine, budget.deadline);
        let done = self.iterate_in_time(machine, count, budget, seed);
        self.tree.set_deadline(machine, None);
        self.make_room();
        match done {
            Err(SamplingError::Rules(TreeError::Stopped)) if budget.is_late() => Ok(()),
            done => {
                self.failure = done.clone().err();
                done
            }
        }
    }

    fn iterate_in_time(&mut self, machine: &M, count: u64, budget: &Budget, seed: &Seed) -> Sampled {
        let (before, all) = (self.visits, budget.left());
        let pace = if self.expected.is_empty() { FIRST } else { LATER };
        for _ in 0..count {
            let (growing, passing) = (self.time_of(self.growing), self.time_of(self.passing));
            let left = budget.left().map(|left| left.saturating_sub(self.settling()));
            let is_enough = |time: Duration| left.is_none_or(|left| left >= time.mul_f64(RESERVE));
            let is_spent = budget.nodes.is_some_and(|nodes| self.visits - before >= nodes);
            let is_useless = self.is_given() || self.is_bare() && (budget.nodes.is_some() || all.is_some());
            if is_spent || budget.is_late() || !is_enough(passing) || is_useless {
                break;
            }
            let grows = all.is_none_or(|all| {
                let is_early = budget.left() >= Some(all.mul_f64(1.0 - pace.growing));
                is_early && passing <= (all / pace.passes).min(pace.slowest) && is_enough(growing)
            });
            self.iterate_once(machine, seed, grows)?;
            self.visits += self.tree.followed as u64 + 1;
        }
        Ok(())
    }

    /// Whether iterations change nothing any more: the blueprint says what is played at all sets of a tree that does not grow.
    fn is_given(&self) -> bool {
        let grows = self.is_closed && self.leaves() > 0 && self.tree.nodes() < self.options.nodes;
        let sets = self.tree.positions.sets.list().len();
        self.subgame.follows && !grows && self.round > WARM && self.given.len() == sets
    }

    /// About the time of some work on the whole tree, by that for a node.
    fn time_of(&self, each: Duration) -> Duration {
        each * (self.tree.followed as u32 + 1)
    }

    fn iterate_once(&mut self, machine: &M, seed: &Seed, grows: bool) -> Sampled {
        let watch = Stopwatch::start();
        let seed = seed.index(self.iterations as usize + 1);
        self.tree.begin(machine, &seed.index(0))?;
        self.make_room();
        let leaves = if grows { self.chosen(&seed.index(1)) } else { Vec::new() };
        self.tree.grow(machine, &leaves, &seed.index(2))?;
        self.make_room();
        self.round += 1;
        self.iterations += 1;
        let before = watch.elapsed();
        (0..self.players.len()).for_each(|place| self.update(self.players[place]));
        let (all, nodes) = (watch.elapsed(), self.tree.followed as u32 + 1);
        self.passing = measured(self.passing, (all - before) / nodes);
        if !leaves.is_empty() {
            self.growing = measured(self.growing, all / nodes);
        }
        Ok(())
    }

    /// Makes room for the moves of all information sets that were met.
    fn make_room(&mut self) {
        let sets = &self.tree.positions.sets;
        let (known, moves) = (self.policy.len(), sets.moves().len());
        for numbers in [&mut self.regrets, &mut self.sums, &mut self.guide.values, &mut self.policy] {
            numbers.resize(moves, 0.0);
        }
        self.guide.visits.resize(moves, 0);
        let news = sets.list().partition_point(|set| (set.first as usize) < known);
        for set in &sets.list()[news..] {
            self.policy[range(*set)].fill(1.0 / f64::from(set.count));
        }
        self.ask(news);
    }

    /// Asks the blueprint and the model at all information sets from this number on.
    fn ask(&mut self, first: usize) {
        let positions = &self.tree.positions;
        if first == positions.sets.list().len() || self.model.is_none() && self.tree.blueprint.is_none() {
            return;
        }
        self.modelled.resize(self.policy.len(), 0.0);
        for (set, (role, class)) in positions.sets.origins().into_iter().enumerate().skip(first) {
            let (moves, share) = (range(positions.sets.list()[set]), self.share(role.index() as u32));
            let (evidence, legal) = (positions.evidence(role, class), positions.sets.of(set as u32));
            let before = self.tree.blueprint.as_ref().and_then(|blueprint| blueprint(role, &evidence, legal));
            if let Some(before) = before {
                self.policy[moves.clone()].copy_from_slice(&before);
                self.given.insert(set);
            }
            if let Some((.., model)) = self.model.as_ref().filter(|_| share > 0.0) {
                let policy = model(role, &evidence, legal);
                self.modelled[moves.clone()].copy_from_slice(&policy);
                follow(&mut self.policy[moves], &policy, share);
            }
        }
    }

    /// The leaves that are grown next.
    fn chosen(&mut self, seed: &Seed) -> Vec<u32> {
        let mut rng = seed.rng();
        let wanted = ((self.tree.followed + 1) as f64 * self.options.growth) as u64 + 1;
        let (mut chosen, mut seen, mut choices) = (Vec::new(), FxHashSet::default(), 0);
        if self.leaves() == 0 || self.tree.nodes() >= self.options.nodes || self.players.is_empty() {
            return chosen;
        }
        if self.tree.blueprint.is_some() {
            return self.tree.first_leaves(wanted);
        }
        let (starts, players) = (self.tree.roots.starts(), self.players.len());
        for descent in 0..2 * wanted as usize {
            let explorer = self.players[descent % players];
            let start = self.tree.roots.draw(&starts[descent / players % 2], &mut rng);
            let leaf = start
                .and_then(|start| self.guide.descend(&self.tree, &self.policy, start, explorer, &mut rng));
            let Some(leaf) = leaf.filter(|&leaf| self.tree.may_grow(leaf) && seen.insert(leaf)) else {
                continue;
            };
            choices += self.tree.positions.choices(leaf);
            chosen.push(leaf);
            if choices >= wanted {
                break;
            }
        }
        if chosen.is_empty() {
            // Nobody goes to what is left, but there is time for it.
            chosen = self.tree.first_leaves(1);
        }
        chosen
    }

    /// Updates a role against what is played.
    fn update(&mut self, role: u32) {
        let share = self.share(role);
        let GrowingMinimiser { tree, pass, policy, regrets, sums, guide, modelled, given, .. } = self;
        let policies = Policies { role, own: policy, others: policy };
        pass.descend_from_roots(tree, policies);
        (0..tree.by_step.len()).rev().for_each(|step| pass.climb(tree, step, policies));
        tree.roots.update(role, self.round, &pass.values);
        let factors = RegretRule::PredictiveDiscounted.factors(self.round);
        let reached = tree.sets.iter().map(|&number| (number as usize, pass.reach[number as usize]));
        for (number, [own, others]) in reached.filter(|(_, reach)| *reach != [0.0; 2]) {
            let moves = range(tree.positions.sets.list()[number]);
            let (policy, gains) = (&mut policy[moves.clone()], &pass.gains[moves.clone()]);
            let sums = sums[moves.clone()].iter_mut().zip(&*policy);
            sums.for_each(|(sum, share)| *sum += factors.weight * own * share);
            if others > 0.0 {
                let values = guide.values[moves.clone()].iter_mut().zip(gains);
                values.for_each(|(value, gain)| *value = gain / others);
                match share {
                    _ if self.subgame.follows && given.contains(&number) => {}
                    0.0 => _ = factors.update::<PREDICTED>(&mut regrets[moves], policy, gains),
                    1.0 => {}
                    share => {
                        let modelled = &modelled[moves.clone()];
                        let learnt = |(own, by_model): (&mut f64, &f64)| {
                            *own = ((*own - share * by_model) / (1.0 - share)).max(0.0);
                        };
                        policy.iter_mut().zip(modelled).for_each(learnt);
                        factors.update::<PREDICTED>(&mut regrets[moves], policy, gains);
                        follow(policy, modelled, share);
                    }
                }
            }
        }
    }

    /// The average policy after some evidence: the moves there, and their probabilities; `None` where it was not met.
    pub fn policy(&self, evidence: &Evidence) -> Option<(&[Move], Vec<f64>)> {
        self.averages().policy(evidence)
    }

    /// The same with what the moves bring, as goals, for the second. The average policies of all other roles lead there.
    pub fn valued_policy(&self, evidence: &Evidence) -> Option<(&[Move], Vec<f64>, Vec<f64>)> {
        let set = self.tree.positions.sets.list()[self.tree.positions.set(evidence)? as usize];
        let values = self.guide.values.get(range(set))?.iter().map(|value| value + MIDDLE);
        let (moves, shares) = self.policy(evidence)?;
        Some((moves, values.collect(), shares))
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
        Averages { tree: &self.tree.positions, average: |set| self.average(set) }
    }

    fn average(&self, set: SetMoves) -> Vec<f64> {
        let sums = &self.sums[range(set)];
        // Where its role never went, what is played there is as good as any.
        let of = if sums.iter().sum::<f64>() > 0.0 { sums } else { &self.policy[range(set)] };
        let mut shares = of.to_vec();
        normalise(&mut shares);
        shares
    }
}

/// Mixes what a model says into what was learnt.
fn follow(learnt: &mut [f64], modelled: &[f64], share: f64) {
    let mix = |(own, by_model): (&mut f64, &f64)| *own = share * by_model + (1.0 - share) * *own;
    learnt.iter_mut().zip(modelled).for_each(mix);
}

/// A time that was measured again. One pause of the program does not stop all that follows.
fn measured(before: Duration, now: Duration) -> Duration {
    if before.is_zero() { now } else { now.min(before * 2) }
}

/// Where the numbers of the moves of a set lie.
fn range(set: SetMoves) -> std::ops::Range<usize> {
    set.first as usize..(set.first + set.count) as usize
}
