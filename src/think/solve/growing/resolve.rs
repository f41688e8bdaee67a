//! From one solve to the next: the sub-game around what a role knows now.
//!
//! The *candidates* for its roots are the positions of the grown tree after as many steps, and states that were found
//! elsewhere. Roots are taken in the order of knowledge: first those that the role holds possible, then those that
//! another role holds possible at one of these, and so on, until there are as many as allowed or all are taken that
//! somebody's knowledge leads to. In the second case nobody can know that the match is outside the sub-game, and with a gadget the new
//! policies are as safe as the last ones; in the first they may not be.
//!
//! All that the new solve needs of the last one is taken from its average policies: how probably the roles came to the
//! roots, and the value of every class of evidence there to a role that plays best from it on. A class of which the last
//! tree knew nothing gets the smaller of its value now and the value of the game to its role.
//!
//! With a blueprint the sub-game is grown at once, and it is solved if it comes to all ends and its roots are all that somebody's knowledge
//! leads to. What the others had before is then known exactly. In every other case the blueprint is played on.
//!
//! What was learnt below the roots is kept, and the rest of the tree is left out. Its nodes still take memory; when more
//! than half of the most nodes are used, and something is left to grow below the roots, the tree begins anew at them, with
//! nothing below.
//!
//! References: Burch, Johanson, Bowling (2014), Moravcik et al. (2017), for continual re-solving; Zhang, Sandholm (2021, 2025),
//! for order by knowledge; Brown, Sandholm, *Safe and Nested Subgame Solving for Imperfect-Information Games* (2017), for a
//! blueprint that is played until the end of the game can be solved.

use std::sync::Arc;
use std::time::Duration;

use rand::{Rng, RngExt};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::met::Sampled;
use super::super::sequences::MIDDLE;
use super::super::tree::TreeError;
use super::descent::Guide;
use super::estimate::NOBODY;
use super::gadget::Gadget;
use super::grown::GrownTree;
use super::pass::{Pass, Policies};
use super::roots::{NOWHERE, Roots, Side};
use super::{GrowingMinimiser, GrowingOptions, WARM, range};
use hyperplay_machine::{Budget, Bulk, Evidence, Role, Seed, Stopwatch};

/// The time that it takes to go over to a sub-game, in passes over the tree before.
const IN_PASSES: u32 = 6;

/// Added to the reach of a role where roots are drawn, so that those it never came to under the last solve are among them.
const LEAST_REACH: f64 = 0.1;

/// A state that was found elsewhere: not in the tree.
#[derive(Clone, Debug)]
pub struct FoundState<S> {
    /// The state, which is no end.
    pub state: S,
    /// The evidence of each role there.
    pub known: Vec<Evidence>,
    /// How probable it is where all roles choose uniformly, in a unit in which the states that the searching role holds possible
    /// have the sum 1.
    pub weight: f64,
}

/// What a sub-game was made of.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Subgame {
    /// Roots,
    pub roots: usize,
    /// those of them that the searching role holds possible,
    pub own: usize,
    /// and those that were in the tree before.
    pub kept: usize,
    /// The share of the nodes of the tree before that is below them.
    pub share: f64,
    /// Whether the policies of the last solve [stay](GrowingMinimiser::settle).
    pub stays: bool,
    /// Whether a [blueprint](GrowingMinimiser::with_blueprint) is played as it is, because what follows does not fit into the tree or its roots
    /// are not all that somebody's knowledge leads to.
    pub follows: bool,
}

/// What a class of evidence of another role had before, and has in the sub-game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Alternative {
    /// Whose.
    pub role: Role,
    /// The value under the last solve, 0..=100.
    pub before: f64,
    /// The value in the sub-game, 0..=100.
    pub now: f64,
}

/// A possible root.
struct Candidate<S> {
    /// Its number, if it is in the tree;
    position: Option<u32>,
    /// its state if not.
    state: Option<S>,
    known: Vec<u32>,
    prior: f64,
}

/// The reach of roles, by role and class.
type Reaches = FxHashMap<(usize, u32), f64>;

