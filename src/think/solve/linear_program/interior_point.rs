//! The call of the interior point method: settings, interruption, and the plans in its answer.
//!
//! The method is that of the crate `clarabel`, with direct factorisations by `qdldl`, on one thread. The tolerance is
//! far below what is asked for, because near the solution each iteration divides the error by a hundred. Where rounding
//! does not let it get there, the last iterate is taken; NashConv decides whether it is good enough.
//!
//! It runs on a thread of its own, because what it calls between iterations must not borrow: this thread waits, and
//! looks at the deadline and asks the caller.
//!
//! Reference: Goulart, Chen, *Clarabel: An interior-point solver for conic programs with quadratic objectives* (2024).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use clarabel::algebra::CscMatrix;
use clarabel::solver::{DefaultInfo, DefaultSettings, DefaultSolver, IPSolver, SolverStatus, SupportedConeT};

use super::super::solver::SolveLimits;
use super::program::Program;

/// Of the gap between the two bounds on the value, and of the equations.
const TOLERANCE: f64 = 1e-13;

/// The most iterations; some 10 to 40 are usual.
const ITERATIONS: u64 = 200;

/// Between two looks at the clock.
const LOOK: Duration = Duration::from_millis(20);

/// The result of the method.
pub(super) struct Outcome {
    /// The plans of both roles.
    pub(super) plans: [Vec<f64>; 2],
    pub(super) iterations: u64,
    pub(super) status: SolverStatus,
}

/// Solves a program, or stops when the limits say so.
pub(super) fn run(program: &Program, limits: &SolveLimits<'_>) -> Outcome {
    let iterations = limits.iterations.min(ITERATIONS) as u32;
    let stop = Arc::new(AtomicBool::new(false));
    let (send, receive) = channel();
    thread::scope(|scope| {
        let stopped = Arc::clone(&stop);
        scope.spawn(move || send.send(solve(program, iterations, stopped)));
        loop {
            match receive.recv_timeout(LOOK) {
                Ok(outcome) => return outcome,
                Err(RecvTimeoutError::Timeout) => {
                    if limits.budget.is_late() || (limits.stop)() {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => unreachable!("the other thread answers or panics"),
            }
        }
    })
}

fn solve(program: &Program, iterations: u32, stop: Arc<AtomicBool>) -> Outcome {
    let Program { matrix, cost, bounds, equations, sequences: [first, second] } = program;
    let settings = DefaultSettings {
        verbose: false,
        max_iter: iterations,
        tol_gap_abs: TOLERANCE,
        tol_gap_rel: TOLERANCE,
        tol_feas: TOLERANCE,
        ..DefaultSettings::default()
    };
    let cones = [SupportedConeT::ZeroConeT(*equations), SupportedConeT::NonnegativeConeT(first + second)];
    let quadratic = CscMatrix::zeros((cost.len(), cost.len()));
    let mut solver = DefaultSolver::new(&quadratic, cost, matrix, bounds, &cones, settings)
        .expect("the matrix and the vectors fit together, and the settings are in range");
    solver.set_termination_callback(move |_: &DefaultInfo<f64>| stop.load(Ordering::Relaxed));
    solver.solve();
    let solution = solver.solution;
    let plans = [solution.x[..*first].to_vec(), solution.z[*equations..][..*second].to_vec()];
    Outcome { plans, iterations: u64::from(solution.iterations), status: solution.status }
}
