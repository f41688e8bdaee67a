//! Journal: the files that a shard appends to, and how it continues them after the last run ended, for whatever reason.
//!
//! Invariant: `matches` is a prefix of what an uninterrupted run would write, and every match in it has all its turns
//! (and positions and particles, where these are recorded). Each record is one write to a file opened for appending. The turns of a
//! match are written before the match, which is the last record about it. So after a kill at any moment it is enough
//! to cut off incomplete lines and lines that no match line follows. A complete line that is not a record (after a
//! power failure) is cut off with everything behind it, and the same matches are played again.
//!
//! The file of matches is locked while it is written to: two processes cannot append to one shard.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Deserialize;
use thiserror::Error;

use super::decision_log::DecisionLog;
use super::plan::ExperimentPlan;
use super::record::{MatchRecord, RecordHeader};
use super::recorder::RecordLines;
use super::sequence::{NextMatch, Sequence};
use super::shard::Shard;

/// The longest line that is read; a longer one counts as incomplete.
const MAX_LINE: u64 = 1 << 26;

/// Why the files of a shard cannot be taken up.
#[derive(Debug, Error)]
pub enum JournalError {
    /// The operating system's.
    #[error("{}: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What it says.
        cause: io::Error,
    },
    /// The header is that of another experiment.
    #[error("{}: {difference}", path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What differs.
        difference: String,
    },
    /// The file holds something else.
    #[error("{}: {what}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },
    /// Another process writes to it.
    #[error("{}: another process is playing this shard", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
    },
}

/// The open files of a shard.
#[derive(Debug)]
pub struct Journal {
    matches: Log,
    turns: Log,
    timings: Log,
    /// Of positions and particles, those that are recorded.
    details: Vec<Log>,
    /// Matches taken over from an earlier run.
    pub resumed: u64,
    /// How many of them failed, and in how many a move was replaced.
    pub failed: u64,
    /// See [`failed`](Self::failed).
    pub faulted: u64,
    /// Bytes cut off because their record or match was incomplete.
    pub cut: u64,
}

#[derive(Debug)]
struct Log {
    path: PathBuf,
    file: File,
}

/// What a line about a turn, a timing or a position must say: whose it is.
#[derive(Deserialize)]
struct OfMatch {
    #[serde(rename = "match")]
    id: u64,
}

impl Log {
    fn open(folder: &Path, shard: Shard, kind: &str) -> Result<Log, JournalError> {
        let path = shard.file(folder, kind);
        let file = OpenOptions::new().create(true).read(true).append(true).open(&path);
        match file {
            Ok(file) => Ok(Log { path, file }),
            Err(cause) => Err(JournalError::File { path, cause }),
        }
    }

    fn at<T>(&self, result: io::Result<T>) -> Result<T, JournalError> {
        result.map_err(|cause| JournalError::File { path: self.path.clone(), cause })
    }

    /// One record, one write.
    fn write(&mut self, line: &[u8]) -> Result<(), JournalError> {
        let written = self.file.write_all(line);
        self.at(written)
    }

    /// Cuts the file off at a length; returns what was lost. Puts the header into a file that has lost it.
    fn cut(&mut self, length: u64, header: &RecordHeader) -> Result<u64, JournalError> {
        let before = self.at(self.file.metadata())?.len();
        self.at(self.file.set_len(length))?;
        if length == 0 {
            let mut line = serde_json::to_vec(header).expect("a header is plain data");
            line.push(b'\n');
            self.write(&line)?;
        }
        Ok(before - length)
    }

    /// A reader of the lines behind the header, if the header is complete and correct.
    fn read(&self, header: &RecordHeader) -> Result<Option<WholeLines>, JournalError> {
        let mut file = self.at(self.file.try_clone())?;
        self.at(file.seek(SeekFrom::Start(0)))?;
        let mut lines =
            WholeLines { reader: BufReader::with_capacity(1 << 16, file), offset: 0, line: Vec::new() };
        if !self.at(lines.advance())? {
            return Ok(None);
        }
        let foreign = |what: &str| JournalError::Foreign { path: self.path.clone(), what: what.to_owned() };
        let found: RecordHeader =
            serde_json::from_slice(&lines.line).map_err(|_| foreign("its first line is no header"))?;
        match header.difference(&found) {
            Some(difference) => Err(JournalError::Header { path: self.path.clone(), difference }),
            None => Ok(Some(lines)),
        }
    }
}

/// The complete lines of a file, and where they end.
struct WholeLines {
    reader: BufReader<File>,
    /// Where the last complete line ends.
    offset: u64,
    line: Vec<u8>,
}

impl WholeLines {
    /// Reads the next line; returns whether it is complete.
    fn advance(&mut self) -> io::Result<bool> {
        self.line.clear();
        self.reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut self.line)?;
        let whole = self.line.last() == Some(&b'\n');
        if whole {
            self.offset += self.line.len() as u64;
        }
        Ok(whole)
    }

    /// Passes over lines while they belong to matches up to `id`; returns how many belong to `id` itself, and where
    /// they end. The first line beyond is kept for the next call.
    fn skip_to(&mut self, id: u64, kept: &mut Kept) -> io::Result<()> {
        loop {
            if kept.pending.is_none() {
                if !self.advance()? {
                    return Ok(());
                }
                let Ok(of) = serde_json::from_slice::<OfMatch>(&self.line) else { return Ok(()) };
                kept.pending = Some((of.id, self.offset));
            }
            match kept.pending {
                Some((of, end)) if of <= id => {
                    if of != kept.id {
                        (kept.id, kept.count) = (of, 0);
                    }
                    (kept.count, kept.end, kept.pending) = (kept.count + 1, end, None);
                }
                _ => return Ok(()),
            }
        }
    }
}

