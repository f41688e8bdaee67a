//! Kuhn poker, the two cards dealt one after the other.

use super::Position;

/// The cards of Alice and Bob, 0 to 2, and what was said: `b` is a bet or a call, `p` a check or a fold.
#[derive(Clone, Default)]
pub struct Kuhn {
    cards: Vec<u8>,
    said: String,
}

impl Kuhn {
    /// Goals of Alice and Bob in a position where the game is over: 50 and 25 for each unit won or lost.
    pub fn goals(&self) -> [i32; 2] {
        let better = if self.cards[0] > self.cards[1] { 1 } else { -1 };
        let won = match &*self.said {
            "pp" => better,
            "bb" | "pbb" => 2 * better,
            "bp" => 1,
            "pbp" => -1,
            other => panic!("not over: {other}"),
        };
        [50 + 25 * won, 50 - 25 * won]
    }
}

impl Position for Kuhn {
    fn successors(&self) -> Vec<Self> {
        if self.cards.len() < 2 {
            let left = (0..3).filter(|card| !self.cards.contains(card));
            return left
                .map(|card| Kuhn { cards: [&self.cards[..], &[card]].concat(), said: String::new() })
                .collect();
        }
        if matches!(&*self.said, "pp" | "bb" | "bp" | "pbb" | "pbp") {
            return Vec::new();
        }
        let say = |word| Kuhn { cards: self.cards.clone(), said: format!("{}{word}", self.said) };
        vec![say("p"), say("b")]
    }
}
