//! A player on a thread of its own, so that a caller waits no longer than there is time.
//!
//! It does one thing after the other. Each question has a channel for its answer: an answer that comes too late goes to
//! nobody. A player cannot be stopped from outside, so a thread that never answers still runs when nobody waits for it
//! any more; a question that waits when the owner hangs up is not begun. A panic is the answer to the question at hand,
//! and ends the thread. One between two questions ends it too, and the next answer is that the thread has ended.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel, sync_channel};
use std::sync::{Arc, OnceLock};
use std::thread::{Builder, JoinHandle};

use super::guarded::guarded;

/// Something to do; whether the player can go on after it.
type Work<P> = Box<dyn FnOnce(&mut P) -> bool + Send>;

/// The connection to a player on its thread. Dropping it hangs up.
///
/// ```
/// use hyperplay_play::player::PlayerThread;
///
/// let thread = PlayerThread::begin("adder", || Some(40), |_| false)?;
/// let answer = thread.ask(|sum: &mut i32| {
///     *sum += 2;
///     *sum
/// });
/// assert_eq!(answer.recv(), Ok(Ok(42)));
/// let answer = thread.ask(|_| panic!("out of ideas"));
/// assert_eq!(answer.recv(), Ok(Err::<(), String>("out of ideas".to_owned())));
/// assert!(thread.ask(|sum| *sum).recv().is_err(), "the thread has ended");
/// assert_eq!(thread.join().as_deref(), Some("out of ideas"));
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct PlayerThread<P> {
    questions: Sender<Work<P>>,
    panic: Arc<OnceLock<String>>,
    hanging_up: HangingUp,
    thread: JoinHandle<()>,
}

/// Says, when it is dropped, that nobody asks any more.
struct HangingUp(Arc<AtomicBool>);

impl Drop for HangingUp {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

impl<P: 'static> PlayerThread<P> {
    /// Begins the thread, on which `make` makes the player; without one it ends. After each question `idle` is called
    /// as long as no other waits and it returns true.
    ///
    /// # Errors
    /// That of the operating system, if it gives no further thread.
    pub fn begin(
        name: &str,
        make: impl FnOnce() -> Option<P> + Send + 'static,
        mut idle: impl FnMut(&mut P) -> bool + Send + 'static,
    ) -> io::Result<PlayerThread<P>> {
        let (questions, inbox) = channel::<Work<P>>();
        let (panic, hung_up) = (Arc::<OnceLock<String>>::default(), Arc::<AtomicBool>::default());
        let (fallen, is_gone) = (Arc::clone(&panic), Arc::clone(&hung_up));
        // There is none from before, because a panic ends the thread.
        let note = move |what| drop(fallen.set(what));
        let noted = note.clone();
        let life = move || {
            let Some(mut player) = make() else { return };
            let mut is_idle = false;
            loop {
                let work = match inbox.try_recv() {
                    Err(TryRecvError::Empty) if is_idle => {
                        match guarded(|| idle(&mut player)) {
                            Ok(is_of_use) => is_idle = is_of_use,
                            Err(what) => return noted(what),
                        }
                        continue;
                    }
                    Err(TryRecvError::Empty) => inbox.recv().ok(),
                    work => work.ok(),
                };
                let Some(work) = work.filter(|_| !is_gone.load(Ordering::Acquire)) else { return };
                is_idle = work(&mut player);
                if !is_idle {
                    return;
                }
            }
        };
        let thread = Builder::new().name(name.to_owned()).spawn(move || {
            guarded(life).unwrap_or_else(note);
        })?;
        Ok(PlayerThread { questions, panic, hanging_up: HangingUp(hung_up), thread })
    }

    /// Lets the player do something. The answer is an error if it panicked; the channel is closed if the thread has
    /// ended before.
    pub fn ask<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut P) -> T + Send + 'static,
    ) -> Receiver<Result<T, String>> {
        let (answer, said) = sync_channel(1);
        let panic = Arc::clone(&self.panic);
        let work = move |player: &mut P| {
            let done = guarded(|| work(player));
            let goes_on = done.as_ref().map_or_else(|what| panic.set(what.clone()).is_err(), |_| true);
            // The asker may have given up.
            let _ = answer.send(done);
            goes_on
        };
        // An error means that the thread has ended, and the closed channel says so.
        let _ = self.questions.send(Box::new(work));
        said
    }

    /// The message of its panic, if it panicked.
    pub fn panic(&self) -> Option<&str> {
        self.panic.get().map(String::as_str)
    }

    /// Hangs up and waits for the end of what it does now. Returns the message of its panic, if it panicked.
    pub fn join(self) -> Option<String> {
        let PlayerThread { questions, panic, hanging_up, thread } = self;
        drop((hanging_up, questions));
        thread.join().unwrap_or_default();
        panic.get().cloned()
    }
}
