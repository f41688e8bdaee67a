//! The tests of the tables of particle sets.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

use super::super::columns::COLUMNS;
use super::super::{Blocks, MatchSource, Study, StudyGame, StudyPlan, WORK};
use crate::shards::Shard;
use hyperplay_engine::{EngineKind, Engines};
use hyperplay_logic::gdl::{Source, load};
use hyperplay_play::player::Registry;
use hyperplay_play::referee::Interrupt;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, RowAccessor};

const LEDUC: &str = include_str!("../../../../games/imperfect/leduc_poker.kif");

const KRIEG: &str = include_str!("../../../../games/imperfect/krieg_tictactoe_3x3.kif");

/// A match measured with two samplers, with the number of blocks that were measured and not found.
fn study(folder: &Path, text: &str, limit: usize) -> (Study, usize) {
    let registry = Registry::standard();
    let game = load(Source::new("game", text), None).game.expect("the rules are in order");
    let machine = Engines::new(&game).get(EngineKind::Auto).expect("there is an engine");
    let plan = StudyPlan {
        samplers: ["rejection", "bootstrap"].map(|spec| registry.sampler(spec).expect("there is one")).into(),
        particles: vec![3],
        replicates: 4,
        matches: 1,
        play: MatchSource::read("uniform", &registry).expect("there is one"),
        equilibrium: None,
        roles: Vec::new(),
        steps: (1, 9),
        limit,
        update_limit: None,
        playouts: 0,
        work: WORK,
        seed: 3,
    };
    let shard = Shard::read("1/1").expect("it is one");
    let blocks = Blocks::open(folder, shard, &[]).and_then(|blocks| Ok(blocks.with_particles(folder, true)?));
    let mut blocks = blocks.expect("the folder can be written");
    let study =
        plan.study(&StudyGame::unnamed(&machine), &Interrupt::default(), (&|| (), &|_| ()), &mut blocks);
    let measured = blocks.measured;
    blocks.finish().expect("the files can be written");
    (study.expect("nothing fails"), measured)
}

/// A row of a table: what it is of, the number of the replicate, the history, weight and probability.
type Row = ((String, String, i64), i64, String, Option<f64>, Option<f64>);

fn rows(folder: &Path) -> Vec<Row> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder.join("particles")).expect("it is there") {
        let file = File::open(entry.expect("it can be read").path()).expect("it can be read");
        for row in SerializedFileReader::new(file).expect("a table").get_row_iter(None).expect("it has rows")
        {
            let row = row.expect("it can be read");
            let at = |name: &str| row.get_column_iter().position(|(known, _)| known == name).expect(name);
            let number = |name: &str| match row.get_column_iter().nth(at(name)) {
                Some((_, Field::Double(number))) => Some(*number),
                _ => None,
            };
            let text = |name: &str| row.get_string(at(name)).expect("it is a text").clone();
            let of = (text("sampler"), text("role"), row.get_long(at("step")).expect("it is a number"));
            let (history, step) = (row.get_list(at("history")).expect("it is a list"), of.2 as usize);
            assert_eq!(history.len(), if number("weight").is_some() { step } else { 0 });
            assert_eq!(row.get_list(at("truth")).expect("it is a list").len(), step);
            assert_eq!(row.get_list(at("evidence")).expect("it is a list").len(), step);
            let replicate = row.get_long(at("replicate")).expect("it is a number");
            let history = format!("{history:?}");
            all.push((of, replicate, history, number("weight"), number("probability")));
        }
    }
    all
}

/// By history its weight and its probability.
type Set = BTreeMap<String, (f64, f64)>;

/// Half of the sum of the differences between the weights of a set, by history, and the posterior.
fn total_variation(set: &Set) -> f64 {
    let covered: f64 = set.values().map(|(_, probability)| probability).sum();
    let apart = set.values().map(|(weight, probability)| (weight - probability).abs());
    (apart.sum::<f64>() + 1.0 - covered) / 2.0
}

