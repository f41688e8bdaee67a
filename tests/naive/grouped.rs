//! Random small games about which something is known: cells with one of some values, a turn that goes round, a clock, and moves of
//! which each role makes one at a step. The simplifier of the network rests on such groups.
//!
//! A rule may read a move with a variable in it, `(does white ?any)`, so that sums over nearly all moves of a role stand beside sums
//! over some of them. Rules are safe and stratified by construction.

use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

const VALUES: [&str; 3] = ["x", "o", "e"];
const CELLS: [&str; 3] = ["1", "2", "3"];

/// The text of a rulesheet.
pub fn rulesheet(rng: ChaCha8Rng) -> String {
    let mut generator = Generator {
        rng,
        text: String::new(),
        roles: &["white"],
        cells: &CELLS,
        values: &VALUES,
        bits: 0,
        views: [Vec::new(), Vec::new()],
    };
    generator.all();
    generator.text
}

struct Generator {
    rng: ChaCha8Rng,
    text: String,
    roles: &'static [&'static str],
    cells: &'static [&'static str],
    values: &'static [&'static str],
    bits: usize,
    /// The views that read states, and those that read moves as well.
    views: [Vec<String>; 2],
}

impl Generator {
    fn chance(&mut self, probability: f64) -> bool {
        self.rng.random_bool(probability)
    }

