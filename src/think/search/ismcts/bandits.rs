//! The bandits of a search: what is learnt of each move at the information sets of its tree.
//!
//! An information set is *open* once it is in the tree, and then its role selects there by UCB1 over the moves that are
//! legal in the position. The two numbers of a bound that change with the move alone, its mean and the root of how often
//! it was tried, are kept, so that a selection is a sum and a product for each move. Descents under way count as tried
//! but not as known, as in the [other bandits](super::super::bandit).
//!
//! Where all positions of a set have the same moves, as the rules of GDL-II intend it, each was available as often as
//! the set was visited. Where they have not, how often each was available is counted (subset-armed bandits).
//!
//! Where another role chooses at once, a move is drawn by regret matching instead ([`matching`]), unless there are very many
//! moves, or the positions of the set differ in them or in their order.
//!
//! Most sets are met and never opened. So a move has an *arm*, the place where what is learnt of it lies, only once its set
//! is open. The arms of a set lie together, in the order of its moves; those of moves that only later positions have, at
//! the end.

use rand::{Rng, RngExt};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::super::bandit::Arm;
use super::history::MoveHistory;
use super::matching::{self, Draw, Matched};
use crate::tree::{Chooser, InformationSets, SetMoves};
use hyperplay_machine::{Role, draw_weighted};

/// The visits of an information set.
#[derive(Clone, Copy, Debug, Default)]
struct Visits {
    /// The arm of its first move, once it is open.
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

/// A move that was selected.
#[derive(Clone, Copy, Debug)]
pub(super) struct Selected {
    /// Its place among those of the chooser.
    pub place: u32,
    pub arm: u32,
    /// How regret matching drew it, if the bounds did not decide.
    pub draw: Option<Draw>,
}

/// All bandits.
#[derive(Clone, Debug, Default)]
pub(super) struct Bandits {
    /// The weight of exploration.
    pub exploration: f32,
    /// Whether roles that choose at once match their regrets.
    pub is_matching: bool,
    visits: Vec<Visits>,
    bounds: Vec<Bound>,
    arms: Vec<Arm>,
    /// By arm, as far as there are any of which regrets are matched.
    matched: Vec<Matched>,
    /// The arms of moves that a set has only in later positions, by number.
    later: FxHashMap<u32, u32>,
    /// How often an arm was available, for those of sets whose positions differ in their moves.
    available: FxHashMap<u32, u32>,
    /// The open sets with very many moves, and whose they are.
    pub wide: Vec<(u32, Role)>,
    /// Sets that are open.
    pub open: usize,
}

impl Bandits {
    /// Makes room for sets that were met since.
    pub fn grow(&mut self, sets: &InformationSets) {
        self.visits.resize(sets.list().len(), Visits::default());
    }

    /// Forgets everything, and keeps the memory for what is learnt next.
    pub fn clear(&mut self) {
        self.visits.clear();
        self.bounds.clear();
        self.arms.clear();
        self.matched.clear();
        self.later.clear();
        self.available.clear();
        self.wide.clear();
        self.open = 0;
    }

    /// About how many bytes it takes.
    pub fn bytes(&self) -> usize {
        let an_arm = size_of::<Arm>() + size_of::<Bound>();
        let wide = self.wide.len() * size_of::<(u32, Role)>();
        let matched = self.matched.len() * size_of::<Matched>();
        let counts = 16 * (self.available.len() + self.later.len());
        self.visits.len() * size_of::<Visits>() + self.arms.len() * an_arm + matched + counts + wide
    }

    #[inline(always)]
    pub fn is_open(&self, set: u32) -> bool {
        self.visits[set as usize].count > 0
    }

    /// Takes a set into the tree.
    pub fn open(&mut self, set: u32, sets: &InformationSets) {
        if !self.is_open(set) {
            self.visits[set as usize] = Visits { first: self.add(sets.of(set).len()), count: 1 };
            self.open += 1;
        }
    }

