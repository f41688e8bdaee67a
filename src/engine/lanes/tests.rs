//! Tests of playouts in lanes: they are uniform, the same in every width, and begin at the given starts.

use std::sync::Arc;

use rand::RngExt;

use super::draw::{Tree, draw, index_bits};
use super::random::Streams;
use super::*;
use crate::program::{LutProgram, Planes};
use crate::propnet::{GroundingLimits, Network, Wire, ground, simplify};
use crate::{Interpreter, NetworkEngine, NetworkScratch};
use hyperplay_logic::gdl::{self, Game, Source};
use hyperplay_machine::{ByRole, Move, Percept, Percepts, Role};

pub(super) fn game(text: &str) -> Game {
    let loaded = gdl::load(Source::new("test", text), None);
    loaded.game.unwrap_or_else(|| panic!("{:?}", loaded.findings))
}

pub(super) fn file(path: &str) -> Game {
    let path = format!("{}/../../games/{path}", env!("CARGO_MANIFEST_DIR"));
    game(&std::fs::read_to_string(path).expect("it is a game of the project"))
}

pub(super) fn propagator(game: &Game) -> Arc<Propagator> {
    let (net, _) = ground(game, &GroundingLimits::default()).expect("it is small");
    Arc::new(Propagator::new(game, Arc::new(simplify(net, game.terms()).0)))
}

fn lanes(game: &Game) -> NetworkEngine {
    NetworkEngine::with_lanes(propagator(game))
}

/// Draws about `draws` times among `legal` of `leaves` leaves; how often each of the legal ones was drawn.
fn drawn(leaves: usize, legal: usize, draws: u64) -> Vec<u64> {
    let bits = index_bits(leaves);
    let mut network = Network::new(leaves + 2 * bits);
    let inputs: Vec<Wire> = (0..leaves + 2 * bits).map(|input| network.input(input)).collect();
    let tree = Tree::new(&mut network, inputs[..leaves].iter().map(|&leaf| vec![leaf]).collect());
    let (index, is_drawn) = draw(&mut network, tree.count(), bits, &inputs[leaves..]);
    let mut outputs = tree.select(&mut network, &index);
    outputs.push(is_drawn);
    let program = LutProgram::compile(&network, &outputs);
    let mut planes = Planes::<8>::default();
    planes.resize(program.planes);
    // Which leaves are legal is random too, in each lane, but how many is not.
    let (mut streams, mut rng) = (Streams::<8>::default(), Seed::root(legal as u64).rng());
    (0..8).for_each(|word| streams.seed(word, &Seed::root(legal as u64).index(word)));
    let mut places: Vec<usize> = (0..leaves).collect();
    let mut ranks = vec![vec![usize::MAX; leaves]; 512];
    for (lane, ranks) in ranks.iter_mut().enumerate() {
        let chosen = rand::seq::SliceRandom::partial_shuffle(&mut places[..], &mut rng, legal).0;
        chosen.sort_unstable();
        for (rank, &leaf) in chosen.iter().enumerate() {
            planes[leaf][lane / 64] |= 1 << (lane % 64);
            ranks[leaf] = rank;
        }
    }
    let mut counts = vec![0; legal];
    for _ in 0..draws / 512 {
        for plane in leaves..leaves + 2 * bits {
            planes[plane] = streams.draw();
        }
        program.run(&mut planes);
        for leaf in 0..leaves {
            for word in 0..8 {
                let mut on = planes[program.outputs[leaf]][word] & planes[program.outputs[leaves]][word];
                while on != 0 {
                    let lane = 64 * word + on.trailing_zeros() as usize;
                    on &= on - 1;
                    counts[ranks[lane][leaf]] += 1; // panics if the leaf is not legal
                }
            }
        }
    }
    counts
}

/// The probability that chi-squared is at least this large if all are equally likely.
fn p_value(counts: &[u64]) -> f64 {
    use statrs::distribution::{ChiSquared, ContinuousCDF};
    let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    let distance: f64 = counts.iter().map(|&count| (count as f64 - expected).powi(2) / expected).sum();
    ChiSquared::new(counts.len() as f64 - 1.0).expect("there are two or more").sf(distance)
}

