//! Tests of the rules of single games by lines of play. The numbers of the games are tested in `facts.rs`.
//!
//! A line is written step by step, the moves of a step in role order and separated by commas. After the line the test
//! looks at the percepts of its last step and at the goals.

use std::sync::Arc;

use crate::common::{self, games_of_the_house, loaded};
use crate::extent::extent;
use hyperplay::analysis::{Effort, simulate};
use hyperplay::engine::{Engine, Interpreter};
use hyperplay::gdl::{Loaded, Severity};
use hyperplay::machine::{JointMove, StateMachine, StateMachineExt};
use hyperplay::referee::Interrupt;

/// What a line leads to.
struct Reached {
    /// The percepts of each role in the last step.
    percepts: Vec<Vec<String>>,
    /// The goals of the roles, without random, if the game is over.
    goals: Option<Vec<u8>>,
    /// The legal moves of each role.
    legal: Vec<Vec<String>>,
}

fn machine(game: &str) -> Interpreter {
    let path = common::games(&format!("imperfect/{game}.kif"));
    Interpreter::new(&loaded(&path).game.unwrap()).unwrap()
}

/// Plays a line; every move of it must be legal where it is made.
fn play(game: &str, line: &[&str]) -> Reached {
    let machine = machine(game);
    let mut scratch = machine.scratch();
    let mut state = machine.initial();
    let mut percepts = Vec::new();
    for step in line {
        assert!(!machine.terminal(&state, &mut scratch), "{game} is over before {step}");
        let legal = machine.legal_by_role(&state, &mut scratch);
        let words: Vec<&str> = step.split(", ").collect();
        let joint = legal.iter().zip(words).map(|((_, moves), word)| {
            let found = moves.iter().copied().find(|&own| machine.show_move(own) == word);
            found.unwrap_or_else(|| panic!("{game}: {word} is not legal"))
        });
        let joint = JointMove::new(joint);
        let show = |role| {
            let seen = machine.percepts(&state, &joint, role, &mut scratch);
            seen.iter().map(|percept| machine.terms().show(percept.0)).collect()
        };
        percepts = machine.each_role().map(show).collect();
        state = machine.next(&state, &joint, &mut scratch);
    }
    let players = machine.each_role().filter(|&role| machine.random() != Some(role));
    let over = machine.terminal(&state, &mut scratch);
    let goals = over.then(|| players.map(|role| machine.goal(&state, role, &mut scratch).value()).collect());
    let legal = machine.legal_by_role(&state, &mut scratch);
    let shown = |moves: &Vec<_>| moves.iter().map(|&own| machine.show_move(own)).collect();
    Reached { percepts, goals, legal: legal.values().iter().map(shown).collect() }
}

/// The goals at the end of a line.
fn goals(game: &str, line: &[&str]) -> Vec<u8> {
    play(game, line).goals.unwrap_or_else(|| panic!("{game} is not over"))
}

/// The percepts of the last step of a line.
fn percepts(game: &str, line: &[&str]) -> Vec<Vec<String>> {
    play(game, line).percepts
}

/// Random matches show no fault, no role without a move and no term that is not declared.
fn nothing_is_found_in(matches: usize) {
    for path in games_of_the_house() {
        let Loaded { rulesheet, game, .. } = loaded(&path);
        let reference = Arc::new(Interpreter::new(&game.unwrap()).unwrap());
        let machine = Engine::Interpreter(Arc::clone(&reference));
        let effort = Effort { matches, seed: 1, limit: 10_000, search: 0 };
        let findings =
            simulate(&machine, Some(&*reference), &rulesheet, &effort, &Interrupt::default(), &|| ());
        let bad = findings.findings.iter().filter(|finding| finding.severity >= Severity::Warning);
        let bad: Vec<String> = bad.map(|finding| format!("{}: {}", finding.code, finding.message)).collect();
        assert!(bad.is_empty(), "{}: {}", path.display(), bad.join("\n"));
    }
}

#[test]
fn nothing_is_found_in_10_random_matches_of_every_game() {
    nothing_is_found_in(10);
}

#[test]
#[ignore = "minutes"]
fn nothing_is_found_in_1000_random_matches_of_every_game() {
    nothing_is_found_in(1000);
}

