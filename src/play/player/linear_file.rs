//! A file of linear leaf values: what a state is worth to each role, as a sum over its facts.
//!
//! The file is JSON:
//!
//! ```text
//! {"schema": "hyperplay.linear/1", "rules": "sha256:...",
//!  "roles": {"xplayer": {"constant": 50, "facts": {"(cell 2 2 x)": 8.5, "(cell 2 2 o)": -8.5}},
//!            "oplayer": {"constant": 50, "facts": {"(cell 2 2 x)": -8.5, "(cell 2 2 o)": 8.5}}}}
//! ```
//!
//! The value of a state for a role is the constant and the weights of the facts that hold in it, in goal points; less
//! than 0 counts as 0, and more than 100 as 100. Every role of the game but `random` is listed. A fact that is not
//! listed has the weight 0. `rules` is the hash of the rules of its game, and may be left out.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::Path;

use rand::RngExt as _;
use rustc_hash::FxHashMap;
use serde::Deserialize;

use super::SpecFileError;
use super::policy_file::{FileOrigin, normal, read_text};
use hyperplay_engine::{Engine, EngineScratch};
use hyperplay_logic::gdl::{At, Atom, Game, PositionDomains, did_you_mean, fold};
use hyperplay_machine::terms::TermId;
use hyperplay_machine::{
    Budget, Bulk as _, ByRole, JointMove, Reached, Role, Seed, Start, State, StateMachine as _,
    StateMachineExt as _, Tally,
};
use hyperplay_think::search::LeafValues;

const SCHEMA: &str = "hyperplay.linear/1";

/// The numbers that may be summed without losing a goal point.
const MAGNITUDES: RangeInclusive<f64> = -1e6..=1e6;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: String,
    rules: Option<String>,
    roles: BTreeMap<String, Linear>,
}

/// The value of a state for one role.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Linear {
    constant: f64,
    facts: BTreeMap<String, f64>,
}

/// Linear values of states, as read from a file.
///
/// ```
/// use std::path::Path;
///
/// use hyperplay_play::player::LinearFile;
///
/// let text = r#"{"schema": "hyperplay.linear/1",
///     "roles": {"alice": {"constant": 50, "facts": {"(holds alice king)": 20}}}}"#;
/// let file = LinearFile::parse(Path::new("kuhn.json"), text)?;
/// assert_eq!(file.roles(), ["alice"]);
/// let error = LinearFile::parse(Path::new("kuhn.json"), &text.replace("king)", "king")).unwrap_err();
/// assert_eq!(error.to_string(), "kuhn.json: role 'alice': the brackets of '(holds alice king' do not match");
/// # Ok::<(), hyperplay_play::player::SpecFileError>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct LinearFile {
    /// Where it is from.
    pub origin: FileOrigin,
    /// By role, folded.
    roles: BTreeMap<String, Linear>,
}

/// No number of a file is NaN.
impl Eq for LinearFile {}

impl LinearFile {
    /// Reads a file.
    ///
    /// # Errors
    /// [`SpecFileError`] says where the file is not as expected.
    pub fn read(path: &Path) -> Result<LinearFile, SpecFileError> {
        LinearFile::parse(path, &read_text(path)?)
    }

    /// Reads the text of the file at `path`.
    ///
    /// # Errors
    /// As [`read`](LinearFile::read).
    pub fn parse(path: &Path, text: &str) -> Result<LinearFile, SpecFileError> {
        let file: File = SpecFileError::parsed(path, text, "schema and roles")?;
        SpecFileError::check_schema(path, &file.schema, SCHEMA)?;
        let mut roles = BTreeMap::new();
        for (role, Linear { constant, facts: listed }) in file.roles {
            let wrong = |cause| SpecFileError::at(path, format!("role '{role}': {cause}"));
            if !MAGNITUDES.contains(&constant) {
                return Err(wrong(format!("the constant is {constant}, expected -1e6 to 1e6")));
            }
            let mut facts = BTreeMap::new();
            for (fact, weight) in listed {
                if !MAGNITUDES.contains(&weight) {
                    return Err(wrong(format!("the weight of '{fact}' is {weight}, expected -1e6 to 1e6")));
                }
                if facts.insert(normal(&fact).map_err(wrong)?, weight).is_some() {
                    return Err(wrong(format!("the fact '{fact}' is listed twice; give each once")));
                }
            }
            if roles.insert(fold(role.trim()).into_owned(), Linear { constant, facts }).is_some() {
                return Err(wrong("it is listed twice; give each once".to_owned()));
            }
        }
        Ok(LinearFile { origin: FileOrigin::of(path, text, file.rules), roles })
    }

    /// The roles it lists, in alphabetical order, folded.
    pub fn roles(&self) -> Vec<&str> {
        self.roles.keys().map(String::as_str).collect()
    }

