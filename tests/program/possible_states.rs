//! What is legal for a role that has seen what it has seen: a judge of player servers.
//!
//! It shares nothing with the server but the reader of rules and the interpreter. It reads the messages of a game master by itself
//! and keeps every state that some choice of the other roles leads to, by trying all joint moves.

use std::collections::BTreeSet;
use std::sync::Arc;

use hyperplay::engine::{Engine, EngineKind, Engines};
use hyperplay::gdl::{Source, load};
use hyperplay::machine::{JointMoves, Move, Percept, Percepts, Role, State, StateMachine, StateMachineExt};

/// The members of a list: `(a (b c) d)` has three.
pub fn members(list: &str) -> Vec<String> {
    let inside = list.trim().strip_prefix('(').and_then(|list| list.strip_suffix(')'));
    let inside = inside.unwrap_or_else(|| panic!("no list: {list}"));
    let (mut found, mut depth) = (Vec::<String>::new(), 0);
    let mut is_open = false;
    for letter in inside.chars() {
        let ends = depth == 0 && (letter.is_whitespace() || letter == '(');
        is_open &= !ends;
        if depth > 0 || !letter.is_whitespace() {
            if !is_open {
                found.push(String::new());
                is_open = true;
            }
            found.last_mut().unwrap().push(letter);
        }
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        is_open &= !(depth == 0 && letter == ')');
    }
    found
}

/// A match as the role of one player sees it.
pub struct PossibleStates {
    engine: Arc<Engine>,
    role: Role,
    states: Vec<State>,
    /// Whether each message has the joint move in place of percepts.
    is_open: bool,
}

impl PossibleStates {
    /// The beginning of the match that a START message begins.
    pub fn new(start: &str) -> PossibleStates {
        let parts = members(start);
        let [word, _, role, rules, _, _] = &parts[..] else { panic!("no START: {start}") };
        assert_eq!(word, "START");
        let inside = rules.trim().strip_prefix('(').and_then(|rules| rules.strip_suffix(')')).unwrap();
        let game = load(Source::new("start", inside), None).game.expect("the rules are in order");
        let engine = Engines::new(&game).get(EngineKind::Interpreter).unwrap();
        let role = engine.role_named(role).unwrap();
        PossibleStates { role, states: vec![engine.initial()], is_open: !game.is_imperfect(), engine }
    }

    fn term<T>(&self, text: &str, of: impl Fn(hyperplay::gdl::TermId) -> T) -> T {
        of(self.engine.terms().read(text).unwrap_or_else(|| panic!("{text} is no term of the game")))
    }

    /// Takes in what a PLAY or STOP message says.
    pub fn hear(&mut self, message: &str) {
        let parts = members(message);
        let (own, seen) = match &parts[..] {
            [_, _, nil] if nil.eq_ignore_ascii_case("nil") => return,
            [_, _, number, _, _] if number == "0" => return,
            [_, _, _, last, seen] => (Some(self.term(last, Move)), members(seen)),
            [_, _, seen] => (None, members(seen)),
            _ => panic!("no PLAY or STOP: {message}"),
        };
        let told = (self.is_open && own.is_none())
            .then(|| seen.iter().map(|text| self.term(text, Move)).collect::<Vec<Move>>());
        let terms = self.engine.terms();
        let percepts = seen.iter().map(|text| self.term(text, Percept)).collect();
        let percepts = Percepts::new(percepts, |a, b| terms.compare(a.0, b.0));
        let scratch = &mut self.engine.scratch();
        let mut next = BTreeSet::new();
        let mut states = Vec::new();
        for state in &self.states {
            let mut legal = self.engine.legal_by_role(state, scratch);
            legal[self.role].retain(|&choice| own.is_none_or(|own| own == choice));
            for joint in JointMoves::new(&legal) {
                let agrees = match &told {
                    Some(told) => self.engine.each_role().all(|role| joint.of(role) == told[role.index()]),
                    None => self.engine.percepts(state, &joint, self.role, scratch) == percepts,
                };
                if agrees {
                    let state = self.engine.next(state, &joint, scratch);
                    let mut fluents = self.engine.fluents(&state);
                    fluents.sort();
                    if next.insert(fluents) {
                        states.push(state);
                    }
                }
            }
        }
        assert!(!states.is_empty(), "nothing explains {message}");
        self.states = states;
    }

    /// The moves that are legal in every possible state, as the rules spell them.
    pub fn legal(&self) -> BTreeSet<String> {
        let scratch = &mut self.engine.scratch();
        let in_each = self.states.iter().map(|state| {
            let legal = self.engine.legal_by_role(state, scratch);
            legal[self.role].iter().map(|&own| self.engine.show_move(own)).collect::<BTreeSet<String>>()
        });
        in_each.reduce(|all, here| &all & &here).unwrap()
    }

    /// Whether the match is over in some possible state.
    pub fn may_be_over(&self) -> bool {
        let scratch = &mut self.engine.scratch();
        self.states.iter().any(|state| self.engine.terminal(state, scratch))
    }
}

#[test]
fn members_are_told_apart() {
    assert_eq!(
        members("(PLAY m 1 (MARK 1 (S 2)) ((A B)NOOP ))"),
        ["PLAY", "m", "1", "(MARK 1 (S 2))", "((A B)NOOP )"]
    );
    assert_eq!(members("((A B)NOOP (C) )"), ["(A B)", "NOOP", "(C)"]);
    assert_eq!(members("( )"), Vec::<String>::new());
}

#[test]
fn the_possible_states_of_a_hidden_coin() {
    let mut of = PossibleStates::new(
        "(START m ME ((ROLE ME) (ROLE RANDOM) (INIT (STEP 1)) (LEGAL ME WAIT) (<= (LEGAL ME TAKE) (TRUE HEADS))
          (LEGAL RANDOM H) (LEGAL RANDOM T) (<= (NEXT HEADS) (DOES RANDOM H)) (<= (NEXT (STEP 2)) (TRUE (STEP 1)))
          (<= (NEXT (STEP 3)) (TRUE (STEP 2))) (<= (SEES ME IT) (DOES RANDOM H) (TRUE (STEP 2)))
          (<= TERMINAL (TRUE (STEP 3))) (GOAL ME 1) (GOAL RANDOM 0)) 1 1)",
    );
    let legal = |of: &PossibleStates| of.legal().into_iter().collect::<Vec<String>>();
    assert_eq!(legal(&of), ["WAIT"]);
    of.hear("(PLAY m 0 NIL NIL)");
    of.hear("(PLAY m 1 WAIT ( ))");
    assert_eq!((legal(&of), of.states.len()), (vec!["WAIT".to_owned()], 2));
    of.hear("(PLAY m 2 WAIT (IT ))");
    assert_eq!((legal(&of).len(), of.may_be_over()), (2, true));
}
