//! What goes wrong, as exceptions, and long work that Ctrl-C can end.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hyperplay_machine::{Budget, CancelFlag};
use hyperplay_play::referee::Interrupt;
use pyo3::prelude::*;

pyo3::import_exception!(hyperplay._failure, HyperplayError);

/// An exception: what is wrong, and what to do about it.
pub fn wrong(what: impl Display, remedy: impl Display) -> PyErr {
    HyperplayError::new_err(format!("{what}; {remedy}"))
}

/// How often a wait looks whether Ctrl-C was pressed.
const LOOK: Duration = Duration::from_millis(50);

/// Flags that no work holds now; a flag lives as long as the process.
static FREE: Mutex<Vec<CancelFlag>> = Mutex::new(Vec::new());

/// What Ctrl-C raises while some work is done.
pub struct Stop {
    /// For work that looks at an interrupt.
    pub interrupt: Interrupt,
    cancel: CancelFlag,
}

impl Stop {
    /// The budget of work that looks at its budget.
    pub fn budget(&self, time: Option<Duration>, states: Option<u64>) -> Budget {
        Budget { nodes: states, ..time.map_or(Budget::UNLIMITED, Budget::time) }.cancelled_by(self.cancel)
    }
}

/// A time in seconds, if one is given.
pub fn time(seconds: Option<f64>) -> PyResult<Option<Duration>> {
    let time = seconds.map(Duration::try_from_secs_f64).transpose();
    time.map_err(|_| wrong("the seconds are no time", "give a number of 0 or more"))
}

/// Does long work on a thread of its own, without the interpreter's lock. Ctrl-C raises what the work looks at, and is then raised here.
pub fn interruptible<T: Send>(py: Python<'_>, work: impl FnOnce(&Stop) -> PyResult<T> + Send) -> PyResult<T> {
    let free = || FREE.lock().unwrap_or_else(PoisonError::into_inner);
    let cancel = free().pop().unwrap_or_else(CancelFlag::leak);
    let stop =
        Stop { interrupt: Interrupt::default().within(Budget::UNLIMITED.cancelled_by(cancel)), cancel };
    let panicked = |_| Err(wrong("hyperplay itself failed", "please report it with what was called"));
    let guarded = || catch_unwind(AssertUnwindSafe(|| work(&stop))).unwrap_or_else(panicked);
    let result = py.detach(|| {
        let (sender, receiver) = sync_channel(1);
        std::thread::scope(|scope| {
            scope.spawn(move || sender.send(guarded()));
            let mut pressed = Ok(());
            loop {
                match receiver.recv_timeout(LOOK) {
                    Ok(result) => return pressed.and(result),
                    Err(RecvTimeoutError::Disconnected) => return panicked(Box::new(())),
                    Err(RecvTimeoutError::Timeout) => {}
                }
                if let Err(signal) = Python::attach(|py| py.check_signals()) {
                    stop.cancel.set(true);
                    pressed = Err(signal);
                }
            }
        })
    });
    cancel.set(false);
    free().push(cancel);
    result
}
