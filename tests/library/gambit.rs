//! Games in Gambit's extensive form: what is read, written and read again is the same; and the rules that they become
//! play the same game with the same information sets.
//!
//! The samples of `tests/tables/efg` were written for this test. Random games with perfect recall add what nobody
//! thought of; some of them are not timeable, which is checked by a slow definition.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::extent::extent;
use hyperplay::engine::{EngineKind, Engines};
use hyperplay::games::gambit::{
    Fraction, GambitBuilder, GambitFile, GambitKif, GambitNode, GambitSetId, KifError, KifOptions, to_kif,
};
use hyperplay::gdl::{Source, load};
use hyperplay::machine::{Evidence, History, JointMoves, Role, Seed, StateMachine, StateMachineExt};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// Samples whose labels are not legal in Gambit: they are written otherwise.
const RELABELLED: [&str; 2] = ["odd_labels", "same_names"];

/// Samples that no rulesheet can express, with the reason.
const REFUSED: [(&str, &str); 3] = [
    (
        "fine_payoffs",
        "the payoffs of 'Buyer' lie from 0 to 999/100 in steps of 1/100, which is more than 100 steps",
    ),
    ("many_copies", "the chance node 1 needs 1009 equally likely moves, more than 1000"),
    (
        "not_timeable",
        "the game is not timeable: each of these sets comes before the next one on some path: \
         set 1 ('a') of 'Alice', set 1 ('b') of 'Bob', set 1 ('a') of 'Alice'",
    ),
];

fn samples() -> Vec<(String, GambitFile)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tables/efg");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let samples = paths.iter().map(|path| {
        let file = GambitFile::read(&fs::read_to_string(path).unwrap());
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let file = file.unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, file)
    });
    samples.collect()
}

