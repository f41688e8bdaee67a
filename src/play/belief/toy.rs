//! Toy: two hand-written machines for the tests of this layer, which may not see an engine.
//!
//! Monty Hall, and a family of planted games: `me` and `other` choose numbers; how many there are, and what `me`
//! perceives, are hashes of the history, so information sets are irregular and contradictions come late.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rand::RngExt;

use hyperplay_engine::machine::{
    Bulk, ByRole, Evidence, Goal, History, JointMove, Move, Percept, Percepts, Role, Seed, StateMachine,
    StateMachineExt, Successor,
};
use hyperplay_logic::gdl::{Symbols, TermStore};

pub(super) const ME: usize = 0;
const NUMBERS: usize = 8;

#[derive(Clone, Copy, Debug)]
pub(super) enum Rules {
    /// Steps: the car is hidden; a door is chosen; another is opened; switch or stay.
    MontyHall,
    /// `steps` steps with up to `width` moves; `me` perceives one of `percepts` numbers, only every `every` steps.
    Planted { seed: u64, steps: usize, width: u64, percepts: u64, every: usize },
}

pub(super) struct Toy {
    rules: Rules,
    terms: TermStore,
    numbers: Vec<Move>,
    roles: ByRole<String>,
    random: Option<Role>,
    /// How often it was asked to expand something.
    pub(super) calls: AtomicUsize,
}

impl Toy {
    pub(super) fn new(rules: Rules) -> Arc<Toy> {
        let mut symbols = Symbols::new();
        let names: Vec<_> = (0..NUMBERS).map(|number| symbols.intern(&number.to_string())).collect();
        let terms = TermStore::new(symbols);
        let numbers = names.into_iter().map(|name| Move(terms.intern(name, &[]))).collect();
        let random = matches!(rules, Rules::MontyHall).then(|| Role::new(1));
        let roles = ByRole::new(vec!["me".to_owned(), "other".to_owned()]);
        Arc::new(Toy { rules, terms, numbers, roles, random, calls: AtomicUsize::new(0) })
    }

    pub(super) fn number(&self, own: Move) -> u8 {
        self.numbers.iter().position(|&number| number == own).expect("one of ours") as u8
    }

    pub(super) fn mv(&self, number: u8) -> Move {
        self.numbers[number as usize]
    }

    /// The evidence of `me` after a random history of `steps` steps at most, and that history.
    pub(super) fn random_evidence(&self, steps: usize, seed: u64) -> (Evidence, History) {
        let mut rng = Seed::root(seed).rng();
        let mut state = self.initial();
        let mut history = History::default();
        while history.step() < steps && !self.terminal(&state, &mut ()) {
            let joint = self.random_joint(&state, &mut (), &mut rng).expect("every role can move");
            state = self.next(&state, &joint, &mut ());
            history.0.push(joint);
            let _: u8 = rng.random();
        }
        (self.evidence(&history, Role::new(ME), &mut ()), history)
    }
}

fn mix(seed: u64, values: &[[u8; 2]], salt: u64) -> u64 {
    let mut hash = seed ^ salt.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for &[a, b] in values {
        hash = (hash ^ (u64::from(a) << 8 | u64::from(b))).wrapping_add(0x9e37_79b9_7f4a_7c15);
        hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        hash ^= hash >> 31;
    }
    hash
}

impl StateMachine for Toy {
    type State = Vec<[u8; 2]>;
    type Scratch = ();

    fn scratch(&self) {}

    fn terms(&self) -> &TermStore {
        &self.terms
    }

    fn roles(&self) -> &ByRole<String> {
        &self.roles
    }

    fn random(&self) -> Option<Role> {
        self.random
    }

    fn initial(&self) -> Self::State {
        Vec::new()
    }

    fn legal(&self, state: &Self::State, role: Role, (): &mut (), out: &mut Vec<Move>) {
        let me = role.index() == ME;
        let numbers: Vec<u8> = match (self.rules, state.len()) {
            (Rules::MontyHall, 0) if !me => vec![0, 1, 2],
            (Rules::MontyHall, 1) if me => vec![0, 1, 2],
            (Rules::MontyHall, 2) if !me => {
                (0..3).filter(|&door| door != state[0][1] && door != state[1][0]).collect()
            }
            (Rules::MontyHall, 3) if me => vec![0, 1],
            (Rules::MontyHall, _) => vec![0],
            // `me` can do the same whatever the others did.
            (Rules::Planted { .. }, _) if me => vec![0, 1],
            (Rules::Planted { seed, width, .. }, _) => (0..=(mix(seed, state, 1) % width) as u8).collect(),
        };
        out.clear();
        out.extend(numbers.into_iter().map(|number| self.mv(number)));
    }

    fn next(&self, state: &Self::State, joint: &JointMove, (): &mut ()) -> Self::State {
        let mut next = state.clone();
        next.push([self.number(joint[0]), self.number(joint[1])]);
        next
    }

    fn percepts(&self, state: &Self::State, joint: &JointMove, role: Role, (): &mut ()) -> Percepts {
        let next = self.next(state, joint, &mut ());
        let seen = match self.rules {
            Rules::MontyHall if state.len() == 2 => Some(self.number(joint[1])),
            Rules::MontyHall => None,
            Rules::Planted { seed, percepts, every, .. } => (next.len() % every == 0)
                .then(|| (mix(seed, &next, 2 + role.index() as u64) % percepts) as u8),
        };
        let seen = seen.map(|number| Percept(self.mv(number).0)).into_iter().collect();
        Percepts::new(seen, |a, b| self.terms.compare(a.0, b.0))
    }

    fn terminal(&self, state: &Self::State, (): &mut ()) -> bool {
        match self.rules {
            Rules::MontyHall => state.len() == 4,
            Rules::Planted { seed, steps, .. } => {
                state.len() >= steps || state.len() > 2 && mix(seed, state, 9).is_multiple_of(16)
            }
        }
    }

    fn goal(&self, state: &Self::State, _: Role, (): &mut ()) -> Goal {
        let won = match self.rules {
            Rules::MontyHall => (state[0][1] == state[1][0]) == (state[3][0] == 1),
            Rules::Planted { seed, .. } => mix(seed, state, 5).is_multiple_of(2),
        };
        Goal::clamped(if won { 100 } else { 0 })
    }

    fn fluents(&self, state: &Self::State) -> Vec<String> {
        state.iter().map(|step| format!("{step:?}")).collect()
    }
}

impl Bulk for Toy {
    fn expand(&self, steps: &[(&Self::State, &JointMove)], (): &mut ()) -> Vec<Successor<Self::State>> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let expand = |(state, joint): &(&Self::State, &JointMove)| {
            let percepts = ByRole::from_fn(2, |role| self.percepts(state, joint, role, &mut ()));
            let state = self.next(state, joint, &mut ());
            let end = self.terminal(&state, &mut ()).then(|| self.goals(&state, &mut ()));
            Successor { state, percepts, end }
        };
        steps.iter().map(expand).collect()
    }
}
