//! Lines: the records of a file as they are written, and how they are read where the file is damaged.
//!
//! Every line ends with a checksum: the key `sum`, with the first 16 hexadecimal digits of SHA-256 over the bytes of
//! the line before it. So damage costs the line that it is in and no other, and a line that was changed is not read. A
//! file whose header has no checksum was written before there were any; its lines are only read as JSON.
//!
//! A file that was compressed by `gzip` is read where the file itself is not there.
//!
//! While a shard is being repaired, the good lines behind the damage lie in `FILE.kept` until a run has copied them
//! back. A reader sees both files as one. It notes what it cannot read, with its line,
//! and goes on.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::record::{Record, RecordHeader};
use crate::failure::{LabError, LabResult};
use crate::shards::{SUM, unsealed};
use hyperplay_play::files::FileError;

/// The longest line that is read.
pub const MAX_LINE: u64 = 1 << 26;

/// How records begin: those of matches, and those of entrants of games.
const BEGINS: [&[u8]; 2] = [b"{\"match\":", b"{\"game\":"];

/// A line that cannot be read, or has no use because others cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{}:{number}: {what}", path.display())]
pub struct DamagedLine {
    /// The file.
    pub path: PathBuf,
    /// Which line, from 1.
    pub number: u64,
    /// The error in it.
    pub what: &'static str,
}

impl DamagedLine {
    /// Whether it is in a file of this kind.
    pub fn is_of(&self, kind: &str) -> bool {
        let name = self.path.file_name().and_then(|name| name.to_str());
        name.and_then(|name| name.split('.').next()) == Some(kind)
    }
}

/// The match that a line is about, 0 if it is about none, and the line without a checksum.
pub fn record(written: &[u8], has_sums: bool) -> Option<(u64, Vec<u8>)> {
    /// The keys that every line has.
    #[derive(Deserialize)]
    struct OfMatch {
        #[serde(default, rename = "match")]
        id: u64,
    }
    if !BEGINS.iter().any(|begin| written.starts_with(begin)) {
        return None;
    }
    let line = if has_sums { unsealed(written)? } else { written.to_vec() };
    let OfMatch { id } = serde_json::from_slice(&line).ok()?;
    Some((id, line))
}

/// Where the good lines behind damage lie until they are copied back.
pub fn kept(path: &Path) -> PathBuf {
    path.with_added_extension("kept")
}

/// The file at a path, or the one that was made of it by `gzip`, if that is there in its place.
pub fn in_place(path: &Path) -> PathBuf {
    let packed = path.with_added_extension("gz");
    if !path.exists() && packed.exists() { packed } else { path.to_owned() }
}

/// Whether a file is compressed.
pub fn is_packed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "gz")
}

/// Reads the lines of a file from a byte on. Lines that are appended from now on are not read.
fn reader(path: &Path, from: u64) -> io::Result<Box<dyn BufRead + Send>> {
    let mut file = File::open(path)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(from))?;
    let plain = BufReader::with_capacity(1 << 16, file.take(length.saturating_sub(from)));
    Ok(if is_packed(path) {
        Box::new(BufReader::with_capacity(1 << 16, MultiGzDecoder::new(plain)))
    } else {
        Box::new(plain)
    })
}

/// Copies parts of a file to the end of another one, and waits until they are on the disk.
pub fn copy(from: &mut File, ranges: &[Range<u64>], to: &mut File) -> io::Result<()> {
    for range in ranges {
        from.seek(SeekFrom::Start(range.start))?;
        io::copy(&mut (&*from).take(range.end - range.start), to)?;
    }
    to.sync_all()
}

/// Appends parts of a file to `FILE.damaged`; returns the path of that.
pub fn move_aside(path: &Path, ranges: &[Range<u64>]) -> io::Result<PathBuf> {
    let damaged = path.with_added_extension("damaged");
    let mut to = OpenOptions::new().create(true).append(true).open(&damaged)?;
    copy(&mut File::open(path)?, ranges, &mut to)?;
    Ok(damaged)
}

