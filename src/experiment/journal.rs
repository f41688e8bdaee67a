//! Journal: the files that a shard appends to, and how it continues them after the last run ended, for whatever reason.
//!
//! Invariant: each file is a prefix of what an undisturbed run writes. The lines of one kind about a match are one
//! write to a file opened for appending, and the line of the match is the last. So after a kill at any moment the end
//! of a file has lines about one match at most that is not finished, and they are cut off.
//!
//! Damage breaks the invariant, and [`Journal::open`] restores it. A file keeps its matches before the first gap. Good
//! lines behind it go to `FILE.kept`, and all else to `FILE.damaged`, to which is only ever appended; then the file is
//! cut off. Then the run passes through all matches in their order: it copies what was kept, plays what is missing,
//! and makes what else is to be recorded of finished matches. Lines that a file has already are not written to it
//! again.
//!
//! Where all is in order, the files are read from the last [`checkpoint`](super::checkpoint) on, and the run begins behind
//! the last match. While something is repaired or made later there is no checkpoint.
//!
//! Finished matches that are played again stay until the first of them has been played. Then all of them are dropped in
//! the same way: they become a gap, and the good lines behind it are kept.
//!
//! The file of matches is locked while it is written to: two processes cannot append to one shard.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::checkpoint::{CHECKPOINT, Checkpoint, EVERY};
use super::decision_log::DecisionLog;
use super::plan::ExperimentPlan;
use super::recorder::RecordLines;
use super::sequence::Sequence;
use super::stored::{FinishedMatch, KINDS, StoredMatches};
use hyperplay_lab::records::{
    DamagedLine, FoundLines, MAX_LINE, Mark, Record, RecordHeader, Source, copy, in_place, is_packed, kept,
    move_aside, record,
};
pub(super) use hyperplay_lab::shards::locked;
use hyperplay_lab::shards::{SUM, Shard, sealed};
use hyperplay_lab::{LabError, LabResult};
use hyperplay_play::files::FileError;

/// All of a file.
const WHOLE: Range<u64> = 0..u64::MAX;

/// The open files of a shard.
pub struct Journal<'a> {
    folder: PathBuf,
    plan: &'a ExperimentPlan,
    shard: Shard,
    recording: Recording,
    /// By kind.
    logs: Vec<Log>,
    /// The content of the files, the next match of it, and the last one that was asked for.
    stored: StoredMatches<'a>,
    next: Option<FinishedMatch>,
    asked: Option<u64>,
    /// The finished matches that are played again. All stay until one of them has been.
    replaced: BTreeSet<u64>,
    /// Behind the last match that was written, or the last one that the run does not pass through.
    pub sequence: Sequence<'a>,
    /// Bytes since the last checkpoint; none if there is to be none, as while the files are being repaired.
    unmarked: Option<u64>,
    /// Whether a match that was kept is not played any more.
    is_left: bool,
    /// The content that the files had.
    pub earlier: EarlierRun,
}

/// The records that an earlier run left.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EarlierRun {
    /// Finished matches that are taken over.
    pub resumed: u64,
    /// How many of them the run does not pass through again.
    pub passed: u64,
    /// How many of them failed, and in how many a move was replaced.
    pub failed: u64,
    /// See [`failed`](Self::failed).
    pub faulted: u64,
    /// How many others are played again, as was asked.
    pub dropped: u64,
    /// Bytes cut off because their record or match was incomplete.
    pub cut: u64,
    /// The damaged lines.
    pub damage: Vec<DamagedLine>,
    /// Files to which unreadable lines were moved.
    pub moved: Vec<PathBuf>,
}

/// The data that are recorded, and which finished matches are dropped and played again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Recording {
    /// The data that are recorded of every decision.
    pub log: DecisionLog,
    /// Drop those of which something is to be recorded that cannot be had again.
    pub discard: bool,
    /// Drop those in which another program could not be reached.
    pub again: bool,
}

