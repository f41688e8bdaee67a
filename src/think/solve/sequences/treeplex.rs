//! The sequences of one role, in an order in which an iteration reads memory forwards.
//!
//! Sequence 0 is the empty one. Each information set owns a range of sequences, one for each move, and has a parent
//! sequence; parents come before children. Where the treeplex is large, it is cut into *blocks*: groups of whole
//! subtrees, each with a contiguous range of sets and of sequences, which share nothing but their parents. The sets
//! above them, the *trunk*, come first; a small treeplex is all trunk. The cut depends on the game alone, not on the number of threads.
//!
//! Reference: Hoda, Gilpin, Peña, Sandholm, *Smoothing Techniques for Computing Nash Equilibria of Sequential Games*
//! (2010), for the word treeplex.

use std::ops::Range;

use super::super::tree::GameTree;
use hyperplay_machine::Role;

/// Work (sequences and table entries) below which a treeplex is not cut: all of it is trunk.
const SMALL: u64 = 60_000;

/// The blocks that a large treeplex has at least.
const BLOCKS: u64 = 32;

/// The sequences of one role.
#[derive(Clone, Debug)]
pub(in crate::solve) struct Treeplex {
    /// The first sequence of each set; one more at the end.
    pub(in crate::solve) first: Vec<u32>,
    /// The parent sequence of each set.
    pub(in crate::solve) parent: Vec<u32>,
    /// Where the probability of a sequence lies in a profile, for sequences from 1 on.
    pool: Vec<u32>,
    /// The information set of the tree that each set is.
    pub(in crate::solve) sets: Vec<u32>,
    /// The sequence of each place in a profile; 0 for the places of other roles.
    pub(in crate::solve) sequence: Vec<u32>,
    /// The sets of the trunk are those below this.
    pub(in crate::solve) trunk: usize,
    /// The rest, cut.
    pub(in crate::solve) blocks: Vec<Block>,
}

/// The sequences that one becomes by chance, with their probabilities.
pub(super) type Draws = Vec<(u32, f64)>;

/// Whole subtrees of a treeplex.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::solve) struct Block {
    pub(in crate::solve) sets: Range<usize>,
    pub(in crate::solve) sequences: Range<usize>,
}

impl Treeplex {
    /// The treeplex of a role. `entries` says how many ends of the game lie right below each place of a profile.
    pub(super) fn new(tree: &GameTree, role: Role, entries: &[u32]) -> Treeplex {
        let own: Vec<u32> =
            (0..tree.sets().len() as u32).filter(|&set| tree.sets()[set as usize].role == role).collect();
        let links = Links::new(tree, &own);
        let weights = links.weights(tree, &own, entries);
        let total: u64 = links.roots.iter().map(|&set| weights[set as usize]).sum();
        let most = if total < SMALL { 0 } else { (total / BLOCKS).max(1) };
        let (trunk, below) = links.cut(tree, &weights, most);
        Treeplex::numbered(tree, entries.len(), &links, &trunk, &below)
    }

    /// The number of sequences, the empty one included.
    pub(in crate::solve) fn len(&self) -> usize {
        self.pool.len() + 1
    }

    /// The sequences of a set.
    pub(in crate::solve) fn range(&self, set: usize) -> Range<usize> {
        self.first[set] as usize..self.first[set + 1] as usize
    }

    /// Where the probability of a sequence, from 1 on, lies in a profile.
    pub(in crate::solve) fn place(&self, sequence: usize) -> usize {
        self.pool[sequence - 1] as usize
    }

    /// For each sequence the product of the shares on the way to it and its own.
    pub(in crate::solve) fn plan(&self, share: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut plan = vec![1.0; self.len()];
        for (set, &parent) in self.parent.iter().enumerate() {
            let reach = plan[parent as usize];
            for sequence in self.range(set) {
                plan[sequence] = reach * share(sequence);
            }
        }
        plan
    }

    /// How many draws [`biased`](Treeplex::biased) makes of each sequence.
    pub(super) fn ways(&self, share: impl Fn(usize) -> f64, profile: &[f64]) -> Vec<f64> {
        let mut ways = vec![1.0; self.len()];
        for (set, &parent) in self.parent.iter().enumerate() {
            let (share, above) = (share(self.sets[set] as usize), ways[parent as usize]);
            for own in self.range(set) {
                let is_made = above * share * profile[self.place(own)] > 0.0;
                ways[own] = above * (f64::from(share < 1.0) + f64::from(is_made));
            }
        }
        ways
    }

    /// The sequences where at each information set of the tree the role is made to move, with the probability `share`, by the policy in a
    /// profile, which is no move of its own; and the draws for each sequence here.
    pub(super) fn biased(&self, share: impl Fn(usize) -> f64, profile: &[f64]) -> (Treeplex, Vec<Draws>) {
        let mut draws: Vec<Draws> = vec![Vec::new(); self.len()];
        draws[0].push((0, 1.0));
        let mut biased = Treeplex::empty(profile.len());
        for (set, &parent) in self.parent.iter().enumerate() {
            let share = share(self.sets[set] as usize);
            for (above, reach) in draws[parent as usize].clone() {
                let made =
                    self.range(set).map(|own| (own, (above, reach * share * profile[self.place(own)])));
                made.filter(|(_, (_, reach))| *reach > 0.0).for_each(|(own, drawn)| draws[own].push(drawn));
                if share < 1.0 {
                    biased.sets.push(self.sets[set]);
                    biased.parent.push(above);
                    for own in self.range(set) {
                        biased.pool.push((profile.len() + biased.pool.len()) as u32);
                        draws[own].push((biased.pool.len() as u32, reach * (1.0 - share)));
                    }
                    biased.first.push(biased.pool.len() as u32 + 1);
                }
            }
        }
        biased.trunk = biased.sets.len();
        (biased, draws)
    }

