//! Shards, and lines with checksums in files that one process writes: what experiments and studies share.

mod line_file;
mod shard;

pub use line_file::{SUM, locked, of_shard, sealed, unsealed};
pub use shard::Shard;
