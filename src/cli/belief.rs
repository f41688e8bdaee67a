//! `hyperplay belief`: how far samplers are from the exact posterior, compared with perfect sampling, and what their updates
//! cost, in one game or in several.
//!
//! What is measured is kept in the folder of `--out` as soon as it is known, and only what is missing there is measured. The report
//! of a shard waits until the others are there too.

use serde_json::{Value, json};

use super::belief_arguments::{BeliefArguments, MeasuredGame, failed};
use super::belief_conformance;
use super::belief_study::{StudyRequest, requested};
use super::failure::{CommandFailure, CommandResult, refuse_if};
use super::output::{Output, log};
use super::progress::Progress;
use super::session::Session;
use hyperplay_lab::study::files::{self, StudyFileError, StudyFiles, StudySubject};
use hyperplay_lab::study::{Blocks, LeftOut, Study, StudyPlan, answers};
use hyperplay_machine::{StateMachine as _, counted};

/// More points than these that have no posterior are counted and not named.
const LEFT_OUT: usize = 10;

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(arguments: &BeliefArguments, session: &Session) -> CommandResult {
    let Session { interrupt, out, registry, .. } = session;
    let threads = arguments.threads.apply()?;
    if let Some(spec) = &arguments.conform {
        return belief_conformance::run(arguments, spec, session);
    }
    let StudyRequest { games, text, out: folder } = requested(arguments)?;
    let is_alone = arguments.shard.count == 1 && arguments.reuse.is_empty();
    refuse_if(folder.is_none() && !is_alone, "a part of a study needs a folder", "name one with --out")?;
    let opened = |own: &BeliefArguments| -> CommandResult<(StudyPlan, MeasuredGame)> {
        let mut plan = own.plan(registry)?;
        let game = own.open(&own.games[0], &mut plan)?;
        Ok((plan, game))
    };
    let games: Vec<(StudyPlan, MeasuredGame)> = games.iter().map(opened).collect::<CommandResult<_>>()?;
    let plans: Vec<StudyPlan> = games.iter().map(|(plan, _)| plan.clone()).collect();
    let configs: Vec<Value> = games.iter().map(|(plan, game)| config(plan, game)).collect();
    let (files, mut blocks) = match &folder {
        Some(folder) => {
            let of = (arguments.shard, &arguments.reuse[..]);
            let (files, blocks) = StudyFiles::open(folder, plans, &configs, &text, threads, of)?;
            (Some(files), blocks)
        }
        None => (None, Blocks::default()),
    };
    if blocks.damaged > 0 {
        let lines = counted(blocks.damaged as u64, "line");
        log(format_args!("{lines} of the blocks cannot be read; what they had is measured again"));
    }
    let total = |(plan, game): &(StudyPlan, MeasuredGame)| plan.total(&game.engine, &game.players_engine);
    let progress = Progress::new(games.iter().map(total).sum(), "replicates", false);
    let mut studies = Vec::new();
    for (plan, game) in &games {
        let (tick, say) =
            (|| progress.tick(), |what: &str| progress.say(|| format!("{}, {what}", game.name)));
        let engines = (&game.engine, &game.players_engine);
        let study = plan.study_and_keep(&subject(game), engines, interrupt, (&tick, &say), &mut blocks);
        studies.push(study.map_err(|error| failed(&game.name, &error))?);
    }
    let time = progress.finish();
    let (is_interrupted, measured) = (interrupt.is_raised(), blocks.measured);
    blocks.finish().map_err(StudyFileError::from)?;
    let missing: usize = studies.iter().map(|study| study.missing).sum();
    if missing > 0 && !is_interrupted {
        let (measured, missing) = (counted(measured as u64, "block"), counted(missing as u64, "block"));
        return out.line(format_args!(
            "{}: {measured} measured; {missing} of other shards are missing",
            arguments.shard
        ));
    }
    if let Some(files) = files {
        files.finish(&studies, time)?;
    }
    let measured: Vec<(&StudyPlan, &MeasuredGame, &Study)> =
        games.iter().zip(&studies).map(|((plan, game), study)| (plan, game, study)).collect();
    if arguments.json {
        let mut documents: Vec<Value> = measured.iter().map(|of| document(of, threads)).collect();
        let mut whole =
            if documents.len() == 1 { documents.remove(0) } else { json!({ "games": documents }) };
        whole["seconds"] = json!(time.as_secs_f64());
        out.json(&whole)?;
    } else {
        measured.iter().try_for_each(|of| write(of, &arguments.budget_ms, out))?;
    }
    let nothing = |(plan, game, study): &(&StudyPlan, &MeasuredGame, &Study)| {
        let why = study.nothing(plan.steps).filter(|_| study.rows.is_empty())?;
        let remedy = "leave out --steps, or name earlier ones";
        Some(CommandFailure::failed(format!("{}: {why}", game.name), remedy))
    };
    match measured.iter().find_map(nothing) {
        _ if is_interrupted => Err(CommandFailure::Interrupted),
        Some(failure) => Err(failure),
        None => Ok(()),
    }
}