impl<M: Bulk> GrowingMinimiser<M> {
    /// How many positions of the tree a role holds possible after some evidence, and how many others some role holds possible there.
    pub fn held(&mut self, evidence: &Evidence) -> (usize, usize) {
        let (class, positions) = (self.tree.positions.class(evidence), &self.tree.positions);
        let known =
            self.tree.by_step.get(evidence.step()).into_iter().flatten().map(|&at| positions.known(at));
        let (own, others): (Vec<_>, Vec<_>) = known.partition(|known| known[evidence.role.index()] == class);
        let players = || self.players.iter().map(|&role| role as usize);
        let leads: FxHashSet<_> =
            own.iter().flat_map(|known| players().map(|role| (role, known[role]))).collect();
        let is_led = |known: &&[u32]| players().any(|role| leads.contains(&(role, known[role])));
        (own.len(), others.into_iter().filter(is_led).count())
    }

    /// Goes over to the sub-game around what a role knows. The states `found` are taken in besides those of the tree. Where the
    /// time would probably not do, nothing happens.
    ///
    /// # Errors
    /// If there is nothing to begin at, a state has no place in a tree, or the deadline passed; then the minimiser cannot
    /// go on.
    pub fn resolve(
        &mut self,
        machine: &M,
        evidence: &Evidence,
        found: Vec<FoundState<M::State>>,
        budget: &Budget,
        seed: &Seed,
    ) -> Sampled {
        self.failure.clone().map_or(Ok(()), Err)?;
        if budget.left().is_some_and(|left| left < self.time_of(self.passing) * IN_PASSES) {
            return Ok(());
        }
        self.tree.set_deadline(machine, budget.deadline);
        let done = self.enter(machine, evidence, found, budget, seed);
        self.tree.set_deadline(machine, None);
        self.make_room();
        self.failure = done.clone().err();
        done
    }

    fn enter(
        &mut self,
        machine: &M,
        evidence: &Evidence,
        found: Vec<FoundState<M::State>>,
        budget: &Budget,
        seed: &Seed,
    ) -> Sampled {
        let (step, own) = (evidence.step(), evidence.role.index());
        let own = (own, self.tree.positions.class(evidence));
        let average = self.average_everywhere();
        let continuations = self.continuations(own.0);
        if self.expected.is_empty() {
            let value = |role| self.usual(role as u32, &average).value(&self.tree);
            self.expected = (0..machine.roles().len()).map(value).collect();
        }
        let all = self.candidates(step, found, own);
        let mut reaches = self.reaches_at_roots();
        let (mut chosen, is_whole) = self.by_knowledge(all, own, &mut reaches, &mut seed.rng());
        self.is_closed &= is_whole && self.tree.is_grown_until(step);
        let reach = |role, class| self.reach(role, class, &mut reaches);
        let known = chosen.iter().map(|of| (of.position, of.prior, &of.known[..]));
        let mut roots = Roots::of_subgame(known, machine.roles().len(), own, reach);
        let has_none = self.tree.blueprint.is_none();
        let mut before = has_none.then(|| self.before(&roots, own.0, &average));

        let kept = chosen.iter().filter(|of| of.position.is_some()).count();
        let nodes = self.tree.followed;
        self.last = self.at_grown(&average);
        let in_tree: Option<Vec<u32>> = chosen.iter().map(|of| of.position).collect();
        let is_grown = || in_tree.is_some_and(|roots| self.tree.is_grown_below(roots));
        if self.tree.nodes() > self.options.nodes / 2 && !is_grown() {
            self.begin_anew(machine, &mut chosen, &mut roots);
        }
        let mut fresh = Vec::new();
        for (candidate, root) in chosen.into_iter().zip(&mut roots.list) {
            root.position = candidate.position.unwrap_or(NOWHERE);
            if let Some(state) = candidate.state
                && let Some(added) = self.tree.add(machine, state, &candidate.known, step as u32)?
            {
                // Nothing if it is an end.
                fresh.push(added);
                root.position = added;
            }
        }
        roots.list.retain(|root| root.position != NOWHERE);
        if roots.list.is_empty() {
            return Err(TreeError::Stopped.into());
        }
        self.tree.begin_at(roots, step);
        if let Some(continuations) = continuations {
            self.tree.continue_by(machine, continuations);
            let all = self.tree.by_step.iter().flatten().copied();
            fresh = all.filter(|&leaf| self.tree.followings(leaf).is_empty()).collect();
        }
        self.tree.grow_or_value(machine, &fresh, &seed.index(0))?;
        self.make_room();
        let (share, mut follows) = (self.tree.followed as f64 / nodes.max(1) as f64, false);
        if !has_none {
            self.grow_to_ends(machine, budget, &seed.index(1))?;
            before = Some(self.before(&self.tree.roots, own.0, &self.last));
            follows = self.tree.leaves > 0 || !self.is_closed;
        }
        self.begin_sums(budget.deadline.is_some());
        let roots = &self.tree.roots;
        let held = roots.list.iter().filter(|root| roots.is_own(root)).count();
        self.subgame = Subgame { roots: roots.list.len(), own: held, kept, share, stays: false, follows };
        let watch = Stopwatch::start();
        self.add_gadgets(own.0, before.unwrap_or_default());
        self.judging = watch.elapsed() * 2;
        Ok(())
    }

