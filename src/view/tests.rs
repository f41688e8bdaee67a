//! The layouts of small rulesheets, one for each thing that is recognised.

use hyperplay_logic::gdl::{Game, Source, TermId, load};

use super::{BoardKind, BoardLayout};

/// A game with these fluents and facts. The player does nothing; every fluent may hold, because `next` says so.
fn game(name: &str, clauses: &str) -> Game {
    let rest = "(role me) (legal me noop) (goal me 50) (<= terminal (not (true on))) (init on)";
    let loaded = load(Source::new(name, format!("{rest} {clauses}")), None);
    loaded.game.unwrap_or_else(|| panic!("{:?}", loaded.findings))
}

fn facts(game: &Game, texts: &[&str]) -> Vec<TermId> {
    texts.iter().map(|text| game.terms().read(text).unwrap_or_else(|| panic!("{text} is a term"))).collect()
}

/// A drawing of facts, without blanks at the end of lines.
fn drawn(clauses: &str, texts: &[&str]) -> String {
    let game = game("test.kif", clauses);
    BoardLayout::of(&game).draw(&facts(&game, texts))
}

const NUMBERS: &str = "(number 1) (number 2) (number 3) (succ 1 2) (succ 2 3)";

#[test]
fn rows_that_come_first_are_counted_downward() {
    let rules = format!(
        "{NUMBERS} (<= (next (cell ?row ?column x)) (number ?row) (number ?column) (does me noop))
         (<= (init (cell ?row ?column b)) (number ?row) (number ?column))"
    );
    let text = drawn(&rules, &["(cell 1 1 x)", "(cell 3 2 b)"]);
    let expected = "\
(cell row column _)
    1  2  3
  1 x
  2
  3    .
. is b
";
    assert_eq!(text, expected);
}

#[test]
fn columns_that_come_first_have_rows_upward_and_letters_are_columns() {
    let rules = format!(
        "{NUMBERS} (<= (next (cell ?x ?y white)) (number ?x) (number ?y))
         (<= (next (seat ?a ?b red)) (letter ?a) (number ?b)) (letter a) (letter b)"
    );
    let text = drawn(&rules, &["(cell 1 3 white)", "(seat b 1 red)"]);
    let expected = "\
(cell column row _)   (seat column row _)
    1  2  3               a  b
  3 w  .  .             3 .  .
  2 .  .  .             2 .  .
  1 .  .  .             1 .  r
r is red, w is white
";
    assert_eq!(text, expected);
}

#[test]
fn a_further_coordinate_gives_a_board_for_each_value() {
    let rules =
        format!("{NUMBERS} (<= (next (cell ?l ?row ?column x)) (number ?l) (number ?row) (number ?column))");
    let text = drawn(&rules, &["(cell 2 1 1 x)"]);
    assert!(text.starts_with("(cell 1 row column _)   (cell 2 row column _)"), "{text}");
    let first = text.lines().find(|line| line.starts_with("  1 ")).expect("there is a first row");
    let cells: Vec<&str> = first.split_whitespace().collect();
    assert_eq!(cells.join(" "), "1 . . . 1 x . . 1 . . .");
}

#[test]
fn pairs_and_squares_are_coordinates() {
    let rules = format!("{NUMBERS} (<= (next (cell (at ?x ?y) p)) (number ?x) (number ?y))");
    assert!(
        drawn(&rules, &["(cell (at 1 3) p)"]).starts_with("(cell (at column row) _)\n    1  2  3\n  3 p")
    );
    let rules = "(init (on a1 red)) (init (on a2 red)) (init (on b1 red)) (init (on b2 red))
        (<= (next (on ?square blue)) (true (on ?square red)))";
    let text = drawn(rules, &["(on a1 red)", "(on b2 blue)"]);
    assert_eq!(text, "(on square _)\n    a  b\n  2 .  b\n  1 r  .\nb is blue, r is red\n");
}

#[test]
fn marks_lie_on_the_board_beside_the_pieces() {
    let rules = format!(
        "{NUMBERS} (<= (next (cell ?x ?y p)) (number ?x) (number ?y))
         (<= (next (blocked ?x ?y)) (number ?x) (number ?y))"
    );
    let text = drawn(&rules, &["(cell 1 3 p)", "(blocked 1 3)", "(blocked 2 3)"]);
    assert!(text.contains("  3 p*  *   .\n") && text.contains("* is (blocked column row)"), "{text}");
}

