//! The rules of a game as a game master sends them: prefix form, one line, one blank between expressions.

use hyperplay_logic::gdl::{Game, Rulesheet, Syntax, print, read};

use super::scan::{one_blank, pieces};

/// The rule that tells a player of GDL-II the joint moves of a game of GDL-I, as the Dresden GameController appends it.
const DID_RULE: &str = "(<= (sees ?p (did ?p2 ?m)) (role ?p) (does ?p2 ?m) )\n";

/// A rule of GDL-II that is never true.
const NOTHING_RULE: &str = "(<= (sees ?p ?m) (does ?p ?m) (distinct ?m ?m))\n";

/// The clauses of a rulesheet on one line, for START. Names are spelt as they occurred first. O(size).
///
/// ```
/// use hyperplay_logic::gdl::{Source, read};
///
/// let (sheet, _) = read(Source::new("t.gdl", "role(white). p(X) :- q(X) & ~r(X)."), None);
/// assert_eq!(hyperplay_net::protocol::rules_line(&sheet), "(role white) (<= (p ?X) (q ?X) (not (r ?X)))");
/// ```
pub fn rules_line(rulesheet: &Rulesheet) -> String {
    one_blank(pieces(&print(rulesheet, Syntax::Kif)))
}

/// The rules of a game on one line, as its author wrote them: repairs are not sent. O(size).
///
/// ```
/// use hyperplay_logic::gdl::{Source, load};
/// use hyperplay_net::protocol::game_line;
///
/// let text = "(role x)\n(legal x noop) ; always\n(goal x 100)\n(<= terminal\n (true go))(init go)";
/// let game = load(Source::new("t.kif", text), None).game.unwrap();
/// assert_eq!(game_line(&game), "(role x) (legal x noop) (goal x 100) (<= terminal (true go)) (init go)");
/// ```
pub fn game_line(game: &Game) -> String {
    rules_line(&read(game.source().clone(), Some(game.syntax())).0)
}

/// The rules of a GDL-I game for a player of GDL-II: with the rule by which every role sees the joint move. The place
/// of the rule and its blanks are those of the Dresden GameController.
///
/// ```
/// let rules = hyperplay_net::protocol::with_joint_moves("(role x) (legal x noop)");
/// assert_eq!(rules, "(role x) (legal x noop) (<= (sees ?p (did ?p2 ?m)) (role ?p) (does ?p2 ?m) )\n");
/// ```
pub fn with_joint_moves(rules: &str) -> String {
    format!("{} {DID_RULE}", rules.trim_end())
}

/// The rules of a GDL-I game as a game master of GDL-II reads them that adds no rule: no role perceives anything. They
/// get a rule by which they are a game of GDL-II, and which is never true.
///
/// ```
/// use hyperplay_logic::gdl::{Source, load};
///
/// let rules = "(role x) (legal x noop) (goal x 100) (init go) (<= terminal (true go))";
/// let game = load(Source::new("t", hyperplay_net::protocol::with_nothing_seen(rules)), None).game.unwrap();
/// assert!(game.is_imperfect());
/// ```
pub fn with_nothing_seen(rules: &str) -> String {
    format!("{} {NOTHING_RULE}", rules.trim_end())
}