/// One file, and what it holds of finished matches.
pub(super) struct Log {
    path: PathBuf,
    /// None before the invariant is restored, and where nothing is recorded.
    file: Option<File>,
    header: Vec<u8>,
    has_sums: bool,
    /// Whether there must be lines about every match.
    is_needed: bool,
    /// Where the matches before the first gap end, and the last of them.
    end: u64,
    last: Option<u64>,
    is_whole: bool,
    /// Good lines behind it: whether they are kept already, where they lie, and whether they are still wanted.
    behind: Vec<(bool, Range<u64>, bool)>,
}

/// Opens a file for appending.
fn append(path: &Path) -> Result<File, FileError> {
    FileError::at(path, OpenOptions::new().create(true).read(true).append(true).open(path))
}

impl Log {
    pub fn new(path: PathBuf, header: &RecordHeader, source: Option<&Source>, is_needed: bool) -> Log {
        let has_sums = source.is_none_or(Source::has_sums);
        let header = if has_sums { sealed(&header.line()) } else { header.line() };
        let end = source.map_or(0, Source::begins);
        let (file, last, is_whole, behind) = (None, None, end > 0, Vec::new());
        Log { path, file, header, has_sums, is_needed, end, last, is_whole, behind }
    }

    /// Its place at the end of the file, if something is recorded there and has checksums.
    fn mark(&self) -> Result<Option<Mark>, FileError> {
        let Some(mut file) = self.file.as_ref().filter(|_| self.has_sums) else { return Ok(None) };
        let mut sum = String::new();
        let read = file.seek(SeekFrom::End(-(SUM as i64)));
        let bytes = FileError::at(&self.path, read)? + SUM as u64;
        FileError::at(&self.path, file.read_to_string(&mut sum))?;
        Ok(Some(Mark { bytes, sum }))
    }

    /// Notes where the lines about the next finished match lie, which follows the one before if `follows`.
    pub fn note(&mut self, id: u64, found: Option<&FoundLines>, follows: bool, is_wanted: bool) {
        let Some(FoundLines { is_kept, range, .. }) = found else {
            self.is_whole &= !self.is_needed;
            return;
        };
        if range.is_empty() {
            return;
        }
        self.is_whole &= follows && !is_kept && range.start == self.end;
        if self.is_whole {
            (self.end, self.last) = (range.end, Some(id));
            return;
        }
        match self.behind.last_mut() {
            Some((kept, before, wanted))
                if (*kept, before.end, *wanted) == (*is_kept, range.start, is_wanted) =>
            {
                before.end = range.end;
            }
            _ => self.behind.push((*is_kept, range.clone(), is_wanted)),
        }
    }

    /// Restores the invariant. All that is behind the last finished match is cut off if `was_killed`: nothing is
    /// damaged, and no file has more there than an unfinished match. Returns how much was, and where damaged lines were
    /// moved.
    pub fn restore(
        &mut self,
        file: File,
        damage: &[DamagedLine],
        was_killed: bool,
    ) -> Result<(u64, Vec<PathBuf>), FileError> {
        let (path, mut moved) = (&self.path, Vec::new());
        if damage.iter().any(|line| line.path == kept(path)) {
            moved.push(FileError::at(path, move_aside(&kept(path), &[WHOLE]))?);
        }
        if self.behind.iter().any(|(is_kept, _, is_wanted)| is_kept != is_wanted) {
            self.keep()?;
        }
        let length = FileError::at(path, file.metadata())?.len();
        let (mut refused, mut reached) = (Vec::new(), self.end);
        for (_, range, _) in self.behind.iter().filter(|(is_kept, ..)| !is_kept) {
            refused.push(reached..range.start);
            reached = range.end;
        }
        let cut = if was_killed { length - reached } else { 0 };
        refused.push(reached + cut..length);
        refused.retain(|range| !range.is_empty());
        if !refused.is_empty() {
            moved.push(FileError::at(path, move_aside(path, &refused))?);
        }
        FileError::at(path, file.set_len(self.end))?;
        if self.end == 0 {
            FileError::at(path, (&file).write_all(&self.header))?;
        }
        self.file = Some(file);
        Ok((cut, moved))
    }