    /// All positions of the tree after a number of steps, and the states that were found and are not among them. What the role and class
    /// `own` holds possible says how their units compare: the prior of its positions in the tree, over the weight of the found states
    /// that are among these. Where the tree has none of them, its positions are left out.
    fn candidates(
        &mut self,
        step: usize,
        found: Vec<FoundState<M::State>>,
        own: (usize, u32),
    ) -> Vec<Candidate<M::State>> {
        let (uniform, mut pass) =
            (self.by_move(|set| vec![1.0 / f64::from(set.count); set.count as usize]), Pass::default());
        let policies = Policies { role: NOBODY, own: &[], others: &uniform };
        pass.descend(&self.tree, policies, |root| (1.0, root.prior));
        let tree = &mut self.tree;
        let candidate = |&position: &u32| {
            let (known, prior) = (tree.positions.known(position).to_vec(), pass.others[position as usize]);
            Candidate { position: Some(position), state: None, known, prior }
        };
        let mut all: Vec<_> = tree.by_step.get(step).into_iter().flatten().map(candidate).collect();
        let in_tree = all.len();
        if found.is_empty() {
            return all;
        }
        let mut classes = |known: &[Evidence]| known.iter().map(|of| tree.positions.class(of)).collect();
        let found: Vec<(Vec<u32>, _, _)> =
            found.into_iter().map(|of| (classes(&of.known), of.state, of.weight)).collect();
        // Few positions of the tree know the same.
        let known: FxHashSet<&[u32]> = found.iter().map(|(known, ..)| &known[..]).collect();
        let alike = all.iter().enumerate().filter(|(_, of)| known.contains(&of.known[..]));
        let state = |of: &Candidate<M::State>| of.position.map(|at| tree.positions.state(at).clone());
        let places = alike.map(|(place, of)| ((of.known.clone(), state(of)), place));
        let mut places: FxHashMap<(Vec<u32>, Option<M::State>), usize> = places.collect();
        let is_own = |of: &&Candidate<M::State>| of.known[own.0] == own.1;
        let held = found.iter().filter(|(known, ..)| known[own.0] == own.1).count();
        let (prior, mut common) = (all.iter().filter(is_own).map(|of| of.prior).sum::<f64>(), 0.0);
        for (known, state, weight) in found {
            let state = Some(state);
            let place = *places.entry((known.clone(), state.clone())).or_insert(all.len());
            match all.get_mut(place) {
                Some(of) if place < in_tree => common += if is_own(&&*of) { weight } else { 0.0 },
                Some(of) => of.prior += weight,
                None => all.push(Candidate { position: None, state, known, prior: weight }),
            }
        }
        // Where none was drawn, it is taken that the next would have been one.
        let common = if common > 0.0 { common } else { 1.0 / (held + 1) as f64 };
        if prior > 0.0 {
            all[in_tree..].iter_mut().for_each(|of| of.prior *= prior / common);
        } else {
            all.drain(..in_tree);
        }
        all
    }

    /// The reach of the roles at the roots of the last solve.
    fn reaches_at_roots(&self) -> Reaches {
        let mut reaches = Reaches::default();
        for (role, side) in self.tree.roots.sides.iter().enumerate() {
            let classes = side.classes.iter().zip(&side.reach);
            reaches.extend(classes.map(|(&class, &reach)| ((role, class), reach)));
        }
        reaches
    }

    /// How probably a role made the moves that led to a class, over uniform play; moves at sets that were not met count
    /// as uniform.
    fn reach(&self, role: usize, class: u32, reaches: &mut Reaches) -> f64 {
        if let Some(&known) = reaches.get(&(role, class)) {
            return known;
        }
        let (positions, of) = (&self.tree.positions, Role::new(role));
        let Some((former, own)) = positions.step_before(of, class) else { return 1.0 };
        let share = positions.sets.of_class(of, former).and_then(|set| {
            let place = positions.sets.of(set).iter().position(|&listed| listed == own)?;
            let average = self.average(positions.sets.list()[set as usize]);
            Some(average[place] * average.len() as f64)
        });
        let reach = share.unwrap_or(1.0) * self.reach(role, former, reaches);
        reaches.insert((role, class), reach);
        reach
    }

