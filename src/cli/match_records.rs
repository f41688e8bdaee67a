//! The records of matches that `host` keeps for other programs: ggp.org's record, and what viewers may see.

use std::path::PathBuf;

use super::failure::CommandResult;
use super::output::log;
use hyperplay_engine::Engine;
use hyperplay_machine::{Role, Seed};
use hyperplay_net::host::{RecordHeading, SightRules, ggp_record};
use hyperplay_play::files::{FileContent, WrittenFile};
use hyperplay_play::referee::{Heading, Match, MatchOutcome, Settings};
use serde_json::Value;

/// Which records are kept, and where: one file a match and form.
pub struct MatchRecords {
    /// The folder, which exists.
    pub folder: PathBuf,
    /// Whether ggp.org's record is kept.
    pub ggp: bool,
    /// The rules on what viewers may see, if that is kept.
    pub sight: Option<SightRules>,
    /// Whether names are scrambled.
    pub scrambled: bool,
}

impl MatchRecords {
    /// Keeps a match, unless it was interrupted before its first step. The heading is that of the transcript, with the
    /// seed of the match, the times of its states, and the roles of persons.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn keep(
        &self,
        machine: &Engine,
        (transcript, seed, times, persons): (&Heading, &Seed, &[u64], &[Role]),
        settings: &Settings,
        played: &Match,
    ) -> CommandResult {
        if played.outcome == MatchOutcome::Interrupted && played.steps.is_empty() {
            return Ok(());
        }
        if self.ggp {
            let heading = RecordHeading { transcript, seed, times, scrambled: self.scrambled, persons };
            self.write("json", &settings.id, &ggp_record(machine, &heading, settings, played))?;
        }
        if let Some(sight) = &self.sight {
            self.write("sight.json", &settings.id, &sight.of(machine, &settings.id, played))?;
        }
        Ok(())
    }

    fn write(&self, extension: &str, id: &str, record: &Value) -> CommandResult {
        let path = self.folder.join(format!("{id}.{extension}"));
        let text = format!("{record}\n");
        WrittenFile::at(&path, FileContent::beginning("record of this match", text.as_str()))?.text(text)?;
        log(format_args!("{}", path.display()));
        Ok(())
    }
}
