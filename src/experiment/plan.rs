//! Plan: everything that is to be played, as plain data. The hash of a plan is the identity of its experiment.
//!
//! A *cell* is a game and the entrants that meet in it; a *deal* is one repetition of a cell, played once in every
//! *seat permutation*, a way to give the entrants the roles. Deal `d` draws from `seed/match/d` only, in every cell and
//! seat permutation, so all entrants face the same moves of `random` and have the streams of the role that they play
//! (common random numbers), and `hyperplay match` with the same seed plays the same matches.
//!
//! Matches are numbered in the order in which they are played: round by round, in a round cell by cell, in a cell
//! deal by deal, and then by seat permutation. A round is one deal, or as many deals as the stopping rule considers
//! together. So a part of an experiment is a balanced part of every cell. Two plans with one hash have the same
//! numbers.

use std::collections::BTreeMap;
use std::hash::Hash;
use std::mem::replace;
use std::ops::Range;

use indexmap::IndexSet;
use serde::{Deserialize, Serialize};

use super::config::{ConfigError, ConfigResult, ExperimentConfig};
use super::meetings::{MAX_CELLS, MAX_SEAT_PERMUTATIONS, meetings, seat_permutations};
use super::sequential_test::SequentialTest;
use hyperplay_engine::EngineKind;
use hyperplay_lab::records::MatchRecord;
use hyperplay_lab::shards::Shard;
use hyperplay_logic::gdl::text_hash;

/// A player with its parameters.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Entrant {
    /// Its name in every table: that of the player and its parameters.
    pub label: String,
    /// Which table of the file it comes from: entrants of one table differ in parameters only.
    pub table: usize,
    /// The canonical spec.
    pub spec: String,
    /// The parameters that the table varies.
    pub parameters: BTreeMap<String, String>,
    /// The hashes of the policy files that the spec names, by their paths as written there.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub policies: BTreeMap<String, String>,
    /// Whether it learns from its earlier matches against the same opponents. Not written where it does not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub learns: bool,
}

/// Which seat permutations of a cell are played.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SeatPermutations {
    /// Every way to give the entrants the roles.
    #[default]
    All,
    /// The entrants in the order in which they are named.
    Given,
}

/// When a cell has been played enough.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct StoppingRule {
    /// The rule.
    pub rule: StoppingCriterion,
    /// Deals looked at together.
    pub every: u64,
    /// The least number of deals before the rule is applied.
    pub least: u64,
}

/// The condition that the deals of a cell must meet.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StoppingCriterion {
    /// Half the width of the 95 % interval of the first entrant's score is at most the given number of goal points.
    Width {
        /// In goal points.
        points: f64,
    },
    /// The sequential test of the mean difference between the first two entrants, in goal points, has decided.
    Sprt(SequentialTest),
}

/// A game as far as a plan knows it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlanGame {
    /// As the file names it.
    pub name: String,
    /// The hash of the rules.
    pub rules: String,
    /// The roles.
    pub roles: Vec<String>,
    /// Which of them is `random`.
    pub random: Option<usize>,
}

impl PlanGame {
    /// The roles that somebody plays.
    pub fn played(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.roles.len()).filter(|&role| self.random != Some(role))
    }

    /// How many these are.
    pub fn width(&self) -> usize {
        self.played().count()
    }
}

/// Entrants that meet in a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Cell {
    /// The game, by its place in the plan.
    pub game: usize,
    /// The entrants, by their places, in the order in which they are named: a difference is the first less the second.
    pub entrants: Vec<usize>,
    /// Ways to give them the played roles: an entrant for each.
    #[serde(skip)]
    pub seat_permutations: Vec<Vec<usize>>,
}

/// Which match.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct MatchPlace {
    /// Its number in the plan.
    pub id: u64,
    /// The cell.
    pub cell: usize,
    /// The deal.
    pub deal: u64,
    /// The seat permutation, by its place in the cell.
    pub seat_permutation: usize,
}

