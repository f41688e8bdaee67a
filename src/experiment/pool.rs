//! Pool: finished matches of other folders that are matches of a plan too.
//!
//! A match depends on the rules, on who plays each role, on the seed and the deal, and on the conditions of the plan. All
//! but the deal are in the hash of [`ExperimentPlan::content`]; with the deal it is the key of the match. So a match of
//! another plan with an equal key is the match that this plan would play: under counted budgets with the same bytes, but
//! for its number, its place and the labels, which are rewritten. Nothing in the other folders is changed.
//!
//! The folders are read side by side in the order of their deals. In memory are the matches of one round of each.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use serde_json::{Map, Value, json};

use super::decision_log::DecisionLog;
use super::folder::Planned;
use super::plan::{ExperimentPlan, MatchPlace};
use super::results::{MissingMatches, Results};
use super::sequence::{NextMatch, Sequence};
use super::stored::{FinishedMatch, KINDS};
use hyperplay_lab::records::{DamagedLine, Record};
use hyperplay_lab::shards::Shard;
use hyperplay_lab::{LabError, LabResult};

/// A folder with matches, and its plan.
pub type PlannedFolder = (PathBuf, Planned);

/// The matches of some folders, as those of a plan.
pub struct Pool<'a> {
    plan: &'a ExperimentPlan,
    log: DecisionLog,
    /// For whoever asks for all matches.
    sequence: Sequence<'a>,
    sources: Vec<PoolSource<'a>>,
    /// Matches that were read and not yet asked for, by deal, cell and seat permutation.
    ahead: BTreeMap<(u64, usize, usize), FinishedMatch>,
    taken: u64,
}

/// One folder.
struct PoolSource<'a> {
    folder: &'a Path,
    plan: &'a ExperimentPlan,
    results: Results<'a>,
    /// By cell and seat permutation, where such a match belongs in the plan of the pool.
    places: Vec<Vec<Vec<(usize, usize)>>>,
    next: Option<FinishedMatch>,
}

impl<'a> Pool<'a> {
    /// Opens the folders; `log` says what of every decision is read.
    ///
    /// # Errors
    /// If the files of a folder cannot be read.
    pub fn open(
        plan: &'a ExperimentPlan,
        folders: &'a [PlannedFolder],
        log: DecisionLog,
    ) -> LabResult<Pool<'a>> {
        let mut known: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
        for (number, content, at) in contents(plan) {
            known.entry(content).or_default().push((number, at));
        }
        let mut sources = Vec::new();
        for (folder, planned) in folders {
            let mut results = match Results::open_with(folder, planned, log) {
                Err(LabError::NoMatches(_)) => Results::none(planned),
                results => results?,
            };
            let mut places = vec![Vec::new(); planned.plan.cells.len()];
            for (number, content, _) in contents(&planned.plan) {
                places[number].push(known.get(&content).cloned().unwrap_or_default());
            }
            let next = results.next()?;
            sources.push(PoolSource { folder, plan: &planned.plan, results, places, next });
        }
        let (sequence, ahead) = (Sequence::new(plan, Shard::WHOLE), BTreeMap::new());
        Ok(Pool { plan, log, sequence, sources, ahead, taken: 0 })
    }

    /// The match of this place, if a folder has it; to be asked in the order of the plan. A match with clocks that lacks
    /// what is to be recorded of it is none. One in which another program could not be reached gives way to one in which
    /// it could.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn take(&mut self, place: &MatchPlace) -> LabResult<Option<FinishedMatch>> {
        let has_clocks = self.plan.clocks.is_some();
        let begun = self.plan.deals(place.deal / self.plan.round()).start;
        if self.ahead.first_key_value().is_some_and(|(&(deal, ..), _)| deal < begun) {
            self.ahead = self.ahead.split_off(&(begun, 0, 0));
        }
        for source in &mut self.sources {
            let begins = |deal: u64| source.plan.deals(deal / source.plan.round()).start;
            while let Some(next) = source.next.take_if(|next| begins(next.place.deal) <= place.deal) {
                source.next = source.results.next()?;
                let MatchPlace { cell, deal, seat_permutation, .. } = next.place;
                let is_lacking = |kind: usize| self.log.records(KINDS[kind]) && next.lines[kind].is_none();
                let lacks = is_lacking(2) || is_lacking(3);
                if deal < begun || has_clocks && lacks {
                    continue;
                }
                let keys = source.places[cell][seat_permutation].iter().map(|&(cell, at)| (deal, cell, at));
                // Two matches of one content are not the same match where there are clocks.
                let most = if has_clocks { 1 } else { usize::MAX };
                let is_free = |known: &FinishedMatch| known.was_unreachable() && !next.was_unreachable();
                let free = keys.filter(|key| self.ahead.get(key).is_none_or(is_free));
                let free: Vec<_> = free.take(most).collect();
                self.ahead.extend(free.into_iter().map(|key| (key, next.clone())));
            }
        }
        let found = self.ahead.remove(&(place.deal, place.cell, place.seat_permutation));
        self.taken += u64::from(found.is_some());
        Ok(found.map(|found| placed(self.plan, place, found)))
    }

    /// The first folder in which another version of the program played a match, and that version: its players may decide
    /// otherwise.
    pub fn other_version(&self) -> Option<(&Path, &str)> {
        let is_other = |version: &&str| *version != env!("CARGO_PKG_VERSION");
        self.sources
            .iter()
            .find_map(|source| Some((source.folder, source.results.versions().find(is_other)?)))
    }

    /// The next match of the plan that a folder has; none at the end.
    ///
    /// # Errors
    /// If a file cannot be read.
    #[allow(clippy::should_implement_trait, reason = "a reader may fail")]
    pub fn next(&mut self) -> LabResult<Option<FinishedMatch>> {
        let has_more =
            |pool: &Self| !pool.ahead.is_empty() || pool.sources.iter().any(|source| source.next.is_some());
        while let (true, NextMatch::Match(place)) = (has_more(self), self.sequence.next()) {
            match self.take(&place)? {
                None => self.sequence.has_gap = true,
                Some(found) => {
                    self.sequence.feed(&place, found.goals().as_deref());
                    return Ok(Some(found));
                }
            }
        }
        Ok(None)
    }

    /// What the plan has more than the folders, after the last match.
    pub(super) fn missing(&mut self) -> Vec<MissingMatches> {
        let is_whole = self.sequence.is_whole() && self.sequence.next() == NextMatch::End;
        let own = MissingMatches { shard: Shard::WHOLE, matches: Some(self.taken), of: self.plan.matches() };
        (!is_whole).then_some(own).into_iter().collect()
    }

    /// The lines that cannot be read, after the last match.
    pub(super) fn damage(&self) -> Vec<DamagedLine> {
        self.sources.iter().flat_map(|source| source.results.damage()).collect()
    }
}

