//! Blocks: what a study has measured, and what another run of it takes up.
//!
//! A *block* is the rows of one sampler with one number of particles, on one match, for one role, against one posterior. Its key
//! is the hash of all that determines them. Invariant: a block depends on nothing else that a study measures. So a run
//! takes every block that is there, whichever shard, earlier run or other folder has it, and measures only those that are missing.
//!
//! Each shard appends to a file of its own, `blocks.1-of-4.jsonl`: a line for each block, with a checksum as in the files of an
//! experiment. A line that cannot be read stays where it is, and its block is measured again.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::game::SCHEMA;
use super::row::StudyRow;
use super::truth::TruthPoint;
use crate::failure::LabResult;
use crate::shards::{Shard, of_shard, sealed, unsealed};
use hyperplay_play::files::{EarlierRecords, FileContent, FileError, RecordFile};

/// The name of the files, before that of the shard.
const BLOCKS: &str = "blocks";

/// What was measured of one sampler on one match, for one role.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Block {
    pub rows: Vec<StudyRow>,
    pub truths: Vec<TruthPoint>,
    /// Why the posterior is not exact up to the end, if it is not.
    pub left_out: Option<String>,
    /// The steps of the match.
    pub length: usize,
}

/// A line of a file.
#[derive(Serialize, Deserialize)]
struct BlockLine {
    block: String,
    #[serde(flatten)]
    content: Block,
}

/// The blocks that are known, and where new ones are kept; in memory alone by default.
#[derive(Default)]
pub struct Blocks {
    /// With whether it is in the folder of the study.
    found: HashMap<String, (Block, bool)>,
    file: Option<RecordFile>,
    shard: Option<Shard>,
    /// Where the particle sets are kept, if they are.
    particles: Option<PathBuf>,
    failed: Option<FileError>,
    /// Lines that could not be read.
    pub damaged: usize,
    /// How many blocks this run has measured.
    pub measured: usize,
}

impl Blocks {
    /// The blocks in a folder, and in others from which they may be taken; new ones are appended to the file of this shard.
    ///
    /// # Errors
    /// If a file cannot be read or written, or another process writes to it.
    pub fn open(folder: &Path, shard: Shard, reuse: &[PathBuf]) -> LabResult<Blocks> {
        let mut blocks = Blocks { shard: Some(shard), ..Blocks::default() };
        let path = shard.file(folder, BLOCKS);
        let content = FileContent::records(SCHEMA);
        let mut file = of_shard(RecordFile::open(&path, &content, EarlierRecords::Kept))?;
        if FileError::at(&path, fs::metadata(&path))?.len() == 0 {
            file.line(&json!({ "schema": SCHEMA }).to_string())?;
        }
        blocks.damaged = usize::from(file.repair().is_some());
        blocks.read(folder, true)?;
        blocks.file = Some(file);
        reuse.iter().try_for_each(|other| blocks.read(other, false))?;
        Ok(blocks)
    }

    /// The same with a folder for the particle sets, if they are asked for or this study has one: a block whose sets are not
    /// there is measured again.
    ///
    /// # Errors
    /// If the folder cannot be made.
    pub fn with_particles(self, folder: &Path, are_asked_for: bool) -> Result<Blocks, FileError> {
        let particles = folder.join("particles");
        if !are_asked_for && !particles.is_dir() {
            return Ok(self);
        }
        FileError::at(&particles, fs::create_dir_all(&particles))?;
        Ok(Blocks { particles: Some(particles), ..self })
    }

    /// Looks again at all blocks in the folder of the study: those of this run, and those that other shards have by now. What was
    /// taken can be taken again.
    ///
    /// # Errors
    /// If a file cannot be read, or a block could not be written.
    pub fn look_again(&mut self, folder: &Path) -> Result<(), FileError> {
        self.failed.take().map_or(Ok(()), Err)?;
        self.found.clear();
        self.read(folder, true)
    }

    /// The file for the particle sets of a block, if they are kept.
    pub(super) fn particles(&self, key: &str) -> Option<PathBuf> {
        self.particles
            .as_ref()
            .map(|folder| folder.join(format!("{}.parquet", key.trim_start_matches("sha256:"))))
    }

    /// Whether a folder has blocks.
    pub fn are_in(folder: &Path) -> bool {
        files_of(folder).is_ok_and(|files| !files.is_empty())
    }

    /// Reads all blocks of a folder: that of the study or another one.
    fn read(&mut self, folder: &Path, is_own: bool) -> Result<(), FileError> {
        for path in FileError::at(folder, files_of(folder))? {
            let mut reader = BufReader::new(FileError::at(&path, File::open(&path))?);
            let mut line = Vec::new();
            while FileError::at(&path, reader.read_until(b'\n', &mut line))? > 0 {
                let is_header = line.starts_with(b"{\"schema\"");
                match unsealed(&line).and_then(|line| serde_json::from_slice::<BlockLine>(&line).ok()) {
                    // What was measured again stands behind what was before.
                    Some(BlockLine { block, content }) if is_own || !self.found.contains_key(&block) => {
                        self.found.insert(block, (content, is_own));
                    }
                    Some(_) => {}
                    None => self.damaged += usize::from(!is_header),
                }
                line.clear();
            }
        }
        Ok(())
    }

    /// Whether this run measures what is missing of the matches of this number.
    pub(super) fn has(&self, number: usize) -> bool {
        self.shard.is_none_or(|shard| number as u64 % shard.count + 1 == shard.index)
    }

    /// A block that is known; one of another folder comes into that of the study.
    pub(super) fn take(&mut self, key: &str) -> Option<Block> {
        let is_whole = |file: PathBuf| fs::metadata(file).is_ok_and(|file| file.len() > 0);
        let (block, is_own) = self.found.remove(key)?;
        (block.rows.is_empty() || self.particles(key).is_none_or(is_whole)).then_some(())?;
        if !is_own {
            self.write(key, &block);
        }
        Some(block)
    }

    /// Keeps a block that was measured; false if it cannot be written.
    pub(super) fn keep(&mut self, key: &str, block: &Block) -> bool {
        self.measured += 1;
        self.write(key, block)
    }

    fn write(&mut self, key: &str, block: &Block) -> bool {
        let Some(file) = &mut self.file else { return true };
        let line = BlockLine { block: key.to_owned(), content: block.clone() };
        let line = serde_json::to_string(&line).expect("a block is plain data") + "\n";
        let line = String::from_utf8(sealed(line.as_bytes())).expect("a line is text");
        let written = file.line(line.trim_end());
        written.map_or_else(|error| self.fail(error), |()| true)
    }

    /// Remembers the first error of writing; false.
    pub(super) fn fail(&mut self, error: FileError) -> bool {
        self.failed.get_or_insert(error);
        false
    }

    /// The first error of writing.
    ///
    /// # Errors
    /// If there was one.
    pub fn finish(self) -> Result<(), FileError> {
        self.failed.map_or(Ok(()), Err)
    }
}

/// The files with blocks in a folder, in the order of their names.
fn files_of(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let is_one = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| Shard::of_file(name, BLOCKS).is_some())
    };
    let entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut files: Vec<PathBuf> = entries.collect::<std::io::Result<_>>()?;
    files.retain(is_one);
    files.sort();
    Ok(files)
}
