//! A machine written by hand, for the tests of the crates that use the contract, because search and belief do not
//! depend on an engine.
//!
//! One machine plays four kinds of games: Monty Hall; *planted* games, in which `me` and `other` choose numbers, and in
//! which how many numbers there are and what `me` perceives are hashes of the history, so that information sets are
//! irregular and contradictions come late; a coin that is tossed and then guessed; and games written down as a table.

#![allow(dead_code, missing_docs, reason = "tests alone use it, and each crate a part")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rand::RngExt;

use hyperplay_machine::terms::{Symbols, TermId, TermStore};
use hyperplay_machine::{
    Bulk, ByRole, Evidence, GameSetup, Goal, History, JointMove, Move, Percept, Percepts, Role, Seed,
    StateMachine, StateMachineExt, Successor,
};

/// The first role, whose evidence most tests look at.
pub const ME: usize = 0;

/// The words of the coin game, by number.
pub const HEADS: u8 = 0;
pub const TAILS: u8 = 1;
pub const NOOP: u8 = 2;
const THUD: u8 = 3;

/// The numbers that the two roles have chosen, step by step; in a game of a table, the entry alone.
pub type State = Vec<[u8; 2]>;

/// The state of a table game at an entry.
pub fn at(entry: u8) -> State {
    vec![[entry, 0]]
}

/// An entry of a table.
pub enum Entry {
    End(Vec<u8>),
    /// How many moves each role has, and the next entry by joint move, the last role's move changing fastest.
    Choice(Vec<usize>, Vec<u8>),
}

/// A terminal entry.
pub fn end(goals: &[u8]) -> Entry {
    Entry::End(goals.to_vec())
}

/// An entry with moves.
pub fn choice(moves: &[usize], next: &[u8]) -> Entry {
    assert_eq!(moves.iter().product::<usize>(), next.len());
    Entry::Choice(moves.to_vec(), next.to_vec())
}

/// Which game is played.
pub enum Rules {
    /// Steps: the car is hidden; a door is chosen; another is opened; switch or stay.
    MontyHall,
    /// `steps` steps with up to `width` moves; `me` perceives one of `percepts` numbers, only every `every` steps.
    Planted { seed: u64, steps: usize, width: u64, percepts: u64, every: usize },
    /// `random` tosses a coin, which the guesser does not see but hears (`thud`), then the guesser names a side: 100
    /// for both if it is right, else 0.
    Coin,
    /// As the entries say, from the first one on; there are no percepts.
    Table(Vec<Entry>),
}

pub struct Toy {
    rules: Rules,
    setup: GameSetup<State>,
    words: Vec<TermId>,
    /// The number of its calls to expand.
    pub calls: AtomicUsize,
}

impl Toy {
    /// A game of two roles, `me` and `other`; in Monty Hall the other one is random.
    pub fn new(rules: Rules) -> Arc<Toy> {
        let random = matches!(rules, Rules::MontyHall).then(|| Role::new(1));
        Arc::new(Toy::of(rules, &["me", "other"], random))
    }

    pub fn coin() -> Toy {
        Toy::of(Rules::Coin, &["random", "guesser"], Some(Role::new(0)))
    }

    /// A game without chance.
    pub fn table(roles: &[&str], entries: Vec<Entry>) -> Toy {
        Toy::of(Rules::Table(entries), roles, None)
    }

    /// A game whose last role is `random`.
    pub fn table_with_random(roles: &[&str], entries: Vec<Entry>) -> Toy {
        Toy::of(Rules::Table(entries), roles, Some(Role::new(roles.len() - 1)))
    }

    fn of(rules: Rules, roles: &[&str], random: Option<Role>) -> Toy {
        let names: Vec<String> = match rules {
            Rules::Coin => ["heads", "tails", "noop", "thud"].map(str::to_owned).to_vec(),
            _ => (0..200).map(|number: u8| number.to_string()).collect(),
        };
        let mut symbols = Symbols::new();
        let names: Vec<_> = names.iter().map(|name| symbols.intern(name)).collect();
        let terms = TermStore::new(symbols);
        let words = names.into_iter().map(|name| terms.intern(name, &[])).collect();
        let roles = ByRole::new(roles.iter().map(|&role| role.to_owned()).collect());
        let initial = if matches!(rules, Rules::Table(_)) { at(0) } else { Vec::new() };
        let setup = GameSetup { terms: Arc::new(terms), roles, random, initial };
        Toy { rules, setup, words, calls: AtomicUsize::new(0) }
    }

    pub fn number(&self, own: Move) -> u8 {
        self.words.iter().position(|&word| word == own.0).expect("one of ours") as u8
    }

    pub fn mv(&self, number: u8) -> Move {
        Move(self.words[usize::from(number)])
    }

    /// The evidence of `me` after a random history of `steps` steps at most, and that history.
    pub fn random_evidence(&self, steps: usize, seed: u64) -> (Evidence, History) {
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

fn entry_of<'a>(entries: &'a [Entry], state: &State) -> &'a Entry {
    &entries[usize::from(state[0][0])]
}

