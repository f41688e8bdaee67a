//! Goals: payoffs as whole numbers from 0 to 100.
//!
//! The map of each player is affine, `payoff = offset + unit * goal` with a positive unit, so preferences between
//! lotteries are the same. Where all payoffs are exact so, a payoff of 0 is a goal of 50 for every player, with one
//! unit: a game that was written from rules comes back with its goals. Otherwise the offset is the least payoff of the
//! player. All players get the same unit if that is exact, so that a game whose payoffs have a constant sum has goals
//! with a constant sum. Otherwise each player gets a unit of its own, and if even that is not exact, the conversion is
//! refused or, if asked for, all payoffs are rounded with the same unit. The unit is as small as the range allows.

use super::KifError;
use crate::gambit::file::{GambitFile, GambitNode};
use crate::gambit::fraction::{self, Fraction};

/// The meaning of the goals of a player: `payoff = offset + unit * goal`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GoalScale {
    /// The payoff of a goal of 0.
    pub offset: Fraction,
    /// The payoff of one more point.
    pub unit: Fraction,
}

impl GoalScale {
    /// The payoff of a goal.
    pub fn payoff(&self, goal: u8) -> Fraction {
        self.offset + self.unit * Fraction::from_integer(goal.into())
    }
}

impl std::fmt::Display for GoalScale {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "payoff = {} + {} * goal", self.offset, self.unit)
    }
}

/// The goals of a document.
pub(super) struct Goals {
    /// The scale of each player.
    pub(super) scales: Vec<GoalScale>,
    /// For each payoff vector the goals of the players; none for one that stands at no live end.
    pub(super) goals: Vec<Vec<u8>>,
    /// Whether the goals stand for the payoffs exactly.
    pub(super) exact: bool,
    /// Whether all players have the same unit.
    pub(super) common: bool,
}

/// The payoffs of one player: the least, the range, and the greatest common divisor of all differences.
#[derive(Clone, Copy)]
struct Spread {
    least: Fraction,
    range: Fraction,
    step: Fraction,
}

impl Goals {
    /// The goals of all live ends.
    ///
    /// # Errors
    /// If they cannot be exact and `round` is false.
    pub(super) fn new(file: &GambitFile, live: &[bool], round: bool) -> Result<Goals, KifError> {
        let mut used = vec![false; file.outcomes.len()];
        for (node, _) in file.nodes.iter().zip(live).filter(|(_, live)| **live) {
            if let GambitNode::Terminal(id) = node {
                used[id.index()] = true;
            }
        }
        let outcomes =
            || file.outcomes.iter().zip(&used).filter(|(_, used)| **used).map(|(payoffs, _)| payoffs);
        let spread = |player: usize| spread(outcomes().map(|payoffs| payoffs[player]));
        let spreads: Option<Vec<Spread>> = (0..file.players.len()).map(spread).collect();
        let spreads = spreads.ok_or(KifError::PayoffsTooLarge)?;
        let centred = centred(outcomes().flatten().copied());
        let (units, exact) = match centred {
            Some(scale) => (vec![scale.unit; spreads.len()], true),
            None => units(&spreads, file, round)?,
        };
        let own = spreads.iter().zip(&units).map(|(spread, &unit)| GoalScale { offset: spread.least, unit });
        let scales: Vec<GoalScale> =
            centred.map_or_else(|| own.collect(), |scale| vec![scale; spreads.len()]);
        let goals = |(payoffs, &used): (&Vec<Fraction>, &bool)| {
            let payoffs: &[Fraction] = if used { payoffs } else { &[] };
            payoffs.iter().zip(&scales).map(|(&payoff, scale)| goal(payoff, scale)).collect()
        };
        let goals: Option<Vec<Vec<u8>>> = file.outcomes.iter().zip(&used).map(goals).collect();
        let goals = goals.ok_or(KifError::PayoffsTooLarge)?;
        // So that no use of a scale leaves the range.
        let payoff = |scale: &GoalScale, goal: i128| {
            fraction::add(scale.offset, fraction::multiply(scale.unit, Fraction::from_integer(goal))?)
        };
        if !scales.iter().all(|scale: &GoalScale| (0..=100).all(|goal| payoff(scale, goal).is_some())) {
            return Err(KifError::PayoffsTooLarge);
        }
        Ok(Goals { scales, goals, exact, common: units.windows(2).all(|pair| pair[0] == pair[1]) })
    }
}

