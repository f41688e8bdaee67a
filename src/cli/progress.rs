//! Progress: a bar with an estimate on a terminal, a plain line now and then elsewhere.
//!
//! Progress goes to standard error, so results stay clean. Without a terminal there is no line for a task that takes less than
//! ten seconds, and none at all for a command that shows its results one by one. Where a unit of a task may take long, a
//! [`Heartbeat`] says what is being done, also while nothing ends.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, Thread};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use super::output::log;
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
        let zero = || AtomicU64::new(0);
        Progress { bar, unit, quiet, total, done: zero(), lines: zero(), watch: Stopwatch::start() }
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

/// What is said now and then about a task whose end is not known: a line that changes on a terminal, a plain line every
/// ten seconds elsewhere.
pub struct Ticker {
    bar: Option<ProgressBar>,
    lines: AtomicU64,
    watch: Stopwatch,
}

impl Ticker {
    /// Begins a task.
    pub fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}")
                .expect("the template is well formed");
            ProgressBar::new_spinner().with_style(style)
        });
        Ticker { bar, lines: AtomicU64::new(0), watch: Stopwatch::start() }
    }

    /// Says how far the task is, if it is time.
    pub fn say(&self, what: impl FnOnce() -> String) {
        let elapsed = self.watch.elapsed();
        if let Some(bar) = &self.bar {
            let due = elapsed.as_millis() as u64 / 100;
            if self.lines.fetch_max(due, Ordering::Relaxed) < due {
                bar.set_message(what());
                bar.tick();
            }
            return;
        }
        let due = elapsed.as_secs() / INTERVAL;
        if self.lines.fetch_max(due, Ordering::Relaxed) < due {
            log(format_args!("{}", what()));
        }
    }

    /// Ends the task and removes the line.
    pub fn finish(self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// What is being done now, said every ten seconds, by a thread of its own, until it is dropped.
pub struct Heartbeat {
    now: Arc<Mutex<Option<String>>>,
    bar: Option<ProgressBar>,
    unit: &'static str,
    speaker: Option<Thread>,
}

impl Heartbeat {
    /// Begins to say what is being done beside the progress of a task.
    pub fn beside(progress: &Progress) -> Self {
        let now = Arc::new(Mutex::new(Some(String::new())));
        let speaks = !progress.quiet && progress.bar.is_none();
        let heard = Arc::clone(&now);
        let speak = move || {
            let watch = Stopwatch::start();
            for due in 1.. {
                while watch.elapsed().as_secs() < due * INTERVAL {
                    // It wakes up early to find out that the task has ended.
                    thread::park_timeout(Duration::from_secs(INTERVAL));
                    if heard.lock().unwrap_or_else(PoisonError::into_inner).is_none() {
                        return;
                    }
                }
                match &*heard.lock().unwrap_or_else(PoisonError::into_inner) {
                    Some(what) if what.is_empty() => {}
                    Some(what) => log(format_args!("{what}")),
                    None => return,
                }
            }
        };
        // Without another thread nothing is said; the task does not need it.
        let spawned = speaks.then(|| thread::Builder::new().name("heartbeat".to_owned()).spawn(speak).ok());
        let speaker = spawned.flatten().map(|handle| handle.thread().clone());
        Heartbeat { now, bar: progress.bar.clone(), unit: progress.unit, speaker }
    }

    /// This is being done from now on.
    pub fn set(&self, what: String) {
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{}: {what}", self.unit));
        }
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        *now = Some(what);
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = None;
        if let Some(speaker) = &self.speaker {
            speaker.unpark();
        }
    }
}
