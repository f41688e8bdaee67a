//! Merge: all shards as one `matches.jsonl` and, unless turns are left out, one `turns.jsonl`, byte for byte what one run
//! without shards writes.
//!
//! The files appear under their names only when they are complete, and no file of an earlier merge stays beside them.
//! `timings.jsonl` is merged beside them where the shards have timings; it is no part of the result. So are
//! `positions.jsonl` and `particles.jsonl`, where every match has them; where only some have, they are named.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::decision_log::DecisionLog;
use super::folder::{Planned, division};
use super::results::{MissingMatches, Results};
use super::stored::KINDS;
use hyperplay_lab::records::{DamagedLine, Record, RecordHeader};
use hyperplay_lab::shards::{Shard, sealed};
use hyperplay_lab::{LabError, LabResult};
use hyperplay_play::files::{FileContent, FileError, PartFile, WrittenFile};

/// The result of a merge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Merged {
    /// How many matches there are, if they are all there; else no file was written.
    pub matches: Option<u64>,
    /// The missing matches.
    pub missing: Vec<MissingMatches>,
    /// The lines that cannot be read.
    pub damage: Vec<DamagedLine>,
    /// The kinds of files that were not made, because only some of the matches have such records.
    pub left_out: Vec<&'static str>,
    /// New names of files of an earlier merge that were not made again.
    pub former: Vec<PathBuf>,
}

/// Merges the shards in a folder. Files of an earlier merge that are not made again, because this one fails or has no
/// such records, are renamed: they do not belong to these shards.
///
/// # Errors
/// If they do not belong together, or files cannot be read or written.
pub fn merge(folder: &Path, planned: &Planned) -> LabResult<Merged> {
    // Where there are no shards, the merged files are the records.
    let has_shards = matches!(division(folder), Ok(_) | Err(LabError::Other { .. }));
    let mut written = Vec::new();
    let merged = merge_shards(folder, planned, &mut written);
    let mut former = Vec::new();
    for kind in KINDS.into_iter().filter(|kind| has_shards && !written.contains(kind)) {
        let path = folder.join(format!("{kind}.jsonl"));
        if path.exists() {
            let mut names = (1_u64..).map(|number| path.with_added_extension(format!("former{number}")));
            let name = names.find(|name| !name.exists()).expect("a folder is finite");
            FileError::at(&path, fs::rename(&path, &name))?;
            former.push(name);
        }
    }
    merged.map(|merged| Merged { former, ..merged })
}

fn merge_shards(folder: &Path, planned: &Planned, written: &mut Vec<&'static str>) -> LabResult<Merged> {
    let mut results = Results::open_with(folder, planned, DecisionLog::Particles)?;
    let path = |kind: &str| folder.join(format!("{kind}.jsonl"));
    let write = |(draft, kind): (&mut PartFile, &str), line: &[u8]| {
        FileError::at(&path(kind), draft.write_all(&sealed(line)))
    };
    let begin = |kind: &str| {
        let header = RecordHeader::new(kind, &planned.config, planned.plan.seed, Shard::WHOLE);
        // An earlier merge gives way, whatever has become of its files.
        let mut draft = WrittenFile::at(&path(kind), FileContent::beginning("record", ""))?.begin()?;
        write((&mut draft, kind), &header.line()).map(|()| draft)
    };
    let mut drafts: Vec<Option<PartFile>> = Vec::new();
    for kind in KINDS {
        let is_left_out = planned.without_turns && ["timings", "turns"].contains(&kind);
        drafts.push((!is_left_out).then(|| begin(kind)).transpose()?);
    }
    let (mut count, mut begun) = (0, [false; KINDS.len()]);
    while let Some(finished) = results.next()? {
        for (begun, lines) in begun.iter_mut().zip(&finished.lines) {
            *begun |= lines.is_some();
        }
        for ((draft, lines), kind) in drafts.iter_mut().zip(&finished.lines).zip(KINDS) {
            match (&mut *draft, lines) {
                (Some(draft), Some(lines)) => {
                    lines.iter().try_for_each(|line| write((&mut *draft, kind), line))?
                }
                (_, None) if kind == "timings" => {}
                // Given up at the first match that has none.
                _ => *draft = None,
            }
        }
        count += 1;
    }
    let (missing, damage) = (results.missing(), results.damage());
    let matches = missing.is_empty().then_some(count);
    for (draft, kind) in drafts.into_iter().zip(KINDS).filter(|_| matches.is_some()) {
        if let Some(draft) = draft {
            draft.finish()?;
            written.push(kind);
        }
    }
    let is_left_out = |(kind, begun): &(&str, bool)| *begun && matches.is_some() && !written.contains(kind);
    let left_out = KINDS.into_iter().zip(begun).filter(is_left_out).map(|(kind, _)| kind).collect();
    Ok(Merged { matches, missing, damage, left_out, former: Vec::new() })
}
