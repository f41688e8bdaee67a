//! Compares the numbers of sequences of joint moves by the rules with those by the plain programs of `native`.

use std::collections::HashMap;

use crate::common::machines::built_in;
use hyperplay::machine::{StateMachine, StateMachineExt};

use crate::count::Count;
use crate::native::breakthrough::Breakthrough;
use crate::native::connect_four::ConnectFour;
use crate::native::krieg::Krieg;
use crate::native::kuhn::Kuhn;
use crate::native::letters::{Letters, Lights};
use crate::native::nim::Nim;
use crate::native::tictactoe::{Crosses, TicTacToe};
use crate::native::{self, Position, each_end};

/// Numbers of sequences of 1, 2, ... `depth` joint moves by the rules, every sequence walked.
fn by_rules(file: &str, depth: usize) -> Vec<u64> {
    let machine = built_in(file);
    let (start, mut scratch) = (machine.initial(), machine.scratch());
    (1..=depth).map(|depth| machine.perft(&start, depth, &mut scratch)).collect()
}

fn natively(start: &impl Position, depth: usize) -> Vec<u64> {
    (1..=depth).map(|depth| native::perft(start, depth)).collect()
}

fn agree(file: &str, start: &impl Position, depth: usize) -> Vec<u64> {
    let counts = by_rules(file, depth);
    assert_eq!(counts, natively(start, depth), "{file}");
    counts
}

/// All complete games by their goals, by the rules.
fn ends_by_rules(file: &str) -> HashMap<Vec<u8>, u64> {
    let machine = built_in(file);
    let mut count = Count::new(&machine);
    let mut all = HashMap::new();
    while !count.is_empty() {
        for (goals, number) in count.ends() {
            *all.entry(goals.values().iter().map(|goal| goal.value()).collect()).or_default() += number;
        }
        count.advance();
    }
    all
}

fn ends_natively<P: Position>(start: &P, goals: impl Fn(&P) -> Vec<u8>) -> HashMap<Vec<u8>, u64> {
    let mut all = HashMap::new();
    each_end(start, &mut |position| *all.entry(goals(position)).or_default() += 1);
    all
}

#[test]
fn tictactoe_has_as_many_sequences_and_ends_as_natively() {
    for file in ["perfect/tictactoe.kif", "perfect/tictactoe.gdl"] {
        assert_eq!(agree(file, &TicTacToe::default(), 5), [9, 72, 504, 3_024, 15_120]);
        let ends = ends_by_rules(file);
        assert_eq!(ends, ends_natively(&TicTacToe::default(), |position| position.goals().to_vec()));
        assert_eq!(ends.values().sum::<u64>(), 255_168);
        assert_eq!(ends[&vec![100, 0]], 131_184);
    }
}

#[test]
fn crosses_and_crosses_has_as_many_sequences_and_ends_as_natively() {
    let file = "perfect/crosses_and_crosses.kif";
    agree(file, &Crosses::default(), 5);
    let ends = ends_by_rules(file);
    assert_eq!(ends, ends_natively(&Crosses::default(), |position| position.goals().to_vec()));
}

#[test]
fn breakthrough_has_as_many_sequences_as_natively() {
    assert_eq!(agree("perfect/breakthrough.kif", &Breakthrough::default(), 3), [22, 484, 11_132]);
}

#[test]
fn connect_four_has_as_many_sequences_as_natively() {
    assert_eq!(agree("perfect/connect_four.kif", &ConnectFour::default(), 5), [8, 64, 512, 4_096, 32_768]);
}

/// Deeper than the table: the first full columns and the first lines come in here.
#[test]
#[ignore = "minutes"]
fn deeper_counts_agree_as_well() {
    agree("perfect/breakthrough.kif", &Breakthrough::default(), 4);
    let machine = built_in("perfect/connect_four.kif");
    let mut count = Count::new(&machine);
    for depth in 1..=8 {
        assert_eq!(count.following(), native::perft(&ConnectFour::default(), depth), "connect four, {depth}");
        count.advance();
    }
}

#[test]
fn nim_has_as_many_sequences_as_natively() {
    assert_eq!(agree("perfect/nim.kif", &Nim([1, 3, 5, 7]), 4), [16, 206, 2_116, 17_338]);
}

#[test]
fn the_games_of_switches_have_as_many_sequences_as_natively() {
    agree("perfect/buttons_and_lights.kif", &Lights::default(), 12);
    agree("perfect/four_letters.gdl", &Letters::default(), 8);
}

#[test]
fn krieg_tictactoe_has_as_many_sequences_as_natively() {
    assert_eq!(agree("imperfect/krieg_tictactoe_3x3.kif", &Krieg::default(), 3), [81, 5_184, 261_576]);
}

#[test]
fn kuhn_poker_has_as_many_sequences_and_ends_as_natively() {
    let file = "imperfect/kuhn_poker.kif";
    assert_eq!(agree(file, &Kuhn::default(), 5), [3, 6, 12, 24, 12]);
    let natively = ends_natively(&Kuhn::default(), |position| {
        // The goal of random is 0: the rules give it none.
        position.goals().map(|goal| goal as u8).into_iter().chain([0]).collect()
    });
    assert_eq!(ends_by_rules(file), natively);
}