/// How far the lines about matches have been read.
#[derive(Clone, Copy)]
struct Kept {
    /// The match looked at last, and how many lines it has.
    id: u64,
    count: usize,
    /// Where the last one ends.
    end: u64,
    /// A line that was read already: its match and its end.
    pending: Option<(u64, u64)>,
}

impl Kept {
    fn from(header_end: u64) -> Kept {
        Kept { id: u64::MAX, count: 0, end: header_end, pending: None }
    }

    fn lines_of(&self, id: u64) -> usize {
        if self.id == id { self.count } else { 0 }
    }
}

/// A file that must have a line for every turn of a match, while it is read.
struct Detail<'a> {
    log: &'a Log,
    lines: Option<WholeLines>,
    /// How far it was read, and how far it is kept.
    seen: Kept,
    kept: Kept,
}

impl<'a> Detail<'a> {
    fn new(log: &'a Log, header: &RecordHeader) -> Result<Self, JournalError> {
        let lines = log.read(header)?;
        let kept = Kept::from(lines.as_ref().map_or(0, |lines| lines.offset));
        Ok(Detail { log, lines, seen: kept, kept })
    }

    /// Whether it has a line for every turn of the match.
    fn look(&mut self, record: &MatchRecord) -> Result<bool, JournalError> {
        let Some(lines) = &mut self.lines else { return Ok(false) };
        self.log.at(lines.skip_to(record.id, &mut self.seen))?;
        Ok(self.seen.lines_of(record.id) == record.turns)
    }
}

impl Journal {
    /// Opens the files of a shard and feeds the matches that they hold to `sequence`, which then stands behind them.
    ///
    /// # Errors
    /// If a header differs, the matches are not those of the plan, another process holds the files, or they cannot be
    /// read and written.
    pub fn open(
        folder: &Path,
        plan: &ExperimentPlan,
        shard: Shard,
        log: DecisionLog,
        sequence: &mut Sequence<'_>,
    ) -> Result<Journal, JournalError> {
        let hash = plan.hash();
        let header = |kind: &str| RecordHeader::new(kind, &hash, plan.seed, shard);
        let mut matches = Log::open(folder, shard, "matches")?;
        match matches.file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JournalError::Locked { path: matches.path }),
            // A file system without locks: the user must not start a shard twice.
            Err(TryLockError::Error(_)) => {}
        }
        let mut turns = Log::open(folder, shard, "turns")?;
        let mut timings = Log::open(folder, shard, "timings")?;
        let mut detailed: Vec<Log> =
            log.kinds().map(|kind| Log::open(folder, shard, kind)).collect::<Result<_, _>>()?;

        let (mut resumed, mut failed, mut faulted, mut end, mut last) = (0, 0, 0, 0, None);
        let found = matches.read(&header("matches"))?;
        let mut details = vec![Detail::new(&turns, &header("turns"))?];
        for (file, kind) in detailed.iter().zip(log.kinds()) {
            details.push(Detail::new(file, &header(kind))?);
        }
        if let Some(mut of_matches) = found {
            end = of_matches.offset;
            while matches.at(of_matches.advance())? {
                let Ok(record) = serde_json::from_slice::<MatchRecord>(&of_matches.line) else { break };
                let place = match sequence.next() {
                    NextMatch::Match(place) if place.id == record.id => place,
                    _ => {
                        let what = format!("match {} is not what the plan plays next", record.id);
                        return Err(JournalError::Foreign { path: matches.path, what });
                    }
                };
                let mut whole = true;
                for detail in &mut details {
                    whole &= detail.look(&record)?;
                }
                if !whole {
                    sequence.take_back(&place);
                    break;
                }
                details.iter_mut().for_each(|detail| detail.kept = detail.seen);
                let goals: Vec<u8> = record.goals.iter().map(|&(_, goal)| goal).collect();
                sequence.feed(&place, (!goals.is_empty()).then_some(&goals[..]));
                (end, resumed, last) = (of_matches.offset, resumed + 1, Some(record.id));
                failed += u64::from(record.has_failed());
                faulted += u64::from(record.faults.iter().any(|&(_, count)| count > 0));
            }
        }
        let ends: Vec<u64> = details.iter().map(|detail| detail.kept.end).collect();
        drop(details);
        let mut cut = matches.cut(end, &header("matches"))?;
        cut += turns.cut(ends[0], &header("turns"))?;
        for ((file, kind), &end) in detailed.iter_mut().zip(log.kinds()).zip(&ends[1..]) {
            cut += file.cut(end, &header(kind))?;
        }
        // Timings are no part of any identity: what is there of the matches that are kept stays.
        let mut end = 0;
        if let Some(mut lines) = timings.read(&header("timings"))? {
            let mut kept = Kept::from(lines.offset);
            if let Some(last) = last {
                timings.at(lines.skip_to(last, &mut kept))?;
            }
            end = kept.end;
        }
        cut += timings.cut(end, &header("timings"))?;
        Ok(Journal { matches, turns, timings, details: detailed, resumed, failed, faulted, cut })
    }

    /// Writes the lines about one match.
    ///
    /// # Errors
    /// The operating system's.
    pub fn write(&mut self, lines: &RecordLines) -> Result<(), JournalError> {
        self.timings.write(&lines.timing)?;
        for (file, lines) in self.details.iter_mut().zip([&lines.positions, &lines.particles]) {
            lines.iter().try_for_each(|line| file.write(line))?;
        }
        lines.turns.iter().try_for_each(|line| self.turns.write(line))?;
        self.matches.write(&lines.of_match)
    }
}
