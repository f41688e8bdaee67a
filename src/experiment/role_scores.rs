//! Scores of matches: the goals of an entrant in the matches of a cell, and those in each role.
//!
//! A score averages a deal over its seat permutations, because roles may be of unequal worth. By role they are kept
//! apart: matches in which an entrant had one role are counted by themselves. The matches of a deal are one cluster,
//! and so are both sides of an entrant that plays against itself.

use std::collections::BTreeMap;

use super::plan::{ExperimentPlan, SeatPermutations};
use super::stored::FinishedMatch;
use hyperplay_report::Clusters;

/// The goals of an entrant in matches that ended with goals.
#[derive(Clone, Copy, Debug, Default)]
pub struct MatchScores {
    /// Its goals, by deal.
    pub goals: Clusters,
    /// Its adjusted goals, by deal, if they were asked for.
    pub adjusted: Clusters,
    /// The matches that it won or drew, by deal.
    pub kept: Clusters,
    /// Matches with the best goal of all, shared with another, and the rest.
    pub results: [u64; 3],
}

impl MatchScores {
    /// Adds a match of a deal in which it got the goal of this seat.
    pub(super) fn add(&mut self, deal: u64, goals: &[u8], seat: usize) {
        let best = goals.iter().max();
        let is_best = goals.get(seat) == best;
        let is_shared = goals.iter().filter(|&goal| Some(goal) == best).count() > 1;
        self.goals.add(deal, goals[seat].into(), 1.0);
        self.kept.add(deal, f64::from(u8::from(is_best)), 1.0);
        self.results[if is_best { usize::from(is_shared) } else { 2 }] += 1;
    }
}

/// The scores of all entrants by role.
#[derive(Clone, Debug, Default)]
pub struct RoleScores {
    /// By cell, entrant and place of the role among those that are played.
    pub(super) by_role: BTreeMap<(usize, usize, usize), MatchScores>,
    /// By game and place of the role, its goals less the mean of all roles in the match, by deal.
    pub(super) effects: BTreeMap<(usize, usize), Clusters>,
}

impl RoleScores {
    /// Adds a match.
    pub(super) fn add(&mut self, plan: &ExperimentPlan, finished: &FinishedMatch) {
        let place = &finished.place;
        let goals: Vec<u8> = finished.record.goals.values().copied().collect();
        for (seat, &entrant) in plan.seats(place).iter().enumerate().take(goals.len()) {
            self.by_role.entry((place.cell, entrant, seat)).or_default().add(place.deal, &goals, seat);
        }
        if plan.seats == SeatPermutations::All && goals.len() > 1 {
            let (game, mean) = (
                plan.cells[place.cell].game,
                goals.iter().map(|&goal| f64::from(goal)).sum::<f64>() / goals.len() as f64,
            );
            for (seat, &goal) in goals.iter().enumerate() {
                self.effects.entry((game, seat)).or_default().add(place.deal, f64::from(goal) - mean, 1.0);
            }
        }
    }
}
