//! `hyperplay solve`: an equilibrium of a game, from its rules.
//!
//! The result goes to standard output and depends on nothing but the game and the options, unless the time ends the
//! run; how NashConv falls goes to standard error. With `--out` the policies and the state of the solver are written,
//! and a later run with the same file continues.

mod answers;
mod report;
mod sampled;
mod saved;
mod solved;
mod treeless;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::failure::{CommandFailure, CommandResult, go_on};
use super::game_argument::{GameArgument, Opened};
use super::game_tree::TreeOptions;
use super::options::{EngineOption, ThreadsOption, positive, seconds, seed};
use super::output::{Output, log};
use super::progress::Progress;
use crate::session::Session;
use hyperplay_engine::Engine;
use hyperplay_machine::{Budget, Role};
use hyperplay_play::files::{FileContent, WrittenFile};
use hyperplay_play::player::entries_of;
use hyperplay_play::referee::Interrupt;
use hyperplay_think::solve::{
    GameTree, GrowingMinimiser, GrowingOptions, LinearProgramError, MonteCarloMinimiser, Profile,
    RegretCheckpoint, RegretMinimiser, RegretRule, SamplingScheme, SequenceForm, SolveLimits, SolvedProfile,
    linear_program, solve,
};
use report::SolveReport;
use sampled::SampledRun;
use saved::SavedSolution;
use solved::{Solved, in_words};
use treeless::Treeless;

/// NashConv at which a run without limits ends, in payoffs.
const ENOUGH: f64 = 1e-6;

/// The time after which a run without limits ends.
const LONG: Duration = Duration::from_secs(60);

/// Arguments of `solve`.
#[derive(Args, Debug)]
pub struct SolveArguments {
    #[command(flatten)]
    game: GameArgument,
    /// How it is solved
    #[arg(long, value_enum, default_value_t)]
    method: SolveMethod,
    /// Seconds for all: building the tree, solving, writing; another run may differ [default: 60 for solving, without
    /// another limit]
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    seconds: Option<Duration>,
    /// NashConv at which it ends, in payoffs [default: 1e-6, without another limit]
    #[arg(long, value_name = "X", value_parser = nash_conv, allow_negative_numbers = true)]
    nash_conv: Option<f64>,
    /// Iterations after which it ends, those of earlier runs included
    #[arg(long, value_name = "N")]
    iterations: Option<u64>,
    /// A role that follows an opponent model, as in bob=file:nit.json (see `hyperplay players models`); the others answer it
    #[arg(long, value_name = "ROLE=MODEL", conflicts_with = "curve")]
    fix: Option<String>,
    /// With which probability it follows the model, adapting otherwise; several are separated by commas
    #[arg(long, value_name = "P,...", value_delimiter = ',', default_value = "1", value_parser = probability, requires = "fix")]
    modelled: Vec<f64>,
    /// Answer with a data-biased response: at each information set it is drawn anew whether the role follows the policy file. The
    /// probability is that of --modelled where the file counts N choices or more or has no count, and in proportion to the count below
    #[arg(long, value_name = "N", value_parser = positive, requires = "fix")]
    confidence: Option<f64>,
    #[command(flatten)]
    tree: TreeOptions,
    /// Write the policies to this file; if it holds an earlier run of the same game, continue that
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Write iterations, seconds and NashConv to this file, as CSV
    #[arg(long, value_name = "FILE")]
    curve: Option<PathBuf>,
    /// Write the policies and the curve to this file, as a page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// How many information sets of each role are shown, the most often reached first
    #[arg(long, value_name = "N", default_value_t = 12)]
    top: usize,
    /// For external, outcome and growing: determines what is sampled [default: drawn and printed]
    #[arg(long, value_name = "S", value_parser = seed, allow_negative_numbers = true)]
    seed: Option<u64>,
    #[command(flatten)]
    threads: ThreadsOption,
    #[command(flatten)]
    engine: EngineOption,
    /// Report in JSON (keys: docs/json.md)
    #[arg(long)]
    json: bool,
}

