//! Features: the states, moves and percepts of matches as numbers, for programs that learn from them.
//!
//! Each game has three files. `features.GAME.json` numbers all facts, moves and percepts that the rules may ever give, so
//! the numbers follow from the rules alone. `features.GAME.npy` has a row of bits for each state that is not the last of
//! its match, one for each fact, packed as `numpy.unpackbits` reads them. `features.GAME.parquet` has a row for each of
//! these states and role: what the role could do, did and perceived, how its player judged the moves if that was recorded,
//! and the goal at the end of the match. So it has the evidence of the roles that do not choose too.
//!
//! Every match is walked by its recorded moves ([`walk`]). The bits stay in memory until the end of the export.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use indexmap::IndexSet;
use serde::Serialize;
use serde_json::json;

use super::columns::COLUMNS;
use super::decision_log::DecisionLog;
use super::export_decisions::{decisions, of_legal};
use super::folder::Planned;
use super::plan::PlanGame;
use super::results::Results;
use super::stored::FinishedMatch;
use super::walk::walk;
use hyperplay_engine::Engine;
use hyperplay_lab::parquet_file::{ParquetFile, typed};
use hyperplay_lab::records::PositionRecord;
use hyperplay_lab::{LabError, LabResult};
use hyperplay_logic::gdl::{Game, PositionDomains};
use hyperplay_machine::terms::TermId;
use hyperplay_machine::{StateMachine as _, StateMachineExt as _};
use hyperplay_play::files::{FileContent, WrittenFile};
use hyperplay_play::referee::MatchOutcome;

/// The most facts, moves or percepts of a game.
const MOST: usize = 1_000_000;

/// The terms that may stand in one place of the rules, each with the number that is its place among them.
type Numbers = IndexSet<String>;

/// The terms at the last place of a relation; `None` if there are more than [`MOST`].
fn numbers_of(game: &Game, domains: &PositionDomains, relation: &str, arity: usize) -> Option<Numbers> {
    let store = game.terms();
    let of_relation = |relation| domains.terms_at(relation, arity, arity - 1, MOST);
    let terms = store.symbols().get(relation).map_or(Some(Vec::new()), of_relation)?;
    let mut ids: Vec<TermId> = terms.iter().filter_map(|term| store.intern_term(term)).collect();
    ids.sort_by(|&a, &b| store.compare(a, b));
    Some(ids.into_iter().map(|id| store.show(id)).collect())
}

fn unnumbered(what: String) -> LabError {
    LabError::other(what, "features are for rules in GDL: export without --features")
}

/// The numbers of some terms.
fn all<'a>(numbers: &Numbers, terms: impl IntoIterator<Item = &'a String>) -> LabResult<Vec<usize>> {
    let unknown =
        |term: &String| unnumbered(format!("the term '{term}' is not among those that the rules may make"));
    terms.into_iter().map(|term| numbers.get_index_of(term).ok_or_else(|| unknown(term))).collect()
}

/// A state and a role.
#[derive(Serialize)]
struct FeatureRow<'a> {
    row: u64,
    #[serde(rename = "match")]
    id: u64,
    step: usize,
    role: usize,
    player: Option<&'a String>,
    legal: Vec<usize>,
    #[serde(rename = "move")]
    own: Vec<usize>,
    percepts: Vec<usize>,
    policy: Vec<f64>,
    values: Vec<f64>,
    visits: Vec<f64>,
    goal: Option<u8>,
}

/// Writes the features of all games into a folder, with the machine of each game; returns the paths of the files.
///
/// # Errors
/// If the rules of a game may make more than a million facts, moves or percepts, a match is not the one that is
/// recorded, or a file cannot be read or written.
pub fn export_features(
    planned: &Planned,
    mut results: Results<'_>,
    machines: &[Arc<Engine>],
    to: &Path,
) -> LabResult<Vec<PathBuf>> {
    let plan = &planned.plan;
    let begin = |(at, machine): (usize, &Arc<Engine>)| {
        let (game, name) = (&plan.games[at], name_of(&plan.games[at]));
        // A number tells games apart whose files have the same name.
        let is_taken = plan.games[..at].iter().any(|other| name_of(other) == name);
        let name = if is_taken { format!("{name}.{at}") } else { name };
        Features::begin(Arc::clone(machine), game, &to.join(format!("features.{name}.json")))
    };
    let mut games = machines.iter().enumerate().map(begin).collect::<Result<Vec<Features>, _>>()?;
    while let Some(finished) = results.next()? {
        games[plan.cells[finished.place.cell].game].add(planned, &finished)?;
    }
    let paths = games.into_iter().map(Features::finish).collect::<Result<Vec<_>, _>>()?;
    Ok(paths.concat())
}

/// The name of a game in names of files.
fn name_of(game: &PlanGame) -> String {
    Path::new(&game.name).file_stem().unwrap_or_default().to_string_lossy().replace(':', "_")
}