    /// The candidates that become roots, by the order of knowledge, at most as many as the options allow. Where only some
    /// candidates of one distance have room, they are drawn, and their priors grow so that all sums stay what they are in
    /// expectation (priority sampling). Besides, whether none were left out.
    fn by_knowledge(
        &self,
        mut all: Vec<Candidate<M::State>>,
        own: (usize, u32),
        reaches: &mut Reaches,
        rng: &mut impl Rng,
    ) -> (Vec<Candidate<M::State>>, bool) {
        let players = self.players.iter().map(|&role| role as usize);
        let (mut chosen, mut leads, mut is_whole) = (Vec::new(), FxHashSet::from_iter([own]), true);
        // Half of the room is for what the others hold possible.
        let most = self.options.roots;
        let mut room = most.div_ceil(2);
        loop {
            let is_led = |of: &mut Candidate<M::State>| {
                players.clone().any(|role| leads.contains(&(role, of.known[role])))
            };
            let ring: Vec<Candidate<M::State>> = all.extract_if(.., is_led).collect();
            let mut keyed: Vec<(f64, f64, Candidate<M::State>)> = ring
                .into_iter()
                .map(|of| {
                    let others = players.clone().filter(|&role| role != own.0);
                    let reach = |role| LEAST_REACH + self.reach(role, of.known[role], reaches);
                    let weight = of.prior * others.map(reach).product::<f64>();
                    (weight / (1.0 - rng.random::<f64>()), weight, of)
                })
                .collect();
            if keyed.len() > room {
                is_whole = false;
                keyed.sort_by(|a, b| b.0.total_cmp(&a.0));
                let least = keyed[room].0;
                keyed.truncate(room);
                keyed.iter_mut().for_each(|(_, weight, of)| of.prior *= least.max(*weight) / *weight);
            }
            if keyed.is_empty() {
                return (chosen, is_whole);
            }
            leads = keyed
                .iter()
                .flat_map(|(.., of)| players.clone().map(|role| (role, of.known[role])))
                .collect();
            chosen.extend(keyed.into_iter().map(|(.., of)| of));
            room = most.saturating_sub(chosen.len());
            if room == 0 {
                return (chosen, false);
            }
        }
    }

    /// For each role and class at the roots: its value under the last solve, if that knew it.
    fn before(&self, roots: &Roots, own: usize, average: &[f64]) -> Vec<Vec<Option<f64>>> {
        let of_role = |(role, side): (usize, &Side)| {
            if role == own || !self.players.contains(&(role as u32)) {
                return vec![None; side.classes.len()];
            }
            let best = self.best_response(role as u32, average);
            let value = |at: u32| Some(best.values[at as usize]).filter(|_| best.others[at as usize] > 0.0);
            let sums = roots.sums(role as u32, |at| if at == NOWHERE { None } else { value(at) });
            sums.into_iter().map(|(all, value)| (all > 0.0).then(|| value / all)).collect()
        };
        roots.sides.iter().enumerate().map(of_role).collect()
    }

    /// Grows what follows roots that are closed, as far as the most nodes and half of the budget allow, in time and in nodes. The policies there are those
    /// of the last solve, or of the blueprint where that was not.
    fn grow_to_ends(&mut self, machine: &M, budget: &Budget, seed: &Seed) -> Sampled {
        let each = Some(self.growing).filter(|each| !each.is_zero()).unwrap_or(Duration::MAX);
        let (half, before) = (budget.share(0.5), self.tree.nodes());
        let half_of = |nodes: u64| usize::try_from(nodes / 2).unwrap_or(usize::MAX);
        let within = budget.nodes.map_or(usize::MAX, |nodes| before.saturating_add(half_of(nodes)));
        let most = if self.is_closed { self.options.nodes.min(within) } else { 0 };
        let new = |left: Duration| (left / 2).div_duration_f64(each) * self.options.growth;
        for wave in 0.. {
            let in_time = half.left().map_or(u64::MAX, |left| new(left) as u64);
            let leaves = self.tree.first_leaves(in_time.min(most.saturating_sub(self.tree.nodes()) as u64));
            if leaves.is_empty() {
                break;
            }
            let nodes = self.tree.nodes();
            let grown = self.tree.grow(machine, &leaves, &seed.index(wave));
            self.visits += (self.tree.nodes() - nodes) as u64;
            grown?;
        }
        self.make_room();
        self.last = self.average_everywhere();
        for set in self.tree.sets_below() {
            self.policy[range(set)].copy_from_slice(&self.last[range(set)]);
        }
        Ok(())
    }

