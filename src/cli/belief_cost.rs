//! The preset `cost` of `hyperplay belief`: the processor time of an update, sampler beside sampler, at every step of a
//! game.

use serde_json::json;

use super::belief_arguments::{BeliefArguments, MeasuredGame, failed};
use super::failure::{CommandFailure, CommandResult, refuse_if};
use super::progress::Progress;
use super::session::Session;
use hyperplay_lab::study::StudyPlan;
use hyperplay_lab::study::cost::{COST_COLUMNS, CostPlan};
use hyperplay_machine::counted;
use hyperplay_report::Table;

/// Measures and reports.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(arguments: &BeliefArguments, mut plan: StudyPlan, session: &Session) -> CommandResult {
    let Session { interrupt, out, .. } = session;
    refuse_if(arguments.limit.is_zero(), "--limit is no time", "give a number of seconds above 0")?;
    let MeasuredGame { opened, engine, players_engine } = arguments.open(&arguments.games[0], &mut plan)?;
    let costs = CostPlan { study: &plan, particles: plan.particles[0], limit: arguments.limit };
    let progress = Progress::new(costs.total(&engine), "beliefs", false);
    let study = costs.study(&engine, &players_engine, interrupt, &|| progress.tick());
    let time = progress.finish();
    let study = study.map_err(|error| failed(&opened.name, &error))?;
    let table = Table::of(&COST_COLUMNS, &study.rows);
    if arguments.json {
        out.json(&json!({
            "game": opened.name,
            "rules": opened.hash(),
            "seed": plan.seed,
            "matches": plan.matches,
            "replicates": plan.replicates,
            "particles": costs.particles,
            "rows": table.as_json(),
            "seconds": time.as_secs_f64(),
        }))?;
    } else {
        out.line(format_args!(
            "{}: {}, {} on each of {}, seed {}; times are processor time of one update, on one thread",
            opened.name,
            counted(costs.particles as u64, "particle"),
            counted(plan.replicates as u64, "replicate"),
            counted(plan.matches as u64, "match"),
            plan.seed,
        ))?;
        out.text(&table.shown().as_text())?;
    }
    if study.is_complete { Ok(()) } else { Err(CommandFailure::Interrupted) }
}
