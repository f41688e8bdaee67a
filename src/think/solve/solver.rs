//! Solving: iterations of regret minimisers until NashConv is small enough or the budget is spent.
//!
//! No rule is the best in every game, so several minimisers may work side by side, each on a thread of its own where
//! there are threads; they make equally many iterations, and the best of them at the end is the solution.
//! [`RegretRule::PORTFOLIO`](super::RegretRule::PORTFOLIO) was chosen by measurement (`docs/measurements.md`): of the
//! four rules, one of these two is never far behind the best.
//!
//! NashConv is computed after fixed numbers of iterations, each about a tenth more than the one before. So a run that
//! ends because NashConv is small enough, or after a number of iterations, gives the same result on any machine; one
//! that ends by its time does not.

use std::time::Duration;

use rayon::prelude::*;

use super::judge::Verdict;
use super::profile::Profile;
use super::regret::RegretMinimiser;
use super::sequences::SequenceForm;
use hyperplay_machine::{Budget, Stopwatch};

/// Ends of the game that are read between two looks at the clock, at least.
const READ_A_LOOK: usize = 200_000;

/// When a solver ends.
#[derive(Clone, Copy)]
pub struct SolveLimits<'a> {
    /// NashConv at which it ends, in payoffs.
    pub nash_conv: f64,
    /// The most iterations of each minimiser, those of an earlier run included.
    pub iterations: u64,
    /// The deadline; its nodes do not matter.
    pub budget: Budget,
    /// Asked now and then: whether to give up.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

impl SolveLimits<'_> {
    /// Whether neither NashConv nor the number of iterations ends a solver at this point: only the time or a stop ends
    /// it.
    pub fn is_open(&self, point: &SolvePoint) -> bool {
        point.verdict.nash_conv > self.nash_conv && point.iterations < self.iterations
    }
}

/// How far a solver is.
#[derive(Clone, PartialEq, Debug)]
pub struct SolvePoint {
    /// How it is solved: the rule of the minimiser that is best now, or `lp`.
    pub method: &'static str,
    /// Iterations made so.
    pub iterations: u64,
    /// Since this run began.
    pub seconds: f64,
    /// Values, best responses and NashConv of its average policies.
    pub verdict: Verdict,
}

/// A solution: a profile and what it is worth.
#[derive(Clone, PartialEq, Debug)]
pub struct SolvedProfile {
    /// The average policies.
    pub profile: Profile,
    /// At the end.
    pub point: SolvePoint,
}

/// Iterates until a limit is met. `report` is called with the best of every NashConv that is computed.
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_think::solve::{
///     GameTree, RegretMinimiser, RegretRule, SequenceForm, SolvedProfile, SolveLimits, SolvePoint, TreeLimits, solve,
/// };
///
/// let tree = GameTree::build(&*machine, &TreeLimits::default())?;
/// let form = SequenceForm::new(&tree, 50.0);
/// let mut minimisers = RegretRule::PORTFOLIO.map(|rule| RegretMinimiser::new(&form, rule));
/// let limits =
///     SolveLimits { nash_conv: 1e-6, iterations: 10_000, budget: Budget::UNLIMITED, stop: &|| false };
/// let mut curve: Vec<SolvePoint> = Vec::new();
/// let SolvedProfile { profile, point } = solve(&form, &mut minimisers, &limits, |point| curve.push(point.clone()));
/// assert!(point.verdict.nash_conv <= 1e-6 && (point.verdict.values[candidate] - 1.0 / 3.0).abs() < 1e-6);
/// assert_eq!(curve.last(), Some(&point));
/// assert_eq!(form.judge(&profile), point.verdict);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If there is no minimiser.
pub fn solve(
    form: &SequenceForm,
    minimisers: &mut [RegretMinimiser],
    limits: &SolveLimits<'_>,
    mut report: impl FnMut(&SolvePoint),
) -> SolvedProfile {
    let clock = Stopwatch::start();
    let step = (READ_A_LOOK / (form.entries() * form.player_count()).max(1)).max(1) as u64;
    // Before the deadline there must be time for a last look at NashConv, which takes as long as the one before.
    let mut look = Duration::ZERO;
    let is_out = |look: Duration| limits.budget.earlier(look).is_late() || (limits.stop)();
    let made = minimisers.iter().map(|minimiser| minimiser.iterations).min().expect("there is a minimiser");
    let mut due = next_look(made).min(limits.iterations);
    loop {
        minimisers.par_iter_mut().for_each(|minimiser| {
            while minimiser.iterations < due {
                minimiser.iterate(form, step.min(due - minimiser.iterations));
                if is_out(look) {
                    break;
                }
            }
        });
        let watch = Stopwatch::start();
        let judged = minimisers.iter().map(|minimiser| {
            let profile = minimiser.average(form);
            let verdict = form.judge(&profile);
            let (method, iterations) = (minimiser.rule.name(), minimiser.iterations);
            (profile, SolvePoint { method, iterations, seconds: clock.elapsed().as_secs_f64(), verdict })
        });
        let best =
            judged.min_by(|(_, one), (_, other)| one.verdict.nash_conv.total_cmp(&other.verdict.nash_conv));
        let (profile, point) = best.expect("there is a minimiser");
        look = watch.elapsed();
        report(&point);
        if point.verdict.nash_conv <= limits.nash_conv || due >= limits.iterations || is_out(look) {
            return SolvedProfile { profile, point };
        }
        due = next_look(due).min(limits.iterations);
    }
}

/// The number of iterations after which NashConv is computed next.
fn next_look(iterations: u64) -> u64 {
    iterations + 1 + iterations / 10
}
