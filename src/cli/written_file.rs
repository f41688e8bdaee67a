//! Files that a command writes at its end: whole or not at all, and tried before the work begins.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};

use super::failure::CommandFailure;

/// A file that will be written. Its text is written beside it and then put in its place, so an interrupted command leaves
/// the former file whole.
pub struct WrittenFile {
    /// As given.
    path: PathBuf,
    /// The file itself, where the path is a link.
    target: PathBuf,
    part: PathBuf,
}

impl WrittenFile {
    /// Tries whether a file can be written at `path`, without touching what is there.
    ///
    /// # Errors
    /// If it cannot, or is standard output.
    pub fn at(path: &Path) -> Result<WrittenFile, CommandFailure> {
        if path.as_os_str() == "-" {
            let what = "'-' for a file: standard output has the report";
            return Err(CommandFailure::usage(what, "name a file"));
        }
        let failed = |cause| CommandFailure::File { path: path.to_owned(), cause };
        if path.is_dir() {
            return Err(failed(io::Error::from(io::ErrorKind::IsADirectory)));
        }
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if target.exists() && !target.is_file() {
            let what = format!("{}: is no ordinary file", path.display());
            return Err(CommandFailure::usage(what, "name a file"));
        }
        let mut name = OsString::from(&target);
        name.push(format!(".{}.part", std::process::id()));
        let part = PathBuf::from(name);
        File::create(&part).and_then(|_| fs::remove_file(&part)).map_err(failed)?;
        Ok(WrittenFile { path: path.to_owned(), target, part })
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(
        &self,
        text: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), CommandFailure> {
        let all = || {
            let mut out = BufWriter::new(File::create(&self.part)?);
            text(&mut out)?;
            out.flush()?;
            drop(out);
            fs::rename(&self.part, &self.target)
        };
        all().map_err(|cause| {
            // What was begun is of no use; that it cannot be removed either changes nothing.
            let _ = fs::remove_file(&self.part);
            CommandFailure::File { path: self.path.clone(), cause }
        })
    }
}
