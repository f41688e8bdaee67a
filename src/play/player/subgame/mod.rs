//! The player `subgame`: it solves the game around what it knows at every decision, in a tree that grows, and draws its move
//! from the strategy.
//!
//! The start clock, or half of the first decision with a choice, solves from the initial state. Every decision goes over to the sub-game
//! around its evidence ([`GrowingMinimiser::resolve`]): roots are the positions of the last tree that it holds possible, those
//! that others hold possible at these, and so on. Where the tree has too few of them, particles of its
//! belief are added, and what the others hold possible there. The belief is that of [`hyperplay`](mod@super::hyperplay), with the
//! same keys. The other roles choose before the roots whether they enter (the key `gadget`), so the new strategy does not give
//! them more than the last one did. In between, the tree grows on. With a `blueprint`, a policy file or what `sampled` iterations of external
//! sampling find, all play as that says, until a sub-game with all its roots fits into the tree to its end.
//!
//! With several `continuations` the other roles choose how they play beyond the leaves of a sub-game.
//!
//! The other roles follow the opponent model at each choice with the probability `modelled`, and adapt otherwise. That is a
//! restricted response: with 1 the best one to the model, as far as the tree reaches.
//!
//! Safety holds for two roles of which one wins what the other loses, as far as the tree reaches; with more roles or another
//! sum each role minimises its regret, and nothing is guaranteed. Where nothing is hidden and roles move in turn there is nothing to
//! mix, and the state is searched as by `hyperplay`, with its keys; so it is where the rules give no tree.
//!
//! References: Moravcik et al. 2017; Zhang, Sandholm 2021, 2025.

mod found;

use std::sync::Arc;

use super::deliberation::{Deliberation, judged};
use super::judgement::{Judgement, judge, with};
use super::margin::SAFE_SHARE;
use super::own_belief::{Choice, Possible};
use super::selection::IsPlain;
use super::{Decision, DecisionCost, OwnBelief, Player, Reason, SpecWord};
use found::found;
use hyperplay_engine::Engine;
use hyperplay_machine::{Budget, EvaluationFailure, Evidence, Move, Role, Seed};
use hyperplay_think::search::{SearchContext, StateSearch};
use hyperplay_think::solve::{
    Blueprint, GadgetKind, GrowingMinimiser, GrowingOptions, MonteCarloMinimiser, SamplingError,
    SamplingScheme, TreeError,
};

/// The share of the budget of a first decision that solves from the initial state.
const FIRST: f64 = 0.5;

/// Where no number is written, more iterations than this are not made before the first move, nor between decisions on a tree that has no
/// leaf left.
const CONVERGED: u64 = 2_000;

/// A blueprint is dropped that visited fewer nodes than this for each of its information sets.
const LEAST_VISITS: u64 = 100;

/// Why there is no strategy at a decision of which no position is grown where some may not be.
const TOO_WIDE: &str = "there are more than 2^20 joint moves, for which no tree is grown";

/// Iterations between two counts.
const SAMPLED_TOGETHER: u64 = 100;

impl SpecWord for GadgetKind {
    const WORDS: &'static [(&'static str, GadgetKind)] =
        &[("resolve", GadgetKind::Resolve), ("maxmargin", GadgetKind::Maxmargin), ("none", GadgetKind::None)];
}

/// The player `subgame` for one match: iterations of a solve and how its tree grows, without a deadline and with one, and the
/// most moves that are mixed, 0 for all. The blueprint is what was solved before, if anything was, or what as many iterations find.
pub(super) fn subgame(
    belief: OwnBelief,
    search: Arc<dyn StateSearch<Engine>>,
    solves: [(u64, GrowingOptions); 2],
    moves: usize,
    (blueprint, sampled, is_plain): (Option<Blueprint>, u64, IsPlain),
) -> impl Player {
    let (role, model, leaves) = (belief.role, Arc::clone(&belief.model), Arc::clone(&belief.leaves));
    let new = move |machine: &Engine, options: GrowingOptions, share: f64| {
        let model = Arc::clone(&model);
        let policy =
            move |role: Role, evidence: &Evidence, legal: &[Move]| model.policy(role, evidence, legal);
        GrowingMinimiser::new(machine, options)
            .following(role, share, Arc::new(policy))
            .valued_by(Arc::clone(&leaves))
    };
    let (share, new) = (belief.modelled(), Arc::new(new));
    let choice =
        SubgameChoice { search, solves, moves, new, share, is_plain, blueprint, sampled, minimiser: None };
    belief.player_with(choice, true)
}

type NewMinimiser = dyn Fn(&Engine, GrowingOptions, f64) -> GrowingMinimiser<Engine> + Send + Sync;

