//! Playouts: what each move is worth by the mean goal of uniform random play after it.
//!
//! The playouts are flat (without a tree) and follow sequential halving (Karnin, Koren, Somekh 2013); all are made by
//! [`Bulk::playouts`]. They are divided evenly into as many phases as it takes to halve the moves down to one. In a
//! phase every move that is still tried gets the same number of playouts in every state of the same share. Then the
//! lower half by *weighted mean over the states* is dropped, because the states are particles and one move is chosen
//! for all of them. Where a move is illegal, it counts as the mean of that state's moves, as in the decision. A dropped
//! move keeps the mean that it had, which is below that of every move kept. With two moves, or with few playouts, this
//! is the even split. How many playouts there will be is the count that is wanted or, if less, what the budget is good
//! for by the cost of those made ([`BatchSize`]). Without halving there is one phase: all moves share evenly.
//!
//! A state can have a larger *share*: of share 3 it gets three times the playouts a move of one of share 1.
//!
//! Within a phase the playouts come in rounds of equally many a move and state. So whatever ends the work, the moves
//! that are still tried have been tried equally often. The work ends with the count that is wanted, with the nodes
//! (every playout step is one; they are checked between rounds, and the first round is always made), or with the
//! deadline. A round is one call, as large as the budget allows, because a machine that plays in lanes works best so.
//! Without a deadline the result depends on the seed alone; round `r` draws from the stream `seed/r/0`. The error of
//! a value is at most 50 / sqrt(playouts).

use rustc_hash::FxHashMap;

use super::bandit::Arm;
use super::batch_size::BatchSize;
use super::context::SearchContext;
use super::evaluation::{Evaluation, Method};
use crate::tree::LeafValues;
use hyperplay_machine::{Budget, Bulk, Move, Role, Seed, Start};

/// With fewer playouts a move than this, over all states together, halving drops the best too often: all moves share
/// evenly (`docs/measurements.md`).
const HALVED: u64 = 12;

/// Starts of a call in the first round before a deadline.
const FIRST: usize = 1024;

/// The results of playouts.
#[derive(Clone, PartialEq, Debug)]
pub struct Playouts {
    /// One evaluation for each state, in the order given.
    pub evaluations: Vec<Evaluation>,
    /// How many playouts were made.
    pub playouts: u64,
    /// How many steps they took together.
    pub steps: u64,
}

/// A state that is still to be judged, not terminal.
#[derive(Clone, PartialEq, Debug)]
pub struct OpenState<'a, S> {
    /// The state.
    pub state: &'a S,
    /// The legal moves of the role whose moves are judged.
    pub moves: Vec<Move>,
    /// How much the state counts beside the others; positive.
    pub weight: f64,
    /// How many times the playouts of a state of share 1 it gets; at least 1.
    pub share: u32,
}

/// Judges the moves of the context's role in each state by `count` playouts a move and share on average. With `halving`
/// the moves that are best by then get most of them, otherwise all get equally many.
pub fn playouts<M: Bulk>(
    context: &mut SearchContext<'_, M>,
    states: &[OpenState<'_, M::State>],
    count: u32,
    halving: bool,
) -> Playouts {
    let SearchContext { machine, role, ref budget, leaves, ref weights, ref seed, ref mut scratch } =
        *context;
    let mut flat = Flat::new((machine, leaves), states, role, BatchSize::new(*budget));
    flat.starts.iter_mut().for_each(|start| start.weights.clone_from(weights));
    let wanted = u64::from(count).saturating_mul(flat.shares());
    let (mut phase, mut phases) = (1, 1);
    let mut round = 0;
    'phases: while phase <= phases {
        // In this phase: playouts made before it, and of each start in it.
        let (before, mut made) = (flat.batch.playouts, 0);
        loop {
            let total = wanted.min(flat.batch.playouts.saturating_add(flat.batch.rest()));
            if phase == 1 && halving {
                phases = flat.phases(total);
            }
            let due = total.saturating_sub(before) / (phases + 1 - phase);
            let each = (due / flat.shares().max(1)).max(u64::from(round == 0));
            if made >= each {
                break;
            }
            let size = flat.batch.size(flat.shares(), each - made);
            if size == 0 {
                break 'phases;
            }
            flat.play(size, &seed.index(round), budget, scratch);
            made += u64::from(size);
            round += 1;
        }
        if made > 0 && halving {
            flat.halve();
        }
        phase += 1;
    }
    let mut arms = flat.trials.iter().map(|trial| trial.arm);
    let evaluations = states
        .iter()
        .map(|OpenState { moves, .. }| {
            let arms: Vec<Arm> = arms.by_ref().take(moves.len()).collect();
            let least = arms.iter().map(|arm| arm.known).min().unwrap_or(0);
            Evaluation::sampled(moves, &arms, Method::Playouts(least))
        })
        .collect();
    Playouts { evaluations, playouts: flat.batch.playouts, steps: flat.batch.steps }
}

