//! The file of `--out`: policies, and the state of the solver from which a later run continues.
//!
//! The other content of the file is kept whole: it is written by [`WrittenFile`].

use std::path::Path;
use std::time::Duration;
use std::{fs, io};

use serde_json::Value;

use crate::failure::{CommandFailure, CommandResult, refuse_if};
use crate::output::log;
use hyperplay_engine::Engine;
use hyperplay_machine::Stopwatch;
use hyperplay_play::files::{FileContent, FileError, WrittenFile};
use hyperplay_play::player::{PolicyDocument, PolicyEntry, PolicyFile, SolverState};
use hyperplay_think::solve::{RegretCheckpoint, RegretMinimiser, RegretRule, SequenceForm};

/// Entries that are written for an estimate.
const SAMPLE: usize = 1_000;

/// The remedy where a file holds something else.
const ANOTHER_FILE: &str = "name another file for --out, or remove this one";

/// The place of the solution, and the state that an earlier run left there.
pub struct SavedSolution<'a> {
    path: Option<&'a Path>,
    file: Option<WrittenFile>,
    state: Option<SolverState>,
}

impl<'a> SavedSolution<'a> {
    /// Reads what an earlier run of the game with this hash left, if there is a file. A method without a state
    /// (`stateless`) may compute its result again.
    ///
    /// # Errors
    /// If the file is something else: it is not overwritten.
    pub fn open(path: Option<&'a Path>, rules: &str, stateless: Option<&str>) -> CommandResult<Self> {
        let content = FileContent::beginning("policy file", "{\"schema\": \"hyperplay.policy/");
        let file = WrittenFile::if_given(path, content)?;
        let mut saved = SavedSolution { path, file, state: None };
        let Some(path) = path else { return Ok(saved) };
        if fs::metadata(path).map_or(0, |found| found.len()) == 0 {
            return Ok(saved);
        }
        let text = FileError::at(path, fs::read_to_string(path))?;
        let other =
            |cause: String| CommandFailure::usage(format!("{cause}; it is not overwritten"), ANOTHER_FILE);
        if PolicyFile::parse(path, &text).map_err(|error| other(error.to_string()))?.rules() != Some(rules) {
            return Err(other(format!("{}: the policies of another game", path.display())));
        }
        let state = SolverState::read(path, &text).map_err(|error| other(error.to_string()))?;
        if state.solver.is_empty() {
            let what = format!("{}: policies without the state of a solver", path.display());
            let is_again = stateless.is_some() && state.method.as_deref() == stateless;
            return if is_again { Ok(saved) } else { Err(other(what)) };
        }
        saved.state = Some(state);
        Ok(saved)
    }

    /// The minimisers of these rules, as the earlier run left them or new.
    ///
    /// # Errors
    /// If the earlier run had other rules, or its state does not fit the game.
    pub fn minimisers(
        &self,
        form: &SequenceForm,
        unit: f64,
        rules: &[RegretRule],
    ) -> CommandResult<Vec<RegretMinimiser>> {
        let Some(SolverState { unit: former, solver, .. }) = &self.state else {
            return Ok(rules.iter().map(|&rule| RegretMinimiser::new(form, rule)).collect());
        };
        let path = self.path.map_or_else(String::new, |path| path.display().to_string());
        let names: Vec<&str> = solver.iter().map(|checkpoint| checkpoint.rule.as_str()).collect();
        let what = format!("{path}: the earlier run was solved by {}", names.join(" and "));
        let remedy = "take the --method of that run (two together are auto), or another file for --out";
        refuse_if(names != rules.iter().map(|rule| rule.name()).collect::<Vec<_>>(), what, remedy)?;
        let before = former.map_or_else(|| "another".to_owned(), |unit| unit.to_string());
        let what = format!("{path}: the earlier run had --unit {before}, this one has {unit}");
        refuse_if(*former != Some(unit), what, "take the --unit of that run, or another file for --out")?;
        let resumed: Result<Vec<_>, _> =
            solver.iter().map(|checkpoint| RegretMinimiser::resumed(form, checkpoint)).collect();
        let minimisers =
            resumed.map_err(|error| CommandFailure::usage(format!("{path}: {error}"), ANOTHER_FILE))?;
        let done = minimisers.iter().map(|minimiser| minimiser.iterations).max().unwrap_or(0);
        log(format_args!("{path}: continues after {done} iterations"));
        Ok(minimisers)
    }

    /// Refuses to continue: the method keeps no state, and that of an earlier run would be lost.
    ///
    /// # Errors
    /// If there is such a state.
    pub fn refuse_state(&self) -> CommandResult {
        let Some((path, state)) = self.path.zip(self.state.as_ref()) else { return Ok(()) };
        let rules: Vec<&str> = state.solver.iter().map(|checkpoint| checkpoint.rule.as_str()).collect();
        let (path, rules) = (path.display(), rules.join(" and "));
        let what = format!("{path}: holds an earlier run by {rules}, which this method cannot continue");
        Err(CommandFailure::usage(what, ANOTHER_FILE))
    }

    /// About how long it will take to write this number of entries, by the time that the first of them take.
    pub fn time_to_write<'p>(
        &self,
        machine: &Engine,
        entries: impl Iterator<Item = PolicyEntry<'p>>,
        count: usize,
    ) -> Duration {
        if self.file.is_none() {
            return Duration::ZERO;
        }
        let (watch, mut written) = (Stopwatch::start(), 0_usize);
        let document = PolicyDocument { machine, header: Value::Null };
        // Nothing can go wrong in a sink.
        let _ = document.write(io::sink(), entries.take(SAMPLE).inspect(|_| written += 1), &[]);
        watch.elapsed().mul_f64(count as f64 / written.max(1) as f64)
    }

    /// Writes policies and the states of their minimisers.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write<'p>(
        &self,
        document: &PolicyDocument<'_>,
        entries: impl Iterator<Item = PolicyEntry<'p>>,
        states: &[RegretCheckpoint],
    ) -> CommandResult {
        let Some(file) = &self.file else { return Ok(()) };
        Ok(file.write(|out| document.write(out, entries, states))?)
    }
}
