//! A repository of games as ggp-base lays it out: a folder for each game, and in it one for each later version.
//!
//! ```text
//! ROOT/games/NAME/METADATA       {"gameName": .., "rulesheet": "x.kif", "description": .., "stylesheet": ..}
//! ROOT/games/NAME/x.kif          version 0; it may also lie in NAME/v0
//! ROOT/games/NAME/v1/x.kif       version 1: a file that it does not have is that of the version before
//! ```
//!
//! Stylesheets, user interfaces and descriptions are served and not read. Everything is read anew each time, so a new
//! version is there at once.
//!
//! Invariant: no name of a game or a file leads out of its folder, whoever wrote it: each is one plain part of a path. No
//! symbolic link leads out of the repository.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde_json::{Map, Value, json};

use hyperplay_logic::gdl::{self, MAX_TEXT, Source, Symbol, did_you_mean, print_term};

/// The name of the file that says where the rules of a version are.
const METADATA: &str = "METADATA";

/// How many games a message lists.
const SHOWN: usize = 12;

/// Why a name has no rules.
#[derive(Debug, thiserror::Error)]
pub enum GameNameError {
    /// There is no such game.
    #[error("{what}")]
    Unknown {
        /// The name and where it was looked for.
        what: String,
        /// What there is.
        remedy: String,
    },
    /// A file cannot be read.
    #[error("{}: {_1}", _0.display())]
    Unreadable(PathBuf, io::Error),
}

/// A folder with games.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GameRepository(PathBuf);

impl GameRepository {
    /// The repository whose root, in which the folder `games` lies, is this.
    pub fn new(root: &Path) -> GameRepository {
        GameRepository(root.join("games"))
    }