#[test]
fn the_tables_have_the_distances_that_the_rows_say() {
    let folder = tempfile::tempdir().expect("there is room");
    let (study, measured) = study(folder.path(), LEDUC, 10_000);
    assert_eq!(measured, 4, "two samplers and two roles");
    let mut sets: BTreeMap<_, BTreeMap<i64, Set>> = BTreeMap::new();
    for (of, replicate, history, weight, probability) in rows(folder.path()) {
        let set = sets.entry(of).or_default().entry(replicate).or_default();
        // An empty set is at distance 1.
        let own = set.entry(history).or_insert((0.0, probability.unwrap_or(0.0)));
        own.0 += weight.unwrap_or(1.0);
    }
    assert_eq!(sets.len(), study.rows.len());
    for row in &study.rows {
        let of = (row.of.sampler.clone(), row.place.role.clone(), row.place.step as i64);
        let distances: Vec<f64> = sets[&of].values().map(total_variation).collect();
        assert_eq!(distances.len(), 4, "one set for each replicate");
        let mean = distances.iter().sum::<f64>() / 4.0;
        assert!((mean - row.figures.set_tv).abs() < 1e-9, "{of:?}: {mean} and {}", row.figures.set_tv);
    }
}

#[test]
fn the_guide_explains_every_column() {
    let guide = include_str!("../../../../docs/belief-measures.md");
    let columns = COLUMNS.lines().filter(|line| line.starts_with("particle\t"));
    let explained = columns.map(|line| {
        let parts: Vec<&str> = line.split('\t').collect();
        format!("| {} | {} | {} |\n", parts[1], parts[4], parts[5])
    });
    let explained: Vec<String> = explained.collect();
    assert_eq!(explained.len(), 14);
    assert!(
        guide.contains(&explained.concat()),
        "docs/belief-measures.md should contain:\n{}",
        explained.concat()
    );
}

#[test]
fn a_block_whose_sets_are_gone_is_measured_again() {
    let folder = tempfile::tempdir().expect("there is room");
    let first = study(folder.path(), LEDUC, 10_000).0;
    let mut tables: Vec<_> = fs::read_dir(folder.path().join("particles")).expect("it is there").collect();
    assert_eq!(study(folder.path(), LEDUC, 10_000).1, 0);
    fs::write(tables[0].as_ref().expect("it can be read").path(), "").expect("it can be written");
    let one = tables.pop().expect("there are some").expect("it can be read").path();
    fs::remove_file(&one).expect("it can be removed");
    let (again, measured) = study(folder.path(), LEDUC, 10_000);
    assert_eq!(measured, 2, "one is gone, and one is empty");
    assert!(one.exists());
    assert_eq!(again.rows.len(), first.rows.len());
}

#[test]
fn without_a_posterior_all_histories_are_there_and_none_has_a_probability() {
    let folder = tempfile::tempdir().expect("there is room");
    study(folder.path(), LEDUC, 0);
    let rows = rows(folder.path());
    assert!(rows.iter().any(|(.., weight, _)| weight.is_some()));
    assert!(rows.iter().all(|(.., probability)| probability.is_none()));
}

/// Where histories are too many the posterior is one of states, and the tables have the histories that were really held.
#[test]
fn the_histories_are_those_that_are_held_where_states_are_compared() {
    let [by_state, mut alone] = [30, 0].map(|limit| {
        let folder = tempfile::tempdir().expect("there is room");
        let measured = study(folder.path(), KRIEG, limit).0;
        assert_eq!(measured.rows.iter().any(|row| !row.is_of_histories() && row.states.is_some()), limit > 0);
        let held =
            rows(folder.path()).into_iter().map(|(of, replicate, history, ..)| (of, replicate, history));
        let mut held: Vec<_> = held.collect();
        held.sort();
        held
    });
    // Without a posterior there are more points.
    alone.retain(|(of, ..)| by_state.iter().any(|(known, ..)| known == of));
    assert!(by_state.len() > 50);
    assert_eq!(by_state, alone);
}
