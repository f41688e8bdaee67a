//! The reader: a document from a `.efg` text.
//!
//! It reads whatever Gambit reads, and a little more: names of sets and outcomes may be left out, and blanks are only
//! needed where two words or numbers would otherwise become one. Of all that Gambit accepts, it refuses only what a
//! document cannot hold: imperfect recall, probabilities that do not sum to 1 exactly, and text after the tree.
//!
//! The nodes stand in pre-order, so a list of the nodes above the current one, each with the number of its subtrees
//! that are still to come, is all that is needed; nothing recurses. Syntax is checked token by token, and the first
//! thing that is wrong ends the reading. Recall is checked at the end, when the whole tree is known.
//!
//! Why not the crate `gambit-parser` (0.5): it reads the format well and does not recurse either, but its errors have
//! no place (for what is inconsistent), and it wants blanks around braces where Gambit does not.

use std::borrow::Cow;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::builder::{GambitBuilder, check_chance};
use super::error::{GambitCause, GambitError};
use super::file::{GambitChanceId, GambitFile, GambitSetId};
use super::fraction::{self, Fraction, NumberFault};
use super::token::{GambitToken, GambitTokenKind, GambitTokens, place_in};

/// The forms of nodes, as the remedy of what has none of them.
const NODES: &str = "a node is c NAME SET SETNAME { LABEL PROBABILITY ... } OUTCOME, \
    p NAME PLAYER SET SETNAME { LABEL ... } OUTCOME, or t NAME OUTCOME OUTCOMENAME { PAYOFF ... }";

impl GambitFile {
    /// Reads a document.
    ///
    /// # Errors
    /// If the text is no `.efg` file or its game breaks an invariant of a document; with the place.
    pub fn read(text: &str) -> Result<GambitFile, GambitError> {
        let fault = match Reader::new(text).and_then(Reader::tree) {
            Ok(reader) => return reader.finish(),
            Err(fault) => fault,
        };
        Err(GambitError { place: place_in(text, fault.at), cause: *fault.cause })
    }
}

/// The cause of an error, and the offset.
struct Fault {
    at: usize,
    cause: Box<GambitCause>,
}

fn fault<T>(at: usize, cause: GambitCause) -> Result<T, Fault> {
    Err(Fault { at, cause: Box::new(cause) })
}

/// The set that a node names by its number alone, which must be known.
fn named<Id: Copy>(known: Option<&(Id, usize)>, at: usize, set: impl Fn() -> String) -> Result<Id, Fault> {
    known.map_or_else(|| fault(at, GambitCause::unknown_set(&set())), |&(id, _)| Ok(id))
}

/// Payoffs that are added to all below, if any.
type Payoffs = Option<Rc<[Fraction]>>;

/// A node above the current one.
struct Above {
    /// How many of its subtrees are still to come.
    missing: usize,
    /// The sum of the payoffs on the way, its own included.
    payoffs: Payoffs,
}

struct Reader<'t> {
    /// The whole text.
    whole: &'t str,
    tokens: GambitTokens<'t>,
    token: GambitToken<'t>,
    builder: GambitBuilder,
    players: usize,
    /// The definitions that were given before, by number, with the offset of the node where it was given first.
    sets: FxHashMap<(u32, i64), (GambitSetId, usize)>,
    chances: FxHashMap<i64, (GambitChanceId, usize)>,
    outcomes: FxHashMap<i64, (Rc<[Fraction]>, usize)>,
    /// Where each node stands.
    offsets: Vec<usize>,
}