/// The choice from sub-games.
#[derive(Clone)]
struct SubgameChoice {
    search: Arc<dyn StateSearch<Engine>>,
    solves: [(u64, GrowingOptions); 2],
    moves: usize,
    /// A minimiser before its first iteration, where the other roles follow the model with this probability at a choice,
    new: Arc<NewMinimiser>,
    /// and that probability.
    share: f64,
    is_plain: IsPlain,
    blueprint: Option<Blueprint>,
    /// Where there is none, iterations that find one.
    sampled: u64,
    minimiser: Option<GrowingMinimiser<Engine>>,
}

impl Choice for SubgameChoice {
    fn prepare(&mut self, machine: &Engine, budget: &Budget, seed: &Seed) {
        if !(self.is_plain)(budget) {
            let count = if self.is_open() { CONVERGED } else { self.effort(budget).0 };
            self.begin(machine, count, budget, seed);
        }
    }

    fn choose(&mut self, deliberation: Deliberation<'_>, possible: &Possible<'_>) -> Decision {
        let (legal, seed, mut failure) = (deliberation.legal, deliberation.seed, None);
        // A model that has excluded what was seen is followed no more.
        self.minimiser.take_if(|_| possible.modelled != self.share);
        self.share = possible.modelled;
        // Where the first decision is forced its clock, which is the start clock, is there to prepare.
        let (belief, role, deadline) = (possible.belief, deliberation.role, deliberation.budget.deadline);
        let is_first = || belief.evidence_until(&belief.particles()[0], role, deadline).step() == 0;
        let may_prepare = self.minimiser.is_none() && !deliberation.budget.reproduces();
        if legal.len() == 1 && may_prepare && is_first() {
            self.prepare(deliberation.machine, &deliberation.budget, &seed.child("prepare"));
        }
        let decision = deliberation.unless_forced(|mut context, legal| {
            let solved = match (self.is_plain)(&context.budget) {
                true => Err(None),
                false => self.solve(&mut context, possible, legal, &mut failure),
            };
            solved.unwrap_or_else(|why| {
                let (judgement, cost, mut reasons) =
                    judged(&mut context, &*self.search, possible.states, legal, judge);
                reasons.splice(0..0, why);
                (judgement, cost, reasons)
            })
        });
        decision.admitting(failure, legal, seed)
    }

    fn think_ahead(&mut self, deliberation: Deliberation<'_>, _: &Possible<'_>) -> bool {
        let (is_open, (count, _)) = (self.is_open(), self.effort(&deliberation.budget));
        let (context, _) = deliberation.context();
        // Where the policies of the last solve stay they are kept.
        let may_go_on = |of: &&mut GrowingMinimiser<Engine>| is_open && !of.subgame.stays;
        let Some(minimiser) = self.minimiser.as_mut().filter(may_go_on) else { return false };
        let before = minimiser.visits;
        let done = minimiser.iterate_within(context.machine, count, &context.budget, &context.seed);
        // Where a turn has no time for an iteration, no other one has.
        let (goes_on, is_whole) = (done.is_ok() && minimiser.visits > before, minimiser.leaves() == 0);
        goes_on && !(is_whole && minimiser.iterations >= CONVERGED)
    }
}

impl SubgameChoice {
    /// Whether no number of iterations is written, so that under a clock there are as many as the time allows.
    fn is_open(&self) -> bool {
        self.solves[0].0 != self.solves[1].0
    }

    /// Iterations of a solve with this budget, and how its tree grows.
    fn effort(&self, budget: &Budget) -> (u64, GrowingOptions) {
        self.solves[usize::from(!budget.reproduces())]
    }

    /// Solves from the initial state. Where the number of nodes ends that, and no budget does, a blueprint is sampled, and played in place of what was
    /// found. The nodes visited.
    fn begin(&mut self, machine: &Engine, count: u64, budget: &Budget, seed: &Seed) -> u64 {
        let (_, options) = self.effort(budget);
        let new = |blueprint| (self.new)(machine, options, self.share).with_blueprint(blueprint);
        let mut minimiser = new(self.blueprint.clone());
        // What cannot be solved is said at the decision.
        let _ = minimiser.iterate_within(machine, count, budget, seed);
        let mut visits = minimiser.visits;
        let is_cut = minimiser.leaves() > 0 && minimiser.nodes() >= options.nodes;
        let is_free = self.blueprint.is_none() && self.share == 0.0 && minimiser.players.len() > 1;
        if is_cut && is_free && budget.reproduces() && budget.nodes.is_none() {
            let (count, most) = (std::mem::take(&mut self.sampled), options.nodes as u64);
            let (sampler, suits) = sampled(machine, count, most, &seed.child("sampled"));
            visits += sampler.visits;
            if suits {
                self.blueprint = Some(Arc::new(move |_, evidence, legal| {
                    let found = sampler.policy(evidence).filter(|(moves, _)| *moves == legal);
                    found.map(|(_, shares)| shares)
                }));
                minimiser = new(self.blueprint.clone());
                let _ = minimiser.iterate_within(machine, count, budget, seed);
                visits += minimiser.visits;
            }
        }
        self.minimiser = Some(minimiser);
        visits
    }

