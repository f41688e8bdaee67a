//! Results: the matches in a folder, in the order of their numbers, however many shards they came from.
//!
//! The shards are read side by side, and each is compared with the sequence that it must follow. A match counts when all
//! its turns are there. The missing matches are known at the end. The reader keeps one match of each shard in memory.
//! Positions and particles are read only on request, because they are large, and a match may have none.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::decision_log::DecisionLog;
use super::folder::{FolderError, Planned, division};
use super::journal::JournalError;
use super::plan::{ExperimentPlan, MatchPlace};
use super::record::{MatchRecord, RecordHeader};
use super::sequence::{NextMatch, Sequence};
use super::shard::Shard;
use hyperplay_logic::gdl::counted;
use hyperplay_play::files::FileError;

/// The longest line that is looked at.
const MAX_LINE: u64 = 1 << 26;

/// One match with all its lines.
#[derive(Clone, PartialEq, Debug)]
pub struct FinishedMatch {
    /// Which.
    pub place: MatchPlace,
    /// Its record.
    pub record: MatchRecord,
    /// The line of the record.
    pub line: Vec<u8>,
    /// The lines of its turns.
    pub turns: Vec<Vec<u8>>,
    /// The line of its timing, if there is one.
    pub timing: Option<Vec<u8>>,
    /// The lines of its positions and of its particles: one for each turn; `None` if they were not recorded or not asked for.
    pub details: [Option<Vec<Vec<u8>>>; 2],
}

/// What a shard lacks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MissingMatches {
    /// Which.
    pub shard: Shard,
    /// Complete matches that are there; `None` if there is no file.
    pub matches: Option<u64>,
    /// Matches that there should be, or fewer if a rule stops cells.
    pub of: u64,
}

impl fmt::Display for MissingMatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.matches {
            None => write!(f, "shard {}: no file ({})", self.shard, counted(self.of, "match")),
            Some(matches) => write!(f, "shard {}: {matches} of {}", self.shard, counted(self.of, "match")),
        }
    }
}

/// The complete lines of a file.
struct Lines(BufReader<File>);

impl Lines {
    fn next(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        self.0.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)?;
        Ok(line.ends_with(b"\n").then_some(line))
    }
}

/// The lines of positions or particles, whose matches may be some of those of the shard.
struct DetailLines {
    lines: Lines,
    /// A line that was read and belongs to a later match.
    pending: Option<(u64, Vec<u8>)>,
}

/// What every line says.
#[derive(Deserialize)]
struct OfMatch {
    #[serde(rename = "match")]
    id: u64,
}

impl DetailLines {
    /// The lines of a match, if there are as many as it has turns.
    fn of(&mut self, record: &MatchRecord) -> io::Result<Option<Vec<Vec<u8>>>> {
        let mut found = Vec::new();
        loop {
            if self.pending.is_none() {
                let Some(line) = self.lines.next()? else { break };
                let Ok(OfMatch { id }) = serde_json::from_slice(&line) else { break };
                self.pending = Some((id, line));
            }
            match self.pending.take() {
                Some((id, line)) if id == record.id => found.push(line),
                Some((id, _)) if id < record.id => {}
                later => {
                    self.pending = later;
                    break;
                }
            }
        }
        Ok((found.len() == record.turns).then_some(found))
    }
}

/// The file at a path behind its header; `None` if there is no file or no complete line in it.
fn open(path: &Path, header: &RecordHeader) -> Result<Option<Lines>, JournalError> {
    let failed = |cause| JournalError::File { path: path.to_owned(), cause };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(cause) => return Err(failed(cause)),
    };
    let mut lines = Lines(BufReader::new(file));
    let Some(first) = lines.next().map_err(failed)? else { return Ok(None) };
    let found: RecordHeader = serde_json::from_slice(&first).map_err(|_| JournalError::Foreign {
        path: path.to_owned(),
        what: "its first line is no header".to_owned(),
    })?;
    match header.difference(&found) {
        Some(difference) => Err(JournalError::Header { path: path.to_owned(), difference }),
        None => Ok(Some(lines)),
    }
}

/// One shard as it is read.
struct Part<'a> {
    shard: Shard,
    sequence: Sequence<'a>,
    path: PathBuf,
    matches: Lines,
    turns: Lines,
    timings: Option<Lines>,
    details: [Option<DetailLines>; 2],
    count: u64,
    next: Option<FinishedMatch>,
}