/// A place in a file behind a line.
#[derive(Clone, Serialize, Deserialize)]
pub struct Mark {
    /// Bytes before it.
    pub bytes: u64,
    /// How the last line before it ends: its checksum.
    pub sum: String,
}

/// The good lines of one kind about one match, and where they lie.
#[derive(Default)]
pub struct FoundLines {
    id: u64,
    /// The lines, without checksums.
    pub lines: Vec<Vec<u8>>,
    /// Whether they lie in `FILE.kept`.
    pub is_kept: bool,
    /// Their bytes in the file.
    pub range: Range<u64>,
    /// The number of the last of them.
    number: u64,
}

/// The good lines of one file.
struct GoodLines {
    path: PathBuf,
    reader: Box<dyn BufRead + Send>,
    has_sums: bool,
    /// The version of the program that wrote it; empty if the header is damaged.
    version: String,
    /// Where the lines that are read begin; 0 if the header is damaged.
    begins: u64,
    /// Lines read, and where the last one ends.
    number: u64,
    offset: u64,
    next: Option<FoundLines>,
    damage: Vec<DamagedLine>,
}

impl GoodLines {
    /// The file at a path behind its header; `None` if there is no file or no complete line in it.
    fn open(path: PathBuf, header: &RecordHeader) -> LabResult<Option<GoodLines>> {
        let path = in_place(&path);
        let reader = match reader(&path, 0) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            opened => FileError::at(&path, opened)?,
        };
        let (has_sums, version, next, damage) = (true, String::new(), None, Vec::new());
        let (begins, number, offset) = (0, 0, 0);
        let mut lines = GoodLines { path, reader, has_sums, version, begins, number, offset, next, damage };
        let Some(first) = lines.advance()? else { return Ok(None) };
        let (has_sums, text) = unsealed(&first).map_or((false, first.clone()), |text| (true, text));
        let found = RecordHeader::read(&text).ok();
        let is_foreign = |lines: &GoodLines, what: String| {
            let what = format!("{}: {what}", lines.path.display());
            Err(LabError::other(what, "name another folder with --out, or take that file away"))
        };
        if let Some(found) = found.filter(|found| found.line() == text) {
            if let Some(what) = header.difference(&found) {
                return is_foreign(&lines, what);
            }
            (lines.has_sums, lines.begins) = (has_sums, lines.offset);
            lines.version = found.version;
        } else {
            lines.accept(&first);
            if lines.peek()?.is_none() {
                return is_foreign(&lines, "its first line is no header".to_owned());
            }
        }
        Ok(Some(lines))
    }

    /// Goes on behind a mark, if the file has a line there that ends as noted. The numbers of lines are not known then.
    fn resume(&mut self, mark: &Mark) -> bool {
        let mut sum = vec![0; SUM];
        let read = reader(&self.path, mark.bytes.saturating_sub(SUM as u64)).and_then(|reader| {
            self.reader = reader;
            self.reader.read_exact(&mut sum)
        });
        (self.begins, self.offset, self.next) = (mark.bytes, mark.bytes, None);
        read.is_ok() && self.has_sums && sum == mark.sum.as_bytes()
    }

    /// The next complete line, or a piece of one that is too long.
    fn advance(&mut self) -> LabResult<Option<Vec<u8>>> {
        let mut line = Vec::new();
        let read = self.reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line);
        if is_packed(&self.path) && read.is_err() {
            self.reader = Box::new(io::empty());
            self.damaged(self.number + 1, "what is compressed is damaged from here on");
            return Ok(None);
        }
        FileError::at(&self.path, read)?;
        if !line.ends_with(b"\n") && (line.len() as u64) < MAX_LINE {
            return Ok(None);
        }
        self.number += 1;
        self.offset += line.len() as u64;
        Ok(Some(line))
    }

    /// Takes a line as the next one if it is good. Where the end of the line before is damaged, a record begins within
    /// the line. In the place of the header, every line is damaged.
    fn accept(&mut self, written: &[u8]) {
        let good = (0..written.len()).find_map(|at| Some((at, record(&written[at..], self.has_sums)?)));
        if self.number == 1 || good.as_ref().is_none_or(|&(at, _)| at > 0) {
            let what = if self.has_sums { "its checksum does not fit" } else { "it is no record" };
            self.damaged(self.number, what);
        }
        self.next = good.map(|(at, (id, line))| {
            let range = self.offset - (written.len() - at) as u64..self.offset;
            FoundLines { id, lines: vec![line], is_kept: self.is_kept(), range, number: self.number }
        });
    }

    fn is_kept(&self) -> bool {
        self.path.extension().is_some_and(|extension| extension == "kept")
    }

    fn damaged(&mut self, number: u64, what: &'static str) {
        self.damage.push(DamagedLine { path: self.path.clone(), number, what });
    }

    /// The match that the next good line is about.
    fn peek(&mut self) -> LabResult<Option<u64>> {
        while self.next.is_none() {
            let Some(line) = self.advance()? else { return Ok(None) };
            self.accept(&line);
        }
        Ok(self.next.as_ref().map(|next| next.id))
    }

    /// The lines of a match that lie one behind the other; lines of matches before it are passed over.
    fn of(&mut self, id: u64) -> LabResult<FoundLines> {
        let mut found = FoundLines::default();
        while self.peek()?.is_some_and(|next| next <= id) {
            let Some(mut next) = self.next.take().filter(|next| next.id == id) else { continue };
            if found.range.end == next.range.start {
                next.range.start = found.range.start;
                next.lines.splice(..0, found.lines);
            }
            found = next;
        }
        Ok(found)
    }
}

