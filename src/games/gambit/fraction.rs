//! Exact fractions: the probabilities and payoffs of a document.
//!
//! Invariant: a fraction of a document is in lowest terms, and numerator and denominator are at most 2^96. Every sum
//! and quotient is computed exactly or not at all: a result outside the range is `None`, which the callers turn into a
//! typed error. Nothing is ever rounded, so `0.1` is 1/10 and `1e-2` is 1/100.

use num_integer::Integer;
use num_rational::Ratio;
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub};

/// An exact number: a probability or a payoff.
pub type Fraction = Ratio<i128>;

/// The largest numerator and denominator.
const LARGEST: u128 = 1 << 96;

/// Powers of ten above this one leave the range.
const MOST_DIGITS: i64 = 30;

/// Why a text is not a fraction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NumberFault {
    /// It is not a number at all.
    Malformed,
    /// Its denominator is 0.
    DividesByZero,
    /// It leaves the range.
    TooLarge,
}

/// The fraction, if it is in the range.
pub(super) fn in_range(fraction: Fraction) -> Option<Fraction> {
    let small = fraction.numer().unsigned_abs() <= LARGEST && fraction.denom().unsigned_abs() <= LARGEST;
    small.then_some(fraction)
}

pub(super) fn add(a: Fraction, b: Fraction) -> Option<Fraction> {
    a.checked_add(&b).and_then(in_range)
}

pub(super) fn subtract(a: Fraction, b: Fraction) -> Option<Fraction> {
    a.checked_sub(&b).and_then(in_range)
}

pub(super) fn multiply(a: Fraction, b: Fraction) -> Option<Fraction> {
    a.checked_mul(&b).and_then(in_range)
}

pub(super) fn divide(a: Fraction, b: Fraction) -> Option<Fraction> {
    a.checked_div(&b).and_then(in_range)
}

/// The largest fraction of which both are multiples. Both are at least 0.
pub(super) fn common_divisor(a: Fraction, b: Fraction) -> Option<Fraction> {
    let denominator = common_multiple(*a.denom(), *b.denom())?;
    let over = |f: Fraction| i128::checked_mul(*f.numer(), denominator / *f.denom());
    in_range(Fraction::new(over(a)?.gcd(&over(b)?), denominator))
}

/// The least common multiple of two positive numbers.
pub(super) fn common_multiple(a: i128, b: i128) -> Option<i128> {
    i128::checked_mul(a / a.gcd(&b), b).filter(|product| product.unsigned_abs() <= LARGEST)
}

/// Reads `-3`, `1/6`, `0.25`, `.5` and `1e-2`.
pub(super) fn parse(text: &str) -> Result<Fraction, NumberFault> {
    let (negative, digits) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let (above, below) = match digits.split_once('/') {
        Some((above, below)) => (integer(above)?, integer(below)?),
        None => decimal(digits)?,
    };
    if below == 0 {
        return Err(NumberFault::DividesByZero);
    }
    in_range(Fraction::new(if negative { -above } else { above }, below)).ok_or(NumberFault::TooLarge)
}

/// A row of digits, as a number below 10^31.
fn integer(digits: &str) -> Result<i128, NumberFault> {
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(NumberFault::Malformed);
    }
    let digits = digits.trim_start_matches('0');
    if digits.len() as i64 > MOST_DIGITS {
        return Err(NumberFault::TooLarge);
    }
    Ok(digits.bytes().fold(0, |number, digit| 10 * number + i128::from(digit - b'0')))
}

/// A decimal number without sign, as numerator and denominator.
fn decimal(text: &str) -> Result<(i128, i128), NumberFault> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, signed(exponent)?),
        None => (text, 0),
    };
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if !part.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(NumberFault::Malformed);
    }
    let part = part.trim_end_matches('0');
    let digits = if mantissa.len() > 1 { format!("0{whole}{part}") } else { whole.to_owned() };
    let number = integer(&digits)?;
    let tens = exponent.saturating_sub(part.len() as i64);
    if number == 0 {
        return Ok((0, 1));
    }
    if tens.abs() > MOST_DIGITS {
        return Err(NumberFault::TooLarge);
    }
    let power = 10_i128.pow(tens.unsigned_abs() as u32);
    if tens >= 0 {
        Ok((number.checked_mul(power).ok_or(NumberFault::TooLarge)?, 1))
    } else {
        Ok((number, power))
    }
}

/// An exponent. One that is far out of range is as good as any other such.
fn signed(text: &str) -> Result<i64, NumberFault> {
    let size = match integer(text.strip_prefix(['+', '-']).unwrap_or(text)) {
        Ok(size) => i64::try_from(size).unwrap_or(i64::MAX),
        Err(NumberFault::TooLarge) => i64::MAX,
        Err(other) => return Err(other),
    };
    Ok(if text.starts_with('-') { -size } else { size })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_exactly() {
        for (text, above, below) in [
            ("0", 0, 1),
            ("-3", -3, 1),
            ("+7", 7, 1),
            ("2/6", 1, 3),
            ("-1/2", -1, 2),
            ("0.25", 1, 4),
            (".5", 1, 2),
            ("3.", 3, 1),
            ("-2.50", -5, 2),
            ("1e-2", 1, 100),
            ("1.5E+3", 1500, 1),
            ("0.000000000000000000000000000000000000000000000", 0, 1),
            ("0e999999999999999999999999999999", 0, 1),
            ("00012.500000000000000000000000000000000000", 25, 2),
        ] {
            assert_eq!(parse(text), Ok(Fraction::new(above, below)), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_or_too_large_is_refused() {
        for text in
            ["", "-", "+", ".", "1/", "/2", "e3", "1e", "1e+", "--1", "1.2.3", "1/2/3", "1.5/2", "x", ".e1"]
        {
            assert_eq!(parse(text), Err(NumberFault::Malformed), "{text}");
        }
        assert_eq!(parse("1/0"), Err(NumberFault::DividesByZero));
        for text in
            ["1e29", "1e-29", "1e99999999999999999999999999999999999999", "79228162514264337593543950337"]
        {
            assert_eq!(parse(text), Err(NumberFault::TooLarge), "{text}");
        }
    }

    #[test]
    fn the_common_divisor_divides_both() {
        let f = Fraction::new;
        assert_eq!(common_divisor(f(3, 2), f(5, 3)), Some(f(1, 6)));
        assert_eq!(common_divisor(f(0, 1), f(5, 3)), Some(f(5, 3)));
        assert_eq!(common_divisor(f(0, 1), f(0, 1)), Some(f(0, 1)));
        let fine = f(1, (1 << 96) - 1);
        assert_eq!(common_divisor(fine, f(1, 1 << 95)), None);
        assert_eq!(add(f(1 << 96, 1), f(1, 1)), None);
    }
}
