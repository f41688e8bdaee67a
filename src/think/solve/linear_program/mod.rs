//! The linear program of the sequence form: an equilibrium of a zero-sum game of two roles, to the last digits.
//!
//! A plan x of the first role and a plan y of the second are worth x A y to the first, where A is the table of payoffs.
//! Plans satisfy linear equations: E x = e and F y = f. By duality the best plan against every y maximises the worth q
//! of the second role's first choice, subject to
//!
//! E x = e, x >= 0, F' q <= A' x;
//!
//! the multipliers of the last inequalities are the best plan y. So one linear program gives both policies. An interior
//! point method solves it; of all equilibria it finds one in the middle, which mixes all moves that some equilibrium
//! makes.
//!
//! It is the oracle of the regret minimisers: another method, precise to about 1e-12 of the greatest payoff. That is
//! not taken on trust. NashConv of the profile is judged by exact best responses, and bounds the error of the values. A
//! profile is an equilibrium, no more: where no equilibrium goes it need not punish the mistakes of others.
//!
//! Reference: Koller, Megiddo, von Stengel, *Efficient Computation of Equilibria for Extensive Two-Person Games*
//! (1996); von Stengel, *Efficient Computation of Behavior Strategies* (1996).

mod interior_point;
mod program;

#[cfg(test)]
mod tests;

use clarabel::solver::SolverStatus;
use thiserror::Error;

use super::sequences::SequenceForm;
use super::solver::{SolveLimits, SolvePoint, SolvedProfile};
use hyperplay_machine::Stopwatch;
use interior_point::{Outcome, run};
use program::Program;

/// NashConv that is precise enough, whatever is asked for, in payoffs.
const PRECISE: f64 = 1e-9;

/// The most multiplications of one factorisation; a core makes 2e8 (large programs) to 1e9 of them a second.
const MULTIPLICATIONS: f64 = 5e10;

/// What to do where the equilibria are not those of a linear program.
const APPROACH: &str = "use a regret minimiser, and see by NashConv how near it comes";

/// Why a game has no solution by linear programming here, and what to use instead.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum LinearProgramError {
    /// The game is of another kind, its program is too large, or the numbers got out of hand.
    #[error("{0}")]
    Unfit(String),
    /// The budget is spent, or the caller asked it to stop.
    #[error("{0}")]
    Stopped(String),
}

/// Solves a zero-sum game of two roles (up to a constant) by linear programming. NashConv of the solution is at most
/// the limit, or 1e-9 where the limit is less.
///
/// The clock and `stop` are looked at between iterations, so a large program may end late. The result does not depend
/// on the number of threads.
///
/// # Errors
/// [`LinearProgramError`] says what else to use.
///
/// ```
/// use hyperplay_engine::Interpreter;
/// use hyperplay_machine::{Budget, Role};
/// use hyperplay_logic::gdl::{Source, load};
/// use hyperplay_think::solve::{
///     GameTree, LinearProgramError, SequenceForm, SolvedProfile, SolveLimits, TreeLimits, linear_program,
/// };
///
/// // Each shows a side of a coin; alice wins if they are the same, and twice as often with two heads as with two
/// // tails.
/// let rules = "
///     (role alice) (role bob) (side heads) (side tails) (init start)
///     (<= (legal ?role ?side) (role ?role) (side ?side) (true start))
///     (<= (next (shown ?role ?side)) (does ?role ?side))
///     (<= terminal (not (true start)))
///     (<= both (true (shown alice ?side)) (true (shown bob ?side)))
///     (<= (goal alice 100) both (true (shown alice heads)))
///     (<= (goal alice 50) both (true (shown alice tails)))
///     (<= (goal alice 0) (not both))
///     (<= (goal bob 0) both (true (shown alice heads)))
///     (<= (goal bob 50) both (true (shown alice tails)))
///     (<= (goal bob 100) (not both))";
/// let game = load(Source::new("pennies", rules), None).game.expect("the rules are valid");
/// let tree = GameTree::build(&Interpreter::new(&game)?, &TreeLimits::default())?;
/// let form = SequenceForm::new(&tree, 1.0);
/// let limits =
///     SolveLimits { nash_conv: 0.0, iterations: 200, budget: Budget::UNLIMITED, stop: &|| false };
/// let SolvedProfile { profile, point } = linear_program(&form, &limits)?;
/// assert!((profile.of(&tree, 0)[0] - 1.0 / 3.0).abs() < 1e-9, "alice shows heads in a third of the games");
/// assert!((point.verdict.values[Role::new(0)] - (100.0 / 3.0 - 50.0)).abs() < 1e-9);
/// assert!(point.verdict.nash_conv < 1e-9);
///
/// let few = SolveLimits { iterations: 1, ..limits };
/// assert!(matches!(linear_program(&form, &few), Err(LinearProgramError::Unfit(why)) if why.contains("after 1 iterations")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn linear_program(
    form: &SequenceForm,
    limits: &SolveLimits<'_>,
) -> Result<SolvedProfile, LinearProgramError> {
    solve_within(form, limits, MULTIPLICATIONS)
}

/// The same, with the most multiplications of one factorisation.
fn solve_within(
    form: &SequenceForm,
    limits: &SolveLimits<'_>,
    limit: f64,
) -> Result<SolvedProfile, LinearProgramError> {
    let clock = Stopwatch::start();
    let unfit = |why: String| Err(LinearProgramError::Unfit(why));
    let [first, second] = &form.players[..] else {
        return unfit(match form.players.len() {
            found @ (0 | 1) => format!(
                "a linear program of two roles does not fit a game of {found} role(s) besides 'random'; a best response \
                 to any profile is optimal there, and every regret minimiser finds it"
            ),
            found => format!(
                "the equilibria of {found} roles are not the solutions of a linear program, which needs two besides \
                 'random'; {APPROACH}"
            ),
        });
    };
    if form.constant_sum.is_none() {
        return unfit(format!(
            "the goals of the two roles do not have the same sum at every end, so their equilibria are not the \
             solutions of a linear program; {APPROACH}"
        ));
    }
    let program = Program::new(first, second, form.roles > form.players.len());
    let multiplications = program.multiplications();
    if multiplications > limit {
        return unfit(format!(
            "the linear program is too large: each of some 20 iterations takes about {multiplications:.1e} \
             multiplications, the limit is {limit:.1e}; use a regret minimiser"
        ));
    }
    let Outcome { plans, iterations, status } = run(&program, limits);
    let profile = form.profile_of(&plans);
    let verdict = form.judge(&profile);
    let nash_conv = verdict.nash_conv;
    // A comparison that is also false for a number that is none.
    if nash_conv <= limits.nash_conv.max(PRECISE) {
        let point = SolvePoint { method: "lp", iterations, seconds: clock.elapsed().as_secs_f64(), verdict };
        return Ok(SolvedProfile { profile, point });
    }
    let reached = format!("after {iterations} iterations with a NashConv of {nash_conv:.1e}");
    match status {
        SolverStatus::CallbackTerminated => Err(LinearProgramError::Stopped(format!(
            "the linear program was stopped {reached}; only the last iterations are precise: give it more time, or use \
             a regret minimiser"
        ))),
        status => unfit(format!(
            "the linear program did not converge: {status:?} {reached}; use a regret minimiser"
        )),
    }
}
