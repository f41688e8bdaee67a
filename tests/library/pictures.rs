//! The laws of pictures as data, on random states of every game: what a page draws contains every fact, marks what has
//! changed, weighs what is believed, and what a move names is there.
//!
//! Most laws are held against pictures of one fact alone: they say where a fact belongs, and so what the picture of many has to
//! contain.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hyperplay::engine::Interpreter;
use hyperplay::gdl::{Game, TermId};
use hyperplay::machine::{Move, Seed, State, StateMachine, StateMachineExt};
use hyperplay::view::{BoardLayout, BoardPicture, GroupThing};
use rayon::prelude::*;

use crate::common::{games, games_of_the_field, loaded, rulesheets_in};

/// The states of a game that the laws are tested on, and the longest match.
const STATES: usize = 60;
const LONGEST: usize = 25;

/// The weights of the states of a belief.
const WEIGHTS: [f64; 3] = [0.5, 0.3, 0.2];

fn game(path: &Path) -> Game {
    loaded(path).game.unwrap_or_else(|| panic!("{} is a game", path.display()))
}

fn all_games() -> Vec<PathBuf> {
    ["perfect", "imperfect", "dialects", "repaired"]
        .into_iter()
        .flat_map(|of| rulesheets_in(&games(of)))
        .collect()
}

/// A state of a random match, the one before it, and what may be done there.
struct Moment {
    before: Vec<TermId>,
    now: Vec<TermId>,
    legal: Vec<Move>,
}

fn moments(machine: &Interpreter) -> Vec<Moment> {
    let (mut scratch, mut out) = (machine.scratch(), Vec::new());
    for index in 0..STATES as u64 {
        let mut rng = Seed::root(2).index(index as usize).rng();
        let mut state: State = machine.initial();
        let mut before = Vec::new();
        for _ in 0..LONGEST {
            if out.len() >= STATES {
                return out;
            }
            let is_over = machine.terminal(&state, &mut scratch);
            let legal = match is_over {
                true => Vec::new(),
                false => machine
                    .legal_by_role(&state, &mut scratch)
                    .iter()
                    .flat_map(|(_, own)| own.clone())
                    .collect(),
            };
            let now = state.fluents().to_vec();
            out.push(Moment { before: std::mem::replace(&mut before, now.clone()), now, legal });
            if is_over {
                break;
            }
            let Some(joint) = machine.random_joint(&state, &mut scratch, &mut rng) else { break };
            state = machine.next(&state, &joint, &mut scratch);
        }
    }
    out
}

/// Where a fact stands: the kind of place, and the names that lead there. Several facts may have one place and one text.
type Place = Vec<String>;

/// What stands at each place: how often, how probable all of it is, and whether any of it is marked as changed.
#[derive(Clone, Copy, Default)]
struct Standing {
    count: usize,
    probability: f64,
    is_changed: bool,
}

fn standing(picture: &BoardPicture) -> BTreeMap<Place, Standing> {
    let mut out: BTreeMap<Place, Standing> = BTreeMap::new();
    let mut put = |place: &[&str], probability: f64, is_changed: bool| {
        let at = out.entry(place.iter().map(|name| (*name).to_owned()).collect()).or_default();
        at.count += 1;
        at.probability += probability;
        at.is_changed |= is_changed;
    };
    for panel in &picture.panels {
        for row in &panel.rows {
            for (column, cell) in panel.columns.iter().zip(&row.cells) {
                for sign in &cell.signs {
                    let place = ["panel", &panel.title, &row.name, column, &sign.name, &sign.sign];
                    put(&place, sign.probability, cell.changed);
                }
            }
        }
    }
    let mut put_thing = |of: [&str; 3], thing: &GroupThing| {
        put(&[of[0], of[1], of[2], &thing.text], thing.probability, thing.changed);
    };
    for hand in &picture.hands {
        for owner in &hand.owners {
            owner.things.iter().for_each(|thing| put_thing(["hand", &hand.relation, &owner.name], thing));
        }
    }
    for line in &picture.lines {
        line.values.iter().for_each(|value| put_thing(["line", &line.name, ""], value));
    }
    out
}

fn certain(facts: &[TermId]) -> Vec<(TermId, f64)> {
    facts.iter().map(|&fact| (fact, 1.0)).collect()
}

fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

