//! Progress: a bar with an estimate on a terminal, a plain line now and then elsewhere.
//!
//! Progress goes to standard error, so results stay clean. Without a terminal there is no line for a task that takes
//! less than ten seconds, and none at all for a command that shows its results one by one. Where a unit of a task may
//! take long, a [`heartbeat`] says what is being done, also while nothing ends.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use parking_lot::Mutex;

use super::output::log;
use hyperplay_machine::Role;
use hyperplay_play::referee::Stopwatch;

/// The time between two plain lines, in seconds.
const INTERVAL: u64 = 10;

/// How much of a long task is done; shared by the threads that do it.
pub struct Progress {
    bar: Option<ProgressBar>,
    unit: &'static str,
    quiet: bool,
    total: u64,
    done: AtomicU64,
    /// Plain lines written so far.
    lines: AtomicU64,
    watch: Stopwatch,
}

impl Progress {
    /// Begins a task of `total` units; `quiet` if it shows its progress by itself.
    pub fn new(total: usize, unit: &'static str, quiet: bool) -> Self {
        let total = total as u64;
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}, {per_sec}, {eta} left")
                .expect("the template is well formed");
            let bar = ProgressBar::new(total).with_style(style).with_message(unit);
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Progress::with(bar, unit, quiet, total)
    }

    /// Begins a task whose end is not known: what is said of it is a line that changes on a terminal, and a plain line every
    /// ten seconds elsewhere.
    pub fn open() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}")
                .expect("the template is well formed");
            ProgressBar::new_spinner().with_style(style)
        });
        Progress::with(bar, "", false, 0)
    }

    fn with(bar: Option<ProgressBar>, unit: &'static str, quiet: bool, total: u64) -> Self {
        let zero = || AtomicU64::new(0);
        Progress { bar, unit, quiet, total, done: zero(), lines: zero(), watch: Stopwatch::start() }
    }

    /// Says how far the task is, if it is time.
    pub fn say(&self, what: impl FnOnce() -> String) {
        let elapsed = self.watch.elapsed();
        let due =
            if self.bar.is_some() { elapsed.as_millis() as u64 / 100 } else { elapsed.as_secs() / INTERVAL };
        if self.lines.fetch_max(due, Ordering::Relaxed) >= due {
            return;
        }
        match &self.bar {
            Some(bar) => {
                bar.set_message(what());
                bar.tick();
            }
            None => log(format_args!("{}", what())),
        }
    }

    /// Another unit is done.
    pub fn tick(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
        if self.quiet || self.bar.is_some() {
            return;
        }
        let elapsed = self.watch.elapsed().as_secs_f64();
        let due = elapsed as u64 / INTERVAL;
        if done < self.total && self.lines.fetch_max(due, Ordering::Relaxed) < due {
            let left = elapsed / done as f64 * (self.total - done) as f64;
            log(format_args!("{done}/{} {}, about {left:.0} s left", self.total, self.unit));
        }
    }

    /// Ends the task and removes the bar.
    pub fn finish(self) -> Duration {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.watch.elapsed()
    }
}

/// How far a series of matches is: the match and step being played, and the mean goals so far.
pub struct RunningSeries {
    roles: Vec<String>,
    random: Option<Role>,
    now: Mutex<RunningScore>,
}

#[derive(Default)]
struct RunningScore {
    /// The match that last made a step, from 1, and the number of that step.
    at: Option<(usize, usize)>,
    /// Matches that ended with goals, and the sum of the goals of each role.
    ended: u64,
    sums: Vec<f64>,
}

impl RunningSeries {
    /// A series for the roles of these names, before its first match; the role `random` has no score.
    pub fn new(roles: Vec<String>, random: Option<Role>) -> Self {
        let now = RunningScore { sums: vec![0.0; roles.len()], ..RunningScore::default() };
        RunningSeries { roles, random, now: Mutex::new(now) }
    }

    /// A match, counted from 1, is at this step.
    pub fn at(&self, number: usize, step: usize) {
        self.now.lock().at = Some((number, step));
    }

    /// A match has ended with these goals, in the order of the roles.
    pub fn ended(&self, goals: impl Iterator<Item = f64>) {
        let mut now = self.now.lock();
        now.ended += 1;
        now.sums.iter_mut().zip(goals).for_each(|(sum, goal)| *sum += goal);
    }

    /// Step and score in words; empty before the first step.
    pub fn in_words(&self) -> String {
        let now = self.now.lock();
        let step = now.at.map(|(number, step)| format!("match {number} is at step {step}"));
        let mean = |(role, sum): (&String, &f64)| format!("{role} {:.1}", sum / now.ended as f64);
        let players = || (0..).zip(self.roles.iter().zip(&now.sums));
        let players = || players().filter(|&(at, _)| Some(Role::new(at)) != self.random);
        let scores = || players().map(|(_, score)| mean(score)).collect::<Vec<_>>().join(", ");
        let score = (now.ended > 0).then(|| format!("mean goals so far: {}", scores()));
        step.into_iter().chain(score).collect::<Vec<_>>().join("; ")
    }
}

/// Says by a thread of its own how far a series is, until the sender that it returns is dropped: beside the bar of the
/// progress on a terminal, in a plain line every ten seconds elsewhere, also while no match ends.
pub fn heartbeat(progress: &Progress, series: &Arc<RunningSeries>) -> Sender<()> {
    let (beating, ended) = channel();
    let (bar, unit, series) = (progress.bar.clone(), progress.unit, Arc::clone(series));
    let pause = Duration::from_millis(if bar.is_some() { 200 } else { INTERVAL * 1_000 });
    let speak = move || {
        while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
            match (&bar, series.in_words()) {
                (_, words) if words.is_empty() => {}
                (Some(bar), words) => bar.set_message(format!("{unit}: {words}")),
                (None, words) => log(format_args!("{words}")),
            }
        }
    };
    if !progress.quiet {
        // Without a thread nothing is said.
        let _ = thread::Builder::new().name("heartbeat".to_owned()).spawn(speak);
    }
    beating
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_says_its_step_and_its_score() {
        let roles = ["alice", "random", "bob"].map(str::to_owned).to_vec();
        let series = RunningSeries::new(roles, Some(Role::new(1)));
        assert_eq!(series.in_words(), "");
        series.at(1, 7);
        assert_eq!(series.in_words(), "match 1 is at step 7");
        series.ended([100.0, 0.0, 0.0].into_iter());
        series.ended([50.0, 0.0, 50.0].into_iter());
        series.at(3, 1);
        assert_eq!(series.in_words(), "match 3 is at step 1; mean goals so far: alice 75.0, bob 25.0");
    }
}
