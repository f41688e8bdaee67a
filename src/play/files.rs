//! Files that a user keeps: one rule and one writer for every command.
//!
//! A file that this program did not write is never replaced; [`FileContent`] tells it by what the file holds. A
//! computed result may be computed again: a [`WrittenFile`] is written beside its place and then moved there, so a kill
//! leaves the former file whole. Records of matches cannot be had again: a [`RecordFile`] is replaced or lengthened
//! only if that was asked for ([`EarlierRecords`]), and one process at a time writes to it.
//!
//! Invariant: a file beside its place is locked while it is written. One that is not was left by a kill, and the next
//! start with the same place removes it; [`abandon_parts`] removes those of this process before a signal ends it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead as _, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use serde::de::IgnoredAny;
use thiserror::Error;

/// Bytes at the beginning and at the end of a file that are looked at.
const LOOK: i64 = 4096;

/// The files of this process that are written beside their places; a signal knows no arguments, so it finds them here.
static PARTS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes what is half written and then ends the program as `end` says; no file is begun in between.
pub fn abandon_parts(end: impl FnOnce()) {
    let parts = PARTS.lock();
    parts.iter().for_each(|part| drop(fs::remove_file(part)));
    end();
}

/// Why a file is not written.
#[derive(Debug, Error)]
pub enum FileError {
    /// An error of the operating system.
    #[error("{}: {_1}", _0.display())]
    System(PathBuf, io::Error),
    /// Something else is there than what would be written.
    #[error("{} is there already, and is no {_1} that this program wrote; it is left as it is", _0.display())]
    Foreign(PathBuf, &'static str),
    /// Records are there, and nobody said what becomes of them.
    #[error("{} is there already, and holds records", _0.display())]
    Records(PathBuf),
    /// Another process has it open for writing.
    #[error("{}: another process is writing this file", _0.display())]
    Busy(PathBuf),
    /// Standard output, a device or a pipe.
    #[error("'{}' is no ordinary file", _0.display())]
    NoFile(PathBuf),
}

impl FileError {
    /// The result of the operating system, or of this module, with the path that it is about.
    ///
    /// # Errors
    /// As the result.
    pub fn at<T>(path: &Path, result: io::Result<T>) -> Result<T, Self> {
        result.map_err(|cause| cause.downcast().unwrap_or_else(|cause| Self::System(path.to_owned(), cause)))
    }

    /// Whether this user may not write there, or nobody may.
    pub fn is_forbidden(&self) -> bool {
        use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem};
        matches!(self, FileError::System(_, cause) if matches!(cause.kind(), PermissionDenied | ReadOnlyFilesystem))
    }
}

impl From<FileError> for io::Error {
    fn from(error: FileError) -> io::Error {
        io::Error::other(error)
    }
}

/// The content of a file, and how such a file of this program is recognised.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileContent {
    name: &'static str,
    mark: Vec<u8>,
    is_inside: bool,
}

impl FileContent {
    /// Content that always begins with the same bytes.
    pub fn beginning(name: &'static str, mark: impl Into<Vec<u8>>) -> Self {
        FileContent { name, mark: mark.into(), is_inside: false }
    }

    /// Content that has these bytes near its beginning or its end.
    pub fn holding(name: &'static str, mark: impl Into<Vec<u8>>) -> Self {
        FileContent { name, mark: mark.into(), is_inside: true }
    }

    /// Lines of JSON of this schema, in any version.
    pub fn records(schema: &str) -> Self {
        let form = schema.rsplit_once('/').map_or(schema, |(form, _)| form);
        FileContent::beginning("record", format!("{{\"schema\":\"{form}/"))
    }

    /// Content that begins like these bytes, as far as every file of this ending and subject does.
    pub fn like(ending: &str, bytes: &[u8]) -> Self {
        let (name, until, times) = match ending {
            "pdf" => return FileContent::holding("figure", "/Creator (hyperplay)"),
            "svg" => ("figure", "aria-label=\"", 1),
            "html" => ("page", "</title>", 1),
            "csv" => ("table", ",", 2),
            "dot" => ("diagram", "\n", 1),
            _ => ("document", "/", 1),
        };
        let mut ends = (until.len()..=bytes.len()).filter(|&end| bytes[..end].ends_with(until.as_bytes()));
        FileContent::beginning(name, &bytes[..ends.nth(times - 1).unwrap_or(bytes.len())])
    }