    /// The names of its games, in order.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn games(&self) -> Result<Vec<String>, GameNameError> {
        Ok(entries(&self.0)?.into_iter().filter(|game| self.0.join(game).is_dir()).collect())
    }

    /// The rules of a game, of its last version if none is asked for. The source is named by game and version.
    ///
    /// # Errors
    /// If there is no such game or version, or its METADATA or rules cannot be read.
    pub fn rules(&self, game: &str, version: Option<u32>) -> Result<Source, GameNameError> {
        Ok(self.read(game, version)?.1)
    }

    /// What is at this path of the address of a repository: the names of the games at `games/`, the METADATA of all at
    /// `games/metadata`, that of one at `games/NAME/` or `games/NAME/v1/`, and its files below. METADATA has the version
    /// and the names of the roles beside what is written.
    ///
    /// # Errors
    /// If nothing is there, or METADATA or rules cannot be read.
    pub fn served(&self, path: &str) -> Result<Vec<u8>, GameNameError> {
        let parts: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        let version = |name: &str| name.strip_prefix('v').and_then(|number| number.parse().ok());
        let (game, version, file) = match parts[..] {
            ["games", ""] => return Ok(json!(self.games()?).to_string().into_bytes()),
            ["games", "metadata"] => {
                // A game that cannot be read does not hide the others.
                let described = |game: String| Some((game.clone(), self.described(&game, None).ok()?));
                let all: Map<String, Value> = self.games()?.into_iter().filter_map(described).collect();
                return Ok(Value::from(all).to_string().into_bytes());
            }
            ["games", game, file] => (game, None, file),
            ["games", game, folder, file] if version(folder).is_some() => (game, version(folder), file),
            _ => return Err(missing(path.into())),
        };
        if file.is_empty() || file == METADATA {
            return Ok(self.described(game, version)?.to_string().into_bytes());
        }
        read_file(&self.file(game, self.version(game, version)?, file)?)
    }

    /// The METADATA of a game with what a client wants to know besides.
    fn described(&self, game: &str, version: Option<u32>) -> Result<Value, GameNameError> {
        let (mut written, source) = self.read(game, version)?;
        let (rules, _) = gdl::read(source, None);
        let roles = rules.clauses.iter().filter(|clause| clause.head.relation == Symbol::ROLE);
        let name = |role| print_term(role, &rules.symbols, rules.syntax);
        let roles: Vec<String> = roles.filter_map(|clause| clause.head.arguments.first().map(name)).collect();
        written.insert("numRoles".to_owned(), roles.len().into());
        written.insert("roleNames".to_owned(), roles.into());
        Ok(Value::from(written))
    }

    /// The versions of a game.
    fn versions(&self, game: &str) -> Result<BTreeSet<u32>, GameNameError> {
        let folder = self.0.join(game);
        if !is_plain(game) || !folder.is_dir() {
            let games = self.games()?;
            let near = did_you_mean(game, games.iter().map(String::as_str));
            return Err(GameNameError::Unknown {
                what: format!("'{game}' is no game of the repository {}{near}", self.0.display()),
                remedy: format!("there are {}", games[..games.len().min(SHOWN)].join(", ")),
            });
        }
        let number = |name: &String| name.strip_prefix('v')?.parse().ok();
        Ok(entries(&folder)?.iter().filter_map(number).chain([0]).collect())
    }

    /// The version that is asked for, or the last one.
    fn version(&self, game: &str, asked: Option<u32>) -> Result<u32, GameNameError> {
        let versions = self.versions(game)?;
        let version = asked.or_else(|| versions.last().copied()).unwrap_or(0);
        if versions.contains(&version) {
            return Ok(version);
        }
        let versions: Vec<String> = versions.iter().map(|version| format!("v{version}")).collect();
        Err(GameNameError::Unknown {
            what: format!("'{game}' has no version v{version}"),
            remedy: format!("there are {}", versions.join(", ")),
        })
    }

    /// Where a file of a version is: in its folder, or else in that of the latest version before it.
    fn file(&self, game: &str, version: u32, file: &str) -> Result<PathBuf, GameNameError> {
        let (folder, versions) = (self.0.join(game), self.versions(game)?);
        let versions = versions.into_iter().rev().filter(|&of| of <= version).map(|of| format!("v{of}"));
        let mut places = versions.map(|of| folder.join(of).join(file)).chain([folder.join(file)]);
        let found = if is_plain(file) { places.find(|path| path.is_file()) } else { None };
        let found = found.ok_or_else(|| missing(folder.join(file)))?;
        let real = |path: &Path| {
            fs::canonicalize(path).map_err(|cause| GameNameError::Unreadable(path.to_owned(), cause))
        };
        if real(&found)?.starts_with(real(&self.0)?) {
            return Ok(found);
        }
        Err(GameNameError::Unreadable(found, io::Error::other("a link leads out of the repository of games")))
    }

    /// What the METADATA of a version says, with its number, and its rules.
    fn read(&self, game: &str, asked: Option<u32>) -> Result<(Map<String, Value>, Source), GameNameError> {
        let version = self.version(game, asked)?;
        let path = self.file(game, version, METADATA)?;
        let text = read_file(&path)?;
        let broken = |what: String| GameNameError::Unreadable(path.clone(), io::Error::other(what));
        let mut written: Map<String, Value> =
            serde_json::from_slice(&text).map_err(|error| broken(format!("no object of JSON: {error}")))?;
        let rules = written.get("rulesheet").and_then(Value::as_str);
        let rules = rules.ok_or_else(|| broken("it names no \"rulesheet\"".to_owned()))?;
        let text = read_file(&self.file(game, version, rules)?)?;
        let source = Source::new(format!("ggp:{game}/v{version}"), String::from_utf8_lossy(&text));
        written.insert("version".to_owned(), version.into());
        Ok((written, source))
    }
}

