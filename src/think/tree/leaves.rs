//! Leaf values: what the states are worth at which a search or a growing tree ends before the game does.

use hyperplay_machine::{Budget, Bulk, ByRole, Seed, Start, Tally};

/// The values of the leaves of a search. A search asks for many at once and takes the mean goals of each tally as the value
/// of its start for each role.
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_machine::{Bulk, ByRole, Start, Tally};
/// use hyperplay_think::search::{Blocks, LeafValues, OpenState, SearchContext, uct};
///
/// /// Every leaf is worth as much as any other, so that only the ends of the game count that are in the tree.
/// struct Even;
///
/// impl<M: Bulk> LeafValues<M> for Even {
///     fn tallies(&self, machine: &M, starts: &[Start<M::State>], _: &Seed, _: &Budget, _: &mut M::Scratch) -> Vec<Tally> {
///         let roles = machine.roles().len();
///         let even = |_| Tally { count: 1, sum: ByRole::from_fn(roles, |_| 50), ..Tally::new(roles) };
///         starts.iter().map(even).collect()
///     }
/// }
///
/// let mut scratch = machine.scratch();
/// let moves = machine.legal_by_role(&state, &mut scratch)[candidate].clone();
/// let context = SearchContext::new(&*machine, candidate, Budget::UNLIMITED, Seed::root(1), &mut scratch);
/// let open = OpenState { state: &state, moves, weight: 1.0, share: 1 };
/// let made = uct(&mut SearchContext { leaves: &Even, ..context }, &[open], 100, &Blocks::default());
/// assert_eq!(made.evaluations[0].values, [0.0, 100.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait LeafValues<M: Bulk>: Send + Sync {
    /// The sums of the goals that the values of each start are means of, in the order given, with `count` of at most
    /// [`Start::count`] and the states visited in `steps`. A start that the deadline of the budget cuts off has the count 0.
    /// All randomness comes from the seed.
    fn tallies(
        &self,
        machine: &M,
        starts: &[Start<M::State>],
        seed: &Seed,
        budget: &Budget,
        scratch: &mut M::Scratch,
    ) -> Vec<Tally>;

    /// The values of a state for each role, 0 to 100, if they follow from the state alone: searches that sample nothing
    /// use them.
    fn values(&self, machine: &M, state: &M::State) -> Option<ByRole<f64>> {
        let _ = (machine, state);
        None
    }
}

/// The goals of random playouts ([`Bulk::playouts`]): the default.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RandomPlayouts;

impl<M: Bulk> LeafValues<M> for RandomPlayouts {
    fn tallies(
        &self,
        machine: &M,
        starts: &[Start<M::State>],
        seed: &Seed,
        budget: &Budget,
        scratch: &mut M::Scratch,
    ) -> Vec<Tally> {
        machine.playouts(starts, seed, budget, scratch)
    }
}