    /// Whether nothing of another origin is lost if this replaces what is at a path: nothing is there, or such a file,
    /// or no more than its beginning.
    fn may_replace(&self, path: &Path) -> io::Result<bool> {
        let mut file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            file => file?,
        };
        let mut seen = Vec::new();
        (&file).take((LOOK as u64).max(self.mark.len() as u64)).read_to_end(&mut seen)?;
        if !self.is_inside {
            return Ok(seen.starts_with(&self.mark) || self.mark.starts_with(&seen));
        }
        // A file that is shorter is read on from where it is.
        let _ = file.seek(SeekFrom::End(-LOOK));
        file.read_to_end(&mut seen)?;
        Ok(seen.is_empty() || seen.windows(self.mark.len()).any(|part| part == self.mark))
    }

    /// Removes a file that was left beside its place.
    fn remove_left(&self, path: &Path) -> io::Result<()> {
        let opened = File::options().read(true).write(true).open(path);
        opened.map_or(Ok(()), |file| self.remove_opened(&file, path))
    }

    /// Removes this file, which was found at a path. It is locked meanwhile, so that no other start that finds it takes it
    /// for its own; one that is locked is being written, and stays. So does another one that has come to be there.
    fn remove_opened(&self, file: &File, path: &Path) -> io::Result<()> {
        let which = |found: io::Result<fs::Metadata>| found.ok().map(|found| (found.dev(), found.ino()));
        let is_left = file.try_lock().is_ok() && which(file.metadata()) == which(fs::metadata(path));
        if !is_left || !self.may_replace(path)? {
            return Ok(());
        }
        match fs::remove_file(path) {
            // Another start was faster.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    /// The file itself, where a path is a link, if it may be replaced.
    fn target(&self, path: &Path) -> Result<PathBuf, FileError> {
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => FileError::at(path, Err(io::ErrorKind::IsADirectory.into())),
            ref found if path.as_os_str() == "-" || found.as_ref().is_ok_and(|found| !found.is_file()) => {
                Err(FileError::NoFile(path.to_owned()))
            }
            _ if FileError::at(path, self.may_replace(path))? => {
                Ok(fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()))
            }
            _ => Err(FileError::Foreign(path.to_owned(), self.name)),
        }
    }
}

/// A file that will be written whole or not at all, and can be computed again.
///
/// ```
/// use std::io::Write as _;
/// use hyperplay_play::files::{FileContent, PartFile, WrittenFile};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("curve.csv");
/// let curve = || FileContent::beginning("curve", "step,value\n");
/// let file = WrittenFile::at(&path, curve())?;
/// file.write(|out| out.write_all(b"step,value\n1,0.5\n"))?;
/// file.begin().and_then(PartFile::finish)?;
/// file.text("step,value\n1,0.5\n")?;
/// assert!(WrittenFile::if_given(None, curve())?.is_none());
/// // What is not finished leaves the former file, and nothing beside it.
/// let mut part: PartFile = WrittenFile::at(&path, curve())?.begin()?;
/// part.write_all(b"step,value\n")?;
/// drop(part);
/// assert_eq!(std::fs::read_to_string(&path)?.lines().count(), 2);
/// assert_eq!(std::fs::read_dir(folder.path())?.count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct WrittenFile {
    /// As given.
    path: PathBuf,
    target: PathBuf,
    part: PathBuf,
    content: FileContent,
}

impl WrittenFile {
    /// Tries whether a file can be written at `path`, without touching what is there, and removes what an earlier start
    /// that was killed left beside it.
    ///
    /// # Errors
    /// If it cannot, or something else is there.
    pub fn at(path: &Path, content: FileContent) -> Result<WrittenFile, FileError> {
        let target = content.target(path)?;
        let name = target.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let part = target.with_file_name(format!("{name}.{}.part", std::process::id()));
        let is_part = |found: &str| {
            let number =
                found.strip_prefix(&name).and_then(|rest| rest.strip_prefix('.')?.strip_suffix(".part"));
            number.is_some_and(|number| number.parse::<u32>().is_ok())
        };
        let folder =
            target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        for found in fs::read_dir(folder).into_iter().flatten().flatten() {
            if is_part(&found.file_name().to_string_lossy()) {
                FileError::at(&found.path(), content.remove_left(&found.path()))?;
            }
        }
        let file = WrittenFile { path: path.to_owned(), target, part, content };
        file.begin()?;
        Ok(file)
    }

    /// The same for a file that may have been asked for.
    ///
    /// # Errors
    /// As [`at`](WrittenFile::at).
    pub fn if_given(path: Option<&Path>, content: FileContent) -> Result<Option<WrittenFile>, FileError> {
        path.map(|path| WrittenFile::at(path, content)).transpose()
    }

