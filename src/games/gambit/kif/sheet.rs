//! The text of a rulesheet: a header, a dozen general rules, and a table of the nodes.
//!
//! Everything that belongs to one node stands together, in pre-order, under the number of the node in the file:
//!
//! ```text
//! (turn n1 random)       ; a chance node
//! (asks n2 alice ace)    ; a node of a player, and its information set
//! (leads n2 bet n3)      ; one fact for each move
//! (delay n3 2)           ; the node is reached two steps too early: all wait
//! (ends n4 o1)           ; an end, with its payoff vector
//! ```
//!
//! Rules that nothing would ever make true (waiting in a game without delays, moves in one without moves, percepts
//! where a player decides at the root only) are left out, so that a check of the rulesheet has no findings. Nodes below
//! moves of probability 0 are left out.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::copies;
use super::goals::Goals;
use super::symbols::GambitSymbols;
use crate::gambit::file::{GambitFile, GambitNode};

/// Names in the header; more of them stand at the end.
const NAMES_IN_HEADER: usize = 40;

/// How wide a comment becomes.
const WIDTH: usize = 110;

/// The data of the nodes.
pub(super) struct Plan<'p> {
    pub(super) parents: &'p [Option<(u32, u32)>],
    pub(super) live: &'p [bool],
    pub(super) times: &'p [u32],
    pub(super) goals: &'p Goals,
}

impl Plan<'_> {
    /// How many steps a node comes later than one after the node above it.
    fn delay(&self, node: usize) -> u32 {
        self.parents[node].map_or(0, |(parent, _)| self.times[node] - self.times[parent as usize] - 1)
    }
}

/// The parts of a sheet that a game may lack.
struct Parts {
    chance: bool,
    moves: bool,
    decisions: bool,
    /// Whether a player decides at a node that a move leads to.
    decisions_below: bool,
    longest_delay: u32,
}

struct Sheet<'p> {
    file: &'p GambitFile,
    plan: &'p Plan<'p>,
    symbols: GambitSymbols,
    parts: Parts,
    out: String,
}

/// The text of the rulesheet.
pub(super) fn sheet(file: &GambitFile, source: &str, plan: &Plan<'_>) -> String {
    let nodes = || file.nodes.iter().zip(plan.live).filter(|(_, live)| **live).map(|(node, _)| node);
    let parts = Parts {
        chance: nodes().any(|node| matches!(node, GambitNode::Chance(_))),
        moves: nodes().any(|node| !matches!(node, GambitNode::Terminal(_))),
        decisions: nodes().any(|node| matches!(node, GambitNode::Decision(_))),
        decisions_below: nodes().skip(1).any(|node| matches!(node, GambitNode::Decision(_))),
        longest_delay: (0..plan.live.len())
            .filter(|&node| plan.live[node])
            .map(|node| plan.delay(node))
            .max()
            .unwrap_or(0),
    };
    let mut sheet = Sheet { file, plan, symbols: GambitSymbols::new(file), parts, out: String::new() };
    let names = sheet.names();
    sheet.header(source, &names);
    sheet.rules();
    sheet.tables();
    if names.len() > NAMES_IN_HEADER {
        sheet.section("Names");
        sheet.name_lines(&names);
    }
    sheet.out
}

