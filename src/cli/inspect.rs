//! `hyperplay inspect`: describes a game, from its rules and from a bounded search of its states.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};

use super::convert::no_automaton;
use super::failure::{CommandFailure, CommandResult, go_on};
use super::game_argument::{GameArgument, Opened};
use super::game_tree::{TreeOptions, no_tree, size_as_json, size_in_words};
use super::interaction_parts::InteractionParts;
use super::network;
use super::options::{EngineOption, no_engine, pick_seed, seconds, seed};
use super::output::{Output, log, some};
use super::progress::Progress;
use super::session::Session;
use hyperplay_engine::propnet::{DotLimits, dot, named_outputs};
use hyperplay_engine::{Engine, Engines};
use hyperplay_games::automaton::{Automaton, AutomatonLimits};
use hyperplay_logic::gdl::{Dependencies, Language, TermId};
use hyperplay_machine::{
    Budget, ByRole, EvaluationFailure as Stopped, Move, Role, Seed, StateMachine, StateMachineExt,
};
use hyperplay_play::analysis::{Survey, SurveyWords, survey};
use hyperplay_play::files::{FileContent, WrittenFile};
use hyperplay_play::for_engine::estimate_size_until;
use hyperplay_play::player::Selection;
use hyperplay_play::referee::Interrupt;
use hyperplay_think::solve::{SizeEstimate, TreeError, TreeSize};
use hyperplay_view::BoardLayout;

/// The most terms that are listed; if there are more, they are only counted.
const LISTED: usize = 20;

/// States that are sampled to estimate the size of a game tree.
const SAMPLED: usize = 1 << 18;

/// Arguments of `inspect`.
#[derive(Args, Debug)]
pub struct InspectArguments {
    #[command(flatten)]
    game: GameArgument,
    /// Write a graph instead, for Graphviz: of the relations, or of the reachable states
    #[arg(long, value_name = "GRAPH", conflicts_with = "json")]
    graph: Option<Graph>,
    /// Write the join plans instead: for each rule, in which order its conditions are evaluated
    #[arg(long, conflicts_with_all = ["graph", "json"])]
    plans: bool,
    /// Show the ground network: the size of what decides each query, and the size after each pass of the simplifier
    #[arg(long)]
    network: bool,
    /// Write the network to this file, for Graphviz: about 200 gates, starting from the outputs; for an interaction in
    /// SIDL its diagram
    #[arg(long, value_name = "FILE")]
    dot: Option<PathBuf>,
    /// Draw only the outputs whose names contain this, as in 'legal x' or terminal
    #[arg(long, value_name = "TEXT", requires = "dot", default_value = "")]
    part: String,
    /// Draw the states of a random match too, N after the start
    #[arg(long, value_name = "N", default_value_t = 0, conflicts_with = "json")]
    states: usize,
    /// Determines the random match [default: drawn and printed]
    #[arg(long, value_name = "S", requires = "states", value_parser = seed, allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Describe the game tree: its size estimated by random paths, and counted where it fits
    #[arg(long)]
    tree: bool,
    /// The most nodes of the game tree that are counted
    #[arg(long, value_name = "N", default_value_t = 3_000_000)]
    max_nodes: usize,
    /// Joint moves that the search may try
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    limit: usize,
    /// The most time for the search and for the game tree, each
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds, allow_negative_numbers = true)]
    seconds: Duration,
    #[command(flatten)]
    engine: EngineOption,
    /// Report in JSON (keys: docs/json.md)
    #[arg(long)]
    json: bool,
}

/// A graph of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Graph {
    /// The relations of the rules; the diagram of an interaction in SIDL
    Dot,
    /// The reachable states, at most --limit, and the steps between them
    States,
}

/// The data that are reported.
struct Inspection<'a> {
    opened: &'a Opened,
    engines: &'a Engines,
    /// Whether the network is shown in full.
    network: bool,
    roles: ByRole<String>,
    random: Option<Role>,
    start: Vec<String>,
    /// The initial state as a board.
    drawn: String,
    /// The states of a random match as boards.
    states: Option<String>,
    survey: Survey,
    /// The parts of an interaction in SIDL, if the game is one.
    interaction: Option<InteractionParts>,
    /// The time of the search, if it was up before the limit.
    cut: Option<Duration>,
    legal: ByRole<Vec<Move>>,
    tree: Option<Result<TreeInspection, TreeError>>,
    selection: Selection,
}

