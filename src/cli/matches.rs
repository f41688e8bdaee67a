//! `hyperplay match`: plays matches and reports the goals of each role.
//!
//! The seed determines the result, whatever the number of threads. Matches with clocks, and those that are shown step
//! by step, are played one after the other. A match in which the rules cannot be evaluated is recorded as failed; the
//! others are played all the same.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::baseline::BaselineOption;
use super::exploit_subject::refused;
use super::failure::{CommandFailure, CommandResult, MATCH_FAILURE_REMEDY, refuse_if};
use super::game_argument::{GameArgument, Opened};
use super::match_records::MatchRecords;
use super::options::{EarlierOption, EngineOption, ThreadsOption, pick_seed, seconds, seed};
use super::output::log;
use super::progress::{Progress, RunningSeries, heartbeat};
use super::real_time::RealTime;
use super::report::{Report, Title};
use super::seats::SeatArguments;
use super::session::Session;
use super::verbose::{self, ShownMatch};
use hyperplay_engine::Engine;
use hyperplay_lab::study::PlayedMatch;
use hyperplay_machine::{ByRole, PLAYOUT_STEPS, Role, StateMachine};
use hyperplay_play::analysis::{Adjustment, Baseline};
use hyperplay_play::files::{FileContent, RecordFile};
use hyperplay_play::for_engine::play_match;
use hyperplay_play::player::{DecisionBudget, PlayerSpec};
use hyperplay_play::referee::{
    ChrononClock, ChrononRecord, Clocks, Concurrency, Heading, ManagedInteraction, Match, MatchOutcome,
    MatchStep, RunInfo, SCHEMA, Settings, Stopwatch, Transcript, match_id, match_seed, play_series,
    simulated, unix_millis,
};

/// Arguments of `match`.
#[derive(Args, Clone, Debug)]
pub struct MatchArguments {
    #[command(flatten)]
    pub game: GameArgument,
    /// The player of a role, as in alice=hyperplay:particles=64; roles not named are played at random
    #[arg(value_name = "ROLE=PLAYER")]
    pub seats: Vec<String>,
    /// How many matches
    #[arg(long, short = 'n', value_name = "N", default_value_t = 1, allow_negative_numbers = true)]
    pub matches: usize,
    /// Determines every random choice [default: drawn and printed]
    #[arg(long, value_name = "S", value_parser = seed, allow_negative_numbers = true)]
    seed: Option<u64>,
    #[command(flatten)]
    threads: ThreadsOption,
    /// Seconds to prepare, on top of the first play clock
    #[arg(long, value_name = "SECONDS", requires = "playclock", value_parser = seconds, allow_negative_numbers = true)]
    pub startclock: Option<Duration>,
    /// Seconds for each move; a later answer is a fault
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub playclock: Option<Duration>,
    /// Do not let players use the time between their decisions, as they do where there are clocks
    #[arg(long)]
    no_think_ahead: bool,
    /// States that a player may visit in one decision [default: as its spec says]
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// The longest match in steps; a longer match ends unfinished
    #[arg(long, value_name = "STEPS", default_value_t = PLAYOUT_STEPS)]
    limit: usize,
    /// Show every match step by step
    #[arg(long, short, conflicts_with = "json")]
    verbose: bool,
    /// Write one line of JSON for each match to this file
    #[arg(long, value_name = "FILE", group = "records")]
    transcript: Option<PathBuf>,
    #[command(flatten)]
    earlier: EarlierOption,
    /// Record the values of the players in the transcript
    #[arg(long, requires = "transcript")]
    values: bool,
    #[command(flatten)]
    engine: EngineOption,
    #[command(flatten)]
    baseline: BaselineOption,
    /// Report in JSON (keys: docs/json.md)
    #[arg(long)]
    pub json: bool,
}

