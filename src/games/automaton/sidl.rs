//! The automaton of a game as an interaction in SIDL: one chronon a step.
//!
//! Each set of two or more moves that a role ever chooses from gets a momentary switch of its own, and a chance if the
//! role is random. The fact `may(Switch, Move)` says which moves are legal; only the role sees it. The operation of a
//! setting removes its own `may` at once. The last branching of the chronon, `step`, therefore sees which moves were
//! made by what is missing, and replaces the state.
//!
//! **Why the tree is the same.** In a state where a role has the moves of one switch, each of its settings can act, and
//! no setting of another switch can. The owner sees `may`, so the legal moves of the machine are exactly the settings
//! of the one switch. After each step a role sees the facts `seen` with what it perceived, its `may` facts, which
//! follow from what it knew before, and at the end the balances. So the information sets are the same.

use std::fmt::Write as _;

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use super::names::Names;
use super::{Automaton, AutomatonError, AutomatonState, AutomatonStep};
use hyperplay_machine::{ChanceDistribution, Move, Role, StateMachine};
use hyperplay_sidl::is_reserved;

/// Facts of the automaton, which are no names of a game.
const FACTS: [&str; 4] = ["at", "may", "seen", "over"];

/// Words of SIDL that may be names inside terms.
const FREE: [&str; 3] = ["command", "chronon", "random"];

/// The whole numbers that terms of SIDL have.
fn is_number(name: &str) -> bool {
    name.parse::<i64>().is_ok_and(|number| number.abs() <= 10_000 && number.to_string() == name)
}

/// A name that SIDL can spell, in quotes if need be.
fn spell(name: &str) -> String {
    if is_number(name) {
        return name.to_owned();
    }
    let word = name.to_ascii_lowercase();
    if FACTS.contains(&&*word) || is_reserved(&word) && !FREE.contains(&&*word) {
        return format!("{name}_");
    }
    let allowed = |c: char| if c.is_alphanumeric() || c == '_' { c } else { '_' };
    let spelled: String = name.chars().map(allowed).collect();
    // A name that only looks like a number is none.
    if spelled.chars().all(|c| c.is_numeric()) { format!("n{spelled}") } else { spelled }
}

fn quote(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    if is_plain || is_number(name) { name.to_owned() } else { format!("'{name}'") }
}

/// The switches and the chances: a name for each role and list of moves, with the weights of a chance.
type Choices<'a> = IndexMap<(Role, &'a [Move], &'a [u64]), String, FxBuildHasher>;

impl Automaton<'_> {
    /// The interaction of the automaton as text. `source` is named in the first comment. Its balances are the goals.
    ///
    /// # Errors
    /// If the game has no role besides random or no end, or if not all of its states are known.
    pub fn to_sidl(&self, source: &str) -> Result<String, AutomatonError> {
        self.refuse_unfinished()?;
        let players = self.players();
        if players.is_empty() {
            let what = "the game has no role besides random, and nobody else can have an account".to_owned();
            return Err(AutomatonError::Unfit { what, remedy: "take a game with a role besides random" });
        }
        let mut names = Names::of(self, spell);
        let mut choices: Choices<'_> = IndexMap::default();
        for state in &self.states {
            for (role, moves) in state.legal.iter().filter(|(_, moves)| moves.len() > 1) {
                let choice = (role, &moves[..], self.weights_of(role, state));
                if !choices.contains_key(&choice) {
                    let count = choices.keys().filter(|(of, ..)| *of == role).count() + 1;
                    let name =
                        names.fresh(&format!("{}_{count}", names.role(&self.roles()[role]).to_owned()));
                    choices.insert(choice, name);
                }
            }
        }
        let names = names;
        let agent = |role: Role| quote(names.role(&self.roles()[role]));
        let term = |own: &Move| names.functional(own.0, &quote);
        let others = |role: Option<Role>| -> Vec<String> {
            players.iter().filter(|&&other| Some(other) != role).map(|&other| agent(other)).collect()
        };
        let has_percepts = self.states.iter().flat_map(|state| &state.steps).any(perceived);

        let mut text = format!(
            "// The automaton of {source}, written in SIDL by hyperplay: {} states, one chronon a step.\n\
             // Each switch is a choice among the same moves; it returns to its first move, which is made if nothing is\n\
             // chosen. The setting of a switch removes its `may`, so that `step` sees what was chosen. A balance is a goal.\n\n\
             fact(at, 1).         // at('the number of the state'); nobody sees it\n\
             fact(over, 0).\n",
            self.states.len()
        );
        let mut line = |line: String| writeln!(text, "{line}").expect("a string can be written to");
        if !choices.is_empty() {
            line("fact(may, 2).        // may('a switch', 'a legal move'); its owner sees it".to_owned());
        }
        if has_percepts {
            line(
                "fact(seen, 2).       // seen('who', 'a percept of the last step'); only he sees it"
                    .to_owned(),
            );
        }
        line(format!("\nhidden(at(_), [{}]).", others(None).join(", ")));
        for &role in &players {
            let others = others(Some(role));
            if !others.is_empty() && has_percepts {
                line(format!("hidden(seen({}, _), [{}]).", agent(role), others.join(", ")));
            }
        }
        for ((role, ..), name) in &choices {
            let others = others(Some(*role));
            if !others.is_empty() {
                line(format!("hidden(may({}, _), [{}]).", quote(name), others.join(", ")));
            }
        }
        for ((role, moves, weights), name) in &choices {
            let (name, moves): (String, Vec<String>) = (quote(name), moves.iter().map(term).collect());
            line(String::new());
            if Some(*role) == self.machine.random() {
                line(format!("chance({name}, [{}]).", shares(weights, moves.len()).join(", ")));
            } else {
                line(format!("switch({name}, {}, [{}]).", agent(*role), moves.join(", ")));
                line(format!("momentary({name})."));
                line(format!("init(does({name}, {})).", moves[0]));
            }
            let operations: Vec<String> = moves.iter().map(|own| format!("choose({name}, {own})")).collect();
            line(format!("branching([{}], {name}).", operations.join(", ")));
        }
        if !choices.is_empty() {
            line("\noperation(choose(Switch, Move)) :- may(Switch, Move), ax(may(Switch, Move)).".to_owned());
        }
        let writer = Writer { automaton: self, names: &names, choices: &choices, has_percepts };
        // Where the game is over at once, nothing defines the operation.
        if self.states.iter().any(|state| !state.steps.is_empty()) {
            line("\n// ---- Steps: when all choices are made ----\n\nbranching([step], nil).".to_owned());
        }
        for (number, state) in self.states.iter().enumerate() {
            for step in &state.steps {
                line(writer.clause(number, state, step));
            }
        }
        line("\nterminal :- over.\n\nbalances(0, 100).".to_owned());
        let start = &self.states[0];
        for &role in &players {
            let balance = start.goals.as_ref().map_or(0, |goals| goals[role].value());
            line(format!("init(account({}, {balance})).", agent(role)));
        }
        for fact in writer.facts(0) {
            line(format!("init({fact})."));
        }
        Ok(text)
    }

    fn weights_of<'s>(&self, role: Role, state: &'s AutomatonState) -> &'s [u64] {
        if Some(role) == self.machine.random() { &state.weights } else { &[] }
    }
}