fn spread(payoffs: impl Iterator<Item = Fraction> + Clone) -> Option<Spread> {
    let least = payoffs.clone().min()?;
    let (range, step) = greatest_and_step(payoffs.map(|payoff| fraction::subtract(payoff, least)))?;
    Some(Spread { least, range, step })
}

/// The greatest of some sizes, and the greatest number of which all are multiples.
fn greatest_and_step(mut sizes: impl Iterator<Item = Option<Fraction>>) -> Option<(Fraction, Fraction)> {
    let zero = Fraction::from_integer(0);
    sizes.try_fold((zero, zero), |(greatest, step), size| {
        Some((greatest.max(size?), fraction::common_divisor(step, size?)?))
    })
}

/// The scale on which a payoff of 0 is a goal of 50 and all payoffs are whole goals, if there is one.
fn centred(payoffs: impl Iterator<Item = Fraction>) -> Option<GoalScale> {
    let zero = Fraction::from_integer(0);
    let size = |payoff| if payoff < zero { fraction::subtract(zero, payoff) } else { Some(payoff) };
    let (most, step) = greatest_and_step(payoffs.map(size))?;
    let unit = if most > zero { exact_unit(most, step, 50)? } else { return None };
    Some(GoalScale { offset: fraction::multiply(unit, Fraction::from_integer(-50))?, unit })
}

/// The unit of each player, and whether they are exact.
fn units(spreads: &[Spread], file: &GambitFile, round: bool) -> Result<(Vec<Fraction>, bool), KifError> {
    let zero = Fraction::from_integer(0);
    let range = spreads.iter().map(|spread| spread.range).max().unwrap_or(zero);
    let step = spreads.iter().try_fold(zero, |step, spread| fraction::common_divisor(step, spread.step));
    if let Some(unit) = step.and_then(|step| exact_unit(range, step, 100)) {
        return Ok((vec![unit; spreads.len()], true));
    }
    let own: Vec<Option<Fraction>> =
        spreads.iter().map(|spread| exact_unit(spread.range, spread.step, 100)).collect();
    let Some(coarse) = own.iter().position(Option::is_none) else {
        return Ok((own.into_iter().flatten().collect(), true));
    };
    if round {
        let unit = fraction::divide(range, Fraction::from_integer(100)).ok_or(KifError::PayoffsTooLarge)?;
        return Ok((vec![unit; spreads.len()], false));
    }
    let Spread { least, range, step } = spreads[coarse];
    let most = fraction::add(least, range).ok_or(KifError::PayoffsTooLarge)?;
    Err(KifError::PayoffsTooFine { player: file.players[coarse].clone(), least, most, step })
}

/// The smallest unit of which `step` is a multiple and which fits `goals` times at most into `range`.
fn exact_unit(range: Fraction, step: Fraction, goals: i128) -> Option<Fraction> {
    if *range.numer() == 0 {
        return Some(Fraction::from_integer(1));
    }
    let steps = fraction::divide(range, step)?.to_integer();
    if steps > goals {
        return None;
    }
    fraction::divide(step, Fraction::from_integer(goals / steps))
}

/// The goal next to a payoff; the upper one of two.
fn goal(payoff: Fraction, scale: &GoalScale) -> Option<u8> {
    let goals = fraction::divide(fraction::subtract(payoff, scale.offset)?, scale.unit)?;
    u8::try_from(fraction::add(goals, Fraction::new(1, 2))?.floor().to_integer()).ok()
}