    /// Writes the lines that are still wanted to `FILE.kept`, which is always whole.
    fn keep(&self) -> Result<(), FileError> {
        let path = kept(&self.path);
        let draft = path.with_extension("part");
        let write = || {
            let mut to = File::create(&draft)?;
            to.write_all(&self.header)?;
            for (is_kept, range, _) in self.behind.iter().filter(|(_, _, is_wanted)| *is_wanted) {
                let mut from = File::open(if *is_kept { &path } else { &self.path })?;
                copy(&mut from, std::slice::from_ref(range), &mut to)?;
            }
            fs::rename(&draft, &path)
        };
        FileError::at(&draft, write())
    }

    /// Whether there are lines about one match only behind the last finished one; the last of them may be incomplete.
    pub fn is_unfinished(&self) -> Result<bool, FileError> {
        let (path, mut bytes) = (&self.path, Vec::new());
        let start = self.behind.iter().filter(|(is_kept, ..)| !is_kept).map(|(_, range, _)| range.end).max();
        let read = File::open(path).and_then(|mut from| {
            from.seek(SeekFrom::Start(start.unwrap_or(self.end)))?;
            from.take(MAX_LINE).read_to_end(&mut bytes)
        });
        FileError::at(path, read)?;
        let mut lines = bytes.split_inclusive(|&byte| byte == b'\n').filter(|line| line.ends_with(b"\n"));
        let of = |line: &[u8]| record(line, self.has_sums).map(|(id, _)| id);
        let first = lines.next().map(of);
        Ok((bytes.len() as u64) < MAX_LINE
            && first != Some(None)
            && lines.all(|line| Some(of(line)) == first))
    }

    /// Writes the lines about a match, unless they are there; returns how many bytes they are.
    pub fn write(&self, id: u64, lines: &[Vec<u8>]) -> Result<u64, FileError> {
        let Some(mut file) = self.file.as_ref().filter(|_| self.last.is_none_or(|last| id > last)) else {
            return Ok(0);
        };
        let bytes = if self.has_sums {
            lines.iter().map(|line| sealed(line)).collect::<Vec<_>>().concat()
        } else {
            lines.concat()
        };
        FileError::at(&self.path, file.write_all(&bytes)).map(|()| bytes.len() as u64)
    }

    /// Removes what was kept, which has been copied back; moves it aside if some of it has no use any more.
    pub fn end(&self, is_left: bool) -> Result<(), FileError> {
        let path = kept(&self.path);
        if is_left && path.exists() {
            FileError::at(&path, move_aside(&path, &[WHOLE]))?;
        }
        if path.exists() { FileError::at(&path, fs::remove_file(&path)) } else { Ok(()) }
    }
}