    /// Begins to write it; it takes its place when the part is finished.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(&self) -> Result<PartFile, FileError> {
        let mut parts = PARTS.lock();
        loop {
            let file = FileError::at(&self.path, File::create_new(&self.part))?;
            // Where a file system has no locks, nothing takes this file for one that was left.
            let _ = file.lock();
            // Another start may have removed it before it was locked.
            if self.part.exists() {
                parts.push(self.part.clone());
                return Ok(PartFile { of: self.clone(), out: BufWriter::new(file) });
            }
        }
    }

    /// Writes this text.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn text(&self, text: impl AsRef<[u8]>) -> Result<(), FileError> {
        self.write(|out| out.write_all(text.as_ref()))
    }

    /// Writes it as `text` says.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, text: impl FnOnce(&mut PartFile) -> io::Result<()>) -> Result<(), FileError> {
        let mut out = self.begin()?;
        FileError::at(&self.path, text(&mut out))?;
        out.finish()
    }
}

/// A file that is being written beside its place. It is removed if it is not finished.
#[derive(Debug)]
pub struct PartFile {
    of: WrittenFile,
    out: BufWriter<File>,
}

impl PartFile {
    /// Where it is written, beside its place; another program may write it instead of this one.
    pub fn beside(&self) -> &Path {
        &self.of.part
    }

    /// Puts it in its place.
    ///
    /// # Errors
    /// If it cannot be written, or something else has come to be there.
    pub fn finish(mut self) -> Result<(), FileError> {
        FileError::at(&self.of.path, self.out.flush())?;
        self.of.content.target(&self.of.target)?;
        FileError::at(&self.of.path, fs::rename(&self.of.part, &self.of.target))
    }
}

impl Write for PartFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for PartFile {
    fn drop(&mut self) {
        // A finished one is not there any more.
        let _ = fs::remove_file(&self.of.part);
        PARTS.lock().retain(|part| *part != self.of.part);
    }
}

/// Tries whether all files of a folder can be written: their names in it, and bytes that begin as they will.
///
/// # Errors
/// If one cannot.
pub fn all_at(folder: &Path, files: &[(String, Vec<u8>)]) -> Result<Vec<WrittenFile>, FileError> {
    let file = |(name, bytes): &(String, Vec<u8>)| {
        let path = folder.join(name);
        FileError::at(&path, fs::create_dir_all(path.parent().unwrap_or(folder)))?;
        WrittenFile::at(&path, FileContent::like(name.rsplit('.').next().unwrap_or_default(), bytes))
    };
    files.iter().map(file).collect()
}

/// Writes files by their names in a folder, once it is known that all can be written ([`all_at`]).
///
/// # Errors
/// If one cannot be written.
pub fn write_all(folder: &Path, files: &[(String, Vec<u8>)]) -> Result<(), FileError> {
    all_at(folder, files)?.iter().zip(files).try_for_each(|(file, (_, bytes))| file.text(bytes))
}

/// Opens a file, to which no other process may write meanwhile.
///
/// # Errors
/// If another process does, or it cannot be opened.
pub fn locked(path: &Path, options: &OpenOptions) -> Result<File, FileError> {
    let file = FileError::at(path, options.open(path))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(FileError::Busy(path.to_owned())),
        // A file system without locks: the user must not write to a file twice.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(file),
    }
}

/// The treatment of the records that are in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EarlierRecords {
    /// If there are any, nothing is written.
    #[default]
    Refused,
    /// They stay, and others are written behind them.
    Kept,
    /// They are removed.
    Replaced,
}

/// Records, one a line, which are in the file as soon as they are there.
///
/// ```
/// use hyperplay_play::files::{EarlierRecords, FileContent, FileError, RecordFile};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("t.jsonl");
/// let open = |earlier| RecordFile::open(&path, &FileContent::records("a/1"), earlier);
/// open(EarlierRecords::Refused)?.line(r#"{"schema":"a/1"}"#)?;
/// assert!(matches!(open(EarlierRecords::Refused), Err(FileError::Records(_))));
/// // What a kill cut off goes to a file of its own.
/// let whole = std::fs::read_to_string(&path)?;
/// std::fs::write(&path, whole.clone() + "{\"sche")?;
/// let mut file = open(EarlierRecords::Kept)?;
/// assert!(file.path() == path && file.repair().is_some_and(|what| what.contains("the last 6 bytes")));
/// file.line("{}")?;
/// assert_eq!(std::fs::read_to_string(&path)?, whole + "{}\n");
/// assert_eq!(std::fs::read_to_string(folder.path().join("t.jsonl.damaged"))?, "{\"sche\n");
/// // One writes at a time.
/// assert!(matches!(open(EarlierRecords::Replaced), Err(FileError::Busy(_))));
/// drop(file);
/// open(EarlierRecords::Replaced)?;
/// assert_eq!(std::fs::read_to_string(&path)?, "");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct RecordFile {
    path: PathBuf,
    file: File,
    damaged: usize,
}