impl Part<'_> {
    /// Reads the next complete match. The sequence of the part says whether it ends early.
    fn advance(&mut self) -> Result<(), JournalError> {
        let failed = |cause| JournalError::File { path: self.path.clone(), cause };
        self.next = None;
        let Some(line) = self.matches.next().map_err(failed)? else { return Ok(()) };
        let Ok(record) = serde_json::from_slice::<MatchRecord>(&line) else { return Ok(()) };
        let mut turns = Vec::with_capacity(record.turns);
        for _ in 0..record.turns {
            match self.turns.next().map_err(failed)? {
                Some(turn) => turns.push(turn),
                None => return Ok(()),
            }
        }
        let place = match self.sequence.next() {
            NextMatch::Match(place) if place.id == record.id => place,
            _ => {
                let what = format!("match {} is not what the plan plays next", record.id);
                return Err(JournalError::Foreign { path: self.path.clone(), what });
            }
        };
        let timing = match &mut self.timings {
            Some(timings) => timings.next().map_err(failed)?,
            None => None,
        };
        let [positions, particles] = &mut self.details;
        let of = |lines: &mut Option<DetailLines>| match lines {
            Some(lines) => lines.of(&record).map_err(failed),
            None => Ok(None),
        };
        let details = [of(positions)?, of(particles)?];
        let goals: Vec<u8> = record.goals.iter().map(|&(_, goal)| goal).collect();
        self.sequence.feed(&place, (!goals.is_empty()).then_some(&goals[..]));
        self.count += 1;
        self.next = Some(FinishedMatch { place, record, line, turns, timing, details });
        Ok(())
    }
}

/// The matches in a folder.
pub struct Results<'a> {
    plan: &'a ExperimentPlan,
    parts: Vec<Part<'a>>,
    absent: Vec<Shard>,
    heap: BinaryHeap<Reverse<(u64, usize)>>,
}

impl<'a> Results<'a> {
    /// Opens the shards of a folder; if there are none, what was merged.
    ///
    /// # Errors
    /// If there is nothing, or it does not belong together.
    pub fn open(folder: &Path, planned: &'a Planned) -> Result<Results<'a>, ResultsError> {
        Results::open_with(folder, planned, DecisionLog::Turns)
    }

    /// The same, with what else was recorded of the decisions.
    ///
    /// # Errors
    /// As [`open`](Results::open).
    pub fn open_with(
        folder: &Path,
        planned: &'a Planned,
        log: DecisionLog,
    ) -> Result<Results<'a>, ResultsError> {
        let plan = &planned.plan;
        let (count, merged) = match division(folder) {
            Ok(count) => (count, false),
            Err(FolderError::Empty { .. }) if folder.join("matches.jsonl").is_file() => (1, true),
            Err(error) => return Err(error.into()),
        };
        let (mut parts, mut absent) = (Vec::new(), Vec::new());
        for shard in Shard::all(count) {
            let path = |kind: &str| {
                if merged { folder.join(format!("{kind}.jsonl")) } else { shard.file(folder, kind) }
            };
            let lines =
                |kind: &str| open(&path(kind), &RecordHeader::new(kind, &planned.config, plan.seed, shard));
            let (Some(matches), Some(turns)) = (lines("matches")?, lines("turns")?) else {
                absent.push(shard);
                continue;
            };
            let timings = lines("timings")?;
            let mut details = [None, None];
            for (detail, kind) in details.iter_mut().zip(log.kinds()) {
                *detail = lines(kind)?.map(|lines| DetailLines { lines, pending: None });
            }
            let sequence = Sequence::new(plan, shard);
            let path = path("matches");
            let (count, next) = (0, None);
            parts.push(Part { shard, sequence, path, matches, turns, timings, details, count, next });
        }
        let mut results = Results { plan, parts, absent, heap: BinaryHeap::new() };
        for part in 0..results.parts.len() {
            results.advance(part)?;
        }
        Ok(results)
    }

    fn advance(&mut self, part: usize) -> Result<(), JournalError> {
        self.parts[part].advance()?;
        if let Some(next) = &self.parts[part].next {
            self.heap.push(Reverse((next.place.id, part)));
        }
        Ok(())
    }

    /// The next match; none at the end.
    ///
    /// # Errors
    /// If a file cannot be read or is not what the plan says.
    #[allow(clippy::should_implement_trait, reason = "a reader may fail")]
    pub fn next(&mut self) -> Result<Option<FinishedMatch>, ResultsError> {
        let Some(Reverse((_, part))) = self.heap.pop() else { return Ok(None) };
        let result = self.parts[part].next.take();
        self.advance(part)?;
        Ok(result)
    }

    /// How many matches each shard has, after the last [`next`](Results::next), and which of them lack some.
    pub fn missing(&mut self) -> Vec<MissingMatches> {
        let mut missing: Vec<MissingMatches> = self
            .absent
            .iter()
            .map(|&shard| MissingMatches { shard, matches: None, of: self.plan.matches_of(shard) })
            .filter(|missing| missing.of > 0)
            .collect();
        for part in &mut self.parts {
            if part.sequence.next() != NextMatch::End {
                let of = self.plan.matches_of(part.shard);
                missing.push(MissingMatches { shard: part.shard, matches: Some(part.count), of });
            }
        }
        missing.sort_by_key(|missing| missing.shard);
        missing
    }
}

/// Why results cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A file of a shard.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A table that is made of them.
    #[error(transparent)]
    Table(#[from] FileError),
    /// A line of what was recorded of decisions that cannot be read.
    #[error("match {id}: {what} number {number} of its decisions cannot be read: {cause}")]
    Decision {
        /// The number of the match in the plan.
        id: u64,
        /// What was recorded.
        what: &'static str,
        /// Which of the lines of the match, from 1.
        number: usize,
        /// What the reader says.
        cause: String,
    },
}