impl StateMachine for Toy {
    type State = State;
    type Scratch = ();

    fn scratch(&self) {}

    fn setup(&self) -> &GameSetup<State> {
        &self.setup
    }

    fn legal(&self, state: &State, role: Role, (): &mut (), out: &mut Vec<Move>) {
        let me = role.index() == ME;
        let numbers: Vec<u8> = match (&self.rules, state.len()) {
            (Rules::MontyHall, 0) if !me => vec![0, 1, 2],
            (Rules::MontyHall, 1) if me => vec![0, 1, 2],
            (Rules::MontyHall, 2) if !me => {
                (0..3).filter(|&door| door != state[0][1] && door != state[1][0]).collect()
            }
            (Rules::MontyHall, 3) if me => vec![0, 1],
            (Rules::MontyHall, _) => vec![0],
            // `me` can do the same whatever the others did.
            (Rules::Planted { .. }, _) if me => vec![0, 1],
            (Rules::Planted { seed, width, .. }, _) => (0..=(mix(*seed, state, 1) % width) as u8).collect(),
            (Rules::Coin, step) if role.index() == step => vec![HEADS, TAILS],
            (Rules::Coin, _) => vec![NOOP],
            (Rules::Table(entries), _) => match entry_of(entries, state) {
                Entry::Choice(moves, _) => (0..moves[role.index()] as u8).collect(),
                Entry::End(_) => Vec::new(),
            },
        };
        out.clear();
        out.extend(numbers.into_iter().map(|number| self.mv(number)));
    }

    fn next(&self, state: &State, joint: &JointMove, (): &mut ()) -> State {
        if let Rules::Table(entries) = &self.rules {
            let Entry::Choice(moves, next) = entry_of(entries, state) else {
                panic!("{state:?} is terminal")
            };
            let position = joint
                .iter()
                .zip(moves)
                .fold(0, |position, (&own, count)| position * count + usize::from(self.number(own)));
            return at(next[position]);
        }
        let mut next = state.clone();
        next.push([self.number(joint[0]), self.number(joint[1])]);
        next
    }

    fn percepts(&self, state: &State, joint: &JointMove, role: Role, (): &mut ()) -> Percepts {
        let seen = match self.rules {
            Rules::MontyHall if state.len() == 2 => Some(self.number(joint[1])),
            Rules::Planted { seed, percepts, every, .. } => {
                let next = self.next(state, joint, &mut ());
                let hash = mix(seed, &next, 2 + role.index() as u64);
                next.len().is_multiple_of(every).then_some((hash % percepts) as u8)
            }
            Rules::Coin if role.index() == 1 && state.is_empty() => Some(THUD),
            Rules::MontyHall | Rules::Coin | Rules::Table(_) => None,
        };
        let seen = seen.map(|number| Percept(self.mv(number).0)).into_iter().collect();
        Percepts::new(seen, |a, b| self.terms().compare(a.0, b.0))
    }

    fn terminal(&self, state: &State, (): &mut ()) -> bool {
        match &self.rules {
            Rules::MontyHall => state.len() == 4,
            Rules::Planted { seed, steps, .. } => {
                state.len() >= *steps || state.len() > 2 && mix(*seed, state, 9).is_multiple_of(16)
            }
            Rules::Coin => state.len() == 2,
            Rules::Table(entries) => matches!(entry_of(entries, state), Entry::End(_)),
        }
    }

    fn goal(&self, state: &State, role: Role, (): &mut ()) -> Goal {
        let is_won = match &self.rules {
            Rules::MontyHall => (state[0][1] == state[1][0]) == (state[3][0] == 1),
            Rules::Planted { seed, .. } => mix(*seed, state, 5).is_multiple_of(2),
            Rules::Coin => state.len() == 2 && state[0][0] == state[1][1],
            Rules::Table(entries) => {
                return match entry_of(entries, state) {
                    Entry::End(goals) => Goal::clamped(i64::from(goals[role.index()])),
                    Entry::Choice(..) => Goal::default(),
                };
            }
        };
        Goal::clamped(if is_won { 100 } else { 0 })
    }

    fn fluents(&self, state: &State) -> Vec<String> {
        state.iter().map(|step| format!("{step:?}")).collect()
    }
}

impl Bulk for Toy {
    fn expand(&self, steps: &[(&State, &JointMove)], (): &mut ()) -> Vec<Successor<State>> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let expand = |(state, joint): &(&State, &JointMove)| {
            let percepts =
                ByRole::from_fn(self.roles().len(), |role| self.percepts(state, joint, role, &mut ()));
            let state = self.next(state, joint, &mut ());
            let end = self.terminal(&state, &mut ()).then(|| self.goals(&state, &mut ()));
            Successor { state, percepts, end, is_faulty: false }
        };
        steps.iter().map(expand).collect()
    }
}