/// The plan of an experiment.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ExperimentPlan {
    /// The name and version of this form: that of the file.
    pub schema: String,
    /// The seed, which determines every result.
    pub seed: u64,
    /// Deals a cell.
    pub repetitions: u64,
    /// The engine of the matches.
    pub engine: EngineKind,
    /// The longest match, in steps.
    pub limit: usize,
    /// States a decision, if limited.
    pub nodes: Option<u64>,
    /// Start clock and play clock in seconds, if time is limited.
    pub clocks: Option<(f64, f64)>,
    /// Whether players think ahead between their decisions. Not written where they do not, as in plans of earlier versions.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub think_ahead: bool,
    /// When a cell is played enough.
    pub stop: Option<StoppingRule>,
    /// Which seat permutations are played.
    pub seats: SeatPermutations,
    /// The games.
    pub games: Vec<PlanGame>,
    /// The entrants.
    pub entrants: Vec<Entrant>,
    /// The cells.
    pub cells: Vec<Cell>,
}

impl ExperimentPlan {
    /// The plan of a config whose games have been opened, in the same order.
    ///
    /// # Errors
    /// If the schedule does not fit a game.
    pub fn new(config: &ExperimentConfig, games: Vec<PlanGame>) -> ConfigResult<ExperimentPlan> {
        let mut cells = Vec::new();
        for (game, (named, opened)) in config.games.iter().zip(&games).enumerate() {
            let located = |what: String| ConfigError::at(named.place, what);
            let pairings = meetings(config, opened.width());
            let pairings = pairings.map_err(|what| located(format!("{}: {what}", named.name)))?;
            for entrants in pairings {
                let seat_permutations = seat_permutations(&entrants, config.plan.seats);
                if seat_permutations.len() > MAX_SEAT_PERMUTATIONS || cells.len() >= MAX_CELLS {
                    let what = "too many cells or seat permutations; give pairings, or seats = 'given'";
                    return Err(located(what.to_owned()));
                }
                cells.push(Cell { game, entrants, seat_permutations });
            }
        }
        if config.plan.test().is_some() && cells.iter().any(|cell: &Cell| !cell.has_rivals()) {
            let what = "an sprt needs two different entrants in every cell";
            return Err(ConfigError { place: config.stop_place, ..ConfigError::new(what) });
        }
        Ok(ExperimentPlan { games, cells, ..config.plan.clone() })
    }

    /// Fills in what is not written down.
    pub(super) fn completed(mut self) -> ExperimentPlan {
        for cell in &mut self.cells {
            cell.seat_permutations = seat_permutations(&cell.entrants, self.seats);
        }
        self
    }

    /// The identity: a hash over the canonical content.
    pub fn hash(&self) -> String {
        text_hash(&serde_json::to_string(self).expect("a plan is plain data"))
    }

    /// The paths of policy files that say something else in another plan, as written, each once.
    pub fn changed_policies(&self, other: &ExperimentPlan) -> Vec<String> {
        let all = |plan: &ExperimentPlan| -> BTreeMap<String, String> {
            plan.entrants.iter().flat_map(|entrant| entrant.policies.clone()).collect()
        };
        let others = all(other);
        let differs = |(path, hash): &(String, String)| others.get(path).is_some_and(|other| other != hash);
        all(self).into_iter().filter(differs).map(|(path, _)| path).collect()
    }

    /// The sequential test by which cells are stopped, if they are.
    pub fn test(&self) -> Option<SequentialTest> {
        match self.stop?.rule {
            StoppingCriterion::Sprt(test) => Some(test),
            StoppingCriterion::Width { .. } => None,
        }
    }

    /// Deals of a round.
    pub fn round(&self) -> u64 {
        self.stop.map_or(1, |stop| stop.every)
    }

    /// The number of rounds.
    pub fn rounds(&self) -> u64 {
        self.repetitions.div_ceil(self.round())
    }

