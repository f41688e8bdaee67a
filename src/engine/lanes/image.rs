//! Images: the inputs of a circuit for the starts of playouts.
//!
//! An image is a list of words, one bit for each input before the first that is not given: the bits of the state, the
//! forced choices, and the weights by which the roles choose.

use std::sync::Arc;

use super::active_player::ActivePlayer;
use super::code::LanesCode;
use crate::propagator::{Propagator, PropagatorScratch};
use hyperplay_machine::{Move, MoveWeights, Role, Start, State, StateMachine};

impl LanesCode {
    /// The images of some starts; `None` where a first move is not legal.
    pub(super) fn images(
        &self,
        propagator: &Propagator,
        starts: &[Start<State>],
        scratch: &mut PropagatorScratch,
    ) -> Vec<Option<Vec<u64>>> {
        // Many starts share few tables of weights, and those of one table mostly follow each other.
        let (mut table, mut blank) = (None, self.blank(propagator, None));
        let mut legal = Vec::new();
        let image = |start: &Start<State>| {
            let weights = start.weights.as_ref();
            if weights.map(Arc::as_ptr) != table {
                (table, blank) = (weights.map(Arc::as_ptr), self.blank(propagator, weights));
            }
            self.image(propagator, start, blank.clone(), &mut legal, scratch)
        };
        starts.iter().map(image).collect()
    }

    /// The image without a state and without forced choices.
    fn blank(&self, propagator: &Propagator, weights: Option<&Arc<MoveWeights>>) -> Vec<u64> {
        let circuit = &self.circuit;
        let mut image = vec![0; circuit.first.div_ceil(64)];
        for ((role, net), inputs) in propagator.propnet.roles.iter().zip(&circuit.weights) {
            let Some(inputs) = inputs else { continue };
            for (number, &own) in net.moves.iter().enumerate() {
                let weight = weights.map_or(MoveWeights::MOST, |weights| weights.of(role, own));
                set(&mut image, inputs + number * MoveWeights::BITS, weight.into(), MoveWeights::BITS);
            }
        }
        image
    }

    /// A blank image with the state and the first moves of a start. The list of legal moves is reused.
    fn image(
        &self,
        propagator: &Propagator,
        start: &Start<State>,
        mut image: Vec<u64>,
        legal: &mut Vec<Move>,
        scratch: &mut PropagatorScratch,
    ) -> Option<Vec<u64>> {
        let circuit = &self.circuit;
        let (words, own) = (start.state.words(), circuit.bits.div_ceil(64));
        image.iter_mut().zip(&words[..own]).for_each(|(image, &word)| *image |= word);
        for &(role, own) in &start.first {
            propagator.legal(&start.state, role, scratch, legal);
            let rank = legal.iter().position(|&other| other == own)?;
            let choice = circuit.choices.iter().find(|choice| choice.player.may_be(role));
            let choice = choice.expect("every role has a choice");
            if is_idle(propagator, &choice.player, role, own) {
                continue;
            }
            let weight = |own: &Move| match &start.weights {
                _ if !choice.is_weighted => 1,
                Some(weights) if circuit.weights[role.index()].is_some() => weights.of(role, *own).into(),
                _ => MoveWeights::MOST.into(),
            };
            let index = legal[..rank].iter().map(weight).sum();
            set(&mut image, choice.forced, index, choice.bits);
            set(&mut image, choice.forced + choice.bits, 1, 1);
        }
        Some(image)
    }
}

/// Whether a role makes the move that it makes where it is not the active player.
fn is_idle(propagator: &Propagator, player: &ActivePlayer, role: Role, own: Move) -> bool {
    let moves = &propagator.propnet.roles[role].moves;
    match player {
        ActivePlayer::Always(_) => false,
        ActivePlayer::InTurn(players) => {
            players.iter().any(|player| player.role == role && moves[player.idle] == own)
        }
    }
}

/// Puts a number of some bits into inputs that are 0.
fn set(image: &mut [u64], first: usize, number: usize, bits: usize) {
    for (bit, input) in (first..first + bits).enumerate() {
        image[input / 64] |= ((number >> bit & 1) as u64) << (input % 64);
    }
}