fn subject(game: &MeasuredGame) -> StudySubject<'_> {
    StudySubject { game: &game.name, rules: &game.rules, engine: &game.kind }
}

fn config(plan: &StudyPlan, game: &MeasuredGame) -> Value {
    let roles = plan.roles_of(&game.engine);
    let names: Vec<&str> = roles.iter().map(|&role| game.engine.roles()[role].as_str()).collect();
    files::config(plan, &subject(game), &names)
}

/// What was measured in one game, as data.
fn document((plan, game, study): &(&StudyPlan, &MeasuredGame, &Study), threads: usize) -> Value {
    let mut document = json!({
        "game": game.name,
        "rules": game.rules,
        "seed": plan.seed,
        "threads": threads,
        "matches": plan.matches,
        "replicates": plan.replicates,
        "play": plan.play.to_string(),
    });
    if let Some(equilibrium) = &plan.equilibrium {
        document["equilibrium"] = json!(equilibrium.spec().to_string());
    }
    document["rows"] = study.table().as_json();
    document["summary"] = study.summary_table(plan.seed).as_json();
    document["truth"] = study.truth_table(plan.seed).as_json();
    document["frontier"] = study.frontier_table(plan.seed).as_json();
    document["steps"] = study.steps_table(plan.seed).as_json();
    let left_out = |of: &LeftOut| json!({ "match": of.index, "role": of.role, "why": of.why });
    document["left_out"] = study.left_out.iter().map(left_out).collect::<Value>();
    document["nothing"] = json!(study.nothing(plan.steps));
    document
}

/// The same for reading.
fn write(
    (plan, game, study): &(&StudyPlan, &MeasuredGame, &Study),
    budgets: &[f64],
    out: &Output,
) -> CommandResult {
    let seed = plan.seed;
    let nothing = study.nothing(plan.steps);
    if study.rows.is_empty() && nothing.is_some() {
        return Ok(());
    }
    let replicates = counted(plan.replicates as u64, "replicate");
    let matches = counted(plan.matches as u64, "match");
    out.line(format_args!("{}: {replicates} on each of {matches}, seed {seed}", game.name))?;
    if let Some(why) = nothing {
        return out.line(why);
    }
    let frontier = study.frontier(seed);
    answers(&frontier, budgets).iter().try_for_each(|answer| out.line(answer))?;
    if !study.rows.is_empty() {
        out.text(&study.shown_rows(seed).as_text())?;
    }
    for LeftOut { index, role, why } in study.left_out.iter().take(LEFT_OUT) {
        out.line(format_args!("match {index}, {role}: {why}"))?;
    }
    if let more @ 1.. = study.left_out.len().saturating_sub(LEFT_OUT) {
        out.line(format_args!("and {more} more; --json has all"))?;
    }
    if study.has_posterior() {
        write_decisions(study, seed, out)?;
    } else {
        out.line("Processor time of an update, on one thread; over all matches, roles and replicates.")?;
    }
    if !study.truths.is_empty() {
        out.line("\nThe truth among the particles, at every step of every match (p tests a sampler if the others play by its model):")?;
        out.text(&study.shown_truth(seed, false).as_text())?;
    }
    if frontier.is_empty() {
        return Ok(());
    }
    out.line(
        "\nAccuracy against cost (set TV on states; ms of processor time of all updates up to a decision):",
    )?;
    out.text(&study.frontier_table(seed).shown().as_text())
}

/// The summaries of the rows that have a posterior.
fn write_decisions(study: &Study, seed: u64, out: &Output) -> CommandResult {
    if study.rows.iter().any(|row| !row.is_of_histories()) {
        out.line(
            "Rows without a number of histories are measured on the states, whose exact distribution is known: every distance is \
             one between states.",
        )?;
    }
    if study.rows.is_empty() {
        return Ok(());
    }
    out.line("\nOver the decisions (more than one legal move, more than one history); ratios of sums:")?;
    out.text(&study.shown_summaries(seed, "timed").as_text())
}

impl From<StudyFileError> for CommandFailure {
    fn from(error: StudyFileError) -> Self {
        let what = error.to_string();
        let changed = match error {
            StudyFileError::File(error) => return error.into(),
            StudyFileError::Blocks(_) => {
                return CommandFailure::failed(what, "wait for it, or measure another shard");
            }
            StudyFileError::Other { changed, .. } => changed,
            StudyFileError::Earlier { .. } => Vec::new(),
        };
        let remedy = match changed.iter().find(|(key, _)| key == "seed") {
            Some((_, there)) if changed.len() == 1 => {
                format!("give --seed {there} to measure the same again, or name another folder with --out")
            }
            _ => "name another folder with --out, or take that one away".to_owned(),
        };
        CommandFailure::failed(what, remedy)
    }
}