/// The game tree: its estimated size, and what was counted where it fits.
struct TreeInspection {
    estimate: SizeEstimate,
    counted: Option<(TreeSize, Option<u32>)>,
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(arguments: &InspectArguments, session: &Session) -> CommandResult {
    let Session { interrupt, out, .. } = session;
    let opened = arguments.game.open()?;
    let is_sidl = opened.game.language() == Language::Sidl;
    if let Some(Graph::Dot) = arguments.graph {
        return out.text(&match is_sidl {
            true => diagram(&arguments.engine.open_for_steps(&opened)?.1),
            false => Dependencies::of(opened.game.rules()).dot(opened.game.terms().symbols()),
        });
    }
    if arguments.plans {
        let interpreter = Engines::new(&opened.game).interpreter();
        return out.text(&interpreter.map_err(|error| no_engine(&opened.name, &error))?.describe_plans());
    }
    let (engines, engine) = arguments.engine.open_for_steps(&opened)?;
    if let Some(Graph::States) = arguments.graph {
        let limits = AutomatonLimits { states: arguments.limit, steps: arguments.limit.saturating_mul(10) };
        let automaton = Automaton::explore_part(&engine, limits, &|| interrupt.is_raised())
            .map_err(|error| no_automaton(&opened.name, &error, " (--limit N)"))?;
        if !automaton.is_complete() {
            log(format_args!(
                "{}: not all states are drawn, only {}; more with --limit",
                opened.name,
                automaton.states.len()
            ));
        }
        return out.text(&automaton.dot());
    }
    match &arguments.dot {
        Some(path) if is_sidl => write_diagram(path, &diagram(&engine))?,
        Some(path) => draw(&engines, path, &arguments.part, &opened.name)?,
        None => {}
    }
    let inspection = look(arguments, &opened, &engines, &engine, interrupt).map_err(|failure| {
        let what = format!("{}: {failure}", opened.name);
        CommandFailure::failed(what, "take another --limit; `hyperplay check` may say more")
    })?;
    let said = if arguments.json { out.json(&inspection.as_json()) } else { inspection.write(out) };
    said.and_then(|()| go_on(interrupt))?;
    match inspection.tree {
        Some(Err(error)) => Err(no_tree(&opened.name, &error)),
        _ => Ok(()),
    }
}

/// Measures the game tree.
fn tree(
    opened: &Opened,
    machine: &Engine,
    most: usize,
    interrupt: &Interrupt,
) -> Result<TreeInspection, TreeError> {
    // The count may follow in what the estimate leaves.
    let half = interrupt.within(interrupt.budget.share(0.5));
    let stop = || half.is_raised();
    let estimate = estimate_size_until(machine, SAMPLED, &Seed::root(0), half.budget.deadline, &stop)?;
    let options = TreeOptions { unit: 1.0, max_nodes: most };
    let counted = match options.try_build(opened, machine, interrupt) {
        Ok(tree) => Some((tree.size(), tree.constant_sum())),
        Err(TreeError::TooLarge { .. }) => None,
        Err(error) => return Err(error),
    };
    Ok(TreeInspection { estimate, counted })
}

/// The states of a random match as boards, each below the joint move that led to it.
fn states(machine: &Engine, most: usize, seed: u64) -> String {
    let (game, layout, mut scratch) = (machine.game(), BoardLayout::of(machine.game()), machine.scratch());
    let mut rng = Seed::root(seed).rng();
    let mut state = machine.initial();
    let mut out = format!("random match, seed {seed}\n");
    for number in 1..=most {
        if machine.terminal(&state, &mut scratch) {
            out += "  over\n";
            break;
        }
        let Some(joint) = machine.random_joint(&state, &mut scratch, &mut rng) else { break };
        let next = machine.next(&state, &joint, &mut scratch);
        let does = machine
            .each_role()
            .map(|role| format!("{} {}", machine.roles()[role], game.show(joint.of(role).0)));
        out += &format!("  step {number}: {}\n", does.collect::<Vec<_>>().join(", "));
        for line in layout.draw_change(&machine.holds(&state), &machine.holds(&next)).lines() {
            out += &format!("    {line}\n");
        }
        state = next;
    }
    out
}

/// The diagram of an interaction in SIDL; empty for another game.
fn diagram(engine: &Engine) -> String {
    engine.interaction().map(|machine| machine.dot()).unwrap_or_default()
}

fn write_diagram(path: &Path, text: &str) -> CommandResult {
    Ok(WrittenFile::at(path, FileContent::like("dot", text.as_bytes()))?.text(text)?)
}

/// Writes a part of the network to a file.
fn draw(engines: &Engines, path: &Path, part: &str, name: &str) -> CommandResult {
    let too_large = |why| CommandFailure::failed(format!("{name}: {why}"), "there is no network to draw");
    let (game, propnet) = (engines.game(), &engines.network().map_err(too_large)?.propnet);
    let outputs = named_outputs(propnet, game.terms(), game.roles());
    if outputs.iter().all(|(output, _)| !output.contains(part)) {
        let some: Vec<&str> = outputs.iter().rev().take(3).map(|(output, _)| output.as_str()).collect();
        let what = format!("no output of the network contains '{part}'");
        return Err(CommandFailure::usage(what, format!("outputs are {} and others", some.join(", "))));
    }
    write_diagram(path, &dot(propnet, game.terms(), game.roles(), part, DotLimits::default()))
}

/// Finds out on a machine what is reported.
fn look<'a>(
    arguments: &InspectArguments,
    opened: &'a Opened,
    engines: &'a Engines,
    machine: &Engine,
    interrupt: &Interrupt,
) -> Result<Inspection<'a>, Stopped> {
    // Every joint move leads to one new state at most.
    let most = arguments.limit.saturating_mul(2).saturating_add(1);
    let progress = Progress::new(most, "states and joint moves", false);
    let part = interrupt.within(Budget::time(arguments.seconds));
    let survey = survey(machine, arguments.limit, &part, &|| progress.tick());
    progress.finish();
    let survey = survey?;
    let is_cut = !survey.reach.complete && part.is_timed_out();
    let cut = is_cut.then_some(arguments.seconds);
    let start = machine.initial();
    Ok(Inspection {
        opened,
        engines,
        network: arguments.network,
        roles: machine.roles().clone(),
        random: machine.random(),
        legal: machine.legal_by_role(&start, &mut machine.scratch()),
        start: machine.fluents(&start),
        drawn: BoardLayout::of(&opened.game).draw(&machine.holds(&start)),
        states: (arguments.states > 0).then(|| states(machine, arguments.states, pick_seed(arguments.seed))),
        survey,
        interaction: machine.interaction().map(|machine| InteractionParts::of(machine)),
        cut,
        selection: Selection::of(machine, &Budget::time(arguments.seconds)),
        tree: arguments.tree.then(|| {
            tree(opened, machine, arguments.max_nodes, &interrupt.within(Budget::time(arguments.seconds)))
        }),
    })
}

