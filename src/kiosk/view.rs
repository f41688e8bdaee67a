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
use toml::Spanned;

use hyperplay_logic::gdl::{Atom, Game, Literal, Symbol, Term, did_you_mean};
use hyperplay_view::GroupKind;

/// The longest glyph, in characters.
const LONGEST: usize = 4;

/// The names of colours. The page that draws them decides how they look.
const COLOURS: [&str; 8] =
    ["accent1", "accent2", "accent3", "accent4", "accent5", "accent6", "light", "dark"];

/// How a game is drawn.
///
/// ```
/// use hyperplay_logic::gdl::{Source, load};
/// use hyperplay_kiosk::{BoardView, ViewError};
/// use hyperplay_view::GroupKind;
///
/// let text = "(role me) (init (lies table queen)) (legal me noop) (<= terminal (true (lies table queen))) (goal me 50)";
/// let game = load(Source::new("lies.kif", text), None).game.expect("the rules are in order");
/// let view = BoardView::read("[glyphs]\nqueen = \"Q\"\n[kinds]\nlies = \"cards\"\n", &game)?;
/// assert_eq!((view.glyphs["queen"].as_str(), view.kinds["lies"]), ("Q", GroupKind::Cards));
/// let wrong: ViewError = BoardView::read("[glyphs]\nquen = \"Q\"\n", &game).unwrap_err();
/// assert_eq!(wrong.to_string(), "line 2: [glyphs] names 'quen', which is not in the rules (did you mean 'queen'?)");
/// # Ok::<(), ViewError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct BoardView {
    /// The glyph that is drawn for a name.
    pub glyphs: BTreeMap<String, String>,
    /// In which colour.
    pub colours: BTreeMap<String, String>,
    /// Whether the rows are drawn from the bottom.
    pub flip: bool,
    /// The kind of picture that is drawn for the facts of a relation.
    pub kinds: BTreeMap<String, GroupKind>,
}

/// The error in a view, in words.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct ViewError(String);

impl BoardView {
    /// Reads a view for a game.
    ///
    /// # Errors
    /// If it is no TOML of this form, or names what the rules do not have.
    pub fn read(text: &str, game: &Game) -> Result<BoardView, ViewError> {
        let read: ReadView = toml::from_str(text).map_err(|error| ViewError(error.to_string()))?;
        let line = |span: std::ops::Range<usize>| {
            1 + text.bytes().take(span.start).filter(|&byte| byte == b'\n').count()
        };
        let names = Names::of(game);
        let mut view = BoardView { flip: read.flip, ..BoardView::default() };
        for (name, glyph) in read.glyphs {
            let (line, glyph) = (line(glyph.span()), glyph.into_inner());
            let name = names.spelling(&name, game, "glyphs", line)?;
            if glyph.chars().count() > LONGEST || glyph.chars().any(char::is_control) {
                return Err(ViewError(format!(
                    "line {line}: '{glyph}' is no glyph: it has more than {LONGEST} characters, or some that cannot be \
                     drawn"
                )));
            }
            view.glyphs.insert(name, glyph);
        }
        for (name, colour) in read.colours {
            let (line, colour) = (line(colour.span()), colour.into_inner());
            let name = names.spelling(&name, game, "colours", line)?;
            if !COLOURS.contains(&colour.as_str()) {
                let colours = COLOURS.join(", ");
                return Err(ViewError(format!("line {line}: '{colour}' is no colour; there are {colours}")));
            }
            view.colours.insert(name, colour);
        }
        for (name, kind) in read.kinds {
            let line = line(kind.span());
            let spelt = names.spelling(&name, game, "kinds", line)?;
            if !names.relations.contains(&spelt) {
                let near =
                    near(&name, &names.relations, "[kinds] names what holds in a state, such as `lies`");
                let is_none = "which is no relation that holds in a state";
                return Err(ViewError(format!("line {line}: [kinds] names '{name}', {is_none}{near}")));
            }
            view.kinds.insert(spelt, kind.into_inner());
        }
        Ok(view)
    }
}

/// A view as it is read: each value with its place.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct ReadView {
    glyphs: BTreeMap<String, Spanned<String>>,
    colours: BTreeMap<String, Spanned<String>>,
    flip: bool,
    kinds: BTreeMap<String, Spanned<GroupKind>>,
}

/// The names in the rules of a game, as they are spelt there.
struct Names {
    all: BTreeSet<String>,
    /// The relations that hold in states.
    relations: BTreeSet<String>,
}

impl Names {
    fn of(game: &Game) -> Names {
        let mut names = Names { all: BTreeSet::new(), relations: BTreeSet::new() };
        for rule in game.rules() {
            names.add_atom(&rule.head, game);
            for literal in &rule.body {
                match literal {
                    Literal::Positive(atom) | Literal::Negative(atom) => names.add_atom(atom, game),
                    Literal::Distinct(a, b) | Literal::Same(a, b) => {
                        names.add(a, game);
                        names.add(b, game);
                    }
                }
            }
        }
        names
    }

