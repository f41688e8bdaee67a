//! Choices in a circuit: the inputs that a choice needs, and the moves that it draws.
//!
//! A choice draws the move of one role, or of the active one among roles of which at most one is active. It needs a
//! few random bits, and it may be *forced*: then inputs give the index of the move among the legal ones.

use super::active_player::{ActivePlayer, ActiveWhen};
use super::draw::{Tree, choose, draw};
use crate::propnet::{Network, Propnet, Wire};
use hyperplay_machine::{ByRole, MoveWeights, Role};

/// The rounds of drawing in each choice, chosen so that at least nine steps of ten succeed.
pub(super) fn rounds(choices: usize) -> usize {
    match choices {
        0..=1 => 2,
        2..=4 => 3,
        _ => 4,
    }
}

/// The leaves of the tree of a choice.
pub(super) fn leaves_of(net: &Propnet, player: &ActivePlayer) -> usize {
    match player {
        ActivePlayer::Always(role) => net.roles[*role].moves.len(),
        ActivePlayer::InTurn(players) => {
            players.iter().map(|player| net.roles[player.role].moves.len() - 1).max().unwrap_or(0)
        }
    }
}

/// The result of a choice.
pub(super) struct Drawn {
    /// Whether a move was drawn.
    pub made: Wire,
    /// Whether there is none to draw.
    pub stuck: Wire,
}

/// Where the inputs of a choice that may be forced stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct ForcedInputs {
    /// The input that says that this is a first step: only then is a choice forced.
    pub first: usize,
    /// The first of the inputs for the index.
    pub index: usize,
}

/// A choice that is being built.
pub(super) struct Drawing<'c> {
    /// The network of the circuit.
    pub network: &'c mut Network,
    /// How many bits the index has.
    pub bits: usize,
    /// Its random bits.
    pub random: &'c [Wire],
    /// How it is forced, if it may be.
    pub forced: Option<ForcedInputs>,
    /// Where the choice is by weights: for each role the first of the inputs with the weights of its moves, if it has some.
    /// Empty for a uniform choice.
    pub weights: &'c [Option<usize>],
}

impl Drawing<'_> {
    /// Chooses for a player among the moves that are legal, and sets which it makes.
    pub(super) fn of(
        &mut self,
        player: &ActivePlayer,
        legal: &ByRole<Vec<Wire>>,
        does: &mut ByRole<Vec<Wire>>,
    ) -> Drawn {
        match player {
            ActivePlayer::Always(role) => self.alone(*role, &legal[*role], &mut does[*role]),
            ActivePlayer::InTurn(players) => self.in_turn(players, legal, does),
        }
    }

    /// The moves of one role, of which these are legal.
    fn alone(&mut self, role: Role, legal: &[Wire], does: &mut Vec<Wire>) -> Drawn {
        let stuck = !self.network.or(legal);
        let made;
        (*does, made) = match legal.len() {
            0 | 1 => (vec![Wire::TRUE; legal.len()], Wire::TRUE),
            _ => {
                let leaves =
                    legal.iter().enumerate().map(|(number, &legal)| self.weight(role, number, legal));
                let leaves = leaves.collect();
                self.choose_among(leaves)
            }
        };
        Drawn { made, stuck }
    }

    /// The moves of the role that is active; leaf `i` is move `i` of each, the idle ones left out.
    fn in_turn(
        &mut self,
        players: &[ActiveWhen],
        legal: &ByRole<Vec<Wire>>,
        does: &mut ByRole<Vec<Wire>>,
    ) -> Drawn {
        let active_moves = |player: &ActiveWhen| {
            let (role, idle) = (player.role, player.idle);
            legal[role]
                .iter()
                .enumerate()
                .filter(move |(number, _)| *number != idle)
                .map(move |(number, &wire)| (role, number, wire))
        };
        let count = players.iter().map(|player| active_moves(player).count()).max().unwrap_or(0);
        let leaves: Vec<Vec<Wire>> = (0..count)
            .map(|leaf| {
                let shared = players.iter().filter_map(|player| active_moves(player).nth(leaf));
                let weights: Vec<Vec<Wire>> =
                    shared.map(|(role, number, legal)| self.weight(role, number, legal)).collect();
                let bit = |bit: usize| weights.iter().map(|weight| weight[bit]).collect::<Vec<Wire>>();
                (0..weights[0].len()).map(|place| self.network.or(&bit(place))).collect()
            })
            .collect();
        let none_legal = !self.network.or(&leaves.concat());
        let (chosen, made) = self.choose_among(leaves);
        let active: Vec<Wire> =
            players.iter().map(|player| player.active).map(|wire| self.state_wire(wire)).collect();
        for (player, &active) in players.iter().zip(&active) {
            let mut chosen = chosen.iter();
            does[player.role] = (0..legal[player.role].len())
                .map(|number| {
                    if number == player.idle {
                        return !active;
                    }
                    let leaf = *chosen.next().expect("there are as many leaves as moves of any role");
                    self.network.and(&[leaf, active])
                })
                .collect();
        }
        let somebody = self.network.or(&active);
        Drawn { made: self.network.or(&[made, !somebody]), stuck: self.network.and(&[somebody, none_legal]) }
    }

    /// A wire of the state in this network: its inputs begin with the bits, as those of the game's own network do.
    fn state_wire(&self, wire: Wire) -> Wire {
        self.network.input(wire.gate() - 1).negate_if(wire.is_negated())
    }

    fn is_forced(&mut self) -> Wire {
        let Some(ForcedInputs { first, index }) = self.forced else { return Wire::FALSE };
        let inputs = [first, index + self.bits].map(|input| self.network.input(input));
        self.network.and(&inputs)
    }

    /// The weight of a move, 0 where it is not legal.
    fn weight(&mut self, role: Role, number: usize, legal: Wire) -> Vec<Wire> {
        let Some(weights) = self.weights.get(role.index()) else { return vec![legal] };
        let bit = |bit: usize| match weights {
            Some(first) => {
                let weight = self.network.input(first + number * MoveWeights::BITS + bit);
                self.network.and(&[legal, weight])
            }
            None => legal,
        };
        (0..MoveWeights::BITS).map(bit).collect()
    }

    fn choose_among(&mut self, leaves: Vec<Vec<Wire>>) -> (Vec<Wire>, Wire) {
        let is_forced = self.is_forced();
        let (network, bits) = (&mut *self.network, self.bits);
        let tree = Tree::new(network, leaves);
        let (mut index, is_drawn) = draw(network, tree.count(), bits, self.random);
        if let Some(forced) = self.forced {
            for (bit, wire) in index.iter_mut().enumerate() {
                let forced = network.input(forced.index + bit);
                *wire = choose(network, is_forced, forced, *wire);
            }
        }
        (tree.select(network, &index), network.or(&[is_forced, is_drawn]))
    }
}
