//! Dialects: forms of other languages and of other systems that the readers accept.
//!
//! Rulesheets in use are written by hand, often by people who know Prolog, and other systems read more than the
//! language defines. Where such a form has one meaning only, it is read with this meaning. A note says so once for each
//! form and text, at the first place where the form occurs.

/// A form that is read, but that the language does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Dialect {
    /// `p, q` between conditions of the infix form.
    Comma,
    /// `&&`
    And,
    /// The word `and` between conditions.
    AndWord,
    /// `||`, or `;` before a condition.
    Or,
    /// The word `or` between conditions.
    OrWord,
    /// `\+` or `!` before a condition.
    Not,
    /// `<-` in the infix form, `:-` in the prefix form.
    Arrow,
    /// `X != Y`, `X \= Y`
    Differ,
    /// `X = Y`
    Same,
    /// `(X, Y)` as a term
    Tuple,
    /// A full stop that ends no clause.
    ExtraStop,
    /// A comment of another language in the prefix form.
    Comment,
    /// `((p x))`
    ExtraParentheses,
    /// One list around all clauses of the prefix form.
    ListOfClauses,
    /// `(<=head ...)`
    NoBlankAfterArrow,
}

impl Dialect {
    /// How the form is read.
    pub(super) fn message(self) -> &'static str {
        match self {
            Dialect::Comma => "a comma between conditions is read as `&`",
            Dialect::And | Dialect::AndWord => "this is read as `&`",
            Dialect::Or | Dialect::OrWord => "this is read as `|`",
            Dialect::Not => "this is read as `~`",
            Dialect::Arrow => "this is read as the arrow of a rule",
            Dialect::Differ => "this is read as `distinct`",
            Dialect::Same => "this is read as the negation of `distinct`",
            Dialect::Tuple => "a tuple is read as a term with a functor",
            Dialect::ExtraStop => "this full stop ends no clause and is skipped",
            Dialect::Comment => "this is read as a comment",
            Dialect::ExtraParentheses => "the second pair of parentheses is skipped",
            Dialect::ListOfClauses => "these parentheses are around all clauses and are skipped",
            Dialect::NoBlankAfterArrow => "this is read as `<=` and the head of the rule",
        }
    }
}