/// What is wrong with the form of a picture.
fn malformed(picture: &BoardPicture) -> Option<String> {
    for panel in &picture.panels {
        if let Some(row) = panel.rows.iter().find(|row| row.cells.len() != panel.columns.len()) {
            return Some(format!("row {} of {} has {} cells", row.name, panel.title, row.cells.len()));
        }
        for cell in panel.rows.iter().flat_map(|row| &row.cells) {
            let certain: Vec<&str> = cell
                .signs
                .iter()
                .filter(|sign| is_near(sign.probability, 1.0))
                .map(|sign| sign.name.as_str())
                .collect();
            if cell.text != certain.join(", ") {
                return Some(format!(
                    "the text of a cell is {:?}, and its certain signs are {certain:?}",
                    cell.text
                ));
            }
            if cell.signs.windows(2).any(|pair| pair[0].probability < pair[1].probability) {
                return Some(format!("the likeliest sign is not the first: {:?}", cell.signs));
            }
        }
    }
    None
}

/// What is wrong with the pictures of the states of a game.
fn breaches_of_states(Played { path, game, layout, moments }: &Played) -> Vec<String> {
    let mut out = Vec::new();
    let mut say = |what: String| out.push(format!("{}: {what}", path.display()));
    let mut seen: BTreeMap<String, Vec<TermId>> = BTreeMap::new();
    let mut places: BTreeMap<TermId, Place> = BTreeMap::new();
    for Moment { before, now, .. } in moments {
        let picture = layout.picture(&certain(now), None);
        let at = standing(&picture);
        malformed(&picture).into_iter().for_each(&mut say);
        let count: usize = at.values().map(|at| at.count).sum();
        if count != now.len() {
            say(format!("{} facts stand at {count} places", now.len()));
        }
        for &fact in now {
            let alone =
                || standing(&layout.picture(&[(fact, 1.0)], None)).into_keys().next().unwrap_or_default();
            let place = places.entry(fact).or_insert_with(alone);
            if !at.get(place).is_some_and(|at| is_near(at.probability, at.count as f64) && !at.is_changed) {
                say(format!("{} is not at {place:?}", game.show(fact)));
            }
        }
        let mut sorted = now.clone();
        sorted.sort_unstable();
        let json = serde_json::to_string(&picture).unwrap();
        match seen.get(&json) {
            Some(other) if *other != sorted => say(format!("two states look alike: {json}")),
            Some(_) => {}
            None => drop(seen.insert(json, sorted)),
        }
        let mut reversed = now.clone();
        reversed.reverse();
        if layout.picture(&certain(&reversed), None) != picture {
            say("the order of the facts matters".to_owned());
        }
        changes(layout, game, before, now).into_iter().for_each(&mut say);
    }
    out
}

/// What is wrong with the marks of a change: a new fact is marked, what is marked differs, and what is gone is told.
fn changes(layout: &BoardLayout, game: &Game, before: &[TermId], now: &[TermId]) -> Vec<String> {
    let mut out = Vec::new();
    let of = |facts: &[TermId], than: &[TermId]| layout.picture(&certain(facts), Some(&certain(than)));
    let picture = of(now, before);
    // The one before, with boards that reach as far.
    let old = of(before, now);
    for (panel, old) in picture.panels.iter().zip(&old.panels) {
        for (row, old) in panel.rows.iter().zip(&old.rows) {
            for (cell, old) in row.cells.iter().zip(&old.cells) {
                if cell.changed != (cell.signs != old.signs) {
                    out.push(format!("a cell is marked wrongly: {cell:?}, and before it was {old:?}"));
                }
            }
        }
    }
    for (place, at) in standing(&picture).iter().filter(|(place, _)| place[0] != "panel") {
        if at.is_changed == standing(&old).contains_key(place) {
            out.push(format!("{place:?} is marked wrongly"));
        }
    }
    let (here, there) = (standing(&picture), standing(&old));
    let lost = there.keys().filter(|place| place[0] != "panel" && !here.contains_key(*place)).count();
    let unknown = picture.gone.iter().find(|gone| {
        let fact = game.terms().read(gone);
        !fact.is_some_and(|fact| before.contains(&fact) && !now.contains(&fact))
    });
    if picture.gone.len() != lost || (unknown.is_some() && !is_infix(game)) {
        out.push(format!("{lost} facts off the boards are gone, and these are told: {:?}", picture.gone));
    }
    if of(now, now) != layout.picture(&certain(now), None) {
        out.push("a state differs from itself".to_owned());
    }
    out
}

