//! Terms as SIDL spells them, for messages.
//!
//! A name is quoted where it would be read as something else. A list is in brackets, arithmetic has its operator
//! between its operands, and a variable that the reader has made of `_` is `_` again.

use hyperplay_logic::gdl::reading::is_anonymous;
use hyperplay_logic::gdl::{Symbols, Term};

use super::read::LIST;

/// A term as text.
pub(super) fn spell(term: &Term, symbols: &Symbols) -> String {
    let mut text = String::new();
    write(term, symbols, false, &mut text);
    text
}

/// A fact, test or operation as text.
pub(super) fn spell_atom(atom: &hyperplay_logic::gdl::Atom, symbols: &Symbols) -> String {
    spell(&Term::new(atom.relation, atom.arguments.clone()), symbols)
}

fn write(term: &Term, symbols: &Symbols, is_operand: bool, text: &mut String) {
    match term {
        Term::Variable(name) => text.push_str(&spell_variable(symbols.name(*name))),
        Term::Constant(name) if symbols.name(*name) == LIST => text.push_str("[]"),
        Term::Constant(name) => text.push_str(&spell_name(symbols.name(*name))),
        Term::Compound(functor, arguments) => {
            let name = symbols.name(*functor);
            match &arguments[..] {
                [left, right] if matches!(name, "+" | "-" | "*" | "/" | "mod") => {
                    let (open, close) = if is_operand { ("(", ")") } else { ("", "") };
                    text.push_str(open);
                    write(left, symbols, true, text);
                    text.push_str(&format!(" {name} "));
                    write(right, symbols, true, text);
                    text.push_str(close);
                }
                [inner] if name == "-" => {
                    text.push('-');
                    write(inner, symbols, true, text);
                }
                items => {
                    let [open, close] = if name == LIST {
                        ["[".to_owned(), "]".to_owned()]
                    } else {
                        [spell_name(name) + "(", ")".to_owned()]
                    };
                    text.push_str(&open);
                    for (place, item) in items.iter().enumerate() {
                        text.push_str(if place > 0 { ", " } else { "" });
                        write(item, symbols, false, text);
                    }
                    text.push_str(&close);
                }
            }
        }
    }
}

/// A variable, which begins with a capital.
pub(super) fn spell_variable(name: &str) -> String {
    if is_anonymous(name) {
        return "_".to_owned();
    }
    let mut rest = name.chars();
    rest.next().into_iter().flat_map(char::to_uppercase).chain(rest).collect()
}

/// A name, in quotes where it begins with a capital or has a character that only quoted names have.
fn spell_name(name: &str) -> String {
    let is_plain = name.chars().all(|c| c.is_alphanumeric() || c == '_')
        && name.starts_with(|c: char| !c.is_uppercase() && c != '_');
    let is_number = name.strip_prefix('-').is_some_and(|digits| digits.bytes().all(|c| c.is_ascii_digit()));
    if is_plain || is_number { name.to_owned() } else { format!("'{name}'") }
}