/// The good lines of one kind in the order of their matches: those of the file, and those that were kept.
pub struct Source {
    parts: Vec<GoodLines>,
}

impl Source {
    /// The file at a path; `None` if there is nothing.
    pub fn open(path: PathBuf, header: &RecordHeader) -> LabResult<Option<Source>> {
        let kept = GoodLines::open(kept(&path), header)?;
        let parts: Vec<GoodLines> = GoodLines::open(path, header)?.into_iter().chain(kept).collect();
        Ok((!parts.is_empty()).then_some(Source { parts }))
    }

    /// Goes on behind a mark; `false` if the file does not agree with it, or lines were kept.
    pub fn resume(&mut self, mark: Option<&Mark>) -> bool {
        let ([part], Some(mark)) = (&mut self.parts[..], mark) else { return false };
        !part.is_kept() && !is_packed(&part.path) && part.begins > 0 && part.resume(mark)
    }

    /// The number of the next match.
    pub fn peek(&mut self) -> LabResult<Option<u64>> {
        let mut next: Option<u64> = None;
        for part in &mut self.parts {
            next = part.peek()?.into_iter().chain(next).min();
        }
        Ok(next)
    }

    /// The lines of a match, if there are as many.
    pub fn of(&mut self, id: u64, count: usize) -> LabResult<Option<FoundLines>> {
        let mut whole = None;
        for part in &mut self.parts {
            let found = part.of(id)?;
            if whole.is_none() && found.lines.len() == count {
                whole = Some(found);
            }
        }
        Ok(whole)
    }

    /// The next good line, whatever it is about.
    pub fn next_line(&mut self) -> LabResult<Option<FoundLines>> {
        for part in &mut self.parts {
            if part.peek()?.is_some() {
                return Ok(part.next.take());
            }
        }
        Ok(None)
    }

    /// Notes that lines of the file are of no use.
    pub fn refuse(&mut self, found: &FoundLines, what: &'static str) {
        if !found.is_kept {
            self.parts[0].damaged(found.number, what);
        }
    }

    /// The damaged lines found so far. The lines that were kept have been read before.
    pub fn damage(&self) -> impl Iterator<Item = &DamagedLine> {
        self.parts.iter().flat_map(|part| &part.damage)
    }

    /// The version of the program that wrote the file, if it is known.
    pub fn version(&self) -> &str {
        &self.parts[0].version
    }

    /// Whether the lines have checksums.
    pub fn has_sums(&self) -> bool {
        self.parts[0].has_sums
    }

    /// Where the lines that are read of the file begin; 0 if there is no good header.
    pub fn begins(&self) -> u64 {
        if self.parts[0].is_kept() { 0 } else { self.parts[0].begins }
    }
}