    /// Solves the sub-game of a decision. Why there is no strategy, if there is none.
    fn solve(
        &mut self,
        context: &mut SearchContext<'_, Engine>,
        possible: &Possible<'_>,
        legal: &[Move],
        failure: &mut Option<EvaluationFailure>,
    ) -> Result<(Judgement, DecisionCost, Vec<Reason>), Option<Reason>> {
        // After the solve the values and alternatives of the tree are computed for `explain`, which takes up to a tenth of the budget.
        let (machine, budget, seed) = (context.machine, context.budget.share(SAFE_SHARE), &context.seed);
        let (count, GrowingOptions { roots, .. }) = self.effort(&budget);
        let particle = &possible.belief.particles()[0];
        // Asked before the time is up, because an answer after the deadline may be cut off.
        let evidence = possible.belief.evidence_until(particle, context.role, budget.deadline);
        let mut begun = 0;
        if self.minimiser.as_ref().is_none_or(|of| of.iterations == 0) {
            let first = Budget { nodes: budget.nodes.map(|nodes| nodes / 2), ..budget.share(FIRST) };
            begun = self.begin(machine, count, &first, &seed.child("first"));
        }
        let budget = budget.less(begun);
        let minimiser = self.minimiser.as_mut().expect("it has begun");
        let before = minimiser.visits;
        let solve = |minimiser: &mut GrowingMinimiser<Engine>| {
            if evidence.step() > 0 {
                let found = found(minimiser, &evidence, possible, &budget, roots, seed);
                minimiser.resolve(machine, &evidence, found, &budget, &seed.child("roots"))?;
            }
            let left = budget.less(minimiser.visits - before);
            minimiser.iterate_within(machine, count, &left, &seed.child("solve"))?;
            minimiser.settle(&budget);
            Ok(())
        };
        let done = solve(minimiser);
        let cost = DecisionCost { states: begun + minimiser.visits - before, playouts: 0 };
        let has_failed = done.is_err();
        let why = done.err().map(|error| {
            if let SamplingError::Rules(TreeError::Failed(found)) = &error {
                *failure = Some(found.clone());
            }
            Reason::said(error.to_string())
        });
        let is_solved = minimiser.is_grown(&evidence) || self.blueprint.is_some();
        let is_wide = !is_solved && minimiser.too_wide() > 0;
        let why = why.or_else(|| is_wide.then(|| Reason::said(TOO_WIDE)));
        let found = minimiser.valued_policy(&evidence).filter(|_| is_solved);
        let found = found.and_then(|(moves, values, shares)| {
            let place = |own: &Move| moves.iter().position(|listed| listed == own);
            let each = legal.iter().map(|own| place(own).map(|place| (shares[place], values[place])));
            each.collect::<Option<Vec<(f64, f64)>>>()
        });
        let solved = Reason::Solved {
            nodes: minimiser.nodes(),
            iterations: minimiser.iterations,
            subgame: minimiser.subgame,
            alternatives: minimiser.alternatives(),
        };
        let result = match found {
            Some(found) => {
                let (mut shares, values): (Vec<f64>, Vec<f64>) = found.into_iter().unzip();
                purify(&mut shares, self.moves);
                let judgement = Judgement { values: with(legal, values), ..Judgement::of(legal, shares) };
                Ok((judgement, cost, std::iter::once(solved).chain(why).collect()))
            }
            None => Err(why),
        };
        // One that failed cannot go on: the next decision begins anew.
        self.minimiser.take_if(|_| has_failed);
        result
    }
}

/// `count` iterations of external sampling, and whether they suit a blueprint: not where they have more than `most` information sets, or
/// visited few nodes for them.
fn sampled(machine: &Engine, count: u64, most: u64, seed: &Seed) -> (MonteCarloMinimiser<Engine>, bool) {
    let (mut sampler, mut suits) = (MonteCarloMinimiser::new(machine, SamplingScheme::External), count > 0);
    sampler.widest = most;
    while suits && sampler.iterations < count {
        let done = sampler.iterate(machine, SAMPLED_TOGETHER.min(count - sampler.iterations), seed);
        suits = done.is_ok() && sampler.information_sets() as u64 <= most;
    }
    suits &= sampler.visits >= LEAST_VISITS * sampler.information_sets() as u64;
    (sampler, suits)
}

/// Leaves this number of the most probable moves, or all for 0.
fn purify(shares: &mut [f64], moves: usize) {
    let mut sorted = shares.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let Some(&least) = moves.checked_sub(1).and_then(|last| sorted.get(last)) else { return };
    shares.iter_mut().for_each(|share| *share = if *share < least { 0.0 } else { *share });
    let sum: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= sum);
}