impl RecordFile {
    /// Opens a file for records of this content.
    ///
    /// # Errors
    /// If something else is there, or records of which nobody said what becomes of them; if another process writes to
    /// it, or it cannot be written.
    pub fn open(path: &Path, content: &FileContent, earlier: EarlierRecords) -> Result<Self, FileError> {
        let mut options = File::options();
        options.append(true);
        let mut file = match content.target(path) {
            // A device or a pipe has nothing that could be lost.
            Err(FileError::NoFile(_)) if path.as_os_str() != "-" => FileError::at(path, options.open(path))?,
            Err(error) => return Err(error),
            Ok(_) => locked(path, options.read(true).create(true))?,
        };
        let length = FileError::at(path, file.metadata())?.len();
        let mut damaged = 0;
        match earlier {
            _ if length == 0 => {}
            EarlierRecords::Refused => return Err(FileError::Records(path.to_owned())),
            EarlierRecords::Kept => damaged = FileError::at(path, end_line(path, &mut file))?,
            EarlierRecords::Replaced => FileError::at(path, file.set_len(0))?,
        }
        Ok(Self { path: path.to_owned(), file, damaged })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The action taken on a last line that was no whole record, if there was one.
    pub fn repair(&self) -> Option<String> {
        let (path, bytes) = (self.path.display(), self.damaged);
        let what =
            || format!("{path}: the last {bytes} bytes are no whole record, and are now in {path}.damaged");
        (bytes > 0).then(what)
    }

    /// Adds lines, in one write: all of them, or none.
    ///
    /// # Errors
    /// The operating system's.
    pub fn line(&mut self, line: &str) -> Result<(), FileError> {
        let end = FileError::at(&self.path, self.file.metadata())?.len();
        let written = self.file.write_all(format!("{line}\n").as_bytes());
        if written.is_err() {
            // A part of a line, as a full disk leaves it, would spoil the next one. A device has none.
            let _ = self.file.set_len(end);
        }
        FileError::at(&self.path, written)
    }
}

/// Ends the last line of a file. If it is no whole record, it goes to `FILE.damaged`; returns its bytes.
fn end_line(path: &Path, file: &mut File) -> io::Result<usize> {
    let (mut reader, mut last, mut whole) = (BufReader::new(&*file), Vec::new(), 0);
    while reader.read_until(b'\n', &mut last)? > 0 && last.ends_with(b"\n") {
        whole += last.len() as u64;
        last.clear();
    }
    if last.is_empty() || serde_json::from_slice::<IgnoredAny>(&last).is_ok() {
        return file.write_all(if last.is_empty() { b"" } else { b"\n" }).map(|()| 0);
    }
    let mut damaged = path.as_os_str().to_owned();
    damaged.push(".damaged");
    File::options().create(true).append(true).open(damaged)?.write_all(&[&last[..], b"\n"].concat())?;
    file.set_len(whole).map(|()| last.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that was left is often found by two starts at once, as where a scheduler starts both again.
    #[test]
    fn two_starts_that_find_the_same_file_both_go_on() {
        let folder = tempfile::tempdir().unwrap();
        let content = FileContent::beginning("curve", "step,value\n");
        let left: Vec<PathBuf> =
            (0..2_000).map(|number| folder.path().join(format!("{number}.part"))).collect();
        left.iter().for_each(|left| fs::write(left, "step,").unwrap());
        let start = || left.iter().try_for_each(|left| content.remove_left(left));
        let (one, other) = std::thread::scope(|scope| {
            let one = scope.spawn(start);
            (start(), one.join().unwrap())
        });
        assert!(one.is_ok() && other.is_ok(), "{one:?} {other:?}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
    /// A process tries whether it can write, and begins to write a moment later: another part of the same name. Who found the first
    /// one must not take the second one away.
    #[test]
    fn a_part_in_the_place_of_one_that_was_found_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("curve.csv");
        let content = FileContent::beginning("curve", "step,value\n");
        let file = WrittenFile::at(&path, content.clone()).unwrap();
        let tried = file.begin().unwrap();
        let found = File::options().read(true).write(true).open(tried.beside()).unwrap();
        drop(tried);
        let part = file.begin().unwrap();
        content.remove_opened(&found, part.beside()).unwrap();
        part.finish().unwrap();
        assert!(path.exists());
        // One that nobody writes to any more is removed.
        let left = folder.path().join("curve.csv.1.part");
        fs::write(&left, "step,").unwrap();
        content.remove_left(&left).unwrap();
        assert!(!left.exists());
    }
}
