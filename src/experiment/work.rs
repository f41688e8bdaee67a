//! Work: the cost of the decisions of an entrant, and what they rested on.
//!
//! Decisions of one match are not independent, so a figure is averaged over a match first, and a sample is one of
//! matches.

use std::collections::BTreeMap;

use hyperplay_lab::records::{TurnRecord, TurnTime};
use hyperplay_report::Sample;

/// Figures of which a sample has the means over matches.
#[derive(Clone, Copy)]
pub(super) enum Figure {
    /// Particles held.
    Particles,
    /// Their distinct states.
    States,
    /// Their effective sample size.
    Effective,
    /// Playouts.
    Playouts,
    /// Playouts for each legal move and state.
    PlayoutsPerMove,
    /// Seconds of the belief.
    Update,
    /// Seconds of all the rest.
    Select,
    /// Seconds in all.
    Time,
    /// Seconds of processor time.
    Processor,
}

/// The shortest mean time of a decision, in seconds, in which a processor that is not there is noticed.
const LONG: f64 = 1e-3;

/// The least number of decisions from which a rate of playouts is taken.
const RATED: f64 = 50.0;

/// How many these are.
const FIGURES: usize = Figure::Processor as usize + 1;

/// The cost of decisions, and what they rested on.
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
    /// Seconds in all of decisions whose processor time is known, and that time.
    pub spent: [f64; 2],
    /// In the first half of the deals and in the second: decisions with playouts, playouts, and their seconds.
    pub rates: [[f64; 3]; 2],
    samples: [Sample; FIGURES],
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
        let counts = [(&mut self.methods, &other.methods), (&mut self.faults, &other.faults)];
        for (counts, others) in counts {
            others.iter().for_each(|(kind, count)| *counts.entry(kind.clone()).or_default() += count);
        }
        self.longest = greater(self.longest, other.longest);
        let sums = self.spent.iter_mut().chain(self.rates.as_flattened_mut());
        sums.zip(other.spent.iter().chain(other.rates.as_flattened())).for_each(|(sum, one)| *sum += one);
        self.samples.iter_mut().zip(&other.samples).for_each(|(sample, other)| sample.merge(other));
    }

    /// The means over matches of a figure.
    pub(super) fn sample(&self, figure: Figure) -> &Sample {
        &self.samples[figure as usize]
    }

    /// The mean of a figure, if it is known; processor time is if it is that of all decisions.
    pub(super) fn mean(&self, figure: Figure) -> Option<f64> {
        let is_processor = matches!(figure, Figure::Processor);
        let sample = self.sample(figure);
        sample.mean().filter(|_| !is_processor || sample.count() == self.sample(Figure::Time).count())
    }

    /// The share of decisions on a depleted belief, if any rested on a belief.
    pub fn depletion(&self) -> Option<f64> {
        let has_belief = self.sample(Figure::Particles).count() > 0 || self.depleted > 0;
        has_belief.then(|| self.depleted as f64 / self.turns as f64)
    }

    /// The share of attempts that agreed, if any was made.
    pub fn acceptance(&self) -> Option<f64> {
        (self.attempts > 0).then(|| self.accepted as f64 / self.attempts as f64)
    }

    /// The share of the time that the belief took: the ratio of the means, if both are known.
    pub fn belief_share(&self) -> Option<f64> {
        let (update, time) = (self.mean(Figure::Update)?, self.mean(Figure::Time)?);
        (time > 0.0).then(|| update / time)
    }

    /// How much of the time of its decisions it had a processor, if both are known and long enough to be compared.
    pub fn processor_share(&self) -> Option<f64> {
        let [time, processor] = self.spent;
        (time > 0.0 && self.mean(Figure::Time) >= Some(LONG)).then(|| processor / time)
    }

    /// The playouts a second in the second half of the deals over those in the first, if both have enough decisions.
    pub fn slowdown(&self) -> Option<f64> {
        let is_enough = self.rates.iter().all(|&[count, _, time]| count >= RATED && time > 0.0);
        let [first, second] = self.rates.map(|[_, playouts, time]| playouts / time);
        is_enough.then(|| second / first)
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

/// The decisions of an entrant in one match: the sum of each figure, and of how many decisions it is known.
#[derive(Clone, Copy, Default)]
pub(super) struct MatchWork([(f64, u32); FIGURES]);

impl MatchWork {
    /// Adds a decision, of the second half of the deals if it is late, to the counts of `work` and to the means of the match.
    pub fn add(&mut self, turn: &TurnRecord, time: Option<TurnTime>, late: bool, work: &mut DecisionWork) {
        work.turns += 1;
        work.depleted += u64::from(turn.depleted);
        work.attempts += turn.attempts.unwrap_or(0);
        work.accepted += turn.accepted.unwrap_or(0);
        for (counts, kind) in [(&mut work.methods, &turn.method), (&mut work.faults, &turn.fault)] {
            kind.iter().for_each(|kind| *counts.entry(kind.clone()).or_default() += 1);
        }
        let all = time.and_then(TurnTime::all);
        work.longest = greater(work.longest, all);
        let processor = time.and_then(|time| time.processor);
        if let (Some(all), Some(processor)) = (all, processor) {
            work.spent = [work.spent[0] + all, work.spent[1] + processor];
        }
        if let Some(all) = all.filter(|_| turn.playouts > 0) {
            let added = [1.0, turn.playouts as f64, all];
            work.rates[usize::from(late)].iter_mut().zip(added).for_each(|(sum, one)| *sum += one);
        }
        let number = |count: Option<usize>| count.map(|count| count as f64);
        let figures: [Option<f64>; FIGURES] = [
            number(turn.particles),
            number(turn.states),
            turn.effective,
            Some(turn.playouts as f64),
            Some(turn.playouts_per_move),
            time.and_then(|time| time.update),
            time.and_then(|time| time.select),
            all,
            processor,
        ];
        for ((sum, count), figure) in self.0.iter_mut().zip(figures) {
            (*sum, *count) = (*sum + figure.unwrap_or(0.0), *count + u32::from(figure.is_some()));
        }
    }

    /// Adds the means of the match to the samples of `work`.
    pub(super) fn end(mut self, work: &mut DecisionWork) {
        let [time, processor] = [Figure::Time, Figure::Processor].map(|figure| figure as usize);
        if self.0[processor].1 < self.0[time].1 {
            self.0[processor] = Default::default();
        }
        let known = self.0.into_iter().zip(&mut work.samples).filter(|((_, count), _)| *count > 0);
        known.for_each(|((sum, count), sample)| sample.add(sum / f64::from(count)));
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
        let time = |update: f64, select: f64| {
            Some(TurnTime {
                update: Some(update),
                select: Some(select),
                processor: Some(update + select / 2.0),
            })
        };
        let played = [
            vec![(turn(Some("enumeration"), 10), None), (turn(Some("rejection"), 30), None)],
            vec![
                (turn(Some("rejection"), 80), time(1.0, 3.0)),
                (turn(None, 0), time(3.0, 1.0)),
                (turn(Some("rejection"), 10), time(0.5, 1.5)),
            ],
        ];
        assert_eq!((work.method(), work.acceptance(), work.belief_share()), (String::new(), None, None));
        for turns in played {
            let mut of_match = MatchWork::default();
            turns.iter().for_each(|(turn, time)| of_match.add(turn, *time, false, &mut work));
            of_match.end(&mut work);
        }
        assert_eq!((work.turns, work.depleted, work.longest), (5, 1, Some(4.0)));
        assert_eq!(work.method(), "enumeration 1 + rejection 3");
        assert_eq!(work.acceptance(), Some(0.25));
        let playouts = work.sample(Figure::Playouts);
        assert_eq!((playouts.count(), playouts.mean()), (2, Some(25.0)));
        let share = work.belief_share().unwrap_or_default();
        assert!(work.sample(Figure::Time).count() == 1 && (share - 0.45).abs() < 1e-12, "{share}");
        assert_eq!((work.spent, work.processor_share()), ([10.0, 7.25], Some(0.725)));
        let mut partly = work.clone();
        assert!(partly.mean(Figure::Processor).is_some_and(|seconds| (seconds - 2.4166667).abs() < 1e-6));
        let (mut of_match, known) = (MatchWork::default(), time(1.0, 3.0));
        let unknown = known.map(|time| TurnTime { processor: None, ..time });
        [known, unknown].into_iter().for_each(|time| of_match.add(&turn(None, 0), time, false, &mut partly));
        of_match.end(&mut partly);
        assert_eq!((partly.mean(Figure::Processor), partly.sample(Figure::Time).count()), (None, 2));
        assert_eq!((work.rates[0], work.slowdown()), ([2.0, 90.0, 6.0], None));
        work.rates = [[60.0, 900.0, 3.0], [60.0, 900.0, 4.0]];
        assert_eq!(work.slowdown(), Some(0.75));
        work.methods.remove("enumeration");
        assert_eq!(work.method(), "rejection");
    }
}
