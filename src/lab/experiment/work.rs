//! Work: what the decisions of an entrant rested on and cost.
//!
//! Decisions of one match are not independent, so a figure is averaged over a match first, and a sample is one of matches.

use std::collections::BTreeMap;

use super::record::{TurnRecord, TurnTime};
use crate::report::Sample;

/// What decisions cost and rested on. Samples are of means over a match.
#[derive(Clone, Debug, Default)]
pub struct DecisionWork {
    /// Decisions.
    pub turns: u64,
    /// Those on a depleted belief.
    pub depleted: u64,
    /// How many found their particles by each method.
    pub methods: BTreeMap<String, u64>,
    /// Steps that beliefs drew at random and compared with what was observed, in all.
    pub attempts: u64,
    /// Those of them that agreed.
    pub accepted: u64,
    /// Moves replaced, by the kind of the fault.
    pub faults: BTreeMap<String, u64>,
    /// The longest time that an answer took, in seconds.
    pub longest: Option<f64>,
    /// Particles held.
    pub particles: Sample,
    /// Their distinct states.
    pub states: Sample,
    /// Their effective sample size.
    pub effective: Sample,
    /// Playouts.
    pub playouts: Sample,
    /// Playouts for each legal move and state.
    pub playouts_per_move: Sample,
    /// Seconds of the belief.
    pub update: Sample,
    /// Seconds of all the rest.
    pub select: Sample,
    /// Seconds in all.
    pub time: Sample,
}

/// The greater of two numbers that may be unknown.
fn greater(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.into_iter().chain(other).reduce(f64::max)
}

impl DecisionWork {
    /// Adds the decisions of another entrant or cell.
    pub fn merge(&mut self, other: &DecisionWork) {
        self.turns += other.turns;
        self.depleted += other.depleted;
        self.attempts += other.attempts;
        self.accepted += other.accepted;
        for (method, count) in &other.methods {
            *self.methods.entry(method.clone()).or_default() += count;
        }
        for (kind, count) in &other.faults {
            *self.faults.entry(kind.clone()).or_default() += count;
        }
        self.longest = greater(self.longest, other.longest);
        let samples = [
            (&mut self.particles, &other.particles),
            (&mut self.states, &other.states),
            (&mut self.effective, &other.effective),
            (&mut self.playouts, &other.playouts),
            (&mut self.playouts_per_move, &other.playouts_per_move),
            (&mut self.update, &other.update),
            (&mut self.select, &other.select),
            (&mut self.time, &other.time),
        ];
        samples.into_iter().for_each(|(sample, other)| sample.merge(other));
    }

    /// Whether any decision rested on a belief.
    pub fn has_belief(&self) -> bool {
        self.particles.count() > 0 || self.depleted > 0
    }

    /// The share of attempts that agreed, if any was made.
    pub fn acceptance(&self) -> Option<f64> {
        (self.attempts > 0).then(|| self.accepted as f64 / self.attempts as f64)
    }

    /// The share of the time that the belief took: the ratio of the means, if both are known.
    pub fn belief_share(&self) -> Option<f64> {
        let (update, time) = (self.update.mean()?, self.time.mean()?);
        (time > 0.0).then(|| update / time)
    }

    /// The method of all decisions with particles; where they differ, each with its count, as
    /// `enumeration 12 + rejection 30`.
    pub fn method(&self) -> String {
        match self.methods.first_key_value() {
            Some((only, _)) if self.methods.len() == 1 => only.clone(),
            _ => {
                let counted = self.methods.iter().map(|(method, count)| format!("{method} {count}"));
                counted.collect::<Vec<_>>().join(" + ")
            }
        }
    }
}

/// A mean over the decisions of one match.
#[derive(Clone, Copy, Default)]
struct MatchMean {
    sum: f64,
    count: u32,
}

impl MatchMean {
    fn add(&mut self, number: Option<f64>) {
        if let Some(number) = number {
            self.sum += number;
            self.count += 1;
        }
    }

    fn end(self, sample: &mut Sample) {
        if self.count > 0 {
            sample.add(self.sum / f64::from(self.count));
        }
    }
}