    /// Adds arms of which nothing is known; the place of the first.
    fn add(&mut self, count: usize) -> u32 {
        let first = self.arms.len();
        self.arms.resize(first + count, Arm::default());
        self.bounds.resize(first + count, UNTRIED);
        first as u32
    }

    /// The arm of a move of an open set, by its number, if it has one.
    fn arm_of(&self, set: u32, number: u32, sets: &InformationSets) -> Option<u32> {
        let SetMoves { first, count } = sets.list()[set as usize];
        match number.checked_sub(first).filter(|&place| place < count) {
            Some(place) => Some(self.visits[set as usize].first + place),
            None => self.later.get(&number).copied(),
        }
    }

    /// What is known of each move of a chooser, whose set is open, in order.
    pub fn known<'s>(
        &'s self,
        chooser: &Chooser,
        sets: &'s InformationSets,
    ) -> impl Iterator<Item = Arm> + use<'s> {
        let set = chooser.set;
        let arms = chooser.numbers(sets).map(move |number| self.arm_of(set, number, sets));
        arms.map(|arm| arm.map_or(Arm::default(), |arm| self.arms[arm as usize]))
    }

    /// How often each move of a chooser, whose set is open, counts in its policy. Where regrets were matched in most visits these
    /// are the draws by regrets, and else all visits.
    pub fn counted(&self, chooser: &Chooser, sets: &InformationSets) -> Vec<u32> {
        let known: Vec<u32> = self.known(chooser, sets).map(|arm| arm.known).collect();
        let first = self.visits[chooser.set as usize].first as usize;
        let drawn: Vec<u32> = self.matched.iter().skip(first).take(known.len()).map(|of| of.drawn).collect();
        let sum = |counts: &[u32]| counts.iter().copied().map(u64::from).sum::<u64>();
        // A few draws are uniform at first, and some visits may be of positions where nobody else chooses.
        let is_matched = 4 * sum(&drawn) >= sum(&known).max(1);
        if is_matched && !chooser.is_uneven(sets) { drawn } else { known }
    }

    /// Takes a set of a role into the tree, which may have very many moves.
    pub fn open_widening(&mut self, set: u32, role: Role, sets: &InformationSets, history: &MoveHistory) {
        self.open(set, sets);
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
        for (arm, &own) in (first..).zip(sets.of(set)) {
            if self.arms[arm].tried == 0 {
                self.bounds[arm] = Bound { mean: URGENCY + history.value(role, own) as f32, reach: 0.0 };
            }
        }
    }

    /// By what the reach of a move counts that was available so often.
    #[inline(always)]
    fn width(&self, available: u32) -> f32 {
        self.exploration * (available.max(1) as f32).ln().sqrt()
    }

    /// Selects a move at an open set, where another role chooses at once or not.
    #[inline]
    pub fn select(
        &mut self,
        chooser: &Chooser,
        is_at_once: bool,
        sets: &InformationSets,
        rng: &mut impl Rng,
    ) -> Selected {
        let visits = &mut self.visits[chooser.set as usize];
        let first = visits.first;
        if chooser.is_uneven(sets) {
            return self.select_among(chooser, sets, rng);
        }
        let (before, all) = (visits.count - 1, first as usize..(first + chooser.moves) as usize);
        visits.count += 1;
        let (place, draw) = if is_at_once && self.is_matching && chooser.moves as usize <= WIDE {
            self.matched.resize(self.arms.len(), Matched::default());
            let (place, draw) = matching::draw(&self.matched[all], before + 1, rng);
            (place, Some(draw))
        } else {
            // Not kept for some visits: a width that grows by jumps makes roles that move at once explore at the same time.
            let width = self.width(before);
            (greatest(self.bounds[all].iter().map(|of| of.mean + width * of.reach), rng), None)
        };
        self.attempt(first + place);
        Selected { place, arm: first + place, draw }
    }

    /// The same where the positions of the set differ in their moves.
    fn select_among(&mut self, chooser: &Chooser, sets: &InformationSets, rng: &mut impl Rng) -> Selected {
        let set = chooser.set;
        let Visits { first, count } = &mut self.visits[set as usize];
        let (first, before) = (*first, *count - 1);
        *count += 1;
        // Until the first difference was met, each move was available in every visit.
        for arm in first..first + sets.of(set).len() as u32 {
            self.available.entry(arm).or_insert(before);
        }
        let (mut arms, mut bounds) = (SmallVec::<[u32; 32]>::new(), SmallVec::<[f32; 32]>::new());
        for number in chooser.numbers(sets) {
            let arm = self.arm_of(set, number, sets).unwrap_or_else(|| {
                let arm = self.add(1);
                self.later.insert(number, arm);
                arm
            });
            let available = self.available.entry(arm).or_insert(0);
            let before = *available;
            *available += 1;
            let width = self.width(before);
            let of = self.bounds[arm as usize];
            arms.push(arm);
            bounds.push(of.mean + width * of.reach);
        }
        let place = greatest(bounds.iter().copied(), rng);
        let arm = arms[place as usize];
        self.attempt(arm);
        Selected { place, arm, draw: None }
    }

    /// Draws a place at an open set as often as its move counts in the policy, and learns nothing.
    pub fn follow(&self, chooser: &Chooser, sets: &InformationSets, rng: &mut impl Rng) -> u32 {
        let counted: Vec<u64> = self.counted(chooser, sets).into_iter().map(u64::from).collect();
        match counted.iter().all(|&count| count == 0) {
            true => rng.random_range(0..chooser.moves),
            false => draw_weighted(&counted, rng) as u32,
        }
    }

    /// Notes that a descent takes a move.
    #[inline(always)]
    fn attempt(&mut self, arm: u32) {
        let (arm, bound) = (&mut self.arms[arm as usize], &mut self.bounds[arm as usize]);
        arm.tried += 1;
        bound.reach = 1.0 / (arm.tried as f32).sqrt();
        if arm.known == 0 {
            bound.mean = MIDDLE;
        }
    }

    /// Takes back a try of which nothing is known.
    pub fn withdraw(&mut self, arm: u32) {
        let (arm, bound) = (&mut self.arms[arm as usize], &mut self.bounds[arm as usize]);
        arm.tried -= 1;
        *bound = match arm.tried {
            0 => UNTRIED,
            tried => Bound { reach: 1.0 / (tried as f32).sqrt(), ..*bound },
        };
    }

    /// Credits the sum of the goals of `count` playouts, at least one, to a move.
    #[inline(always)]
    pub fn learn(&mut self, arm: u32, count: u32, sum: u64) {
        let (arm, bound) = (&mut self.arms[arm as usize], &mut self.bounds[arm as usize]);
        arm.learn(count, sum);
        bound.mean = (arm.mean() / 100.0) as f32;
    }

    /// Learns by regrets what a move of a set brought, 0..=1, that was drawn so.
    pub fn match_regrets(&mut self, set: u32, (arm, draw): (u32, Draw), goal: f32, sets: &InformationSets) {
        let first = self.visits[set as usize].first;
        let moves = &mut self.matched[first as usize..][..sets.of(set).len()];
        matching::learn(moves, arm - first, draw, goal);
    }
}

/// The place of the greatest bound; drawn among equals.
#[inline(always)]
fn greatest(bounds: impl Iterator<Item = f32> + Clone, rng: &mut impl Rng) -> u32 {
    let most = bounds.clone().fold(f32::NEG_INFINITY, f32::max);
    let equals = bounds.clone().filter(|&of| of == most).count();
    let skipped = if equals > 1 { rng.random_range(0..equals as u32) } else { 0 };
    let found = bounds.enumerate().filter(|&(_, of)| of == most).nth(skipped as usize);
    found.map_or(0, |(place, _)| place as u32)
}
