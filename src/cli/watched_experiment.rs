//! An experiment as the kiosk shows it: the folder of `experiment run`, read again and again while it grows.
//!
//! An experiment keeps the choices of its players and not whole transcripts. A match is opened by walking it by these
//! choices.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::experiment_results::recorded_game;
use super::failure::CommandResult;
use hyperplay_engine::{EngineKind, Engines};
use hyperplay_experiment::{DecisionLog, ExperimentSummary, FinishedMatch, Planned, REPLACED, Results, walk};
use hyperplay_kiosk::{WatchedExperiment, WatchedScore, WatchedState, WatchedTranscript};
use hyperplay_machine::StateMachine as _;
use hyperplay_play::referee::{Heading, Settings, Transcript};

/// How long a summary is shown before the files are read again.
const FRESH: Duration = Duration::from_secs(2);

/// The folder of an experiment.
pub struct FolderExperiment {
    folder: PathBuf,
    planned: Planned,
    begun: Instant,
    /// Matches that were there at the beginning.
    before: Mutex<Option<usize>>,
    last: Mutex<Option<(Instant, WatchedState)>>,
}

impl FolderExperiment {
    /// The experiment of a folder.
    ///
    /// # Errors
    /// If it is none.
    pub fn open(folder: &Path) -> CommandResult<FolderExperiment> {
        let planned = Planned::read(folder)?;
        Ok(FolderExperiment {
            folder: folder.to_owned(),
            planned,
            begun: Instant::now(),
            before: Mutex::default(),
            last: Mutex::default(),
        })
    }

    fn read_state(&self) -> Result<WatchedState, String> {
        let plan = &self.planned.plan;
        let results = Results::open(&self.folder, &self.planned).map_err(|error| error.to_string())?;
        let summary = ExperimentSummary::of(&self.planned, results).map_err(|error| error.to_string())?;
        let done = summary.matches as usize;
        let before = *self.before.lock().get_or_insert(done);
        let of = plan.matches() as usize;
        let elapsed = self.begun.elapsed().as_secs_f64();
        let seconds_left =
            (done > before).then(|| elapsed / (done - before) as f64 * of.saturating_sub(done) as f64);
        let mut faults = 0;
        let mut table = Vec::new();
        for (cell, summed) in summary.cells.iter().enumerate() {
            for entrant in &summed.entrants {
                faults += entrant.faults as usize;
                let Some(mean) = entrant.score.mean() else { continue };
                let half = entrant.score.half_width();
                let label = plan.label(entrant.entrant);
                let replaced = entrant.replaced().filter(|&share| share > REPLACED);
                let replaced = replaced
                    .map_or_else(String::new, |share| format!(" ({share:.0} % of its moves replaced)"));
                let player = if plan.cells.len() > 1 {
                    format!("{label}{replaced}, {}: {}", plan.game(cell).name, plan.meeting(cell))
                } else {
                    format!("{label}{replaced}")
                };
                let (low, high) = (half.map(|half| mean - half), half.map(|half| mean + half));
                table.push(WatchedScore { player, mean, low, high, matches: summed.matches as usize });
            }
        }
        Ok(WatchedState { name: self.planned.name.clone(), done, of, seconds_left, table, faults })
    }

    /// The finished matches from number `from` on, at most `most` of them.
    fn finished(&self, from: usize, most: usize) -> Result<Vec<FinishedMatch>, String> {
        let mut results = Results::open(&self.folder, &self.planned).map_err(|error| error.to_string())?;
        let (mut found, mut number) = (Vec::new(), 0);
        while found.len() < most {
            let Some(finished) = results.next().map_err(|error| error.to_string())? else { break };
            if number >= from {
                found.push(finished);
            }
            number += 1;
        }
        Ok(found)
    }
}

impl WatchedExperiment for FolderExperiment {
    fn state(&self) -> Result<WatchedState, String> {
        let mut last = self.last.lock();
        if let Some((at, state)) = &*last
            && at.elapsed() < FRESH
        {
            return Ok(state.clone());
        }
        let state = self.read_state()?;
        *last = Some((Instant::now(), state.clone()));
        Ok(state)
    }

    fn transcripts(&self, from: usize, most: usize) -> Result<Vec<WatchedTranscript>, String> {
        let finished = self.finished(from, most)?;
        let shown = |(number, of): (usize, FinishedMatch)| WatchedTranscript {
            index: from + number,
            game: of.record.game,
            players: of.record.players.into_iter().collect(),
            goals: of.record.goals.into_iter().collect(),
        };
        Ok(finished.into_iter().enumerate().map(shown).collect())
    }

    fn open(&self, index: usize) -> Result<Option<(String, String)>, String> {
        let finished = self.finished(index, 1)?;
        let Some(finished) = finished.first() else { return Ok(None) };
        let plan = &self.planned.plan;
        let game = plan.game(finished.place.cell);
        let (text, loaded) = recorded_game(game).map_err(|failure| failure.to_string())?;
        let engine = Engines::new(&loaded).get(EngineKind::Auto).map_err(|error| error.to_string())?;
        let walked = walk(&engine, plan, finished, DecisionLog::Turns);
        let (played, _) = walked.map_err(|error| error.to_string())?;
        let settings = Settings { limit: plan.limit, ..Settings::default() };
        let players = engine.roles().iter().map(|(_, name)| finished.record.players.get(name).cloned());
        let heading = Heading {
            game: game.name.clone(),
            rules: loaded.rules_hash(),
            players: players.collect(),
            seed: plan.seed,
            decisions: false,
        };
        let index = finished.place.deal as usize;
        let transcript = Transcript::new(&*engine, &heading, &settings, index, &played);
        Ok(Some((serde_json::to_string(&transcript).map_err(|error| error.to_string())?, text)))
    }
}