    /// The deals of a round by its number.
    pub fn deals(&self, round: u64) -> Range<u64> {
        let first = round * self.round();
        first..(first + self.round()).min(self.repetitions)
    }

    /// The number of matches, if no rule stops any cell.
    pub fn matches(&self) -> u64 {
        self.repetitions * self.width()
    }

    /// The number of matches that a shard plays, if no rule stops any cell.
    pub fn matches_of(&self, shard: Shard) -> u64 {
        let deals = |cell: usize| {
            if self.is_undivided(cell) {
                return if self.belongs(shard, cell, 0) { self.repetitions } else { 0 };
            }
            // Deals d with d + cell = index - 1 modulo the number of shards.
            let first = (shard.index - 1 + shard.count - cell as u64 % shard.count) % shard.count;
            self.repetitions.saturating_sub(first).div_ceil(shard.count)
        };
        let cells = self.cells.iter().enumerate();
        cells.map(|(number, cell)| deals(number) * cell.seat_permutations.len() as u64).sum()
    }

    /// The matches of one deal in all cells.
    fn width(&self) -> u64 {
        self.cells.iter().map(|cell| cell.seat_permutations.len() as u64).sum()
    }

    /// The number of the first match of each cell in a round, for looking up [`MatchPlace::id`].
    pub(super) fn firsts(&self, round: u64) -> Vec<u64> {
        let Range { start, end } = self.deals(round);
        let counts = self.cells.iter().map(|cell| (end - start) * cell.seat_permutations.len() as u64);
        let firsts = counts.scan(start * self.width(), |next, count| Some(replace(next, *next + count)));
        firsts.collect()
    }

    /// The number that a match has by its cell, deal and seat permutation, if the plan has these.
    pub(super) fn id_of(&self, record: &MatchRecord) -> Option<u64> {
        let cell = self.cells.get(record.cell)?;
        if record.deal >= self.repetitions || record.seat_permutation >= cell.seat_permutations.len() {
            return None;
        }
        let round = record.deal / self.round();
        let deals = (record.deal - self.deals(round).start) * cell.seat_permutations.len() as u64;
        Some(self.firsts(round)[record.cell] + deals + record.seat_permutation as u64)
    }

    /// Whether somebody in a cell learns from its earlier matches. Then its deals are played one after the other.
    pub fn learns(&self, cell: usize) -> bool {
        self.cells[cell].entrants.iter().any(|&entrant| self.entrants[entrant].learns)
    }

    /// Whether a cell belongs to one shard: with a rule that stops, where it alone knows when it is enough, or if somebody
    /// learns from its matches.
    pub fn is_undivided(&self, cell: usize) -> bool {
        self.stop.is_some() || self.learns(cell)
    }

    /// Whether a shard plays a deal of a cell. If the cell may be divided, deals are dealt out in turn, and every shard
    /// gets its part of it.
    pub fn belongs(&self, shard: Shard, cell: usize, deal: u64) -> bool {
        let turn = if self.is_undivided(cell) { cell as u64 } else { deal + cell as u64 };
        turn % shard.count == shard.index - 1
    }

    /// The entrant's label.
    pub fn label(&self, entrant: usize) -> &str {
        &self.entrants[entrant].label
    }

    /// The labels of several entrants as one text.
    pub(super) fn together(&self, entrants: &[usize]) -> String {
        entrants.iter().map(|&entrant| self.label(entrant)).collect::<Vec<_>>().join(" and ")
    }

    /// Whether two entrants have the same spec and the same policy files, so that they differ in name only.
    pub fn are_same(&self, first: usize, second: usize) -> bool {
        let of = |entrant: usize| (&self.entrants[entrant].spec, &self.entrants[entrant].policies);
        of(first) == of(second)
    }

    /// The name of a cell: who meets whom.
    pub fn meeting(&self, cell: usize) -> String {
        let labels: Vec<&str> =
            self.cells[cell].entrants.iter().map(|&entrant| self.label(entrant)).collect();
        labels.join(" - ")
    }

