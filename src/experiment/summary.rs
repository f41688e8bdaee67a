//! Summary: the figures from the matches of an experiment, cell by cell and entrant by entrant.
//!
//! The summary is made in one pass over the results in the order of their numbers. Its memory grows with cells and
//! steps, not with matches. The independent numbers are those of deals: a deal is averaged over its seat permutations
//! first, and a deal with a match that has no goals is in no mean. Of a match that failed nothing is counted but that
//! it did. A *contrast* compares two entrants who met the same others on the same deals, in two cells.

use std::collections::{BTreeMap, BTreeSet};

use super::folder::Planned;
use super::plan::{Cell, ExperimentPlan, distinct};
use super::pool::Pool;
use super::results::{MissingMatches, Results};
use super::role_scores::{MatchScores, RoleScores};
use super::sequence::Deal;
use super::sequential_test::SequentialVerdict;
use super::standings::{DealScores, Standing};
use super::stored::FinishedMatch;
use super::work::{DecisionWork, MatchWork};
use hyperplay_lab::LabResult;
use hyperplay_lab::records::{DamagedLine, Record, TurnRecord, TurnTime};
use hyperplay_report::{Clusters, JointSample, Sample};

/// Up to this many entrants that met the same others are all compared with each other; if there are more, only
/// neighbours are.
const CONTRASTED: usize = 12;

/// The greatest percentage of decisions with a replaced move that leaves a score without a mark.
pub const REPLACED: f64 = 1.0;

/// An experiment summed up.
#[derive(Default)]
pub struct ExperimentSummary {
    /// By cell.
    pub cells: Vec<CellSummary>,
    /// Entrants who met the same others.
    pub contrasts: Vec<Contrast>,
    /// The standings in all games together and in each.
    pub standings: Vec<Standing>,
    /// By game, entrant and step.
    pub steps: BTreeMap<(usize, usize, usize), StepSummary>,
    /// The scores by role.
    pub roles: RoleScores,
    /// With clocks, the load of the computers that played, by match.
    pub load: Sample,
    /// Matches read.
    pub matches: u64,
    /// How many of them failed.
    pub failed: u64,
    /// The matches that are missing.
    pub missing: Vec<MissingMatches>,
    /// The lines that cannot be read.
    pub damage: Vec<DamagedLine>,
}

/// One cell.
#[derive(Clone, Debug, Default)]
pub struct CellSummary {
    /// Matches read.
    pub matches: u64,
    /// Matches without goals, by outcome.
    pub unfinished: BTreeMap<String, u64>,
    /// How many of these failed.
    pub failed: u64,
    /// Whether every match was won, lost or drawn: two roles, 100 to 0 or 50 to 50.
    pub is_won_or_lost: bool,
    /// Joint moves made.
    pub steps: Sample,
    /// The different entrants, in the order of the cell.
    pub entrants: Vec<EntrantSummary>,
    /// Two entrants by their places in [`entrants`](Self::entrants), and the first one's score less the second's, by deal:
    /// every pair, that of the first two before the others.
    pub differences: Vec<([usize; 2], Sample)>,
    /// The result of the sequential test, if the plan has one: the logarithm of the ratio, and the verdict.
    pub sprt: Option<(f64, SequentialVerdict)>,
}

/// One entrant in one cell.
#[derive(Clone, Debug, Default)]
pub struct EntrantSummary {
    /// The entrant, by its place in the plan.
    pub entrant: usize,
    /// Its goals, by deal.
    pub score: Sample,
    /// Its results in all matches that ended with goals.
    pub scores: MatchScores,
    /// Moves replaced.
    pub faults: u64,
    /// The matches that did not fail, and those of them in which a move was replaced.
    pub matches: [u64; 2],
    /// The work of its decisions.
    pub work: DecisionWork,
}

/// The figures of one step, over all matches of a game.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepSummary {
    /// Decisions.
    pub turns: u64,
    /// Those on a depleted belief.
    pub depleted: u64,
    /// The same, by deal.
    pub depletion: Clusters,
    /// Whether the entrant has a belief.
    pub has_belief: bool,
    /// Seconds a decision, by deal.
    pub time: Clusters,
}

/// Two entrants who met the same others.
#[derive(Clone, Debug)]
pub struct Contrast {
    /// The game.
    pub game: usize,
    /// Whom both met.
    pub others: Vec<usize>,
    /// The two, each with its cell.
    pub first: (usize, usize),
    /// See [`first`](Self::first).
    pub second: (usize, usize),
    /// The scores of the first and of the second, by deal.
    pub scores: JointSample,
}

impl Contrast {
    /// The first one's score less the second's, by deal.
    pub fn difference(&self) -> Sample {
        self.scores.difference(0, 1)
    }

