//! The bandits of a search: what is learnt of each move at the information sets of its tree.
//!
//! An information set is *open* once it is in the tree, and then its role selects there by UCB1 over the moves that are
//! legal in the position. The two numbers of a bound that change with the move alone, its mean and the root of how often
//! it was tried, are kept, so that a selection is a sum and a product for each move. Descents under way count as tried
//! but not as known, as in the [other bandits](super::super::bandit).
//!
//! Where all positions of a set have the same moves, as the rules of GDL-II intend it, each was available as often as
//! the set was visited. Where they have not, how often each was available is counted (subset-armed bandits).

use rand::{Rng, RngExt};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::super::bandit::Arm;
use super::history::MoveHistory;
use crate::tree::{Chooser, InformationSets};
use hyperplay_machine::Role;

/// The visits of an information set.
#[derive(Clone, Copy, Debug, Default)]
struct Visits {
    first: u32,
    /// Descents that selected here; 0 until the set is open, then 1 more.
    count: u32,
}

/// The bound of a move is its mean plus its reach times what the set and the search have in common.
#[derive(Clone, Copy, Debug)]
struct Bound {
    mean: f32,
    reach: f32,
}

const UNTRIED: Bound = Bound { mean: f32::INFINITY, reach: 0.0 };
/// The mean of a move of which nothing is known.
const MIDDLE: f32 = 0.5;

/// A set with more moves tries some of them again before it has tried all.
const WIDE: usize = 100;
/// How much the bound of a move that was not tried in such a set exceeds what it was worth elsewhere (first-play urgency).
const URGENCY: f32 = 0.5;

/// All bandits.
#[derive(Clone, Debug, Default)]
pub(super) struct Bandits {
    exploration: f32,
    visits: Vec<Visits>,
    bounds: Vec<Bound>,
    arms: Vec<Arm>,
    /// How often a move was available, for the moves of sets whose positions differ in them.
    available: FxHashMap<u32, u32>,
    /// The open sets with very many moves, and whose they are.
    pub wide: Vec<(u32, Role)>,
    /// Sets that are open.
    pub open: usize,
}

impl Bandits {
    pub fn new(exploration: f64) -> Self {
        Bandits { exploration: exploration as f32, ..Bandits::default() }
    }

    /// Makes room for sets and moves that were met since.
    pub fn grow(&mut self, sets: &InformationSets) {
        let new = &sets.list()[self.visits.len()..];
        self.visits.extend(new.iter().map(|set| Visits { first: set.first, ..Visits::default() }));
        self.bounds.resize(sets.moves().len(), UNTRIED);
        self.arms.resize(sets.moves().len(), Arm::default());
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        let an_arm = size_of::<Arm>() + size_of::<Bound>();
        let wide = self.wide.len() * size_of::<(u32, Role)>();
        self.visits.len() * size_of::<Visits>() + self.arms.len() * an_arm + 16 * self.available.len() + wide
    }

    #[inline(always)]
    pub fn is_open(&self, set: u32) -> bool {
        self.visits[set as usize].count > 0
    }

    /// Takes a set into the tree.
    pub fn open(&mut self, set: u32) {
        let visits = &mut self.visits[set as usize];
        self.open += usize::from(visits.count == 0);
        visits.count = visits.count.max(1);
    }

    /// Takes a set of a role into the tree, which may have very many moves.
    pub fn open_widening(&mut self, set: u32, role: Role, sets: &InformationSets, history: &MoveHistory) {
        self.open(set);
        if sets.of(set).len() > WIDE {
            self.wide.push((set, role));
            self.urge(self.wide.len() - 1, sets, history);
        }
    }

    /// Takes what the history says now of the moves that were not tried in the sets with very many moves.
    pub fn widen(&mut self, sets: &InformationSets, history: &MoveHistory) {
        (0..self.wide.len()).for_each(|place| self.urge(place, sets, history));
    }

    fn urge(&mut self, place: usize, sets: &InformationSets, history: &MoveHistory) {
        let (set, role) = self.wide[place];
        let first = self.visits[set as usize].first as usize;
        for (number, &own) in (first..).zip(sets.of(set)) {
            if self.arms[number].tried == 0 {
                self.bounds[number] = Bound { mean: URGENCY + history.value(role, own) as f32, reach: 0.0 };
            }
        }
    }

    /// The knowledge of a move.
    pub fn arm(&self, number: u32) -> &Arm {
        &self.arms[number as usize]
    }