/// The choice of `--method`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum SolveMethod {
    /// dcfr and pdcfr+ side by side: the better of the two
    #[default]
    Auto,
    /// CFR+ with a linear average
    #[value(name = "cfr+")]
    CfrPlus,
    /// Discounted CFR
    Dcfr,
    /// Predictive CFR+ with a quadratic average
    #[value(name = "pcfr+")]
    PcfrPlus,
    /// Predictive discounted CFR+
    #[value(name = "pdcfr+")]
    PdcfrPlus,
    /// Monte-Carlo CFR, external sampling, which builds no tree to solve
    External,
    /// Monte-Carlo CFR, outcome sampling, which builds no tree to solve
    Outcome,
    /// Predictive discounted CFR+ on a tree that grows, with playouts at its leaves
    Growing,
    /// The linear program of the sequence form; two roles, constant sum
    Lp,
}

impl SolveMethod {
    /// The name of the method in its policies, if it keeps no state and computes them anew.
    fn stateless(self) -> Option<String> {
        self.to_possible_value().map(|value| value.get_name().to_owned()).filter(|_| self.rules().is_empty())
    }

    /// The solver, if the method needs no complete tree of at most `nodes` nodes.
    fn treeless(self, machine: &Engine, nodes: usize) -> Option<Treeless> {
        let sampling = |scheme| Treeless::Sampling(Box::new(MonteCarloMinimiser::new(machine, scheme)));
        match self {
            SolveMethod::External => Some(sampling(SamplingScheme::External)),
            SolveMethod::Outcome => Some(sampling(SamplingScheme::Outcome)),
            SolveMethod::Growing => {
                let options = GrowingOptions::default();
                let options = GrowingOptions { nodes: nodes.min(options.nodes), ..options };
                Some(Treeless::Growing(Box::new(GrowingMinimiser::new(machine, options))))
            }
            _ => None,
        }
    }

    /// The regret minimisers that it runs on the tree; none for the others.
    fn rules(self) -> &'static [RegretRule] {
        match self {
            SolveMethod::Auto => &RegretRule::PORTFOLIO,
            SolveMethod::CfrPlus => &[RegretRule::CfrPlus],
            SolveMethod::Dcfr => &[RegretRule::Discounted],
            SolveMethod::PcfrPlus => &[RegretRule::Predictive],
            SolveMethod::PdcfrPlus => &[RegretRule::PredictiveDiscounted],
            SolveMethod::External | SolveMethod::Outcome | SolveMethod::Growing | SolveMethod::Lp => &[],
        }
    }
}

/// Reads a NashConv.
fn nash_conv(text: &str) -> Result<f64, String> {
    let nash_conv: f64 = text.parse().map_err(|_| "expected a number".to_owned())?;
    if nash_conv >= 0.0 { Ok(nash_conv) } else { Err("expected a number of 0 or more".to_owned()) }
}

/// Reads a probability.
fn probability(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(arguments: &SolveArguments, session: &Session) -> CommandResult {
    let Session { interrupt, out, .. } = session;
    let clock = arguments.seconds.map_or(Budget::UNLIMITED, Budget::time);
    arguments.threads.apply()?;
    let opened = arguments.game.open()?;
    arguments.check_paths()?;
    if let Some(fix) = &arguments.fix {
        return answers::run(arguments, fix, &opened, session, clock);
    }
    let stateless = arguments.method.stateless();
    let saved = SavedSolution::open(arguments.out.as_deref(), &opened.hash(), stateless.as_deref())?;
    let content = FileContent::beginning("curve", report::curve_as_csv(&[]));
    let curve = WrittenFile::if_given(arguments.curve.as_deref(), content)?;
    let content = FileContent::like("html", report::begun_page(&opened).finish().as_bytes());
    let page = WrittenFile::if_given(arguments.html.as_deref(), content)?;
    let files = ReportFiles { saved, curve, page };
    let (_, machine) = match arguments.method {
        SolveMethod::Growing => arguments.engine.open(&opened)?,
        _ => arguments.engine.open_for_steps(&opened)?,
    };
    if let Some(minimiser) = arguments.method.treeless(&machine, arguments.tree.max_nodes) {
        files.saved.refuse_state()?;
        let run = SampledRun { arguments, opened: &opened, machine: &machine, clock, interrupt };
        run.run(minimiser, &files, out)?;
    } else {
        let tree = arguments.tree.build(&opened, &machine, &interrupt.within(clock))?;
        let solved = arguments.solve(&opened.name, &machine, tree, &files.saved, (clock, interrupt))?;
        arguments.deliver(&opened, &machine, &solved, &files, out)?;
    }
    go_on(interrupt)
}

/// The files of a run.
struct ReportFiles<'a> {
    saved: SavedSolution<'a>,
    curve: Option<WrittenFile>,
    page: Option<WrittenFile>,
}

