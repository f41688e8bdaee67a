//! Sequence: which matches a shard plays, in order, and which of them are never played because a rule stopped their
//! cell.
//!
//! The order is that of the plan. At the beginning of each round the stopping rule decides whether a cell has been
//! played enough; the decision depends only on the matches of the rounds before, so it is the same on any number of
//! threads and after any interruption. The caller feeds the results back in the same order. If a decision needs a
//! result that is not there yet, the sequence says so. Behind a match that is missing from the records no rule is
//! asked: the records say what was played. A deal of a cell in which somebody learns waits for the results of the deal before.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::plan::{Cell, ExperimentPlan, MatchPlace, StoppingCriterion, StoppingRule};
use super::sequential_test::SequentialVerdict;
use hyperplay_lab::shards::Shard;
use hyperplay_report::Sample;

/// The next match of a sequence, if there is one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NextMatch {
    /// This match.
    Match(MatchPlace),
    /// Not known before further results are fed.
    Wait,
    /// Nothing.
    End,
}

/// The matches of a shard, one after the other.
#[derive(Clone)]
pub struct Sequence<'a> {
    plan: &'a ExperimentPlan,
    shard: Shard,
    firsts: Vec<u64>,
    /// Whether a match was passed over.
    pub(super) has_gap: bool,
    pub(super) at: SequencePosition,
}

/// Where a sequence stands, and the results of its cells if a rule, or a player that learns, needs them.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct SequencePosition {
    round: u64,
    cell: usize,
    deal: u64,
    seat_permutation: usize,
    /// Whether the rule was applied to the current cell in this round.
    asked: bool,
    trackers: Vec<Tracker>,
}

/// The results known of the deal that a cell is at.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Deal {
    matches: usize,
    is_broken: bool,
    /// By entrant, the sum of its goals and their number.
    sums: BTreeMap<usize, (f64, u32)>,
}

/// The results of a cell so far.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(super) struct Tracker {
    issued: u64,
    fed: u64,
    stopped: bool,
    deal: Deal,
    /// By deal: the first entrant's score, and the difference.
    #[serde(with = "sample")]
    score: Sample,
    #[serde(with = "sample")]
    difference: Sample,
}

/// A sample in a file: its parts, from which it goes on.
mod sample {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use hyperplay_report::Sample;

    pub(super) fn serialize<S: Serializer>(sample: &Sample, serializer: S) -> Result<S::Ok, S::Error> {
        <[f64; 4]>::from(*sample).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Sample, D::Error> {
        <[f64; 4]>::deserialize(deserializer).map(Sample::from)
    }
}

impl<'a> Sequence<'a> {
    /// The matches of one shard, from the first on.
    pub fn new(plan: &'a ExperimentPlan, shard: Shard) -> Self {
        let is_tracked = plan.stop.is_some() || plan.entrants.iter().any(|entrant| entrant.learns);
        let trackers = vec![Tracker::default(); if is_tracked { plan.cells.len() } else { 0 }];
        Sequence::at(plan, shard, SequencePosition { trackers, ..SequencePosition::default() })
    }

    /// The matches of one shard from a position on.
    pub(super) fn at(plan: &'a ExperimentPlan, shard: Shard, at: SequencePosition) -> Self {
        Sequence { plan, shard, firsts: plan.firsts(at.round), has_gap: false, at }
    }

    /// The next match.
    #[allow(clippy::should_implement_trait, reason = "it needs results between the matches")]
    pub fn next(&mut self) -> NextMatch {
        loop {
            if self.at.round >= self.plan.rounds() {
                return NextMatch::End;
            }
            if self.at.cell >= self.plan.cells.len() {
                self.at.round = if self.are_all_stopped() { self.plan.rounds() } else { self.at.round + 1 };
                if self.at.round < self.plan.rounds() {
                    self.firsts = self.plan.firsts(self.at.round);
                }
                self.enter(0);
                continue;
            }
            let deals = self.plan.deals(self.at.round);
            if self.at.deal >= deals.end {
                self.enter(self.at.cell + 1);
                continue;
            }
            if !self.plan.belongs(self.shard, self.at.cell, self.at.deal) {
                self.at.deal += 1;
                continue;
            }
            let stop = self.plan.stop.filter(|_| !self.at.asked);
            let follows = self.at.seat_permutation == 0 && self.plan.learns(self.at.cell);
            if !self.has_gap && (stop.is_some() || follows) {
                let tracker = &mut self.at.trackers[self.at.cell];
                if tracker.fed < tracker.issued {
                    return NextMatch::Wait;
                }
                tracker.stopped = tracker.stopped || stop.is_some_and(|stop| tracker.is_enough(&stop));
                if tracker.stopped {
                    self.enter(self.at.cell + 1);
                    continue;
                }
                self.at.asked = true;
            }
            return NextMatch::Match(self.step(deals.start));
        }
    }