impl Sheet<'_> {
    fn line(&mut self, text: &str) {
        self.out += text;
        self.out.push('\n');
    }

    fn section(&mut self, title: &str) {
        self.line(&format!("\n; ---- {title} {}\n", "-".repeat(72 - title.len())));
    }

    /// A comment of several lines.
    fn comment(&mut self, text: &str) {
        let mut line = ";".to_owned();
        for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty())
        {
            if line.len() > 1 && line.len() + 1 + word.len() > WIDTH {
                self.line(&line);
                line = ";".to_owned();
            }
            line.push(' ');
            line += word;
        }
        self.line(&line);
    }

    fn header(&mut self, source: &str, names: &BTreeSet<(String, String)>) {
        let (file, plan) = (self.file, self.plan);
        self.comment(if file.title.trim().is_empty() { "(a game without title)" } else { &file.title });
        self.line(";");
        if !file.comment.trim().is_empty() {
            self.comment(&file.comment);
            self.line(";");
        }
        for (role, scale) in self.symbols.roles.clone().iter().zip(&plan.goals.scales) {
            self.line(&format!("; {role}: {scale}"));
        }
        if !plan.goals.exact {
            self.comment(
                "The payoffs do not fit into whole goals from 0 to 100, so each is rounded to the next goal.",
            );
        } else if !plan.goals.common {
            self.comment(
                "No unit fits the payoffs of all players, so each has its own: a constant sum of payoffs is not one of goals.",
            );
        }
        self.line(";");
        let live = plan.live.iter().filter(|live| **live).count();
        let ends = |&(node, live): &(&GambitNode, &bool)| *live && matches!(node, GambitNode::Terminal(_));
        let ends = file.nodes.iter().zip(plan.live).filter(ends).count();
        let mut source =
            format!("Source: {source}, a game in extensive form with {live} nodes, {ends} of them ends");
        if live < plan.live.len() {
            let _ = write!(source, " ({} more lie below moves of probability 0)", plan.live.len() - live);
        }
        self.comment(&format!("{source}; written as rules by hyperplay."));
        self.comment(
            "The state is the node that the game has come to. A player whose turn comes sees the name of its information \
             set; nobody sees anything else (Thielscher 2011, \"The General Game Playing Description Language Is Universal\").",
        );
        if self.parts.longest_delay > 0 {
            self.comment(
                "Players can count steps, so all nodes of an information set come after the same number of steps: where \
                 one is reached earlier, all roles wait.",
            );
        }
        if !names.is_empty() {
            self.line(";");
            if names.len() > NAMES_IN_HEADER {
                self.line("; Names of the file that are spelt otherwise here stand at the end.");
            } else {
                self.line("; Names of the file that are spelt otherwise here:");
                self.name_lines(names);
            }
        }
    }

    /// Names that are not their own symbols, with these.
    fn names(&self) -> BTreeSet<(String, String)> {
        let (file, symbols) = (self.file, &self.symbols);
        let players = file.players.iter().zip(&symbols.roles);
        let sets =
            file.sets.iter().map(|set| &set.name).zip(&symbols.sets).filter(|(name, _)| !name.is_empty());
        let moves =
            file.sets.iter().zip(&symbols.moves).flat_map(|(set, symbols)| set.moves.iter().zip(symbols));
        let chances = file.chances.iter().zip(&symbols.chances);
        let chances =
            chances.flat_map(|(chance, symbols)| chance.moves.iter().map(|(label, _)| label).zip(symbols));
        players
            .chain(sets)
            .chain(moves)
            .chain(chances)
            .filter(|(name, symbol)| !name.eq_ignore_ascii_case(symbol))
            .map(|(name, symbol)| (one_line(name), symbol.clone()))
            .collect()
    }

    fn name_lines(&mut self, names: &BTreeSet<(String, String)>) {
        for (name, symbol) in names {
            self.line(&format!(";   {symbol}: \"{name}\""));
        }
    }

    fn rules(&mut self) {
        let delayed = self.parts.longest_delay > 0;
        self.section("Roles");
        for role in self.symbols.roles.clone() {
            self.line(&format!("(role {role})"));
        }
        if self.parts.chance {
            self.line("(role random)");
        }
        self.section("Fluents, moves and percepts");
        if delayed {
            self.line("; The state is one fluent: the node, or a node that is still to come with the number of steps until then.");
        } else {
            self.line("; The state is one fluent: the node.");
        }
        if self.parts.moves {
            self.rule("(base (at ?node))", &["(turn ?node ?role)"]);
        }
        self.rule("(base (at ?node))", &["(ends ?node ?outcome)"]);
        if delayed {
            self.rule("(base (waiting ?node ?steps))", &["(waits ?node ?steps)"]);
            self.rule("(waits ?node ?steps)", &["(delay ?node ?steps)"]);
            if self.parts.longest_delay > 1 {
                self.rule("(waits ?node ?fewer)", &["(waits ?node ?steps)", "(follows ?fewer ?steps)"]);
            }
        }
        self.out.push('\n');
        if self.parts.moves {
            self.rule("(input ?role ?move)", &["(turn ?node ?role)", "(leads ?node ?move ?to)"]);
        }
        self.rule("(input ?role noop)", &["(role ?role)"]);
        if self.parts.decisions_below {
            self.out.push('\n');
            self.rule("(percept ?role ?set)", &["(asks ?node ?role ?set)"]);
        }
        self.section("Start");
        self.line("(init (at n1))");
        self.section("Legal moves");
        if self.parts.moves {
            self.line("; One role moves at each node; the others have nothing to decide.");
            self.rule(
                "(legal ?role ?move)",
                &["(true (at ?node))", "(turn ?node ?role)", "(leads ?node ?move ?to)"],
            );
            self.rule("(legal ?role noop)", &["(role ?role)", "(not (active ?role))"]);
            self.rule("(active ?role)", &["(true (at ?node))", "(turn ?node ?role)"]);
            if self.parts.decisions {
                self.rule("(turn ?node ?role)", &["(asks ?node ?role ?set)"]);
            }
        } else {
            self.rule("(legal ?role noop)", &["(role ?role)"]);
        }
        if self.parts.decisions_below {
            self.section("Percepts");
            self.line("; The role that is to decide next learns at which of its information sets it is.");
            self.rule("(sees ?role ?set)", &["(arrives ?node)", "(asks ?node ?role ?set)"]);
        }
        if self.parts.moves {
            self.section("Next state");
            self.next_rules();
        }
        self.section("End");
        self.rule("terminal", &["(true (at ?node))", "(ends ?node ?outcome)"]);
        self.section("Goals");
        self.rule(
            "(goal ?role ?goal)",
            &["(true (at ?node))", "(ends ?node ?outcome)", "(gives ?outcome ?role ?goal)"],
        );
    }

    fn next_rules(&mut self) {
        let delayed = self.parts.longest_delay > 0;
        let reached = if delayed { "(reached ?to)" } else { "(arrives ?to)" };
        self.rule("(next (at ?node))", &["(arrives ?node)"]);
        self.rule(
            reached,
            &["(true (at ?node))", "(turn ?node ?role)", "(does ?role ?move)", "(leads ?node ?move ?to)"],
        );
        if delayed {
            self.out.push('\n');
            self.line("; The game comes to a node when it is reached, or after the delay of the node.");
            self.rule("(arrives ?to)", &["(reached ?to)", "(not (delayed ?to))"]);
            self.rule("(arrives ?to)", &["(true (waiting ?to 1))"]);
            self.rule("(delayed ?to)", &["(delay ?to ?steps)"]);
            self.rule("(next (waiting ?to ?steps))", &["(reached ?to)", "(delay ?to ?steps)"]);
            if self.parts.longest_delay > 1 {
                self.rule(
                    "(next (waiting ?to ?fewer))",
                    &["(true (waiting ?to ?steps))", "(follows ?fewer ?steps)"],
                );
            }
        }
    }

    fn rule(&mut self, head: &str, body: &[&str]) {
        self.line(&format!("(<= {head}\n    {})", body.join("\n    ")));
    }

    fn tables(&mut self) {
        let plan = self.plan;
        self.section("Tables");
        self.line("; The goal that each payoff vector gives to each role.");
        for (number, goals) in (1..).zip(&plan.goals.goals) {
            for (role, goal) in self.symbols.roles.iter().zip(goals) {
                let _ = writeln!(self.out, "(gives o{number} {role} {goal})");
            }
        }
        if self.parts.longest_delay > 1 {
            self.out.push('\n');
            self.line("; Numbers of steps.");
            for steps in 1..self.parts.longest_delay {
                let _ = writeln!(self.out, "(follows {steps} {})", steps + 1);
            }
        }
        self.out.push('\n');
        self.line("; The nodes in the order of the file: which player is asked at which of its information sets, or that it is");
        self.line("; the turn of random, and where each move leads; or with which payoffs the game ends.");
        let children = children(plan.parents);
        for (index, &node) in self.file.nodes.iter().enumerate().filter(|(index, _)| plan.live[*index]) {
            let (children, number) = (&children[index], index + 1);
            let delay = plan.delay(index);
            if !matches!(node, GambitNode::Terminal(_)) {
                self.out.push('\n');
            }
            if delay > 0 {
                let _ = writeln!(self.out, "(delay n{number} {delay})");
            }
            match node {
                GambitNode::Chance(id) => {
                    let _ = writeln!(self.out, "(turn n{number} random)");
                    let (counts, _) = copies(self.file.chance(id)).expect("the copies were counted before");
                    for ((symbol, count), child) in
                        self.symbols.chances[id.index()].iter().zip(counts).zip(children)
                    {
                        for copy in 1..=count {
                            let term =
                                if count == 1 { symbol.clone() } else { format!("(copy {symbol} {copy})") };
                            let _ = writeln!(self.out, "(leads n{number} {term} n{})", child + 1);
                        }
                    }
                }
                GambitNode::Decision(id) => {
                    let role = &self.symbols.roles[self.file.set(id).player as usize];
                    let _ = writeln!(self.out, "(asks n{number} {role} {})", self.symbols.sets[id.index()]);
                    for (symbol, child) in self.symbols.moves[id.index()].iter().zip(children) {
                        let _ = writeln!(self.out, "(leads n{number} {symbol} n{})", child + 1);
                    }
                }
                GambitNode::Terminal(id) => {
                    let _ = writeln!(self.out, "(ends n{number} o{})", id.index() + 1);
                }
            }
        }
    }
}

/// The nodes below each node, in the order of its moves, which is that of the file.
fn children(parents: &[Option<(u32, u32)>]) -> Vec<Vec<u32>> {
    let mut children = vec![Vec::new(); parents.len()];
    for (child, parent) in (0..).zip(parents) {
        if let Some((parent, _)) = parent {
            children[*parent as usize].push(child);
        }
    }
    children
}

/// A name on one line of a comment.
fn one_line(name: &str) -> String {
    name.chars().map(|c| if c.is_control() || c.is_whitespace() { ' ' } else { c }).collect()
}
