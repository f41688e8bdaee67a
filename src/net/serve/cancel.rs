//! The end of a match, told to all its threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use hyperplay_machine::CancelFlag;

/// How often the token is looked at while something else is awaited.
const LOOK: Duration = Duration::from_millis(10);

/// Tells the threads of a match that it is over. Each of them holds it for as long as it works.
#[derive(Debug)]
pub struct CancelToken {
    /// The flag that ends the work for the match.
    pub flag: CancelFlag,
    is_evicted: AtomicBool,
}

impl CancelToken {
    /// That of a match that begins, with a flag under which nothing works.
    pub fn new(flag: CancelFlag) -> CancelToken {
        flag.set(false);
        CancelToken { flag, is_evicted: AtomicBool::new(false) }
    }

    /// Tells that the match is over.
    pub fn cancel(&self) {
        self.flag.set(true);
    }

    /// Whether the match is over.
    pub fn is_cancelled(&self) -> bool {
        self.flag.is_raised()
    }

    /// Tells that the match has given way to another one: it is still answered, and nobody thinks for it.
    pub fn evict(&self) {
        self.is_evicted.store(true, Ordering::Release);
    }

    /// Whether the match has given way.
    pub fn is_evicted(&self) -> bool {
        self.is_evicted.load(Ordering::Acquire)
    }

    /// Whether thoughts between two questions are of use.
    pub fn wants_thought(&self) -> bool {
        !self.is_cancelled() && !self.is_evicted()
    }

    /// Waits for a value until a time, or until the match is over.
    ///
    /// # Errors
    /// [`RecvTimeoutError::Timeout`] if none came, [`RecvTimeoutError::Disconnected`] if none can come any more.
    pub fn wait_for<T>(&self, receiver: &Receiver<T>, until: Instant) -> Result<T, RecvTimeoutError> {
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match receiver.recv_timeout(left.min(LOOK)) {
                Err(RecvTimeoutError::Timeout) if left > LOOK && !self.is_cancelled() => {}
                answer => return answer,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn waiting_ends_with_a_value_the_time_or_the_match() {
        let token = CancelToken::new(CancelFlag::leak());
        let (sender, receiver) = channel();
        let soon = || Instant::now() + Duration::from_millis(30);
        let begun = Instant::now();
        assert_eq!(token.wait_for(&receiver, soon()), Err(RecvTimeoutError::Timeout));
        assert!(begun.elapsed() >= Duration::from_millis(30));
        sender.send(7).unwrap();
        assert_eq!(token.wait_for(&receiver, soon()), Ok(7));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(30));
                token.cancel();
            });
            let far = Instant::now() + Duration::from_secs(3600);
            assert_eq!(token.wait_for(&receiver, far), Err(RecvTimeoutError::Timeout));
        });
        drop(sender);
        assert_eq!(token.wait_for(&receiver, soon()), Err(RecvTimeoutError::Disconnected));
    }
}
