//! `hyperplay belief`: how far samplers are from the exact posterior, compared with perfect sampling, and what their updates
//! cost, in one game or in several.
//!
//! What is measured is kept in the folder of `--out` as soon as it is known, and only what is missing there is measured. The report
//! of a shard waits until the others are there too.

use std::time::Duration;

use serde_json::{Value, json};

use super::belief_arguments::{BeliefArguments, failed};
use super::belief_conformance;
use super::belief_study::{StudyRequest, requested};
use super::failure::{CommandFailure, CommandResult, refuse_if};
use super::output::{Output, log};
use super::progress::Progress;
use super::session::Session;
use hyperplay_lab::study::files::StudyFiles;
use hyperplay_lab::study::{Blocks, Labels, LeftOut, Study, StudyGame, StudyPlan, StudyTables, answers};
use hyperplay_machine::counted;
use hyperplay_play::referee::Interrupt;
use hyperplay_report::ShownTable;

/// The most columns of the tables, in characters; what does not fit is in the other forms of the report.
const WIDTH: usize = 100;

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
    let StudyRequest { games, places, text, out: folder, is_part } = requested(arguments, registry)?;
    let is_alone = arguments.shard.count == 1 && arguments.reuse.is_empty();
    refuse_if(folder.is_none() && !is_alone, "a part of a study needs a folder", "name one with --out")?;
    let keeps = folder.is_none() && arguments.keep_particles;
    refuse_if(keeps, "particle sets are kept in a folder", "name one with --out")?;
    let opened = |(own, place): (&BeliefArguments, &String)| -> CommandResult<(StudyPlan, StudyGame)> {
        let mut plan = own.plan(registry)?;
        let game = own.open(&own.games[0], &mut plan).map_err(|failure| failure.at(place))?;
        Ok((plan, game))
    };
    let labels: Vec<Labels> = games.iter().map(|own| own.labels(registry)).collect::<CommandResult<_>>()?;
    let games = games.iter().zip(&places).map(opened).collect::<CommandResult<Vec<_>>>()?;
    let (files, mut blocks) = match &folder {
        // The report of the folder stays that of all games.
        Some(folder) if is_part => {
            StudyFiles::compared(folder, &games, true)?;
            let blocks = Blocks::open(folder, arguments.shard, &arguments.reuse)?;
            (None, blocks.with_particles(folder, arguments.keep_particles)?)
        }
        Some(folder) => {
            let of = (arguments.shard, &arguments.reuse[..]);
            let (files, blocks) = StudyFiles::open(folder, &games, &text, threads, of)?;
            (Some(files), blocks.with_particles(folder, arguments.keep_particles)?)
        }
        None => (None, Blocks::default()),
    };
    if blocks.damaged > 0 {
        let lines = counted(blocks.damaged as u64, "line");
        log(format_args!("{lines} of the blocks cannot be read; what they had is measured again"));
    }
    let of = (&games[..], &labels[..]);
    let (mut studies, time) = measure(of, interrupt, &mut blocks, false)?;
    if let Some(folder) = &folder
        && missing(&studies) > 0
        && !interrupt.is_raised()
    {
        // Other shards may have ended meanwhile: the last one that ends finds the blocks of all.
        blocks.look_again(folder)?;
        studies = measure(of, interrupt, &mut blocks, true)?.0;
    }
    let (is_interrupted, measured) = (interrupt.is_raised(), blocks.measured);
    blocks.finish()?;
    let missing = missing(&studies);
    if missing > 0 && !is_interrupted {
        let (measured, missing) = (counted(measured as u64, "block"), counted(missing as u64, "block"));
        return out.line(format_args!(
            "{}: {measured} measured; {missing} of other shards are missing, or their particle sets are",
            arguments.shard
        ));
    }
    let tables: Vec<StudyTables> =
        games.iter().zip(&studies).map(|((plan, _), study)| study.tables(plan.seed)).collect();
    if let Some(files) = files {
        files.finish(&studies, &tables, time)?;
    }
    let made = games.iter().zip(studies.iter().zip(&tables));
    let made = made.map(|((plan, game), (study, tables))| MeasuredStudy { plan, game, study, tables });
    let measured: Vec<MeasuredStudy<'_>> = made.collect();
    if arguments.json {
        let mut documents: Vec<Value> = measured.iter().map(|of| of.document(threads)).collect();
        let mut whole =
            if documents.len() == 1 { documents.remove(0) } else { json!({ "games": documents }) };
        whole["seconds"] = json!(time.as_secs_f64());
        out.json(&whole)?;
    } else {
        measured.iter().try_for_each(|of| of.write(&arguments.budget_ms, out))?;
    }
    let nothing = |MeasuredStudy { plan, game, study, .. }: &MeasuredStudy<'_>| {
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

