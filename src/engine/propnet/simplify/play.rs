//! Random play on a network, 64 games at once.
//!
//! The passes use it to find candidates for properties that always hold, and the tests use it to compare two
//! networks. Every legal move of a role is equally likely. A game that is over, or in which a role has no legal move,
//! begins again. O(wires + 64 moves) for each step, and no allocation after the first.

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::propnet::{Propnet, value_of};
use hyperplay_machine::Seed;

/// 64 games in progress: bit `k` of each word belongs to game `k`.
#[derive(Clone, Debug)]
pub struct RandomPlay<'a> {
    net: &'a Propnet,
    rng: ChaCha8Rng,
    inputs: Vec<u64>,
    values: Vec<u64>,
}

impl<'a> RandomPlay<'a> {
    /// All games in the initial state.
    pub fn new(net: &'a Propnet, seed: &Seed) -> RandomPlay<'a> {
        let mut inputs: Vec<u64> = net.initial.iter().map(|&on| if on { !0 } else { 0 }).collect();
        inputs.resize(net.network.inputs(), 0);
        RandomPlay { net, rng: seed.rng(), inputs, values: Vec::new() }
    }

    /// The bits of the states.
    pub fn states(&self) -> &[u64] {
        &self.inputs[..self.net.bits()]
    }

    /// The games that are over.
    pub fn over(&mut self) -> u64 {
        self.clear_moves();
        self.net.network.evaluate_into(&self.inputs, &mut self.values);
        value_of(&self.values, self.net.terminal)
    }

    /// Draws a joint move for each game; the inputs that state and moves make, and the games in which every role has
    /// a legal move and which are not over. Only in those are the moves meaningful.
    pub fn draw(&mut self) -> (&[u64], u64) {
        let mut going = !self.over();
        for (range, role) in self.net.does().values().iter().zip(self.net.roles.values()) {
            let mut chosen = [usize::MAX; 64];
            let mut met = [0_u32; 64];
            for (input, &wire) in range.clone().zip(&role.legal) {
                let mut games = value_of(&self.values, wire);
                while games != 0 {
                    let game = games.trailing_zeros() as usize;
                    games &= games - 1;
                    met[game] += 1;
                    if met[game] == 1 || self.rng.random_range(0..met[game]) == 0 {
                        chosen[game] = input;
                    }
                }
            }
            for (game, &input) in chosen.iter().enumerate() {
                match self.inputs.get_mut(input) {
                    Some(word) => *word |= 1 << game,
                    None => going &= !(1 << game),
                }
            }
        }
        (&self.inputs, going)
    }

    /// Makes one random step in each game.
    pub fn step(&mut self) {
        let (_, going) = self.draw();
        self.net.network.evaluate_into(&self.inputs, &mut self.values);
        for (bit, &wire) in self.net.next.iter().enumerate() {
            let start = if self.net.initial[bit] { !going } else { 0 };
            self.inputs[bit] = value_of(&self.values, wire) & going | start;
        }
        self.clear_moves();
    }

    fn clear_moves(&mut self) {
        self.inputs[self.net.bits()..].fill(0);
    }
}
