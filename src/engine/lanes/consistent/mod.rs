//! Steps drawn in lanes that agree with an observation: 64, 256, 512 or 1,024 attempts at a time.
//!
//! One pass draws the moves of all roles but the observing one, makes the step, and compares the percepts in planes
//! (`circuit.rs`, `pass.rs`). A draw fails if its random bits are too high in every round. How often that happens
//! depends on the number of legal moves, so such an attempt is never given up: it is made again, with the same start,
//! in the next group.
//!
//! The attempts run in groups of at most 1,024. A group begins with the attempts that are made again, and new ones
//! follow. Its words have consecutive numbers, and each draws from its own stream. So a result does not depend on the
//! width of the planes.

mod circuit;
mod pass;
mod rows;
#[cfg(test)]
mod tests;
mod untold;

use std::sync::OnceLock;

use circuit::ConsistentCode;
use pass::{DrawPlanes, DrawWork};

use super::random::StreamKeys;
use super::{LaneWidth, Lanes};
use crate::propagator::Propagator;
use hyperplay_machine::{Budget, ByRole, ConsistentDraws, ConsistentStep, OwnMove, State, StepAttempts};

/// The attempts of a group.
const GROUP: usize = 1024;
/// Groups between two looks at the clock.
const GROUPS_A_LOOK: usize = 4;

/// The programs of the observing roles; each is compiled when it is first needed.
#[derive(Debug)]
pub(super) struct ConsistentCodes(ByRole<OnceLock<ConsistentCode>>);

impl ConsistentCodes {
    /// None is compiled.
    pub(super) fn new(roles: usize) -> ConsistentCodes {
        ConsistentCodes(ByRole::from_fn(roles, |_| OnceLock::new()))
    }
}

/// The planes that one thread draws with.
#[derive(Clone, Debug, Default)]
pub(super) struct DrawScratch {
    narrow: DrawPlanes<1>,
    middle: DrawPlanes<4>,
    wide: DrawPlanes<8>,
    widest: DrawPlanes<16>,
}

impl DrawScratch {
    fn clear(&mut self) {
        self.narrow.clear();
        self.middle.clear();
        self.wide.clear();
        self.widest.clear();
    }
}

impl Lanes {
    /// The draws of [`Bulk::draw_consistent`](hyperplay_machine::Bulk::draw_consistent), and the attempts in which the
    /// own move is not legal; `None` if these lanes cannot make them, because the own move is not known.
    pub(super) fn draw_known(
        &self,
        propagator: &Propagator,
        asked: &StepAttempts<'_, State>,
        scratch: &mut super::LanesScratch,
    ) -> Option<(ConsistentDraws<State>, Vec<u32>)> {
        let &StepAttempts { starts, attempts, observed, seed, budget } = asked;
        let OwnMove::Known(own) = observed.observation.own else { return None };
        if budget.is_late() {
            return Some((ConsistentDraws { tried: 0, steps: Vec::new() }, Vec::new()));
        }
        let role = observed.role;
        let code = self.consistent.0[role].get_or_init(|| ConsistentCode::new(propagator, role));
        let nothing = ConsistentDraws { tried: attempts.len(), steps: Vec::new() };
        let roles = &propagator.propnet.roles;
        let Some(own) = roles[role].moves.iter().position(|other| *other == own) else {
            return Some((nothing, (0..).take(attempts.len()).collect()));
        };
        let seen = &observed.observation.percepts;
        if seen.iter().any(|percept| code.percepts.iter().all(|(known, _)| known != percept)) {
            return Some((nothing, Vec::new()));
        }
        let percepts = code.percepts.iter().map(|(percept, plane)| (*plane, seen.contains(percept)));
        let expected = percepts.chain([(code.terminal, observed.is_end)]);
        let expected = expected.map(|(plane, is_on)| (plane, u64::from(is_on).wrapping_neg())).collect();
        let mut moves: Vec<_> = roles.values().iter().map(|role| &role.moves[..]).collect();
        moves[role.index()] = &moves[role.index()][own..=own];
        if moves.iter().any(|moves| moves.is_empty()) {
            return Some((nothing, Vec::new()));
        }
        let keys = StreamKeys::new(seed);
        let work = DrawWork { code, starts, attempts, own, expected, moves, keys };
        Some(self.draw_groups(&work, budget, &mut scratch.draws))
    }

    fn draw_groups(
        &self,
        work: &DrawWork<'_>,
        budget: &Budget,
        scratch: &mut DrawScratch,
    ) -> (ConsistentDraws<State>, Vec<u32>) {
        scratch.clear();
        let mut end = u32::try_from(work.attempts.len()).expect("attempts are numbered by 32 bits");
        let mut steps: Vec<ConsistentStep<State>> = Vec::new();
        let (mut group, mut again, mut unfit) = (Vec::with_capacity(GROUP), Vec::new(), Vec::new());
        let (mut begun, mut first) = (0, 0);
        for number in 0.. {
            // At the deadline no attempt is begun, but those that were begun are decided.
            if number % GROUPS_A_LOOK == 0 && budget.is_late() {
                end = end.min(begun);
            }
            std::mem::swap(&mut group, &mut again);
            again.clear();
            let old = group.last().map_or(0, |&last| last + 1);
            let fresh = (GROUP - group.len()).min((end - begun) as usize) as u32;
            group.extend(begun..begun + fresh);
            begun += fresh;
            if group.is_empty() {
                break;
            }
            let width = self.width.unwrap_or(match group.len().div_ceil(64) {
                0..=1 => LaneWidth::Lanes64,
                2..=4 => LaneWidth::Lanes256,
                5..=8 => LaneWidth::Lanes512,
                _ => LaneWidth::Lanes1024,
            });
            let before = steps.len();
            macro_rules! run {
                ($planes:expr, $words:literal) => {
                    for (pass, attempts) in group.chunks(64 * $words).enumerate() {
                        let lists = [&mut again, &mut unfit];
                        $planes.run(work, attempts, first + $words * pass as u64, &mut steps, lists);
                    }
                };
            }
            match width {
                LaneWidth::Lanes64 => run!(scratch.narrow, 1),
                LaneWidth::Lanes256 => run!(scratch.middle, 4),
                LaneWidth::Lanes512 => run!(scratch.wide, 8),
                LaneWidth::Lanes1024 => run!(scratch.widest, 16),
            }
            first += group.len().div_ceil(64) as u64;
            put_in_order(&mut steps, before, old as usize);
            if number == 0 {
                // As many in each of the other groups, and some more.
                let groups = (end - begun) as usize / GROUP;
                steps.reserve(groups * steps.len() * 17 / 16);
            }
        }
        (ConsistentDraws { tried: end as usize, steps }, unfit)
    }
}

/// Moves the steps from the number `new` on that belong to attempts before `old` to their places among those before;
/// all others are in order.
fn put_in_order(steps: &mut [ConsistentStep<State>], new: usize, old: usize) {
    let late = steps[new..].partition_point(|step| step.place < old);
    if late > 0 {
        let least = steps[new].place;
        let from = steps[..new].partition_point(|step| step.place < least);
        steps[from..new + late].sort_by_key(|step| step.place);
    }
}
