//! Joined plans: the plan of what lies in several folders, or of a part of what lies in one.
//!
//! The folders must agree in everything but games, entrants, cells and deals. A game is the same if its rules are; an
//! entrant is the same if its spec and its policy files are, and it has the label of the first folder that names it.
//! Cells of several folders are in the order of a round robin over all entrants, so the tables are those of a league
//! that was played at once. Nothing is played or written: the matches are found by a [`Pool`](super::Pool), and what can
//! be gained from the entrants by [`exploited`].

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::exploit_record::{ExploitFinding, ExploitRecord, exploit_records, pairs};
use super::folder::Planned;
use super::meetings::met;
use super::plan::{Cell, Entrant, ExperimentPlan, PlanGame, distinct};
use super::pool::PlannedFolder;
use hyperplay_lab::LabResult;
use hyperplay_lab::records::DamagedLine;
use hyperplay_logic::gdl::did_you_mean;

/// The keys of a plan that must be equal in several plans.
const CONDITIONS: [&str; 7] = ["seed", "engine", "limit", "nodes", "clocks", "think_ahead", "seats"];

/// Which part of the matches is of interest. A list that is empty leaves nothing out.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// The players whose matches with each other are looked at: labels, or names that stand for all their parameters.
    pub players: Vec<String>,
    /// Players without whom it is done.
    pub without: Vec<String>,
    /// The games.
    pub games: Vec<String>,
    /// The most deals of a cell.
    pub deals: Option<u64>,
    /// The player beside whom the others are rated.
    pub anchor: Option<String>,
}

impl Selection {
    fn has_player(&self, label: &str) -> bool {
        let is_in = |names: &[String]| names.iter().any(|name| is_of(label, name));
        (self.players.is_empty() || is_in(&self.players)) && !is_in(&self.without)
    }

    fn is_all(&self) -> bool {
        self.players.is_empty() && self.without.is_empty() && self.games.is_empty() && self.deals.is_none()
    }

    /// The first name that names nothing, as a sentence.
    pub fn unknown(&self, folders: &[PlannedFolder]) -> Option<String> {
        let plans = folders.iter().map(|(_, planned)| &planned.plan);
        let labels: Vec<&str> =
            plans.clone().flat_map(|plan| &plan.entrants).map(|one| one.label.as_str()).collect();
        let games: Vec<&str> = plans.flat_map(|plan| &plan.games).map(|one| one.name.as_str()).collect();
        let mut players = self.players.iter().chain(&self.without).chain(&self.anchor);
        let player = players.find(|name| !labels.iter().any(|label| is_of(label, name)));
        let game = self.games.iter().find(|name| !games.contains(&name.as_str()));
        let (what, name, known) =
            player.map(|name| ("player", name, labels)).or(game.map(|name| ("game", name, games)))?;
        let known = distinct(known.into_iter());
        let meant = did_you_mean(name, known.iter().copied());
        Some(format!("there is no {what} '{name}'{meant}; there are {}", known.join(", ")))
    }
}

/// Whether a name is this label, or that of the table from which the entrant comes.
pub(super) fn is_of(label: &str, name: &str) -> bool {
    label == name || name_of(label) == name
}

/// The name of the table from which an entrant comes.
pub(super) fn name_of(label: &str) -> &str {
    label.split(' ').next().unwrap_or_default()
}

/// The plan of the selected matches of these folders, which are one or more, where the selection has no [unknown](Selection::unknown)
/// name.
///
/// # Errors
/// A sentence: the folders do not belong together, or nothing is selected.
pub fn joined(folders: &[PlannedFolder], selection: &Selection) -> Result<Planned, String> {
    let (first, rest) = folders.split_first().ok_or("no folder is named")?;
    let of = |planned: &Planned| serde_json::to_value(&planned.plan).expect("a plan is plain data");
    for (folder, planned) in rest {
        let (one, other) = (of(&first.1), of(planned));
        let text = |plan: &Value, key: &str| plan.get(key).unwrap_or(&Value::Null).to_string();
        if let Some(key) = CONDITIONS.into_iter().find(|key| text(&one, key) != text(&other, key)) {
            let (folder, other) = (folder.display(), text(&other, key));
            let (first, one) = (first.0.display(), text(&one, key));
            return Err(format!("{folder} was played with another {key} ({other}) than {first} ({one})"));
        }
    }
    let plans: Vec<&ExperimentPlan> = folders.iter().map(|(_, planned)| &planned.plan).collect();
    if rest.is_empty() && selection.is_all() {
        return Ok(first.1.clone());
    }
    let most = plans.iter().map(|plan| plan.repetitions).max().unwrap_or_default();
    let base = &first.1.plan;
    let mut plan = ExperimentPlan {
        repetitions: selection.deals.map_or(most, |deals| deals.min(most)),
        stop: base.stop.filter(|_| plans.iter().all(|plan| plan.stop == base.stop)),
        games: Vec::new(),
        entrants: Vec::new(),
        cells: Vec::new(),
        ..base.clone()
    };
    let mut seen = BTreeSet::new();
    for one in plans {
        add(&mut plan, one, selection, &mut seen)?;
    }
    if folders.len() > 1 {
        plan.cells.iter_mut().for_each(|cell: &mut Cell| cell.entrants = met(&plan.seats, &cell.entrants));
        plan.cells.sort_by(|one, other| (one.game, &one.entrants).cmp(&(other.game, &other.entrants)));
    }
    if plan.cells.is_empty() {
        return Err("no match is selected".to_owned());
    }
    Ok(Planned::new(&first.1.name, &first.1.about, plan.completed()))
}