fn check_uniformity(draws: u64) {
    let mut least = 1.0_f64;
    for legal in (1..=64).chain([1000]) {
        // Three times as many leaves, so that the tree has gaps.
        let counts = drawn(3 * legal, legal, draws);
        assert!(counts.iter().sum::<u64>() > draws / 512 * 512 * 3 / 4, "{legal}: too many draws fail");
        if legal > 1 {
            let p = p_value(&counts);
            least = least.min(p);
            // 64 tests: by chance one in six hundred runs has a p this small.
            assert!(p > 0.001 / 65.0, "{legal} legal moves: p = {p}, {counts:?}");
        }
    }
    println!("{draws} draws: least p of 64 tests {least:.4}");
    let skewed: Vec<u64> =
        drawn(9, 3, 1 << 16).iter().zip([1.0, 1.0, 1.05]).map(|(&n, f)| (n as f64 * f) as u64).collect();
    assert!(p_value(&skewed) < 1e-6, "a choice that is wrong by a twentieth is seen");
}

#[test]
fn every_number_of_legal_moves_is_drawn_from_uniformly() {
    check_uniformity(1 << 16);
}

#[test]
#[ignore = "the long form of the test above"]
fn every_number_of_legal_moves_is_drawn_from_uniformly_in_millions_of_draws() {
    check_uniformity(1 << 22);
}

/// Of 1,260 playouts of tic-tac-toe 737 are won by x, 363 by o, and 160 are drawn, on average.
fn check_tictactoe(playouts: u32) {
    let lanes = lanes(&file("perfect/tictactoe.kif"));
    let mut scratch = lanes.scratch();
    let start = Start { state: lanes.initial(), first: Vec::new(), weights: None, count: playouts };
    let tally = lanes.playouts(&[start], &Seed::root(7), &Budget::UNLIMITED, &mut scratch).remove(0);
    assert_eq!((tally.count, tally.unfinished), (playouts, 0));
    let (x, o) = (Role::new(0), Role::new(1));
    assert_eq!(tally.sum[x] + tally.sum[o], 100 * u64::from(playouts));
    // 100^2 for a win and 50^2 for a draw: two equations give the three numbers.
    let draws = (100 * tally.sum[x] - tally.squares[x]) / 2500;
    let wins = (tally.sum[x] - 50 * draws) / 100;
    let losses = u64::from(playouts) - wins - draws;
    for (count, of) in [(wins, 737.0), (losses, 363.0), (draws, 160.0)] {
        let (p, n) = (of / 1260.0, f64::from(playouts));
        let error = (count as f64 - n * p) / (n * p * (1.0 - p)).sqrt();
        println!("{count} of {playouts}: {error:+.2} standard errors from {of}/1260");
        assert!(error.abs() < 5.0, "{count} is {error} standard errors from {of}/1260");
    }
}

#[test]
fn tictactoe_is_won_as_often_as_it_should() {
    check_tictactoe(1_000_000);
}

#[test]
#[ignore = "the long form of the test above"]
fn tictactoe_is_won_as_often_as_it_should_in_a_hundred_million_playouts() {
    check_tictactoe(100_000_000);
}

/// Starts some random steps into a game, one for each legal move of a role, with odd counts.
fn starts(lanes: &NetworkEngine, scratch: &mut NetworkScratch) -> Vec<Start<State>> {
    let mut rng = Seed::root(3).rng();
    let mut state = lanes.initial();
    let mut starts = Vec::new();
    for step in 0..4_u32 {
        let legal = lanes.legal_by_role(&state, scratch);
        for (role, moves) in legal.iter() {
            starts.extend(moves.iter().map(|&own| Start {
                state: state.clone(),
                first: vec![(role, own)],
                weights: None,
                count: 7 + 31 * step + rng.random_range(0..40),
            }));
        }
        let Some(joint) = lanes.random_joint(&state, scratch, &mut rng) else { break };
        state = lanes.next(&state, &joint, scratch);
        if lanes.terminal(&state, scratch) {
            break;
        }
    }
    starts
}

#[test]
fn all_widths_give_the_same_bits() {
    for name in ["perfect/connect_four.kif", "imperfect/leduc_poker.kif", "imperfect/krieg_tictactoe_3x3.kif"]
    {
        let propagator = propagator(&file(name));
        let play = |width| {
            let mut lanes = Lanes::new(&propagator);
            lanes.width = width;
            let lanes = NetworkEngine::new(propagator.clone(), Some(lanes));
            let mut scratch = lanes.scratch();
            let starts = starts(&lanes, &mut scratch);
            let tallies = lanes.playouts(&starts, &Seed::root(11), &Budget::UNLIMITED, &mut scratch);
            assert!(tallies.iter().zip(&starts).all(|(tally, start)| tally.count == start.count));
            tallies
        };
        let narrow = play(Some(LaneWidth::Lanes64));
        assert_eq!(narrow, play(Some(LaneWidth::Lanes256)), "{name}");
        assert_eq!(narrow, play(Some(LaneWidth::Lanes512)), "{name}");
        assert_eq!(narrow, play(Some(LaneWidth::Lanes1024)), "{name}");
        assert_eq!(narrow, play(None), "{name}");
    }
}

