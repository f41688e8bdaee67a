//! `solve --fix`: the answers of the other roles to a role that follows an opponent model.
//!
//! For each probability of `--modelled` the game is solved in which the role follows the model with it
//! ([`SequenceForm::restricted`]). The solutions are restricted Nash responses, and with `--confidence` data-biased ones
//! ([`SequenceForm::data_biased`]). Each response is judged in the game itself: by its value
//! against the model, and, where two roles decide and the sum of their payoffs is constant, by its value at worst.

use serde_json::{Value, json};

use super::saved::SavedSolution;
use super::solved::CUT;
use super::{SolveArguments, SolveMethod, report};
use crate::failure::{CommandFailure, CommandResult, refuse_if};
use crate::game_argument::Opened;
use crate::game_tree::by_role;
use crate::policies::model_of;
use crate::seats::role_named;
use crate::session::Session;
use hyperplay_engine::Engine;
use hyperplay_logic::gdl::fold;
use hyperplay_machine::{Budget, Role, StateMachine as _};
use hyperplay_play::files::{FileContent, WrittenFile};
use hyperplay_play::player::{PolicyDocument, SpecFile, counts_of, entries_of};
use hyperplay_report::{Axis, Figure, FigurePoint, FigureSeries, LinePlot, Page, Plot, Table};
use hyperplay_think::belief::OpponentModel;
use hyperplay_think::solve::{
    GameTree, Profile, RegretMinimiser, SequenceForm, SolvedProfile, Verdict, solve,
};

/// The method in a policy file.
const METHOD: &str = "answer";

/// The answers to the model with one probability.
struct Answer {
    modelled: f64,
    profile: Profile,
    /// Of the answers against the model.
    verdict: Verdict,
    at_worst: Option<f64>,
    /// In the game in which the role follows the model with the probability.
    nash_conv: f64,
    /// Whether the time, or an interrupt, ended the run before another limit was met.
    is_cut: bool,
}

/// Finds the answers and reports them.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(
    arguments: &SolveArguments,
    fix: &str,
    opened: &Opened,
    session: &Session,
    clock: Budget,
) -> CommandResult {
    let Session { registry, interrupt, out, .. } = session;
    let (name, text) = fix.split_once('=').unwrap_or((fix, ""));
    let role = role_named(&opened.game, name, "the role random chooses by itself")?;
    let spec = model_of(text, &opened.game, &opened.hash(), registry)?;
    refuse_if(
        arguments.method.rules().is_empty() && arguments.method != SolveMethod::Lp,
        "--fix answers in the tree of the game, which this --method does not build",
        "take another --method, as auto or lp",
    )?;
    let files = if spec.spec().name() == "file" { spec.spec().files() } else { Vec::new() };
    let counted =
        files.iter().find_map(|(_, file)| if let SpecFile::Policy(file) = file { Some(file) } else { None });
    refuse_if(
        arguments.confidence.is_some() && counted.is_none(),
        format!("--confidence needs a policy file with counts, and the model is '{}'", spec.spec()),
        "write one from matches with `hyperplay learn`, and name it as in --fix bob=file:bob.json",
    )?;
    let spoken = counted.map_or(Vec::new(), |file| file.roles());
    refuse_if(
        !spoken.is_empty() && !spoken.contains(&fold(name).as_ref()),
        format!("'{}' says nothing of {name}, but of {}", spec.spec(), spoken.join(", ")),
        "give a policy file of this role, or fix a role that the file speaks of",
    )?;
    let saved = SavedSolution::open(arguments.out.as_deref(), &opened.hash(), Some(METHOD))?;
    saved.refuse_state()?;
    let content = FileContent::like("html", report::begun_page(opened).finish().as_bytes());
    let page = WrittenFile::if_given(arguments.html.as_deref(), content)?;
    let (_, machine) = arguments.engine.open_for_steps(opened)?;
    let tree = &arguments.tree.build(opened, &machine, &interrupt.within(clock))?;
    let title = format!("{}: answers to {name}={}", opened.name, spec.spec());
    let confidence = arguments.confidence.zip(counted).map(|(most, file)| {
        counts_of(&machine, file, tree).into_iter().map(|count| (count / most).clamp(0.0, 1.0)).collect()
    });
    let answers = Answers { arguments, name: &opened.name, title, machine: &machine, tree, role, confidence };
    let stop = || interrupt.is_raised();
    let found = answers.find(&*spec.model(&machine), clock, &stop)?;
    let is_cut = found.iter().any(|answer| answer.is_cut);
    if let Some(Answer { profile, verdict, .. }) = found.last() {
        let values = by_role(machine.roles(), tree.players(), |role| verdict.values[role]);
        let header =
            json!({ "game": opened.name, "rules": opened.hash(), "method": METHOD, "values": values });
        let document = PolicyDocument { machine: &machine, header };
        saved.write(&document, entries_of(tree, profile, &tree.players().collect::<Vec<_>>()), &[])?;
    }
    if let Some(file) = page {
        file.text(answers.page(report::begun_page(opened), &found))?;
    }
    if arguments.json {
        let fixed = json!({
            "role": machine.roles()[role], "model": spec.spec().to_string(), "confidence": arguments.confidence
        });
        let mut report = json!({ "game": opened.name, "rules": opened.hash(), "unit": arguments.tree.unit });
        (report["fixed"], report["answers"]) = (fixed, answers.as_json(&found));
        report["reproduces"] = json!(!is_cut);
        out.json(&report)?;
    } else {
        out.line(format_args!("{}; a payoff of 1 is {} goal points", answers.title, arguments.tree.unit))?;
        out.text(&answers.table(&found).shown().as_text())?;
        if is_cut {
            out.line(CUT)?;
        }
    }
    if stop() { Err(CommandFailure::Interrupted) } else { Ok(()) }
}