    /// No information set; a profile has `pool` places.
    fn empty(pool: usize) -> Treeplex {
        let (parent, sets, blocks) = (Vec::new(), Vec::new(), Vec::new());
        Treeplex { first: vec![1], parent, pool: Vec::new(), sets, sequence: vec![0; pool], trunk: 0, blocks }
    }

    /// The trunk as a block; it begins with the empty sequence.
    pub(in crate::solve) fn trunk_block(&self) -> Block {
        Block { sets: 0..self.trunk, sequences: 0..self.first[self.trunk] as usize }
    }

    /// Numbers sets and sequences: first the trunk, then the subtrees, which are grouped into blocks.
    fn numbered(tree: &GameTree, pool: usize, links: &Links, trunk: &[u32], below: &[Vec<u32>]) -> Treeplex {
        let mut treeplex = Treeplex { trunk: trunk.len(), ..Treeplex::empty(pool) };
        trunk.iter().for_each(|&set| treeplex.add(tree, set));
        for subtrees in below {
            let (set, sequence) = (treeplex.sets.len(), treeplex.len());
            for &root in subtrees {
                links.walk(tree, root, |set| treeplex.add(tree, set));
            }
            let block = Block { sets: set..treeplex.sets.len(), sequences: sequence..treeplex.len() };
            treeplex.blocks.push(block);
        }
        treeplex
    }

    fn add(&mut self, tree: &GameTree, set: u32) {
        let info = &tree.sets()[set as usize];
        let parent = info.former.map_or(0, |(former, own)| {
            self.sequence[tree.sets()[former as usize].range().start + own as usize]
        });
        self.sets.push(set);
        self.parent.push(parent);
        for place in info.range() {
            self.pool.push(place as u32);
            self.sequence[place] = self.pool.len() as u32;
        }
        self.first.push(self.pool.len() as u32 + 1);
    }
}

/// Which sets follow which: a list for each place of a profile, as links from set to set.
struct Links {
    roots: Vec<u32>,
    /// The first set below each place.
    head: Vec<u32>,
    /// The next set below the same place.
    next: Vec<u32>,
}

const END: u32 = u32::MAX;

impl Links {
    fn new(tree: &GameTree, own: &[u32]) -> Links {
        let mut links =
            Links { roots: Vec::new(), head: vec![END; tree.pool_len()], next: vec![END; tree.sets().len()] };
        // From the last to the first, so that a list is in rising order.
        for &set in own.iter().rev() {
            match tree.sets()[set as usize].former {
                None => links.roots.push(set),
                Some((former, own)) => {
                    let place = tree.sets()[former as usize].range().start + own as usize;
                    links.next[set as usize] = links.head[place];
                    links.head[place] = set;
                }
            }
        }
        links.roots.reverse();
        links
    }

    fn below(&self, place: usize) -> impl Iterator<Item = u32> + '_ {
        let some = |set: u32| (set != END).then_some(set);
        std::iter::successors(some(self.head[place]), move |&set| some(self.next[set as usize]))
    }

    /// The work in the subtree of each set: its sequences and the table entries below them.
    fn weights(&self, tree: &GameTree, own: &[u32], entries: &[u32]) -> Vec<u64> {
        let mut weights = vec![0_u64; tree.sets().len()];
        for &set in own.iter().rev() {
            let info = &tree.sets()[set as usize];
            let at_set: u64 = info.range().map(|place| 4 + u64::from(entries[place])).sum();
            weights[set as usize] += at_set;
            if let Some((former, _)) = info.former {
                weights[former as usize] += weights[set as usize];
            }
        }
        weights
    }

    /// Visits a subtree, parents first.
    fn walk(&self, tree: &GameTree, root: u32, mut visit: impl FnMut(u32)) {
        let mut stack = vec![root];
        while let Some(set) = stack.pop() {
            visit(set);
            let before = stack.len();
            tree.sets()[set as usize].range().for_each(|place| stack.extend(self.below(place)));
            stack[before..].reverse();
        }
    }

    /// The trunk: the sets whose subtrees are more than `most` work. And for each block, with no more work where that is
    /// possible, the roots of its subtrees.
    fn cut(&self, tree: &GameTree, weights: &[u64], most: u64) -> (Vec<u32>, Vec<Vec<u32>>) {
        let mut open: Vec<u32> = self.roots.iter().rev().copied().collect();
        let (mut trunk, mut below, mut filled) = (Vec::new(), Vec::<Vec<u32>>::new(), 0);
        while let Some(set) = open.pop() {
            let weight = weights[set as usize];
            if weight > most {
                trunk.push(set);
                let before = open.len();
                tree.sets()[set as usize].range().for_each(|place| open.extend(self.below(place)));
                open[before..].reverse();
                continue;
            }
            if below.is_empty() || filled + weight > most {
                below.push(Vec::new());
                filled = 0;
            }
            filled += weight;
            below.last_mut().expect("a block was begun").push(set);
        }
        (trunk, below)
    }
}