impl MatchArguments {
    /// Refuses the options that do not go together with a person at the table.
    fn suit_persons(&self) -> CommandResult {
        let remedy =
            "leave out --verbose; with --transcript FILE, `hyperplay replay FILE` shows all of it afterwards";
        refuse_if(self.verbose, "--verbose would show a person what the others know", remedy)?;
        let what = "standard input has the rules, so a person cannot type there";
        refuse_if(self.game.game == "-", what, "name a file with the rules")
    }
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(arguments: &MatchArguments, session: &Session) -> CommandResult {
    run_hosted(arguments, arguments.game.open()?, &Hosting::default(), session)
}

/// The settings of a series by a game master, besides those of `match`.
#[derive(Default)]
pub struct Hosting {
    /// How a match is played, but for what the arguments of `match` say.
    pub settings: Settings,
    /// How many matches at a time.
    pub at_once: usize,
    /// Keeps a match in further forms.
    pub records: Option<MatchRecords>,
    /// For an interaction that is run in real time.
    pub real_time: Option<RealTime>,
}

/// The same for the series of a game master.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run_hosted(
    arguments: &MatchArguments,
    opened: Opened,
    hosting: &Hosting,
    session: &Session,
) -> CommandResult {
    let Session { registry, table, interrupt, out } = session;
    let threads = arguments.threads.apply()?;
    let seats = SeatArguments::parse(&opened.game, &opened.hash(), &arguments.seats, registry)?;
    let persons = seats.persons();
    if !persons.is_empty() {
        arguments.suit_persons()?;
    }
    let real_time = hosting.real_time.as_ref();
    let what = "a player behind an address needs clocks";
    refuse_if(
        arguments.playclock.is_none() && seats.has_remote() && real_time.is_none(),
        what,
        "give --playclock 5, and --startclock 10 if you like",
    )?;
    let watch = Stopwatch::start();
    let (engines, engine) = arguments.engine.open(&opened)?;
    let of_seats = seats.engines(&engines, &engine, &opened.name)?;
    if arguments.playclock.is_some() {
        // An engine that is compiled when it is first needed would use up the clock of the player that needs it first.
        of_seats.values().iter().for_each(|engine| engine.prepare());
    }
    let preparation = watch.elapsed();
    let baseline = arguments.baseline.open(&opened.name, &engine, session)?;
    let adjust = |(baseline, imagined): (Arc<Baseline>, usize)| {
        let budget = DecisionBudget { nodes: arguments.nodes, ..DecisionBudget::default() };
        Adjustment::new(&engine, &seats.0, budget, (&baseline, imagined)).map_err(|error| refused(&error))
    };
    let adjustment = baseline.map(adjust).transpose()?;
    let heading = Heading {
        game: opened.name.clone(),
        rules: opened.hash(),
        players: seats.names(),
        seed: pick_seed(arguments.seed),
        decisions: arguments.values,
    };
    let run = RunInfo::now(engine.kind(), threads, 0.0);
    let (seats, of_seats) = (&seats, &of_seats);
    let series = Series {
        arguments,
        hosting,
        machine: &engine,
        seats,
        of_seats,
        persons,
        heading,
        run,
        adjustment,
        session,
    };
    let report = series.play()?;
    let title = Title {
        heading: &series.heading,
        engine: &engine,
        preparation,
        threads,
        reproduces: arguments.playclock.is_none() && real_time.is_none(),
        thinks_ahead: real_time.is_none() && series.settings().thinks_ahead(),
    };
    let has_left = table.is_left();
    let tally = real_time.map(|real_time| real_time.tally.lock().clone());
    if arguments.json {
        let mut json = report.as_json(&title);
        if let Some(tally) = &tally {
            json["commands"] = tally.as_json();
        }
        out.json(&json)?
    } else if !has_left || report.matches > 0 {
        report.write(&title, out)?;
        tally.map_or(Ok(()), |tally| tally.write(out))?
    }
    if has_left {
        return Err(CommandFailure::Left);
    }
    let all = report.matches == arguments.matches;
    let failed = report.failures();
    if interrupt.is_raised() && !all {
        failed.into_iter().for_each(|what| log(format_args!("{what}")));
        return Err(CommandFailure::Interrupted);
    }
    failed.map_or(Ok(()), |what| Err(CommandFailure::failed(what, MATCH_FAILURE_REMEDY)))
}

