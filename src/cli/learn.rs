//! `hyperplay learn`: the policy of a role from matches that were played before, as a policy file.
//!
//! What is read are records of matches, of which everything is known, and records of what one player knew of a match.

use std::fs::{File, read_to_string};
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::failure::{CommandFailure, CommandResult, go_on, refuse_if};
use super::game_argument::{GameArgument, Opened};
use super::options::{EngineOption, positive};
use super::policies::{model_of, policy_content};
use super::recorded_matches::recorded;
use super::seats::role_named;
use super::session::Session;
use super::transcripts::is_of_player;
use hyperplay_engine::Engine;
use hyperplay_machine::{Evidence, History, Role, StateMachine, StateMachineExt as _, counted};
use hyperplay_play::analysis::{HELD_OUT, LIMIT, Learner, Learnt, Smoothing, TREMBLE};
use hyperplay_play::files::{FileError, WrittenFile};
use hyperplay_play::for_engine::game_tree;
use hyperplay_play::player::{PolicyDocument, PolicyEntry};
use hyperplay_play::referee::{EvidenceRecord, Interrupt};
use hyperplay_think::belief::Trembling;
use hyperplay_think::solve::{TreeError, TreeLimits};

/// How the method of a learnt policy begins.
const LEARNT: &str = "learnt from ";

/// The most nodes of a game tree whose information sets are learnt even where no match led.
const NODES: usize = 1_000_000;

/// Arguments of `learn`.
#[derive(Args, Debug)]
pub struct LearnArguments {
    #[command(flatten)]
    game: GameArgument,
    /// Matches of the game: transcripts, records of ggp.org, folders of experiments, or folders of such files; or files of what a
    /// player knew of matches, as `serve --record` writes them
    #[arg(value_name = "FILE|DIR", required = true)]
    matches: Vec<PathBuf>,
    /// The role whose policy is learnt
    #[arg(long, value_name = "ROLE")]
    role: String,
    /// Of matches that are known in full, learn from what this role saw and from nothing else
    #[arg(long, value_name = "ROLE")]
    seat: Option<String>,
    /// What the role is taken to do where nothing is known: an opponent model
    #[arg(long, value_name = "MODEL", default_value = "uniform")]
    prior: String,
    /// Choices that the prior counts as [default: .1, .5, 2, 8 or 32, by the held-out matches]
    #[arg(long, value_name = "W", value_parser = prior_weight)]
    weight: Option<f64>,
    /// A match counts half as much as one that comes this number of matches later, so that an opponent who changes is followed
    /// [default: all count alike]
    #[arg(long, value_name = "N", value_parser = positive)]
    half_life: Option<f64>,
    /// Write the policy to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineOption,
    /// Report in JSON (keys: docs/json.md)
    #[arg(long)]
    json: bool,
}

/// Reads a weight of the prior, in the range of the key `weight` of the opponent model `learnt`.
fn prior_weight(text: &str) -> Result<f64, String> {
    let weight: Option<f64> = text.parse().ok().filter(|weight| (0.01..=1e6).contains(weight));
    weight.ok_or_else(|| "expected a number from 0.01 to 1000000".to_owned())
}

/// The records that are learnt from.
#[derive(Default)]
struct Records {
    full: Vec<History>,
    /// Each with its place.
    seen: Vec<(String, Evidence)>,
    /// What to call them.
    names: Vec<String>,
}

impl Records {
    fn read(paths: &[PathBuf], opened: &Opened, machine: &Engine) -> CommandResult<Records> {
        let first = |path: &PathBuf| BufReader::new(File::open(path).ok()?).lines().next()?.ok();
        let is_seen = |path: &&PathBuf| first(path).is_some_and(|line| is_of_player(&line));
        let (of_players, others): (Vec<&PathBuf>, Vec<&PathBuf>) = paths.iter().partition(is_seen);
        let mut records = Records::default();
        for path in of_players {
            for (number, line) in (1..).zip(FileError::at(path, read_to_string(path))?.lines()) {
                let remedy = "`hyperplay verify` checks the whole file";
                let place = format!("{}:{number}", path.display());
                let failed = |what| CommandFailure::failed(format!("{place}: {what}"), remedy);
                let seen = seen(line, opened, machine).map_err(failed)?;
                records.seen.push((place, seen));
            }
        }
        if !records.seen.is_empty() {
            records.names.push(counted(records.seen.len() as u64, "record") + " of a player");
        }
        if !others.is_empty() {
            let others: Vec<PathBuf> = others.into_iter().cloned().collect();
            let (full, name) = recorded(&others, opened, machine)?;
            records.full = full;
            records.names.push(name);
        }
        Ok(records)
    }

    fn len(&self) -> usize {
        self.full.len() + self.seen.len()
    }
}