impl SolveArguments {
    /// Solves a game on its tree.
    fn solve(
        &self,
        name: &str,
        machine: &Engine,
        tree: GameTree,
        saved: &SavedSolution<'_>,
        (clock, interrupt): (Budget, &Interrupt),
    ) -> CommandResult<Solved> {
        let form = SequenceForm::new(&tree, self.tree.unit);
        if tree.sets().is_empty() {
            let what = format!("{name}: no role decides anything");
            return Err(CommandFailure::failed(what, "there is nothing to solve"));
        }
        let stop = || interrupt.is_raised();
        let profile = Profile::uniform(&tree);
        let roles: Vec<Role> = tree.players().collect();
        // The state of a minimiser is written too, and takes about as long as its policies at the most.
        let count = tree.sets().len() * (1 + self.method.rules().len());
        let writing = saved.time_to_write(machine, entries_of(&tree, &profile, &roles), count);
        let limits = self.limits(clock.earlier(writing), &stop);
        let (mut curve, mut minimisers) = (Vec::new(), Vec::new());
        let solution = if self.method == SolveMethod::Lp {
            saved.refuse_state()?;
            let solution = self.by_program(name, &form, &limits)?;
            curve.push(solution.point.clone());
            solution
        } else {
            minimisers = saved.minimisers(&form, self.tree.unit, self.method.rules())?;
            let ticker = Progress::open();
            let solution = solve(&form, &mut minimisers, &limits, |point| {
                ticker.say(|| in_words(point));
                curve.push(point.clone());
            });
            ticker.finish();
            solution
        };
        log(format_args!("{} in {:.2} s", in_words(&solution.point), solution.point.seconds));
        let is_cut = !minimisers.is_empty() && limits.is_open(&solution.point);
        Ok(Solved { tree, form, solution, curve, minimisers, is_cut, seed: None })
    }

    /// Solves a game by its linear program.
    fn by_program(
        &self,
        name: &str,
        form: &SequenceForm,
        limits: &SolveLimits<'_>,
    ) -> CommandResult<SolvedProfile> {
        linear_program(form, limits).map_err(|error| match error {
            LinearProgramError::Stopped(_) if (limits.stop)() => CommandFailure::Interrupted,
            error => CommandFailure::failed(format!("{name}: {error}"), "--method auto minimises regret"),
        })
    }

    /// Refuses one path for two files.
    fn check_paths(&self) -> CommandResult {
        let paths: Vec<&PathBuf> = [&self.out, &self.curve, &self.html].into_iter().flatten().collect();
        match (1..paths.len()).find(|&place| paths[..place].contains(&paths[place])) {
            Some(twice) => {
                let what = format!("{} is given for two files", paths[twice].display());
                Err(CommandFailure::usage(what, "name a file for each"))
            }
            None => Ok(()),
        }
    }

    /// Writes the files and the report.
    fn deliver(
        &self,
        opened: &Opened,
        machine: &Engine,
        solved: &Solved,
        files: &ReportFiles<'_>,
        out: &Output,
    ) -> CommandResult {
        let Solved { minimisers, curve, .. } = solved;
        let report = SolveReport::new(opened, machine, self.tree.unit, solved);
        let states: Vec<RegretCheckpoint> = minimisers.iter().map(RegretMinimiser::checkpoint).collect();
        files.saved.write(&report.document(), report.entries(), &states)?;
        if let Some(file) = &files.curve {
            file.text(report::curve_as_csv(curve))?;
        }
        if let Some(file) = &files.page {
            file.text(report.page(curve))?;
        }
        if self.json { out.json(&report.as_json()) } else { report.write(self.top, out) }
    }

    /// When the solver ends, with so much of the clock.
    fn limits<'a>(&self, clock: Budget, stop: &'a (dyn Fn() -> bool + Sync)) -> SolveLimits<'a> {
        let is_free = self.seconds.is_none() && self.nash_conv.is_none() && self.iterations.is_none();
        SolveLimits {
            nash_conv: self.nash_conv.unwrap_or(if is_free { ENOUGH } else { 0.0 }),
            iterations: self.iterations.unwrap_or(u64::MAX / 2),
            budget: if is_free { Budget::time(LONG) } else { clock },
            stop,
        }
    }
}
