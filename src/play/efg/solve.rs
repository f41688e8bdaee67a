//! Solving: iterations of a regret minimiser until NashConv is small enough or the budget is spent.
//!
//! NashConv is computed after fixed numbers of iterations, each about a tenth more than the one before. So a run that
//! ends because NashConv is small enough, or after a number of iterations, gives the same result on any machine; one
//! that ends by its time does not.

use super::judge::Verdict;
use super::profile::Profile;
use super::regret::RegretMinimiser;
use super::sequences::SequenceForm;
use hyperplay_engine::machine::{Budget, Stopwatch};

/// Ends of the game that are read between two looks at the clock, at least.
const READ_A_LOOK: usize = 200_000;

/// When a solver ends.
#[derive(Clone, Copy)]
pub struct SolveLimits<'a> {
    /// NashConv at which it ends, in payoffs.
    pub nash_conv: f64,
    /// The most iterations, those of an earlier run included.
    pub iterations: u64,
    /// The deadline; its nodes do not matter.
    pub budget: Budget,
    /// Asked now and then: whether to give up.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// How far a solver is.
#[derive(Clone, PartialEq, Debug)]
pub struct SolvePoint {
    /// Iterations made.
    pub iterations: u64,
    /// Since this run began.
    pub seconds: f64,
    /// Values, best responses and NashConv of the average policies.
    pub verdict: Verdict,
}

/// A solution: a profile and what it is worth.
#[derive(Clone, PartialEq, Debug)]
pub struct Solution {
    /// The average policies.
    pub profile: Profile,
    /// At the end.
    pub point: SolvePoint,
}

/// Iterates until a limit is met. `watch` is called with every NashConv that is computed.
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_play::efg::{
///     GameTree, RegretMinimiser, RegretRule, SequenceForm, SolveLimits, SolvePoint, Solution, TreeLimits, solve,
/// };
///
/// let tree = GameTree::build(&*machine, &TreeLimits::default())?;
/// let form = SequenceForm::new(&tree, 50.0);
/// let mut minimiser = RegretMinimiser::new(&form, RegretRule::PredictiveDiscounted);
/// let limits =
///     SolveLimits { nash_conv: 1e-6, iterations: 10_000, budget: Budget::UNLIMITED, stop: &|| false };
/// let mut curve: Vec<SolvePoint> = Vec::new();
/// let Solution { profile, point } = solve(&form, &mut minimiser, &limits, |point| curve.push(point.clone()));
/// assert!(point.verdict.nash_conv <= 1e-6 && (point.verdict.values[candidate] - 1.0 / 3.0).abs() < 1e-6);
/// assert_eq!(curve.last(), Some(&point));
/// assert_eq!(form.judge(&profile), point.verdict);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve(
    form: &SequenceForm,
    minimiser: &mut RegretMinimiser,
    limits: &SolveLimits<'_>,
    mut watch: impl FnMut(&SolvePoint),
) -> Solution {
    let clock = Stopwatch::start();
    let step = (READ_A_LOOK / (form.entries() * form.player_count()).max(1)).max(1) as u64;
    let mut due = next_look(minimiser.iterations()).min(limits.iterations);
    loop {
        let mut is_out = false;
        while minimiser.iterations() < due && !is_out {
            minimiser.iterate(form, step.min(due - minimiser.iterations()));
            is_out = limits.budget.is_late() || (limits.stop)();
        }
        let profile = minimiser.average(form);
        let verdict = form.judge(&profile);
        let point = SolvePoint {
            iterations: minimiser.iterations(),
            seconds: clock.elapsed().as_secs_f64(),
            verdict,
        };
        watch(&point);
        if is_out || point.verdict.nash_conv <= limits.nash_conv || due >= limits.iterations {
            return Solution { profile, point };
        }
        due = next_look(due).min(limits.iterations);
    }
}

/// The number of iterations after which NashConv is computed next.
fn next_look(iterations: u64) -> u64 {
    iterations + 1 + iterations / 10
}
