//! The report of `solve`: value a role, NashConv, and the policies as tables that a person reads.

use serde_json::{Value, json};

use super::solved::{CUT, Solved};
use crate::failure::CommandResult;
use crate::game_argument::Opened;
use crate::game_tree::{by_role, size_as_json, size_in_words};
use crate::output::Output;
use hyperplay_engine::Engine;
use hyperplay_machine::{Role, StateMachine as _, StateMachineExt as _, counted};
use hyperplay_play::player::{PolicyDocument, PolicyEntry, entries_of, known_in_words};
use hyperplay_report::{Axis, Figure, FigurePoint, FigureSeries, LinePlot, Page, Plot, Table};
use hyperplay_think::solve::SolvePoint;

/// Everything that is reported.
pub struct SolveReport<'a> {
    opened: &'a Opened,
    engine: &'a Engine,
    unit: f64,
    of: &'a Solved,
    players: Vec<Role>,
    /// How often each information set is reached under the solution.
    reached: Vec<f64>,
}

impl<'a> SolveReport<'a> {
    pub fn new(opened: &'a Opened, engine: &'a Engine, unit: f64, of: &'a Solved) -> Self {
        let (reached, players) = (of.tree.reached(&of.solution.profile), of.tree.players().collect());
        SolveReport { opened, engine, unit, of, players, reached }
    }

