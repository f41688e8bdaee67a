//! Writing a policy file: the policies of some roles at information sets.
//!
//! The file is what [`PolicyFile`](super::PolicyFile) reads, one entry a line. Before the entries stand the game, the
//! hash of its rules, and how the policies were found; behind them may stand the state of the solver, from which a
//! later run continues ([`SolverState`]). Probabilities are written with all their digits.

use std::io::{self, Write};
use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};

use super::SpecFileError;
use super::policy_file::{FIELDS, SCHEMA};
use hyperplay_engine::Engine;
use hyperplay_machine::{
    Evidence, Move, Observation, OwnMove, Role, StateMachine as _, StateMachineExt as _,
};
use hyperplay_think::solve::{GameTree, Profile, RegretCheckpoint};

/// The policy of a role at one information set.
pub struct PolicyEntry<'a> {
    /// The role.
    pub role: Role,
    /// The knowledge of the role.
    pub evidence: Evidence,
    /// Its moves.
    pub moves: &'a [Move],
    /// Their probabilities.
    pub shares: Vec<f64>,
    /// Of a learnt policy, how often the role was seen to choose there.
    pub count: Option<f64>,
}

/// The entries of some roles at the information sets of a tree.
pub fn entries_of<'a>(
    tree: &'a GameTree,
    profile: &'a Profile,
    roles: &'a [Role],
) -> impl Iterator<Item = PolicyEntry<'a>> {
    let sets = tree.sets().iter().enumerate().filter(|(_, set)| roles.contains(&set.role));
    sets.map(|(number, set)| PolicyEntry {
        role: set.role,
        evidence: tree.evidence(set),
        moves: tree.moves(number),
        shares: profile.of(tree, number).to_vec(),
        count: None,
    })
}

/// Policies to be written, with what stands before them: `game`, `rules` (the hash), and how they were found.
pub struct PolicyDocument<'a> {
    /// The machine of the game.
    pub machine: &'a Engine,
    /// The header before the policies: an object.
    pub header: Value,
}

impl PolicyDocument<'_> {
    /// Writes the file, with the states of the solvers behind the policies if there are any.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write<'a>(
        &self,
        mut out: impl Write,
        entries: impl IntoIterator<Item = PolicyEntry<'a>>,
        solver: &[RegretCheckpoint],
    ) -> io::Result<()> {
        write!(out, "{{\"schema\": \"{SCHEMA}\"")?;
        for (key, value) in self.header.as_object().into_iter().flatten() {
            write!(out, ", {}: {value}", Value::from(key.as_str()))?;
        }
        writeln!(out, ", \"policy\": [")?;
        for (number, entry) in entries.into_iter().enumerate() {
            if number > 0 {
                writeln!(out, ",")?;
            }
            write!(out, "{}", self.entry(&entry))?;
        }
        write!(out, "\n]")?;
        if !solver.is_empty() {
            write!(out, ",\n\"solver\": ")?;
            serde_json::to_writer(&mut out, solver)?;
        }
        writeln!(out, "}}")?;
        out.flush()
    }

    fn entry(&self, entry: &PolicyEntry<'_>) -> Value {
        let machine = self.machine;
        let step = |step: &Observation| {
            let OwnMove::Known(own) = &step.own else { unreachable!("a solver knows all moves") };
            let sees: Vec<String> =
                step.percepts.iter().map(|percept| machine.terms().show(percept.0)).collect();
            json!({"move": machine.show_move(*own), "sees": sees})
        };
        let evidence: Vec<Value> = entry.evidence.steps.iter().map(step).collect();
        let shares = entry.moves.iter().zip(&entry.shares);
        let moves: Value = shares.map(|(&own, &share)| (machine.show_move(own), share)).collect();
        let mut written = json!({"role": machine.roles()[entry.role], "evidence": evidence, "moves": moves});
        entry.count.into_iter().for_each(|count| written["count"] = json!(count));
        written
    }
}

/// The part of a policy file that a solver reads.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct SolverState {
    /// Goal points for a payoff of 1, in which regrets are counted.
    pub unit: Option<f64>,
    /// How the policies were found.
    pub method: Option<String>,
    /// The state that each minimiser keeps; empty if the file holds no state.
    #[serde(default)]
    pub solver: Vec<RegretCheckpoint>,
}

impl SolverState {
    /// Reads it from the text of a policy file.
    ///
    /// # Errors
    /// If the text is no policy file, or a state is not in order.
    pub fn read(path: &Path, text: &str) -> Result<SolverState, SpecFileError> {
        SpecFileError::parsed(path, text, FIELDS)
    }
}

/// The knowledge of a role at an information set, in words: its decisions and percepts, step by step. Steps that told
/// it nothing are left out.
pub fn known_in_words(machine: &Engine, tree: &GameTree, set: usize) -> String {
    // The steps at which the role itself decided.
    let former = |set: &usize| tree.sets()[*set].former.map(|(former, _)| former as usize);
    let before = std::iter::successors(former(&set), former);
    let decided: Vec<usize> = before.map(|set| tree.evidence(&tree.sets()[set]).step()).collect();
    let mut parts = Vec::new();
    for (step, observed) in tree.evidence(&tree.sets()[set]).steps.iter().enumerate() {
        let sees: Vec<String> =
            observed.percepts.iter().map(|percept| machine.terms().show(percept.0)).collect();
        let sees = if sees.is_empty() { String::new() } else { format!("sees {}", sees.join(" ")) };
        match &observed.own {
            OwnMove::Known(own) if decided.contains(&step) => {
                let own = machine.show_move(*own);
                parts.push(if sees.is_empty() { own } else { format!("{own}, {sees}") });
            }
            _ if sees.is_empty() => {}
            _ => parts.push(sees),
        }
    }
    if parts.is_empty() { "at the start".to_owned() } else { parts.join("; ") }
}
