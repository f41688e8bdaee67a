//! The size of a network, in the units that determine the cost of an engine.

use serde::Serialize;

use super::{Gate, Propnet, Wire};

/// The size of a network or of a part of it. Inputs and dead gates do not count.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Size {
    /// The number of AND gates, of whatever width.
    pub gates: usize,
    /// The number of wires into them.
    pub wires: usize,
    /// The number of two-input gates they amount to: wires minus gates.
    pub two_inputs: usize,
    /// The largest number of gates between an input and an output.
    pub depth: usize,
}

/// How large a game's network is, as a whole and by what it decides.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NetworkStats {
    /// The number of bits of a state.
    pub bits: usize,
    /// The number of moves of all roles.
    pub moves: usize,
    /// All gates.
    pub all: Size,
    /// The part that legality depends on.
    pub legal: Size,
    /// The part that the end of the game depends on.
    pub terminal: Size,
    /// The part that goals depend on.
    pub goals: Size,
    /// The part that percepts depend on.
    pub percepts: Size,
    /// The part that the next state depends on.
    pub next: Size,
}

impl Propnet {
    /// The size of the network and of the parts that decide each query; parts share gates. O(wires).
    pub fn stats(&self) -> NetworkStats {
        let roles = self.roles.values();
        let (mut legal, mut goals, mut percepts) = (Vec::new(), Vec::new(), Vec::new());
        for role in roles {
            legal.extend_from_slice(&role.legal);
            goals.extend(role.goals.iter().map(|&(_, wire)| wire));
            percepts.extend(role.percepts.iter().map(|&(_, wire)| wire));
        }
        let all: Vec<Wire> = self.outputs().collect();
        NetworkStats {
            bits: self.bits(),
            moves: self.network.inputs() - self.bits(),
            all: self.size(&all),
            legal: self.size(&legal),
            terminal: self.size(&[self.terminal]),
            goals: self.size(&goals),
            percepts: self.size(&percepts),
            next: self.size(&self.next),
        }
    }

    /// The size of what some wires depend on.
    fn size(&self, outputs: &[Wire]) -> Size {
        let gates = self.network.gates();
        let counts = self.network.needed(outputs.iter().copied());
        let mut size = Size::default();
        let mut depth = vec![0_usize; gates.len()];
        for (number, gate) in gates.iter().enumerate().filter(|&(number, _)| counts[number]) {
            if let Gate::And(wires) = gate {
                size.gates += 1;
                size.wires += wires.len();
                depth[number] = 1 + wires.iter().map(|wire| depth[wire.gate()]).max().unwrap_or(0);
                size.depth = size.depth.max(depth[number]);
            }
        }
        size.two_inputs = size.wires - size.gates;
        size
    }
}
