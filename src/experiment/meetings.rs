//! Meetings: which entrants meet in a game according to the schedule, and in which seat permutations.

use std::collections::BTreeSet;

use super::config::{ExperimentConfig, MeetingSchedule};
use super::plan::SeatPermutations;
use hyperplay_machine::counted;

/// The most seat permutations of a cell: six roles have 720.
pub(super) const MAX_SEAT_PERMUTATIONS: usize = 5_040;
/// The most cells; no more meetings than this and one are listed for a game.
pub(super) const MAX_CELLS: usize = 1_000_000;

/// Which entrants meet in a game with `width` played roles, each meeting once.
///
/// # Errors
/// A sentence: the schedule does not fit such a game.
pub(super) fn meetings(config: &ExperimentConfig, width: usize) -> Result<Vec<Vec<usize>>, String> {
    let all: Vec<usize> = (0..config.plan.entrants.len()).collect();
    let of_table = |table: usize| -> Vec<usize> {
        all.iter().copied().filter(|&entrant| config.plan.entrants[entrant].table == table).collect()
    };
    let found: Vec<Vec<usize>> = match &config.schedule {
        MeetingSchedule::RoundRobin => {
            let later = |chosen: &[usize]| chosen.last().map_or(0, |last| last + 1)..all.len();
            (0..width).fold(vec![Vec::new()], |found, _| extended(&found, MAX_CELLS + 1, later))
        }
        MeetingSchedule::Gauntlet(_) if width == 1 => one_of_each([all.clone()]),
        MeetingSchedule::Gauntlet(tables) if width == 2 => {
            let is_challenger = |&entrant: &usize| tables.contains(&config.plan.entrants[entrant].table);
            let (challengers, others) = all.iter().partition(|entrant| is_challenger(entrant));
            one_of_each([challengers, others])
        }
        MeetingSchedule::Gauntlet(_) => {
            return Err("a gauntlet is for games with one or two roles; give pairings".into());
        }
        MeetingSchedule::Pairings(pairings) => {
            let fitting = pairings.iter().filter(|pairing| pairing.len() == width);
            fitting.flat_map(|pairing| one_of_each(pairing.iter().map(|&table| of_table(table)))).collect()
        }
    };
    let mut seen = BTreeSet::new();
    let is_new = |meeting: &Vec<usize>| seen.insert(met(&config.plan.seats, meeting));
    let found: Vec<Vec<usize>> = found.into_iter().filter(is_new).collect();
    if found.is_empty() {
        let (roles, players) = (counted(width as u64, "role"), counted(all.len() as u64, "entrant"));
        return Err(format!(
            "the game has {roles} to be played, and the schedule names no such meeting of the {players}"
        ));
    }
    Ok(found)
}

/// The entrants of a cell in an order that does not depend on how it names them, if it is played in all seat
/// permutations.
pub(super) fn met(seats: &SeatPermutations, entrants: &[usize]) -> Vec<usize> {
    let mut met = entrants.to_vec();
    if *seats == SeatPermutations::All {
        met.sort_unstable();
    }
    met
}

/// Each combination of one entrant of each of these.
fn one_of_each(parts: impl IntoIterator<Item = Vec<usize>>) -> Vec<Vec<usize>> {
    let begun = vec![Vec::new()];
    parts.into_iter().fold(begun, |found, part| extended(&found, MAX_CELLS + 1, |_| part.clone()))
}

/// Each combination with each entrant that may come next, up to the limit.
fn extended<N: IntoIterator<Item = usize>>(
    found: &[Vec<usize>],
    most: usize,
    next: impl Fn(&[usize]) -> N,
) -> Vec<Vec<usize>> {
    let of = |chosen: &Vec<usize>| {
        next(chosen).into_iter().map(|one| [&chosen[..], &[one]].concat()).collect::<Vec<_>>()
    };
    found.iter().flat_map(of).take(most).collect()
}

/// The different arrangements of entrants, the given one first.
pub(super) fn seat_permutations(entrants: &[usize], seats: SeatPermutations) -> Vec<Vec<usize>> {
    if seats == SeatPermutations::Given {
        return vec![entrants.to_vec()];
    }
    // Arrangements of positions, in order; then the entrants that stand there.
    let free = |chosen: &[usize]| (0..entrants.len()).filter(|at| !chosen.contains(at)).collect::<Vec<_>>();
    let all =
        entrants.iter().fold(vec![Vec::new()], |found, _| extended(&found, MAX_SEAT_PERMUTATIONS * 8, free));
    let mut seen = BTreeSet::new();
    let arranged = all.iter().map(|positions| positions.iter().map(|&at| entrants[at]).collect::<Vec<_>>());
    arranged.filter(|seat_permutation| seen.insert(seat_permutation.clone())).collect()
}