/// The game in which a role is answered.
struct Answers<'a> {
    arguments: &'a SolveArguments,
    name: &'a str,
    title: String,
    machine: &'a Engine,
    tree: &'a GameTree,
    role: Role,
    /// For a data-biased response, how much of the probability there is at each information set.
    confidence: Option<Vec<f64>>,
}

impl Answers<'_> {
    /// The answers to a model, one for each probability, with equal parts of the clock.
    fn find(
        &self,
        model: &dyn OpponentModel,
        clock: Budget,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> CommandResult<Vec<Answer>> {
        let Answers { arguments, tree, role, ref confidence, .. } = *self;
        let most = arguments.tree.max_nodes;
        let form = SequenceForm::new(tree, arguments.tree.unit);
        let fixed = Profile::from_fn(tree, |set, moves| {
            let set = &tree.sets()[set];
            let is_fixed = set.role == role;
            if is_fixed { model.policy(role, &tree.evidence(set), moves) } else { vec![1.0; moves.len()] }
        });
        let answer = |(place, &modelled): (usize, &f64)| {
            let clock = clock.share(1.0 / (arguments.modelled.len() - place) as f64);
            let limits = &arguments.limits(clock, stop);
            let game = match confidence {
                Some(parts) => form.data_biased(role, |set| modelled * parts[set], &fixed, most),
                None => Some(form.restricted(role, modelled, &fixed)),
            };
            let game = &game.ok_or_else(|| {
                let what = format!("{}: with --confidence there are more than {most} payoffs", self.name);
                CommandFailure::failed(what, "allow more with --max-nodes, or leave out --confidence")
            })?;
            let rules = arguments.method.rules().iter();
            let mut minimisers: Vec<_> = rules.map(|&rule| RegretMinimiser::new(game, rule)).collect();
            let SolvedProfile { mut profile, point } = match minimisers[..] {
                [] => arguments.by_program(self.name, game, limits)?,
                _ => solve(game, &mut minimisers, limits, |_| ()),
            };
            let sets = (0..tree.sets().len()).filter(|&set| tree.sets()[set].role == role);
            sets.for_each(|set| profile.set(tree, set, fixed.of(tree, set)));
            let verdict = form.judge(&profile);
            let constant = form.constant_sum.filter(|_| form.player_count() == 2);
            let at_worst = constant.map(|sum| sum - verdict.best_responses[role]);
            let is_cut = !minimisers.is_empty() && limits.is_open(&point);
            Ok(Answer { modelled, profile, verdict, at_worst, nash_conv: point.verdict.nash_conv, is_cut })
        };
        arguments.modelled.iter().enumerate().map(answer).collect()
    }

    /// The roles that answer.
    fn others(&self) -> impl Iterator<Item = Role> {
        self.tree.players().filter(|&other| other != self.role)
    }

    fn table(&self, found: &[Answer]) -> Table {
        let rows = found.iter().flat_map(|Answer { modelled, verdict, at_worst, nash_conv, .. }| {
            self.others().map(move |role| {
                let (name, value) = (self.machine.roles()[role].as_str(), verdict.values[role]);
                let [value, gain] = [value, verdict.best_responses[role] - value].map(Value::from);
                [(*modelled).into(), name.into(), value, gain, (*at_worst).into(), (*nash_conv).into()]
            })
        });
        let columns = ["modelled: 4", "role: text", "value: 6", "to gain: 6", "at worst: 6", "NashConv: 6"];
        Table::plain(columns, rows)
    }

    fn as_json(&self, found: &[Answer]) -> Value {
        let answer = |Answer { modelled, verdict, at_worst, nash_conv, .. }: &Answer| {
            let role = |role: Role| {
                let (value, best) = (verdict.values[role], verdict.best_responses[role]);
                json!({ "value": value, "best_response": best, "at_worst": at_worst })
            };
            let roles = by_role(self.machine.roles(), self.others(), role);
            json!({ "modelled": modelled, "roles": roles, "nash_conv": nash_conv })
        };
        found.iter().map(answer).collect()
    }

    /// The page: the table, and the value against the model by the value at worst.
    fn page(&self, mut page: Page, found: &[Answer]) -> String {
        page.table(&self.title, &self.table(found).shown());
        let points = found.iter().flat_map(|answer| {
            let values = self.others().map(|role| answer.verdict.values[role]);
            answer.at_worst.into_iter().zip(values).map(|(x, y)| FigurePoint::exact(x, y))
        });
        let (x, y) = (Axis::linear("value at worst"), Axis::linear("value against the model"));
        let plot = LinePlot::single(x, y, vec![FigureSeries::measured("answers", points.collect())]);
        let caption = "The value of the answers against the model by that against a best response to them, by the probability of the \
                       model.";
        page.figure(Figure::new(&[self.name, "answers"], "Answers", caption, Plot::Lines(plot)));
        page.finish()
    }
}