    /// The content of the matches in which these entrants of a cell play its roles, as a hash: the rules, the spec and
    /// the policy files of each role, the seed, the engine and the limits. With a deal it determines a match, whatever
    /// plan it is in.
    pub fn content(&self, cell: usize, seats: &[usize]) -> String {
        let player = |&entrant: &usize| (&self.entrants[entrant].spec, &self.entrants[entrant].policies);
        let players: Vec<_> = seats.iter().map(player).collect();
        let limits = (self.limit, self.nodes, self.clocks, self.think_ahead);
        let content = (&self.game(cell).rules, players, self.seed, self.engine, limits);
        text_hash(&serde_json::to_string(&content).expect("a plan is plain data"))
    }

    /// The entrant of each played role in a match.
    pub fn seats(&self, place: &MatchPlace) -> &[usize] {
        &self.cells[place.cell].seat_permutations[place.seat_permutation]
    }

    /// The game of a cell.
    pub fn game(&self, cell: usize) -> &PlanGame {
        &self.games[self.cells[cell].game]
    }
}

impl Cell {
    /// Whether the first two entrants, whose difference is tested, are different ones.
    pub fn has_rivals(&self) -> bool {
        matches!(self.entrants[..], [first, second, ..] if first != second)
    }
}

/// Each once, in the order in which they come.
pub(super) fn distinct<T: Hash + Eq>(all: impl Iterator<Item = T>) -> Vec<T> {
    all.collect::<IndexSet<T>>().into_iter().collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use hyperplay_play::player::Registry;

    use super::*;

    /// The content that is hashed. It must stay as in folders written by earlier versions, so nothing may be added to
    /// a plan without policy files.
    #[test]
    fn the_identity_of_a_plan_without_policy_files_stays_what_it_was() {
        let text = "schema = 'hyperplay.experiment/1'\nseed = 7\ngames = ['coin']\nrepetitions = 5\n\
                    [[player]]\nname = 'random'\nspec = 'random'\n\
                    [[player]]\nname = 'soft'\nspec = 'hyperplay:model=softmax'\ngrid = { particles = [3] }\n";
        let game = PlanGame {
            name: "coin".to_owned(),
            rules: "sha256:0".to_owned(),
            roles: vec!["a".to_owned(), "b".to_owned()],
            random: None,
        };
        let plan = ExperimentPlan::new(
            &ExperimentConfig::read(text, Path::new(""), &Registry::standard()).unwrap(),
            vec![game],
        )
        .unwrap();
        let hashed = concat!(
            r#"{"schema":"hyperplay.experiment/1","seed":7,"repetitions":5,"engine":"auto","limit":10000,"#,
            r#""nodes":null,"clocks":null,"stop":null,"seats":"all","#,
            r#""games":[{"name":"coin","rules":"sha256:0","roles":["a","b"],"random":null}],"#,
            r#""entrants":[{"label":"random","table":0,"spec":"random","parameters":{}},"#,
            r#"{"label":"soft particles=3","table":1,"spec":"hyperplay:particles=3,model=softmax","#,
            r#""parameters":{"particles":"3"}}],"cells":[{"game":0,"entrants":[0,1]}]}"#,
        );
        assert_eq!(serde_json::to_string(&plan).unwrap(), hashed);
        assert_eq!(plan.hash(), text_hash(hashed));
        let read: ExperimentPlan = serde_json::from_str(hashed).unwrap();
        assert_eq!(read.completed(), plan);
        let unknown = hashed.replace(r#""engine":"auto""#, r#""engine":"steam""#);
        let error = serde_json::from_str::<ExperimentPlan>(&unknown).unwrap_err();
        assert!(
            error.to_string().starts_with("unknown variant `steam`, expected one of `auto`, `interpreter`"),
            "{error}"
        );
    }
}