/// A move tried in a state.
struct Trial {
    /// The number of the move.
    own: usize,
    /// The position of the state, its weight and its share.
    state: usize,
    weight: f64,
    share: u32,
    /// What its playouts brought; none is under way.
    arm: Arm,
}

/// The playouts under way.
struct Flat<'a, M: Bulk> {
    machine: &'a M,
    leaves: &'a dyn LeafValues<M>,
    role: Role,
    batch: BatchSize,
    /// Every move of every state.
    trials: Vec<Trial>,
    /// Those that are still tried, and where their playouts start, in the same order.
    tried: Vec<usize>,
    starts: Vec<Start<M::State>>,
    /// Which of the distinct moves are still tried.
    alive: Vec<bool>,
}

impl<'a, M: Bulk> Flat<'a, M> {
    fn new(
        (machine, leaves): (&'a M, &'a dyn LeafValues<M>),
        states: &[OpenState<'_, M::State>],
        role: Role,
        batch: BatchSize,
    ) -> Self {
        let mut numbers: FxHashMap<Move, usize> = FxHashMap::default();
        let (mut starts, mut trials) = (Vec::new(), Vec::new());
        for (position, &OpenState { state, ref moves, weight, share }) in states.iter().enumerate() {
            for &own in moves {
                let next = numbers.len();
                let number = *numbers.entry(own).or_insert(next);
                starts.push(Start {
                    state: state.clone(),
                    first: vec![(role, own)],
                    weights: None,
                    count: 0,
                });
                trials.push(Trial { own: number, state: position, weight, share, arm: Arm::default() });
            }
        }
        let (tried, alive) = ((0..trials.len()).collect(), vec![true; numbers.len()]);
        Flat { machine, leaves, role, batch, trials, tried, starts, alive }
    }

    /// The shares of all that is still tried, added up.
    fn shares(&self) -> u64 {
        self.tried.iter().map(|&trial| u64::from(self.trials[trial].share)).sum()
    }

    /// As many phases as halve the moves down to one, where `total` playouts are enough for that.
    fn phases(&self, total: u64) -> u64 {
        let moves = self.alive.len();
        if total < HALVED * moves as u64 { 1 } else { moves.max(2).next_power_of_two().ilog2().into() }
    }

    /// Makes `size` playouts from every start of share 1.
    fn play(&mut self, size: u32, seed: &Seed, budget: &Budget, scratch: &mut M::Scratch) {
        for (start, &trial) in self.starts.iter_mut().zip(&self.tried) {
            start.count = size.saturating_mul(self.trials[trial].share);
        }
        // How long the first round takes is not known: the playouts made before the deadline shall count.
        let is_first = self.batch.playouts == 0 && !budget.reproduces();
        let part = if is_first { FIRST } else { self.starts.len().max(1) };
        let (mut playouts, mut steps) = (0, 0);
        for (number, (starts, tried)) in self.starts.chunks(part).zip(self.tried.chunks(part)).enumerate() {
            if number > 0 && budget.is_late() {
                break;
            }
            let tallies = self.leaves.tallies(self.machine, starts, &seed.index(number), budget, scratch);
            for (&trial, tally) in tried.iter().zip(&tallies) {
                self.trials[trial].arm.learn(tally.count, tally.sum[self.role]);
                playouts += u64::from(tally.count);
                steps += tally.steps;
            }
        }
        self.batch.spend(playouts, steps);
    }

    /// Keeps the better half of the moves by their weighted mean over the states.
    fn halve(&mut self) {
        let known = || self.trials.iter().filter(|trial| trial.arm.known > 0);
        let mut means = vec![(0.0, 0.0); self.trials.last().map_or(0, |last| last.state + 1)];
        for trial in known() {
            means[trial.state].0 += trial.arm.mean();
            means[trial.state].1 += 1.0;
        }
        // A move is worth the mean of a state, and where it is legal, by so much more or less.
        let mut more = vec![0.0; self.alive.len()];
        for trial in known() {
            let (sum, count) = means[trial.state];
            more[trial.own] += trial.weight * (trial.arm.mean() - sum / count);
        }
        let mut ranked: Vec<usize> = (0..self.alive.len()).filter(|&own| self.alive[own]).collect();
        ranked.sort_by(|&a, &b| more[b].total_cmp(&more[a]));
        for &own in &ranked[ranked.len().div_ceil(2)..] {
            self.alive[own] = false;
        }
        let all = std::mem::take(&mut self.tried).into_iter().zip(std::mem::take(&mut self.starts));
        (self.tried, self.starts) = all.filter(|&(trial, _)| self.alive[self.trials[trial].own]).unzip();
    }
}

#[cfg(test)]
mod tests {
    use super::super::context::toy_context as context;
    use super::*;
    use crate::toy::{Toy, at, choice, end};
    use hyperplay_machine::{StateMachine, StateMachineExt};
    use std::time::Duration;

