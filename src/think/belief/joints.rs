//! Legal joints: the joint moves that may continue a history, with their probabilities.
//!
//! The own move is one that the observation admits, `random` draws by its weights, and the other roles choose uniformly
//! or by policies. Moves to which a policy gives probability 0 are left out. A joint move has a number; the move of the
//! last role changes fastest.

use rand::{Rng, RngExt};
use smallvec::SmallVec;

use super::opponents::Policy;
use hyperplay_machine::{
    ByRole, ChanceDistribution, JointMove, JointMoves, Move, OwnMove, Role, StateMachine, StateMachineExt,
    share_at,
};

/// The joint moves that one history may be continued by.
#[derive(Clone, Debug)]
pub(super) struct LegalJoints {
    legal: ByRole<Vec<Move>>,
    /// Those of `random` and of the role that observes which do not choose uniformly, with their distributions.
    uneven: Vec<(Role, ChanceDistribution)>,
    /// The probabilities of the moves of the roles that choose by a policy.
    policies: Vec<(Role, Policy)>,
}

impl LegalJoints {
    /// The legal moves in a state that agree with the own move. `policies` is asked for those of roles that do not choose
    /// uniformly; without an answer there is no result.
    pub(super) fn of<M: StateMachine>(
        machine: &M,
        state: &M::State,
        (me, own): (Role, &OwnMove),
        policies: impl FnOnce(&ByRole<Vec<Move>>) -> Option<Vec<(Role, Policy)>>,
        scratch: &mut M::Scratch,
    ) -> Option<LegalJoints> {
        let mut legal = machine.legal_by_role(state, scratch);
        let own = own.among(&mut legal[me]);
        let random = machine.random().filter(|&random| random != me);
        let chance = random.map(|random| (random, ChanceDistribution::of(machine, state, scratch)));
        let uneven = chance.into_iter().chain([(me, own)]);
        let uneven = uneven.filter(|(_, distribution)| !distribution.is_uniform()).collect();
        let mut policies = policies(&legal)?;
        for (role, policy) in &mut policies {
            if policy.iter().any(|&share| share <= 0.0) {
                let mut shares = policy.iter();
                legal[*role].retain(|_| shares.next().is_some_and(|&share| share > 0.0));
                *policy = policy.iter().copied().filter(|&share| share > 0.0).collect();
            }
        }
        Some(LegalJoints { legal, uneven, policies })
    }

    /// The legal moves of each role.
    pub(super) fn legal(&self) -> &ByRole<Vec<Move>> {
        &self.legal
    }

    /// How many joint moves there are; `u64::MAX` if there are more.
    pub(super) fn count(&self) -> u64 {
        JointMoves::count(&self.legal)
    }

    /// Whether all joint moves are equally probable.
    pub(super) fn is_uniform(&self) -> bool {
        self.uneven.is_empty() && self.policies.is_empty()
    }

    /// The joint move with a number.
    pub(super) fn joint(&self, index: u64) -> JointMove {
        let mut rest = index;
        let mut joint: SmallVec<[Move; 4]> = self.legal.values().iter().map(|of| of[0]).collect();
        for (own, moves) in joint.iter_mut().zip(self.legal.values()).rev() {
            *own = moves[(rest % moves.len() as u64) as usize];
            rest /= moves.len() as u64;
        }
        JointMove::new(joint)
    }

    /// The number of a joint move.
    pub(super) fn index_of(&self, joint: &JointMove) -> u64 {
        self.legal.values().iter().zip(joint.iter()).fold(0, |index, (moves, own)| {
            let place = moves.iter().position(|other| other == own);
            index * moves.len() as u64 + place.expect("a joint move is legal") as u64
        })
    }

    /// The probability of the joint move with a number.
    pub(super) fn probability(&self, index: u64) -> f64 {
        self.part(1.0, &self.joint(index))
    }

    /// The part of a probability that falls to a joint move.
    pub(super) fn part(&self, whole: f64, joint: &JointMove) -> f64 {
        let even = whole / self.count() as f64;
        let place = |role: Role| {
            let place = self.legal[role].iter().position(|&own| own == joint.of(role));
            place.expect("a joint move is legal")
        };
        let part = self.uneven.iter().fold(even, |part, (role, distribution)| {
            let moves = self.legal[*role].len();
            part * distribution.probability(place(*role), moves) * moves as f64
        });
        let by_policy =
            |part, (role, policy): &(Role, Policy)| part * policy[place(*role)] * policy.len() as f64;
        self.policies.iter().fold(part, by_policy)
    }

    /// A joint move drawn by its probability; `None` if there is none.
    pub(super) fn draw(&self, rng: &mut impl Rng) -> Option<JointMove> {
        let mut joint: SmallVec<[Move; 4]> = SmallVec::with_capacity(self.legal.len());
        for (role, moves) in self.legal.iter() {
            let uneven = self.uneven.iter().find(|(of, _)| *of == role);
            let policy = self.policies.iter().find(|(of, _)| *of == role);
            let place = match (uneven, policy) {
                _ if moves.len() < 2 => 0,
                (Some((_, distribution)), _) => distribution.draw(moves.len(), rng),
                (_, Some((_, policy))) => {
                    let number = rng.random::<f64>() * policy.iter().sum::<f64>();
                    share_at(policy.iter().copied(), number).unwrap_or(moves.len() - 1)
                }
                _ => rng.random_range(0..moves.len()),
            };
            joint.push(*moves.get(place)?);
        }
        Some(JointMove::new(joint))
    }
}