/// Measures what is missing of these games, and takes what is among the blocks; returns the time as well.
fn measure(
    (games, labels): (&[(StudyPlan, StudyGame)], &[Labels]),
    interrupt: &Interrupt,
    blocks: &mut Blocks,
    quiet: bool,
) -> CommandResult<(Vec<Study>, Duration)> {
    let total = games.iter().map(|(plan, game)| plan.total(game)).fold(0, usize::saturating_add);
    let progress = Progress::new(total, "replicates", quiet);
    let mut studies = Vec::new();
    for ((plan, game), labels) in games.iter().zip(labels) {
        let (tick, say) =
            (|| progress.tick(), |what: &str| progress.say(|| format!("{}, {what}", game.name)));
        let study = plan.study(game, interrupt, (&tick, &say), blocks);
        studies.push(study.map_err(|error| failed(&game.name, &error))?.labelled(labels));
    }
    Ok((studies, progress.finish()))
}

/// The blocks of other shards that are not there.
fn missing(studies: &[Study]) -> usize {
    studies.iter().map(|study| study.missing).sum()
}

/// What was measured in one game.
struct MeasuredStudy<'a> {
    plan: &'a StudyPlan,
    game: &'a StudyGame,
    study: &'a Study,
    tables: &'a StudyTables,
}

impl MeasuredStudy<'_> {
    /// As data.
    fn document(&self, threads: usize) -> Value {
        let MeasuredStudy { plan, game, study, tables } = self;
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
        tables.keys().into_iter().for_each(|table| document[table.name] = table.as_json());
        let left_out = |of: &LeftOut| json!({ "match": of.index, "role": of.role, "why": of.why });
        document["left_out"] = study.left_out.iter().map(left_out).collect::<Value>();
        document["nothing"] = json!(study.nothing(plan.steps));
        document
    }

    /// For reading: the answer first, the rows last.
    fn write(&self, budgets: &[f64], out: &Output) -> CommandResult {
        let MeasuredStudy { plan, game, study, tables } = self;
        let nothing = study.nothing(plan.steps);
        if study.rows.is_empty() && nothing.is_some() {
            return Ok(());
        }
        let replicates = study.replicates(plan.replicates);
        let matches = counted(plan.matches as u64, "match");
        out.line(format_args!("{}: {replicates} on each of {matches}, seed {}", game.name, plan.seed))?;
        if let Some(why) = nothing {
            return out.line(why);
        }
        answers(&tables.frontier_rows, budgets).iter().try_for_each(|answer| out.line(answer))?;
        let shown = |title: &str, table: ShownTable| {
            out.line(format_args!("\n{title}"))?;
            out.text(&table.within(WIDTH).as_text())
        };
        let rows = tables.shown(&tables.rows, "terminal");
        if !study.has_posterior() {
            let title = "Processor time of an update, on one thread; over all matches, roles and replicates:";
            shown(title, tables.shown(&tables.steps, "times"))?;
        } else if !study.rows.is_empty() {
            let title =
                "Over the decisions (more than one legal move, more than one history); ratios of sums:";
            shown(title, tables.shown(&tables.timed, "timed"))?;
        }
        if !study.truths.is_empty() {
            let title = "The truth at every step (p tests a sampler if the others play by its model):";
            shown(title, tables.shown_truth(false))?;
        }
        if !tables.frontier_rows.is_empty() {
            let title = "Accuracy against cost (ms of processor time of all updates up to a decision):";
            shown(title, tables.shown(&tables.frontier, "frontier"))?;
        }
        if study.has_posterior() && !study.rows.is_empty() {
            let is_of_states = study.rows.iter().any(|row| !row.is_of_histories());
            let on = if is_of_states { "; without histories, distances are between states" } else { "" };
            shown(&format!("At every step{on}:"), rows)?;
        }
        for LeftOut { index, role, why } in study.left_out.iter().take(LEFT_OUT) {
            out.line(format_args!("match {index}, {role}: {why}"))?;
        }
        match study.left_out.len().saturating_sub(LEFT_OUT) {
            0 => Ok(()),
            more => out.line(format_args!("and {more} more; --json has all")),
        }
    }
}