fn perceived(step: &AutomatonStep) -> bool {
    step.percepts.values().iter().any(|percepts| !percepts.is_empty())
}

/// The probabilities of `moves` moves as fractions.
fn shares(weights: &[u64], moves: usize) -> Vec<String> {
    let chance = ChanceDistribution::weighted(weights.to_vec());
    let total = chance.total(moves);
    (0..moves).map(|place| format!("{}/{total}", chance.weight(place))).collect()
}

struct Writer<'a> {
    automaton: &'a Automaton<'a>,
    names: &'a Names<'a>,
    choices: &'a Choices<'a>,
    has_percepts: bool,
}

impl Writer<'_> {
    fn agent(&self, role: Role) -> String {
        quote(self.names.role(&self.automaton.roles()[role]))
    }

    fn may(&self, role: Role, state: &AutomatonState, own: Move) -> String {
        let weights = self.automaton.weights_of(role, state);
        let switch = &self.choices[&(role, &state.legal[role][..], weights)];
        format!("may({}, {})", quote(switch), self.names.functional(own.0, &quote))
    }

    /// The facts of a state, but for what was perceived on the way to it.
    fn facts(&self, number: usize) -> Vec<String> {
        let state = &self.automaton.states[number];
        let mut facts = vec![format!("at({number})")];
        for (role, moves) in state.legal.iter().filter(|(_, moves)| moves.len() > 1) {
            facts.extend(moves.iter().map(|&own| self.may(role, state, own)));
        }
        if state.goals.is_some() {
            facts.push("over".to_owned());
        }
        facts
    }

    /// The clause for one step.
    fn clause(&self, number: usize, state: &AutomatonState, step: &AutomatonStep) -> String {
        let chosen = state.legal.iter().filter(|(_, moves)| moves.len() > 1);
        let chosen: String = chosen
            .map(|(role, _)| format!(" not({}),", self.may(role, state, step.joint.of(role))))
            .collect();
        let mut effects = vec![format!("ax(at({number}))")];
        if !self.choices.is_empty() {
            effects.push("ax(may(_, _))".to_owned());
        }
        if self.has_percepts {
            effects.push("ax(seen(_, _))".to_owned());
        }
        effects.extend(self.facts(step.successor).into_iter().map(|fact| format!("next({fact})")));
        let players = self.automaton.players();
        for &role in &players {
            for percept in step.percepts[role].iter() {
                let percept = self.names.functional(percept.0, &quote);
                effects.push(format!("next(seen({}, {percept}))", self.agent(role)));
            }
        }
        let goals = self.automaton.states[step.successor].goals.iter().flat_map(|goals| goals.iter());
        for (role, goal) in goals.filter(|(role, goal)| players.contains(role) && goal.value() > 0) {
            effects.push(format!("goal({}, {})", self.agent(role), goal.value()));
        }
        format!("operation(step) :-\n  at({number}),{chosen}\n  {}.", effects.join(", "))
    }
}