    fn one_of(&mut self, all: &[&'static str]) -> &'static str {
        all.choose(&mut self.rng).expect("there are some")
    }

    fn add(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn all(&mut self) {
        let roles: [&[&str]; 4] =
            [&["white"], &["white", "black"], &["white", "black", "random"], &["white", "random"]];
        self.roles = roles.choose(&mut self.rng).expect("there are four");
        self.values = &VALUES[..self.rng.random_range(2..4)];
        self.cells = &CELLS[..self.rng.random_range(1..4)];
        self.bits = self.rng.random_range(1..5);
        let (roles, cells, values) = (self.roles, self.cells, self.values);
        roles.iter().for_each(|role| self.add(&format!("(role {role})")));
        cells.iter().for_each(|cell| self.add(&format!("(cell_name {cell})")));
        values.iter().for_each(|value| self.add(&format!("(value {value})")));
        let last = self.rng.random_range(2..5);
        (0..last).for_each(|time| self.add(&format!("(tick {time} {})", time + 1)));
        self.add("(init (time 0)) (<= (next (time ?m)) (true (time ?n)) (tick ?n ?m))");
        self.add(&format!("(<= terminal (true (time {last})))"));
        for cell in cells {
            let value = self.one_of(values);
            self.add(&format!("(init (cell {cell} {value}))"));
        }
        self.add(&format!("(init (turn {}))", roles[0]));
        for (at, role) in roles.iter().enumerate() {
            let follower = roles[(at + 1) % roles.len()];
            self.add(&format!("(<= (next (turn {follower})) (true (turn {role})))"));
        }
        for bit in 0..self.bits {
            if self.chance(0.4) {
                self.add(&format!("(init b{bit})"));
            }
        }
        roles.iter().for_each(|role| self.moves(role));
        for reads in 0..2 {
            for view in 0..self.rng.random_range(0..4) {
                let name = format!("v{reads}{view}");
                for _ in 0..self.rng.random_range(1..5) {
                    let body = self.body(reads);
                    self.add(&format!("(<= {name} {body})"));
                }
                self.views[reads].push(name);
            }
        }
        for bit in 0..self.bits {
            for _ in 0..self.rng.random_range(1..6) {
                let body = self.body(1);
                self.add(&format!("(<= (next b{bit}) {body})"));
            }
            if self.chance(0.5) {
                self.add(&format!("(<= (next b{bit}) (true b{bit}))"));
            }
        }
        let writer = self.one_of(roles);
        self.add(&format!("(<= (next (cell ?c ?v)) (does {writer} (put ?c ?v)))"));
        self.add(&format!("(<= (touched ?c) (does {writer} (put ?c ?v)))"));
        let frame = if self.chance(0.8) { " (not (touched ?c))" } else { "" };
        self.add(&format!("(<= (next (cell ?c ?v)) (true (cell ?c ?v)){frame})"));
        for role in roles.iter().filter(|role| **role != "random") {
            for _ in 0..self.rng.random_range(1..4) {
                let body = self.body(0);
                self.add(&format!("(<= (wins {role}) {body})"));
            }
            self.add(&format!(
                "(<= (goal {role} 100) (wins {role})) (<= (goal {role} 0) (not (wins {role})))"
            ));
            for _ in 0..self.rng.random_range(0..4) {
                let (percept, body) = (self.one_of(&["s1", "s2", "(s 3)"]), self.body(1));
                self.add(&format!("(<= (sees {role} {percept}) {body})"));
            }
        }
    }

    fn moves(&mut self, role: &str) {
        self.add(&format!("(legal {role} noop)"));
        for (own, probability) in [("m1", 0.6), ("m2", 0.4)] {
            if self.chance(probability) {
                self.add(&format!("(legal {role} {own})"));
            }
        }
        if self.chance(0.5) {
            let turn = format!(" (true (turn {role}))");
            let changes = " (true (cell ?c ?w)) (distinct ?w ?v)";
            let more = ["", changes, &turn][self.rng.random_range(0..3)].to_owned();
            self.add(&format!("(<= (legal {role} (put ?c ?v)) (cell_name ?c) (value ?v){more})"));
        }
        if self.chance(0.5) {
            let state = self.state();
            self.add(&format!("(<= (legal {role} (go ?c)) (cell_name ?c) {state})"));
        }
    }

    fn body(&mut self, reads: usize) -> String {
        let count = self.rng.random_range(1..5);
        (0..count).map(|_| self.literal(reads)).collect::<Vec<_>>().join(" ")
    }

    fn literal(&mut self, reads: usize) -> String {
        let kind = self.rng.random_range(0.0..1.0);
        if kind < 0.12 {
            return format!("(or {} {})", self.literal(reads), self.literal(reads));
        }
        if reads == 1 && kind < 0.55 {
            return self.does();
        }
        let views = self.views[..=reads].concat();
        match views.choose(&mut self.rng).cloned() {
            Some(view) if kind > 0.8 => self.negated(view),
            _ => self.state(),
        }
    }

    /// A condition on the move of a role.
    fn does(&mut self) -> String {
        let (role, variable) = (self.one_of(self.roles), self.rng.random_range(0..10));
        let own = match self.rng.random_range(0..20) {
            0..5 => return format!("(does {role} ?any{variable})"),
            5..7 => format!("(put ?any{variable} {})", self.one_of(self.values)),
            7..9 => return format!("(does {role} (go ?any{variable}))"),
            9..11 => format!("(put {} {})", self.one_of(self.cells), self.one_of(self.values)),
            11..13 => format!("(go {})", self.one_of(self.cells)),
            _ => self.one_of(&["noop", "m1", "m2"]).to_owned(),
        };
        if own.contains('?') {
            format!("(does {role} {own})")
        } else {
            self.negated(format!("(does {role} {own})"))
        }
    }

    /// A condition on a fluent.
    fn state(&mut self) -> String {
        let fluent = match self.rng.random_range(0..20) {
            0..10 => format!("b{}", self.rng.random_range(0..self.bits)),
            10..17 => format!("(cell {} {})", self.one_of(self.cells), self.one_of(self.values)),
            _ => format!("(turn {})", self.one_of(self.roles)),
        };
        self.negated(format!("(true {fluent})"))
    }

    /// The condition, or its negation two times in five.
    fn negated(&mut self, condition: String) -> String {
        if self.chance(0.6) { condition } else { format!("(not {condition})") }
    }
}
