//! Checkpoint: up to where the files of a shard are whole, and what is known of the matches there, so that whoever
//! continues the shard or counts its matches reads only what lies behind.
//!
//! A run writes one after [`EVERY`] bytes of records, or more where there are many cells, as
//! `checkpoint.K-of-N.jsonl`: a header, and one line with a checksum. It says nothing that the files do not say, and
//! nothing waits for the disk. It is used only if all agrees: the header, that each file is as long, and that the
//! checksum of the last line before it is the one noted. Else it is ignored, which is said, and the files are read from
//! the beginning.
//!
//! Damage before a checkpoint is found by commands that read everything. They call [`forget_checkpoints`], so the next
//! run reads everything too and repairs the files.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::sequence::SequencePosition;
use hyperplay_lab::records::{DamagedLine, Mark, Record, RecordHeader};
use hyperplay_lab::shards::{sealed, unsealed};
use hyperplay_play::files::{FileContent, FileError, WrittenFile};

/// The kind of the file.
pub(super) const CHECKPOINT: &str = "checkpoint";

/// The bytes of records between two checkpoints: what is read behind one takes a tenth of a second.
pub(super) const EVERY: u64 = 1 << 22;

/// What is known of the matches before it.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Checkpoint {
    /// The number of the last of them.
    pub last: u64,
    /// How many they are.
    pub matches: u64,
    /// How many of them failed, and in how many a move was replaced.
    pub failed: u64,
    /// See [`failed`](Self::failed).
    pub faulted: u64,
    /// By kind of file, where their lines end; none where nothing is recorded.
    pub marks: Vec<Option<Mark>>,
    /// Where the sequence of matches stands.
    pub at: SequencePosition,
}

impl Record for Checkpoint {}

impl Checkpoint {
    /// The checkpoint at a path, if there is one; `Some(None)` if it is not what belongs there.
    pub fn read(path: &Path, header: &RecordHeader) -> Option<Option<Checkpoint>> {
        let text = fs::read(path).ok()?;
        let mut lines = text.split_inclusive(|&byte| byte == b'\n').map_while(unsealed);
        let head = lines.next().and_then(|line| RecordHeader::read(&line).ok());
        let is_own = head.is_some_and(|found| header.difference(&found).is_none());
        Some(lines.next().filter(|_| is_own).and_then(|line| <Checkpoint as Record>::read(&line).ok()))
    }

    /// Writes it to a path, where it replaces the one before.
    pub fn write(&self, path: &Path, header: &RecordHeader) -> Result<(), FileError> {
        let file = WrittenFile::at(path, FileContent::records(&header.schema))?;
        file.text([sealed(&header.line()), sealed(&self.line())].concat())
    }
}

/// Removes the checkpoints of the shards in which lines are damaged, as far as the folders can be written to.
pub fn forget_checkpoints(damage: &[DamagedLine]) {
    for DamagedLine { path, .. } in damage {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if let Some((_, of_shard)) = name.split_once('.') {
            // Where it stays, the next run may not notice the damage; whoever reads everything names it again.
            let _ = fs::remove_file(path.with_file_name(format!("{CHECKPOINT}.{of_shard}")));
        }
    }
}
