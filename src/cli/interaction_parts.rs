//! The parts of an interaction in SIDL, for reports.

use std::collections::BTreeSet;

use serde::Serialize;

use hyperplay_logic::gdl::{Symbols, Syntax, Term, print_term};
use hyperplay_sidl::{Branching, Chance, Interaction, InteractionMachine, Number, Selector, Switch};

/// The most parts of a kind that are listed.
const LISTED: usize = 20;

/// The parts of an interaction, as text.
#[derive(Serialize)]
pub struct InteractionParts {
    agents: Vec<String>,
    switches: Vec<String>,
    chances: Vec<String>,
    branchings: Vec<String>,
    operations: Vec<String>,
    hidden: usize,
    #[serde(rename = "terminal")]
    ends: usize,
    goals: String,
}

impl InteractionParts {
    /// The parts of the program of a machine.
    pub fn of(machine: &InteractionMachine) -> InteractionParts {
        let game = machine.game();
        let (program, symbols) = (Interaction::of(game), game.terms().symbols());
        let show = |term: &Term| print_term(term, symbols, Syntax::Infix);
        let agents = program.agents.iter().map(|(agent, balance)| format!("{} {balance}", show(agent)));
        let switches = program.switches.iter().map(|switch| {
            let Switch { id, owner, aliases, initial, is_momentary, .. } = switch;
            let aliases: Vec<String> = aliases.iter().map(show).collect();
            let first =
                initial.map_or("not set at first".to_owned(), |place| format!("{} at first", aliases[place]));
            let kind = if *is_momentary { "momentary, " } else { "" };
            format!(
                "{} of {} ({kind}{first}): {}",
                show(id),
                show(&program.agents[*owner].0),
                aliases.join(" ")
            )
        });
        let chances = program.chances.iter();
        let chances = chances.map(|Chance { id, weights, .. }| format!("{}: {}", show(id), shares(weights)));
        let branchings = program.branchings.iter().map(|it| branching(it, &program, symbols));
        let mut seen = BTreeSet::new();
        let operations = program.operations.iter().map(|operation| show(&operation.head));
        InteractionParts {
            agents: agents.collect(),
            switches: switches.collect(),
            chances: chances.collect(),
            branchings: branchings.collect(),
            operations: operations.filter(|head| seen.insert(head.clone())).collect(),
            hidden: program.hidden.len(),
            ends: program.terminal.len(),
            goals: machine.goal_scale.to_string(),
        }
    }

    /// Lines of a report, each with its name.
    pub fn lines(&self) -> impl Iterator<Item = (&'static str, String)> {
        let each = |name: &'static str, parts: &[String]| -> Vec<(&'static str, String)> {
            let more = parts.len().saturating_sub(LISTED);
            let more = (more > 0).then(|| (name, format!("and {more} more")));
            parts.iter().take(LISTED).map(|part| (name, part.clone())).chain(more).collect()
        };
        let mut lines = vec![("balances", self.agents.join(", "))];
        lines.extend(each("switch", &self.switches));
        lines.extend(each("chance", &self.chances));
        lines.extend(each("branching", &self.branchings));
        lines.push(("operations", format!("{}: {}", self.operations.len(), self.operations.join(" "))));
        lines.push(("rules", format!("{} of what is hidden, {} of the end", self.hidden, self.ends)));
        lines.push(("goals", self.goals.clone()));
        lines.into_iter()
    }
}

/// Probabilities as exact fractions.
fn shares(weights: &[u64]) -> String {
    let whole = |weight: u64| i64::try_from(weight).unwrap_or(i64::MAX);
    let total = whole(weights.iter().sum());
    weights.iter().map(|&weight| Number::new(whole(weight), total).to_string()).collect::<Vec<_>>().join(" ")
}

fn branching(it: &Branching, program: &Interaction, symbols: &Symbols) -> String {
    let show = |term: &Term| print_term(term, symbols, Syntax::Infix);
    let by = match it.selector {
        Selector::Switch(switch) => format!("switch {}", show(&program.switches[switch].id)),
        Selector::Chance(chance) => format!("chance {}", show(&program.chances[chance].id)),
        Selector::Always => "every chronon".to_owned(),
    };
    format!("{by}: {}", it.operations.iter().map(show).collect::<Vec<_>>().join(" "))
}
