//! The automaton of a game as a GDL-II rulesheet: a dozen rules over tables.
//!
//! The state is `(at n)` together with the fluents that held in the state of the game, so what it shows is what the
//! game shows. A joint move leads to an *outcome*: the next state and what each role perceives of the step. Steps with
//! the same outcome share it.

use std::fmt::Write as _;

use num_integer::gcd;
use rustc_hash::FxHashMap;

use super::names::Names;
use super::{Automaton, AutomatonError};
use hyperplay_machine::{ByRole, Percepts, StateMachine};

/// The words with a meaning in GDL-II.
const RESERVED: [&str; 15] = [
    "role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", "sees", "percept",
    "distinct", "not", "or",
];

fn spell(name: &str) -> String {
    match RESERVED.into_iter().find(|word| word.eq_ignore_ascii_case(name)) {
        Some("does") => "setting".to_owned(),
        Some(_) => format!("{name}_"),
        None => name.to_owned(),
    }
}

impl Automaton<'_> {
    /// The rules of the automaton in prefix form. `source` is named in the first comment.
    ///
    /// # Errors
    /// If random has moves with different probabilities, if the game has no end, or if not all of its states are known.
    pub fn to_kif(&self, source: &str) -> Result<String, AutomatonError> {
        self.refuse_unfinished()?;
        self.refuse_uneven()?;
        let mut names = Names::of(self, spell);
        let mut word = |wanted: &str| names.fresh(wanted);
        let (at, holds, may, leads) = (word("at"), word("holds"), word("may"), word("leads"));
        let (reaches, tells, worth, step) = (word("reaches"), word("tells"), word("worth"), word("outcome"));
        let names = names;
        let roles: Vec<&str> = self.roles().values().iter().map(|role| names.role(role)).collect();
        let mut tables = Tables { names: &names, roles: &roles, text: String::new(), rows: [false; 2] };
        tables.write(self, [&holds, &may, &leads, &reaches, &tells, &worth]);
        let [held, told] = tables.rows;
        let mut text = format!(
            "; The automaton of {source}, written as rules by hyperplay: {} states.\n\
             ; The fluent {at} is the number of the state; the other fluents are those of the original game.\n",
            self.states.len()
        );
        let mut part = |name: &str, body: String| {
            write!(text, "\n; ---- {name} {}\n\n{body}", "-".repeat(72 - name.len().min(60)))
                .expect("a string can be written to");
        };
        part("Roles", roles.iter().map(|role| format!("(role {role})\n")).collect());
        let mut declared =
            format!("(base ({at} 0))\n(<= (base ({at} ?state))\n    ({reaches} ?outcome ?state))\n");
        if held {
            declared += &format!("(<= (base ?fluent)\n    ({holds} ?state ?fluent))\n");
        }
        declared += &format!("(<= (input ?role ?move)\n    ({may} ?state ?role ?move))\n");
        if told {
            declared += &format!("(<= (percept ?role ?percept)\n    ({tells} ?outcome ?role ?percept))\n");
        }
        part("Fluents, moves and percepts", declared);
        let mut start = format!("(init ({at} 0))\n");
        if !self.states[0].fluents.is_empty() {
            start += &format!("(<= (init ?fluent)\n    ({holds} 0 ?fluent))\n");
        }
        part("Start", start);
        part(
            "Legal moves",
            format!("(<= (legal ?role ?move)\n    (true ({at} ?state))\n    ({may} ?state ?role ?move))\n"),
        );
        let variables: Vec<String> = (1..=roles.len()).map(|number| format!("?m{number}")).collect();
        let does = roles.iter().zip(&variables);
        let does: String = does.map(|(role, variable)| format!("\n    (does {role} {variable})")).collect();
        let mut steps = format!(
            "(<= ({step} ?outcome)\n    (true ({at} ?state)){does}\n    ({leads} ?state {} ?outcome))\n\
             (<= (next ({at} ?state))\n    ({step} ?outcome)\n    ({reaches} ?outcome ?state))\n",
            variables.join(" ")
        );
        if held {
            steps += &format!(
                "(<= (next ?fluent)\n    ({step} ?outcome)\n    ({reaches} ?outcome ?state)\n    ({holds} ?state ?fluent))\n"
            );
        }
        if told {
            steps += &format!(
                "(<= (sees ?role ?percept)\n    ({step} ?outcome)\n    ({tells} ?outcome ?role ?percept))\n"
            );
        }
        part("Steps", steps);
        part(
            "End and goals",
            format!(
                "(<= terminal\n    (true ({at} ?state))\n    ({worth} ?state ?role ?goal))\n\
                 (<= (goal ?role ?goal)\n    (true ({at} ?state))\n    ({worth} ?state ?role ?goal))\n"
            ),
        );
        part("Tables", tables.text);
        Ok(text)
    }

    fn refuse_uneven(&self) -> Result<(), AutomatonError> {
        let Some(random) = self.machine.random() else { return Ok(()) };
        let uneven = |state: &&super::AutomatonState| state.weights.windows(2).any(|pair| pair[0] != pair[1]);
        let Some(state) = self.states.iter().find(uneven) else { return Ok(()) };
        let total: u64 = state.weights.iter().sum();
        let share = |weight: u64| {
            let common = gcd(weight, total);
            format!("{}/{}", weight / common, total / common)
        };
        let moves = state.legal[random].iter().zip(&state.weights);
        let moves = moves
            .map(|(own, &weight)| format!("{} with {}", self.machine.terms().show(own.0), share(weight)));
        let what = format!(
            "the moves of random have different probabilities in this state: {}; it draws {}; GDL-II has no fractions",
            self.shown(state).join(" "),
            moves.collect::<Vec<_>>().join(", ")
        );
        Err(AutomatonError::Unfit { what, remedy: "take --to efg, which has exact fractions" })
    }
}

