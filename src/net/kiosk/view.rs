//! Views: a small file beside the rules that says how a game is drawn, where its rules do not say enough.
//!
//! ```toml
//! [glyphs]              # what stands in a cell, by its name in the rules
//! x = "✕"
//! [colours]             # accent1 to accent6, light, dark
//! x = "accent2"
//! [kinds]               # cards, dice, counter, marks or table, by relation
//! lies = "cards"
//! ```
//!
//! Invariant: a view changes no fact and hides none; a game is drawn without it as well.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use hyperplay_logic::gdl::{Game, did_you_mean};
use hyperplay_play::board::GroupKind;

/// The longest glyph, in characters.
const LONGEST: usize = 4;

/// The names of colours. What they look like is up to whoever draws.
const COLOURS: [&str; 8] =
    ["accent1", "accent2", "accent3", "accent4", "accent5", "accent6", "light", "dark"];

/// How a game is drawn.
///
/// ```
/// use hyperplay_logic::gdl::{Source, load};
/// use hyperplay_net::kiosk::{BoardView, ViewError};
/// use hyperplay_play::board::GroupKind;
///
/// let text = "(role me) (init (lies table queen)) (legal me noop) (<= terminal (true (lies table queen))) (goal me 50)";
/// let game = load(Source::new("lies.kif", text), None).game.expect("the rules are in order");
/// let view = BoardView::read("[glyphs]\nqueen = \"Q\"\n[kinds]\nlies = \"cards\"\n", &game)?;
/// assert_eq!((view.glyphs["queen"].as_str(), view.kinds["lies"]), ("Q", GroupKind::Cards));
/// let wrong: ViewError = BoardView::read("[glyphs]\nquen = \"Q\"\n", &game).unwrap_err();
/// assert_eq!(wrong.to_string(), "line 2: [glyphs] names 'quen', which is not in the rules (did you mean 'queen'?)");
/// # Ok::<(), ViewError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BoardView {
    /// What is drawn for a name.
    pub glyphs: BTreeMap<String, String>,
    /// In which colour.
    pub colours: BTreeMap<String, String>,
    /// Whether the rows are drawn from the bottom.
    pub flip: bool,
    /// What the facts of a relation are drawn as.
    pub kinds: BTreeMap<String, GroupKind>,
}

/// What is wrong with a view.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ViewError {
    /// The file is not a view.
    #[error("{0}")]
    Unreadable(String),
    /// A name that the rules do not have.
    #[error("line {line}: [{table}] names '{name}', which is not in the rules{near}")]
    UnknownName {
        /// The line, from 1.
        line: usize,
        /// The table of the file.
        table: &'static str,
        /// The name.
        name: String,
        /// What may be meant.
        near: String,
    },
    /// A colour or a glyph that cannot be drawn.
    #[error("line {line}: '{value}' {why}")]
    Value {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        value: String,
        /// Why.
        why: String,
    },
}

impl BoardView {
    /// Reads a view for a game.
    ///
    /// # Errors
    /// If it is no TOML of this form, or names what the rules do not have.
    pub fn read(text: &str, game: &Game) -> Result<BoardView, ViewError> {
        let view: BoardView =
            toml::from_str(text).map_err(|error| ViewError::Unreadable(error.to_string()))?;
        let rules = game.source().text().to_lowercase();
        let words: BTreeSet<&str> =
            rules.split(|c: char| c.is_whitespace() || "()?,;.:-".contains(c)).collect();
        let line = |name: &str| {
            let names =
                |line: &str| line.split('=').next().is_some_and(|key| key.trim().trim_matches('"') == name);
            text.lines().position(names).map_or(1, |at| at + 1)
        };
        let tables = [
            ("glyphs", view.glyphs.keys().collect::<Vec<_>>()),
            ("colours", view.colours.keys().collect()),
            ("kinds", view.kinds.keys().collect()),
        ];
        for (table, names) in tables {
            for name in names {
                // A name of several terms, such as `white king`, has all its words in the rules.
                let of_rules = |word: &str| words.contains(word.to_lowercase().as_str());
                if !name.split_whitespace().all(of_rules) || name.trim().is_empty() {
                    let near = did_you_mean(name, words.iter().copied());
                    return Err(ViewError::UnknownName { line: line(name), table, name: name.clone(), near });
                }
            }
        }
        for (name, glyph) in &view.glyphs {
            if glyph.chars().count() > LONGEST || glyph.chars().any(char::is_control) {
                let why = format!(
                    "is no glyph: it has more than {LONGEST} characters, or some that cannot be drawn"
                );
                return Err(ViewError::Value { line: line(name), value: glyph.clone(), why });
            }
        }
        for (name, colour) in &view.colours {
            if !COLOURS.contains(&colour.as_str()) {
                let why = format!("is no colour; there are {}", COLOURS.join(", "));
                return Err(ViewError::Value { line: line(name), value: colour.clone(), why });
            }
        }
        Ok(view)
    }
}
