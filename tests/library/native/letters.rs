//! Two small games of switches: buttons and lights, and the four-letter game.

use super::Position;

/// Lights p and q.
#[derive(Default)]
pub struct Lights(bool, bool);

impl Position for Lights {
    fn successors(&self) -> Vec<Self> {
        let Lights(p, q) = *self;
        if p && q { Vec::new() } else { vec![Lights(!p, q), Lights(q, p)] }
    }
}

/// Letters p, q and r; s changes nothing.
#[derive(Default)]
pub struct Letters(bool, bool, bool);

impl Position for Letters {
    fn successors(&self) -> Vec<Self> {
        let Letters(p, q, r) = *self;
        if p && q && r { Vec::new() } else { vec![Letters(!p, q, r), Letters(p, p, r), Letters(p, r, q)] }
    }
}