#[test]
#[ignore = "a minute"]
fn liars_dice_has_12288_information_sets_with_a_choice() {
    let machine = machine("liars_dice_1x6");
    let extent = extent(&machine, 300_000);
    assert_eq!((extent.histories, extent.ends), (294_883, 147_420));
    assert_eq!(extent.information_sets.values()[..2], [6144, 6144]);
}

#[test]
#[ignore = "half a minute"]
fn leduc_poker_with_52_cards_has_39936_information_sets() {
    let machine = common::machines::imperfect("leduc_poker_52");
    let extent = extent(machine.as_ref(), 10_000_000);
    assert_eq!((extent.histories, extent.ends), (9_984_833, 5_977_608));
    assert_eq!(extent.information_sets.values()[..2], [39_936, 39_936]);
}

#[test]
fn in_kuhn_poker_with_more_cards_the_higher_number_wins_the_pot() {
    for (cards, high) in [(4, 4), (5, 5), (6, 6), (13, 13)] {
        let game = format!("kuhn_poker_{cards}");
        let (alice, bob) = (format!("noop, noop, (deal alice {high})"), "noop, noop, (deal bob 2)");
        let deal = [alice.as_str(), bob];
        let after = |bidding: &[&'static str]| goals(&game, &[&deal, bidding].concat());
        assert_eq!(after(&["check, noop, noop", "noop, check, noop"]), [75, 25]);
        assert_eq!(after(&["bet, noop, noop", "noop, call, noop"]), [100, 0]);
        assert_eq!(after(&["check, noop, noop", "noop, bet, noop", "fold, noop, noop"]), [25, 75]);
    }
}

#[test]
fn in_liars_dice_a_six_counts_as_any_face_and_bids_only_rise() {
    let rolls = ["noop, noop, (roll alice 6)", "noop, noop, (roll bob 2)"];
    let game = "liars_dice_1x6";
    let bid = [&rolls[..], &["(bid 2 2), noop, noop"]].concat();
    assert_eq!(play(game, &bid).legal[1], ["liar", "(bid 2 3)", "(bid 2 4)", "(bid 2 5)", "(bid 2 6)"]);
    assert_eq!(goals(game, &[&bid[..], &["noop, liar, noop"]].concat()), [100, 0]);
    let lie = [&rolls[..], &["(bid 2 3), noop, noop", "noop, liar, noop"]].concat();
    assert_eq!(goals(game, &lie), [0, 100]);
    assert_eq!(percepts(game, &rolls), [vec![], vec!["(your_die 2)".to_owned()], vec![]]);
}

#[test]
fn in_liars_dice_with_fewer_faces_the_highest_one_counts_as_any() {
    for faces in [3, 4, 5] {
        let game = format!("liars_dice_1x{faces}");
        let (alice, bob) = (format!("noop, noop, (roll alice {faces})"), "noop, noop, (roll bob 1)");
        let ends = |bid| goals(&game, &[&alice, bob, bid, "noop, liar, noop"]);
        assert_eq!(ends("(bid 2 1), noop, noop"), [100, 0]);
        assert_eq!(ends("(bid 2 2), noop, noop"), [0, 100]);
        let highest = format!("(bid 2 {faces}), noop, noop");
        assert_eq!(play(&game, &[&alice, bob, &highest]).legal[1], ["liar"]);
    }
}

#[test]
fn in_liars_dice_with_two_dice_each_all_four_are_counted_and_their_order_is_not_seen() {
    let game = "liars_dice_2x6";
    let roll = |player, face| format!("noop, noop, (roll {player} {face})");
    let rolls = [roll("alice", 6), roll("alice", 2), roll("bob", 5), roll("bob", 2)];
    let rolls: Vec<&str> = rolls.iter().map(String::as_str).collect();
    assert_eq!(percepts(game, &rolls[..1]), [vec![], vec![], vec![]] as [Vec<String>; 3]);
    assert_eq!(percepts(game, &rolls[..2])[0], ["(your_dice 2 6)"]);
    assert_eq!(percepts(game, &rolls)[1], ["(your_dice 2 5)"]);
    // Two dice show 2, and the 6 counts as any face; one die shows 5.
    for (bid, alice) in
        [("3 2", 100), ("4 2", 0), ("2 5", 100), ("3 5", 0), ("1 6", 100), ("2 6", 0), ("1 1", 100)]
    {
        let bid = format!("(bid {bid}), noop, noop");
        let line = [&rolls[..], &[bid.as_str(), "noop, liar, noop"]].concat();
        assert_eq!(goals(game, &line), [alice, 100 - alice], "{bid}");
    }
    let highest = [&rolls[..], &["(bid 4 5), noop, noop"]].concat();
    assert_eq!(play(game, &highest).legal[1], ["liar", "(bid 4 6)"]);
}

#[test]
fn in_kuhn_poker_for_three_a_bet_is_answered_by_both_and_the_highest_card_wins() {
    let game = "kuhn_poker_3p";
    let deal = ["(deal alice queen)", "(deal bob king)", "(deal carol ace)"];
    let deal = deal.map(|deal| format!("noop, noop, noop, {deal}"));
    let word = |(number, word): (usize, &&str)| {
        let mut does = ["noop"; 4];
        does[number % 3] = word;
        does.join(", ")
    };
    let after = |words: &[&str]| {
        let words: Vec<String> = words.iter().enumerate().map(word).collect();
        play(game, &deal.iter().chain(&words).map(String::as_str).collect::<Vec<_>>())
    };
    assert_eq!(after(&["check", "check", "check"]).goals.unwrap(), [38, 38, 74]);
    assert_eq!(after(&["bet", "fold", "fold"]).goals.unwrap(), [74, 38, 38]);
    assert_eq!(after(&["bet", "call", "fold"]).goals.unwrap(), [26, 86, 38]);
    assert_eq!(after(&["bet", "call", "call"]).goals.unwrap(), [26, 26, 98]);
    assert_eq!(after(&["check", "bet", "fold", "call"]).goals.unwrap(), [26, 86, 38]);
    assert_eq!(after(&["check", "check", "bet", "call", "fold"]).goals.unwrap(), [26, 38, 86]);
    assert!(after(&["check", "check", "bet", "call"]).goals.is_none(), "Bob has still to answer");
    let shown = after(&["bet", "call", "fold"]).percepts;
    assert_eq!(shown[2], ["(says carol fold)", "(shows alice queen)", "(shows bob king)"]);
    assert_eq!(after(&["bet", "fold", "fold"]).percepts[1], ["(says carol fold)"]);
}

#[test]
fn in_leduc_poker_with_four_suits_two_pairs_of_a_rank_share_the_pot() {
    let deal = |place, rank, suit| format!("noop, noop, (deal {place} {rank} {suit})");
    let call = ["call, noop, noop", "noop, call, noop"];
    let ends = |alice, bob, table| {
        let (alice, bob) = (deal("alice", alice, "clubs"), deal("bob", bob, "hearts"));
        let table = deal("table", table, "spades");
        goals("leduc_poker_52", &[&alice, &bob, call[0], call[1], &table, call[0], call[1]])
    };
    assert_eq!(ends("9", "9", "9"), [50, 50]);
    assert_eq!(ends("9", "9", "2"), [50, 50]);
    assert_eq!(ends("2", "ace", "2"), [53, 47]);
    assert_eq!(ends("10", "9", "ace"), [53, 47]);
    assert_eq!(ends("king", "ace", "queen"), [47, 53]);
}

#[test]
fn in_goofspiel_only_the_winner_of_a_prize_is_told_and_the_last_cards_are_compared() {
    let game = "goofspiel_4_imperfect";
    let first = percepts(game, &["(bid 4), (bid 1)"]);
    assert_eq!(first, [["(taken_by alice)"], ["(taken_by alice)"]]);
    assert_eq!(percepts(game, &["(bid 2), (bid 2)"]), [["nobody"], ["nobody"]]);
    // 4 for Alice; 3 and 2 for Bob; the last cards are 1 and 2.
    assert_eq!(goals(game, &["(bid 4), (bid 1)", "(bid 2), (bid 3)", "(bid 3), (bid 4)"]), [0, 100]);
    // 4 for Alice, 3 for Bob, none for 2; the last cards are 1 and 2, so that the prize of 1 makes it even.
    assert_eq!(goals(game, &["(bid 4), (bid 1)", "(bid 2), (bid 4)", "(bid 3), (bid 3)"]), [50, 50]);
    // With five cards: 5 and 2 for Alice, 4 and 3 for Bob; the last cards are 2 and 1, so that she has 8 of 15.
    let bids = ["(bid 5), (bid 2)", "(bid 1), (bid 4)", "(bid 3), (bid 5)", "(bid 4), (bid 3)"];
    assert_eq!(goals("goofspiel_5_imperfect", &bids), [100, 0]);
}

#[test]
fn the_spy_who_tells_has_20_and_the_one_who_hides_may_have_80() {
    let line =
        |word, wire| ["(arm red), noop".to_owned(), format!("{word}, noop"), format!("noop, (cut {wire})")];
    let ends = |word, wire| {
        let line = line(word, wire);
        goals("spy_vs_spy", &line.each_ref().map(String::as_str))
    };
    assert_eq!(ends("tell", "blue"), [20, 100]);
    assert_eq!(ends("tell", "red"), [100, 0]);
    assert_eq!(ends("hide", "red"), [80, 0]);
    assert_eq!(ends("hide", "blue"), [0, 100]);
    assert_eq!(percepts("spy_vs_spy", &["(arm red), noop", "tell, noop"])[1], ["(wire red)"]);
    assert!(percepts("spy_vs_spy", &["(arm red), noop", "hide, noop"])[1].is_empty());
}

#[test]
fn four_questions_find_a_number_of_16_for_80() {
    let game = "number_guessing_16";
    let questions =
        ["(less_than 9), noop", "(less_than 5), noop", "(less_than 3), noop", "(less_than 4), noop"];
    let line = [&["noop, (choose 3)"], &questions[..]].concat();
    assert_eq!(percepts(game, &line[..4])[0], ["no"]);
    assert_eq!(percepts(game, &line)[0], ["yes"]);
    assert_eq!(play(game, &line).legal[0].len(), 16, "no fifth question");
    assert_eq!(goals(game, &[&line[..], &["(guess 3), noop"]].concat()), [80]);
    assert_eq!(goals(game, &["noop, (choose 3)", "(guess 3), noop"]), [100]);
    assert_eq!(goals(game, &["noop, (choose 3)", "(guess 4), noop"]), [0]);
}

#[test]
fn the_banker_keeps_what_the_thief_leaves_and_a_decoy_keeps_40() {
    let deposit = ["noop, noop, (build east)", "(deposit 4 6), noop, noop"];
    assert_eq!(percepts("banker_and_thief", &deposit)[1], ["(deposits 4 6)"]);
    let robbed = |bank| goals("banker_and_thief", &[&deposit[..], &[bank]].concat());
    assert_eq!(robbed("noop, (rob west), noop"), [40, 0]);
    assert_eq!(robbed("noop, (rob east), noop"), [0, 40]);
}

#[test]
fn a_trial_is_worth_what_the_paper_says_and_a_settlement_moves_the_sum() {
    let game = "suit_and_settlement";
    let (sue, refuse) = ("sue, noop, noop", "noop, refuse, noop");
    assert_eq!(goals(game, &["noop, noop, choose_game1", sue, refuse]), [100, 0]);
    assert_eq!(goals(game, &["noop, noop, choose_game2", sue, refuse]), [20, 80]);
    let settled = ["noop, noop, choose_game1", sue, "noop, (offer 20), noop", "accept, noop, noop"];
    assert_eq!(goals(game, &settled), [60, 80]);
    let chosen = percepts(game, &settled[..1]);
    assert_eq!(chosen, [vec![], vec!["you_are_liable".to_owned()], vec![]]);
}

#[test]
fn mastermind_counts_exact_pegs_and_common_colours() {
    for game in ["mastermind_3c3p", "mastermind_4c3p"] {
        let told = |code: &str, guess: &str| {
            let line = [format!("noop, (hide {code})"), format!("(guess {guess}), noop")];
            percepts(game, &line.each_ref().map(String::as_str))[0].join(" ")
        };
        assert_eq!(told("red red blue", "red blue red"), "(common 3) (exact 1)");
        assert_eq!(told("red red blue", "blue blue green"), "(common 1) (exact 0)");
        assert_eq!(told("red green blue", "red red red"), "(common 1) (exact 1)");
        let second = ["noop, (hide red red red)", "(guess red red blue), noop", "(guess red red red), noop"];
        assert_eq!(goals(game, &second), [90]);
    }
}

#[test]
fn in_the_larger_krieg_tictactoe_four_in_a_line_win() {
    for game in ["krieg_tictactoe_4x4", "krieg_tictactoe_5x5"] {
        let diagonal = ["(mark 1 4), (mark 1 1)", "(mark 2 3), (mark 1 2)", "(mark 3 2), (mark 1 3)"];
        assert!(play(game, &diagonal).goals.is_none());
        let refused = [&diagonal[..], &["(mark 4 1), (mark 1 4)"]].concat();
        assert_eq!(percepts(game, &refused), [["yes"], ["no"]]);
        assert_eq!(goals(game, &refused), [100, 0]);
        assert_eq!(percepts(game, &["(mark 2 2), (mark 2 2)"]), [["no"], ["no"]]);
    }
}

#[test]
fn a_refused_move_is_tried_again_and_told_to_nobody_else() {
    let games = [("phantom_tictactoe", "mark"), ("dark_hex_2x2", "place"), ("dark_hex_3x3", "place")];
    for (game, word) in games {
        let line = [format!("({word} 1 1), noop"), format!("noop, ({word} 1 1)")];
        let line = line.each_ref().map(String::as_str);
        assert_eq!(percepts(game, &line[..1]), [vec![], vec!["your_turn".to_owned()]]);
        let refused = play(game, &line);
        assert_eq!(refused.percepts, [vec![], vec!["taken".to_owned()]]);
        assert_eq!(refused.legal[0], ["noop"]);
        assert!(!refused.legal[1].contains(&format!("({word} 1 1)")));
    }
}

#[test]
fn in_phantom_tictactoe_a_full_board_without_a_line_is_a_draw() {
    let x = ["1 1", "1 2", "2 3", "3 1", "3 3"].map(|cell| format!("(mark {cell}), noop"));
    let o = ["1 3", "2 1", "2 2", "3 2"].map(|cell| format!("noop, (mark {cell})"));
    let mut line: Vec<&str> = x.iter().zip(&o).flat_map(|(x, o)| [x.as_str(), o.as_str()]).collect();
    line.push(&x[4]);
    assert_eq!(goals("phantom_tictactoe", &line), [50, 50]);
}

#[test]
fn in_dark_hex_black_links_rows_and_white_columns() {
    let black = ["(place 1 2), noop", "noop, (place 1 1)", "(place 2 1), noop"];
    assert_eq!(goals("dark_hex_2x2", &black), [100, 0]);
    let white = ["(place 1 1), noop", "noop, (place 1 2)", "(place 2 2), noop", "noop, (place 2 1)"];
    assert_eq!(goals("dark_hex_2x2", &white), [0, 100], "the cells of the other diagonal do not touch");
}

#[test]
fn in_abrupt_dark_hex_a_refused_stone_loses_the_turn() {
    for game in ["dark_hex_2x2_abrupt", "dark_hex_2x3_abrupt"] {
        let refused = play(game, &["(place 1 1), noop", "noop, (place 1 1)"]);
        assert_eq!(refused.percepts, [vec![], vec!["taken".to_owned()]]);
        assert_eq!(refused.legal[1], ["noop"]);
        assert!(refused.legal[0].contains(&"(place 2 1)".to_owned()));
        let placed = play(game, &["(place 1 1), noop", "noop, (place 1 2)"]);
        assert_eq!((&placed.legal[0], &placed.percepts[0]), (&refused.legal[0], &refused.percepts[0]));
        let black = ["(place 1 1), noop", "noop, (place 1 1)", "(place 2 1), noop"];
        assert_eq!(goals(game, &black), [100, 0]);
    }
    let line = ["(place 1 1), noop", "noop, (place 2 1)", "(place 1 3), noop", "noop, (place 2 2)"];
    let white = [&line[..], &["(place 1 2), noop", "noop, (place 2 3)"]].concat();
    assert_eq!(goals("dark_hex_2x3_abrupt", &white), [0, 100]);
}

#[test]
fn in_blind_breakthrough_a_blocked_piece_tries_again_and_a_capture_is_heard() {
    let blocked = play("blind_breakthrough_4x4", &["(move 1 2 1 3), noop"]);
    assert_eq!(blocked.percepts, [vec!["blocked".to_owned()], vec![]]);
    assert_eq!((blocked.legal[0].len(), blocked.legal[1].len()), (9, 1));
    let captured = percepts("blind_breakthrough_4x4", &["(move 1 2 2 3), noop"]);
    assert_eq!(captured, [vec!["(captured 2 3)"], vec!["your_turn", "(captured 2 3)"]]);
    for game in ["blind_breakthrough_5x5", "blind_breakthrough_6x6"] {
        assert_eq!(percepts(game, &["(move 1 2 2 3), noop"]), [vec![], vec!["your_turn".to_owned()]]);
    }
}

#[test]
fn in_kriegspiel_an_attempt_is_answered_in_the_words_of_the_paper() {
    let game = "kriegspiel_small";
    let bad = play(game, &["(move 1 2 2 3), noop"]);
    assert_eq!(
        bad.percepts,
        [vec!["bad_move_try_again".to_owned()], vec![]],
        "a pawn captures diagonally only"
    );
    assert_eq!((bad.legal[0].len(), bad.legal[1].len()), (6, 1));
    let good = percepts(game, &["(move 1 2 1 3), noop"]);
    assert_eq!(good, [vec![], vec!["your_move_now".to_owned()]]);
}

#[test]
fn in_coloured_trails_an_offer_is_private_and_an_exchange_is_seen_by_all() {
    let deals = ["(deal ann red_1 green_1)", "(deal bob blue_1 blue_2)", "(deal cid red_2 green_2)"];
    let deals = deals.map(|deal| format!("noop, noop, noop, {deal}"));
    let mut line: Vec<&str> = deals.iter().map(String::as_str).collect();
    line.push("(send bob (offer green_1 blue_1)), noop, noop, noop");
    let offer = play("coloured_trails", &line);
    assert_eq!(offer.percepts[1], ["(message ann (offer green_1 blue_1))"]);
    assert!(offer.percepts[0].is_empty() && offer.percepts[2].is_empty());
    assert_eq!(offer.legal, [vec!["noop"], vec!["accept", "decline"], vec!["noop"], vec!["noop"]]);
    line.push("noop, accept, noop, noop");
    let swap = percepts("coloured_trails", &line);
    assert_eq!(swap[2], ["(gets ann blue_1)", "(gets bob green_1)"]);
    assert_eq!(swap[0].len(), 3, "and ann is told the answer");
    line.extend(["noop, pass, noop, noop", "noop, noop, noop, noop"]);
    line.extend(["noop, noop, pass, noop", "noop, noop, noop, noop"]);
    line.push("(walk 1 2 red_1), (walk 2 1 green_1), (walk 1 2 red_2), noop");
    line.push("(walk 2 2 blue_1), (walk 2 2 blue_2), stay, noop");
    assert_eq!(goals("coloured_trails", &line), [100, 100, 50]);
}

#[test]
fn in_battleships_hits_and_sinkings_are_told_and_both_may_sink_at_once() {
    let place = [
        "(place cruiser 1 1 across), (place cruiser 1 1 down)",
        "(place destroyer 2 1 across), (place destroyer 1 2 down)",
    ];
    let fire = |red: &str, blue: &str| format!("(fire {red}), (fire {blue})");
    let shots = [("1 1", "1 1"), ("2 1", "1 2"), ("3 1", "1 3"), ("1 2", "2 1"), ("2 2", "2 2")];
    let shots: Vec<String> = shots.iter().map(|(red, blue)| fire(red, blue)).collect();
    let line: Vec<&str> = place.into_iter().chain(shots.iter().map(String::as_str)).collect();
    let game = "battleships_small";
    assert_eq!(percepts(game, &line[..3]), [["hit", "(shot_at 1 1)"], ["hit", "(shot_at 1 1)"]]);
    let sunk = percepts(game, &line[..5]);
    assert_eq!(sunk[0], ["hit", "(shot_at 1 3)", "(sunk cruiser)"]);
    assert_eq!(goals(game, &line), [50, 50]);
    let missed = [&line[..2], &["(fire 4 4), (fire 1 1)"]].concat();
    assert_eq!(percepts(game, &missed)[0], ["miss", "(shot_at 1 1)"]);
}
