//! Transcripts of the tables, in a folder: `matches.jsonl`, and `rules/HASH.kif` or `.sidl` for rules that were sent.

use std::fs::{File, OpenOptions, create_dir_all};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::room::GameRoom;
use hyperplay_logic::gdl::Language;
use hyperplay_play::referee::Transcript;

/// Characters of a hash in the name of a file.
const NAMED: usize = 16;

/// Keeps transcripts in a folder.
pub(super) struct MatchKeeper {
    folder: PathBuf,
    /// The file, and how many matches have been written to it by this program.
    file: Mutex<(File, usize)>,
}

impl MatchKeeper {
    /// Opens a folder, which is created if it does not exist. What is there stays.
    ///
    /// # Errors
    /// If it cannot be made.
    pub(super) fn open(folder: &Path) -> std::io::Result<MatchKeeper> {
        create_dir_all(folder)?;
        let file = OpenOptions::new().create(true).append(true).open(folder.join("matches.jsonl"))?;
        Ok(MatchKeeper { folder: folder.to_owned(), file: Mutex::new((file, 0)) })
    }

    /// Keeps a match. What goes wrong is logged.
    pub(super) fn keep(&self, room: &GameRoom, transcript: Transcript) {
        if let Err(error) = self.written(room, transcript) {
            tracing::error!(%error, folder = %self.folder.display(), "a transcript could not be kept");
        }
    }

    fn written(&self, room: &GameRoom, mut transcript: Transcript) -> std::io::Result<()> {
        transcript.game = match room.is_listed {
            true => room.name.clone(),
            false => self.rules(room)?,
        };
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let line = serde_json::to_string(&transcript)? + "\n";
        file.0.write_all(line.as_bytes())?;
        file.1 += 1;
        Ok(())
    }

    /// Where rules that were sent are kept, relative to the folder.
    fn rules(&self, room: &GameRoom) -> std::io::Result<String> {
        let name: String = room.hash.trim_start_matches("sha256:").chars().take(NAMED).collect();
        let ending = match room.game.language() {
            Language::Gdl => "kif",
            Language::Sidl => "sidl",
        };
        let path = format!("rules/{name}.{ending}");
        create_dir_all(self.folder.join("rules"))?;
        let file = self.folder.join(&path);
        if !file.exists() {
            std::fs::write(file, room.game.source().text())?;
        }
        Ok(path)
    }
}