/// The files of one game that are being made.
struct Features {
    machine: Arc<Engine>,
    path: PathBuf,
    facts: Numbers,
    moves: Numbers,
    percepts: Numbers,
    rows: u64,
    bits: Vec<u8>,
    table: ParquetFile,
}

impl Features {
    /// The files of a game beside that of the numbers, which is written.
    fn begin(machine: Arc<Engine>, of: &PlanGame, path: &Path) -> LabResult<Self> {
        let game = machine.game();
        let domains = PositionDomains::of(game.rules());
        let numbers = |relation, arity| {
            let what =
                format!("the rules may make more than {MOST} terms of '{relation}', too many to be numbered");
            let too_many = || unnumbered(format!("{}: {what}", of.name));
            numbers_of(game, &domains, relation, arity).ok_or_else(too_many)
        };
        let (facts, moves) = (numbers("true", 1)?, numbers("legal", 2)?);
        let percepts = match game.is_imperfect() {
            true => numbers("sees", 2)?,
            // All roles see all moves.
            false => {
                let seen = |role| moves.iter().map(move |own| format!("(did {role} {own})"));
                of.roles.iter().flat_map(seen).collect()
            }
        };
        let content = json!({
            "schema": "hyperplay.features/1", "game": of.name, "rules": of.rules, "roles": of.roles,
            "facts": facts, "moves": moves, "percepts": percepts,
        });
        WrittenFile::at(path, FileContent::records("hyperplay.features/1"))?.text(format!("{content}\n"))?;
        let table = ParquetFile::new(path.with_extension("parquet"), typed(COLUMNS, "feature"));
        Ok(Self { machine, path: path.to_owned(), facts, moves, percepts, rows: 0, bits: Vec::new(), table })
    }

    /// Adds the states of a match.
    fn add(&mut self, planned: &Planned, finished: &FinishedMatch) -> LabResult {
        let (played, _) = walk(&self.machine, &planned.plan, finished, DecisionLog::Turns)?;
        let positions: Vec<PositionRecord> = decisions(finished, 1, "position")?;
        let machine = Arc::clone(&self.machine);
        let mut scratch = machine.scratch();
        let mut state = machine.initial();
        for (step, made) in played.steps.iter().enumerate() {
            self.add_state(&machine.fluents(&state))?;
            for role in machine.each_role() {
                let name = &machine.roles()[role];
                let position = positions.iter().find(|of| of.step == step + 1 && of.role == *name);
                let legal: Vec<String> = made.legal[role].iter().map(|&own| machine.show_move(own)).collect();
                let seen: Vec<String> =
                    made.percepts[role].iter().map(|percept| machine.terms().show(percept.0)).collect();
                self.table.push(&FeatureRow {
                    row: self.rows - 1,
                    id: finished.place.id,
                    step: step + 1,
                    role: role.index(),
                    player: finished.record.players.get(name),
                    own: all(&self.moves, [&machine.show_move(made.joint.of(role))])?,
                    percepts: all(&self.percepts, &seen)?,
                    policy: position.map_or(Vec::new(), |of| of_legal(&legal, &of.policy, 0.0)),
                    values: position.map_or(Vec::new(), |of| of_legal(&legal, &of.values, f64::NAN)),
                    visits: position.map_or(Vec::new(), |of| of_legal(&legal, &of.visits, 0.0)),
                    legal: all(&self.moves, &legal)?,
                    goal: match &played.outcome {
                        MatchOutcome::Over(goals) => Some(goals[role].value()),
                        _ => None,
                    },
                })?;
            }
            state = machine.next(&state, &made.joint, &mut scratch);
        }
        Ok(())
    }

    /// Adds the bits of a state, the first fact in the highest bit.
    fn add_state(&mut self, facts: &[String]) -> LabResult {
        let start = self.bits.len();
        self.bits.resize(start + self.facts.len().div_ceil(8), 0);
        for fact in all(&self.facts, facts)? {
            self.bits[start + fact / 8] |= 128 >> (fact % 8);
        }
        self.rows += 1;
        Ok(())
    }

    /// Completes the files; returns their paths.
    fn finish(self) -> LabResult<Vec<PathBuf>> {
        let path = self.path.with_extension("npy");
        let width = self.facts.len().div_ceil(8);
        // The NPY format, version 1.0: the header ends at a multiple of 64 bytes.
        let shape =
            format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({}, {width}), }}", self.rows);
        let header = format!("{shape:<117}\n");
        WrittenFile::at(&path, FileContent::beginning("array", b"\x93NUMPY".to_vec()))?.write(|out| {
            out.write_all(b"\x93NUMPY\x01\x00\x76\x00")?;
            out.write_all(header.as_bytes())?;
            out.write_all(&self.bits)
        })?;
        Ok([self.path, path].into_iter().chain(self.table.finish()?).collect())
    }
}