/// Every cell of a plan in every seat permutation, with the content of its matches.
fn contents(plan: &ExperimentPlan) -> impl Iterator<Item = (usize, String, usize)> + '_ {
    plan.cells.iter().enumerate().flat_map(move |(number, cell)| {
        let permutations = cell.seat_permutations.iter().enumerate();
        permutations.map(move |(at, seats)| (number, plan.content(number, seats), at))
    })
}

/// A match of another plan with the number, the place and the labels that it has in this one.
fn placed(plan: &ExperimentPlan, place: &MatchPlace, mut found: FinishedMatch) -> FinishedMatch {
    let game = plan.game(place.cell);
    let labels = plan.seats(place).iter().map(|&entrant| plan.label(entrant).to_owned());
    let players: IndexMap<String, String> = found.record.players.keys().cloned().zip(labels).collect();
    if found.place == *place && found.record.game == game.name && found.record.players == players {
        return found;
    }
    let labels: Map<String, Value> =
        players.iter().map(|(role, label)| (role.clone(), label.clone().into())).collect();
    let rewritten = |bytes: &Vec<u8>| -> Option<Vec<u8>> {
        let mut fields: Map<String, Value> = serde_json::from_slice(bytes).ok()?;
        let player = fields.get("role").and_then(Value::as_str).and_then(|role| labels.get(role)).cloned();
        let own = json!({
            "match": place.id,
            "game": game.name,
            "cell": place.cell,
            "seat_permutation": place.seat_permutation,
            "players": labels,
            "player": player,
        });
        fields.iter_mut().for_each(|(key, value)| *value = own.get(key).unwrap_or(value).clone());
        Some(fields.line())
    };
    for lines in &mut found.lines {
        *lines = lines.take().and_then(|lines| lines.iter().map(rewritten).collect());
    }
    let of_match = found.lines[4].as_ref().and_then(|lines| serde_json::from_slice(&lines[0]).ok());
    found.record = of_match.unwrap_or(found.record);
    FinishedMatch { place: *place, ..found }
}