    /// A coin for the first move, a certain 40 for the second.
    fn coin() -> Toy {
        Toy::table(
            &["a", "b"],
            vec![
                choice(&[2, 1], &[1, 2]),
                choice(&[1, 2], &[3, 4]),
                end(&[40, 60]),
                end(&[100, 0]),
                end(&[0, 100]),
            ],
        )
    }

    fn run(count: u32, budget: Budget) -> Playouts {
        let toy = coin();
        let legal = toy.legal_by_role(&toy.initial(), &mut ())[Role::new(0)].clone();
        let open = OpenState { state: &at(0), moves: legal, weight: 1.0, share: 1 };
        playouts(&mut context(&toy, 0, budget), &[open], count, true)
    }

    #[test]
    fn the_mean_over_many_playouts_is_near_the_exact_value_and_the_counts_are_exact() {
        let made = run(1_000, Budget::UNLIMITED);
        let evaluation = &made.evaluations[0];
        assert_eq!((made.playouts, made.steps), (2_000, 3_000));
        assert_eq!(evaluation.method, Method::Playouts(1_000));
        assert!((evaluation.values[0] - 50.0).abs() < 5.0, "{evaluation:?}");
        assert_eq!(evaluation.values[1], 40.0);
        assert_eq!(made, run(1_000, Budget::UNLIMITED));
    }

