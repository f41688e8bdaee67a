//! Random small rulesheets, without any meaning, for comparing evaluators with each other.
//!
//! Views `v0` to `v5` stand on facts and fluents, each on lower views and, positively, on itself; `w0` and `w1` read
//! `does` as well. Rules are safe and stratified by construction; their conditions stand in any order. The caller
//! skips the rulesheets that validation still rejects.

use rand::RngExt;
use rand::seq::{IndexedRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;

const CONSTANTS: [&str; 3] = ["a", "b", "c"];
const VARIABLES: [&str; 3] = ["?x", "?y", "?z"];
const VIEWS: usize = 6;
const STEP_VIEWS: usize = 2;

/// The text of a rulesheet.
pub fn rulesheet(rng: ChaCha8Rng) -> String {
    let mut generator = Generator { rng, text: String::new() };
    generator.all();
    generator.text
}

/// What a rule may read: views below a number, and whether a move is being made.
#[derive(Clone, Copy)]
struct Reads {
    views: usize,
    step: bool,
}

struct Generator {
    rng: ChaCha8Rng,
    text: String,
}

impl Generator {
    fn all(&mut self) {
        self.text.push_str("(role left) (role right)\n");
        for fact in [
            "s1 a",
            "s1 b",
            "s2 a b",
            "s2 b c",
            "s2 c a",
            "init (p a)",
            "init (q a b)",
            "init (q b b)",
            "s1 (f a)",
            "s2 (g a b) (g a a)",
            "init (p (g (f a) b))",
            "init (q (f a) (f b))",
            "init (q (g a a) a)",
        ] {
            if self.rng.random_bool(0.8) {
                self.text.push_str(&format!("({fact})\n"));
            }
        }
        // Something of each, so that nothing is undefined.
        self.text
            .push_str("(s1 c) (s2 a a) (init (p b)) (legal left m) (legal right m) (percept left none)\n");
        for view in 0..VIEWS {
            let reads = Reads { views: view, step: false };
            for _ in 0..self.rng.random_range(1..4) {
                let own = self.rng.random_bool(0.3).then(|| format!("v{view}"));
                self.rule(&format!("v{view} "), ")", 2, reads, own.as_deref());
            }
        }
        let reads = Reads { views: VIEWS, step: false };
        for role in ["left", "right", "right"] {
            self.rule(&format!("legal {role} (n "), "))", 2, reads, None);
        }
        self.rule("terminal", ")", 0, reads, None);
        for goal in ["left 0", "left 100", "right 30", "right 60", "left -5", "right 300"] {
            self.rule(&format!("goal {goal}"), ")", 0, reads, None);
        }
        for view in 0..STEP_VIEWS {
            let reads = Reads { views: VIEWS + view, step: true };
            for _ in 0..2 {
                self.rule(&format!("w{view} "), ")", 2, reads, None);
            }
        }
        let reads = Reads { views: VIEWS + STEP_VIEWS, step: true };
        for (head, arity) in [("(p ", 1), ("(p ", 1), ("(q ", 2), ("(q ", 2)] {
            self.rule(&format!("next {head}"), "))", arity, reads, None);
        }
        for role in ["left", "right", "right"] {
            self.rule(&format!("sees {role} (saw "), "))", 2, reads, None);
        }
    }

    /// One rule with a head of `arity` arguments.
    fn rule(&mut self, head: &str, close: &str, arity: usize, reads: Reads, own: Option<&str>) {
        let mut body = Vec::new();
        if let Some(view) = own {
            let terms = (0..2).map(|_| self.term(&VARIABLES, 0)).collect::<Vec<_>>().join(" ");
            // The recursion restriction asks for another condition with each variable.
            body.extend(terms.split(' ').map(|term| format!("(s1 {term})")));
            body.push(format!("({view} {terms})"));
        }
        for _ in 0..self.rng.random_range(1..4) {
            let atom = self.atom(reads, &VARIABLES);
            body.push(atom);
        }
        let text = body.join(" ");
        let bound: Vec<&str> = VARIABLES.into_iter().filter(|variable| text.contains(variable)).collect();
        for _ in 0..self.rng.random_range(0..3) {
            let test = self.test(reads, &bound, 2);
            body.push(test);
        }
        body.shuffle(&mut self.rng);
        let arguments = self.terms(arity, &bound);
        self.text.push_str(&format!("(<= ({head}{arguments}{close} {})\n", body.join(" ")));
    }

    /// A formula all of whose variables are bound elsewhere.
    fn test(&mut self, reads: Reads, bound: &[&str], depth: usize) -> String {
        match self.rng.random_range(0..if depth == 0 { 3 } else { 6 }) {
            0 => self.atom(reads, bound),
            1 => format!("(not {})", self.atom(reads, bound)),
            2 => format!("(distinct {})", self.terms(2, bound)),
            3 => format!("(not {})", self.test(reads, bound, depth - 1)),
            word => {
                let parts: Vec<String> =
                    (0..self.rng.random_range(1..4)).map(|_| self.test(reads, bound, depth - 1)).collect();
                format!("({} {})", if word == 4 { "or" } else { "and" }, parts.join(" "))
            }
        }
    }

    fn atom(&mut self, reads: Reads, variables: &[&str]) -> String {
        let view = |number: usize| match number.checked_sub(VIEWS) {
            None => format!("v{number}"),
            Some(number) => format!("w{number}"),
        };
        match self.rng.random_range(0..if reads.step { 8 } else { 6 }) {
            0 => format!("(s1 {})", self.terms(1, variables)),
            1 => format!("(s2 {})", self.terms(2, variables)),
            2 => format!("(true (p {}))", self.terms(1, variables)),
            3 => format!("(true (q {}))", self.terms(2, variables)),
            6 => format!("(does left (n {}))", self.terms(2, variables)),
            7 => format!("(does right (n {}))", self.terms(2, variables)),
            _ if reads.views == 0 => format!("(s2 {})", self.terms(2, variables)),
            _ => {
                let number = self.rng.random_range(0..reads.views);
                format!("({} {})", view(number), self.terms(2, variables))
            }
        }
    }

    fn terms(&mut self, count: usize, variables: &[&str]) -> String {
        (0..count).map(|_| self.term(variables, 2)).collect::<Vec<_>>().join(" ")
    }

    fn term(&mut self, variables: &[&str], depth: usize) -> String {
        if depth > 0 && self.rng.random_bool(0.2) {
            let (one, other) = (self.term(variables, depth - 1), self.term(variables, depth - 1));
            return if self.rng.random_bool(0.5) {
                format!("(f {one})")
            } else {
                format!("(g {one} {other})")
            };
        }
        match variables.choose(&mut self.rng) {
            Some(variable) if self.rng.random_bool(0.7) => (*variable).to_owned(),
            _ => (*CONSTANTS.choose(&mut self.rng).expect("there are three")).to_owned(),
        }
    }
}