    /// By what the reach of a move counts that was available so often.
    #[inline(always)]
    fn width(&self, available: u32) -> f32 {
        self.exploration * (available.max(1) as f32).ln().sqrt()
    }

    /// Selects a move at an open set: its place among those of the chooser, and its number.
    #[inline]
    pub fn select(&mut self, chooser: &Chooser, sets: &InformationSets, rng: &mut impl Rng) -> (u32, u32) {
        let visits = &mut self.visits[chooser.set as usize];
        let first = visits.first;
        if chooser.is_uneven(sets) {
            return self.select_among(chooser, sets, rng);
        }
        let before = visits.count - 1;
        visits.count += 1;
        // Not kept for some visits: a width that grows by jumps makes roles that move at once explore at the same time.
        let width = self.width(before);
        let bounds = &self.bounds[first as usize..(first + chooser.moves) as usize];
        let greatest = bounds.iter().fold(f32::NEG_INFINITY, |most, of| most.max(of.mean + width * of.reach));
        let among = |of: &Bound| of.mean + width * of.reach == greatest;
        let equals = bounds.iter().filter(|of| among(of)).count();
        let skipped = if equals > 1 { rng.random_range(0..equals as u32) } else { 0 };
        let is_chosen = bounds.iter().enumerate().filter(|(_, of)| among(of)).nth(skipped as usize);
        let place = is_chosen.map_or(0, |(place, _)| place as u32);
        self.attempt(first + place);
        (place, first + place)
    }

    /// The same where the positions of the set differ in their moves.
    fn select_among(&mut self, chooser: &Chooser, sets: &InformationSets, rng: &mut impl Rng) -> (u32, u32) {
        let visits = &mut self.visits[chooser.set as usize];
        let before = visits.count - 1;
        visits.count += 1;
        // Until the first difference was met, each move was available in every visit.
        let set = sets.list()[chooser.set as usize];
        for number in set.first..set.first + set.count {
            self.available.entry(number).or_insert(before);
        }
        let numbers: SmallVec<[u32; 32]> = chooser.numbers(sets).collect();
        let mut bounds: SmallVec<[f32; 32]> = SmallVec::new();
        for &number in &numbers {
            let available = self.available.entry(number).or_insert(0);
            let before = *available;
            *available += 1;
            let width = self.width(before);
            let of = self.bounds[number as usize];
            bounds.push(of.mean + width * of.reach);
        }
        let greatest = bounds.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let equals: SmallVec<[u32; 32]> =
            (0..bounds.len() as u32).filter(|&place| bounds[place as usize] == greatest).collect();
        let place = equals[rng.random_range(0..equals.len())];
        self.attempt(numbers[place as usize]);
        (place, numbers[place as usize])
    }

    /// Draws a move at an open set as often as its share of the visits, and learns nothing.
    pub fn follow(&self, chooser: &Chooser, sets: &InformationSets, rng: &mut impl Rng) -> (u32, u32) {
        let total: u64 = chooser.numbers(sets).map(|number| u64::from(self.arm(number).known)).sum();
        let place = if total == 0 {
            rng.random_range(0..chooser.moves)
        } else {
            let mut left = rng.random_range(0..total);
            let found = chooser.numbers(sets).position(|number| {
                let known = u64::from(self.arm(number).known);
                let is_here = left < known;
                left = left.wrapping_sub(known);
                is_here
            });
            found.map_or(0, |place| place as u32)
        };
        (place, chooser.number(place, sets))
    }

    /// Notes that a descent takes a move.
    #[inline(always)]
    fn attempt(&mut self, number: u32) {
        let (arm, bound) = (&mut self.arms[number as usize], &mut self.bounds[number as usize]);
        arm.tried += 1;
        bound.reach = 1.0 / (arm.tried as f32).sqrt();
        if arm.known == 0 {
            bound.mean = MIDDLE;
        }
    }

    /// Takes back a try of which nothing is known.
    pub fn withdraw(&mut self, number: u32) {
        let (arm, bound) = (&mut self.arms[number as usize], &mut self.bounds[number as usize]);
        arm.tried -= 1;
        *bound = match arm.tried {
            0 => UNTRIED,
            tried => Bound { reach: 1.0 / (tried as f32).sqrt(), ..*bound },
        };
    }

    /// Credits the sum of the goals of `count` playouts, at least one, to a move.
    #[inline(always)]
    pub fn learn(&mut self, number: u32, count: u32, sum: u64) {
        let arm = &mut self.arms[number as usize];
        arm.learn(count, sum);
        self.bounds[number as usize].mean = (arm.mean() / 100.0) as f32;
    }
}
