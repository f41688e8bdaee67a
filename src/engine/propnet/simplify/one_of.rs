//! Groups of bits of which at most one, or exactly one, is on in every reachable state, found and proved.
//!
//! The candidates are fluents that differ in one argument only, as `(cell 1 1 x)` and `(cell 1 1 o)` do, if no two of
//! them held together in random play. The proof is by induction over the steps: assume all groups in one state, assume
//! that each role makes one legal move and that two members are on next, and look for a contradiction, splitting the
//! ORs among what is known. A group with a pair that is not refuted is given up, and the proof begins again without it.
//!
//! All work is bounded: a group that is too large or too hard to prove is given up.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::known::Known;
use super::{Group, Groups, RandomPlay};
use crate::propnet::{Network, Propnet, Wire};
use hyperplay_logic::gdl::{Symbol, TermId, TermStore};
use hyperplay_machine::Seed;

/// The largest group.
const LARGEST: usize = 40;
/// The pairs proved at most, in all rounds.
const PAIRS: usize = 30_000;
/// How often a proof may split.
const SPLITS: usize = 60;
/// How many known wires all proofs look at, about, before the groups not yet proved are given up.
const WORK: usize = 4_000_000;
/// The steps of random play.
const STEPS: usize = 60;
/// The largest network looked at, in gates.
const GATES: usize = 200_000;

/// The groups of the moves of each role and of the bits of the state. O(wires) for the play, beside a bounded number
/// of bounded proofs.
pub fn one_of(net: &Propnet, store: &TermStore) -> Groups {
    let mut found = if net.network.gates().len() > GATES { Vec::new() } else { candidates(net, store) };
    let (mut pairs, mut work) = (0, 0);
    loop {
        let mut groups = Groups::moves(net);
        found.iter().for_each(|group| groups.add(group.clone()));
        pairs += found.iter().map(|group| group.inputs.len().pow(2)).sum::<usize>();
        if pairs > PAIRS || work > WORK {
            return Groups::moves(net);
        }
        let before = found.clone();
        let mut proof = Proof::new(net, &groups, work);
        found.retain_mut(|group| {
            group.exact = group.exact && proof.some_is_next(group);
            proof.none_are_next_together(group)
        });
        work = proof.work;
        if found == before {
            return groups;
        }
    }
}

/// The groups that random play does not contradict, disjoint.
fn candidates(net: &Propnet, store: &TermStore) -> Vec<Group> {
    let mut states = Vec::new();
    let mut play = RandomPlay::new(net, &Seed::root(0).child("one of"));
    for _ in 0..STEPS {
        states.push(play.states().to_vec());
        play.step();
    }
    let mut taken = vec![false; net.bits()];
    let mut found = Vec::new();
    let deepest = net.fluents.iter().map(|fluent| store.arguments(fluent.term).len()).max().unwrap_or(0);
    for place in (0..deepest).rev() {
        for mut inputs in alike(net, store, place) {
            inputs.retain(|&bit| !taken[bit]);
            if !(2..=LARGEST).contains(&inputs.len()) {
                continue;
            }
            let (mut together, mut none) = (0, 0);
            for state in &states {
                let (mut some, mut two) = (0, 0);
                for &bit in &inputs {
                    two |= some & state[bit];
                    some |= state[bit];
                }
                together |= two;
                none |= !some;
            }
            if together == 0 {
                inputs.iter().for_each(|&bit| taken[bit] = true);
                found.push(Group { inputs, exact: none == 0 });
            }
        }
    }
    found
}

/// The bits of fluents that differ in the argument at a place only, each once, in the order of the fluents.
fn alike(net: &Propnet, store: &TermStore, place: usize) -> Vec<Vec<usize>> {
    let mut sets: IndexMap<(Symbol, Vec<TermId>), Vec<usize>, FxBuildHasher> = IndexMap::default();
    for fluent in &net.fluents {
        let mut arguments = store.arguments(fluent.term).to_vec();
        if arguments.len() <= place {
            continue;
        }
        arguments.remove(place);
        sets.entry((store.functor(fluent.term), arguments)).or_default().push(fluent.bit);
    }
    for set in sets.values_mut() {
        set.sort_unstable();
        set.dedup();
    }
    sets.into_values().collect()
}

/// Proofs about the next state.
struct Proof<'a> {
    net: &'a Propnet,
    known: Known<'a>,
    /// The known wires looked at so far.
    work: usize,
}

impl<'a> Proof<'a> {
    fn new(net: &'a Propnet, groups: &'a Groups, work: usize) -> Proof<'a> {
        let mut known = Known::new(net.network.inputs(), groups);
        for (range, role) in net.does().values().iter().zip(net.roles.values()) {
            range.clone().zip(&role.legal).for_each(|(input, &wire)| known.follows(input, wire));
        }
        Proof { net, known, work }
    }

    /// Whether no two members are on after a step.
    fn none_are_next_together(&mut self, group: &Group) -> bool {
        group.inputs.iter().enumerate().all(|(index, &a)| {
            let others = &group.inputs[index + 1..];
            others.iter().all(|&b| self.contradictory(&[self.net.next[a], self.net.next[b]]))
        })
    }

    /// Whether some member is on after a step if one is on before.
    fn some_is_next(&mut self, group: &Group) -> bool {
        let off: Vec<Wire> = group.inputs.iter().map(|&bit| !self.net.next[bit]).collect();
        group.inputs.iter().all(|&bit| {
            let mut wires = vec![self.net.network.input(bit)];
            wires.extend_from_slice(&off);
            self.contradictory(&wires)
        })
    }

    /// Whether these wires are never on together, as far as can be told.
    fn contradictory(&mut self, wires: &[Wire]) -> bool {
        if self.work > WORK {
            return false;
        }
        let mut splits = SPLITS;
        let network = &self.net.network;
        let refuted = wires.contains(&Wire::FALSE)
            || !wires.iter().all(|&wire| wire == Wire::TRUE || self.known.assume(network, wire))
            || refute(network, &mut self.known, &mut splits, &mut self.work);
        self.known.forget(0);
        refuted
    }
}

/// Whether the known wires contradict each other, as far as this many splits can tell. The known wires are unchanged
/// afterwards.
fn refute(network: &Network, known: &mut Known, splits: &mut usize, work: &mut usize) -> bool {
    let start = known.trail.len();
    let refuted = loop {
        *work += known.trail.len();
        // The OR with the fewest open wires among those that are known and not yet explained.
        let mut best: Option<Vec<Wire>> = None;
        if *work > WORK {
            break false;
        }
        for &wire in known.trail.iter().filter(|wire| wire.is_negated()) {
            let inner = network.fanin(wire);
            if inner.is_empty() || inner.iter().any(|&inner| known.holds(!inner)) {
                continue;
            }
            *work += inner.len();
            let open: Vec<Wire> = inner.iter().copied().filter(|&inner| !known.holds(inner)).collect();
            if best.as_ref().is_none_or(|best| open.len() < best.len()) {
                best = Some(open);
            }
        }
        match best {
            None => break false,
            Some(open) if open.len() == 1 => {
                if !known.assume(network, !open[0]) {
                    break true;
                }
            }
            Some(open) => {
                if *splits < open.len() {
                    break false;
                }
                *splits -= open.len();
                break open.iter().all(|&wire| {
                    let before = known.trail.len();
                    let refuted = !known.assume(network, !wire) || refute(network, known, splits, work);
                    known.forget(before);
                    refuted
                });
            }
        }
    };
    known.forget(start);
    refuted
}