    fn name(&self, role: Role) -> &'a str {
        &self.engine.roles()[role]
    }

    /// The header before the policies in a file.
    pub fn document(&self) -> PolicyDocument<'_> {
        let point = &self.of.solution.point;
        let mut header = json!({
            "game": self.opened.name,
            "rules": self.opened.hash(),
            "method": point.method,
            "iterations": point.iterations,
            "unit": self.unit,
            "values": by_role(self.engine.roles(), self.of.tree.players(), |role| point.verdict.values[role]),
            "nash_conv": point.verdict.nash_conv,
        });
        self.of.seed.into_iter().for_each(|seed| header["seed"] = seed.into());
        PolicyDocument { machine: self.engine, header }
    }

    /// The policies of all roles.
    pub fn entries(&self) -> impl Iterator<Item = PolicyEntry<'_>> {
        entries_of(&self.of.tree, &self.of.solution.profile, &self.players)
    }

    /// The report for machines.
    pub fn as_json(&self) -> Value {
        let point = &self.of.solution.point;
        let role = |role: Role| {
            let (value, best) = (point.verdict.values[role], point.verdict.best_responses[role]);
            json!({"value": value, "goal": 50.0 + self.unit * value, "best_response": best})
        };
        let mut report = json!({
            "game": self.opened.name,
            "rules": self.opened.hash(),
            "unit": self.unit,
            "tree": size_as_json(&self.of.tree.size(), self.engine.roles(), self.of.tree.random),
            "constant_sum": self.of.tree.constant_sum().is_some(),
            "method": point.method,
            "iterations": point.iterations,
            "roles": by_role(self.engine.roles(), self.of.tree.players(), role),
            "nash_conv": point.verdict.nash_conv,
            "reproduces": !self.of.is_cut,
        });
        self.of.seed.into_iter().for_each(|seed| report["seed"] = seed.into());
        report
    }

    /// The report for reading.
    ///
    /// # Errors
    /// If standard output cannot be written to.
    pub fn write(&self, top: usize, out: &Output) -> CommandResult {
        let solved = &self.of.solution;
        out.line(format_args!("{}: {}", self.opened.name, size_in_words(&self.of.tree.size())))?;
        out.text(&self.value_table().shown().as_text())?;
        out.line(format_args!(
            "NashConv {:.2e} after {} of {}; a payoff of 1 is {} goal points",
            solved.point.verdict.nash_conv,
            counted(solved.point.iterations, "iteration"),
            solved.point.method,
            self.unit
        ))?;
        if self.of.is_cut {
            out.line(CUT)?;
        }
        if !self.of.is_sure() {
            out.line("no solver is sure to find an equilibrium of this game; NashConv says how far this is from one")?;
        }
        for &role in &self.players {
            let rows = self.rows(role);
            if top == 0 || rows.is_empty() {
                continue;
            }
            out.line("")?;
            out.text(&self.policy_table(&rows[..top.min(rows.len())]).shown().as_text())?;
            if rows.len() > top {
                out.line(format_args!(
                    "and {} other information sets of {}",
                    rows.len() - top,
                    self.name(role)
                ))?;
            }
        }
        Ok(())
    }

    fn value_table(&self) -> Table {
        let verdict = &self.of.solution.point.verdict;
        let rows = self.players.iter().map(|&role| {
            let (value, best) = (verdict.values[role], verdict.best_responses[role]);
            [self.name(role).into(), value.into(), (50.0 + self.unit * value).into(), best.into()]
        });
        Table::plain(["role: text", "value: 6", "goal: 3", "best response: 6"], rows)
    }

    /// The information sets of a role, the most often reached first.
    fn rows(&self, role: Role) -> Vec<usize> {
        let mut sets: Vec<usize> =
            (0..self.of.tree.sets().len()).filter(|&set| self.of.tree.sets()[set].role == role).collect();
        sets.sort_by(|&one, &other| self.reached[other].total_cmp(&self.reached[one]).then(one.cmp(&other)));
        sets
    }

    fn policy_table(&self, sets: &[usize]) -> Table {
        let rows = sets.iter().map(|&set| {
            let shares = self.of.solution.profile.of(&self.of.tree, set);
            let moves = self.of.tree.moves(set).iter().zip(shares);
            let plays: Vec<String> =
                moves.map(|(&own, share)| format!("{} {share:.3}", self.engine.show_move(own))).collect();
            let (role, knows) =
                (self.of.tree.sets()[set].role, known_in_words(self.engine, &self.of.tree, set));
            let reached = self.reached[set].into();
            [self.name(role).into(), knows.as_str().into(), plays.join(", ").as_str().into(), reached]
        });
        Table::plain(["role: text", "knows: text", "plays: text", "reached: 4"], rows)
    }

    /// The page: values, curve and policies.
    pub fn page(&self, curve: &[SolvePoint]) -> String {
        let solved = &self.of.solution;
        let mut page = begun_page(self.opened);
        page.paragraph(&size_in_words(&self.of.tree.size()));
        page.table("Values; a payoff of 1 is the unit", &self.value_table().shown());
        let (method, iterations, nash_conv) =
            (self.of.solution.point.method, solved.point.iterations, solved.point.verdict.nash_conv);
        page.paragraph(&format!(
            "NashConv {nash_conv:.2e} by {method}, {iterations} iterations; the unit is {} goal points. Rules {}.",
            self.unit,
            self.opened.hash()
        ));
        let above = curve.iter().map(|point| (point.iterations as f64, point.verdict.nash_conv));
        let above = above.filter(|&(_, nash_conv)| nash_conv > 0.0);
        let points: Vec<FigurePoint> = above.map(|(x, y)| FigurePoint::exact(x, y)).collect();
        if points.len() > 1 {
            let (x, y) = (Axis::logarithmic("iterations"), Axis::logarithmic("NashConv"));
            let plot = LinePlot::single(x, y, vec![FigureSeries::measured("average policies", points)]);
            let caption = "NashConv of the average policies by iterations.";
            page.figure(Figure::new(
                &[&self.opened.name, "nash-conv"],
                "NashConv",
                caption,
                Plot::Lines(plot),
            ));
        }
        for &role in &self.players {
            let rows = self.rows(role);
            page.heading(self.name(role));
            let shown = &rows[..rows.len().min(PAGE_ROWS)];
            page.table("The most often reached information sets first", &self.policy_table(shown).shown());
            if rows.len() > PAGE_ROWS {
                page.paragraph(&format!("{} others are not shown.", rows.len() - PAGE_ROWS));
            }
        }
        page.finish()
    }
}

/// The page of a game, otherwise empty.
pub fn begun_page(opened: &Opened) -> Page {
    Page::new(&format!("Equilibrium: {}", opened.name))
}

/// The most information sets of a role on a page.
const PAGE_ROWS: usize = 500;

/// How NashConv fell, as CSV.
pub fn curve_as_csv(curve: &[SolvePoint]) -> String {
    let mut text = "iterations,seconds,method,nash_conv\n".to_owned();
    for SolvePoint { method, iterations, seconds, verdict } in curve {
        text += &format!("{iterations},{seconds:.6},{method},{:e}\n", verdict.nash_conv);
    }
    text
}
