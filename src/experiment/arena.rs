//! Arena: the games of a plan on their engines, ready to play any match of it.
//!
//! Engines are made once and shared by all threads; players are made for each match. The result of a
//! match is the lines that are written about it, so the thread that played the match does all the work but the writing.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::decision_log::DecisionLog;
use super::plan::{ExperimentPlan, MatchPlace};
use super::recorder::{RecordLines, Recorder};
use super::stored::{FinishedMatch, KINDS};
use super::walk::{compare, walk};
use super::watched::{PlayerWatch, watched};
use hyperplay_engine::{Engine, Engines};
use hyperplay_lab::{LabError, LabResult};
use hyperplay_logic::gdl::Game;
use hyperplay_machine::{ByRole, Role};
use hyperplay_play::for_engine::play_match;
use hyperplay_play::player::{DecisionBudget, PlayerSpec, Seat};
use hyperplay_play::referee::{
    Clocks, Interrupt, Match, MatchOutcome, Settings, Stopwatch, host, match_id, match_seed,
};

/// The engine of a game, and the engines of the entrants that ask for another one.
struct ArenaGame {
    engine: Arc<Engine>,
    own: Vec<Option<Arc<Engine>>>,
}

/// A plan that can be played.
pub struct Arena {
    /// The plan.
    pub plan: ExperimentPlan,
    specs: Vec<PlayerSpec>,
    games: Vec<ArenaGame>,
    /// By cell and seat permutation, where somebody learns from the matches, the players by seat.
    series: BTreeMap<(usize, usize), Vec<PlayerSpec>>,
    host: String,
    threads: usize,
    log: DecisionLog,
}

impl Arena {
    /// Makes the engines of the games. These are those of the plan in its order, and so are the specs those of its
    /// entrants: policy files are what they were when the plan got its hash. `threads` is written down with every
    /// match; `log` says what of every decision.
    ///
    /// # Errors
    /// If there is no engine for a game.
    pub fn new(
        plan: ExperimentPlan,
        specs: Vec<PlayerSpec>,
        games: &[Game],
        threads: usize,
        log: DecisionLog,
    ) -> LabResult<Arena> {
        let mut made = Vec::new();
        for (number, game) in games.iter().enumerate() {
            let engines = Engines::new(game);
            let get = |kind| {
                engines.get(kind).map_err(|cause| {
                    let what = format!("{}: {cause}", plan.games[number].name);
                    LabError::other(what, "take engine = 'interpreter'")
                })
            };
            let plays = |entrant: usize| {
                plan.cells.iter().any(|cell| cell.game == number && cell.entrants.contains(&entrant))
            };
            let own = specs
                .iter()
                .enumerate()
                .map(|(entrant, spec)| spec.engine().filter(|_| plays(entrant)).map(get).transpose());
            let own = own.collect::<Result<_, _>>()?;
            made.push(ArenaGame { engine: get(plan.engine)?, own });
        }
        let mut series = BTreeMap::new();
        for (number, cell) in plan.cells.iter().enumerate().filter(|(number, _)| plan.learns(*number)) {
            for (at, seats) in cell.seat_permutations.iter().enumerate() {
                let players = seats.iter().map(|&entrant| specs[entrant].in_series());
                series.insert((number, at), players.collect());
            }
        }
        Ok(Arena { plan, specs, games: made, series, host: host(), threads, log })
    }

    /// The machine of a game.
    pub(super) fn machine(&self, game: usize) -> &Arc<Engine> {
        &self.games[game].engine
    }

    /// An entrant with the engine that it plays a game on.
    pub(super) fn entrant(&self, game: usize, entrant: usize) -> (&PlayerSpec, &Arc<Engine>) {
        let ArenaGame { engine, own } = &self.games[game];
        (&self.specs[entrant], own[entrant].as_ref().unwrap_or(engine))
    }

    /// Whether an entrant is another program.
    pub(super) fn is_remote(&self, entrant: usize) -> bool {
        self.specs[entrant].spec().is_remote()
    }

    /// The budget of a decision, which the interrupt cancels.
    pub(super) fn budget(&self, interrupt: &Interrupt) -> DecisionBudget {
        let Settings { clocks, nodes, .. } = self.settings();
        DecisionBudget { nodes, time: clocks.map(|clocks| clocks.play), cancel: interrupt.budget.cancel }
    }

