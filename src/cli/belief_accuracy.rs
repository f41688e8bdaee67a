//! The preset `accuracy` of `hyperplay belief`: how far samplers are from the exact posterior of one game, compared with
//! perfect sampling.

use serde_json::{Value, json};

use super::belief_arguments::{BeliefArguments, MeasuredGame, failed};
use super::failure::{CommandFailure, CommandResult};
use super::output::Output;
use super::progress::Progress;
use super::session::Session;
use hyperplay_lab::study::files::{self, StudyFileError, StudyFiles, StudySubject};
use hyperplay_lab::study::{LeftOut, Study, StudyPlan, StudyRow};
use hyperplay_machine::{StateMachine as _, counted};

/// More points than these that have no posterior are counted and not named.
const LEFT_OUT: usize = 10;

/// Measures and reports.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(
    arguments: &BeliefArguments,
    mut plan: StudyPlan,
    threads: usize,
    session: &Session,
) -> CommandResult {
    let Session { interrupt, out, .. } = session;
    let MeasuredGame { opened, engine, players_engine } = arguments.open(&arguments.games[0], &mut plan)?;
    let roles = plan.roles_of(&engine);
    let names: Vec<&str> = roles.iter().map(|&role| engine.roles()[role].as_str()).collect();
    let (rules, kind) = (opened.hash(), engine.kind().to_string());
    let subject = StudySubject { game: &opened.name, rules: &rules, engine: &kind, roles: &names };
    let folder = arguments.out.as_deref();
    let mut files =
        folder.map(|folder| StudyFiles::open(folder, files::config(&plan, &subject), threads)).transpose()?;
    let progress = Progress::new(plan.total(&engine, &players_engine), "replicates", false);
    let mut keep = |rows: &[StudyRow]| files.as_mut().is_none_or(|files| files.add(rows));
    let (tick, say) = (|| progress.tick(), |what: &str| progress.say(|| what.to_owned()));
    let study = plan.study_and_keep(&engine, &players_engine, interrupt, (&tick, &say), &mut keep);
    let time = progress.finish();
    let study = study.map_err(|error| failed(&opened.name, &error))?;
    let nothing = study.nothing(plan.steps);
    if let Some(files) = files {
        files.finish(&study, time)?;
    }
    if arguments.json {
        let mut document = json!({
            "game": opened.name,
            "rules": opened.hash(),
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
        let left_out = |of: &LeftOut| json!({ "match": of.index, "role": of.role, "why": of.why });
        document["left_out"] = study.left_out.iter().map(left_out).collect::<Value>();
        document["nothing"] = json!(nothing);
        document["seconds"] = json!(time.as_secs_f64());
        out.json(&document)?;
    } else {
        let StudyPlan { replicates, matches, seed, .. } = &plan;
        let name = &opened.name;
        let replicates = counted(*replicates as u64, "replicate");
        let matches = counted(*matches as u64, "match");
        if !(study.rows.is_empty() && nothing.is_some()) {
            out.line(format_args!("{name}: {replicates} on each of {matches}, seed {seed}"))?;
        }
        match &nothing {
            Some(why) if !study.rows.is_empty() => out.line(why)?,
            Some(_) => {}
            None => write(&study, plan.seed, out)?,
        }
    }
    if let Some(why) = nothing.filter(|_| study.rows.is_empty()) {
        return Err(CommandFailure::failed(
            format!("{}: {why}", opened.name),
            "leave out --steps, or name earlier ones",
        ));
    }
    if study.is_complete { Ok(()) } else { Err(CommandFailure::Interrupted) }
}

/// The report for reading.
fn write(study: &Study, seed: u64, out: &Output) -> CommandResult {
    if !study.rows.is_empty() {
        out.text(&study.shown_rows().as_text())?;
    }
    for LeftOut { index, role, why } in study.left_out.iter().take(LEFT_OUT) {
        out.line(format_args!("match {index}, {role}: {why}"))?;
    }
    if let more @ 1.. = study.left_out.len().saturating_sub(LEFT_OUT) {
        out.line(format_args!("and {more} more; --json has all"))?;
    }
    if study.rows.iter().any(|row| !row.is_of_histories()) {
        out.line(
            "Rows without a number of histories are measured on the states, whose exact distribution is known: every distance is \
             one between states.",
        )?;
    }
    if !study.rows.is_empty() {
        out.line("\nOver the decisions (more than one legal move, more than one history); ratios of sums:")?;
        out.text(&study.shown_summaries(seed, "timed").as_text())?;
    }
    if study.truths.is_empty() {
        return Ok(());
    }
    out.line("\nThe truth among the particles, at every step of every match (p tests a sampler if the others play by its model):")?;
    out.text(&study.shown_truth(seed, false).as_text())
}

impl From<StudyFileError> for CommandFailure {
    fn from(error: StudyFileError) -> Self {
        let what = error.to_string();
        let changed = match error {
            StudyFileError::File(error) => return error.into(),
            StudyFileError::Other { changed, .. } => changed,
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
