//! Choice: the meaning of a line that a person typed, beside the list of legal moves.
//!
//! A line is read in this order: an empty line plays the one move that was found last; a number is the number of a move
//! in the list; a word behind a colon is a command; a move as it is written plays it; a command; otherwise the moves
//! are searched that contain the line, or else every word of it. So a move that is spelt like a command can be played,
//! and the command is then written with its colon.

use crate::output::printable;

/// The commands that a person can give beside a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Word {
    /// The list of the words that can be typed.
    Help,
    /// All legal moves.
    Moves,
    /// The knowledge of the role about the state.
    Board,
    /// The belief.
    Belief,
    /// The advice of another player.
    Hint,
    /// The moves and percepts of the role so far.
    Past,
    /// Leave the match.
    Quit,
}

/// Every command: its name, another one, and its effect.
pub const WORDS: [(Word, &str, &str, &str); 7] = [
    (Word::Moves, "moves", "m", "list all your legal moves"),
    (Word::Board, "board", "b", "draw what you know of the state"),
    (Word::Belief, "belief", "?", "what may be true, with its probability"),
    (Word::Hint, "hint", "!", "what the advisor would do, and why"),
    (Word::Past, "past", "p", "your moves and percepts so far"),
    (Word::Help, "help", "h", "this list"),
    (Word::Quit, "quit", "q", "leave the match, which is then not counted"),
];

/// The meaning of a line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// Play the move at this place of the list.
    Play(usize),
    /// The moves at these places contain the words, at least one of them.
    Found(Vec<usize>),
    /// A command.
    Command(Word),
    /// An empty line.
    Empty,
    /// No move and no command, with what to say about it.
    Unknown(String),
}

/// Reads a line; `proposed` is the place of the one move that the last search found.
pub fn read(line: &str, moves: &[String], proposed: Option<usize>) -> Line {
    let line = line.trim();
    if line.is_empty() {
        return proposed.map_or(Line::Empty, Line::Play);
    }
    if let Ok(number) = line.parse::<usize>()
        && (1..=moves.len()).contains(&number)
    {
        return Line::Play(number - 1);
    }
    if let Some(word) = line.strip_prefix(':') {
        let unknown =
            || Line::Unknown(format!("there is no command '{}'; `help` lists them", printable(word.trim())));
        return command(word.trim()).map_or_else(unknown, Line::Command);
    }
    if let Some(place) = moves.iter().position(|own| plain(own) == plain(line)) {
        return Line::Play(place);
    }
    if let Some(word) = command(line) {
        return Line::Command(word);
    }
    let wanted = plain(line);
    let words: Vec<&str> = wanted.split(' ').collect();
    let found = |holds: &dyn Fn(&str) -> bool| -> Vec<usize> {
        (0..moves.len()).filter(|&place| holds(&plain(&moves[place]))).collect()
    };
    // The words as they stand, or else all of them in any order.
    for found in
        [found(&|own| own.contains(&wanted)), found(&|own| words.iter().all(|word| own.contains(word)))]
    {
        if !found.is_empty() {
            return Line::Found(found);
        }
    }
    let range = match moves.len() {
        1 => "the only move is 1".to_owned(),
        many => format!("the moves are 1 to {many}"),
    };
    let line = printable(line);
    Line::Unknown(format!("no move contains '{line}': {range}; `moves` lists them, `help` the commands"))
}

fn command(text: &str) -> Option<Word> {
    let text = text.to_lowercase();
    WORDS.iter().find(|(_, name, short, _)| [*name, *short].contains(&&*text)).map(|&(word, ..)| word)
}

/// A term as a person types it: the words in it, in lower case.
fn plain(text: &str) -> String {
    let spaced = text.replace(['(', ')', ','], " ").to_lowercase();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moves() -> Vec<String> {
        ["(mark 1 1)", "(mark 1 2)", "(mark 2 1)", "noop", "quit"].map(str::to_owned).to_vec()
    }

    #[test]
    fn a_number_is_a_place_in_the_list() {
        assert_eq!(read("1", &moves(), None), Line::Play(0));
        assert_eq!(read(" 5 ", &moves(), None), Line::Play(4));
        for beyond in ["0", "6", "99999999999999999999"] {
            assert!(matches!(read(beyond, &moves(), None), Line::Unknown(_)), "{beyond}");
        }
    }

    #[test]
    fn a_move_is_written_in_either_syntax_and_case() {
        for text in ["(mark 1 2)", "mark(1, 2)", "mark(1,2)", "MARK 1 2", " mark 1  2 "] {
            assert_eq!(read(text, &moves(), None), Line::Play(1), "{text}");
        }
    }

    #[test]
    fn a_part_of_a_move_finds_all_that_contain_it() {
        assert_eq!(read("mark", &moves(), None), Line::Found(vec![0, 1, 2]));
        assert_eq!(read("mark 2", &moves(), None), Line::Found(vec![2]));
        assert_eq!(read("2 mark", &moves(), None), Line::Found(vec![1, 2]));
        assert_eq!(read("noo", &moves(), None), Line::Found(vec![3]));
        let Line::Unknown(said) = read("castle", &moves(), None) else { panic!("no move is called so") };
        assert!(said.starts_with("no move contains 'castle': the moves are 1 to 5"), "{said}");
    }

    #[test]
    fn an_empty_line_plays_the_one_move_that_was_found() {
        assert_eq!(read("", &moves(), Some(3)), Line::Play(3));
        assert_eq!(read("  ", &moves(), None), Line::Empty);
    }

    #[test]
    fn a_move_that_is_spelt_like_a_command_is_played_and_the_colon_makes_it_the_command() {
        assert_eq!(read("quit", &moves(), None), Line::Play(4));
        assert_eq!(read(":quit", &moves(), None), Line::Command(Word::Quit));
        assert_eq!(read("quit", &moves()[..4], None), Line::Command(Word::Quit));
        assert!(matches!(read(":castle", &moves(), None), Line::Unknown(_)));
        for (word, name, short, _) in WORDS {
            for text in [name.to_owned(), short.to_uppercase(), format!(": {name}")] {
                let expected = if text == "quit" { Line::Play(4) } else { Line::Command(word) };
                assert_eq!(read(&text, &moves(), None), expected, "{text}");
            }
        }
    }
}
