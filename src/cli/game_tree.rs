//! The game tree of a command: options of its size, building it with progress, and how it is described.

use clap::Args;
use serde_json::{Value, json};

use super::failure::{CommandFailure, CommandResult};
use super::game_argument::Opened;
use super::output::log;
use super::progress::Progress;
use hyperplay_engine::Engine;
use hyperplay_logic::gdl::FindingCode;
use hyperplay_machine::{ByRole, Role, counted};
use hyperplay_play::for_engine::game_tree;
use hyperplay_play::referee::Interrupt;
use hyperplay_think::solve::{GameTree, TreeError, TreeFault, TreeFaultKind, TreeLimits, TreeSize};

/// How large a tree may be, and in which unit its payoffs are counted.
#[derive(Args, Clone, Copy, Debug)]
pub struct TreeOptions {
    /// Goal points for a payoff of 1; a payoff is (goal - 50) / G
    #[arg(long, value_name = "G", default_value_t = 50.0, value_parser = unit, allow_negative_numbers = true)]
    pub unit: f64,
    /// The most nodes of the game tree
    #[arg(long, value_name = "N", default_value_t = 30_000_000)]
    pub max_nodes: usize,
}

/// Reads a number of goal points for a payoff of 1.
fn unit(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok().filter(|number| (0.001..=1000.0).contains(number));
    number.ok_or_else(|| "expected a number of goal points from 0.001 to 1000".to_owned())
}

/// Says why the report of a game in which nobody has a choice is empty.
pub fn note_no_choice(name: &str, tree: &GameTree) {
    if tree.sets().is_empty() {
        log(format_args!(
            "{name}: no role ever has two moves to choose from, so every policy is the same and nothing can be gained"
        ));
    }
}

impl TreeOptions {
    /// Builds the tree of a game.
    ///
    /// # Errors
    /// That the game has none, with the remedy; or that the command was interrupted.
    pub fn build(&self, opened: &Opened, machine: &Engine, interrupt: &Interrupt) -> CommandResult<GameTree> {
        match self.try_build(opened, machine, interrupt) {
            Ok(tree) => Ok(tree),
            Err(TreeError::Stopped) if interrupt.is_timed_out() => Err(CommandFailure::failed(
                format!("{}: the time was up before the game tree was built", opened.name),
                "give more --seconds, or take a smaller game",
            )),
            Err(TreeError::Stopped) => Err(CommandFailure::Interrupted),
            Err(error) => Err(no_tree(&opened.name, &error)),
        }
    }

    /// The same with the error as it is. Faults of the rules that the tree shows are logged, or refused by `--strict`.
    ///
    /// # Errors
    /// As [`GameTree::build`].
    pub fn try_build(
        &self,
        opened: &Opened,
        machine: &Engine,
        interrupt: &Interrupt,
    ) -> Result<GameTree, TreeError> {
        let ticker = Progress::open();
        let stop = |nodes: usize| {
            ticker.say(|| format!("the game tree has {nodes} nodes so far"));
            interrupt.is_raised()
        };
        let tree = game_tree(
            machine,
            &TreeLimits { nodes: self.max_nodes, stop: &stop, deadline: interrupt.budget.deadline },
        );
        ticker.finish();
        let tree = tree?;
        match tree.faults() {
            [first, ..] if opened.is_strict => return Err(TreeError::Faulty(first.clone())),
            faults => faults
                .iter()
                .for_each(|fault| log(format_args!("{}: the rules have a fault: {fault}", opened.name))),
        }
        Ok(tree)
    }
}

/// The failure to build the tree of the game of this name.
pub fn no_tree(name: &str, error: &TreeError) -> CommandFailure {
    let remedy = match error {
        TreeError::TooLarge { .. } => {
            "give more with --max-nodes, where memory allows (about 40 bytes a node), or do without the tree: `solve --method \
             external` samples the game, and `exploit` plays matches"
        }
        TreeError::Endless(..) => {
            "count the steps in the rules and end the game after a number of them; an interaction in SIDL takes --horizon N"
        }
        TreeError::Faulty(_) => {
            "mend the rules (`hyperplay check --simulate` says where), or leave out --strict"
        }
        TreeError::MovesDiffer { .. } => "mend the rules; `hyperplay check --simulate` may say more",
        TreeError::Stopped | TreeError::Failed(_) => "`hyperplay check` may say more",
    };
    CommandFailure::failed(format!("{name}: {error}"), remedy)
}

/// A tree as JSON: counts, and information sets and sequences by role.
pub fn size_as_json(size: &TreeSize, roles: &ByRole<String>, random: Option<Role>) -> Value {
    let players = || (0..roles.len()).map(Role::new).filter(|&role| Some(role) != random);
    json!({
        "nodes": size.nodes(),
        "chance": size.chance,
        "decisions": size.decisions,
        "terminals": size.terminals,
        "information_sets": by_role(roles, players(), |role| size.information_sets[role]),
        "sequences": by_role(roles, players(), |role| size.sequences[role]),
        "depth": size.depth,
        "largest_information_set": size.largest_set,
        "faults": size.faults.iter().map(fault_as_json).collect::<Value>(),
    })
}

/// An object with a value for each of these roles, by their names.
pub fn by_role<V: Into<Value>>(
    names: &ByRole<String>,
    roles: impl IntoIterator<Item = Role>,
    value: impl Fn(Role) -> V,
) -> Value {
    roles.into_iter().map(|role| (names[role].as_str(), value(role))).collect()
}

fn fault_as_json(fault: &TreeFault) -> Value {
    let TreeFault { kind, role, histories, line } = fault;
    let code = match kind {
        TreeFaultKind::SeveralGoals => FindingCode::SeveralGoals,
        TreeFaultKind::MissingGoal => FindingCode::MissingGoal,
        TreeFaultKind::NoLegalMove => FindingCode::NoLegalMove,
    };
    json!({"code": code.as_str(), "role": role, "histories": histories, "line": line})
}

/// The counts of a tree in words.
pub fn size_in_words(size: &TreeSize) -> String {
    format!(
        "{}: {} of chance, {}, {}; at most {} deep; at most {} in an information set",
        counted(size.nodes(), "node"),
        size.chance,
        counted(size.decisions, "decision"),
        counted(size.terminals, "end"),
        size.depth,
        counted(size.largest_set.into(), "history")
    )
}