    /// How many times as many deals the same interval would take if the two had not played the same ones.
    pub fn variance_ratio(&self) -> Option<f64> {
        let variance = self.difference().variance().filter(|&variance| variance > 0.0)?;
        Some((self.scores.at(0).variance()? + self.scores.at(1).variance()?) / variance)
    }
}

impl CellSummary {
    /// The greatest percentage of moves of one entrant that were replaced, `None` without any decision; the `except`ed
    /// one does not count.
    pub fn replaced(&self, except: Option<usize>) -> Option<f64> {
        let others = self.entrants.iter().filter(|one| Some(one.entrant) != except);
        others.filter_map(EntrantSummary::replaced).reduce(f64::max)
    }
}

impl ExperimentSummary {
    /// Sums up the results of a folder.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn of(planned: &Planned, mut results: Results<'_>) -> LabResult<ExperimentSummary> {
        let summary = ExperimentSummary::summed(planned, &mut || results.next())?;
        Ok(ExperimentSummary { missing: results.missing(), damage: results.damage(), ..summary })
    }

    /// Sums up the matches of several folders, or of a part of one.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn of_pool(planned: &Planned, mut pool: Pool<'_>) -> LabResult<ExperimentSummary> {
        let summary = ExperimentSummary::summed(planned, &mut || pool.next())?;
        Ok(ExperimentSummary { missing: pool.missing(), damage: pool.damage(), ..summary })
    }

    fn summed(
        planned: &Planned,
        next: &mut dyn FnMut() -> LabResult<Option<FinishedMatch>>,
    ) -> LabResult<ExperimentSummary> {
        let plan = &planned.plan;
        let mut summing = Summing::new(plan);
        while let Some(finished) = next()? {
            summing.add(&finished);
        }
        summing.end_round();
        let mut summary = summing.summary;
        if let Some(test) = plan.test() {
            for cell in &mut summary.cells {
                let first = cell.differences.first();
                cell.sprt = first.map(|(_, of)| (test.log_likelihood_ratio(of), test.verdict(of)));
            }
        }
        Ok(summary)
    }
}

struct Summing<'a> {
    plan: &'a ExperimentPlan,
    summary: ExperimentSummary,
    deals: Vec<Deal>,
    /// The scores of the deals of the round at hand, by cell and deal.
    round: u64,
    scores: DealScores,
}

impl<'a> Summing<'a> {
    fn new(plan: &'a ExperimentPlan) -> Self {
        let entrant = |entrant: usize| EntrantSummary { entrant, ..EntrantSummary::default() };
        let cell = |cell: &Cell| CellSummary {
            is_won_or_lost: plan.games[cell.game].width() == 2,
            entrants: distinct(cell.entrants.iter().copied()).into_iter().map(entrant).collect(),
            ..CellSummary::default()
        };
        let mut cells: Vec<CellSummary> = plan.cells.iter().map(cell).collect();
        for CellSummary { entrants, differences, .. } in &mut cells {
            let pairs = |one| (one + 1..entrants.len()).map(move |other| ([one, other], Sample::default()));
            *differences = (0..entrants.len()).flat_map(pairs).collect();
        }
        let deals = vec![Deal::default(); cells.len()];
        let (contrasts, standings) = (contrasts(plan), Standing::all(plan));
        let summary = ExperimentSummary { cells, contrasts, standings, ..ExperimentSummary::default() };
        Summing { plan, summary, deals, round: 0, scores: BTreeMap::new() }
    }

    fn add(&mut self, finished: &FinishedMatch) {
        let place = &finished.place;
        let round = place.deal / self.plan.round();
        if round != self.round {
            self.end_round();
            self.round = round;
        }
        self.summary.matches += 1;
        self.add_goals(finished);
        self.summary.roles.add(self.plan, finished);
        if finished.record.has_failed() {
            self.summary.failed += 1;
        } else {
            self.add_turns(finished);
        }
    }

    fn add_goals(&mut self, finished: &FinishedMatch) {
        let (place, record) = (&finished.place, &finished.record);
        let plan_cell = &self.plan.cells[place.cell];
        let cell = &mut self.summary.cells[place.cell];
        cell.matches += 1;
        if record.has_failed() {
            cell.failed += 1;
        } else {
            cell.steps.add(record.steps as f64);
        }
        let goals: Vec<u8> = record.goals.values().copied().collect();
        if goals.is_empty() {
            *cell.unfinished.entry(record.outcome.clone()).or_default() += 1;
        } else {
            cell.is_won_or_lost &= matches!(goals[..], [100, 0] | [0, 100] | [50, 50]);
        }
        let seats = self.plan.seats(place);
        for (seat, entrant) in seats.iter().enumerate() {
            let is_here = |summary: &&mut EntrantSummary| summary.entrant == *entrant;
            let Some(summary) = cell.entrants.iter_mut().find(is_here) else { continue };
            if !record.has_failed() {
                summary.faults += record.faults.get_index(seat).map_or(0, |(_, &count)| u64::from(count));
            }
            if seat < goals.len() {
                summary.scores.add(place.deal, &goals, seat);
            }
        }
        let Some(means) = self.deals[place.cell].add(plan_cell, seats, &goals) else { return };
        for summary in &mut cell.entrants {
            means.get(&summary.entrant).into_iter().for_each(|&mean| summary.score.add(mean));
        }
        for (pair, difference) in &mut cell.differences {
            let [first, second] = pair.map(|at| means.get(&cell.entrants[at].entrant));
            first.zip(second).into_iter().for_each(|(first, second)| difference.add(first - second));
        }
        self.scores.insert((place.cell, place.deal), means);
    }

