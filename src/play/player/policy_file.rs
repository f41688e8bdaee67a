//! A policy file: an opponent model that lists what a role is expected to do at each of its information sets.
//!
//! The file is JSON: `{"schema": "hyperplay.policy/1", "policy": [entry, ...]}`, an entry being
//!
//! ```text
//! {"role": "player2",
//!  "evidence": [{"move": "noop", "sees": ["(holds king)"]}, {"move": "noop", "sees": []}],
//!  "moves": {"bet": 0.25, "check": 0.75}}
//! ```
//!
//! `evidence` is what that role knows of every step so far: its own move and the set of its percepts, as terms in
//! prefix form (case and spaces do not matter). `moves` are the moves it may choose, with probabilities that sum to 1;
//! a legal move that is not listed has probability 0. A learnt entry says how often it was seen (`count`). Probabilities of moves that are not legal there go to the others
//! in proportion. Where no entry stands for what the role knows, or none of its moves is legal, the policy is uniform.
//!
//! A file may name its game by the hash of the rules (`rules`), and say how it was made (`game`, `method`,
//! `iterations`, `unit`, `values`, `nash_conv`, and the state of the `solver`); `hyperplay solve` does.
//!
//! Its identity is the hash of its text: another spelling of the same policy is another file.
//!
//! Every error names the file and the place in it, and says what is expected instead.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use thiserror::Error;

use super::remembered::Remembered;
use hyperplay_engine::Engine;
use hyperplay_logic::gdl::{fold, text_hash};
use hyperplay_machine::terms::TermStore;
use hyperplay_machine::{
    Evidence, Move, Observation, Percepts, Role, StateMachine as _, StateMachineExt as _,
};
use hyperplay_think::belief::OpponentModel;
use hyperplay_think::solve::{GameTree, InformationSet, Profile};

pub(super) const SCHEMA: &str = "hyperplay.policy/1";
pub(super) const FIELDS: &str = "schema and policy";

/// How far a sum of probabilities may be from 1. This allows for probabilities rounded to six digits.
const ROUNDING: f64 = 1e-5;

/// Why a file that a spec names cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{}{}: {what}", path.display(), line.map_or(String::new(), |line| format!(":{line}")))]
pub struct SpecFileError {
    /// The file.
    pub path: PathBuf,
    /// The line on which the entry begins that is wrong, from 1 on; `None` if no entry of a policy is.
    pub line: Option<usize>,
    /// The error, and what is expected.
    pub what: String,
}

impl SpecFileError {
    /// An error that is not about an entry of a policy.
    pub(super) fn at(path: &Path, what: String) -> SpecFileError {
        SpecFileError { path: path.to_owned(), line: None, what }
    }

    /// The fields of the text of a file at `path`; an error says which are `expected`.
    pub(super) fn parsed<T: DeserializeOwned>(
        path: &Path,
        text: &str,
        expected: &'static str,
    ) -> Result<T, SpecFileError> {
        let what = |cause| format!("{cause}; expected an object with {expected}, as docs/cli.md has it");
        serde_json::from_str(text).map_err(|cause: serde_json::Error| SpecFileError::at(path, what(cause)))
    }

    /// Refuses a file with another schema.
    pub(super) fn check_schema(path: &Path, found: &str, expected: &str) -> Result<(), SpecFileError> {
        let what = || format!("the schema is '{found}', expected '{expected}'");
        if found == expected { Ok(()) } else { Err(SpecFileError::at(path, what())) }
    }
}

/// An entry of a policy in words.
pub(super) fn entry_in_words(number: usize, role: &str, step: usize) -> String {
    format!("entry {number} (role '{role}', step {step})")
}

/// Where a file that a spec names is from, and what it is for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileOrigin {
    /// Where it was read.
    pub path: PathBuf,
    /// The hash of its text, `sha256:` and 64 digits.
    pub hash: String,
    /// The hash of the rules of its game, where it names them.
    pub rules: Option<String>,
}

impl FileOrigin {
    pub(super) fn of(path: &Path, text: &str, rules: Option<String>) -> FileOrigin {
        FileOrigin { path: path.to_owned(), hash: text_hash(text), rules }
    }
}

/// The text of a file.
pub(super) fn read_text(path: &Path) -> Result<String, SpecFileError> {
    std::fs::read_to_string(path).map_err(|cause| SpecFileError::at(path, cause.to_string()))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "some fields that a solver writes are for other readers of the file")]
struct File {
    schema: String,
    policy: Vec<Entry>,
    /// The hash of the rules of its game.
    rules: Option<String>,
    game: Option<IgnoredAny>,
    method: Option<IgnoredAny>,
    iterations: Option<IgnoredAny>,
    unit: Option<IgnoredAny>,
    values: Option<IgnoredAny>,
    nash_conv: Option<IgnoredAny>,
    seed: Option<IgnoredAny>,
    solver: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    role: String,
    evidence: Vec<Step>,
    moves: BTreeMap<String, f64>,
    count: Option<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    #[serde(rename = "move")]
    own: String,
    sees: Vec<String>,
}