/// Adds what is selected of another plan; `seen` are the games and entrants of the cells that are there.
fn add(
    plan: &mut ExperimentPlan,
    other: &ExperimentPlan,
    selection: &Selection,
    seen: &mut BTreeSet<(usize, Vec<usize>)>,
) -> Result<(), String> {
    let is_game = |name: &String| selection.games.is_empty() || selection.games.contains(name);
    let (before, games_before) = (plan.entrants.len(), plan.games.len());
    let chosen = |entrant: &Entrant| {
        let is_chosen = selection.has_player(&entrant.label);
        is_chosen.then(|| place_of(&mut plan.entrants, before, entrant)).transpose()
    };
    let entrants = other.entrants.iter().map(chosen).collect::<Result<Vec<_>, String>>()?;
    let mut games = Vec::new();
    for game in &other.games {
        // Two games of one plan are two, whatever their rules.
        let known = place_of_game(&plan.games[..games_before], game);
        if known.is_none() && plan.games.iter().any(|known| known.name == game.name) {
            return Err(format!("the rules of '{}' are not the same in all folders", game.name));
        }
        games.push(is_game(&game.name).then(|| {
            known.unwrap_or_else(|| {
                plan.games.push(game.clone());
                plan.games.len() - 1
            })
        }));
    }
    for cell in &other.cells {
        let own: Option<Vec<usize>> = cell.entrants.iter().map(|&entrant| entrants[entrant]).collect();
        let (Some(game), Some(own)) = (games[cell.game], own) else { continue };
        if seen.insert((game, met(&plan.seats, &own))) {
            plan.cells.push(Cell { game, entrants: own, seat_permutations: Vec::new() });
        }
    }
    Ok(())
}

/// The place of an entrant of another plan; the entrants before `before` are those of earlier plans.
fn place_of(entrants: &mut Vec<Entrant>, before: usize, entrant: &Entrant) -> Result<usize, String> {
    let is_same = |known: &Entrant| is_same(known, entrant);
    let named = entrants.iter().position(|known| known.label == entrant.label);
    if named.is_some_and(|at| !is_same(&entrants[at])) {
        return Err(format!("two players of the folders are named '{}'", entrant.label));
    }
    if let Some(known) = named.or_else(|| entrants[..before].iter().position(is_same)) {
        return Ok(known);
    }
    let names = distinct(entrants.iter().map(|known| name_of(&known.label)));
    let of_name = entrants.iter().find(|known| name_of(&known.label) == name_of(&entrant.label));
    entrants.push(Entrant { table: of_name.map_or(names.len(), |known| known.table), ..entrant.clone() });
    Ok(entrants.len() - 1)
}

/// The place of a game of another plan.
fn place_of_game(games: &[PlanGame], game: &PlanGame) -> Option<usize> {
    let known = games.iter().position(|known| known == game);
    known.or_else(|| games.iter().position(|known| known.rules == game.rules))
}

fn is_same(known: &Entrant, entrant: &Entrant) -> bool {
    (&known.spec, &known.policies) == (&entrant.spec, &entrant.policies)
}

/// What can be gained from the entrants of a joined plan, in its order, as the first folder says in which they were
/// asked, and the lines that cannot be read.
///
/// # Errors
/// If a file is of another plan than its folder, or cannot be read.
pub fn exploited(
    planned: &Planned,
    folders: &[PlannedFolder],
) -> LabResult<(Vec<ExploitRecord>, Vec<DamagedLine>)> {
    let (plan, mut known, mut damage) = (&planned.plan, BTreeMap::new(), Vec::new());
    let pairs = pairs(plan);
    for (folder, own) in folders {
        let (records, damaged) = exploit_records(folder, own)?;
        damage.extend(damaged);
        for record in records {
            let game = own.plan.games.iter().find(|game| game.name == record.game);
            let entrant = own.plan.entrants.iter().find(|entrant| entrant.label == record.player);
            let (Some(game), Some(entrant)) = (game, entrant) else { continue };
            let Some(game) = place_of_game(&plan.games, game) else { continue };
            let named = |one: &Entrant| one.label == entrant.label && is_same(one, entrant);
            let named = plan.entrants.iter().position(named);
            let one = named.or_else(|| plan.entrants.iter().position(|one| is_same(one, entrant)));
            let Some(one) = one else { continue };
            if pairs.contains(&(game, one)) {
                let (name, player) = (plan.games[game].name.clone(), plan.label(one).to_owned());
                let record = ExploitRecord { game: name, player, ..record };
                let is_asked = matches!(record.finding, ExploitFinding::Asked(_));
                let former = known.entry((game, one)).or_insert_with(|| record.clone());
                // An entrant may be left out in one folder, because fewer nodes are allowed, and asked in another.
                if is_asked && matches!(former.finding, ExploitFinding::LeftOut { .. }) {
                    *former = record;
                }
            }
        }
    }
    Ok((known.into_values().collect(), damage))
}