/// The tables of a rulesheet.
struct Tables<'a> {
    names: &'a Names<'a>,
    roles: &'a [&'a str],
    text: String,
    /// Whether there are fluents and percepts.
    rows: [bool; 2],
}

impl Tables<'_> {
    fn row(&mut self, name: &str, arguments: &[&str]) {
        writeln!(self.text, "({name} {})", arguments.join(" ")).expect("a string can be written to");
    }

    fn write(&mut self, automaton: &Automaton<'_>, [holds, may, leads, reaches, tells, worth]: [&str; 6]) {
        let names = self.names;
        let mut outcomes: FxHashMap<(usize, &ByRole<Percepts>), String> = FxHashMap::default();
        for (number, state) in automaton.states.iter().enumerate() {
            let number = number.to_string();
            writeln!(self.text, "; State {number}").expect("a string can be written to");
            for &fluent in &state.fluents {
                self.row(holds, &[&number, &names.prefix(fluent)]);
                self.rows[0] = true;
            }
            for (role, &goal) in state.goals.iter().flat_map(ByRole::iter) {
                if Some(role) != automaton.machine.random() || self.roles.len() == 1 {
                    self.row(worth, &[&number, self.roles[role.index()], &goal.value().to_string()]);
                }
            }
            for (role, moves) in state.legal.iter() {
                for own in moves {
                    self.row(may, &[&number, self.roles[role.index()], &names.prefix(own.0)]);
                }
            }
            for step in &state.steps {
                let next = outcomes.len() + 1;
                let known = outcomes.get(&(step.successor, &step.percepts)).cloned();
                let outcome = known.clone().unwrap_or_else(|| next.to_string());
                let mut row = vec![number.clone()];
                row.extend(step.joint.iter().map(|own| names.prefix(own.0)));
                row.push(outcome.clone());
                self.row(leads, &row.iter().map(String::as_str).collect::<Vec<_>>());
                if known.is_some() {
                    continue;
                }
                self.row(reaches, &[&outcome, &step.successor.to_string()]);
                for (role, percepts) in step.percepts.iter() {
                    for percept in percepts.iter() {
                        self.row(tells, &[&outcome, self.roles[role.index()], &names.prefix(percept.0)]);
                        self.rows[1] = true;
                    }
                }
                outcomes.insert((step.successor, &step.percepts), outcome);
            }
        }
    }
}