/// A step of evidence as text: the own move, and the percepts in alphabetical order.
pub(super) type KnownStep = (String, Vec<String>);

/// A step as text. Particles know all moves; no entry matches what is none.
pub(super) fn known_step(terms: &TermStore, own: Option<Move>, percepts: &Percepts) -> KnownStep {
    let show = |term| fold(&terms.show(term)).into_owned();
    let mut sees: Vec<String> = percepts.iter().map(|percept| show(percept.0)).collect();
    sees.sort_unstable();
    (own.map_or(String::new(), |own| show(own.0)), sees)
}

/// The knowledge of a role, as text: its name, folded, and its move and percepts of every step.
pub(super) type Known = (String, Vec<KnownStep>);

/// The policy at an information set, and where it is written.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct WrittenPolicy {
    /// The moves with their probabilities.
    pub(super) moves: BTreeMap<String, f64>,
    count: Option<f64>,
    /// Which entry, from 1 on, and the line on which it begins.
    pub(super) number: usize,
    pub(super) line: usize,
}

/// A policy by information set, as read from a file.
///
/// ```
/// use std::path::Path;
///
/// use hyperplay_play::player::{SpecFileError, PolicyFile};
///
/// let path = Path::new("bob.json");
/// let text = r#"{"schema": "hyperplay.policy/1",
///     "policy": [{"role": "Bob", "evidence": [], "moves": {"bet": 0.25, "check": 0.75}}]}"#;
/// let file = PolicyFile::parse(path, text)?;
/// assert_eq!((file.roles(), file.len()), (vec!["bob"], 1));
/// let error = PolicyFile::parse(path, &text.replace("0.75", "0.5")).unwrap_err();
/// assert_eq!(error.line, Some(2));
/// # Ok::<(), SpecFileError>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct PolicyFile {
    /// Where it is from.
    pub origin: FileOrigin,
    entries: FxHashMap<Known, WrittenPolicy>,
}

/// Probabilities are never NaN: they are checked when the file is read.
impl Eq for PolicyFile {}

impl PolicyFile {
    /// Reads a file.
    ///
    /// # Errors
    /// [`SpecFileError`] says where the file is not as expected.
    pub fn read(path: &Path) -> Result<PolicyFile, SpecFileError> {
        PolicyFile::parse(path, &read_text(path)?)
    }

    /// Reads the text of the file at `path`.
    ///
    /// # Errors
    /// As [`read`](PolicyFile::read).
    pub fn parse(path: &Path, text: &str) -> Result<PolicyFile, SpecFileError> {
        let file: File = SpecFileError::parsed(path, text, FIELDS)?;
        SpecFileError::check_schema(path, &file.schema, SCHEMA)?;
        let lines = entry_lines(text);
        let mut entries = FxHashMap::default();
        for (at, entry) in file.policy.into_iter().enumerate() {
            let place = entry_in_words(at + 1, &entry.role, entry.evidence.len());
            let line = lines.get(at).copied().unwrap_or(1);
            let wrong = |cause| SpecFileError {
                line: Some(line),
                ..SpecFileError::at(path, format!("{place}: {cause}"))
            };
            let count = entry.count;
            let (known, moves) = checked(entry).map_err(wrong)?;
            if entries.insert(known, WrittenPolicy { moves, count, number: at + 1, line }).is_some() {
                return Err(wrong("an entry before it has the same evidence; give each once".to_owned()));
            }
        }
        Ok(PolicyFile { origin: FileOrigin::of(path, text, file.rules), entries })
    }

    /// The hash of the rules of its game, where it names them.
    pub fn rules(&self) -> Option<&str> {
        self.origin.rules.as_deref()
    }

    /// The roles it speaks of, in alphabetical order, folded.
    pub fn roles(&self) -> Vec<&str> {
        let mut roles: Vec<&str> = self.entries.keys().map(|(role, _)| role.as_str()).collect();
        roles.sort_unstable();
        roles.dedup();
        roles
    }

    /// Its entries in the order of the file.
    pub(super) fn entries(&self) -> Vec<(&Known, &WrittenPolicy)> {
        let mut entries: Vec<_> = self.entries.iter().collect();
        entries.sort_unstable_by_key(|(_, written)| written.number);
        entries
    }

    /// The number of information sets it speaks of.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The entry for what a role knows.
    fn entry(&self, machine: &Engine, role: Role, evidence: &Evidence) -> Option<&WrittenPolicy> {
        let step = |step: &Observation| known_step(machine.terms(), step.own.presumed(), &step.percepts);
        let role = fold(&machine.roles()[role]).into_owned();
        self.entries.get(&(role, evidence.steps.iter().map(step).collect()))
    }

