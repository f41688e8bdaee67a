//! Lines with checksums, in a file to which one process appends.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use crate::failure::{LabError, LabResult};
use hyperplay_logic::gdl::sha256;
use hyperplay_play::files::{self, FileError};

/// The length of the key `sum` with all that follows it.
pub const SUM: usize = r#","sum":"0123456789abcdef"}"#.len() + 1;

/// The line, a JSON object with `}` and a line break at its end, with its checksum.
pub fn sealed(line: &[u8]) -> Vec<u8> {
    let open = &line[..line.len() - 2];
    let digest = sha256(open);
    let first = u64::from_be_bytes(digest[..8].try_into().expect("a digest has 32 bytes"));
    let mut sealed = Vec::with_capacity(line.len() + SUM);
    sealed.extend_from_slice(open);
    writeln!(sealed, ",\"sum\":\"{first:016x}\"}}").expect("memory can be written to");
    sealed
}

/// The line without its checksum, if that fits.
pub fn unsealed(written: &[u8]) -> Option<Vec<u8>> {
    let line = [&written[..written.len().checked_sub(SUM)?], b"}\n"].concat();
    (sealed(&line) == written).then_some(line)
}

/// Opens a file for appending, to which no other process may append meanwhile.
///
/// # Errors
/// If another process does, or it cannot be opened.
pub fn locked(path: &Path) -> LabResult<File> {
    of_shard(files::locked(path, File::options().create(true).read(true).append(true)))
}

/// The file of a shard: while another process writes to it, that one plays the shard.
pub fn of_shard<F>(opened: Result<F, FileError>) -> LabResult<F> {
    opened.map_err(|error| match error {
        FileError::Busy(path) => LabError::Locked(path),
        error => error.into(),
    })
}