impl<'a> Journal<'a> {
    /// Opens the files of a shard, and finds the finished matches that are to be played again.
    ///
    /// # Errors
    /// If a header differs, another process holds the files, they cannot be read and written, or what is to be recorded
    /// of finished matches cannot be had again. Then nothing was changed.
    pub fn open(
        folder: &Path,
        plan: &'a ExperimentPlan,
        shard: Shard,
        recording: Recording,
    ) -> LabResult<Journal<'a>> {
        let files = KINDS.map(|kind| in_place(&shard.file(folder, kind)));
        if let Some(path) = files.into_iter().find(|path| is_packed(path)) {
            let what = format!("{}: it is compressed, and a run appends to it", path.display());
            return Err(LabError::other(what, "decompress it first, as `gunzip` does"));
        }
        let lock = locked(&shard.file(folder, KINDS[4]))?;
        let mut journal = Journal {
            folder: folder.to_owned(),
            plan,
            shard,
            recording,
            logs: Vec::new(),
            stored: stored_in(folder, plan, (shard, recording), false)?,
            sequence: Sequence::new(plan, shard),
            unmarked: None,
            next: None,
            asked: None,
            replaced: BTreeSet::new(),
            is_left: false,
            earlier: EarlierRun::default(),
        };
        journal.earlier = journal.restore(lock, !recording.discard && !recording.again, false)?;
        if let Some(last) = journal.logs[4].last {
            journal.mark(last, [0; 3])?;
        }
        Ok(journal)
    }

    /// Restores the invariant, with the matches that are played again or without them, and from the checkpoint on if
    /// that is enough; returns what was found.
    fn restore(&mut self, lock: File, is_recent: bool, drops: bool) -> LabResult<EarlierRun> {
        let (plan, Recording { log, discard, again }) = (self.plan, self.recording);
        let of = (self.shard, self.recording);
        let mut stored = stored_in(&self.folder, plan, of, is_recent)?;
        let mut earlier = EarlierRun::default();
        let new_log = |(kind, source): (&str, &Option<Source>)| {
            let header = RecordHeader::new(kind, &plan.hash(), plan.seed, self.shard);
            let is_needed = kind != KINDS[0] && log.records(kind);
            Log::new(self.shard.file(&self.folder, kind), &header, source.as_ref(), is_needed)
        };
        self.logs = KINDS.into_iter().zip(&stored.sources).map(new_log).collect();
        if let Some(Checkpoint { last, matches, failed, faulted, .. }) = stored.before {
            self.logs.iter_mut().for_each(|log| log.last = Some(last));
            earlier = EarlierRun { resumed: matches, failed, faulted, ..earlier };
        }
        self.replaced.clear();
        let mut follows = true;
        while let Some(finished) = stored.next()? {
            let id = finished.place.id;
            let has_beliefs = log < DecisionLog::Particles || finished.lines[2].is_some();
            let is_gone = plan.clocks.is_some() && !has_beliefs && !again;
            if is_gone && !discard {
                let what = format!(
                    "match {id} was played with clocks: what its players believed cannot be had again"
                );
                let remedy = "leave out --log particles, or replace such matches by new ones with --discard";
                return Err(LabError::other(what, remedy));
            }
            let is_replaced = is_gone || again && finished.was_unreachable();
            let stays = !(is_replaced && drops);
            follows &= stored.sequence.is_whole() && stays;
            let with_found = self.logs.iter_mut().zip(&stored.found);
            with_found.for_each(|(log, found)| log.note(id, found.as_ref(), follows, stays));
            if is_replaced {
                earlier.dropped += 1;
                self.replaced.extend(stays.then_some(id));
            } else {
                earlier.resumed += 1;
                earlier.failed += u64::from(finished.record.has_failed());
                earlier.faulted += u64::from(finished.record.has_faults());
            }
        }
        earlier.damage = stored.damage();
        let mut was_killed = earlier.damage.len() == usize::from(stored.ignored.is_some());
        let is_in_order =
            |of_kind: &Log| of_kind.behind.is_empty() && (of_kind.is_whole || !of_kind.is_needed);
        let is_whole = earlier.resumed == 0 || self.logs.iter().all(is_in_order);
        let is_done =
            was_killed && !drops && self.replaced.is_empty() && stored.sequence.is_whole() && is_whole;
        if stored.before.is_some() && !is_done {
            return self.restore(lock, false, drops);
        }
        for of_kind in self.logs.iter().filter(|of_kind| of_kind.path.exists()) {
            was_killed &= of_kind.is_unfinished()?;
        }
        if stored.before.is_none() {
            let path = self.shard.file(&self.folder, CHECKPOINT);
            FileError::at(&path, if path.exists() { fs::remove_file(&path) } else { Ok(()) })?;
        }
        // The file of the matches is the last: until it is restored, a repair that is killed is known as one.
        for (of_kind, kind) in self.logs.iter_mut().zip(KINDS) {
            if log.records(kind) || of_kind.path.exists() || kept(&of_kind.path).exists() {
                let own = if kind == KINDS[4] {
                    FileError::at(&of_kind.path, lock.try_clone())
                } else {
                    append(&of_kind.path)
                };
                let (torn, moved) = of_kind.restore(own?, &earlier.damage, was_killed)?;
                earlier.cut += torn;
                earlier.moved.extend(moved);
            }
        }
        let is_marked =
            |(of_kind, kind): (&Log, &str)| of_kind.has_sums && of_kind.file.is_some() == log.records(kind);
        let bytes = if stored.before.is_some() { 0 } else { self.logs.iter().map(|log| log.end).sum() };
        self.unmarked = (is_done && self.logs.iter().zip(KINDS).all(is_marked)).then_some(bytes);
        if is_done {
            (earlier.passed, self.sequence) = (earlier.resumed, stored.sequence.clone());
        } else {
            stored = stored_in(&self.folder, plan, of, false)?;
        }
        (self.stored, self.next) = (stored, None);
        Ok(earlier)
    }

    /// The finished match of this number, if there is one that is not played again; to be called in ascending order.
    pub(super) fn stored(&mut self, id: u64) -> LabResult<Option<FinishedMatch>> {
        let asked = self.asked.replace(id);
        loop {
            if self.next.is_none() {
                self.next = self.stored.next()?;
            }
            match &self.next {
                Some(next) if next.place.id < id => {
                    self.is_left |= asked.is_none_or(|asked| next.place.id > asked);
                    self.next = None;
                }
                Some(next) if next.place.id == id => {
                    return Ok(self.next.take().filter(|_| !self.replaced.contains(&id)));
                }
                _ => return Ok(None),
            }
        }
    }

    /// Writes the lines about one match; `made` are the matches that were not there before, those of them that failed, and
    /// those in which a move was replaced. Where it is the first one that was played again, all that are to be are dropped
    /// now: their lines and those of the new ones would else be taken for one another after a kill.
    ///
    /// # Errors
    /// The operating system's.
    pub(super) fn write(&mut self, id: u64, lines: &RecordLines, made: [u64; 3]) -> LabResult {
        if self.replaced.contains(&id) {
            let lock = self.logs.pop().and_then(|matches| matches.file).expect("the file is open");
            self.restore(lock, false, true)?;
        }
        let mut bytes = 0;
        for (log, lines) in self.logs.iter().zip(&lines.lines) {
            bytes += log.write(id, lines)?;
        }
        if let Some(place) = self.sequence.find(id) {
            self.sequence.feed(&place, lines.goals.as_deref());
        }
        self.unmarked = self.unmarked.map(|before| before + bytes);
        Ok(self.mark(id, made)?)
    }

    /// Writes a checkpoint behind the last match, if it is time.
    fn mark(&mut self, last: u64, [matches, failed, faulted]: [u64; 3]) -> Result<(), FileError> {
        // With a stopping rule or a player that learns it has about a hundred bytes a cell, so it is written less often.
        if self.unmarked < Some(EVERY + 1024 * self.plan.cells.len() as u64) {
            return Ok(());
        }
        self.unmarked = Some(0);
        let checkpoint = Checkpoint {
            last,
            matches: self.earlier.resumed + matches,
            failed: self.earlier.failed + failed,
            faulted: self.earlier.faulted + faulted,
            marks: self.logs.iter().map(Log::mark).collect::<Result<_, _>>()?,
            at: self.sequence.at.clone(),
        };
        let header = RecordHeader::new(CHECKPOINT, &self.plan.hash(), self.plan.seed, self.shard);
        checkpoint.write(&self.shard.file(&self.folder, CHECKPOINT), &header)
    }

    /// Ends a repair, after the last match of the shard was written: the kept lines have been copied back. Matches that
    /// are not played any more, because a rule now stops a cell earlier, are moved aside.
    pub(super) fn end(&mut self) -> LabResult {
        self.stored(u64::MAX)?;
        Ok(self.logs.iter().try_for_each(|log| log.end(self.is_left))?)
    }
}

/// The content of the files of a shard.
fn stored_in<'a>(
    folder: &Path,
    plan: &'a ExperimentPlan,
    (shard, recording): (Shard, Recording),
    is_recent: bool,
) -> LabResult<StoredMatches<'a>> {
    let (path, hash) = (|kind: &str| shard.file(folder, kind), plan.hash());
    let of = (hash.as_str(), shard, recording.log < DecisionLog::Turns);
    StoredMatches::open(plan, of, (DecisionLog::Particles, is_recent), &path)
}