impl<'t> Reader<'t> {
    /// Reads up to the first node.
    fn new(text: &'t str) -> Result<Self, Fault> {
        let mut tokens = GambitTokens::new(text);
        let token = tokens.next();
        let mut reader = Reader {
            whole: text,
            tokens,
            token,
            builder: GambitBuilder::default(),
            players: 0,
            sets: FxHashMap::default(),
            chances: FxHashMap::default(),
            outcomes: FxHashMap::default(),
            offsets: Vec::new(),
        };
        reader.word(&["EFG"], "the word EFG")?;
        let version = reader.take(GambitTokenKind::Number, "the version 2")?;
        if version.text != "2" {
            return reader.unexpected(version, "the version 2");
        }
        reader.word(&["R", "D"], "the word R or D")?;
        let title = reader.text("the title in quotation marks")?;
        reader.take(GambitTokenKind::Open, "{ and the names of the players")?;
        let mut players = Vec::new();
        while reader.token.kind == GambitTokenKind::Text {
            players.push(reader.advance().unescaped());
        }
        reader.take(GambitTokenKind::Close, "the name of a player in quotation marks, or }")?;
        let comment =
            if reader.token.kind == GambitTokenKind::Text { reader.advance().unescaped() } else { "".into() };
        reader.players = players.len();
        reader.builder = GambitBuilder::new(&title, &comment, &players);
        Ok(reader)
    }

    /// Reads all nodes.
    fn tree(mut self) -> Result<Self, Fault> {
        let mut above: Vec<Above> = vec![Above { missing: 1, payoffs: None }];
        while let Some(parent) = above.last_mut() {
            let inherited = parent.payoffs.clone();
            if self.token.kind == GambitTokenKind::End {
                let missing = above.iter().map(|node| node.missing as u64).sum();
                return fault(self.token.at, GambitCause::missing_nodes(missing));
            }
            parent.missing -= 1;
            if parent.missing == 0 {
                above.pop();
            }
            let at = self.token.at;
            self.offsets.push(at);
            let expected = if self.offsets.len() == 1 {
                "a comment in quotation marks, or the first node (c, p or t)"
            } else {
                "a node (c, p or t)"
            };
            let missing = match self.word(&["c", "p", "t"], expected)?.text {
                "c" => self.chance(at)?,
                "p" => self.decision(at)?,
                _ => {
                    self.text("the name of the node in quotation marks")?;
                    0
                }
            };
            let payoffs = match (inherited, self.outcome(at)?) {
                (None, only) | (only, None) => only,
                (Some(a), Some(b)) => Some(self.sum(&a, &b, at)?),
            };
            if missing > 0 {
                above.push(Above { missing, payoffs });
            } else {
                match payoffs {
                    Some(payoffs) => self.builder.terminal(&payoffs),
                    None => self.builder.terminal(&vec![Fraction::from_integer(0); self.players]),
                }
            }
        }
        if self.token.kind != GambitTokenKind::End {
            return fault(self.token.at, GambitCause::extra_nodes());
        }
        Ok(self)
    }

    fn finish(self) -> Result<GambitFile, GambitError> {
        let (whole, offsets) = (self.whole, self.offsets);
        self.builder.finish_at(&|node| place_in(whole, offsets[node as usize]))
    }

    /// The rest of a chance node up to the outcome; returns the number of its moves.
    fn chance(&mut self, at: usize) -> Result<usize, Fault> {
        self.text("the name of the node in quotation marks")?;
        let (number, number_at) = self.whole("the number of the chance set")?;
        let set = || format!("chance set {number}");
        let id = if self.set_name()?.is_some() {
            let moves = self.moves(|reader| {
                let label = reader.text("the label of a move in quotation marks, or }")?;
                Ok((label, reader.number("the probability of the move")?))
            })?;
            match self.chances.get(&number) {
                Some(&(id, first)) => {
                    let known = &self.builder.registered_chance(id).moves;
                    let labels =
                        (known.iter().map(|known| known.0.as_str()), moves.iter().map(|own| &*own.0));
                    let shares = known.iter().zip(&moves).find(|(known, own)| known.1 != own.1);
                    let shares = shares.map(|(known, own)| {
                        format!("the probability of '{}' is {} instead of {}", own.0, own.1, known.1)
                    });
                    if let Some(difference) = label_difference(labels.0, labels.1).or(shares) {
                        let first = place_in(self.whole, first);
                        return fault(at, GambitCause::set_mismatch(&set(), first, &difference));
                    }
                    id
                }
                None => {
                    let id = self.builder.chance_moves(&moves);
                    if let Err(cause) = check_chance(self.builder.registered_chance(id)) {
                        return fault(at, cause);
                    }
                    self.chances.insert(number, (id, at));
                    id
                }
            }
        } else {
            named(self.chances.get(&number), number_at, set)?
        };
        self.builder.chance(id);
        Ok(self.builder.registered_chance(id).moves.len())
    }

