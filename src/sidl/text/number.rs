//! Exact numbers: balances, payoffs, probabilities, and the results of arithmetic.
//!
//! A [`Number`] is a fraction in lowest terms. As a term of the game, a whole number is a constant (`-3`), and any
//! other number is the compound term `(/ p q)` with q > 1. So equal numbers are equal terms, and nothing is ever
//! rounded: `0.5` in a text is one half.

use num_rational::Ratio;
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub};

/// An exact number. The operators of the type panic where numerator or denominator leave 64 bits;
/// [`checked`] does not.
pub type Number = Ratio<i64>;

/// An arithmetic operation of SIDL.
///
/// ```
/// use hyperplay_sidl::{Arithmetic, Number, checked};
///
/// let third = checked(Arithmetic::Divide, Number::from(1), Number::from(3)).unwrap();
/// assert_eq!(checked(Arithmetic::Times, third, Number::from(6)), Some(Number::from(2)));
/// assert_eq!(checked(Arithmetic::Modulo, Number::from(-1), Number::from(3)), Some(Number::from(2)));
/// assert_eq!(checked(Arithmetic::Divide, third, Number::from(0)), None);
/// assert_eq!(Arithmetic::named("max", 2), Some(Arithmetic::Max));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arithmetic {
    /// `A + B`
    Plus,
    /// `A - B`; a minus before one number subtracts it from 0
    Minus,
    /// `A * B`
    Times,
    /// `A / B`, exactly
    Divide,
    /// `A mod B`: the rest of the division, with the sign of B
    Modulo,
    /// `min(A, B)`
    Min,
    /// `max(A, B)`
    Max,
}

impl Arithmetic {
    /// The operation with this name and `operands` operands.
    pub fn named(name: &str, operands: usize) -> Option<Arithmetic> {
        match (name, operands) {
            ("+", 2) => Some(Arithmetic::Plus),
            ("-", 1 | 2) => Some(Arithmetic::Minus),
            ("*", 2) => Some(Arithmetic::Times),
            ("/", 2) => Some(Arithmetic::Divide),
            ("mod", 2) => Some(Arithmetic::Modulo),
            ("min", 2) => Some(Arithmetic::Min),
            ("max", 2) => Some(Arithmetic::Max),
            _ => None,
        }
    }
}

/// The result of an operation; `None` where it divides by zero or the result leaves 64 bits.
pub fn checked(operation: Arithmetic, a: Number, b: Number) -> Option<Number> {
    match operation {
        Arithmetic::Plus => a.checked_add(&b),
        Arithmetic::Minus => a.checked_sub(&b),
        Arithmetic::Times => a.checked_mul(&b),
        Arithmetic::Divide => a.checked_div(&b),
        Arithmetic::Modulo => {
            let quotient = a.checked_div(&b)?;
            // `floor` of a fraction whose denominator is positive cannot leave the range.
            a.checked_sub(&quotient.floor().checked_mul(&b)?)
        }
        Arithmetic::Min => Some(a.min(b)),
        Arithmetic::Max => Some(a.max(b)),
    }
}

/// The number that a text spells: `7`, `-3`, `0.25`. `None` for anything else.
///
/// ```
/// use hyperplay_sidl::{Number, spelled_number};
///
/// assert_eq!(spelled_number("0.25"), Some(Number::new(1, 4)));
/// assert_eq!([spelled_number("1."), spelled_number("one"), spelled_number("1e3")], [None; 3]);
/// ```
pub fn spelled_number(text: &str) -> Option<Number> {
    let (sign, digits) = if let Some(digits) = text.strip_prefix('-') { (-1, digits) } else { (1, text) };
    let (whole, decimals) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(whole) || !is_number(decimals) {
        return None;
    }
    let scale = 10_i64.checked_pow(u32::try_from(decimals.len()).ok()?)?;
    let numerator = whole.parse::<i64>().ok()?.checked_mul(scale)?.checked_add(decimals.parse().ok()?)?;
    Some(Number::new(sign * numerator, scale))
}
