//! Shard: a part of an experiment, written `3-of-8`, and the names of its files.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The most shards.
const MAX_SHARDS: u64 = 100_000;

/// One of several equal parts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Shard {
    /// Which, from 1.
    pub index: u64,
    /// Of how many.
    pub count: u64,
}

impl Shard {
    /// The only part of an experiment that is not divided.
    pub const WHOLE: Shard = Shard { index: 1, count: 1 };

    /// Reads `K/N`.
    ///
    /// # Errors
    /// The sentence that says what a shard is.
    pub fn read(text: &str) -> Result<Shard, String> {
        Shard::counted(text, 1, "N")
    }

    /// Reads `K/N` where the first shard is `0/N`.
    ///
    /// # Errors
    /// The sentence that says what is expected.
    pub fn read_from_0(text: &str) -> Result<Shard, String> {
        Shard::counted(text, 0, "N - 1")
    }

    /// Reads `K/N` where K goes from `first` to `last`.
    fn counted(text: &str, first: u64, last: &str) -> Result<Shard, String> {
        let shard = text.split_once('/').and_then(|(number, count)| {
            let number: u64 = number.trim().parse().ok()?;
            Some(Shard {
                index: number.checked_add(1)?.checked_sub(first)?,
                count: count.trim().parse().ok()?,
            })
        });
        shard
            .filter(|shard| (1..=shard.count).contains(&shard.index) && shard.count <= MAX_SHARDS)
            .ok_or_else(|| format!("expected K/N with K from {first} to {last}, and N at most {MAX_SHARDS}"))
    }

    /// All of `count` shards.
    pub fn all(count: u64) -> impl Iterator<Item = Shard> {
        (1..=count).map(move |index| Shard { index, count })
    }

    /// The name of a file of this shard.
    pub fn file(self, folder: &Path, kind: &str) -> PathBuf {
        folder.join(format!("{kind}.{self}.jsonl"))
    }

    /// The shard whose file this is, by its name.
    pub fn of_file(name: &str, kind: &str) -> Option<Shard> {
        let middle = name.strip_prefix(kind)?.strip_prefix('.')?.strip_suffix(".jsonl")?;
        let shard = Shard::read(&middle.replace("-of-", "/")).ok()?;
        (shard.to_string() == middle).then_some(shard)
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-of-{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_read_and_its_files_are_known_again() {
        let shard = Shard::read("3/8").unwrap();
        let file = shard.file(Path::new("out"), "matches");
        assert_eq!(file, Path::new("out/matches.3-of-8.jsonl"));
        assert_eq!(Shard::of_file("matches.3-of-8.jsonl", "matches"), Some(shard));
        assert_eq!(Shard::of_file("matches.jsonl", "matches"), None);
        assert_eq!(Shard::of_file("matches.03-of-8.jsonl", "matches"), None);
        for wrong in ["0/8", "9/8", "3", "a/b", "1/0", "1/100001"] {
            assert!(Shard::read(wrong).is_err(), "{wrong}");
        }
        assert_eq!(Shard::read_from_0("2/8"), Ok(shard));
        assert_eq!(Shard::read_from_0("0/1"), Ok(Shard::WHOLE));
        for wrong in ["8/8", "-1/8", "0/0", "18446744073709551615/8", "0/100001"] {
            assert!(Shard::read_from_0(wrong).is_err(), "{wrong}");
        }
    }
}