fn written(file: &GambitFile) -> String {
    let mut out = Vec::new();
    file.write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn what_was_written_is_read_as_the_same_game() {
    let samples = samples();
    assert!(samples.len() >= 20);
    for (name, file) in samples {
        let text = written(&file);
        let again = GambitFile::read(&text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
        if RELABELLED.contains(&name.as_str()) {
            assert_ne!(again, file, "{name}");
            assert_eq!((&again.nodes, &again.outcomes), (&file.nodes, &file.outcomes), "{name}");
        } else {
            assert_eq!(again, file, "{name}");
        }
        assert_eq!(written(&again), text, "{name}");
    }
}

#[test]
fn every_sample_becomes_rules_of_the_same_game() {
    for (name, file) in samples() {
        match to_kif(&file, &name, &KifOptions::default()) {
            Ok(kif) => check_same_game(&name, &file, &kif),
            Err(error) => {
                let reason = REFUSED.iter().find(|(refused, _)| *refused == name).map(|(_, reason)| *reason);
                assert_eq!(reason, Some(error.to_string().as_str()), "{name}");
            }
        }
    }
}

#[test]
fn options_allow_more_moves_and_rounded_payoffs() {
    let find = |name: &str| samples().into_iter().find(|(other, _)| other == name).unwrap().1;
    let more = KifOptions { max_denominator: 1009, ..KifOptions::default() };
    let rare = find("many_copies");
    check_same_game("many_copies", &rare, &to_kif(&rare, "many_copies", &more).unwrap());

    let fine = find("fine_payoffs");
    let rounded = to_kif(&fine, "fine", &KifOptions { round: true, ..KifOptions::default() }).unwrap();
    assert!(rounded.text.contains("each is rounded to the next goal"));
    assert_eq!(rounded.scales[1].unit, Fraction::new(999, 10_000));
    for goals in ["(gives o1 buyer 100)\n(gives o1 seller 0)", "(gives o2 buyer 88)\n(gives o2 seller 12)"] {
        assert!(rounded.text.contains(goals), "{}", rounded.text);
    }
}

/// The nodes that have a positive probability if the players want it, each with the probability that chance does.
fn chances(file: &GambitFile) -> Vec<Fraction> {
    let mut chances: Vec<Fraction> = Vec::new();
    for parent in file.parents() {
        chances.push(parent.map_or(1.into(), |(parent, choice)| {
            let share = match file.nodes[parent as usize] {
                GambitNode::Chance(id) => file.chance(id).moves[choice as usize].1,
                _ => 1.into(),
            };
            share * chances[parent as usize]
        }));
    }
    chances
}

/// Walks all histories of the rules and compares with the tree, node by node.
fn check_same_game(name: &str, file: &GambitFile, kif: &GambitKif) {
    let loaded = load(Source::new(name, &kif.text), None);
    assert_eq!(loaded.findings, [], "{name}:\n{}", kif.text);
    let machine = Engines::new(&loaded.game.unwrap()).get(EngineKind::Auto).unwrap();
    let players = file.players.len();
    assert_eq!(machine.roles().len() - usize::from(machine.random().is_some()), players, "{name}");

    let mut scratch = machine.scratch();
    let mut reached: Vec<Fraction> = vec![0.into(); file.nodes.len()];
    // What each player knows at its nodes, and at which set that is.
    let mut known: Vec<BTreeMap<String, GambitSetId>> = vec![BTreeMap::new(); players];
    let mut open = vec![(History(Vec::new()), Fraction::from_integer(1))];
    while let Some((history, chance)) = open.pop() {
        let state = machine.replay(&history, &mut scratch);
        let fluents = machine.fluents(&state);
        let [fluent] = &fluents[..] else { panic!("{name}: {fluents:?}") };
        let node =
            fluent.strip_prefix("(at n").map(|rest| rest.trim_end_matches(')').parse::<usize>().unwrap() - 1);
        let kind = node.map(|node| file.nodes[node]);
        if let Some(node) = node {
            reached[node] += chance;
        }
        let end = machine.terminal(&state, &mut scratch);
        assert_eq!(end, matches!(kind, Some(GambitNode::Terminal(_))), "{name}: {fluent}");
        if let Some(GambitNode::Terminal(outcome)) = kind {
            for (player, payoff) in file.outcomes[outcome.index()].iter().enumerate() {
                let goal = machine.goal(&state, Role::new(player), &mut scratch).value();
                assert_eq!(kif.scales[player].payoff(goal), *payoff, "{name}: {fluent}");
            }
            continue;
        }
        let legal = machine.legal_by_role(&state, &mut scratch);
        for player in 0..players {
            let deciding = match kind {
                Some(GambitNode::Decision(id)) if file.set(id).player as usize == player => Some(id),
                _ => None,
            };
            let own = &legal[Role::new(player)];
            let shown = || own.iter().map(|&own| machine.show_move(own)).collect::<Vec<_>>();
            let Some(id) = deciding else {
                assert_eq!(shown(), ["noop"], "{name}: {fluent}");
                continue;
            };
            assert_eq!(own.len(), file.set(id).moves.len(), "{name}: {fluent}");
            let evidence: Evidence = machine.evidence(&history, Role::new(player), &mut scratch);
            let met = *known[player].entry(format!("{evidence:?}")).or_insert(id);
            assert_eq!(met, id, "{name}: {fluent}: two sets look the same");
        }
        let random = machine.random().map_or(1, |random| legal[random].len());
        for joint in JointMoves::new(&legal) {
            let mut history = history.clone();
            history.0.push(joint);
            open.push((history, chance / Fraction::from_integer(random as i128)));
        }
    }
    assert_eq!(reached, chances(file), "{name}");
    let live = |id: usize| {
        let nodes = file.nodes.iter().zip(&reached);
        nodes
            .filter(|(_, chance)| **chance > 0.into())
            .any(|(&node, _)| matches!(node, GambitNode::Decision(set) if set.index() == id))
    };
    for (player, known) in known.iter().enumerate() {
        let sets: BTreeSet<GambitSetId> = known.values().copied().collect();
        assert_eq!(sets.len(), known.len(), "{name}: a set looks different at two of its nodes");
        let own = file.sets.iter().enumerate().filter(|(id, set)| set.player as usize == player && live(*id));
        assert_eq!(sets.len(), own.clone().count(), "{name}");
        let deciding = own.filter(|(_, set)| set.moves.len() >= 2).count() as u64;
        let extent = extent(&*machine, 1_000_000);
        assert_eq!(extent.information_sets[Role::new(player)], deciding, "{name}");
    }
}

/// The sets of a random game, by the player, its own sets and moves before, and the number of moves.
type SetsByRecall = BTreeMap<(u32, Vec<(GambitSetId, usize)>, usize), Vec<GambitSetId>>;

struct Random {
    rng: ChaCha8Rng,
    builder: GambitBuilder,
    players: u32,
    sets: SetsByRecall,
}

impl Random {
    fn game(seed: &Seed) -> GambitFile {
        let mut rng = seed.rng();
        let players = rng.random_range(1..4);
        let names: Vec<String> = (1..=players).map(|player| format!("Player {player}")).collect();
        let builder = GambitBuilder::new("A random game", "", &names);
        let mut random = Random { rng, builder, players, sets: BTreeMap::new() };
        random.subtree(0, &mut vec![Vec::new(); players as usize]);
        random.builder.finish().unwrap()
    }

    fn subtree(&mut self, depth: u32, recall: &mut Vec<Vec<(GambitSetId, usize)>>) {
        let moves = self.rng.random_range(1..4);
        if self.rng.random_range(0..8) < depth {
            let payoff = |_| Fraction::from_integer(self.rng.random_range(-3..4));
            let payoffs: Vec<Fraction> = (0..self.players).map(payoff).collect();
            self.builder.terminal(&payoffs);
        } else if self.rng.random_bool(0.25) {
            let shares: Vec<i128> = (0..moves).map(|_| self.rng.random_range(0..4)).collect();
            let sum = shares.iter().sum::<i128>();
            let share = |(number, share)| {
                let share =
                    if sum == 0 { Fraction::new(1, moves as i128) } else { Fraction::new(share, sum) };
                (format!("c{number}"), share)
            };
            let chance: Vec<(String, Fraction)> = shares.into_iter().enumerate().map(share).collect();
            let chance = self.builder.chance_moves(&chance);
            self.builder.chance(chance);
            (0..moves).for_each(|_| self.subtree(depth + 1, recall));
        } else {
            let player = self.rng.random_range(0..self.players);
            let key = (player, recall[player as usize].clone(), moves);
            let known = self.sets.entry(key).or_default();
            let old = known.choose(&mut self.rng).copied().filter(|_| self.rng.random_bool(0.8));
            let set = old.unwrap_or_else(|| {
                let labels: Vec<String> = (0..moves).map(|number| format!("m{number}")).collect();
                let set = self.builder.information_set(player, "", &labels);
                known.push(set);
                set
            });
            self.builder.decision(set);
            for choice in 0..moves {
                recall[player as usize].push((set, choice));
                self.subtree(depth + 1, recall);
                recall[player as usize].pop();
            }
        }
    }
}

/// Whether the live nodes have times, by the definition: raise each until all conditions hold or no times can be left.
fn is_timeable(file: &GambitFile) -> bool {
    let (parents, chances) = (file.parents(), chances(file));
    let live: Vec<usize> = (0..chances.len()).filter(|&node| chances[node] > 0.into()).collect();
    let mut times = vec![0; parents.len()];
    loop {
        let before = times.clone();
        for &node in &live {
            if let Some((parent, _)) = parents[node] {
                times[node] = times[node].max(times[parent as usize] + 1);
            }
            for &other in &live {
                if matches!(file.nodes[node], GambitNode::Decision(_))
                    && file.nodes[node] == file.nodes[other]
                {
                    times[node] = times[node].max(times[other]);
                }
            }
        }
        if times == before || times.iter().any(|&time| time > parents.len()) {
            return times == before;
        }
    }
}

#[test]
fn random_games_become_rules_of_the_same_game_if_they_are_timeable() {
    let (mut timeable, mut not, mut nodes) = (0, 0, 0);
    for number in 0..600 {
        let file = Random::game(&Seed::root(1).child("gambit").index(number));
        if file.nodes.len() > 400 {
            continue;
        }
        let name = format!("game {number}");
        assert_eq!(GambitFile::read(&written(&file)).unwrap(), file, "{name}");
        match to_kif(&file, &name, &KifOptions::default()) {
            Ok(kif) => {
                assert!(is_timeable(&file), "{name}");
                check_same_game(&name, &file, &kif);
                timeable += 1;
                nodes += file.nodes.len();
            }
            Err(KifError::NotTimeable(cycle)) => {
                assert!(!is_timeable(&file), "{name}");
                assert!(cycle.len() > 2 && cycle.first() == cycle.last(), "{cycle:?}");
                not += 1;
            }
            Err(error) => panic!("{name}: {error}"),
        }
    }
    println!("{timeable} games with {nodes} nodes; {not} are not timeable");
    assert!(timeable > 200 && not > 5, "{timeable} games are timeable, {not} are not");
}
