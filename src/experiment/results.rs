//! Results: the matches in a folder, in the order of their numbers, however many shards they came from.
//!
//! The shards are read side by side, each as its files are ([`stored`](super::stored)). A match counts when all its
//! turns are there. The missing matches and the damaged lines are known at the end. The reader keeps one match of each
//! shard in memory. Positions and particles are read only on request, because they are large, and a match may have
//! none.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::fmt;
use std::path::Path;

use serde::{Serialize, Serializer};

use super::decision_log::DecisionLog;
use super::folder::{Planned, division};
use super::plan::ExperimentPlan;
use super::sequence::NextMatch;
use super::stored::{FinishedMatch, StoredMatches};
use hyperplay_lab::records::{DamagedLine, Source, in_place};
use hyperplay_lab::shards::Shard;
use hyperplay_lab::{LabError, LabResult};
use hyperplay_machine::counted;

/// The parts that a shard lacks.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MissingMatches {
    /// Which.
    #[serde(serialize_with = "as_shown")]
    pub shard: Shard,
    /// Complete matches that are there; `None` if there is no file.
    pub matches: Option<u64>,
    /// Matches that there should be, or fewer if a rule stops cells.
    pub of: u64,
}

fn as_shown<S: Serializer>(shard: &Shard, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(shard)
}

impl fmt::Display for MissingMatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shard, of) = (self.shard, counted(self.of, "match"));
        match self.matches {
            None => write!(f, "shard {shard}: no file ({of})"),
            Some(matches) => write!(f, "shard {shard}: {matches} of {of}"),
        }
    }
}

/// The matches in a folder.
pub struct Results<'a> {
    plan: &'a ExperimentPlan,
    parts: Vec<StoredMatches<'a>>,
    /// The match of each part that is next.
    next: Vec<Option<FinishedMatch>>,
    absent: Vec<Shard>,
    heap: BinaryHeap<Reverse<(u64, usize)>>,
}

impl<'a> Results<'a> {
    /// Opens the shards of a folder; if there are none, what was merged.
    ///
    /// # Errors
    /// If there is nothing, or it does not belong together.
    pub fn open(folder: &Path, planned: &'a Planned) -> LabResult<Results<'a>> {
        Results::open_with(folder, planned, DecisionLog::Turns)
    }

    /// How many matches there are, and how many of them failed; if `is_recent`, only what lies behind the last checkpoint
    /// of each shard is read, unless it is damaged. With the results it is known what is missing, and what is damaged in
    /// any of the files.
    ///
    /// # Errors
    /// If there is nothing, it does not belong together, or a file cannot be read.
    pub fn counted(folder: &Path, planned: &'a Planned, is_recent: bool) -> LabResult<(Self, u64, u64)> {
        let mut results = Self::open_by(folder, planned, (DecisionLog::Particles, is_recent))?;
        let before = |part: &StoredMatches<'_>| part.before.as_ref().map_or(0, |before| before.failed);
        let mut failed = results.parts.iter().map(before).sum();
        while let Some(finished) = results.next()? {
            failed += u64::from(finished.record.has_failed());
        }
        // The numbers of damaged lines are known to who reads all of them.
        if results.parts.iter().any(|part| part.before.is_some() && !part.damage().is_empty()) {
            return Self::counted(folder, planned, false);
        }
        let count = results.parts.iter().map(|part| part.count).sum();
        Ok((results, count, failed))
    }

    /// The same, with what else was recorded of the decisions.
    ///
    /// # Errors
    /// As [`open`](Results::open).
    pub fn open_with(folder: &Path, planned: &'a Planned, log: DecisionLog) -> LabResult<Results<'a>> {
        Results::open_by(folder, planned, (log, false))
    }

    fn open_by(folder: &Path, planned: &'a Planned, log: (DecisionLog, bool)) -> LabResult<Results<'a>> {
        let plan = &planned.plan;
        let (count, merged) = match division(folder) {
            Ok(count) => (count, false),
            Err(LabError::NoMatches(_)) if in_place(&folder.join("matches.jsonl")).is_file() => (1, true),
            Err(error) => return Err(error),
        };
        let (mut parts, mut absent) = (Vec::new(), Vec::new());
        for shard in Shard::all(count) {
            let path = |kind: &str| {
                if merged { folder.join(format!("{kind}.jsonl")) } else { shard.file(folder, kind) }
            };
            let part =
                StoredMatches::open(plan, (&planned.config, shard, planned.without_turns), log, &path)?;
            let [.., turns, matches] = &part.sources;
            match (turns, matches) {
                (turns, Some(_)) if turns.is_some() || planned.without_turns => parts.push(part),
                _ => absent.push(shard),
            }
        }
        let next = vec![None; parts.len()];
        let mut results = Results { plan, parts, next, absent, heap: BinaryHeap::new() };
        for part in 0..results.parts.len() {
            results.advance(part)?;
        }
        Ok(results)
    }

    /// Those of a folder in which no match was played yet.
    pub fn none(planned: &'a Planned) -> Results<'a> {
        let absent = Shard::all(1).collect();
        let (parts, next, heap) = (Vec::new(), Vec::new(), BinaryHeap::new());
        Results { plan: &planned.plan, parts, next, absent, heap }
    }

    /// The same without the matches of other shards.
    #[must_use]
    pub fn only(mut self, shard: Shard) -> Self {
        self.heap.retain(|Reverse((_, part))| self.parts[*part].shard == shard);
        self
    }

    fn advance(&mut self, part: usize) -> LabResult {
        self.next[part] = self.parts[part].next()?;
        if let Some(next) = &self.next[part] {
            self.heap.push(Reverse((next.place.id, part)));
        }
        Ok(())
    }

    /// The next match; none at the end.
    ///
    /// # Errors
    /// If a file cannot be read or is not what the plan says.
    #[allow(clippy::should_implement_trait, reason = "a reader may fail")]
    pub fn next(&mut self) -> LabResult<Option<FinishedMatch>> {
        let Some(Reverse((_, part))) = self.heap.pop() else { return Ok(None) };
        let result = self.next[part].take();
        self.advance(part)?;
        Ok(result)
    }

    /// The versions of the program that played them, as far as they are known.
    pub(super) fn versions(&self) -> impl Iterator<Item = &str> {
        let files = self.parts.iter().filter_map(|part| part.sources[4].as_ref());
        files.map(Source::version).filter(|version| !version.is_empty())
    }

    /// How many matches each shard has, after the last [`next`](Results::next), and which of them lack some.
    pub fn missing(&mut self) -> Vec<MissingMatches> {
        let absent = self.absent.iter();
        let absent =
            absent.map(|&shard| MissingMatches { shard, matches: None, of: self.plan.matches_of(shard) });
        let mut missing: Vec<MissingMatches> = absent.filter(|missing| missing.of > 0).collect();
        for part in &mut self.parts {
            if !part.sequence.is_whole() || part.sequence.next() != NextMatch::End {
                let of = self.plan.matches_of(part.shard);
                missing.push(MissingMatches { shard: part.shard, matches: Some(part.count), of });
            }
        }
        missing.sort_by_key(|missing| missing.shard);
        missing
    }

    /// How many matches were read of each shard so far.
    pub fn counts(&self) -> BTreeMap<Shard, u64> {
        let parts = self.parts.iter().map(|part| (part.shard, part.count));
        parts.chain(self.absent.iter().map(|&shard| (shard, 0))).collect()
    }

    /// The lines that cannot be read, after the last [`next`](Results::next).
    pub fn damage(&self) -> Vec<DamagedLine> {
        self.parts.iter().flat_map(StoredMatches::damage).collect()
    }
}
