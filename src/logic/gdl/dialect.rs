//! Dialects: forms of other languages and of other systems that the readers accept.
//!
//! Rulesheets in use are written by hand, often by people who know Prolog, and other systems read more than the
//! language defines. Where such a form has one meaning only, it is read with this meaning. A note says so once for each
//! form and text, at the first place where the form occurs.

/// A form that is read, but that the language does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::Display)]
pub(super) enum Dialect {
    /// `p, q` between conditions of the infix form.
    #[strum(serialize = "a comma between conditions is read as `&`")]
    Comma,
    /// `&&`
    #[strum(serialize = "this is read as `&`")]
    And,
    /// The word `and` between conditions.
    #[strum(serialize = "this is read as `&`")]
    AndWord,
    /// `||`, or `;` before a condition.
    #[strum(serialize = "this is read as `|`")]
    Or,
    /// The word `or` between conditions.
    #[strum(serialize = "this is read as `|`")]
    OrWord,
    /// `\+` or `!` before a condition.
    #[strum(serialize = "this is read as `~`")]
    Not,
    /// `<-` in the infix form, `:-` in the prefix form.
    #[strum(serialize = "this is read as the arrow of a rule")]
    Arrow,
    /// `X != Y`, `X \= Y`
    #[strum(serialize = "this is read as `distinct`")]
    Differ,
    /// `X = Y`
    #[strum(serialize = "this is read as the negation of `distinct`")]
    Same,
    /// `(X, Y)` as a term
    #[strum(serialize = "a tuple is read as a term with a functor")]
    Tuple,
    /// A full stop that ends no clause.
    #[strum(serialize = "this full stop ends no clause and is skipped")]
    ExtraStop,
    /// A comment of another language in the prefix form.
    #[strum(serialize = "this is read as a comment")]
    Comment,
    /// `((p x))`
    #[strum(serialize = "the second pair of parentheses is skipped")]
    ExtraParentheses,
    /// One list around all clauses of the prefix form.
    #[strum(serialize = "these parentheses are around all clauses and are skipped")]
    ListOfClauses,
    /// `(<=head ...)`
    #[strum(serialize = "this is read as `<=` and the head of the rule")]
    NoBlankAfterArrow,
}