    /// The probabilities of the legal moves as the file says, summing to 1; none where it says nothing.
    fn written(&self, machine: &Engine, role: Role, evidence: &Evidence, legal: &[Move]) -> Option<Vec<f64>> {
        let (entry, show) =
            (self.entry(machine, role, evidence)?, |own: &Move| fold(&machine.show_move(*own)).into_owned());
        let shares: Vec<f64> =
            legal.iter().map(|own| entry.moves.get(&show(own)).copied().unwrap_or(0.0)).collect();
        let sum: f64 = shares.iter().sum();
        (sum > 0.0).then(|| shares.into_iter().map(|share| share / sum).collect())
    }

    /// Whether it speaks of none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// The line on which each entry of the list `policy` begins: a JSON text that is well formed, read for its brackets
/// only.
fn entry_lines(text: &str) -> Vec<usize> {
    let (mut line, mut depth, mut in_string, mut escaped) = (1, 0_usize, false, false);
    let (mut word_start, mut is_policy) = (0, false);
    let mut lines = Vec::new();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'\n' => line += 1,
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' if in_string => {
                in_string = false;
                if depth == 1 {
                    is_policy = &text[word_start..at] == "policy";
                }
            }
            b'"' => (in_string, word_start) = (true, at + 1),
            _ if in_string => {}
            b'{' | b'[' => {
                depth += 1;
                if byte == b'{' && depth == 3 && is_policy {
                    lines.push(line);
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    lines
}

/// An entry in the form in which it is looked up, or what is wrong with it.
fn checked(entry: Entry) -> Result<(Known, BTreeMap<String, f64>), String> {
    let mut moves = BTreeMap::new();
    for (text, probability) in entry.moves {
        if !(0.0..=1.0).contains(&probability) {
            return Err(format!("the probability of '{text}' is {probability:?}, expected 0 to 1"));
        }
        if moves.insert(normal(&text)?, probability).is_some() {
            return Err(format!("the move '{text}' is listed twice; give each once"));
        }
    }
    // The sum of no numbers is -0.
    let sum = 0.0 + moves.values().sum::<f64>();
    if (sum - 1.0).abs() > ROUNDING {
        return Err(format!("the probabilities of its moves sum to {sum}, expected 1"));
    }
    if let Some(count) = entry.count.filter(|&count| count < 0.0) {
        return Err(format!("the count is {count}, expected 0 or more"));
    }
    let mut steps = Vec::with_capacity(entry.evidence.len());
    for step in entry.evidence {
        let mut sees = step.sees.iter().map(|text| normal(text)).collect::<Result<Vec<String>, String>>()?;
        sees.sort_unstable();
        steps.push((normal(&step.own)?, sees));
    }
    Ok(((fold(entry.role.trim()).into_owned(), steps), moves))
}

/// A term with its case folded and one space between words.
pub(super) fn normal(text: &str) -> Result<String, String> {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let (mut normal, mut open, mut terms) = (String::with_capacity(text.len()), 0_usize, 0_usize);
    for word in spaced.split_whitespace() {
        if open == 0 {
            terms += 1;
        }
        match word {
            "(" => open += 1,
            ")" => open = open.checked_sub(1).ok_or_else(|| unbalanced(text))?,
            _ => {}
        }
        if word != ")" && !normal.is_empty() && !normal.ends_with('(') {
            normal.push(' ');
        }
        normal.push_str(&fold(word));
    }
    match (open, terms) {
        (0, 1) => Ok(normal),
        (0, _) => Err(format!("'{text}' is not one term; expected a name or (name argument ...)")),
        _ => Err(unbalanced(text)),
    }
}

fn unbalanced(text: &str) -> String {
    format!("the brackets of '{text}' do not match")
}

/// The policies of a file at every information set of a tree, uniform where the file says nothing ([`unsaid`]).
pub fn profile_of(machine: &Engine, file: &PolicyFile, tree: &GameTree) -> Profile {
    Profile::from_fn(tree, |set, moves| {
        let set = &tree.sets()[set];
        let written = file.written(machine, set.role, &tree.evidence(set), moves);
        written.unwrap_or_else(|| vec![1.0; moves.len()])
    })
}

/// The information sets of a tree about which a file says nothing.
pub fn unsaid(machine: &Engine, file: &PolicyFile, tree: &GameTree) -> Vec<usize> {
    let says_nothing = |number: &usize| {
        let set = &tree.sets()[*number];
        file.written(machine, set.role, &tree.evidence(set), tree.moves(*number)).is_none()
    };
    (0..tree.sets().len()).filter(says_nothing).collect()
}

/// How often a file counted each information set of a tree: 0 where it says nothing, and any number of times where it says no count.
pub fn counts_of(machine: &Engine, file: &PolicyFile, tree: &GameTree) -> Vec<f64> {
    let entry = |set: &InformationSet| file.entry(machine, set.role, &tree.evidence(set));
    tree.sets()
        .iter()
        .map(|set| entry(set).map_or(0.0, |entry| entry.count.unwrap_or(f64::INFINITY)))
        .collect()
}

/// The opponent model of a policy file on a machine.
pub(super) struct FilePolicy {
    machine: Arc<Engine>,
    file: Arc<PolicyFile>,
    /// The policies that were looked up before. It saves the printing of terms and changes no answer.
    met: Remembered,
}

impl FilePolicy {
    pub(super) fn new(machine: Arc<Engine>, file: Arc<PolicyFile>) -> Self {
        FilePolicy { machine, file, met: Remembered::new() }
    }

    /// As [`PolicyFile::written`].
    pub(super) fn written(&self, role: Role, evidence: &Evidence, legal: &[Move]) -> Option<Vec<f64>> {
        // No policy is empty: an empty one stands for none.
        let written = || (self.file.written(&self.machine, role, evidence, legal).unwrap_or_default(), None);
        Some(self.met.or(evidence, legal, written).0).filter(|written| !written.is_empty())
    }
}

impl OpponentModel for FilePolicy {
    fn policy(&self, role: Role, evidence: &Evidence, legal: &[Move]) -> Vec<f64> {
        self.written(role, evidence, legal).unwrap_or_else(|| vec![1.0 / legal.len() as f64; legal.len()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<PolicyFile, SpecFileError> {
        PolicyFile::parse(Path::new("p.json"), text)
    }

    fn file(entries: &str) -> String {
        format!("{{\"schema\": \"{SCHEMA}\", \"policy\": [{entries}]}}")
    }

    #[test]
    fn spelling_does_not_matter() {
        assert_eq!(normal(" ( Put  (a B)c)").unwrap(), "(put (a b) c)");
        assert_eq!(normal("Noop").unwrap(), "noop");
    }

    #[test]
    fn an_error_says_where_and_what_is_expected() {
        let entry = |moves: &str| {
            file(&format!(
                "{{\"role\": \"A\", \"evidence\": [], \"moves\": {{\"x\": 1}}}},
                 {{\"role\": \"B\", \"evidence\": [{{\"move\": \"n\", \"sees\": []}}], \"moves\": {moves}}}"
            ))
        };
        for (text, expected) in [
            ("{}".to_owned(), "p.json: missing field `schema` at line 1 column 2; expected an object"),
            (
                file("{\"rolle\": 1}"),
                "p.json: unknown field `rolle`, expected one of `role`, `evidence`, `moves`, `count` at line 1",
            ),
            (
                "{\"schema\": \"x\", \"policy\": []}".to_owned(),
                "p.json: the schema is 'x', expected 'hyperplay.policy/1'",
            ),
            (
                entry("{\"x\": 0.5}"),
                "p.json:2: entry 2 (role 'B', step 1): the probabilities of its moves sum to 0.5, expected 1",
            ),
            (
                entry("{\"x\": -1, \"y\": 2}"),
                "p.json:2: entry 2 (role 'B', step 1): the probability of 'x' is -1.0, expected 0 to 1",
            ),
            (
                entry("{\"x\": 1e308}"),
                "p.json:2: entry 2 (role 'B', step 1): the probability of 'x' is 1e308, expected 0 to 1",
            ),
            (
                entry("{}"),
                "p.json:2: entry 2 (role 'B', step 1): the probabilities of its moves sum to 0, expected 1",
            ),
            (
                entry("{\"x\": 0.5, \"X\": 0.5}"),
                "p.json:2: entry 2 (role 'B', step 1): the move 'x' is listed twice",
            ),
            (
                entry("{\"x\": 1}, \"count\": -3"),
                "p.json:2: entry 2 (role 'B', step 1): the count is -3, expected 0 or more",
            ),
            (entry("{\"(x\": 1}"), "p.json:2: entry 2 (role 'B', step 1): the brackets of '(x' do not match"),
            (entry("{\"x y\": 1}"), "p.json:2: entry 2 (role 'B', step 1): 'x y' is not one term"),
            (
                file(
                    "{\"role\": \"A\", \"evidence\": [], \"moves\": {\"x\": 1}}, {\"role\": \"a\", \"evidence\": [], \"moves\": {\"y\": 1}}",
                ),
                "p.json:1: entry 2 (role 'a', step 0): an entry before it has the same evidence",
            ),
        ] {
            let error = parse(&text).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
        let missing = PolicyFile::read(Path::new("no/such.json")).unwrap_err().to_string();
        assert!(missing.starts_with("no/such.json: "), "{missing}");
    }
}
