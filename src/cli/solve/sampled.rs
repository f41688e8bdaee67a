//! Solving without a complete tree: external and outcome sampling, and a tree that grows. The tree of the game serves
//! only for judgement, where it is small.
//!
//! Where the tree is too large to be judged, the report says how much of the game was met and, of a tree that grows,
//! how often its leaves are reached and what is left to gain on it; the policies go to the file of `--out`. `hyperplay exploit` bounds by matches what can be gained
//! against them.

use std::time::Duration;

use serde_json::{Value, json};

use super::saved::SavedSolution;
use super::solved::{CUT, Solved, in_words};
use super::treeless::Treeless;
use super::{ReportFiles, SolveArguments};
use crate::failure::{CommandFailure, CommandResult};
use crate::game_argument::Opened;
use crate::game_tree::{TreeOptions, no_tree};
use crate::options::pick_seed;
use crate::output::{Output, log};
use crate::progress::Progress;
use hyperplay_engine::Engine;
use hyperplay_machine::{Budget, Seed, counted};
use hyperplay_play::player::PolicyDocument;
use hyperplay_play::referee::{Interrupt, Stopwatch};
use hyperplay_think::solve::{
    GameTree, SamplingError, SequenceForm, SolveLimits, SolvePoint, SolvedProfile, TreeError,
};

/// The most nodes of a tree that is built to judge what was sampled.
const JUDGED: usize = 1_000_000;

/// The time between two looks at the limits.
const LOOK: Duration = Duration::from_millis(50);

/// A run of a solver that needs no complete tree.
pub struct SampledRun<'a> {
    pub arguments: &'a SolveArguments,
    pub opened: &'a Opened,
    pub machine: &'a Engine,
    pub clock: Budget,
    pub interrupt: &'a Interrupt,
}