#[test]
fn two_things_in_one_cell_are_both_drawn() {
    let rules = format!(
        "{NUMBERS} (thing p) (thing q) (thing longer) (<= (next (cell ?x ?y ?t)) (number ?x) (number ?y) (thing ?t))"
    );
    let text = drawn(&rules, &["(cell 1 3 p)", "(cell 1 3 longer)", "(cell 2 3 q)"]);
    assert!(text.contains("  3 lp  q   .\n") && text.contains("l is longer"), "{text}");
}

#[test]
fn heaps_are_a_row_and_pairs_of_numbers_are_no_board() {
    let rules = format!(
        "{NUMBERS} (init (heap 1 3)) (init (heap 2 2)) (init (heap 3 1)) (<= (next (heap ?h ?n)) (number ?h) (number ?n))
         (<= (next (dice ?a ?b)) (number ?a) (number ?b))"
    );
    let text = drawn(&rules, &["(heap 1 3)", "(heap 2 2)", "(dice 1 3)"]);
    assert_eq!(text, "(heap column _)\n   1  2  3\n   3  2  .\ndice 1: 3\n");
}

#[test]
fn hands_counters_and_flags_stand_in_lines() {
    let rules = "(card jack) (card king) (owner ann) (owner bob) (step 1) (step 2)
        (<= (next (holds ?who ?card)) (owner ?who) (card ?card)) (<= (next (step ?n)) (step ?n)) (next over)";
    let game = game("hands.kif", rules);
    let layout = BoardLayout::of(&game);
    assert_eq!(layout.kind(), BoardKind::Hands);
    let before = facts(&game, &["(holds ann jack)", "(step 1)"]);
    let now = facts(&game, &["(holds bob king)", "(holds ann king)", "(holds ann jack)", "(step 2)", "over"]);
    assert_eq!(layout.draw(&now), "holds ann: jack king | bob: king\nstep: 2   over\n");
    let change = "- (step 1)\n+ over (holds ann king) (holds bob king) (step 2)\n";
    assert_eq!(layout.draw_change(&before, &now), change);
    assert_eq!(
        (layout.draw(&[]), layout.draw_change(&now, &now)),
        ("nothing holds\n".to_owned(), String::new())
    );
    let [jack, king] = [facts(&game, &["(holds ann jack)"])[0], facts(&game, &["(holds ann king)"])[0]];
    let believed = layout.draw_belief(&[(jack, 0.25), (king, 0.75), (now[4], 1.0)]);
    assert_eq!(believed, "over\n? 75 % (holds ann king), 25 % (holds ann jack)\n");
}

#[test]
fn a_board_is_drawn_as_far_as_it_reaches() {
    let counting: String = (0..60).map(|n| format!("(next {n} {}) ", n + 1)).collect();
    let rules = format!(
        "{} (init (knight 1 1)) (<= (next (knight ?x2 ?y2)) (true (knight ?x ?y)) (step ?x ?x2) (step ?y ?y2))",
        counting.replace("(next", "(step")
    );
    assert_eq!(drawn(&rules, &["(knight 2 1)"]), "(knight column row)\n    1  2\n  1 .  #\n");
}

#[test]
fn wide_boards_are_narrowed_and_then_cut() {
    let numbers: String = (1..=26).map(|n| format!("(number {n}) ")).collect();
    let rules = format!("{numbers} (<= (next (cell ?x ?y longname)) (number ?x) (number ?y))");
    let text = drawn(&rules, &["(cell 26 1 longname)", "(cell 1 1 longname)"]);
    assert!(text.lines().all(|line| line.chars().count() <= 78), "{text}");
    assert!(text.contains("l is longname"), "{text}");
}

#[test]
fn the_infix_form_is_drawn_as_it_is_written() {
    let text =
        "role(me)\nlegal(me, noop)\ngoal(me, 50)\ninit(on)\nterminal :- ~true(on)\nnumber(1)\nnumber(2)
        next(cell((X, Y), p)) :- number(X) & number(Y)\nnext(said(me, go(1, 2)))";
    let loaded = load(Source::new("t.gdl", text), None);
    let game = loaded.game.unwrap_or_else(|| panic!("{:?}", loaded.findings));
    let held = facts(&game, &["(cell (tuple_2 1 2) p)", "(said me (go 1 2))"]);
    let drawn = BoardLayout::of(&game).draw(&held);
    assert!(drawn.starts_with("cell(tuple_2(column, row), _)\n"), "{drawn}");
    assert!(drawn.ends_with("said me: go(1, 2)\n"), "{drawn}");
}

