//! The built-in games: the folder `games/`, which is part of the program.
//!
//! A game is named by its file without the ending; where two files differ in the ending only (the two syntaxes of one
//! game) the name means the `.kif` one and the other goes by its full file name.

use std::path::Path;

use include_dir::{Dir, File, include_dir};

use hyperplay_logic::gdl::{Source, nearest_names};

static PERFECT: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/sheets/perfect");
static VIEWS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/sheets/views");
static SIDL: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/sheets/sidl");
static IMPERFECT: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/sheets/imperfect");

/// One built-in game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Builtin {
    /// The name by which it is asked for.
    pub name: String,
    /// Its file in the project.
    pub path: String,
    /// Whether it is kept among the games with perfect information.
    pub perfect: bool,
    /// Its text.
    pub text: &'static str,
}

impl Builtin {
    /// The text as a source named by the game.
    pub fn source(&self) -> Source {
        Source::new(self.name.clone(), self.text)
    }

    /// How it is drawn, where its rules do not say enough: the text of a view file.
    pub fn view(&self) -> Option<&'static str> {
        let stem = Path::new(&self.path).file_stem()?.to_str()?;
        VIEWS.get_file(format!("{stem}.view.toml"))?.contents_utf8()
    }

    /// The first sentence of its first comment: what it is.
    pub fn about(&self) -> String {
        let lines = self.text.lines().map(|line| line.trim_start_matches([';', '%', '/', ' ']).trim());
        let comment: Vec<&str> =
            lines.skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty()).collect();
        let comment = comment.join(" ");
        let sentence = comment.split_once(". ").map(|(sentence, _)| sentence);
        sentence.unwrap_or(&comment).trim_end_matches('.').to_owned()
    }
}

/// The names of the games that have a view file.
pub fn viewed() -> impl Iterator<Item = &'static str> {
    VIEWS.files().filter_map(|file| file.path().to_str()?.strip_suffix(".view.toml"))
}

/// All built-in games, the perfect ones first, by name.
pub fn all() -> Vec<Builtin> {
    [of_folder(&PERFECT, "perfect", true), of_folder(&IMPERFECT, "imperfect", false)].concat()
}

/// The built-in interactions in SIDL, by name: each goes by its full file name.
pub fn interactions() -> Vec<Builtin> {
    of_folder(&SIDL, "sidl", false)
}

/// All built-in games, and behind them the interactions.
pub fn everything() -> impl Iterator<Item = Builtin> {
    all().into_iter().chain(interactions())
}

/// The built-in game with this name or file name, ignoring case.
pub fn find(name: &str) -> Option<Builtin> {
    everything().find(|game| {
        let file = game.path.rsplit('/').next().unwrap_or_default();
        game.name.eq_ignore_ascii_case(name) || file.eq_ignore_ascii_case(name)
    })
}

/// Advice about a name that is no built-in game: the nearest ones, and the command that lists them all.
pub fn remedy(name: &str) -> String {
    let games = all();
    let stem = Path::new(name).file_stem().and_then(|stem| stem.to_str()).unwrap_or(name);
    match &nearest_names(stem, games.iter().map(|game| game.name.as_str()), 3)[..] {
        [] => "`hyperplay games` lists the built-in games".to_owned(),
        near => format!("did you mean {}? `hyperplay games` lists all", near.join(" or ")),
    }
}

/// The games of a folder, by name.
fn of_folder(dir: &Dir<'static>, folder: &str, perfect: bool) -> Vec<Builtin> {
    let games = dir.files().filter_map(|file| builtin(dir, folder, file, perfect));
    let mut games: Vec<Builtin> = games.collect();
    games.sort_by(|a, b| a.name.cmp(&b.name));
    games
}

fn builtin(dir: &Dir<'static>, folder: &str, file: &'static File<'static>, perfect: bool) -> Option<Builtin> {
    let path = file.path();
    let (stem, full) = (path.file_stem()?.to_str()?, path.file_name()?.to_str()?);
    let is_second = !full.ends_with(".kif") && dir.contains(path.with_extension("kif"));
    let is_sidl = full.ends_with(".sidl");
    Some(Builtin {
        name: if is_second || is_sidl { full.to_owned() } else { stem.to_owned() },
        path: format!("games/{folder}/{full}"),
        perfect,
        text: file.contents_utf8()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_game_has_its_own_name_and_says_what_it_is() {
        let games = all();
        assert!(!games.is_empty());
        for game in &games {
            assert_eq!(find(&game.name).as_ref(), Some(game));
            assert!(!game.about().is_empty(), "{}", game.name);
        }
    }
}