impl SampledRun<'_> {
    /// Samples until a limit is met, and delivers the policies: judged, or by themselves where the tree is too large.
    ///
    /// # Errors
    /// If the game cannot be sampled, with the remedy.
    pub fn run(&self, mut minimiser: Treeless, files: &ReportFiles<'_>, out: &Output) -> CommandResult {
        let options =
            TreeOptions { max_nodes: self.arguments.tree.max_nodes.min(JUDGED), ..self.arguments.tree };
        // The sampling gets half of the time at least, and its policies are not judged where the tree takes more than
        // the other half.
        let half = self.interrupt.within(self.clock.share(0.5));
        let judge = match options.try_build(self.opened, self.machine, &half) {
            Ok(tree) => Ok((SequenceForm::new(&tree, options.unit), tree)),
            Err(TreeError::Stopped) if self.interrupt.is_raised() => {
                return Err(CommandFailure::Interrupted);
            }
            Err(error @ TreeError::Faulty(_)) => return Err(no_tree(&self.opened.name, &error)),
            Err(why) => Err(why),
        };
        let number = pick_seed(self.arguments.seed);
        log(format_args!("seed {number}"));
        let (solution, curve) =
            self.sample(&mut minimiser, judge.as_ref().ok(), &Seed::root(number), &files.saved)?;
        match (judge, solution) {
            (Ok((form, tree)), Some(solution)) => {
                let (minimisers, limits) = (Vec::new(), self.arguments.limits(self.clock, &|| false));
                let is_cut = limits.is_open(&solution.point);
                let seed = Some(number);
                let solved = Solved { tree, form, solution, curve, minimisers, is_cut, seed };
                self.arguments.deliver(self.opened, self.machine, &solved, files, out)
            }
            (Err(why), _) => self.report(&minimiser, (number, &why), &files.saved, out),
            (Ok(_), None) => unreachable!("what has a tree is judged at the end"),
        }
    }

    fn sample(
        &self,
        minimiser: &mut Treeless,
        judge: Option<&(SequenceForm, GameTree)>,
        seed: &Seed,
        saved: &SavedSolution<'_>,
    ) -> CommandResult<(Option<SolvedProfile>, Vec<SolvePoint>)> {
        let stop = || self.interrupt.is_raised();
        let SolveLimits { nash_conv, iterations: most, budget, .. } =
            self.arguments.limits(self.clock, &stop);
        let (clock, ticker) = (Stopwatch::start(), Progress::open());
        let (mut curve, mut writing) = (Vec::new(), Duration::ZERO);
        let (mut due, mut batch) = (1, 1);
        loop {
            let mut is_out = false;
            while minimiser.iterations() < due.min(most) && !is_out {
                let begin = clock.elapsed();
                let count = batch.min(due.min(most) - minimiser.iterations());
                minimiser.iterate(self.machine, count, seed).map_err(|error| self.failure(&error))?;
                // As many at a time as keep the looks at the limits about as far apart.
                batch = if clock.elapsed() - begin < LOOK { 2 * batch } else { (batch / 2).max(1) };
                batch = batch.min(minimiser.most_at_once());
                is_out = budget.earlier(writing).is_late() || stop();
                ticker.say(|| minimiser.met());
            }
            let is_last = is_out || minimiser.iterations() >= most;
            let solution = judge.map(|(form, tree)| {
                let profile = minimiser.to_profile(tree);
                let verdict = form.judge(&profile);
                let (method, iterations) = (minimiser.name(), minimiser.iterations());
                let seconds = clock.elapsed().as_secs_f64();
                SolvedProfile { profile, point: SolvePoint { method, iterations, seconds, verdict } }
            });
            curve.extend(solution.as_ref().map(|solution| solution.point.clone()));
            let is_enough =
                solution.as_ref().is_some_and(|solution| solution.point.verdict.nash_conv <= nash_conv);
            if is_last || is_enough {
                ticker.finish();
                if let Some(solution) = &solution {
                    log(format_args!("{} in {:.2} s", in_words(&solution.point), solution.point.seconds));
                }
                return Ok((solution, curve));
            }
            due += 1 + due / 2;
            // Until the next look as many information sets again may be met.
            let count = 2 * minimiser.information_sets();
            writing = saved.time_to_write(self.machine, minimiser.entries(), count);
        }
    }

    fn failure(&self, error: &SamplingError) -> CommandFailure {
        let remedy = match error {
            SamplingError::TooWide(..) => "take --method outcome",
            _ => "`hyperplay check --simulate` may say more",
        };
        CommandFailure::failed(format!("{}: {error}", self.opened.name), remedy)
    }

    /// Reports and writes policies that were not judged.
    ///
    /// # Errors
    /// If something cannot be written.
    fn report(
        &self,
        minimiser: &Treeless,
        (seed, why): (u64, &TreeError),
        saved: &SavedSolution<'_>,
        out: &Output,
    ) -> CommandResult {
        let (iterations, unit) = (minimiser.iterations(), self.arguments.tree.unit);
        let header = json!({
            "game": self.opened.name,
            "rules": self.opened.hash(),
            "method": minimiser.name(),
            "iterations": iterations,
            "seed": seed,
        });
        let document = PolicyDocument { machine: self.machine, header: header.clone() };
        saved.write(&document, minimiser.entries(), &[])?;
        let is_cut = self.arguments.iterations.is_none_or(|most| iterations < most);
        if self.arguments.json {
            let mut report = header;
            report["information_sets_met"] = minimiser.information_sets().into();
            match minimiser {
                Treeless::Sampling(minimiser) => report["visits"] = minimiser.visits.into(),
                Treeless::Growing(minimiser) => {
                    report["nodes"] = minimiser.nodes().into();
                    report["leaves"] = minimiser.leaves().into();
                    report["too_wide"] = minimiser.too_wide().into();
                    if let Some((gain, at_leaves)) = minimiser.judged_in_tree() {
                        report["nash_conv_in_tree"] = (gain / unit).into();
                        report["leaf_probability"] = at_leaves.into();
                    }
                }
            }
            report["nash_conv"] = Value::Null;
            report["reproduces"] = (!is_cut).into();
            report["why_not_judged"] = why.to_string().into();
            return out.json(&report);
        }
        out.line(format_args!("{}: {}, seed {seed}", self.opened.name, minimiser.met()))?;
        if is_cut {
            out.line(CUT)?;
        }
        if let Treeless::Growing(minimiser) = minimiser
            && let Some((gain, at_leaves)) = minimiser.judged_in_tree()
        {
            out.line(format_args!(
                "{:.1} % of matches under these policies come to a leaf; on this tree, with random play after its leaves, best \
                 responses gain {:.2e} more, which is no bound of NashConv in the game",
                100.0 * at_leaves,
                gain / unit
            ))?;
            if let wide @ 1.. = minimiser.too_wide() {
                let positions = counted(wide as u64, "position");
                out.line(format_args!("{positions} with too many joint moves cannot be grown"))?;
            }
        }
        out.line(format_args!(
            "not judged: {why}; `hyperplay exploit` bounds by matches what can be gained against the policies"
        ))
    }
}