    fn add_atom(&mut self, atom: &Atom, game: &Game) {
        let name = |symbol: Symbol| game.terms().symbols().name(symbol).to_owned();
        self.all.insert(name(atom.relation));
        let is_of_states = matches!(atom.relation, Symbol::INIT | Symbol::NEXT | Symbol::BASE | Symbol::TRUE);
        if let Some(Term::Constant(symbol) | Term::Compound(symbol, _)) = atom.arguments.first()
            && is_of_states
        {
            self.relations.insert(name(*symbol));
        }
        atom.arguments.iter().for_each(|term| self.add(term, game));
    }

    fn add(&mut self, term: &Term, game: &Game) {
        match term {
            Term::Variable(_) => {}
            Term::Constant(symbol) => drop(self.all.insert(game.terms().symbols().name(*symbol).to_owned())),
            Term::Compound(functor, arguments) => {
                self.all.insert(game.terms().symbols().name(*functor).to_owned());
                arguments.iter().for_each(|term| self.add(term, game));
            }
        }
    }

    /// A name in the spelling of the rules, where case does not matter. A name of several terms, such as `white king`,
    /// has all its words in the rules.
    fn spelling(&self, name: &str, game: &Game, table: &str, line: usize) -> Result<String, ViewError> {
        let symbols = game.terms().symbols();
        let word = |word: &str| {
            let spelt = symbols.get(word).map(|symbol| symbols.name(symbol).to_owned());
            spelt.filter(|spelt| self.all.contains(spelt))
        };
        let words: Option<Vec<String>> = name.split_whitespace().map(word).collect();
        words.filter(|words| !words.is_empty()).map(|words| words.join(" ")).ok_or_else(|| {
            let near = near(name, &self.all, "names are spelt as in the rules");
            ViewError(format!("line {line}: [{table}] names '{name}', which is not in the rules{near}"))
        })
    }
}

/// The name that may be meant, or a remedy if nothing is near.
fn near(name: &str, names: &BTreeSet<String>, otherwise: &str) -> String {
    match did_you_mean(name, names.iter().map(String::as_str)) {
        near if near.is_empty() => format!("; {otherwise}"),
        near => near,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_games::builtin;
    use hyperplay_logic::gdl::{Source, load};

    #[test]
    fn every_view_is_that_of_a_game_and_names_what_is_in_its_rules() {
        assert!(builtin::viewed().count() > 0);
        for name in builtin::viewed() {
            let game = builtin::find(name).unwrap_or_else(|| panic!("{name}"));
            let rules = load(game.source(), None).game.unwrap();
            let view = BoardView::read(game.view().unwrap(), &rules)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_ne!(view, BoardView::default(), "{name}");
        }
    }

    #[test]
    fn a_mistake_in_a_view_is_told_with_its_line_and_a_remedy() {
        let rules = "; the piece of a wizard\n(card jack) (card king) (init (lies table king))
            (<= (next (lies table ?card)) (card ?card))";
        let text = format!(
            "(role me) {rules} (legal me noop) (<= terminal (not (true (lies table king)))) (goal me 50)"
        );
        let game = load(Source::new("cards.kif", text), None).game.unwrap();
        let said = |text: &str| match BoardView::read(text, &game) {
            Ok(view) => format!("{view:?}"),
            Err(error) => error.to_string(),
        };
        // The colour is wrong, not the glyph of the same name.
        let twice = said("[glyphs]\nking = \"K\"\n[colours]\nking = \"purplish\"\n");
        assert!(twice.starts_with("line 4: 'purplish' is no colour; there are accent1"), "{twice}");
        // A word of a comment is no name of the rules, and a card is no relation.
        let comment = said("[glyphs]\nwizard = \"W\"\n");
        assert!(
            comment.starts_with("line 2: [glyphs] names 'wizard', which is not in the rules"),
            "{comment}"
        );
        let card = said("[kinds]\nking = \"cards\"\n");
        assert!(card.starts_with("line 2: [kinds] names 'king', which is no relation"), "{card}");
        let inline = said("flip = true\nglyphs = { jack = \"J\", king = \"K\", quen = \"Q\" }\n");
        assert!(inline.starts_with("line 2: [glyphs] names 'quen'"), "{inline}");
        // Case does not matter in rules, and the picture has their spelling.
        let view = BoardView::read("[glyphs]\nKING = \"K\"\n", &game)
            .map(|view| view.glyphs.into_keys().collect::<Vec<_>>());
        assert_eq!(view, Ok(vec!["king".to_owned()]));
        let key = said("colors = 1\n");
        assert!(key.contains("line 1") && key.contains("expected one of"), "{key}");
    }
}