#[test]
fn terms_without_end_are_facts() {
    let rules = "(init (list nil)) (<= (next (list (cons a ?l))) (true (list ?l)) (does me noop) (true on))
        (<= (next (pair ?l ?l)) (true (list ?l)))";
    let game = game("lists.kif", rules);
    let held = facts(&game, &["(list (cons a (cons a nil)))", "(pair nil nil)"]);
    let text = BoardLayout::of(&game).draw(&held);
    assert_eq!(text, "pair nil: nil\nlist: (cons a (cons a nil))\n");
}

#[test]
fn what_may_stand_on_a_board_has_a_board_of_its_probabilities() {
    let rules = format!(
        "{NUMBERS} (<= (next (cell ?row ?column x)) (number ?row) (number ?column) (does me noop))
         (<= (init (cell ?row ?column b)) (number ?row) (number ?column)) (init (holds me king)) (init (holds me jack))"
    );
    let game = game("test.kif", &rules);
    let layout = BoardLayout::of(&game);
    let texts = ["(cell 1 1 x)", "(cell 1 1 b)", "(cell 3 2 x)", "(holds me king)", "(cell 3 3 b)"];
    let shares = [0.25, 0.75, 1.0, 0.001, 1.0];
    let believed: Vec<(TermId, f64)> = facts(&game, &texts).into_iter().zip(shares).collect();
    let known = "\
(cell row column _)
    1  2  3
  1 ?
  2
  3    x  .
. is b
";
    let shown = |text: String| text.lines().map(|line| format!("{}\n", line.trim_end())).collect::<String>();
    assert_eq!(shown(layout.draw_known(&believed)), format!("{known}? may hold: (holds me king)\n"));
    let expected = format!(
        "{known}\
(cell row column x) in %   (cell row column b) in %
     1    2    3                1    2    3
  1 25    .    .             1 75    .    .
  2  .    .    .             2  .    .    .
  3  .   100   .             3  .    .   100
? <1 % (holds me king)
"
    );
    assert_eq!(shown(layout.draw_belief(&believed)), expected);
}

/// The things that a move names on the picture of some facts, as data.
fn named(clauses: &str, texts: &[&str], own: &str) -> String {
    let game = game("test.kif", clauses);
    let layout = BoardLayout::of(&game);
    let held: Vec<(TermId, f64)> = facts(&game, texts).into_iter().map(|fact| (fact, 1.0)).collect();
    let targets = layout.targets(facts(&game, &[own])[0], &layout.picture(&held, None));
    serde_json::to_string(&targets).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn a_relation_that_is_spelt_like_an_axis_does_not_turn_the_board() {
    let rules = |name: &str| {
        format!(
            "{NUMBERS} (<= (next ({name} ?column ?row x)) (number ?column) (number ?row) (does me (mark ?column ?row)))
             (<= (init ({name} ?column ?row b)) (number ?column) (number ?row))
             (<= (legal me (mark ?column ?row)) (number ?column) (number ?row))"
        )
    };
    for name in ["cell", "arrow", "row_cell"] {
        let target = named(&rules(name), &[&format!("({name} 1 2 b)")], "(mark 1 2)");
        assert_eq!(target, r#"[{"panel":0,"row":"2","column":"1"}]"#, "{name}");
    }
}

#[test]
fn a_card_that_a_move_names_is_no_number_of_points() {
    let rules = "(card 1) (card 2) (owner ann) (init (holds ann 2)) (init (points ann 2))
        (<= (next (holds ?who ?card)) (owner ?who) (card ?card)) (<= (next (points ?who ?n)) (owner ?who) (card ?n))
        (<= (legal me (bid ?card)) (card ?card))";
    let target = named(rules, &["(holds ann 2)", "(points ann 2)"], "(bid 2)");
    assert_eq!(target, r#"[{"hand":["holds","2"]}]"#);
}
