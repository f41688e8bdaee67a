//! The writer: a text that Gambit and OpenSpiel read as the same game.
//!
//! One line a node, in pre-order. Each chance node has a number of its own, because Gambit takes chance nodes with one
//! number for one set; information sets are given in full every time, because OpenSpiel knows no abbreviation; payoffs
//! stand at the ends only, as exact fractions, because OpenSpiel ignores them elsewhere. Labels are made legal (see
//! `label.rs`): those of moves within their set, names of sets within their player.
//!
//! Everything that a line says is put together once for each set, chance node and payoff vector. So a node costs a copy
//! of some bytes.
//!
//! OpenSpiel reads numerators and denominators up to 2^31; Gambit has no limit.

use std::io::{self, BufWriter, Write};

use rustc_hash::FxHashMap;

use super::file::{GambitFile, GambitNode};
use super::label::{legal_labels, printable, unescapable};

impl GambitFile {
    /// Writes the document, with a buffer of its own.
    ///
    /// # Errors
    /// If `out` cannot be written to.
    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(1 << 16, out);
        write!(out, "EFG 2 R \"{}\" {{ ", unescapable(&self.title))?;
        for name in legal_labels(self.players.iter().map(String::as_str)) {
            write!(out, "\"{name}\" ")?;
        }
        writeln!(out, "}}")?;
        if !self.comment.is_empty() {
            writeln!(out, "\"{}\"", unescapable(&self.comment))?;
        }
        let (sets, chances, outcomes) = (self.set_lines(), self.chance_lines(), self.outcome_lines());
        let mut chance_number = 0;
        for node in &self.nodes {
            match node {
                GambitNode::Chance(id) => {
                    chance_number += 1;
                    write!(out, "c \"\" {chance_number} ")?;
                    out.write_all(chances[id.index()].as_bytes())?;
                }
                GambitNode::Decision(id) => out.write_all(sets[id.index()].as_bytes())?,
                GambitNode::Terminal(id) => out.write_all(outcomes[id.index()].as_bytes())?,
            }
        }
        out.flush()
    }

    fn set_lines(&self) -> Vec<String> {
        let names = self.set_names();
        let line = |(set, name): (&super::GambitSet, &String)| {
            let mut line = format!("p \"\" {} {} \"{name}\" {{ ", set.player + 1, set.number);
            let labels = legal_labels(set.moves.iter().map(String::as_str));
            line.extend(labels.iter().map(|label| format!("\"{label}\" ")));
            line + "} 0\n"
        };
        self.sets.iter().zip(&names).map(line).collect()
    }

    /// The names of the sets: empty, or legal within their player.
    fn set_names(&self) -> Vec<String> {
        let mut of_player: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for (index, set) in self.sets.iter().enumerate().filter(|(_, set)| !printable(&set.name).is_empty()) {
            of_player.entry(set.player).or_default().push(index);
        }
        let mut names = vec![String::new(); self.sets.len()];
        for indices in of_player.values() {
            let legal = legal_labels(indices.iter().map(|&index| self.sets[index].name.as_str()));
            for (&index, name) in indices.iter().zip(legal) {
                names[index] = name;
            }
        }
        names
    }

    /// The rest of the line after the number of a chance node.
    fn chance_lines(&self) -> Vec<String> {
        let line = |chance: &super::GambitChance| {
            let mut line = "\"\" { ".to_owned();
            let labels = legal_labels(chance.moves.iter().map(|(label, _)| label.as_str()));
            let moves = labels.iter().zip(&chance.moves);
            line.extend(moves.map(|(label, (_, probability))| format!("\"{label}\" {probability} ")));
            line + "} 0\n"
        };
        self.chances.iter().map(line).collect()
    }

    fn outcome_lines(&self) -> Vec<String> {
        let line = |(number, payoffs): (usize, &Vec<super::Fraction>)| {
            let mut line = format!("t \"\" {number} \"\" {{ ");
            line.extend(payoffs.iter().map(|payoff| format!("{payoff} ")));
            line + "}\n"
        };
        (1..).zip(&self.outcomes).map(line).collect()
    }
}