/// The decisions of an entrant in one match.
#[derive(Clone, Copy, Default)]
pub(super) struct MatchWork {
    particles: MatchMean,
    states: MatchMean,
    effective: MatchMean,
    playouts: MatchMean,
    playouts_per_move: MatchMean,
    update: MatchMean,
    select: MatchMean,
    time: MatchMean,
}

impl MatchWork {
    /// Adds a decision, to the counts of `work` and to the means of the match.
    pub(super) fn add(&mut self, turn: &TurnRecord, time: Option<TurnTime>, work: &mut DecisionWork) {
        work.turns += 1;
        work.depleted += u64::from(turn.depleted);
        work.attempts += turn.attempts.unwrap_or(0);
        work.accepted += turn.accepted.unwrap_or(0);
        if let Some(method) = &turn.method {
            *work.methods.entry(method.clone()).or_default() += 1;
        }
        if let Some(kind) = &turn.fault {
            *work.faults.entry(kind.clone()).or_default() += 1;
        }
        work.longest = greater(work.longest, time.and_then(TurnTime::all));
        let number = |count: Option<usize>| count.map(|count| count as f64);
        self.particles.add(number(turn.particles));
        self.states.add(number(turn.states));
        self.effective.add(turn.effective);
        self.playouts.add(Some(turn.playouts as f64));
        self.playouts_per_move.add(Some(turn.playouts_per_move));
        self.update.add(time.and_then(|time| time.update));
        self.select.add(time.and_then(|time| time.select));
        self.time.add(time.and_then(TurnTime::all));
    }

    /// Adds the means of the match to the samples of `work`.
    pub(super) fn end(self, work: &mut DecisionWork) {
        self.particles.end(&mut work.particles);
        self.states.end(&mut work.states);
        self.effective.end(&mut work.effective);
        self.playouts.end(&mut work.playouts);
        self.playouts_per_move.end(&mut work.playouts_per_move);
        self.update.end(&mut work.update);
        self.select.end(&mut work.select);
        self.time.end(&mut work.time);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(method: Option<&str>, playouts: u64) -> TurnRecord {
        TurnRecord {
            id: 0,
            game: String::new(),
            cell: 0,
            step: 1,
            role: String::new(),
            player: String::new(),
            legal: 2,
            own: String::new(),
            value: None,
            particles: method.map(|_| 10),
            states: method.map(|_| 5),
            effective: method.map(|_| 7.5),
            enumerated: method.map(|method| method == "enumeration"),
            method: method.map(str::to_owned),
            attempts: method.map(|method| if method == "rejection" { 100 } else { 0 }),
            accepted: method.map(|method| if method == "rejection" { 25 } else { 0 }),
            depleted: method.is_none(),
            visited: 0,
            playouts,
            playouts_per_move: playouts as f64 / 10.0,
            fault: None,
        }
    }

    #[test]
    fn methods_are_counted_and_figures_are_means_over_a_match_first() {
        let mut work = DecisionWork::default();
        let played = [
            vec![(turn(Some("enumeration"), 10), None), (turn(Some("rejection"), 30), None)],
            vec![
                (turn(Some("rejection"), 80), Some(TurnTime { update: Some(1.0), select: Some(3.0) })),
                (turn(None, 0), Some(TurnTime { update: Some(3.0), select: Some(1.0) })),
                (turn(Some("rejection"), 10), Some(TurnTime { update: Some(0.5), select: Some(1.5) })),
            ],
        ];
        assert_eq!((work.method(), work.acceptance(), work.belief_share()), (String::new(), None, None));
        for turns in played {
            let mut of_match = MatchWork::default();
            turns.iter().for_each(|(turn, time)| of_match.add(turn, *time, &mut work));
            of_match.end(&mut work);
        }
        assert_eq!((work.turns, work.depleted, work.longest), (5, 1, Some(4.0)));
        assert_eq!(work.method(), "enumeration 1 + rejection 3");
        assert_eq!(work.acceptance(), Some(0.25));
        assert_eq!((work.playouts.count(), work.playouts.mean()), (2, Some(25.0)));
        let share = work.belief_share().unwrap_or_default();
        assert!(work.time.count() == 1 && (share - 0.45).abs() < 1e-12, "{share}");
        work.methods.remove("enumeration");
        assert_eq!(work.method(), "rejection");
    }
}
