//! Measures trees and solvers: nodes built a second, iterations a second beside a walk of the tree by the textbook, and
//! seconds to a NashConv.
//!
//! `cargo bench --bench equilibria -- GAME UNIT` measures one game of `games/`, without arguments Kuhn, Leduc and Liar's
//! Dice with six faces; `cargo test` runs Kuhn for an instant. Times are those of the processor, on one thread. It asserts
//! that both forms of CFR+ have about the same NashConv after ten iterations.
//!
//! Node visits a second are iterations a second times the nodes of the tree times the roles that decide: what a solver
//! that walks the tree would have to visit.

use cpu_time::ProcessTime;
use hyperplay::engine::{Engine, EngineKind, Engines};
use hyperplay::gdl::{Source, load};
use hyperplay::machine::Budget;
use hyperplay::solve::{GameTree, RegretMinimiser, RegretRule, SequenceForm, SolveLimits, TreeLimits, solve};
use hyperplay_naive::cfr::NaiveCfr;

const GAMES: [(&str, f64); 3] =
    [("imperfect/kuhn_poker", 25.0), ("imperfect/leduc_poker", 3.0), ("imperfect/liars_dice_1x6", 50.0)];

/// NashConv for which seconds are printed.
const MARKS: [f64; 3] = [1e-2, 1e-4, 1e-6];

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let in_test = !std::env::args().any(|argument| argument == "--bench");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    pool.install(|| match &arguments[..] {
        [game, unit] => measure(game, unit.parse().expect("goal points"), 10.0),
        _ if in_test => measure(GAMES[0].0, GAMES[0].1, 0.01),
        _ => GAMES.iter().for_each(|(game, unit)| measure(game, *unit, 10.0)),
    });
}

fn measure(game: &str, unit: f64, seconds: f64) {
    let path = format!("{}/games/{game}.kif", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("a game");
    let rules = load(Source::new(path, text), None).game.expect("the rules are in order");
    let machine = Engines::new(&rules).get(EngineKind::Auto).expect("an engine");
    let (tree, build) = repeated(seconds / 10.0, || build(&machine));
    let (form, transform) = repeated(0.0, || SequenceForm::new(&tree, unit));
    let nodes = tree.len() as f64;
    println!("{game}: {nodes} nodes built in {:.2} ms: {:.2} M a second", 1e3 * build, nodes / build / 1e6);
    println!("  sequence form of {} entries in {:.2} ms", form.entries(), 1e3 * transform);

    let mut walking = NaiveCfr::new(&tree, unit);
    let walked = timed_iterations(seconds / 4.0, || walking.iterate());
    let mut minimiser = RegretMinimiser::new(&form, RegretRule::CfrPlus);
    let made = timed_iterations(seconds / 4.0, || minimiser.iterate(&form, 1));
    let visits = |speed: f64| speed * nodes * form.player_count() as f64 / 1e6;
    println!(
        "  CFR+: {:.0} iterations a second ({:.0} M node visits); a walk of the tree {:.0} ({:.0} M); ratio {:.1}",
        made,
        visits(made),
        walked,
        visits(walked),
        made / walked
    );
    let (mut walking, mut minimiser) =
        (NaiveCfr::new(&tree, unit), RegretMinimiser::new(&form, RegretRule::CfrPlus));
    for _ in 0..10 {
        walking.iterate();
        minimiser.iterate(&form, 1);
    }
    let [one, other] =
        [walking.average(), minimiser.average(&form)].map(|profile| form.judge(&profile).nash_conv);
    // Where regrets are equal, rounding decides.
    assert!((one - other).abs() <= 0.05 * other, "{one} by walking, {other} by sequences");

    for rules in [
        &RegretRule::PORTFOLIO[..],
        &RegretRule::ALL[..1],
        &RegretRule::ALL[1..2],
        &RegretRule::ALL[2..3],
        &RegretRule::ALL[3..],
    ] {
        convergence(&form, rules, seconds);
    }
}

/// Prints the seconds until NashConv is small enough.
fn convergence(form: &SequenceForm, rules: &[RegretRule], seconds: f64) {
    let mut minimisers: Vec<RegretMinimiser> =
        rules.iter().map(|&rule| RegretMinimiser::new(form, rule)).collect();
    let start = ProcessTime::now();
    let is_over = || start.elapsed().as_secs_f64() > 2.0 * seconds;
    let limits = SolveLimits {
        nash_conv: MARKS[2],
        iterations: u64::MAX / 2,
        budget: Budget::UNLIMITED,
        stop: &is_over,
    };
    let mut times = [None; MARKS.len()];
    let point = solve(form, &mut minimisers, &limits, |point| {
        for (time, mark) in times.iter_mut().zip(MARKS) {
            if time.is_none() && point.verdict.nash_conv <= mark {
                *time = Some(start.elapsed().as_secs_f64());
            }
        }
    })
    .point;
    let shown: Vec<String> = times
        .iter()
        .zip(MARKS)
        .map(|(time, mark)| {
            time.map_or_else(|| format!("{mark:e} not reached"), |time| format!("{mark:e} in {time:.4} s"))
        })
        .collect();
    let names: Vec<&str> = rules.iter().map(|rule| rule.name()).collect();
    println!("  {:12} {} (at the end {:.1e})", names.join(" & "), shown.join(", "), point.verdict.nash_conv);
}

fn build(machine: &Engine) -> GameTree {
    GameTree::build(machine, &TreeLimits::default()).expect("a tree")
}

/// The last result, and the least processor time of a call, over some time.
fn repeated<T>(seconds: f64, mut make: impl FnMut() -> T) -> (T, f64) {
    let begin = ProcessTime::now();
    let mut least = f64::INFINITY;
    loop {
        let start = ProcessTime::now();
        let made = make();
        least = least.min(start.elapsed().as_secs_f64());
        if begin.elapsed().as_secs_f64() >= seconds {
            return (made, least);
        }
    }
}

/// Iterations a second of processor time.
fn timed_iterations(seconds: f64, mut iterate: impl FnMut()) -> f64 {
    let start = ProcessTime::now();
    let mut count = 0_u64;
    loop {
        for _ in 0..1 + count / 16 {
            iterate();
            count += 1;
        }
        let elapsed = start.elapsed().as_secs_f64();
        if elapsed >= seconds {
            return count as f64 / elapsed;
        }
    }
}
