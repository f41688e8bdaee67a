//! Tests of the document, the reader and the builder: every way in which a text can be wrong, with the place and the
//! words of the error; and trees that are too deep for recursion.

use std::fmt::Write as _;

use super::*;

/// A text with a header of two lines for two players; `rest` begins on line 3.
fn text(rest: &str) -> String {
    format!("EFG 2 R \"T\" {{ \"A\" \"B\" }}\n\"\"\n{rest}")
}

fn read(rest: &str) -> Result<GambitFile, GambitError> {
    GambitFile::read(&text(rest))
}

fn written(file: &GambitFile) -> String {
    let mut out = Vec::new();
    file.write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The text after the header, and the error.
const MALFORMED: [(&str, &str); 50] = [
    ("", "line 3, column 1: the tree ends here, but 1 more node is expected"),
    (
        "x",
        "line 3, column 1: a comment in quotation marks, or the first node (c, p or t) is expected here, not 'x'",
    ),
    (
        "\"\" t \"\" 0",
        "line 3, column 1: a comment in quotation marks, or the first node (c, p or t) is expected here, not the text \"\"",
    ),
    (
        "t",
        "line 3, column 2: the name of the node in quotation marks is expected here, not the end of the file",
    ),
    ("t \"", "line 3, column 3: the text that begins here has no closing quotation mark"),
    ("t \"\\\" 0", "line 3, column 3: the text that begins here has no closing quotation mark"),
    ("t \"é\" x", "line 3, column 7: the number of the outcome is expected here, not 'x'"),
    ("t \"\" 1/2", "line 3, column 6: the number of the outcome is expected here, not the number 1/2"),
    ("t \"\" 1/0", "line 3, column 6: 1/0 divides by zero"),
    (
        "t \"\" 99999999999999999999",
        "line 3, column 6: the number of the outcome is expected here, not the number 99999999999999999999",
    ),
    ("t \"\" 1e40", "line 3, column 6: the number 1e40 cannot be represented exactly here"),
    ("t \"\" 1 \"\" { 1 2", "line 3, column 16: a payoff, or } is expected here, not the end of the file"),
    ("t \"\" 1 \"\" { 1,, 2 }", "line 3, column 15: a payoff, or } is expected here, not ','"),
    ("t \"\" 1 \"\" { 1 + }", "line 3, column 15: a payoff, or } is expected here, not the number +"),
    ("t \"\" 1 \"\" { 1 2 3 }", "line 3, column 6: 3 payoffs are given for 2 players"),
    ("t \"\" 1 \"\" { }", "line 3, column 6: 0 payoffs are given for 2 players"),
    ("t \"\" 1 \"\" { 1, }", "line 3, column 6: 1 payoff is given for 2 players"),
    ("t \"\" 1 \"\" 0", "line 3, column 11: { and the payoffs is expected here, not the number 0"),
    ("t \"\" 5", "line 3, column 6: outcome 5 was not given with its payoffs before"),
    ("t \"\" 0 \"\" { 1 2 }", "line 3, column 6: outcome 0 means no outcome, so it has no payoffs"),
    ("t \"\" 0\nt \"\" 0", "line 4, column 1: the tree is complete before this"),
    ("t \"\" 0 }", "line 3, column 8: the tree is complete before this"),
    (
        "p \"\" 1 1 \"\" { \"l\" \"r\" } 0\nt \"\" 0",
        "line 4, column 7: the tree ends here, but 1 more node is expected",
    ),
    (
        "p \"\" 1 1 \"\" { \"l\" \"r\" } 0\np \"\" 2 1 \"\" { \"l\" \"r\" } 0",
        "line 4, column 26: the tree ends here, but 3 more nodes are expected",
    ),
    (
        "p \"\" 1 1 \"\" { \"l\" } 0\nq \"\" 0",
        "line 4, column 1: a node (c, p or t) is expected here, not 'q'",
    ),
    ("p \"\" 3 1 \"\" { \"l\" } 0\nt \"\" 0", "line 3, column 6: there is no player 3: the game has 2"),
    ("p \"\" 0 1 \"\" { \"l\" } 0\nt \"\" 0", "line 3, column 6: there is no player 0: the game has 2"),
    ("p \"\" -1 1 \"\" { \"l\" } 0\nt \"\" 0", "line 3, column 6: there is no player -1: the game has 2"),
    ("p \"\" 1 7 0", "line 3, column 8: information set 7 of player 1 was not given with its moves before"),
    ("c \"\" 7 0", "line 3, column 6: chance set 7 was not given with its moves before"),
    ("p \"\" 1 1 \"\" { } 0", "line 3, column 15: the node has no moves"),
    ("c \"\" 1 \"\" { } 0", "line 3, column 13: the node has no moves"),
    ("p \"\" 1 1 \"\" \"l\" 0", "line 3, column 13: { and the moves is expected here, not the text \"l\""),
    (
        "p \"\" 1 1 \"\" { \"l\" 1 } 0",
        "line 3, column 19: the label of a move in quotation marks, or } is expected here, not the number 1",
    ),
    ("p \"\" 1 1 \"\" { \"l", "line 3, column 15: the text that begins here has no closing quotation mark"),
    (
        "p \"\" \"1\" 1 \"\" { \"l\" } 0",
        "line 3, column 6: the number of the player is expected here, not the text \"1\"",
    ),
    (
        "c \"\" 1 \"\" { \"a\" \"b\" } 0",
        "line 3, column 17: the probability of the move is expected here, not the text \"b\"",
    ),
    (
        "c \"\" 1 \"\" { \"a\" 1/2 \"b\" 1/3 } 0",
        "line 3, column 1: the probabilities of the chance node sum to 5/6, not to 1",
    ),
    (
        "c \"\" 1 \"\" { \"a\" 0.333 \"b\" 0.666 } 0",
        "line 3, column 1: the probabilities of the chance node sum to 999/1000, not to 1",
    ),
    ("c \"\" 1 \"\" { \"a\" 3/2 \"b\" -1/2 } 0", "line 3, column 1: the probability -1/2 of 'b' is negative"),
    (
        "c \"\" 1 \"\" { \"a\" 1/2 \"b\" 1/2 } 0\nc \"\" 1 \"\" { \"a\" 1/3 \"b\" 2/3 } 0",
        "line 4, column 1: chance set 1 differs from its first occurrence (line 3, column 1): the probability of 'a' is 1/3 instead of 1/2",
    ),
    (
        "p \"\" 1 1 \"s\" { \"l\" \"r\" } 0\nt \"\" 0\n p \"\" 1 1 \"s\" { \"l\" } 0",
        "line 5, column 2: information set 1 of player 1 differs from its first occurrence (line 3, column 1): the number of its moves is 1 instead of 2",
    ),
    (
        "p \"\" 2 4 \"s\" { \"l\" \"r\" } 0\nt \"\" 0\n p \"\" 2 4 \"s\" { \"l\" \"x\" } 0",
        "line 5, column 2: information set 4 of player 2 differs from its first occurrence (line 3, column 1): its move 2 is 'x' instead of 'r'",
    ),
    (
        "p \"\" 1 1 \"s\" { \"l\" \"r\" } 0\nt \"\" 0\n p \"\" 1 1 \"\" { \"l\" \"r\" } 0",
        "line 5, column 2: information set 1 of player 1 differs from its first occurrence (line 3, column 1): its name is '' instead of 's'",
    ),
    (
        "p \"\" 1 1 \"\" { \"l\" \"r\" } 0\nt \"\" 3 \"\" { 1 2 }\nt \"\" 3 \"\" { 1 3 }",
        "line 5, column 6: outcome 3 has other payoffs than at its first occurrence (line 4, column 1)",
    ),
    (
        "p \"\" 1 1 \"\" { \"l\" \"r\" } 0\nt \"\" 0\np \"\" 1 1 0\nt \"\" 0\nt \"\" 0",
        "line 5, column 1: absent-mindedness: information set 1 of player 1 comes again here, on a path through its node at line 3, column 1",
    ),
    (
        "p \"\" 1 1 \"\" { \"l\" \"r\" } 0\np \"\" 1 5 \"\" { \"l\" } 0\nt \"\" 0\np \"\" 1 5 0\nt \"\" 0",
        "line 6, column 1: imperfect recall: player 1 reaches information set 5 here and at line 4, column 1 by different own moves",
    ),
    // Player 2 has seen its set 1 on one way, and not on the other.
    (
        "p \"\" 1 1 \"\" { \"l\" \"r\" } 0\np \"\" 2 1 \"\" { \"l\" } 0\np \"\" 2 2 \"\" { \"l\" } 0\nt \"\" 0\np \"\" 2 2 0\nt \"\" 0",
        "line 7, column 1: imperfect recall: player 2 reaches information set 2 here and at line 5, column 1 by different own moves",
    ),
    // The set comes first below another one, then above it.
    (
        "p \"\" 2 9 \"\" { \"l\" \"r\" } 0\np \"\" 1 1 \"\" { \"l\" } 0\np \"\" 1 2 \"\" { \"l\" } 0\nt \"\" 0\n\
         p \"\" 1 2 0\np \"\" 1 1 0\nt \"\" 0",
        "line 7, column 1: imperfect recall: player 1 reaches information set 2 here and at line 5, column 1 by different own moves",
    ),
    (
        "p \"\" 1 1 \"\" { \"l\" } 1 \"\" { 7e28 0 }\nt \"\" 2 \"\" { 7e28 0 }",
        "line 4, column 1: the sum of the payoffs on the way here cannot be represented exactly here",
    ),
];

#[test]
fn every_malformed_text_has_its_error() {
    for (rest, expected) in MALFORMED {
        let error = read(rest).unwrap_err();
        assert_eq!(error.to_string(), expected, "{rest}");
        assert!(!error.remedy().is_empty());
    }
}

#[test]
fn every_malformed_header_has_its_error() {
    for (text, expected) in [
        ("", "line 1, column 1: the word EFG is expected here, not the end of the file"),
        ("\u{feff} NFG 1 R", "line 1, column 3: the word EFG is expected here, not 'NFG'"),
        ("EFG 1 R", "line 1, column 5: the version 2 is expected here, not the number 1"),
        ("EFG 2 Q", "line 1, column 7: the word R or D is expected here, not 'Q'"),
        ("EFG 2 R { ", "line 1, column 9: the title in quotation marks is expected here, not '{'"),
        (
            "EFG 2 D \"a\"",
            "line 1, column 12: { and the names of the players is expected here, not the end of the file",
        ),
        (
            "EFG 2 R \"a\"\n{ \"A\", \"B\" }",
            "line 2, column 6: the name of a player in quotation marks, or } is expected here, not ','",
        ),
        (
            "EFG 2 R \"a\" { \"A\nB",
            "line 1, column 15: the text that begins here has no closing quotation mark",
        ),
    ] {
        assert_eq!(GambitFile::read(text).unwrap_err().to_string(), expected, "{text}");
    }
}

#[test]
fn a_builder_says_which_node_is_wrong() {
    let half = Fraction::new(1, 2);
    let wrong = |build: &dyn Fn(&mut GambitBuilder)| {
        let mut builder = GambitBuilder::new("", "", &["A"]);
        build(&mut builder);
        builder.finish().unwrap_err().to_string()
    };
    let zero = [Fraction::from_integer(0)];
    assert_eq!(wrong(&|_| ()), "node 1: the tree ends here, but 1 more node is expected");
    assert_eq!(
        wrong(&|builder| (0..2).for_each(|_| builder.terminal(&zero))),
        "node 2: the tree is complete before this"
    );
    assert_eq!(wrong(&|builder| builder.terminal(&[])), "node 1: 0 payoffs are given for 1 player");
    assert_eq!(
        wrong(&|builder| {
            let set = builder.information_set(1, "", &["l"]);
            builder.decision(set);
            builder.terminal(&zero);
        }),
        "node 1: there is no player 2: the game has 1"
    );
    assert_eq!(
        wrong(&|builder| {
            let set = builder.information_set::<&str>(0, "", &[]);
            builder.decision(set);
        }),
        "node 1: the node has no moves"
    );
    assert_eq!(
        wrong(&|builder| {
            let coin = builder.chance_moves(&[("heads", half)]);
            builder.chance(coin);
            builder.terminal(&zero);
        }),
        "node 1: the probabilities of the chance node sum to 1/2, not to 1"
    );
    assert_eq!(
        wrong(&|builder| builder.terminal(&[Fraction::from_integer(i128::MIN)])),
        "node 1: the payoff -170141183460469231731687303715884105728 cannot be represented exactly here"
    );
    assert_eq!(
        wrong(&|builder| {
            let sets = ["a", "b"].map(|name| builder.information_set(0, name, &["l", "r"]));
            for set in [sets[1], sets[0], sets[0]] {
                builder.decision(set);
            }
            (0..4).for_each(|_| builder.terminal(&zero));
        }),
        "node 3: absent-mindedness: information set 1 of player 1 comes again here, on a path through its node at node 2"
    );
}

#[test]
fn sets_are_numbered_as_they_appear_and_unused_ones_vanish() {
    let mut builder = GambitBuilder::new("", "", &["A", "B"]);
    let sets = [(0, "unused"), (1, "later"), (0, "second"), (0, "first")]
        .map(|(player, name)| builder.information_set(player, name, &["l"]));
    for set in [3, 2, 1] {
        builder.decision(sets[set]);
    }
    builder.terminal(&[1.into(), 2.into()]);
    let file = builder.finish().unwrap();
    let shown: Vec<_> = file.sets.iter().map(|set| (set.player, set.number, set.name.as_str())).collect();
    assert_eq!(shown, [(0, 1, "first"), (0, 2, "second"), (1, 1, "later")]);
}

#[test]
fn payoffs_at_inner_nodes_are_added_to_all_ends_below() {
    let file = read(
        "p \"\" 1 1 \"\" { \"l\" \"r\" } 1 \"\" { 1 0 }\nc \"\" 1 \"\" { \"x\" 1/2 \"y\" 1/2 } 2 \"\" { 0 1/2 }\n\
         t \"\" 0\nt \"\" 1\nt \"\" 2",
    )
    .unwrap();
    let payoffs = |above: [i128; 2], below| above.map(|above| Fraction::new(above, below)).to_vec();
    let expected = [payoffs([2, 1], 2), payoffs([4, 1], 2), payoffs([2, 1], 2)];
    let ends = file.nodes.iter().filter_map(|node| match node {
        GambitNode::Terminal(outcome) => Some(file.outcomes[outcome.index()].to_vec()),
        _ => None,
    });
    assert_eq!(ends.collect::<Vec<_>>(), expected);
    assert_eq!(file.outcomes.len(), 2, "equal payoffs are one outcome");
}

#[test]
fn names_may_be_left_out_and_blanks_too() {
    let full = read(
        "c \"\" 1 \"\" { \"a\" 1/2 \"b\" 1/2 } 0 p \"\" 1 1 \"\" { \"l\" } 0 t \"\" 1 \"\" { 1 2 } t \"\" 0",
    )
    .unwrap();
    let short = read("c\"\"1{\"a\"1/2\"b\"1/2}0p\"\"1 1{\"l\"}0t\"\"1{1,2,}t\"\"0").unwrap();
    assert_eq!(short, full);
}

#[test]
fn a_chain_of_a_hundred_thousand_nodes_is_read_written_and_converted() {
    let mut rest = String::new();
    let depth = 100_000_usize;
    for node in 0..depth {
        let _ = match node % 3 {
            0 => writeln!(rest, "c \"\" {node} \"\" {{ \"go\" 1 }} 0"),
            _ => writeln!(rest, "p \"\" {} {node} \"\" {{ \"go\" \"stop\" }} 0", node % 3),
        };
    }
    for node in 0..=depth - depth.div_ceil(3) {
        let _ = writeln!(rest, "t \"\" {} \"\" {{ {} 0 }}", node % 7 + 1, node % 7);
    }
    let file = read(&rest).unwrap();
    assert_eq!(file.nodes.len(), depth + 1 + depth - depth.div_ceil(3));
    assert_eq!(GambitFile::read(&written(&file)).unwrap(), file);
    assert_eq!(file.parents()[depth], Some((depth as u32 - 1, 0)));
    let kif = to_kif(&file, "chain", &KifOptions::default()).unwrap();
    assert!(kif.text.contains(&format!("(leads n{depth} go n{})", depth + 1)));
    // Text that never comes to an end of the tree, and one that forgets at the very end of it.
    let cut = read(&rest[..rest.len() / 2]).unwrap_err().to_string();
    assert!(
        ["more nodes are expected", "is expected here", "no closing"].iter().any(|why| cut.contains(why)),
        "{cut}"
    );
    let forgets = "p \"\" 1 1 \"\" { \"go\" } 0\n".repeat(depth) + "t \"\" 0";
    assert!(read(&forgets).unwrap_err().to_string().contains(": absent-mindedness: "));
}

#[test]
fn writing_what_was_written_changes_nothing_whatever_the_labels() {
    let file = GambitFile::read(
        "EFG 2 R \"a \\\"b\\\" \\ c\" { \"\" \"\" \"é\" } \"x\ty\nz\"\n\
         c \"\" 1 \"\" { \"\" 1/2 \"\" 1/2 } 0\n\
         p \"\" 1 1 \"s\" { \"x\" \"x\" \" x\" } 0 t \"\" 0 t \"\" 0 t \"\" 0\n\
         p \"\" 1 2 \"s\" { \"\\\"\" \"'\" } 0 t \"\" 0 t \"\" 0",
    )
    .unwrap();
    let once = written(&file);
    assert_eq!(
        once,
        "EFG 2 R \"a 'b' / c\" { \"_\" \"_ _2\" \"<U+00E9>\" }\n\"x\ty\nz\"\n\
         c \"\" 1 \"\" { \"_\" 1/2 \"_ _2\" 1/2 } 0\n\
         p \"\" 1 1 \"s\" { \"x\" \"x _2\" \"x _3\" } 0\n\
         t \"\" 1 \"\" { 0 0 0 }\nt \"\" 1 \"\" { 0 0 0 }\nt \"\" 1 \"\" { 0 0 0 }\n\
         p \"\" 1 2 \"s _2\" { \"' _2\" \"'\" } 0\nt \"\" 1 \"\" { 0 0 0 }\nt \"\" 1 \"\" { 0 0 0 }\n"
    );
    assert_eq!(written(&GambitFile::read(&once).unwrap()), once);
}