    /// Plays one match; nothing if the interrupt was raised before its end. A match in which the rules cannot be
    /// evaluated has lines like any other, without goals.
    ///
    /// # Errors
    /// If a thread for a player cannot be made.
    pub fn play(&self, place: &MatchPlace, interrupt: &Interrupt) -> LabResult<Option<RecordLines>> {
        let plan = &self.plan;
        let number = plan.cells[place.cell].game;
        let machine = self.machine(number);
        let game = plan.game(place.cell);
        let mut players: ByRole<Option<Seat>> = ByRole::from_fn(game.roles.len(), |_| None);
        let watches = ByRole::from_fn(game.roles.len(), |_| PlayerWatch::new(self.log));
        let series = self.series.get(&(place.cell, place.seat_permutation));
        for (seat, role) in game.played().map(Role::new).enumerate() {
            let (spec, engine) = self.entrant(number, plan.seats(place)[seat]);
            let spec = series.map_or(spec, |players| &players[seat]);
            players[role] = Some(watched(spec.seat(engine, role), watches[role].clone()));
        }
        let watch = Stopwatch::start();
        let seed = match_seed(plan.seed, place.deal as usize);
        let settings = Settings { id: match_id(&game.name, place.deal as usize), ..self.settings() };
        let no_thread = |cause| {
            let what = format!("no thread for a player: {cause}");
            LabError::other(what, "play without clocks, or on fewer threads")
        };
        let played = play_match(machine.as_ref(), players, &settings, &seed, interrupt, &mut |_| ());
        let played = played.map_err(no_thread)?;
        let seconds = watch.elapsed();
        if played.outcome == MatchOutcome::Interrupted {
            return Ok(None);
        }
        self.show(place, &played);
        let recorder = Recorder {
            machine: machine.as_ref(),
            plan,
            place,
            played: &played,
            watches: &watches,
            seconds,
            host: &self.host,
            threads: self.threads,
        };
        Ok(Some(recorder.lines(self.log)))
    }

    /// Shows the players that learn the next match of their series.
    fn show(&self, place: &MatchPlace, played: &Match) {
        let is_over = matches!(played.outcome, MatchOutcome::Over(_));
        if let Some(players) = self.series.get(&(place.cell, place.seat_permutation)).filter(|_| is_over) {
            let (machine, history) = (self.machine(self.plan.cells[place.cell].game), played.history());
            let seats = self.plan.game(place.cell).played().map(Role::new).zip(players);
            seats.for_each(|(role, player)| player.saw(machine, role, &history));
        }
    }

    /// Shows the players that learn a finished match that is not played again, the next one of their series.
    ///
    /// # Errors
    /// If it comes to another end than is recorded.
    pub fn recall(&self, finished: &FinishedMatch) -> LabResult {
        if self.plan.learns(finished.place.cell) {
            let machine = self.machine(self.plan.cells[finished.place.cell].game);
            self.show(&finished.place, &walk(machine, &self.plan, finished, DecisionLog::Turns)?.0);
        }
        Ok(())
    }

    /// The lines of a finished match, with those that it lacks; nothing if the interrupt was raised. Without clocks the
    /// players are asked again; with clocks, where they would answer something else, the match is walked.
    ///
    /// # Errors
    /// If it comes to another end than is recorded.
    pub(super) fn completed(
        &self,
        finished: FinishedMatch,
        interrupt: &Interrupt,
    ) -> LabResult<Option<RecordLines>> {
        let lacks =
            |(kind, lines): (&str, &Option<_>)| lines.is_none() && kind != KINDS[0] && self.log.records(kind);
        let made = if !KINDS.into_iter().zip(&finished.lines).any(lacks) {
            self.recall(&finished)?;
            RecordLines::default()
        } else if self.plan.clocks.is_some() {
            let machine = self.machine(self.plan.cells[finished.place.cell].game);
            // The beliefs cannot be had again.
            let (played, lines) = walk(machine, &self.plan, &finished, self.log.min(DecisionLog::Positions))?;
            self.show(&finished.place, &played);
            lines
        } else {
            let Some(lines) = self.play(&finished.place, interrupt)? else { return Ok(None) };
            compare(&finished, &lines)?;
            lines
        };
        let (goals, mut lines) = (finished.goals(), made.lines);
        // A timing that was lost cannot be had again.
        lines[0] = Vec::new();
        for (lines, recorded) in lines.iter_mut().zip(finished.lines) {
            *lines = recorded.unwrap_or(std::mem::take(lines));
        }
        Ok(Some(RecordLines { goals, lines, ..RecordLines::default() }))
    }

    fn settings(&self) -> Settings {
        let clock = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        Settings {
            clocks: self.plan.clocks.map(|(start, play)| Clocks { start: clock(start), play: clock(play) }),
            think_ahead: self.plan.think_ahead,
            nodes: self.plan.nodes,
            limit: self.plan.limit,
            ..Settings::default()
        }
    }
}