    fn add_turns(&mut self, finished: &FinishedMatch) {
        let place = &finished.place;
        let game = self.plan.cells[place.cell].game;
        let timing = finished.timing();
        let is_late = 2 * place.deal >= self.plan.repetitions;
        let load = timing.as_ref().and_then(|timing| timing.load);
        load.into_iter().for_each(|load| self.summary.load.add(load));
        let cell = &mut self.summary.cells[place.cell];
        let mut matches = vec![MatchWork::default(); cell.entrants.len()];
        for (number, line) in finished.turns().iter().enumerate() {
            let Ok(turn) = TurnRecord::read(line) else { continue };
            let is_of = |summary: &EntrantSummary| self.plan.label(summary.entrant) == turn.player;
            let Some(at) = cell.entrants.iter().position(is_of) else { continue };
            let summary = &mut cell.entrants[at];
            let time = timing.as_ref().and_then(|timing| timing.turns.get(number)).copied();
            matches[at].add(&turn, time, is_late, &mut summary.work);
            let step = self.summary.steps.entry((game, summary.entrant, turn.step)).or_default();
            step.turns += 1;
            step.depleted += u64::from(turn.depleted);
            step.depletion.add(place.deal, f64::from(u8::from(turn.depleted)), 1.0);
            step.has_belief |= turn.particles.is_some() || turn.depleted;
            if let Some(all) = time.and_then(TurnTime::all) {
                step.time.add(place.deal, all, 1.0);
            }
        }
        let record = &finished.record;
        for (summary, of_match) in cell.entrants.iter_mut().zip(matches) {
            of_match.end(&mut summary.work);
            let is_own = |(_, player): &(&String, &String)| *player == self.plan.label(summary.entrant);
            let own = |role: &String| record.faults.get(role).is_some_and(|&count| count > 0);
            summary.matches[0] += 1;
            summary.matches[1] += u64::from(record.players.iter().filter(is_own).any(|(role, _)| own(role)));
        }
    }

    /// Compares the entrants after all cells have played the deals of a round.
    fn end_round(&mut self) {
        let scores = std::mem::take(&mut self.scores);
        for standing in &mut self.summary.standings {
            self.plan.deals(self.round).for_each(|deal| standing.add(self.plan, deal, &scores));
        }
        let score = |(cell, entrant), deal: u64| scores.get(&(cell, deal))?.get(&entrant).copied();
        for contrast in &mut self.summary.contrasts {
            for deal in self.plan.deals(self.round) {
                let both = score(contrast.first, deal).zip(score(contrast.second, deal));
                both.into_iter().for_each(|(first, second)| contrast.scores.add(&[first, second]));
            }
        }
    }
}

impl EntrantSummary {
    /// The percentage of its decisions in which its move was replaced, or without turns that of such matches; `None`
    /// without either.
    pub fn replaced(&self) -> Option<f64> {
        let [matches, faulted] = self.matches;
        let (count, of) = match self.work.turns {
            0 if faulted > 0 => (faulted, matches),
            turns => (self.faults, turns),
        };
        (of > 0).then(|| 100.0 * count as f64 / of as f64)
    }
}

/// Which entrants met the same others.
fn contrasts(plan: &ExperimentPlan) -> Vec<Contrast> {
    /// By game and others: the cells, and who met the others there.
    type Groups = BTreeMap<(usize, Vec<usize>), BTreeSet<(usize, usize)>>;
    let mut groups = Groups::new();
    for (number, cell) in plan.cells.iter().enumerate() {
        for (at, &entrant) in cell.entrants.iter().enumerate() {
            let mut others = cell.entrants.clone();
            others.remove(at);
            others.sort_unstable();
            groups.entry((cell.game, others)).or_default().insert((number, entrant));
        }
    }
    let mut found = Vec::new();
    for ((game, others), group) in groups {
        for (at, &first) in group.iter().enumerate() {
            let reach = if group.len() <= CONTRASTED { group.len() } else { at + 2 };
            for &second in group.iter().take(reach).skip(at + 1) {
                let scores = JointSample::default();
                found.push(Contrast { game, others: others.clone(), first, second, scores });
            }
        }
    }
    found
}
