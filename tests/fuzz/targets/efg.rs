//! Games in extensive form, in Gambit's format.

use hyperplay::games::gambit::{Fraction, GambitFile, GambitNode, GambitPlace, KifOptions, to_kif};
use hyperplay::gdl::{Source, Syntax, read};

/// A text is refused with a place in it and a remedy. Otherwise it is written such that it is read again as the same game and written
/// as the same text, and the rules that it is converted to are read without a finding.
pub fn efg_reads_again_as_written(input: &[u8]) -> bool {
    let text = String::from_utf8_lossy(input);
    let file = match GambitFile::read(&text) {
        Ok(file) => file,
        Err(error) => {
            let GambitPlace::Text { line, column } = error.place else { panic!("{error}") };
            let at = text.split('\n').nth((line as usize).wrapping_sub(1)).expect("there is such a line");
            assert!(column >= 1 && column as usize <= at.chars().count() + 1, "{error}");
            assert!(!error.to_string().is_empty() && !error.remedy().is_empty());
            return false;
        }
    };
    let written = |file: &GambitFile| {
        let mut out = Vec::new();
        file.write(&mut out).expect("memory can be written");
        String::from_utf8(out).expect("the writer writes text")
    };
    let once = written(&file);
    let again = GambitFile::read(&once).expect("what is written can be read");
    assert_eq!((shape(&again), &again.outcomes), (shape(&file), &file.outcomes));
    assert_eq!(written(&again), once);
    for round in [false, true] {
        if let Ok(kif) = to_kif(&file, "input", &KifOptions { round, ..KifOptions::default() }) {
            assert_eq!(read(Source::new("input", &kif.text), Some(Syntax::Kif)).1, []);
        }
    }
    true
}

/// The nodes of a game. Chance nodes are given by their probabilities: labels that only differ in what is not legal become equal
/// when they are written, and chance nodes with them.
fn shape(file: &GambitFile) -> Vec<(Option<GambitNode>, Vec<Fraction>)> {
    let of = |&node: &GambitNode| match node {
        GambitNode::Chance(id) => (None, file.chance(id).moves.iter().map(|(_, share)| *share).collect()),
        other => (Some(other), Vec::new()),
    };
    file.nodes.iter().map(of).collect()
}