/// Whether terms are shown in a form that a term store does not read.
fn is_infix(game: &Game) -> bool {
    game.syntax() == hyperplay::gdl::Syntax::Infix
}

/// What is wrong with the pictures of beliefs: the picture of a mixture of states has to be the mixture of their pictures.
fn breaches_of_beliefs(Played { path, layout, moments, .. }: &Played) -> Vec<String> {
    let mut out = Vec::new();
    for states in moments.chunks_exact(WEIGHTS.len()) {
        let mut facts: BTreeMap<TermId, f64> = BTreeMap::new();
        let mut expected: BTreeMap<Place, f64> = BTreeMap::new();
        for (moment, weight) in states.iter().zip(WEIGHTS) {
            moment.now.iter().for_each(|&fact| *facts.entry(fact).or_default() += weight);
            for (place, at) in standing(&layout.picture(&certain(&moment.now), None)) {
                *expected.entry(place).or_default() += weight * at.probability;
            }
        }
        let facts: Vec<(TermId, f64)> = facts.into_iter().collect();
        let picture = layout.picture(&facts, None);
        out.extend(malformed(&picture));
        let at = standing(&picture);
        let is_same = at.len() == expected.len()
            && at.iter().zip(&expected).all(|(a, b)| a.0 == b.0 && is_near(a.1.probability, *b.1));
        if !is_same {
            let differs = expected
                .iter()
                .find(|(place, share)| !at.get(*place).is_some_and(|at| is_near(at.probability, **share)));
            out.push(format!("the belief is not the mean of its states: {differs:?}"));
        }
        // What has one content in every state has one in expectation.
        let cells = |picture: &BoardPicture| -> Vec<f64> {
            let cells = picture.panels.iter().flat_map(|panel| &panel.rows).flat_map(|row| &row.cells);
            cells.map(|cell| cell.signs.iter().map(|sign| sign.probability).sum()).collect()
        };
        let of_states: Vec<Vec<f64>> =
            states.iter().map(|moment| cells(&layout.picture(&certain(&moment.now), None))).collect();
        for (number, sum) in cells(&picture).into_iter().enumerate() {
            let is_one =
                of_states.iter().all(|cells| cells.get(number).is_some_and(|&sum| is_near(sum, 1.0)));
            let same_size = of_states.iter().all(|cells| cells.len() == of_states[0].len());
            if is_one && same_size && !is_near(sum, 1.0) {
                out.push(format!("the probabilities of cell {number} add up to {sum}"));
            }
        }
    }
    out.into_iter().map(|what| format!("{}: {what}", path.display())).collect()
}

/// What is wrong with what moves name, and whether any move of the game names something.
fn breaches_of_targets(Played { path, game, layout, moments }: &Played) -> Vec<String> {
    let mut out = Vec::new();
    for Moment { now, legal, .. } in moments {
        let picture = layout.picture(&certain(now), None);
        for own in legal {
            for target in layout.targets(own.0, &picture) {
                let panel = target.panel.map(|number| picture.panels.get(number));
                let is_there = match (&panel, &target.hand) {
                    (Some(Some(panel)), None) => {
                        let is_row = |name: &String| panel.rows.iter().any(|row| row.name == *name);
                        target.column.as_ref().is_some_and(|name| panel.columns.contains(name))
                            && target.row.as_ref().is_none_or(is_row)
                    }
                    (None, Some((relation, text))) => picture.hands.iter().any(|hand| {
                        let mut things = hand.owners.iter().flat_map(|owner| &owner.things);
                        hand.relation == *relation && things.any(|thing| thing.text == *text)
                    }),
                    _ => false,
                };
                if !is_there {
                    out.push(format!("{}: {} names {target:?}", path.display(), game.show(own.0)));
                }
            }
        }
    }
    out
}

/// A game whose interpreter can be made, with moments of its matches.
struct Played<'a> {
    path: &'a Path,
    game: Game,
    layout: BoardLayout,
    moments: Vec<Moment>,
}

impl Played<'_> {
    fn of(path: &Path) -> Option<Played<'_>> {
        let game = game(path);
        let moments = moments(&Interpreter::new(&game).ok()?);
        Some(Played { path, layout: BoardLayout::of(&game), game, moments })
    }
}

fn hold(laws: &[fn(&Played) -> Vec<String>], paths: &[PathBuf]) {
    let breaches = |played: Played| laws.iter().flat_map(|breaches| breaches(&played)).collect::<Vec<_>>();
    let played = paths.par_iter().filter_map(|path| Played::of(path));
    let wrong: Vec<String> = played.flat_map_iter(breaches).collect();
    let shown: Vec<&str> = wrong.iter().take(20).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{} breaches, among them\n{}", wrong.len(), shown.join("\n"));
}

