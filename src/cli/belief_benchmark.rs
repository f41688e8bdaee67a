//! The preset `benchmark` of `hyperplay belief`: one page over many games, as Markdown, with figures as SVG and PDF.

use std::path::Path;

use super::belief_arguments::{BeliefArguments, MeasuredGame, failed};
use super::failure::{CommandFailure, CommandResult};
use super::output::log;
use super::progress::Progress;
use super::session::Session;
use hyperplay_lab::study::StudyPlan;
use hyperplay_lab::study::benchmark::{self, BenchmarkGame, GAMES};
use hyperplay_play::files::{FileContent, WrittenFile, write_all};
use hyperplay_play::referee::date;
use hyperplay_report::figure_files;

/// The options that the figures depend on, besides the seed.
const FREE: [&str; 9] =
    ["particles", "replicates", "matches", "steps", "role", "max-set", "playouts", "engine", "sampler"];

/// Measures the games and writes the page.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(arguments: &BeliefArguments, plan: &StudyPlan, session: &Session) -> CommandResult {
    let Session { interrupt, out, .. } = session;
    let asked = &arguments.games;
    if let Some(unknown) = asked.iter().find(|&game| GAMES.iter().all(|known| known.name != game)) {
        let names: Vec<&str> = GAMES.iter().map(|game| game.name).collect();
        let what = format!("'{unknown}' is not in the benchmark");
        return Err(CommandFailure::usage(what, format!("the games are {}", names.join(", "))));
    }
    let games: String = asked.iter().map(|game| format!(" {game}")).collect();
    let options = arguments.given.words(&FREE);
    let command = format!("hyperplay belief --preset benchmark{games} --seed {}{options}", plan.seed);
    let mut text = benchmark::opening(&command, plan, plan.particles[0], &date()[..10]);
    // Pages of version 0.2, made by `hyperplay belief-benchmark`, begin so as well.
    let begins = text.split_once(" --preset").map_or(text.as_str(), |(begins, _)| begins);
    let content = FileContent::beginning("benchmark of beliefs", begins);
    let file = WrittenFile::if_given(arguments.out.as_deref(), content)?;
    let page = arguments.out.as_ref().and_then(|path| path.file_stem()).map(|stem| stem.to_string_lossy());
    let mut figures = Vec::new();
    let is_asked = |game: &&BenchmarkGame| asked.is_empty() || asked.iter().any(|name| name == game.name);
    for BenchmarkGame { name, matches, steps } in GAMES.iter().filter(is_asked) {
        log(format_args!("{name}"));
        let mut plan = plan.clone();
        if !arguments.given.has("matches") {
            plan.matches = *matches;
        }
        if !arguments.given.has("steps") {
            plan.steps = (1, *steps);
        }
        let MeasuredGame { engine, players_engine, .. } = arguments.open(name, &mut plan)?;
        let progress = Progress::new(plan.total(&engine, &players_engine), "replicates", false);
        let study = plan.study(&engine, &players_engine, interrupt, &|| progress.tick());
        progress.finish();
        let study = study.map_err(|error| failed(name, &error))?;
        if !study.is_complete {
            return Err(CommandFailure::Interrupted);
        }
        text += &benchmark::section(name, &plan, &study);
        if let Some(figure) = page.as_ref().and_then(|page| benchmark::figure(page, name, &plan, &study)) {
            text += &format!("![{}](figures/{}.svg)\n", figure.title, figure.name);
            figures.push(figure);
        }
    }
    let (Some(path), Some(file)) = (&arguments.out, file) else { return out.text(&text) };
    file.text(text)?;
    Ok(write_all(path.parent().unwrap_or(Path::new("")), &figure_files(&figures))?)
}