    /// The rest of a node of a player up to the outcome; returns the number of its moves.
    fn decision(&mut self, at: usize) -> Result<usize, Fault> {
        self.text("the name of the node in quotation marks")?;
        let (player, player_at) = self.whole("the number of the player")?;
        let index = player.checked_sub(1).and_then(|index| u32::try_from(index).ok());
        let Some(index) = index.filter(|&index| (index as usize) < self.players) else {
            return fault(player_at, GambitCause::no_player(player, self.players));
        };
        let (number, number_at) = self.whole("the number of the information set")?;
        let set = || format!("information set {number} of player {player}");
        let id = if let Some(name) = self.set_name()? {
            let moves = self.moves(|reader| reader.text("the label of a move in quotation marks, or }"))?;
            match self.sets.get(&(index, number)) {
                Some(&(id, first)) => {
                    let known = self.builder.registered_set(id);
                    let names = (known.name != name)
                        .then(|| format!("its name is '{name}' instead of '{}'", known.name));
                    let labels = (known.moves.iter().map(String::as_str), moves.iter().map(|own| &**own));
                    if let Some(difference) = label_difference(labels.0, labels.1).or(names) {
                        let first = place_in(self.whole, first);
                        return fault(at, GambitCause::set_mismatch(&set(), first, &difference));
                    }
                    id
                }
                None => {
                    let moves = moves.into_iter().map(Cow::into_owned).collect();
                    let id = self.builder.numbered_set(index, number, name.into_owned(), moves);
                    self.sets.insert((index, number), (id, at));
                    id
                }
            }
        } else {
            named(self.sets.get(&(index, number)), number_at, set)?
        };
        self.builder.decision(id);
        Ok(self.builder.registered_set(id).moves.len())
    }