/// The first tallies of a seed. If they change, every seeded result of a player changes.
#[test]
fn the_playouts_of_seed_one_never_change() {
    let lanes = lanes(&file("perfect/tictactoe.kif"));
    let start = Start { state: lanes.initial(), first: Vec::new(), weights: None, count: 1000 };
    let tally = lanes.playouts(&[start], &Seed::root(1), &Budget::UNLIMITED, &mut lanes.scratch()).remove(0);
    assert_eq!((tally.sum[Role::new(0)], tally.steps), (62_250, 7_594));
}

/// Every step of the lanes is a step of the rules, starts and first moves are kept, and the tallies are those of the
/// playouts traced.
#[test]
fn what_the_lanes_play_is_what_the_rules_allow() {
    for name in [
        "perfect/tictactoe.kif",
        "perfect/nim.kif",
        "imperfect/leduc_poker.kif",
        "imperfect/monty_hall.kif",
        "imperfect/phantom_tictactoe.kif",
        "imperfect/rock_paper_scissors.kif",
        "imperfect/goofspiel_4_imperfect.kif",
    ] {
        let game = file(name);
        let lanes = lanes(&game);
        let mut scratch = lanes.scratch();
        let starts = starts(&lanes, &mut scratch);
        let (steps, tallies) =
            Tracer::new(&lanes).expect("it has lanes").trace(&starts, usize::MAX, &Seed::root(2));
        assert_eq!(
            tallies,
            lanes.playouts(&starts, &Seed::root(2), &Budget::UNLIMITED, &mut scratch),
            "{name}"
        );
        let mut ends: u64 = 0;
        let mut sums = ByRole::from_fn(lanes.roles().len(), |_| 0);
        for (state, joint, after) in &steps {
            for role in lanes.each_role() {
                let mut legal = Vec::new();
                lanes.legal(state, role, &mut scratch, &mut legal);
                assert!(legal.contains(&joint.of(role)), "{name}");
            }
            let mut expected = lanes.expand(&[(state, joint)], &mut scratch).remove(0);
            if !game.is_imperfect() {
                expected.percepts =
                    ByRole::from_fn(lanes.roles().len(), |_| Percepts::in_order(Vec::<Percept>::new()));
            }
            assert_eq!(*after, expected, "{name}");
            if let Some(goals) = &after.end {
                ends += 1;
                goals.iter().for_each(|(role, goal)| sums[role] += u64::from(goal.value()));
            }
        }
        assert_eq!(ends, starts.iter().map(|start| u64::from(start.count)).sum::<u64>(), "{name}");
        assert_eq!(steps.len() as u64, tallies.iter().map(|tally| tally.steps).sum::<u64>(), "{name}");
        for (role, sum) in sums.iter() {
            assert_eq!(*sum, tallies.iter().map(|tally| tally.sum[role]).sum::<u64>(), "{name}");
        }
    }
}

#[test]
fn each_start_has_the_mean_of_its_first_move() {
    let game = file("imperfect/kuhn_poker.kif");
    let (lanes, rules) = (lanes(&game), Interpreter::new(&game).expect("it can be evaluated"));
    let (mut scratch, mut of_rules) = (lanes.scratch(), rules.scratch());
    let count = 20_000;
    // One step in, where the cards are dealt; both machines go the same way.
    let joint =
        rules.random_joint(&rules.initial(), &mut of_rules, &mut Seed::root(1).rng()).expect("they deal");
    let state = lanes.next(&lanes.initial(), &joint, &mut scratch);
    let same = rules.next(&rules.initial(), &joint, &mut of_rules);
    for role in lanes.each_role() {
        let mut legal = Vec::new();
        lanes.legal(&state, role, &mut scratch, &mut legal);
        for own in legal {
            let first = vec![(role, own)];
            let start = Start { state: state.clone(), first: first.clone(), weights: None, count };
            let plain = Start { state: same.clone(), first, weights: None, count: 2_000 };
            let mine = lanes.playouts(&[start], &Seed::root(4), &Budget::UNLIMITED, &mut scratch).remove(0);
            let other = rules.playouts(&[plain], &Seed::root(4), &Budget::UNLIMITED, &mut of_rules).remove(0);
            for role in lanes.each_role() {
                let difference = mine.mean(role) - other.mean(role);
                // A goal of Kuhn poker is at most 100 points from another.
                assert!(
                    difference.abs() < 5.0 * 50.0 / 2_000_f64.sqrt(),
                    "{own:?} {role:?}: {mine:?} {other:?}"
                );
            }
        }
    }
}