    /// Two states of one role with four and two moves, of which the first state has the share 3.
    #[test]
    fn without_halving_every_move_of_a_share_gets_equally_many_and_with_it_the_best_get_more() {
        let toy = Toy::table(
            &["a", "b"],
            vec![choice(&[4, 1], &[2, 3, 3, 3]), choice(&[2, 1], &[2, 3]), end(&[100, 0]), end(&[0, 100])],
        );
        let states = [at(0), at(1)];
        let open = |place: usize, share: u32| {
            let moves = toy.legal_by_role(&states[place], &mut ())[Role::new(0)].clone();
            OpenState { state: &states[place], moves, weight: 0.5, share }
        };
        let made = |halving: bool, budget: Budget| {
            playouts(&mut context(&toy, 0, budget), &[open(0, 3), open(1, 1)], 40, halving)
        };
        let methods = |made: &Playouts| -> Vec<Method> {
            made.evaluations.iter().map(|evaluation| evaluation.method).collect()
        };
        let even = made(false, Budget::UNLIMITED);
        assert_eq!(even.playouts, 40 * (3 * 4 + 2));
        assert_eq!(methods(&even), [Method::Playouts(120), Method::Playouts(40)]);
        let halved = made(true, Budget::UNLIMITED);
        // The same number in all, but for what does not divide; the moves that are dropped first have half of the even
        // split.
        assert!((540..=560).contains(&halved.playouts), "{halved:?}");
        assert_eq!(methods(&halved)[0], Method::Playouts(60));
        assert_eq!(even.evaluations[0].values, [100.0, 0.0, 0.0, 0.0]);
        assert_eq!(halved.evaluations[0].values, even.evaluations[0].values);
        // A budget of nodes ends both alike: every playout has one step.
        let few = made(false, Budget::nodes(70));
        assert_eq!((few.playouts, methods(&few)[1]), (70, Method::Playouts(5)));
    }

    #[test]
    fn nodes_end_the_rounds_but_not_the_first() {
        assert_eq!(run(1_000, Budget::nodes(1)).playouts, 2);
        assert_eq!(run(1_000, Budget::nodes(12)).playouts, 8);
    }

    #[test]
    fn without_time_nothing_is_judged() {
        let made = run(1_000, Budget::time(Duration::ZERO));
        assert_eq!(made.evaluations[0].method, Method::Unjudged);
        assert_eq!(made.evaluations[0].best(), 0.0);
    }

    /// Eight moves win with probability 0.2 to 0.9 and are judged with the same number of playouts in all. The result
    /// is how much worse the chosen move is than the best one, on average.
    #[test]
    fn halving_has_less_regret_than_the_even_split() {
        let mut nodes = vec![choice(&[8, 1], &[1, 2, 3, 4, 5, 6, 7, 8])];
        nodes.extend((0..8).map(|coin| {
            let sides: Vec<u8> = (0..10).map(|side| if side < 2 + coin { 9 } else { 10 }).collect();
            choice(&[1, 10], &sides)
        }));
        nodes.extend([end(&[100, 0]), end(&[0, 100])]);
        let toy = Toy::table(&["a", "b"], nodes);
        let legal = toy.legal_by_role(&toy.initial(), &mut ())[Role::new(0)].clone();
        let regret = |chosen: usize| (7 - chosen) as f64 * 10.0;
        let (mut halving, mut even) = (0.0, 0.0);
        for seed in 0..400 {
            let (seed, budget) = (Seed::root(seed), Budget::UNLIMITED);
            let open = OpenState { state: &at(0), moves: legal.clone(), weight: 1.0, share: 1 };
            let mut context = SearchContext { seed: seed.clone(), ..context(&toy, 0, budget) };
            let made = playouts(&mut context, &[open], 24, true);
            assert!(made.playouts <= 8 * 24, "{}", made.playouts);
            let best = |values: &[f64]| {
                values.iter().rposition(|&v| v == values.iter().copied().fold(0.0, f64::max))
            };
            halving += regret(best(&made.evaluations[0].values).unwrap());
            let starts: Vec<Start<crate::toy::State>> = legal
                .iter()
                .map(|&own| Start {
                    state: at(0),
                    first: vec![(Role::new(0), own)],
                    weights: None,
                    count: 24,
                })
                .collect();
            let flat: Vec<f64> = toy
                .playouts(&starts, &seed, &budget, &mut ())
                .iter()
                .map(|tally| tally.mean(Role::new(0)))
                .collect();
            even += regret(best(&flat).unwrap());
        }
        // Over 3,000 seeds 0.74 against 1.59.
        assert!(halving < 0.8 * even, "regret {} against {}", halving / 400.0, even / 400.0);
    }
}