    /// The name of a set that is given in full; `None` if it is abbreviated.
    fn set_name(&mut self) -> Result<Option<Cow<'t, str>>, Fault> {
        match self.token.kind {
            GambitTokenKind::Text | GambitTokenKind::Unclosed => self.text("the name of the set").map(Some),
            GambitTokenKind::Open => Ok(Some("".into())),
            _ => Ok(None),
        }
    }

    /// A list of moves in braces; at least one.
    fn moves<T>(&mut self, one: impl Fn(&mut Self) -> Result<T, Fault>) -> Result<Vec<T>, Fault> {
        self.take(GambitTokenKind::Open, "{ and the moves")?;
        let mut moves = Vec::new();
        while moves.is_empty() || self.token.kind != GambitTokenKind::Close {
            if moves.is_empty() && self.token.kind == GambitTokenKind::Close {
                return fault(self.token.at, GambitCause::no_moves());
            }
            moves.push(one(self)?);
        }
        self.advance();
        Ok(moves)
    }

    /// The outcome at the end of a node.
    fn outcome(&mut self, at: usize) -> Result<Payoffs, Fault> {
        let (number, number_at) = self.whole("the number of the outcome")?;
        if !matches!(
            self.token.kind,
            GambitTokenKind::Text | GambitTokenKind::Unclosed | GambitTokenKind::Open
        ) {
            return match self.outcomes.get(&number) {
                Some((payoffs, _)) => Ok(Some(payoffs.clone())),
                None if number == 0 => Ok(None),
                None => {
                    let what = format!("outcome {number} was not given with its payoffs before");
                    let remedy = "give its name and payoffs where it occurs first, or write 0 for none";
                    fault(number_at, GambitCause::new(what, remedy))
                }
            };
        }
        if number == 0 {
            let what = "outcome 0 means no outcome, so it has no payoffs";
            return fault(number_at, GambitCause::new(what, "give the outcome another number"));
        }
        if self.token.kind != GambitTokenKind::Open {
            self.text("the name of the outcome")?;
        }
        self.take(GambitTokenKind::Open, "{ and the payoffs")?;
        let mut payoffs = Vec::with_capacity(self.players);
        while self.token.kind != GambitTokenKind::Close {
            payoffs.push(self.number("a payoff, or }")?);
            if self.token.kind == GambitTokenKind::Comma {
                self.advance();
            }
        }
        self.advance();
        if payoffs.len() != self.players {
            return fault(number_at, GambitCause::payoffs(payoffs.len(), self.players));
        }
        match self.outcomes.get(&number) {
            Some((known, first)) if known[..] != payoffs => {
                let first = place_in(self.whole, *first);
                let what =
                    format!("outcome {number} has other payoffs than at its first occurrence ({first})");
                let remedy = "give both occurrences the same payoffs, or different numbers";
                fault(number_at, GambitCause::new(what, remedy))
            }
            Some((known, _)) => Ok(Some(known.clone())),
            None => {
                let payoffs: Rc<[Fraction]> = payoffs.into();
                self.outcomes.insert(number, (payoffs.clone(), at));
                Ok(Some(payoffs))
            }
        }
    }

    fn sum(&self, a: &[Fraction], b: &[Fraction], at: usize) -> Result<Rc<[Fraction]>, Fault> {
        let sums = a.iter().zip(b).map(|(&a, &b)| fraction::add(a, b)).collect::<Option<_>>();
        sums.map_or_else(|| fault(at, GambitCause::too_large("the sum of the payoffs on the way here")), Ok)
    }

    /// The current token; the next one becomes current.
    fn advance(&mut self) -> GambitToken<'t> {
        std::mem::replace(&mut self.token, self.tokens.next())
    }

    fn take(&mut self, kind: GambitTokenKind, expected: &'static str) -> Result<GambitToken<'t>, Fault> {
        if self.token.kind == kind { Ok(self.advance()) } else { self.unexpected(self.token, expected) }
    }

    fn unexpected<T>(&self, token: GambitToken<'t>, expected: &'static str) -> Result<T, Fault> {
        let cause = match token.kind {
            GambitTokenKind::Unclosed => GambitCause::new(
                "the text that begins here has no closing quotation mark",
                "close it; a quotation mark inside a text is written \\\"",
            ),
            _ => GambitCause::new(format!("{expected} is expected here, not {}", token.shown()), NODES),
        };
        fault(token.at, cause)
    }

    fn word(&mut self, words: &[&str], expected: &'static str) -> Result<GambitToken<'t>, Fault> {
        let is_here = self.token.kind == GambitTokenKind::Word && words.contains(&self.token.text);
        if is_here { Ok(self.advance()) } else { self.unexpected(self.token, expected) }
    }

    fn text(&mut self, expected: &'static str) -> Result<Cow<'t, str>, Fault> {
        self.take(GambitTokenKind::Text, expected).map(|token| token.unescaped())
    }

    fn number(&mut self, expected: &'static str) -> Result<Fraction, Fault> {
        let token = self.take(GambitTokenKind::Number, expected)?;
        fraction::parse(token.text).or_else(|cause| match cause {
            NumberFault::Malformed => self.unexpected(token, expected),
            NumberFault::DividesByZero => {
                let what = format!("{} divides by zero", token.text);
                fault(token.at, GambitCause::new(what, "correct the number"))
            }
            NumberFault::TooLarge => fault(token.at, GambitCause::too_large(token.shown())),
        })
    }

    /// A whole number, and where it stands.
    fn whole(&mut self, expected: &'static str) -> Result<(i64, usize), Fault> {
        let token = self.token;
        let number = self.number(expected)?;
        match i64::try_from(*number.numer()) {
            Ok(whole) if number.is_integer() => Ok((whole, token.at)),
            _ => self.unexpected(token, expected),
        }
    }
}

/// How a list of labels differs from the one that was given first.
fn label_difference<'a>(
    known: impl ExactSizeIterator<Item = &'a str>,
    own: impl ExactSizeIterator<Item = &'a str>,
) -> Option<String> {
    if known.len() != own.len() {
        return Some(format!("the number of its moves is {} instead of {}", own.len(), known.len()));
    }
    let different = (1..).zip(known.zip(own)).find(|(_, (known, own))| known != own);
    different.map(|(number, (known, own))| format!("its move {number} is '{own}' instead of '{known}'"))
}
