//! Merge: all shards as one `matches.jsonl` and one `turns.jsonl`, byte for byte what one run without shards writes.
//!
//! The files appear under their names only when they are complete. `timings.jsonl` is merged beside them where the shards
//! have timings; it is no part of the result. So are `positions.jsonl` and `particles.jsonl`, where every match has them.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use super::decision_log::DecisionLog;
use super::folder::{FolderError, Planned};
use super::record::RecordHeader;
use super::results::{MissingMatches, Results, ResultsError};
use super::shard::Shard;

/// What a merge made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Merged {
    /// All matches are there; their number.
    Whole(u64),
    /// These matches are missing, and no file was written.
    Missing(Vec<MissingMatches>),
}

/// A file that gets its name when it is complete.
struct Draft {
    path: PathBuf,
    draft: PathBuf,
    writer: BufWriter<File>,
}

impl Draft {
    fn create(folder: &Path, kind: &str, planned: &Planned) -> Result<Draft, ResultsError> {
        let path = folder.join(format!("{kind}.jsonl"));
        let draft = folder.join(format!(".{kind}.jsonl.{}", std::process::id()));
        let file = File::create(&draft).map_err(|cause| failed(&draft, cause))?;
        let mut draft = Draft { path, draft, writer: BufWriter::new(file) };
        let header = RecordHeader::new(kind, &planned.config, planned.plan.seed, Shard::WHOLE);
        let mut line = serde_json::to_vec(&header).expect("a header is plain data");
        line.push(b'\n');
        draft.write(&line)?;
        Ok(draft)
    }

    fn write(&mut self, line: &[u8]) -> Result<(), ResultsError> {
        self.writer.write_all(line).map_err(|cause| failed(&self.draft, cause))
    }

    fn keep(mut self) -> Result<(), ResultsError> {
        self.writer.flush().map_err(|cause| failed(&self.draft, cause))?;
        fs::rename(&self.draft, &self.path).map_err(|cause| failed(&self.path, cause))
    }

    fn drop(self) {
        // Left behind if it cannot be removed; it has no name that anything reads.
        let _ = fs::remove_file(&self.draft);
    }
}

fn failed(path: &Path, cause: io::Error) -> ResultsError {
    ResultsError::Folder(FolderError::File { path: path.to_owned(), cause })
}

/// Merges the shards in a folder.
///
/// # Errors
/// If they do not belong together, or files cannot be read or written.
pub fn merge(folder: &Path, planned: &Planned) -> Result<Merged, ResultsError> {
    let mut results = Results::open_with(folder, planned, DecisionLog::Particles)?;
    let create = |kind| Draft::create(folder, kind, planned);
    let [mut matches, mut turns, mut timings] = [create("matches")?, create("turns")?, create("timings")?];
    // Given up at the first match that has none.
    let mut details = [Some(create("positions")?), Some(create("particles")?)];
    let mut copy = || -> Result<(u64, Vec<MissingMatches>), ResultsError> {
        let mut count = 0;
        while let Some(finished) = results.next()? {
            matches.write(&finished.line)?;
            finished.turns.iter().try_for_each(|line| turns.write(line))?;
            if let Some(timing) = &finished.timing {
                timings.write(timing)?;
            }
            for (draft, lines) in details.iter_mut().zip(&finished.details) {
                match (&mut *draft, lines) {
                    (Some(draft), Some(lines)) => lines.iter().try_for_each(|line| draft.write(line))?,
                    _ => draft.take().into_iter().for_each(Draft::drop),
                }
            }
            count += 1;
        }
        Ok((count, results.missing()))
    };
    match copy() {
        Ok((count, missing)) if missing.is_empty() => {
            details.into_iter().flatten().try_for_each(Draft::keep)?;
            turns.keep()?;
            timings.keep()?;
            matches.keep()?;
            Ok(Merged::Whole(count))
        }
        other => {
            [matches, turns, timings].into_iter().chain(details.into_iter().flatten()).for_each(Draft::drop);
            other.map(|(_, missing)| Merged::Missing(missing))
        }
    }
}
