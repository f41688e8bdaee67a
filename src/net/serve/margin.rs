//! How long before the end of the clock an answer is sent.
//!
//! The margin is what the user says, and twice the longest delay between the deadline that the player was given and the
//! moment its answer was ready to be sent, as far as that is remembered. Delays fade, because a computer is not loaded
//! for ever.

use std::time::Duration;

use parking_lot::Mutex;

use hyperplay_play::player::Overrun;

/// The share of a learnt delay that is left after each answer.
const FADING: f64 = 0.95;

/// The margin of all matches of a server.
#[derive(Debug)]
pub struct AnswerMargin {
    least: Duration,
    delay: Mutex<Overrun>,
}

impl AnswerMargin {
    /// At least so much.
    pub fn new(least: Duration) -> AnswerMargin {
        AnswerMargin { least, delay: Mutex::default() }
    }

    /// The margin of an answer under this clock: never more than half of it.
    pub fn of(&self, clock: Duration) -> Duration {
        let delay = *self.delay.lock();
        self.least.saturating_add(delay.reserve()).min(clock / 2)
    }

    /// Learns that an answer was ready so long after its deadline; zero if it was in time.
    pub fn learn(&self, after: Duration) {
        self.delay.lock().learn(after, FADING);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_widens_the_margin_and_fades() {
        let (ms, margin) = (Duration::from_millis, AnswerMargin::new(Duration::from_millis(100)));
        assert_eq!(margin.of(ms(1000)), ms(100));
        assert_eq!(margin.of(ms(100)), ms(50));
        margin.learn(ms(60));
        assert_eq!(margin.of(ms(1000)), ms(220));
        (0..200).for_each(|_| margin.learn(Duration::ZERO));
        assert!(margin.of(ms(1000)) < ms(101));
    }
}