    /// The first fact that no rule of a game can make true, with its place; `None` if there is none.
    pub fn impossible(&self, game: &Game) -> Option<String> {
        let (domains, terms) = (PositionDomains::of(game.rules()), game.terms());
        let known = terms.symbols().get("true");
        let may_hold = |fact: &str| match (known, terms.read(fact)) {
            (Some(relation), Some(fact)) => {
                domains.may_hold(&Atom { relation, arguments: vec![terms.term(fact)], at: At::default() })
            }
            _ => false,
        };
        self.roles.iter().find_map(|(role, Linear { facts, .. })| {
            let fact = facts.keys().find(|fact| !may_hold(fact))?;
            let meant = did_you_mean(fact, facts.keys().filter(|fact| may_hold(fact)).map(String::as_str));
            let path = self.origin.path.display();
            Some(format!("{path}: role '{role}': no rule can make the fact '{fact}' true{meant}"))
        })
    }
}

/// The leaf values of a file on a machine.
pub struct LinearValues {
    constants: ByRole<f64>,
    weights: FxHashMap<TermId, ByRole<f64>>,
}

impl LinearValues {
    /// The values for a machine of its game.
    pub fn new(machine: &Engine, file: &LinearFile) -> LinearValues {
        let roles = machine.roles();
        let of = |role: Role| file.roles.get(&*fold(&roles[role]));
        let constants = ByRole::from_fn(roles.len(), |role| of(role).map_or(0.0, |linear| linear.constant));
        let mut weights: FxHashMap<TermId, ByRole<f64>> = FxHashMap::default();
        for role in machine.each_role() {
            for (fact, &weight) in of(role).into_iter().flat_map(|linear| &linear.facts) {
                // A fact with a name that is not in the rules never holds.
                let Some(fact) = machine.terms().read(fact) else { continue };
                let by_role = weights.entry(fact).or_insert_with(|| ByRole::from_fn(roles.len(), |_| 0.0));
                by_role[role] = weight;
            }
        }
        LinearValues { constants, weights }
    }

    /// The value of a state that is not terminal for each role, 0 to 100.
    fn of(&self, machine: &Engine, state: &State) -> ByRole<f64> {
        let mut values = self.constants.clone();
        for weights in machine.holds(state).iter().filter_map(|fact| self.weights.get(fact)) {
            for (role, weight) in weights.iter() {
                values[role] += weight;
            }
        }
        values.map(|value| value.clamp(0.0, 100.0))
    }

    /// The values after one step from a start, once for each way in which roles that are free to choose were drawn to;
    /// those of the start itself where no move is fixed.
    fn ends(
        &self,
        machine: &Engine,
        start: &Start<State>,
        rng: &mut impl rand::Rng,
        scratch: &mut EngineScratch,
    ) -> Vec<ByRole<f64>> {
        if start.first.is_empty() {
            return vec![self.of(machine, &start.state)];
        }
        let mut legal = machine.legal_by_role(&start.state, scratch);
        for &(role, own) in &start.first {
            legal[role] = vec![own];
        }
        if legal.values().iter().any(Vec::is_empty) {
            return vec![self.of(machine, &start.state)];
        }
        let is_free = legal.values().iter().any(|moves| moves.len() > 1);
        let drawn =
            (0..if is_free { start.count } else { 1 }).map(|_| {
                JointMove::new(legal.iter().map(|(role, moves)| {
                    moves[machine.draw_for(role, &start.state, moves.len(), scratch, rng)]
                }))
            });
        let joints: Vec<JointMove> = drawn.collect();
        let steps: Vec<_> = joints.iter().map(|joint| (&start.state, joint)).collect();
        let value = |(state, end): Reached<State>| match end {
            Some(goals) => goals.map(|goal| f64::from(goal.value())),
            None => self.of(machine, &state),
        };
        machine.advance(&steps, scratch).into_iter().map(value).collect()
    }
}

impl LeafValues<Engine> for LinearValues {
    /// The value of a start is that of its state, or where moves are fixed for the first step, the mean over the states
    /// after it, in which the free roles choose uniformly. The sums are rounded up or down at random, so that their means
    /// are the values.
    fn tallies(
        &self,
        machine: &Engine,
        starts: &[Start<State>],
        seed: &Seed,
        budget: &Budget,
        scratch: &mut EngineScratch,
    ) -> Vec<Tally> {
        let roles = machine.roles().len();
        let of = |(place, start): (usize, &Start<State>)| {
            if start.count == 0 || (place > 0 && budget.is_late()) {
                return Tally::new(roles);
            }
            let mut rng = seed.index(place).rng();
            let ends = self.ends(machine, start, &mut rng, scratch);
            if ends.is_empty() || machine.is_interrupted(scratch) {
                return Tally::new(roles);
            }
            let (count, each) = (f64::from(start.count), 1.0 / ends.len() as f64);
            let mut sum = |power: i32| {
                let total = |role: Role| ends.iter().map(|end| end[role].powi(power)).sum::<f64>();
                ByRole::from_fn(roles, |role| (total(role) * each * count + rng.random::<f64>()) as u64)
            };
            let (sum, squares) = (sum(1), sum(2));
            Tally { count: start.count, steps: ends.len() as u64, sum, squares, ..Tally::new(roles) }
        };
        starts.iter().enumerate().map(of).collect()
    }

    fn values(&self, machine: &Engine, state: &State) -> Option<ByRole<f64>> {
        Some(self.of(machine, state))
    }
}