impl Inspection<'_> {
    fn language(&self) -> &'static str {
        match self.opened.game.language() {
            Language::Sidl => "SIDL",
            Language::Gdl if self.opened.game.is_imperfect() => "GDL-II",
            Language::Gdl => "GDL-I",
        }
    }

    fn relations(&self) -> usize {
        let relations = self.opened.game.rules().iter().map(|rule| rule.head.relation);
        relations.collect::<BTreeSet<_>>().len()
    }

    /// Moves in prefix form, as in every report in JSON.
    fn moves(&self, moves: &[Move]) -> Vec<String> {
        moves.iter().map(|own| self.opened.game.terms().show(own.0)).collect()
    }

    /// Terms in the syntax of the rulesheet.
    fn written(&self, terms: impl Iterator<Item = TermId>) -> Vec<String> {
        terms.map(|term| self.opened.game.show(term)).collect()
    }

    fn by_role<T: Into<Value>>(&self, values: impl Iterator<Item = T>) -> Map<String, Value> {
        self.roles.values().iter().cloned().zip(values.map(T::into)).collect()
    }

    fn as_json(&self) -> Value {
        let Survey { fluents, moves, percepts, reach } = &self.survey;
        let random = self.random.map(|role| self.roles[role].clone());
        let mut report = json!({
            "game": self.opened.name,
            "rules": self.opened.hash(),
            "language": self.language(),
            "clauses": self.opened.rulesheet.clauses.len(),
            "normal_rules": self.opened.game.rules().len(),
            "relations": self.relations(),
            "roles": self.roles.values(),
            "random": random,
            "fluents": fluents.terms.len(),
            "fluents_basis": fluents.basis.to_string(),
            "moves": moves.terms.len(),
            "moves_basis": moves.basis.to_string(),
            "percepts": percepts.terms.len(),
            "percepts_basis": percepts.basis.to_string(),
            "state_at_start": self.start,
            "legal_at_start": self.by_role(self.legal.values().iter().map(Vec::len)),
            "legal_moves_at_start": self.by_role(self.legal.values().iter().map(|moves| self.moves(moves))),
            "states": reach.graph.node_count(),
            "states_complete": reach.complete,
            "time_was_up": self.cut.is_some(),
            "fewest_steps": reach.fewest_steps(),
            "longest_match": reach.longest_match(),
            "loops": reach.loops(),
            "selected": self.selection,
        });
        network::put_into(&mut report, self.engines.network(), None);
        if let Some(parts) = &self.interaction {
            report["interaction"] = json!(parts);
        }
        if let Some(Ok(TreeInspection { estimate, counted })) = &self.tree {
            let (low, high) = estimate.interval;
            report["tree_estimate"] =
                json!({"nodes": estimate.nodes, "low": low, "high": high, "states": estimate.states});
            report["tree"] = counted
                .as_ref()
                .map_or(Value::Null, |(size, _)| size_as_json(size, &self.roles, self.random));
            report["goal_sum"] = counted.as_ref().and_then(|(_, sum)| *sum).into();
        }
        report
    }

    fn write(&self, out: &Output) -> CommandResult {
        let Survey { fluents, moves, percepts, reach } = &self.survey;
        let line = |name: &str, text: String| out.line(format_args!("{name:18}{text}"));
        let kind = if self.interaction.is_some() { "an interaction" } else { "a game" };
        out.line(format_args!("{}, {kind} in {}", self.opened.name, self.language()))?;
        let roles = &self.roles;
        line("roles", format!("{}: {}", roles.len(), roles.values().join(" ")))?;
        match &self.interaction {
            Some(parts) => parts.lines().try_for_each(|(name, text)| line(name, text))?,
            None => line(
                "rules",
                format!(
                    "{} clauses, {} rules in normal form, {} relations",
                    self.opened.rulesheet.clauses.len(),
                    self.opened.game.rules().len(),
                    self.relations()
                ),
            )?,
        }
        line("fluents", self.words(fluents))?;
        line("moves", self.words(moves))?;
        line("percepts", self.words(percepts))?;
        if self.drawn.lines().count() == 1 {
            line("state at start", self.drawn.trim_end().to_owned())?;
        } else {
            out.line("state at start")?;
            self.drawn.lines().try_for_each(|drawn| out.line(format_args!("  {drawn}")))?;
        }
        for (role, own) in self.legal.iter() {
            let moves = some(self.written(own.iter().map(|own| own.0)).into_iter(), LISTED);
            line("legal at start", format!("{}, {}: {moves}", roles[role], own.len()))?;
        }
        let all = match self.cut {
            _ if reach.complete => "all of them".to_owned(),
            None => "not all; more with --limit".to_owned(),
            Some(cut) => format!(
                "not all: the time of {} s was up, and another run may find others; more with --seconds",
                cut.as_secs_f64()
            ),
        };
        line("states", format!("{}, {all}", reach.graph.node_count()))?;
        let unknown = || "unknown".to_owned();
        line("fewest steps", reach.fewest_steps().map_or_else(unknown, |steps| steps.to_string()))?;
        line("longest match", reach.longest_match().map_or_else(unknown, |steps| steps.to_string()))?;
        let loops = |loops| if loops { "yes: a state can come again" } else { "no" }.to_owned();
        line("can loop", reach.loops().map_or_else(unknown, loops))?;
        let Selection { player, reason, .. } = self.selection;
        line("suits", format!("{player}, where it is not solved: {reason}"))?;
        if let Some(Ok(tree)) = &self.tree {
            self.write_tree(tree, &line)?;
        }
        if self.interaction.is_none() {
            line("network", network::sentence(self.engines.network()))?;
        }
        match self.engines.network() {
            Ok(grounded) if self.network => network::write(grounded, out)?,
            _ => {}
        }
        self.states.as_ref().map_or(Ok(()), |states| out.text(states))
    }

    fn write_tree(
        &self,
        tree: &TreeInspection,
        line: &dyn Fn(&str, String) -> CommandResult,
    ) -> CommandResult {
        let TreeInspection { estimate, counted } = tree;
        line("tree, estimated", format!("{estimate}"))?;
        let Some((size, sum)) = counted else {
            return line("tree", "more nodes than are counted; more with --max-nodes".to_owned());
        };
        line("tree", size_in_words(size))?;
        let players = || self.roles.iter().filter(|(role, _)| Some(*role) != self.random);
        let sets: Vec<String> = players()
            .map(|(role, name)| {
                format!("{name} {} ({} sequences)", size.information_sets[role], size.sequences[role])
            })
            .collect();
        line("decides at", format!("{} information sets", sets.join(", ")))?;
        let no = || "no constant".to_owned();
        line("goals sum to", sum.map_or_else(no, |sum| format!("{sum} at every end")))
    }

    fn words(&self, words: &SurveyWords) -> String {
        let terms = self.written(words.terms.iter().copied());
        format!("{} {}: {}", terms.len(), words.basis, some(terms.into_iter(), LISTED))
    }
}
