//! The exact posterior of a role by enumeration: an oracle for beliefs that are shown.
//!
//! It shares nothing with beliefs but the reader of rules and the interpreter. All joint moves are tried at every step, and each state
//! has the sum of the probabilities of its histories, if roles that are not one's own move uniformly.

use std::collections::{BTreeMap, HashMap};

use hyperplay::engine::{EngineKind, Engines};
use hyperplay::gdl::{Source, load};
use hyperplay::machine::{JointMoves, Move, Percepts, Role, State, StateMachine, StateMachineExt};
use serde_json::Value;

/// What may be true, with its probability.
pub struct ExactPosterior {
    /// The facts of all possible states.
    pub facts: BTreeMap<String, f64>,
    /// The number of different states.
    pub states: usize,
}

impl ExactPosterior {
    /// The posterior of a role after its own past: steps with `own` and `percepts`.
    pub fn of(game: &str, role: &str, past: &Value) -> ExactPosterior {
        let file = format!("{}/games/imperfect/{game}.kif", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(file).unwrap();
        let game = load(Source::new(game, text), None).game.expect("the rules are in order");
        let engine = Engines::new(&game).get(EngineKind::Interpreter).unwrap();
        let role: Role = engine.role_named(role).unwrap();
        let scratch = &mut engine.scratch();
        let mut states: HashMap<State, f64> = HashMap::from([(engine.initial(), 1.0)]);
        for step in past.as_array().unwrap() {
            let own = Move(engine.terms().read(step["own"].as_str().unwrap()).unwrap());
            let told: Vec<&str> =
                step["percepts"].as_array().unwrap().iter().map(|seen| seen.as_str().unwrap()).collect();
            let mut next: HashMap<State, f64> = HashMap::new();
            for (state, weight) in &states {
                if engine.terminal(state, scratch) {
                    continue;
                }
                let mut legal = engine.legal_by_role(state, scratch);
                if !legal[role].contains(&own) {
                    continue;
                }
                legal[role] = vec![own];
                let share = weight / legal.values().iter().map(|moves| moves.len() as f64).product::<f64>();
                for joint in JointMoves::new(&legal) {
                    let seen: Percepts = engine.percepts(state, &joint, role, scratch);
                    let mut seen: Vec<String> = seen.iter().map(|seen| game.show(seen.0)).collect();
                    let mut told: Vec<String> = told.iter().map(|&text| text.to_owned()).collect();
                    seen.sort();
                    told.sort();
                    if seen == told {
                        *next.entry(engine.next(state, &joint, scratch)).or_default() += share;
                    }
                }
            }
            states = next;
        }
        // The match goes on.
        states.retain(|state, _| !engine.terminal(state, scratch));
        let all: f64 = states.values().sum();
        let mut facts: BTreeMap<String, f64> = BTreeMap::new();
        for (state, weight) in &states {
            for fact in engine.holds(state) {
                *facts.entry(game.show(fact)).or_default() += weight / all;
            }
        }
        ExactPosterior { facts, states: states.len() }
    }
}
