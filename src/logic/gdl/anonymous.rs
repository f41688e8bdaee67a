//! Anonymous variables: `_` of the infix form and `?_` of the prefix form.
//!
//! Every occurrence is a variable of its own. It gets a name, so that a clause is printed and read again like any
//! other: `_1`, `_2`, ... in the order of the clause. If the text itself has a variable of this kind, the names are
//! `_1_1`, `_1_2`, ..., or `_2_1`, `_2_2`, ..., and so on.
//!
//! Invariant: no name that is given here is a name that the text spells.

use hyperplay_machine::terms::{Symbol, Symbols};

/// The names of the anonymous variables of one text.
pub struct AnonymousVariables {
    /// The number between the underscores; none if it is 0.
    family: u64,
    given: usize,
}

impl AnonymousVariables {
    /// Names that differ from all words of a text, which are given without the marks of variables. O(text).
    pub fn new<'t>(variables: impl Iterator<Item = &'t str>) -> Self {
        let mut used: Vec<u64> = variables.filter_map(family).collect();
        used.sort_unstable();
        let family = used.into_iter().fold(0, |free, family| if family == free { free + 1 } else { free });
        AnonymousVariables { family, given: 0 }
    }

    /// Begins the next clause.
    pub fn begin_clause(&mut self) {
        self.given = 0;
    }

    /// The next variable of the clause.
    pub fn next(&mut self, symbols: &mut Symbols) -> Symbol {
        self.given += 1;
        let AnonymousVariables { family, given } = self;
        symbols.intern(&if *family == 0 { format!("_{given}") } else { format!("_{family}_{given}") })
    }
}

/// The family of a name of this kind.
fn family(name: &str) -> Option<u64> {
    let numbers = name.strip_prefix('_')?;
    let (family, number) = numbers.split_once('_').unwrap_or(("0", numbers));
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| family.parse().ok())?
}

/// Whether a variable with this name that the text does not spell is anonymous.
pub fn is_anonymous(name: &str) -> bool {
    family(name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_the_text_are_avoided() {
        let mut symbols = Symbols::new();
        let mut names = |text: &str| {
            let mut anonymous = AnonymousVariables::new(text.split(' '));
            let first = anonymous.next(&mut symbols);
            let second = anonymous.next(&mut symbols);
            format!("{} {}", symbols.name(first), symbols.name(second))
        };
        assert_eq!(names("x _ _a 1"), "_1 _2");
        assert_eq!(names("_7 _2_1"), "_1_1 _1_2");
        assert_eq!(names("_1_1 _1 _2"), "_2_1 _2_2");
    }
}
