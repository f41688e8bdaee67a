//! Messages between game masters and players.

use hyperplay::net::protocol::{Message, Phrasing, WireDialect, WireLetters, read_term};

/// A text is refused with a short sentence, or it is a message that is read again as it is written. A text that is a term stays the
/// same term.
///
/// Two messages are not written as they were read: a step with a number above 0 and no own move, because the dialect says `NIL` only
/// of the first, and rules with comments, because a message has one line.
pub fn protocol_reads_again_as_written(input: &[u8]) -> bool {
    let text = String::from_utf8_lossy(input);
    if let Ok(term) = read_term(&text) {
        assert_eq!(read_term(&term).as_ref(), Ok(&term));
    }
    let message = match Message::read(&text) {
        Ok(message) => message,
        Err(error) => {
            assert!(error.to_string().len() < 400, "{error}");
            return false;
        }
    };
    let phrasing = Phrasing { dialect: WireDialect::Gdl2, letters: WireLetters::AsWritten };
    let written = phrasing.write(&message);
    let is_numbered_without_move = matches!(&message, Message::Play(step) | Message::Stop(step)
        if matches!(&step.numbered, Some((made, None)) if *made > 0));
    if !is_numbered_without_move && !written.contains(';') {
        assert_eq!(Message::read(&written).as_ref(), Ok(&message), "{written:?}");
    }
    true
}
