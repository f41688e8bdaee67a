//! Again: matches in which another program could not be reached are played again, in the place of what was recorded.
//!
//! The shard is written anew in a folder of its own beside its files: what is kept is copied, line by line, and the others are
//! played. The new files take the place of the old ones when all of them are whole. A run that ends before leaves the old files
//! as they are, and the next one goes on with the new ones; one that ends while they are moved is finished by the next run.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::arena::Arena;
use super::config::OnFault;
use super::folder::{FolderError, Planned};
use super::journal::Journal;
use super::results::Results;
use super::run::{RunEnd, RunError, RunTask, UNREACHABLE, run};
use super::sequence::Sequence;
use super::shard::Shard;
use hyperplay_play::referee::Interrupt;

/// Where a shard is written anew, and the name that this folder gets when it is whole.
fn places(folder: &Path, shard: Shard) -> [PathBuf; 2] {
    [folder.join(format!(".again.{shard}")), folder.join(format!(".again.{shard}.whole"))]
}

fn failed(path: &Path, cause: io::Error) -> RunError {
    RunError::Results(FolderError::File { path: path.to_owned(), cause }.into())
}

/// Plays the matches of a shard again in which another program could not be reached. `None` if there are none.
///
/// # Errors
/// [`RunError`]; what was recorded before is still there.
pub fn again(
    arena: &Arena,
    (folder, planned): (&Path, &Planned),
    shard: Shard,
    on_fault: OnFault,
    threads: usize,
    interrupt: &Interrupt,
) -> Result<Option<RunEnd>, RunError> {
    let recorded = || Results::open_with(folder, planned, arena.log()).map(|results| results.only(shard));
    let mut results = recorded()?;
    let mut is_needed = false;
    while let (false, Some(finished)) = (is_needed, results.next()?) {
        is_needed = finished.has_fault(UNREACHABLE);
    }
    if !is_needed {
        return Ok(None);
    }
    // Held, so that no other process plays the shard meanwhile.
    let _old =
        Journal::open(folder, &planned.plan, shard, arena.log(), &mut Sequence::new(&planned.plan, shard))?;
    let [draft, whole] = places(folder, shard);
    fs::create_dir_all(&draft).map_err(|cause| failed(&draft, cause))?;
    let mut sequence = Sequence::new(&planned.plan, shard);
    let journal = Journal::open(&draft, &planned.plan, shard, arena.log(), &mut sequence)?;
    let task = RunTask { sequence, journal, on_fault, kept: Some(recorded()?) };
    let end = run(arena, task, threads, interrupt, &|| ())?;
    if end.is_complete {
        fs::rename(&draft, &whole).map_err(|cause| failed(&draft, cause))?;
        settle_again(folder, shard)?;
    }
    Ok(Some(end))
}

/// Puts a shard that was written anew in the place of the old one, if there is one that is whole.
///
/// # Errors
/// The operating system's.
pub fn settle_again(folder: &Path, shard: Shard) -> Result<(), RunError> {
    let [_, whole] = places(folder, shard);
    if !whole.is_dir() {
        return Ok(());
    }
    for entry in fs::read_dir(&whole).map_err(|cause| failed(&whole, cause))? {
        let entry = entry.map_err(|cause| failed(&whole, cause))?;
        fs::rename(entry.path(), folder.join(entry.file_name()))
            .map_err(|cause| failed(&entry.path(), cause))?;
    }
    fs::remove_dir(&whole).map_err(|cause| failed(&whole, cause))
}