#[test]
fn every_fact_stands_in_the_picture_of_every_game_once() {
    hold(&[breaches_of_states], &all_games());
}

#[test]
fn the_picture_of_a_belief_is_the_mean_of_the_pictures_of_its_states() {
    hold(&[breaches_of_beliefs], &all_games());
}

#[test]
fn what_a_move_names_is_in_the_picture() {
    hold(&[breaches_of_targets], &all_games());
}

#[test]
fn the_pictures_of_the_games_of_the_field_have_the_same_laws() {
    let Some(paths) = games_of_the_field() else { return };
    assert!(paths.len() > 50);
    hold(&[breaches_of_states, breaches_of_beliefs, breaches_of_targets], &paths);
}

/// The games none of whose moves names anything on a picture: their moves are buttons and no more.
#[test]
fn the_games_whose_moves_name_nothing_are_these() {
    let names_nothing = |path: &&PathBuf| {
        let game = game(path);
        let layout = BoardLayout::of(&game);
        let machine = Interpreter::new(&game).unwrap();
        moments(&machine).iter().all(|Moment { now, legal, .. }| {
            let picture = layout.picture(&certain(now), None);
            legal.iter().all(|own| layout.targets(own.0, &picture).is_empty())
        })
    };
    let own: Vec<PathBuf> =
        ["perfect", "imperfect"].into_iter().flat_map(|of| rulesheets_in(&games(of))).collect();
    let found: Vec<String> = own
        .iter()
        .filter(names_nothing)
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert_eq!(found, BUTTONS_ONLY, "BUTTONS_ONLY has the order of the folders perfect and imperfect");
}

const BUTTONS_ONLY: [&str; 24] = [
    "buttons_and_lights.kif",
    "four_letters.gdl",
    "rock_paper_scissors_lizard_spock.kif",
    "banker_and_thief.kif",
    "card_deal.kif",
    "die_roll.kif",
    "exploding_bomb.kif",
    "kuhn_poker.kif",
    "kuhn_poker_13.kif",
    "kuhn_poker_3p.kif",
    "kuhn_poker_4.kif",
    "kuhn_poker_5.kif",
    "kuhn_poker_6.kif",
    "leduc_poker.kif",
    "leduc_poker_52.kif",
    "mastermind_3c3p.kif",
    "mastermind_4c3p.kif",
    "monty_hall.kif",
    "number_guessing_16.kif",
    "rock_paper_scissors.kif",
    "simplified_poker.gdl",
    "simplified_poker.kif",
    "spy_vs_spy.kif",
    "suit_and_settlement.kif",
];

/// What moves name in the initial states of games whose boards are known.
#[test]
fn moves_name_the_cells_columns_and_cards_that_a_person_would_click() {
    let cases = [
        ("perfect/tictactoe.kif", "(mark 1 2)", r#"[{"panel":0,"row":"1","column":"2"}]"#),
        ("perfect/hex_5x5.kif", "(place 4 5)", r#"[{"panel":0,"row":"4","column":"5"}]"#),
        (
            "perfect/breakthrough.kif",
            "(move 3 2 4 3)",
            r#"[{"panel":0,"row":"2","column":"3"},{"panel":0,"row":"3","column":"4"}]"#,
        ),
        ("perfect/connect_four.kif", "(drop 4)", r#"[{"panel":0,"column":"4"}]"#),
        ("perfect/nim.kif", "(leave b 2)", r#"[{"panel":0,"row":"","column":"b"}]"#),
        ("perfect/tictactoe.kif", "noop", "[]"),
        ("imperfect/goofspiel_4_imperfect.kif", "(bid 3)", r#"[{"hand":["holds","3"]}]"#),
        ("imperfect/kuhn_poker.kif", "check", "[]"),
    ];
    for (path, own, expected) in cases {
        let game = game(&games(path));
        let machine = Interpreter::new(&game).unwrap();
        let layout = BoardLayout::of(&game);
        let picture = layout.picture(&certain(machine.initial().fluents()), None);
        let targets = layout.targets(game.terms().read(own).unwrap(), &picture);
        assert_eq!(serde_json::to_string(&targets).unwrap(), expected, "{path}: {own}");
    }
}
