//! The records of a player server: the knowledge of its player about each match, one line of JSON, and the rules as
//! they came.
//!
//! A folder has `matches.jsonl`, to which lines are appended, and `rules/HASH.kif`, one file for each game. A record
//! names its rules by that path, so the folder can be moved. `hyperplay verify` reads it.

use std::fs::create_dir_all;
use std::io;
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use serde::Serialize;

use super::seated::Seated;
use super::session::Session;
use crate::protocol::WireDialect;
use hyperplay_engine::{Engine, EngineKind};
use hyperplay_logic::gdl::{Game, Language};
use hyperplay_play::files::{EarlierRecords, FileContent, FileError, RecordFile, WrittenFile};
use hyperplay_play::referee::{
    EVIDENCE_SCHEMA, EvidenceHeading, EvidenceOutcome, EvidenceRecord, RunInfo, ToldClocks,
};

/// Characters of a hash in the name of a file.
const NAMED: usize = 16;

/// Steps behind a message that did not come that a record has at most.
const LONGEST_HOLE: usize = 1000;

/// The answer at one step.
#[derive(Clone, PartialEq, Debug)]
pub struct PlayedStep {
    /// How many joint moves were made before.
    pub step: usize,
    /// The answer that was sent.
    pub answered: String,
    /// From the message to the answer.
    pub seconds: f64,
    /// Whether it may have come too late.
    pub late: bool,
    /// Why it was not the player's move.
    pub fallback: Option<String>,
}

/// Records in a folder, and the rules that they name.
#[derive(Debug)]
pub struct RecordFolder {
    folder: PathBuf,
    file: Mutex<RecordFile>,
}

impl RecordFolder {
    /// Opens a folder for records of this schema; it is created if it does not exist.
    ///
    /// # Errors
    /// If it cannot be made, or its `matches.jsonl` must not be written to.
    pub fn open(folder: &Path, schema: &str, earlier: EarlierRecords) -> Result<RecordFolder, FileError> {
        FileError::at(folder, create_dir_all(folder.join("rules")))?;
        let file = RecordFile::open(&folder.join("matches.jsonl"), &FileContent::records(schema), earlier)?;
        if let Some(repair) = file.repair() {
            tracing::warn!("{repair}");
        }
        Ok(RecordFolder { folder: folder.to_owned(), file: Mutex::new(file) })
    }

    /// Keeps a match: `record` makes its record. A failure is logged: the next match is played all the same.
    pub fn append<R: Serialize>(&self, record: impl FnOnce(&RecordFolder) -> io::Result<R>) {
        // The record may write rules first, so the file is not locked before it is made.
        let written = record(self).and_then(|record| Ok(serde_json::to_string(&record)?));
        if let Err(error) = written.and_then(|line| Ok(self.file.lock().line(&line)?)) {
            tracing::error!(%error, folder = %self.folder.display(), "a record could not be kept");
        }
    }

    /// Where the rules of a game are kept, relative to the folder, and their hash.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn rules(&self, game: &Game) -> io::Result<(String, String)> {
        let hash = game.rules_hash();
        let name: String = hash.trim_start_matches("sha256:").chars().take(NAMED).collect();
        let ending = if game.language() == Language::Sidl { "sidl" } else { "kif" };
        let (path, text) = (format!("rules/{name}.{ending}"), game.source().text());
        let file = self.folder.join(&path);
        // One match at a time writes. Another layout of the same rules may be there.
        let _file = self.file.lock();
        if !file.exists() {
            WrittenFile::at(&file, FileContent::beginning("rulesheet", text))?.text(text)?;
        }
        Ok((path, hash))
    }
}

/// Keeps records in a folder.
#[derive(Debug)]
pub struct EvidenceRecorder {
    folder: RecordFolder,
    seed: u64,
}

impl EvidenceRecorder {
    /// Opens a folder, which is created if it does not exist.
    ///
    /// # Errors
    /// If it cannot be made, or its records must not be written to.
    pub fn open(folder: &Path, earlier: EarlierRecords, seed: u64) -> Result<EvidenceRecorder, FileError> {
        Ok(EvidenceRecorder { folder: RecordFolder::open(folder, EVIDENCE_SCHEMA, earlier)?, seed })
    }

    /// Keeps a match that has ended.
    pub(super) fn append(&self, session: &Session, seated: &Seated, outcome: EvidenceOutcome) {
        self.folder.append(|folder| self.record(folder, session, seated, outcome));
    }

    fn record(
        &self,
        folder: &RecordFolder,
        session: &Session,
        seated: &Seated,
        outcome: EvidenceOutcome,
    ) -> io::Result<EvidenceRecord> {
        let (start, engines, known) = (&session.parts.start, &seated.parts.engines, &seated.known);
        let (game, evidence) = (engines.game(), &known.evidence);
        let seconds = session.parts.received.elapsed().as_secs_f64();
        let (path, hash) = folder.rules(game)?;
        let no_engine = |error: hyperplay_engine::EngineError| io::Error::other(error.to_string());
        let engine: std::sync::Arc<Engine> = engines.get(EngineKind::Interpreter).map_err(no_engine)?;
        let clocks = ToldClocks {
            startclock: start.startclock.as_secs_f64(),
            playclock: start.playclock.as_secs_f64(),
        };
        let heading = EvidenceHeading {
            game: path,
            rules: hash,
            match_id: start.id.clone(),
            player: session.parts.spec.spec().to_string(),
            seed: self.seed,
            dialect: WireDialect::told(known.is_numbered, game.is_imperfect()).to_string(),
            clocks,
        };
        let mut record = EvidenceRecord::new(&*engine, heading, evidence, outcome);
        // A game master may say any number of a step.
        let longest = evidence.step() + LONGEST_HOLE;
        for played in session.steps.iter().filter(|played| played.step <= longest) {
            let step = record.step(played.step);
            step.answered = Some(played.answered.clone());
            step.seconds = Some(played.seconds);
            step.late = played.late;
            step.fallback.clone_from(&played.fallback);
        }
        if known.has_hole() {
            // Nothing is known of the steps before the last message.
            record.step(known.made.saturating_sub(1).min(longest));
        }
        record.remarks = [&session.remarks[..], &known.remarks[..]].concat();
        record.run = Some(RunInfo::now(engine.kind(), 1, seconds));
        Ok(record)
    }
}
