//! `hyperplay belief-benchmark`: the benchmark of beliefs, one page over many games, as Markdown, with figures as SVG
//! and PDF.

use std::path::{Path, PathBuf};

use clap::Args;

use super::belief::{failed, role_names, sampler, steps};
use super::failure::CommandFailure;
use super::game_argument::GameArgument;
use super::options::{EngineArgument, EngineOption, ThreadsOption, pick_seed, seed};
use super::output::{Output, log};
use super::progress::Progress;
use hyperplay_lab::study::benchmark::{
    self, BenchmarkGame, BenchmarkRequest, GAMES, PARTICLES, REPLICATES, SAMPLERS,
};
use hyperplay_lab::study::{Study, StudyPlan};
use hyperplay_play::files::{FileContent, WrittenFile, write_all};
use hyperplay_play::player::{Registry, SamplerSpec};
use hyperplay_play::referee::{Interrupt, date};
use hyperplay_report::figure_files;

/// Arguments of `belief-benchmark`.
#[derive(Args, Debug)]
pub struct BenchmarkArguments {
    /// Write to this file instead of standard output, and a figure of each game as SVG and PDF into figures/ beside it
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Measure only this game of the benchmark (repeat for several)
    #[arg(long = "game", value_name = "GAME")]
    games: Vec<String>,
    /// The sampler to measure (repeat to compare); see `hyperplay players samplers`
    #[arg(long = "sampler", value_name = "SPEC", default_values_t = SAMPLERS.map(str::to_owned))]
    samplers: Vec<String>,
    /// Particles in a set
    #[arg(long, value_name = "N", default_value_t = PARTICLES)]
    particles: usize,
    /// The number of independent replicates, that is, of beliefs that follow each match
    #[arg(long, value_name = "R", default_value_t = REPLICATES)]
    replicates: usize,
    /// The number of matches of each game [default: that of the benchmark]
    #[arg(long, value_name = "M")]
    matches: Option<usize>,
    /// Measure up to this step only, or at these steps only, as in 3-5 [default: the steps of the benchmark]
    #[arg(long, value_name = "K|A-B", value_parser = steps)]
    steps: Option<(usize, usize)>,
    /// Determines every random choice [default: drawn and printed]
    #[arg(long, value_name = "S", value_parser = seed, allow_negative_numbers = true)]
    seed: Option<u64>,
    #[command(flatten)]
    threads: ThreadsOption,
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(
    arguments: &BenchmarkArguments,
    registry: &Registry,
    interrupt: &Interrupt,
    out: &Output,
) -> Result<(), CommandFailure> {
    arguments.threads.apply()?;
    if arguments.replicates == 0 || arguments.particles == 0 || arguments.matches == Some(0) {
        return Err(CommandFailure::usage(
            "without replicates, matches or particles there is nothing to measure",
            "give 1 or more",
        ));
    }
    let asked = &arguments.games;
    if let Some(unknown) = asked.iter().find(|&game| GAMES.iter().all(|known| known.name != game)) {
        let names: Vec<&str> = GAMES.iter().map(|game| game.name).collect();
        let what = format!("'{unknown}' is not in the benchmark");
        return Err(CommandFailure::usage(what, format!("the games are {}", names.join(", "))));
    }
    let samplers: Vec<SamplerSpec> =
        arguments.samplers.iter().map(|text| sampler(text, registry)).collect::<Result<_, _>>()?;
    let request = BenchmarkRequest {
        samplers,
        games: asked.clone(),
        particles: arguments.particles,
        replicates: arguments.replicates,
        matches: arguments.matches,
        steps: arguments.steps,
        seed: pick_seed(arguments.seed),
    };
    let mut text = request.opening(&date()[..10]);
    let begins = text.split_once(" --seed").map_or(text.as_str(), |(begins, _)| begins);
    let content = FileContent::beginning("benchmark of beliefs", begins);
    let file = WrittenFile::if_given(arguments.out.as_deref(), content)?;
    let page = arguments.out.as_ref().and_then(|path| path.file_stem()).map(|stem| stem.to_string_lossy());
    let mut figures = Vec::new();
    for game in request.games() {
        log(format_args!("{}", game.name));
        let (plan, study) = measured(game, &request, registry, interrupt)?;
        text += &benchmark::section(game.name, &plan, &study);
        if let Some(figure) = page.as_ref().and_then(|page| benchmark::figure(page, game.name, &plan, &study))
        {
            text += &format!("![{}](figures/{}.svg)\n", figure.title, figure.name);
            figures.push(figure);
        }
    }
    let (Some(path), Some(file)) = (&arguments.out, file) else { return out.text(&text) };
    file.text(text)?;
    Ok(write_all(path.parent().unwrap_or(Path::new("")), &figure_files(&figures))?)
}

/// Measures one game.
fn measured(
    game: &BenchmarkGame,
    request: &BenchmarkRequest,
    registry: &Registry,
    interrupt: &Interrupt,
) -> Result<(StudyPlan, Study), CommandFailure> {
    let opened =
        GameArgument { game: game.name.to_owned(), syntax: None, strict: false, horizon: None }.open()?;
    let roles = role_names(&opened.game);
    if let Some(misfit) =
        request.samplers.iter().find_map(|sampler| sampler.spec().misfit(&roles, &opened.hash()))
    {
        return Err(CommandFailure::usage(
            format!("{}: {misfit}", game.name),
            "measure only the games that it is for, by --game",
        ));
    }
    let plan = request.plan(game, registry).map_err(|error| {
        CommandFailure::failed(error.to_string(), "the benchmark needs a model of uniform opponents")
    })?;
    let (_, engine) = EngineOption { engine: EngineArgument::Auto }.open_for_steps(&opened)?;
    let progress = Progress::new(plan.total(&engine), "replicates", false);
    let study = plan.study(&engine, &engine, interrupt, &|| progress.tick());
    progress.finish();
    let study = study.map_err(|error| failed(&opened.name, &error))?;
    if !study.is_complete {
        return Err(CommandFailure::Interrupted);
    }
    Ok((plan, study))
}