    /// Whether no round has another match. Behind a gap the rules no longer decide.
    fn are_all_stopped(&self) -> bool {
        let trackers = &self.at.trackers;
        !self.has_gap && !trackers.is_empty() && trackers.iter().all(|tracker| tracker.stopped)
    }

    fn enter(&mut self, cell: usize) {
        (self.at.cell, self.at.seat_permutation, self.at.asked) = (cell, 0, false);
        self.at.deal = self.plan.deals(self.at.round).start;
    }

    /// The match at hand; moves on behind it.
    fn step(&mut self, first_deal: u64) -> MatchPlace {
        let seat_permutations = self.plan.cells[self.at.cell].seat_permutations.len();
        let before = (self.at.deal - first_deal) * seat_permutations as u64 + self.at.seat_permutation as u64;
        let id = self.firsts[self.at.cell] + before;
        let place = MatchPlace {
            id,
            cell: self.at.cell,
            deal: self.at.deal,
            seat_permutation: self.at.seat_permutation,
        };
        self.at.seat_permutation += 1;
        if self.at.seat_permutation == seat_permutations {
            (self.at.seat_permutation, self.at.deal) = (0, self.at.deal + 1);
        }
        if let Some(tracker) = self.at.trackers.get_mut(place.cell) {
            tracker.issued += 1;
        }
        place
    }

    /// The match of this number, if it is still to come; matches before it are passed over.
    pub fn find(&mut self, id: u64) -> Option<MatchPlace> {
        loop {
            match self.next() {
                NextMatch::Match(place) if place.id == id => return Some(place),
                NextMatch::Match(place) if place.id > id => {
                    self.take_back(&place);
                    return None;
                }
                NextMatch::Match(_) | NextMatch::Wait => self.has_gap = true,
                NextMatch::End => return None,
            }
        }
    }

    /// Whether all matches so far were fed.
    pub fn is_whole(&self) -> bool {
        !self.has_gap
    }

    /// Takes back a match that was given out last and turned out not to be there.
    fn take_back(&mut self, place: &MatchPlace) {
        (self.at.cell, self.at.deal, self.at.seat_permutation, self.at.asked) =
            (place.cell, place.deal, place.seat_permutation, true);
        if let Some(tracker) = self.at.trackers.get_mut(place.cell) {
            tracker.issued -= 1;
        }
    }

    /// The goals of a match by played role, if it ended with goals. To be called for every match, in order.
    pub fn feed(&mut self, place: &MatchPlace, goals: Option<&[u8]>) {
        let Some(tracker) = self.at.trackers.get_mut(place.cell) else { return };
        let cell = &self.plan.cells[place.cell];
        tracker.fed += 1;
        let means = tracker.deal.add(cell, self.plan.seats(place), goals.unwrap_or_default());
        let mut means = cell.entrants.iter().map_while(|entrant| means.as_ref()?.get(entrant).copied());
        if let Some(first) = means.next() {
            tracker.score.add(first);
            means.next().into_iter().for_each(|second| tracker.difference.add(first - second));
        }
    }
}

impl Deal {
    /// Adds the next match of a cell, with its goals by played role; none if it did not end with goals. At the end of a
    /// deal returns the mean of each entrant over its matches; a deal with a match that has no goals does not count.
    pub fn add(&mut self, cell: &Cell, seats: &[usize], goals: &[u8]) -> Option<BTreeMap<usize, f64>> {
        self.matches += 1;
        self.is_broken |= goals.is_empty();
        for (&entrant, &goal) in seats.iter().zip(goals) {
            let (sum, count) = self.sums.entry(entrant).or_default();
            (*sum, *count) = (*sum + f64::from(goal), *count + 1);
        }
        if self.matches < cell.seat_permutations.len() {
            return None;
        }
        let deal = std::mem::take(self);
        let mean = |(entrant, (sum, count)): (usize, (f64, u32))| (entrant, sum / f64::from(count));
        (!deal.is_broken).then(|| deal.sums.into_iter().map(mean).collect())
    }
}

impl Tracker {
    fn is_enough(&self, stop: &StoppingRule) -> bool {
        match stop.rule {
            StoppingCriterion::Width { points } => {
                self.score.count() >= stop.least && self.score.half_width().is_some_and(|half| half <= points)
            }
            StoppingCriterion::Sprt(test) => {
                let verdict = test.verdict(&self.difference);
                self.difference.count() >= stop.least && verdict != SequentialVerdict::Open
            }
        }
    }
}
