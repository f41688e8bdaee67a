//! Standings: the scores of all entrants of a game, or of all games together, deal by deal.
//!
//! On one deal an entrant has the mean of its scores over all whom it meets there; over games, the mean of these means.
//! Entrants are *comparable* if they met the same others, each other apart: in a round robin all are, in a gauntlet those
//! on one side. The points are for ratings: of each pair that meets, an entrant has half of the goal points between the
//! two more than an even share, so goals count where a game has stakes, and wins where there are only these.
//!
//! Deals on which a cell lacks its score are left out, so every number has the same deals. Memory grows with the square
//! of the number of entrants.

use std::collections::{BTreeMap, BTreeSet};

use super::plan::{ExperimentPlan, distinct};
use hyperplay_report::JointSample;

/// With more entrants than these in a game nobody reads a standing.
const MOST: usize = 256;

/// The scores of a deal: by cell and deal those of its entrants.
pub(super) type DealScores = BTreeMap<(usize, u64), BTreeMap<usize, f64>>;

/// By entrant, the games and the others of its cells.
type Met = BTreeMap<usize, Vec<(usize, Vec<usize>)>>;

/// The standing in one game or in all.
#[derive(Clone, Debug, Default)]
pub struct Standing {
    /// The game; `None` for all games.
    pub game: Option<usize>,
    /// Entrants that met the same others, and their scores.
    pub compared: Vec<usize>,
    /// See [`compared`](Self::compared).
    pub scores: JointSample,
    /// Entrants that met others, and their points.
    pub rated: Vec<usize>,
    /// See [`rated`](Self::rated).
    pub points: JointSample,
    /// How often two of them meet on a deal.
    pub meetings: Vec<Vec<f64>>,
    cells: Vec<usize>,
    /// By game and entrant, what one of its cells counts.
    weights: BTreeMap<(usize, usize), f64>,
}

impl Standing {
    /// Those of each game, and of all games if there are several.
    pub(super) fn all(plan: &ExperimentPlan) -> Vec<Standing> {
        let games = plan.games.len();
        let several = (games > 1).then(|| Standing::new(plan, None));
        several.into_iter().chain((0..games).map(|game| Standing::new(plan, Some(game)))).collect()
    }

    fn new(plan: &ExperimentPlan, game: Option<usize>) -> Standing {
        let is_here = |&cell: &usize| game.is_none_or(|game| plan.cells[cell].game == game);
        let cells: Vec<usize> = (0..plan.cells.len()).filter(is_here).collect();
        let mut met = Met::new();
        for &number in &cells {
            let cell = &plan.cells[number];
            for entrant in distinct(cell.entrants.iter().copied()) {
                let others = cell.entrants.iter().copied().filter(|&other| other != entrant);
                let mut others: Vec<usize> = others.collect();
                others.sort_unstable();
                met.entry(entrant).or_default().push((cell.game, others));
            }
        }
        if met.len() > MOST {
            return Standing { game, ..Standing::default() };
        }
        let mut weights = BTreeMap::new();
        for (&one, cells) in &mut met {
            cells.sort_unstable();
            let games = distinct(cells.iter().map(|(of, _)| *of));
            let counts =
                games.iter().map(|game| cells.iter().filter(|(of, _)| of == game).count() * games.len());
            weights.extend(games.iter().zip(counts).map(|(&game, count)| ((game, one), 1.0 / count as f64)));
        }
        let meets = |one: &usize, other: &usize| -> f64 {
            met[one].iter().filter(|(_, others)| others.contains(other)).count() as f64
        };
        let mut rated: Vec<usize> = met.keys().copied().collect();
        rated.retain(|one| met[one].iter().any(|(_, others)| !others.is_empty()));
        let row = |one| rated.iter().map(|other| meets(one, other)).collect();
        let meetings = rated.iter().map(row).collect();
        Standing { game, compared: comparable(&met), rated, meetings, cells, weights, ..Standing::default() }
    }

    /// Adds a deal, if all its cells have scores.
    pub(super) fn add(&mut self, plan: &ExperimentPlan, deal: u64, scores: &DealScores) {
        let of_cells =
            self.cells.iter().map(|&cell| Some((plan.cells[cell].game, scores.get(&(cell, deal))?)));
        let Some(of_cells) = of_cells.collect::<Option<Vec<_>>>().filter(|cells| !cells.is_empty()) else {
            return;
        };
        let mut own = vec![[0.0; 2]; plan.entrants.len()];
        for (game, means) in of_cells {
            for (&one, &score) in means {
                own[one][0] += self.weights[&(game, one)] * score;
                let others = means.iter().filter(|&(&other, _)| other != one);
                own[one][1] += others.map(|(_, other)| (100.0 + score - other) / 200.0).sum::<f64>();
            }
        }
        let read =
            |entrants: &[usize], what: usize| entrants.iter().map(|&one| own[one][what]).collect::<Vec<_>>();
        self.scores.add(&read(&self.compared, 0));
        self.points.add(&read(&self.rated, 1));
    }
}

/// A group of entrants each two of whom met the same others. Each entrant that is in no group yet begins one, and those
/// behind it join in their order; the greatest of these is taken, of equal ones the first. Where three entrants do not
/// agree in pairs, another order might find a greater group.
fn comparable(met: &Met) -> Vec<usize> {
    let without = |one: &usize, other: &usize| -> Vec<&(usize, Vec<usize>)> {
        met[one].iter().filter(|(_, others)| !others.contains(other)).collect()
    };
    let (mut greatest, mut seen) = (Vec::new(), BTreeSet::new());
    for first in met.keys() {
        if !seen.contains(first) {
            let mut group = vec![*first];
            for other in met.keys().filter(|other| *other > first) {
                if group.iter().all(|one| without(one, other) == without(other, one)) {
                    group.push(*other);
                }
            }
            seen.extend(group.iter().copied());
            if group.len() > greatest.len() {
                greatest = group;
            }
        }
    }
    greatest
}