    /// An empty tree in the place of this one. The roots keep what is known of them.
    fn begin_anew(&mut self, machine: &M, chosen: &mut [Candidate<M::State>], roots: &mut Roots) {
        let old = std::mem::replace(&mut self.tree, GrownTree::new(machine, self.options.playouts));
        self.tree.valued_by = Arc::clone(&old.valued_by);
        self.tree.blueprint = old.blueprint.clone();
        let mut class = |role, of| self.tree.positions.class(&old.positions.evidence(Role::new(role), of));
        for of in chosen {
            of.known = of.known.iter().enumerate().map(|(role, &known)| class(role, known)).collect();
            of.state = of.state.take().or_else(|| Some(old.positions.state(of.position?).clone()));
            of.position = None;
        }
        for (role, side) in roots.sides.iter_mut().enumerate() {
            side.classes.iter_mut().for_each(|of| *of = class(role, *of));
        }
        self.guide = Guide::default();
        self.given.clear();
        for numbers in
            [&mut self.regrets, &mut self.policy, &mut self.sums, &mut self.modelled, &mut self.last]
        {
            numbers.clear();
        }
    }

    /// Lets the averages of all sets below the roots begin anew. What is played there stays. With a deadline the regrets become those of as few
    /// iterations as the solve goes on from, because it may make too few to outweigh those of the last one.
    fn begin_sums(&mut self, is_timed: bool) {
        let share = if is_timed { WARM as f64 / self.round.max(WARM) as f64 } else { 1.0 };
        for set in self.tree.sets_below() {
            self.sums[range(set)].fill(0.0);
            self.regrets[range(set)].iter_mut().for_each(|regret| *regret *= share);
        }
        self.round = self.round.min(WARM);
    }

    /// Gives the other roles their choice before the roots.
    fn add_gadgets(&mut self, own: usize, before: Vec<Vec<Option<f64>>>) {
        let average = self.average_everywhere();
        for (role, before) in before.into_iter().enumerate() {
            if role == own || !self.players.contains(&(role as u32)) {
                continue;
            }
            let now = self.at_roots(role as u32, &average);
            let alternatives = before.iter().zip(&now).map(|(before, (weight, value))| {
                let estimate = if *weight > 0.0 { value / weight } else { f64::INFINITY };
                before.unwrap_or(estimate.min(self.expected[role]))
            });
            let weights: Vec<f64> = now.iter().map(|(weight, _)| *weight).collect();
            let side = &self.tree.roots.sides[role];
            let GrowingOptions { gadget, perturbation, .. } = self.options;
            let kind = (gadget, perturbation.max(self.share(role as u32)));
            let gadget = Gadget::new(kind, alternatives.collect(), &side.reach, &weights);
            self.tree.roots.sides[role].gadget = gadget;
        }
    }

    /// By class of a role at the roots: the weight of these roots, and the weighted sum of their values under the averages.
    fn at_roots(&self, role: u32, average: &[f64]) -> Vec<(f64, f64)> {
        let usual = self.usual(role, average);
        self.tree.roots.sums(role, |position| Some(usual.values[position as usize]))
    }

    /// What the gadgets of the other roles had before, and what their classes have in the sub-game.
    pub fn alternatives(&self) -> Vec<Alternative> {
        let average = self.average_everywhere();
        let sides = self.tree.roots.sides.iter().enumerate();
        let of_side = |(role, side): (usize, &Side)| {
            let now = self.at_roots(role as u32, &average).into_iter();
            let before = side.gadget.iter().flat_map(|gadget| &gadget.alternatives);
            let each = before.zip(now).filter(|(_, (weight, _))| *weight > 0.0);
            let alternative = |(before, (weight, value)): (&f64, (f64, f64))| Alternative {
                role: Role::new(role),
                before: before + MIDDLE,
                now: value / weight + MIDDLE,
            };
            each.map(alternative).collect::<Vec<_>>()
        };
        sides.filter(|(_, side)| side.gadget.is_some()).flat_map(of_side).collect()
    }
}
