//! Roles, and total maps over them.

use std::ops::{Index, IndexMut};

use smallvec::SmallVec;

/// A seat of the game: its position in the order in which the rulesheet declares the roles.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Role(u8);

impl Role {
    /// The role at a position.
    ///
    /// # Panics
    /// If `index` exceeds 255; validation admits no game with more roles.
    pub fn new(index: usize) -> Role {
        Role(u8::try_from(index).expect("a game has at most 256 roles"))
    }

    /// The position: 0, 1, ...
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Values that are kept in place; most games have no more roles.
const FEW: usize = 3;

/// One value for every role, in role order.
///
/// ```
/// use hyperplay_machine::{ByRole, Role};
///
/// let mut scores = ByRole::from_fn(2, |role| 10 * role.index());
/// scores[Role::new(0)] = 5;
/// assert_eq!(scores, ByRole::new(vec![5, 10]));
/// assert_eq!(scores.iter().map(|(role, score)| role.index() + score).sum::<usize>(), 16);
/// assert_eq!((scores.values(), scores.len(), scores.is_empty()), (&[5, 10][..], 2, false));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct ByRole<T>(SmallVec<[T; FEW]>);

impl<T> ByRole<T> {
    /// The map that holds `values` in role order.
    pub fn new(values: Vec<T>) -> Self {
        let mut values = SmallVec::from_vec(values);
        // Few values lie in place, however large the list was made.
        values.shrink_to_fit();
        ByRole(values)
    }

    /// The map over `roles` roles that holds `value(role)` for each.
    pub fn from_fn(roles: usize, mut value: impl FnMut(Role) -> T) -> Self {
        let mut values = SmallVec::with_capacity(roles);
        for index in 0..roles {
            values.push(value(Role::new(index)));
        }
        ByRole(values)
    }

    /// The map that holds what `value` makes of each value, in role order.
    pub fn map<U>(&self, value: impl FnMut(&T) -> U) -> ByRole<U> {
        ByRole(self.0.iter().map(value).collect())
    }

    /// The values with their roles, in role order.
    pub fn iter(&self) -> impl Iterator<Item = (Role, &T)> {
        self.0.iter().enumerate().map(|(index, value)| (Role::new(index), value))
    }

    /// The values in role order.
    pub fn values(&self) -> &[T] {
        &self.0
    }

    /// The values in role order, to be changed.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.0
    }

    /// The number of roles.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is no role.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T> Index<Role> for ByRole<T> {
    type Output = T;
    fn index(&self, role: Role) -> &T {
        &self.0[role.index()]
    }
}

impl<T> IndexMut<Role> for ByRole<T> {
    fn index_mut(&mut self, role: Role) -> &mut T {
        &mut self.0[role.index()]
    }
}