/// The evidence in a record of a player.
fn seen(line: &str, opened: &Opened, machine: &Engine) -> Result<Evidence, String> {
    let record: EvidenceRecord = serde_json::from_str(line).map_err(|error| error.to_string())?;
    if record.heading.rules != opened.hash() {
        return Err("the match was played with other rules".to_owned());
    }
    record.evidence(machine).map_err(|difference| difference.to_string())
}

/// Adds the information sets of the tree, if there is one, and the records.
fn fill(
    learner: &mut Learner,
    records: Records,
    (seat, half_life): (Option<Role>, Option<f64>),
    interrupt: &Interrupt,
    machine: &Engine,
) -> CommandResult {
    match game_tree(machine, &TreeLimits { nodes: NODES, stop: &|_| interrupt.is_raised(), deadline: None }) {
        Ok(tree) => learner.add_sets(&tree),
        Err(TreeError::Stopped) => return Err(CommandFailure::Interrupted),
        // Only what matches led to is learnt.
        Err(_) => {}
    }
    let mut seen = records.seen;
    let count = |later: usize| half_life.map_or(1.0, |half_life| 0.5_f64.powf(later as f64 / half_life));
    for (later, history) in (0..records.full.len()).rev().zip(&records.full) {
        match seat {
            Some(seat) => {
                let place = format!("recorded match {}", records.full.len() - later);
                seen.push((place, machine.evidence(history, seat, &mut machine.scratch())));
            }
            None => learner.add(history, count(later)),
        }
    }
    for (later, (place, evidence)) in (0..seen.len()).rev().zip(&seen) {
        go_on(interrupt)?;
        learner.add_seen(evidence, count(later)).map_err(|error| {
            let what = format!("{place}, as {} saw it: {error}", machine.roles()[evidence.role]);
            CommandFailure::failed(what, "learn from records of which everything is known")
        })?;
    }
    Ok(())
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(arguments: &LearnArguments, session: &Session) -> CommandResult {
    let opened = arguments.game.open()?;
    let named = |name: &str| role_named(&opened.game, name, "the role random chooses by itself");
    let role = named(&arguments.role)?;
    let seat = arguments.seat.as_deref().map(named).transpose()?;
    let model = model_of(&arguments.prior, &opened.game, &opened.hash(), &session.registry)?;
    let (game, rules) = (json!(opened.name), json!(opened.hash()));
    let kind = policy_content("learnt policy of this game", &opened, LEARNT);
    let file = WrittenFile::if_given(arguments.out.as_deref(), kind)?;
    let (_, machine) = arguments.engine.open(&opened)?;
    let records = Records::read(&arguments.matches, &opened, &machine)?;
    let mut name = records.names.join(" and ");
    let few = format!("{name}: one match in {HELD_OUT} is held out for the log loss");
    refuse_if(records.len() < HELD_OUT, few, format!("give {HELD_OUT} matches or more"))?;
    if let Some(seat) = &arguments.seat {
        name += &format!(", as {seat} saw them");
    }
    let prior = Trembling::new(model.model(&machine), TREMBLE);
    let mut learner = Learner::new(Arc::clone(&machine), role, Arc::new(prior), LIMIT);
    let matches = records.len();
    fill(&mut learner, records, (seat, arguments.half_life), &session.interrupt, &machine)?;
    let learnt = learner.learn(arguments.weight);
    if let Some(file) = file {
        let header = json!({ "game": game, "rules": rules, "method": format!("{LEARNT}{name}") });
        let all = learner.sets().zip(learnt.policy.iter().zip(&learnt.counts));
        let entries = all.map(|((evidence, moves), (shares, &count))| PolicyEntry {
            role,
            evidence: evidence.clone(),
            moves,
            shares: shares.clone(),
            count: Some(count),
        });
        file.write(|to| PolicyDocument { machine: &machine, header }.write(to, entries, &[]))?;
    }
    let Learnt {
        counts, smoothing: Smoothing { backs_off, weight, rounds }, log_loss: [before, after], ..
    } = learnt;
    let (role, sets) = (&machine.roles()[role], counts.len());
    let seen = counts.iter().filter(|&&count| count > 0.0).count();
    if arguments.json {
        return session.out.json(&json!({
            "game": game, "rules": rules, "role": role, "records": name, "matches": matches, "choices": counts.iter().sum::<f64>(),
            "information_sets": sets, "seen": seen, "backs_off": backs_off, "weight": weight, "rounds": rounds,
            "log_loss": { "prior": before, "learnt": after },
        }));
    }
    let looks = if backs_off { "rare ones with those that look alike" } else { "each by itself" };
    session.out.line(format_args!(
        "{}: {role}, learnt from {name}\n{seen} of {} seen, {looks}; the prior counts as {weight} choices; {}\n\
         log loss of a held-out match: {after:.4} nats, of the prior {before:.4}",
        opened.name,
        counted(sets as u64, "information set"),
        counted(rounds as u64, "round") + " at most",
    ))
}
