//! Names of games: a file, a built-in game, or `SOURCE:NAME` with parameters behind it, as in specs.
//!
//! A file goes before a built-in game of its name. There is one source, `ggp`: a repository in the layout of ggp-base,
//! as in `ggp:breakthrough` for the last version and `ggp:breakthrough/v1` for another. No built-in game has
//! parameters.

use std::path::PathBuf;

use super::builtin;
use super::repository::{GameNameError, GameRepository, read_file};
use hyperplay_logic::gdl::Source;

/// Where games are looked up.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GameNames {
    /// The folder that paths begin at; where it is empty, the current one.
    pub folder: PathBuf,
    /// The root of the repository `ggp`, if there is one.
    pub repository: Option<PathBuf>,
}

impl GameNames {
    /// The rules that a name means. The source is named by the path, the built-in game, or the game of the repository
    /// with its version.
    ///
    /// ```
    /// use hyperplay_games::names::GameNames;
    ///
    /// let names = GameNames::default();
    /// assert_eq!(names.source("Kuhn_Poker.kif")?.name(), "kuhn_poker");
    /// assert!(names.source("kuhn_poker:cards=13").is_err());
    /// # Ok::<(), hyperplay_games::repository::GameNameError>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such file or game, or it cannot be read.
    pub fn source(&self, name: &str) -> Result<Source, GameNameError> {
        let path = self.folder.join(name);
        if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("efg")) {
            let remedy = format!("make rules of it: hyperplay convert {name} --to kif > game.kif");
            return unknown(name, "is a game tree and no rulesheet", remedy);
        }
        if path.is_file() && path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
        {
            let remedy = format!(
                "`hyperplay experiment run {name} --out DIR` and `hyperplay belief {name}` read such files"
            );
            return unknown(name, "is the file of an experiment or a study and no rulesheet", remedy);
        }
        // Anything but a folder can be read: a pipe too.
        if path.exists() && !path.is_dir() {
            return Ok(Source::new(path.to_string_lossy(), String::from_utf8_lossy(&read_file(&path)?)));
        }
        if let Some(builtin) = builtin::find(name) {
            return Ok(builtin.source());
        }
        match name.split_once(':') {
            Some(("ggp", game)) => self.of_repository(name, game),
            Some((game, _)) if builtin::find(game).is_some() => {
                unknown(name, "has parameters, and no built-in game takes any", builtin::remedy(game))
            }
            Some((source, _)) if !source.contains('/') => {
                let what = format!("names '{source}', which is no source of games");
                unknown(name, &what, "the source of a repository is ggp, as in ggp:breakthrough".to_owned())
            }
            _ if path.is_dir() => unknown(name, "is a folder", "name the files in it".to_owned()),
            _ => unknown(name, "is neither a file nor a built-in game", builtin::remedy(name)),
        }
    }

    /// A game of the repository.
    fn of_repository(&self, name: &str, game: &str) -> Result<Source, GameNameError> {
        let Some(root) = &self.repository else {
            let remedy = "set HYPERPLAY_REPOSITORY to the folder in which its folder 'games' lies";
            return unknown(name, "is for a repository, and none is named", remedy.to_owned());
        };
        let (game, version) =
            game.split_once('/').map_or((game, None), |(game, version)| (game, Some(version)));
        let number = version.map(|version| version.strip_prefix('v').and_then(|number| number.parse().ok()));
        match number {
            Some(None) => {
                unknown(name, "has no version behind its slash", "write it as in ggp:nim/v1".to_owned())
            }
            number => GameRepository::new(root).rules(game, number.flatten()),
        }
    }
}

fn unknown(name: &str, what: &str, remedy: String) -> Result<Source, GameNameError> {
    Err(GameNameError::Unknown { what: format!("'{name}' {what}"), remedy })
}