/// All that stays the same over the matches.
struct Series<'a> {
    arguments: &'a MatchArguments,
    hosting: &'a Hosting,
    machine: &'a Engine,
    seats: &'a SeatArguments,
    of_seats: &'a ByRole<Arc<Engine>>,
    /// The roles of persons.
    persons: Vec<Role>,
    heading: Heading,
    run: RunInfo,
    adjustment: Option<Adjustment>,
    session: &'a Session,
}

impl Series<'_> {
    /// Plays them all; transcripts are written as the matches are finished.
    fn play(&self) -> CommandResult<Report> {
        let arguments = self.arguments;
        let open = |path: &PathBuf| {
            RecordFile::open(path, &FileContent::records(SCHEMA), arguments.earlier.earlier())
        };
        let mut file = arguments.transcript.as_ref().map(open).transpose()?;
        if let Some(repair) = file.as_ref().and_then(RecordFile::repair) {
            log(format_args!("{repair}"));
        }
        // A series that is shown step by step, by itself or to a person, or from which a player learns, is played match after match.
        let shows = arguments.verbose || !self.persons.is_empty();
        let learns = self.learners().next().is_some();
        let concurrency = match arguments.playclock {
            _ if shows || learns => Concurrency::One,
            None if self.hosting.real_time.is_some() => Concurrency::at_once(self.hosting.at_once),
            None => Concurrency::Computing,
            Some(_) => Concurrency::at_once(self.hosting.at_once),
        };
        let progress = Progress::new(arguments.matches, "matches", shows);
        let mut report = Report::new(self.machine.roles().len());
        let settings = self.settings();
        let running =
            Arc::new(RunningSeries::new(self.machine.roles().values().to_vec(), self.machine.random()));
        let beating = heartbeat(&progress, &running);
        let play = |index| {
            let played = self.one(index, &settings, &running);
            progress.tick();
            played
        };
        play_series(
            arguments.matches,
            concurrency,
            &self.session.interrupt,
            play,
            |index, (played, line, adjusted)| {
                if played.is_finished() {
                    report.add(index, &played, adjusted.as_ref());
                    if let (Some(file), Some(line)) = (&mut file, &line) {
                        file.line(line)?;
                    }
                }
                Ok(())
            },
        )?;
        drop(beating);
        report.time = progress.finish();
        Ok(report)
    }

    fn settings(&self) -> Settings {
        let start = self.arguments.startclock.unwrap_or_default();
        Settings {
            clocks: self.arguments.playclock.map(|play| Clocks { start, play }),
            think_ahead: !self.arguments.no_think_ahead,
            nodes: self.arguments.nodes,
            limit: self.arguments.limit,
            ..self.hosting.settings.clone()
        }
    }

    /// The players that learn from the matches of the series.
    fn learners(&self) -> impl Iterator<Item = (Role, &PlayerSpec)> {
        let players = self.seats.0.iter().filter_map(|(role, player)| Some((role, player.as_ref()?)));
        players.filter(|(_, player)| player.spec().learns())
    }

    /// Plays one match: the data for the report, the line of the transcript, and the adjusted goals.
    fn one(
        &self,
        index: usize,
        settings: &Settings,
        running: &RunningSeries,
    ) -> CommandResult<(PlayedMatch, Option<String>, Option<ByRole<f64>>)> {
        let machine = self.machine;
        let seed = match_seed(self.heading.seed, index);
        let settings = &Settings { id: match_id(&self.heading.game, index), ..settings.clone() };
        let mut times = vec![unix_millis()];
        let watch = Stopwatch::start();
        if !self.persons.is_empty() {
            self.session.table.begin(self.machine, index, self.arguments.matches, &self.persons);
        }
        let mut shown = self.arguments.verbose.then(|| ShownMatch::new(machine, None));
        let mut written = shown.as_ref().map_or(Ok(()), |shown| {
            self.session.out.line(format_args!("match {index}")).and_then(|()| shown.start(&self.session.out))
        });
        let mut number = 0;
        running.at(index + 1, 1);
        let mut show = |step: &MatchStep| {
            number += 1;
            times.push(unix_millis());
            running.at(index + 1, number + 1);
            if let (Some(shown), Ok(())) = (&mut shown, &written) {
                written = shown.step(step, &self.session.out);
            }
            if !self.persons.is_empty() && !self.session.table.is_left() {
                self.session.table.tell(machine, number, step);
            }
        };
        let (mut played, chronons) = match &self.hosting.real_time {
            Some(real_time) => {
                let of_match = (settings.id.as_str(), machine, settings.limit);
                let seated = (self.seats, self.of_seats);
                let ManagedInteraction { played, chronons, .. } =
                    real_time.run(of_match, seated, &seed, &self.session.interrupt, show)?;
                (played, Some(chronons))
            }
            None => {
                let players = self.seats.build(self.of_seats);
                let played =
                    play_match(machine, players, settings, &seed, &self.session.interrupt, &mut show);
                let played = played.map_err(|cause| {
                    CommandFailure::failed(format!("no thread for a player: {cause}"), "play without clocks")
                })?;
                let chronons = machine.interaction().map(|machine| simulated(machine, &played));
                (played, chronons)
            }
        };
        if matches!(played.outcome, MatchOutcome::Over(_)) {
            self.learners().for_each(|(role, player)| player.saw(machine, role, &played.history()));
        }
        if let Some(records) = &self.hosting.records {
            let heading = (&self.heading, &seed, &times[..], &self.persons[..]);
            records.keep(machine, heading, settings, &played)?;
        }
        if !self.persons.is_empty() {
            if self.session.table.is_left() {
                // The last move was not the person's.
                played.outcome = MatchOutcome::Interrupted;
            }
            self.session.table.end(machine, &played);
        }
        if let MatchOutcome::Over(goals) = &played.outcome {
            running.ended(goals.values().iter().map(|goal| f64::from(goal.value())));
        }
        if self.arguments.verbose {
            written.and_then(|()| verbose::end(machine, &played, &self.session.out))?;
        }
        let is_kept = self.arguments.transcript.is_some();
        let line = is_kept.then(|| self.line(index, settings, &played, chronons, &watch));
        // With a player elsewhere, all prepare in the start clock, and the first decision has what every other has.
        let start = |clocks: Clocks| if self.seats.has_remote() { Duration::ZERO } else { clocks.start };
        let clocks = settings.clocks.map(|clocks| Clocks { start: start(clocks), ..clocks });
        let adjusted = self.adjustment.as_ref().and_then(|adjustment| adjustment.goals(&played));
        Ok((PlayedMatch::new(played, clocks.as_ref()), line, adjusted))
    }

    fn line(
        &self,
        index: usize,
        settings: &Settings,
        played: &Match,
        chronons: Option<Vec<ChrononRecord>>,
        watch: &Stopwatch,
    ) -> String {
        let mut transcript = Transcript::new(self.machine, &self.heading, settings, index, played);
        if let Some(chronons) = chronons {
            let seconds = self.hosting.real_time.as_ref().map(|real_time| real_time.chronon.as_secs_f64());
            let horizon = self.arguments.game.rules.horizon;
            transcript = transcript.with_chronons(ChrononClock { seconds, horizon }, chronons);
        }
        transcript.run = Some(RunInfo { seconds: watch.elapsed().as_secs_f64(), ..self.run.clone() });
        serde_json::to_string(&transcript).expect("a transcript has string keys only")
    }
}