#[test]
fn a_first_move_that_is_not_legal_is_made_all_the_same() {
    let game = game(
        "(role a) (init s) (<= (legal a good) (true s)) (<= (legal a late) (true t)) (<= (next t) (does a good))
         (<= (next u) (does a late)) (<= terminal (not (true s))) (<= (goal a 100) (true u)) (<= (goal a 7) (true t))",
    );
    let lanes = lanes(&game);
    let mut scratch = lanes.scratch();
    let late = Move(lanes.terms().read("late").expect("it is a term"));
    let start = Start { state: lanes.initial(), first: vec![(Role::new(0), late)], weights: None, count: 3 };
    let tally = lanes.playouts(&[start], &Seed::root(1), &Budget::UNLIMITED, &mut scratch).remove(0);
    assert_eq!((tally.count, tally.steps), (3, 3));
}

/// Counts to 20,000 before it ends, and a player can stop moving.
const ENDLESS: &str = "(role a) (init on) (<= (legal a stay) (true on)) (<= (legal a leave) (true on))
     (<= (next on) (true on) (does a stay)) (<= (next off) (does a leave)) (<= (next off) (true off))
     (<= terminal (true never)) (<= (next never) (true never) (true on)) (<= (next never) (true never) (true off))
     (init idle) (<= (next idle) (true idle))
     (<= (goal a 30) (true on)) (<= (goal a 60) (true off))";

#[test]
fn a_role_without_a_move_ends_its_playout_where_it_is() {
    let loaded = gdl::load(Source::new("endless", ENDLESS), None);
    let lanes = lanes(&loaded.game.expect("only warnings"));
    let start = Start { state: lanes.initial(), first: Vec::new(), weights: None, count: 1000 };
    let tally = lanes.playouts(&[start], &Seed::root(1), &Budget::UNLIMITED, &mut lanes.scratch()).remove(0);
    assert_eq!((tally.count, tally.unfinished, tally.sum[Role::new(0)]), (1000, 0, 60_000));
    // Half of the lanes leave in each step.
    assert!((1800..2200).contains(&tally.steps), "{}", tally.steps);
}

#[test]
fn a_playout_that_does_not_end_is_cut_off_and_said_to_be() {
    let text = ENDLESS.replace("(<= (legal a leave) (true on))", "(<= (legal a go) (true on))");
    let text = text.replace("(does a stay))", ")");
    let loaded = gdl::load(Source::new("endless", &*text), None);
    let lanes = lanes(&loaded.game.expect("only warnings"));
    let start = Start { state: lanes.initial(), first: Vec::new(), weights: None, count: 100 };
    let tally = lanes.playouts(&[start], &Seed::root(1), &Budget::UNLIMITED, &mut lanes.scratch()).remove(0);
    assert_eq!((tally.count, tally.unfinished, tally.sum[Role::new(0)]), (100, 100, 3_000));
    let longest = hyperplay_machine::PLAYOUT_STEPS as u64;
    assert!((75 * longest..=100 * longest).contains(&tally.steps), "{}", tally.steps);
}

#[test]
fn a_deadline_counts_only_what_has_ended() {
    let lanes = lanes(&file("perfect/connect_four.kif"));
    let start = Start { state: lanes.initial(), first: Vec::new(), weights: None, count: u32::MAX };
    // A busy machine may need longer until the first has ended.
    let within = |milliseconds: u64| {
        let budget = Budget::time(std::time::Duration::from_millis(milliseconds));
        let starts = std::slice::from_ref(&start);
        lanes.playouts(starts, &Seed::root(1), &budget, &mut lanes.scratch()).remove(0)
    };
    let tally = (5..20).map(|power| within(1 << power)).find(|tally| tally.count > 0).expect("some end");
    assert!(tally.count < u32::MAX);
    assert_eq!(tally.sum[Role::new(0)] + tally.sum[Role::new(1)], 100 * u64::from(tally.count));
    assert!(tally.steps >= 7 * u64::from(tally.count));
}
