//! Stored matches: the finished matches in the files of one shard, in the order of their numbers.
//!
//! A match is finished if its line and the lines of all its turns can be read; where the experiment leaves out turns, its
//! line is enough. All else in the files is passed over, and damaged lines are noted. Timings, positions and particles
//! may be there or not. One match is in memory at a time.

use std::path::PathBuf;

use super::checkpoint::{CHECKPOINT, Checkpoint};
use super::decision_log::DecisionLog;
use super::plan::{ExperimentPlan, MatchPlace};
use super::sequence::Sequence;
use hyperplay_lab::LabResult;
use hyperplay_lab::records::{
    DamagedLine, FoundLines, MatchRecord, Record, RecordHeader, Source, TimingRecord, TurnRecord, in_place,
    is_packed,
};
use hyperplay_lab::shards::Shard;

/// The kinds of files, in the order in which a match is written to them: its own line is the last.
pub(super) const KINDS: [&str; 5] = ["timings", "positions", "particles", "turns", "matches"];

/// The kind of fault whose matches can be played again.
pub const UNREACHABLE: &str = "unreachable";

/// One match with all its lines, which have no checksums here.
#[derive(Clone, PartialEq, Debug)]
pub struct FinishedMatch {
    /// Which.
    pub place: MatchPlace,
    /// Its record.
    pub record: MatchRecord,
    /// By kind of file, in the order in which they are written; `None` if they were not recorded or not asked for.
    pub lines: [Option<Vec<Vec<u8>>>; KINDS.len()],
}

impl FinishedMatch {
    /// The lines of its turns.
    pub fn turns(&self) -> &[Vec<u8>] {
        self.lines[3].as_deref().unwrap_or_default()
    }

    /// Its timing, if it can be read.
    pub fn timing(&self) -> Option<TimingRecord> {
        let timing = TimingRecord::read(self.lines[0].as_ref()?.first()?).ok()?;
        (timing.id == self.place.id).then_some(timing)
    }

    /// Whether a move was replaced because another program could not be reached, or may have been, without its turns.
    pub fn was_unreachable(&self) -> bool {
        let mut turns = self.turns().iter().filter_map(|line| TurnRecord::read(line).ok());
        let is_named = |turn: TurnRecord| turn.fault.as_deref() == Some(UNREACHABLE);
        self.record.has_faults() && (self.lines[3].is_none() || turns.any(is_named))
    }

    /// The goals by played role, if it ended with goals.
    pub(super) fn goals(&self) -> Option<Vec<u8>> {
        let goals: Vec<u8> = self.record.goals.values().copied().collect();
        (!goals.is_empty()).then_some(goals)
    }
}

/// The files of a shard while they are read.
pub(super) struct StoredMatches<'a> {
    pub shard: Shard,
    plan: &'a ExperimentPlan,
    without_turns: bool,
    /// The matches that the shard plays; it stands behind the last match.
    pub sequence: Sequence<'a>,
    /// By kind; none where there is no file.
    pub sources: [Option<Source>; KINDS.len()],
    /// By kind, where the lines of the last match lie.
    pub found: [Option<FoundLines>; KINDS.len()],
    /// Matches read, and those before the checkpoint.
    pub count: u64,
    /// The checkpoint behind which reading began.
    pub before: Option<Checkpoint>,
    /// A checkpoint that was not used.
    pub ignored: Option<DamagedLine>,
}

impl<'a> StoredMatches<'a> {
    /// Opens the files of a shard, with positions and particles if `log` asks for them. A match needs no turns if these
    /// are left out. If `is_recent`, reading begins behind the checkpoint of the shard, unless there is none. If it does
    /// not agree with the files it is not used, and is among the damage.
    pub fn open(
        plan: &'a ExperimentPlan,
        of: (&str, Shard, bool),
        (log, is_recent): (DecisionLog, bool),
        path: &dyn Fn(&str) -> PathBuf,
    ) -> LabResult<StoredMatches<'a>> {
        let (config, shard, without_turns) = of;
        let header = |kind: &str| RecordHeader::new(kind, config, plan.seed, shard);
        let is_plain = || !KINDS.into_iter().any(|kind| is_packed(&in_place(&path(kind))));
        // While a run writes, a match that is seen has been written with all that belongs to it, and all that is before a
        // checkpoint was written before it.
        let checkpoint = if is_recent && is_plain() {
            Checkpoint::read(&path(CHECKPOINT), &header(CHECKPOINT))
        } else {
            None
        };
        let mut sources = [const { None }; KINDS.len()];
        for (source, kind) in sources.iter_mut().zip(KINDS).rev() {
            if log.max(DecisionLog::Turns).records(kind) {
                *source = Source::open(path(kind), &header(kind))?;
            }
        }
        let (sequence, found) = (Sequence::new(plan, shard), [const { None }; KINDS.len()]);
        let (count, before, ignored) = (0, None, None);
        let mut stored =
            StoredMatches { shard, plan, without_turns, sequence, sources, found, count, before, ignored };
        let Some(checkpoint) = checkpoint else { return Ok(stored) };
        let agrees = |checkpoint: &Checkpoint| {
            let kinds = stored.sources.iter_mut().zip(&checkpoint.marks).zip(KINDS);
            { kinds }.all(|((source, mark), kind)| match source {
                Some(source) => source.resume(mark.as_ref()),
                None => mark.is_none() || path(kind).exists(),
            })
        };
        let Some(before) = checkpoint.filter(agrees) else {
            let what = "it does not agree with the files, and is not used";
            let ignored = Some(DamagedLine { path: path(CHECKPOINT), number: 1, what });
            return Ok(StoredMatches { ignored, ..StoredMatches::open(plan, of, (log, false), path)? });
        };
        (stored.count, stored.sequence) = (before.matches, Sequence::at(plan, shard, before.at.clone()));
        Ok(StoredMatches { before: Some(before), ..stored })
    }

    /// The next finished match.
    pub fn next(&mut self) -> LabResult<Option<FinishedMatch>> {
        let [rest @ .., matches] = &mut self.sources;
        let Some(matches) = matches else { return Ok(None) };
        while let Some(id) = matches.peek()? {
            let Some(of_match) = matches.of(id, 1)? else { continue };
            let record = MatchRecord::read(&of_match.lines[0]).ok();
            let Some(record) = record.filter(|record| self.plan.id_of(record) == Some(id)) else {
                matches.refuse(&of_match, "it is no match of the plan");
                continue;
            };
            for (kind, source) in rest.iter_mut().enumerate() {
                let count = if kind == 0 { 1 } else { record.turns };
                self.found[kind] = source.as_mut().map_or(Ok(None), |source| source.of(id, count))?;
            }
            let has_turns = self.without_turns || self.found[3].is_some();
            let Some(place) = has_turns.then(|| self.sequence.find(id)).flatten() else {
                matches.refuse(&of_match, "it has not all its turns, or not its place among the matches");
                continue;
            };
            self.found[4] = Some(of_match);
            let lines = self.found.each_mut().map(|found| Some(std::mem::take(&mut found.as_mut()?.lines)));
            let finished = FinishedMatch { place, record, lines };
            self.sequence.feed(&place, finished.goals().as_deref());
            self.count += 1;
            return Ok(Some(finished));
        }
        Ok(None)
    }

    /// The damaged lines found so far.
    pub fn damage(&self) -> Vec<DamagedLine> {
        self.ignored.iter().chain(self.sources.iter().flatten().flat_map(Source::damage)).cloned().collect()
    }
}