/// Reads all that comes, but no more than shows that it is too long for rules: it may have no end. As text a byte that
/// is no UTF-8 is a replacement character, which the reader of rules reports at its place.
///
/// # Errors
/// That of the operating system.
pub fn read_bounded(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MAX_TEXT as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// As [`read_bounded`], from a file.
pub(super) fn read_file(path: &Path) -> Result<Vec<u8>, GameNameError> {
    let bytes = fs::File::open(path).and_then(read_bounded);
    bytes.map_err(|cause| GameNameError::Unreadable(path.to_owned(), cause))
}

/// Whether a name is one plain part of a path, as ggp-base takes them: neither hidden nor with a blank.
fn is_plain(name: &str) -> bool {
    let is_odd = |c: char| c.is_whitespace() || c.is_control() || "/\\:".contains(c);
    !name.is_empty() && !name.starts_with('.') && !name.contains(is_odd)
}

/// The plain names in a folder, in order.
fn entries(folder: &Path) -> Result<BTreeSet<String>, GameNameError> {
    let entries =
        fs::read_dir(folder).map_err(|cause| GameNameError::Unreadable(folder.to_owned(), cause))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    Ok(names.filter(|name| is_plain(name)).collect())
}

fn missing(path: PathBuf) -> GameNameError {
    GameNameError::Unreadable(path, io::ErrorKind::NotFound.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::GameNames;
    use tempfile::TempDir;

    fn put(root: &Path, path: &str, text: &str) {
        let path = root.join("games").join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn nim(most: usize) -> String {
        format!("(role me) (init a) (legal me (take {most})) (<= terminal (not (true a))) (goal me 1)")
    }

    /// Nim in three versions, of which the second has rules only; a game in `v0`; three games with something wrong.
    fn repository() -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let of = |file: &str| format!(r#"{{"gameName": "N", "rulesheet": "{file}", "stylesheet": "n.xsl"}}"#);
        for (path, text) in [
            ("nim/METADATA", of("nim.kif")),
            ("nim/nim.kif", nim(0)),
            ("nim/nim.txt", "take the last".to_owned()),
            ("nim/v1/nim.kif", nim(1)),
            ("nim/v12/METADATA", of("new.kif")),
            ("nim/v12/new.kif", nim(12)),
            ("other/v0/METADATA", of("other.kif")),
            ("other/v0/other.kif", nim(3)),
            ("broken/METADATA", "{\"rulesheet\": ".to_owned()),
            ("silent/METADATA", "{\"gameName\": \"Silent\"}".to_owned()),
            ("absent/METADATA", of("absent.kif")),
            ("escaping/METADATA", of("../nim/nim.kif")),
            (".hidden/METADATA", of("nim.kif")),
        ] {
            put(folder.path(), path, &text);
        }
        put(folder.path(), "../secret.kif", &nim(99));
        folder
    }

    fn says(result: Result<Source, GameNameError>) -> String {
        match result {
            Ok(source) => format!("{}: {}", source.name(), source.text()),
            Err(GameNameError::Unknown { what, remedy }) => format!("{what}; {remedy}"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_version_has_the_files_of_the_ones_before_it_where_it_has_none() {
        let folder = repository();
        let names = GameNames { repository: Some(folder.path().to_owned()), ..GameNames::default() };
        let rules = |name: &str| says(names.source(name));
        assert_eq!(rules("ggp:nim"), format!("ggp:nim/v12: {}", nim(12)));
        assert_eq!(rules("ggp:nim/v12"), rules("ggp:nim"));
        assert_eq!(rules("ggp:nim/v1"), format!("ggp:nim/v1: {}", nim(1)));
        assert_eq!(rules("ggp:nim/v0"), format!("ggp:nim/v0: {}", nim(0)));
        assert_eq!(rules("ggp:other"), format!("ggp:other/v0: {}", nim(3)));
    }

    #[test]
    fn an_error_says_what_there_is() {
        let folder = repository();
        let names = GameNames { repository: Some(folder.path().to_owned()), ..GameNames::default() };
        let error = |name: &str| says(names.source(name));
        let told = error("ggp:nimm");
        assert!(
            told.contains("did you mean 'nim'?") && told.contains("absent, broken, escaping, nim"),
            "{told}"
        );
        assert_eq!(error("ggp:nim/v2"), "'nim' has no version v2; there are v0, v1, v12");
        assert!(error("ggp:nim/12").contains("as in ggp:nim/v1"));
        assert!(error("ggp:broken").contains("games/broken/METADATA: no object of JSON: EOF"));
        assert!(error("ggp:silent").contains("games/silent/METADATA: it names no \"rulesheet\""));
        assert!(error("ggp:absent").contains("games/absent/absent.kif: "), "{}", error("ggp:absent"));
        assert!(error("gpp:nim").contains("'gpp', which is no source of games"));
        assert!(error("kuhn_poker:cards=13").contains("has parameters, and no built-in game takes any"));
        assert!(says(GameNames::default().source("ggp:nim")).contains("set HYPERPLAY_REPOSITORY"));
        let gone = GameRepository::new(Path::new("/nothing/of/this/name"));
        assert!(says(gone.rules("nim", None)).contains("/nothing/of/this/name/games: "));
    }

    #[test]
    fn nothing_outside_the_folder_of_a_game_is_read() {
        let folder = repository();
        let names = GameNames { repository: Some(folder.path().to_owned()), ..GameNames::default() };
        for name in [
            "ggp:../../secret",
            "ggp:..",
            "ggp:",
            "ggp:nim/../other",
            "ggp:.hidden",
            "ggp:escaping",
            "ggp:/etc",
        ] {
            assert!(names.source(name).is_err(), "{name}");
        }
        let repository = GameRepository::new(folder.path());
        for path in [
            "/games/../secret.kif",
            "/games/nim/../../secret.kif",
            "/games/nim/v0/../../../secret.kif",
            "/games/../../etc/passwd",
            "/games//etc/passwd",
            "/games/nim/v1",
            "/games/.hidden/METADATA",
            "/games/escaping/",
            "/secret.kif",
            "/games",
            "/",
            "",
            "/games/nim/v99999999999/nim.kif",
        ] {
            assert!(repository.served(path).is_err(), "{path}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_link_that_leads_out_of_the_repository_is_not_followed() {
        use std::os::unix::fs::symlink;
        let (folder, outside) = (repository(), tempfile::tempdir().unwrap());
        fs::write(outside.path().join("secret.kif"), nim(99)).unwrap();
        let games = folder.path().join("games");
        symlink(outside.path().join("secret.kif"), games.join("nim/secret.kif")).unwrap();
        symlink(outside.path(), games.join("linked")).unwrap();
        symlink("../other/v0/other.kif", games.join("nim/lent.kif")).unwrap();
        let repository = GameRepository::new(folder.path());
        for path in ["/games/nim/secret.kif", "/games/linked/secret.kif"] {
            let error = repository.served(path).unwrap_err().to_string();
            assert!(error.ends_with("a link leads out of the repository of games"), "{path}: {error}");
        }
        assert_eq!(repository.served("/games/nim/lent.kif").unwrap(), nim(3).into_bytes());
    }

    #[test]
    fn a_client_of_ggp_base_finds_what_it_asks_for() {
        let folder = repository();
        let repository = GameRepository::new(folder.path());
        let text = |path: &str| String::from_utf8(repository.served(path).unwrap()).unwrap();
        let read = |path: &str| -> Value { serde_json::from_str(&text(path)).unwrap() };
        assert_eq!(read("/games/"), json!(["absent", "broken", "escaping", "nim", "other", "silent"]));
        let all = read("/games/metadata");
        assert_eq!(all.as_object().unwrap().keys().collect::<Vec<_>>(), ["nim", "other"]);
        let last = read("/games/nim/");
        assert_eq!((&all["nim"], &last["version"]), (&last, &json!(12)));
        assert_eq!(
            (&last["gameName"], &last["roleNames"], &last["numRoles"]),
            (&json!("N"), &json!(["me"]), &json!(1))
        );
        assert_eq!(read("/games/nim/v1/")["version"], 1);
        assert_eq!(read("/games/nim/v1/METADATA"), read("/games/nim/v1/"));
        assert_eq!(text("/games/nim/v12/new.kif"), nim(12));
        assert_eq!(text("/games/nim/v1/nim.kif"), nim(1));
        assert_eq!(text("/games/nim/v12/nim.txt"), "take the last");
        assert_eq!(text("/games/nim/nim.kif"), nim(1));
    }
}
