//! Where a tree begins: at the initial state, or at the positions of a sub-game.
//!
//! A root has a *prior*, the probability of all histories that lead to its position where all roles choose uniformly, and for each role its
//! place in the list of what that role may know at the roots. What a role did to come there is a factor of all roots between which
//! it cannot tell, so it is kept in these lists: its *reach*, the probability of its own moves under the last solve, over
//! that under uniform play. In the pass of a role a root weighs its prior times the factors of the others.
//!
//! Priors and reaches are in the units of the tree before, so what was learnt in it is in the units of its roots. Invariant: where
//! a role could not come to any root its reaches are 1, so some root weighs more than nothing.

use rand::Rng;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;
use smallvec::SmallVec;

use super::gadget::Gadget;

/// Not in the tree.
pub(super) const NOWHERE: u32 = u32::MAX;

/// A position where the tree begins.
#[derive(Clone)]
pub(super) struct Root {
    pub(super) position: u32,
    pub(super) prior: f64,
    /// By role: the place in its list of classes.
    pub(super) places: SmallVec<[u32; 4]>,
}

/// What a role may know at the roots.
#[derive(Clone, Default)]
pub(super) struct Side {
    /// The classes of its evidence.
    pub(super) classes: Vec<u32>,
    /// By class: its reach.
    pub(super) reach: Vec<f64>,
    /// Its choice before the roots, if it has one.
    pub(super) gadget: Option<Gadget>,
}

/// The roots of a tree.
#[derive(Clone, Default)]
pub(super) struct Roots {
    pub(super) list: Vec<Root>,
    /// By role.
    pub(super) sides: Vec<Side>,
    /// The role that searches, and the place of what it knows; none from the initial state.
    own: Option<(usize, u32)>,
}

impl Roots {
    /// The initial state.
    pub(super) fn initial(position: u32, roles: usize) -> Roots {
        let side = |_| Side { classes: vec![0], reach: vec![1.0], gadget: None };
        let root = Root { position, prior: 1.0, places: SmallVec::from_elem(0, roles) };
        Roots { list: vec![root], sides: (0..roles).map(side).collect(), own: None }
    }

    /// Roots by their positions, if these are in the tree, their priors and what each role knows there, for a role that knows a class. `reach`
    /// says the reach of a role with a class.
    pub(super) fn of_subgame<'k>(
        each: impl Iterator<Item = (Option<u32>, f64, &'k [u32])>,
        roles: usize,
        own: (usize, u32),
        mut reach: impl FnMut(usize, u32) -> f64,
    ) -> Roots {
        let mut sides: Vec<Side> = (0..roles).map(|_| Side::default()).collect();
        let mut list: Vec<Root> = Vec::new();
        for (position, prior, known) in each {
            let places = sides.iter_mut().zip(known).map(|(side, &class)| {
                let place = side.classes.iter().position(|&listed| listed == class);
                place.unwrap_or_else(|| {
                    side.classes.push(class);
                    side.classes.len() - 1
                }) as u32
            });
            let (position, places) = (position.unwrap_or(NOWHERE), places.collect());
            list.push(Root { position, prior, places });
        }
        for (role, side) in sides.iter_mut().enumerate() {
            side.reach = side.classes.iter().map(|&class| reach(role, class)).collect();
            if side.reach.iter().all(|reach| *reach == 0.0) {
                side.reach.fill(1.0);
            }
        }
        let place = sides[own.0].classes.iter().position(|&class| class == own.1);
        let own = place.map(|place| (own.0, place as u32));
        // The searching role is at what it knows, however seldom the last solve went there.
        if let Some((role, place)) = own
            && sides[role].reach[place as usize] == 0.0
        {
            sides[role].reach.fill(1.0);
        }
        Roots { list, sides, own }
    }

    /// The role that searches, in a sub-game.
    pub(super) fn searcher(&self) -> Option<usize> {
        self.own.map(|(role, _)| role)
    }

    /// Whether the searching role holds a root possible.
    pub(super) fn is_own(&self, root: &Root) -> bool {
        self.own.is_none_or(|(role, place)| root.places[role] == place)
    }

    /// How probably a role itself enters a root, and how probably all others and chance come there, in some unit.
    #[inline(always)]
    pub(super) fn weights(&self, root: &Root, role: u32) -> (f64, f64) {
        let (mut own, mut others) = (1.0, root.prior);
        for ((number, side), &place) in (0..).zip(&self.sides).zip(&root.places) {
            let (reach, gadget) = (side.reach[place as usize], &side.gadget);
            match gadget {
                Some(gadget) if number == role => own = gadget.entered(place as usize),
                _ if number == role => {}
                Some(gadget) => others *= gadget.factor(place as usize, reach),
                None => others *= reach,
            }
        }
        (own, others)
    }

    /// By class of a role: the weight of its roots, and the weighted sum of the values of their positions, where there is one.
    pub(super) fn sums(&self, role: u32, value: impl Fn(u32) -> Option<f64>) -> Vec<(f64, f64)> {
        let mut sums = vec![(0.0, 0.0); self.sides[role as usize].classes.len()];
        for root in &self.list {
            let Some(value) = value(root.position) else { continue };
            let (weight, sum) = (self.weights(root, role).1, &mut sums[root.places[role as usize] as usize]);
            *sum = (sum.0 + weight, sum.1 + weight * value);
        }
        sums
    }

    /// Updates the choice of a role before the roots, if it has one, after a pass that gave positions these values.
    pub(super) fn update(&mut self, role: u32, iteration: u64, values: &[f64]) {
        if self.sides.get(role as usize).is_some_and(|side| side.gadget.is_some()) {
            let sums = self.sums(role, |position| Some(values[position as usize]));
            let gadget = self.sides[role as usize].gadget.as_mut();
            gadget.into_iter().for_each(|gadget| gadget.update(iteration, &sums));
        }
    }

    /// The roots by their weights, to draw from: all, and those that the searching role holds possible.
    pub(super) fn starts(&self) -> [Option<WeightedIndex<f64>>; 2] {
        let weight = |root: &Root| self.weights(root, u32::MAX).1;
        let own_weight = |root: &Root| if self.is_own(root) { weight(root) } else { 0.0 };
        [
            WeightedIndex::new(self.list.iter().map(weight)).ok(),
            WeightedIndex::new(self.list.iter().map(own_weight)).ok(),
        ]
    }

    /// The position of a root, drawn from these; none if there is none.
    pub(super) fn draw(&self, start: &Option<WeightedIndex<f64>>, rng: &mut impl Rng) -> Option<u32> {
        match &self.list[..] {
            [root] => Some(root.position),
            roots => Some(roots[start.as_ref()?.sample(rng)].position),
        }
    }
}
