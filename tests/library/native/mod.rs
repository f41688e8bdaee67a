//! Some games of `games/` as plain small programs, to count their sequences of joint moves without the rules.
//!
//! Each is written from what the game is, not from its rulesheet, and plays only as far as counting needs.

pub mod breakthrough;
pub mod connect_four;
pub mod krieg;
pub mod kuhn;
pub mod letters;
pub mod nim;
pub mod tictactoe;

/// A position of a game.
pub trait Position: Sized {
    /// The positions after each possible step; none when the game is over.
    fn successors(&self) -> Vec<Self>;
}

/// The number of sequences of `depth` steps.
pub fn perft(position: &impl Position, depth: usize) -> u64 {
    match depth {
        0 => 1,
        1 => position.successors().len() as u64,
        _ => position.successors().iter().map(|next| perft(next, depth - 1)).sum(),
    }
}

/// Calls `visit` with the last position of every complete game.
pub fn each_end<P: Position>(position: &P, visit: &mut impl FnMut(&P)) {
    let successors = position.successors();
    if successors.is_empty() {
        visit(position);
    }
    successors.iter().for_each(|next| each_end(next, visit));
}
