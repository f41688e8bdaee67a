//! `hyperplay kiosk`: the table in the browser.
//!
//! It prints the address of its page, and of each seat of a table that was asked for; it logs events on standard error.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::failure::{CommandFailure, CommandResult};
use super::game_argument::RulesOption;
use super::options::{EarlierOption, EngineOption, pick_seed, seconds, seed};
use super::serve::{LogForm, allow_files, levels, listen, log_to_stderr, network_threads, raised};
use super::session::Session;
use super::watched_experiment::FolderExperiment;
use clap::Args;
use hyperplay_games::builtin;
use hyperplay_kiosk::{BoardView, Kiosk, KioskOptions, KioskRefusal, TableRequest, WatchedExperiment};
use hyperplay_play::files::FileError;
use tracing_subscriber::filter::LevelFilter;

/// Arguments of `kiosk`.
#[derive(Args, Debug)]
pub struct KioskArguments {
    /// A file with rules, the name of a built-in game, or `ggp:NAME`: a table is laid at once
    #[arg(value_name = "GAME")]
    game: Option<String>,
    /// The player of a role at that table, as in bob=hyperplay; roles that are not named are played by persons
    #[arg(value_name = "ROLE=PLAYER", requires = "game")]
    seats: Vec<String>,
    /// The port; 0 for any that is free
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// The address to listen at: 127.0.0.1 for this computer only; 0.0.0.0 for whoever can reach it, who can then lay
    /// tables and sit down at those whose links they have
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    listen: IpAddr,
    /// A name of this computer that browsers may use in place of its address; may be given several times
    #[arg(long, value_name = "NAME")]
    name: Vec<String>,
    /// Seconds to prepare, where there is a play clock
    #[arg(long, value_name = "SECONDS", value_parser = seconds, requires = "playclock", allow_negative_numbers = true)]
    startclock: Option<Duration>,
    /// Seconds for a move; without it a person may take as long as she wants. Without GAME the form of a new table
    /// begins with it
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    playclock: Option<Duration>,
    /// Do not let programs use the time between their decisions, as they do where there are clocks
    #[arg(long)]
    no_think_ahead: bool,
    /// Determines chance and the programs [default: drawn and logged]
    #[arg(long, value_name = "S", value_parser = seed)]
    seed: Option<u64>,
    /// Spectators of that table: none, truth for those who see all, or a role for those who see what it sees
    #[arg(long, value_name = "SIGHT", requires = "game")]
    spectators: Option<String>,
    /// Show the first match of this file of transcripts
    #[arg(long, value_name = "FILE", conflicts_with = "game")]
    replay: Option<PathBuf>,
    /// Show the experiment in this folder
    #[arg(long, value_name = "DIR")]
    watch: Option<PathBuf>,
    /// Keep a transcript of every match in this folder; `hyperplay verify DIR/matches.jsonl` checks them
    #[arg(long, value_name = "DIR", group = "records")]
    record: Option<PathBuf>,
    #[command(flatten)]
    earlier: EarlierOption,
    /// How many matches at a time
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=1024))]
    tables: u16,
    #[command(flatten)]
    engine: EngineOption,
    /// How much is logged on standard error
    #[arg(long, value_parser = levels(), value_name = "LEVEL", default_value = "warn")]
    log: LevelFilter,
    /// How it is logged
    #[arg(long, value_enum, value_name = "FORM", default_value_t = LogForm::Text)]
    log_format: LogForm,
}

/// An order with the clocks of the command line.
fn clocks(arguments: &KioskArguments) -> TableRequest {
    TableRequest {
        startclock: arguments.startclock.map(|time| time.as_secs_f64()),
        playclock: arguments.playclock.map(|time| time.as_secs_f64()),
        ..TableRequest::default()
    }
}

/// The table that was asked for on the command line.
fn order(arguments: &KioskArguments) -> CommandResult<Option<TableRequest>> {
    let Some(game) = &arguments.game else { return Ok(None) };
    let mut order =
        TableRequest { seed: arguments.seed, spectators: arguments.spectators.clone(), ..clocks(arguments) };
    if builtin::find(game).is_some() && !std::path::Path::new(game).exists() {
        order.game = Some(game.clone());
    } else {
        let opened = RulesOption::default().open(game)?;
        let source = &opened.rulesheet.source;
        (order.name, order.rules) = (Some(source.name().to_owned()), Some(source.text().to_owned()));
        // A file NAME.view.toml beside NAME.kif says how it is drawn.
        let view = std::path::Path::new(game).with_extension("view.toml");
        if FileError::at(&view, view.try_exists())? {
            let text = FileError::at(&view, std::fs::read_to_string(&view))?;
            BoardView::read(&text, &opened.game).map_err(|error| {
                let remedy = "correct the file, or move it away to play without it";
                CommandFailure::usage(format!("{}: {error}", view.display()), remedy)
            })?;
            order.view = Some(text);
        }
    }
    for seat in &arguments.seats {
        let (role, player) = seat.split_once('=').ok_or_else(|| {
            let what = format!("'{seat}' names no role");
            CommandFailure::usage(what, "write ROLE=PLAYER, for example bob=hyperplay")
        })?;
        order.seats.insert(role.to_owned(), player.to_owned());
    }
    Ok(Some(order))
}

/// The failure for an order on the command line that the kiosk refuses.
fn refused(refusal: KioskRefusal) -> CommandFailure {
    CommandFailure::usage(refusal.error, refusal.remedy)
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(arguments: &KioskArguments, session: &Session) -> CommandResult {
    let Session { registry, interrupt, out, .. } = session;
    log_to_stderr(arguments.log, arguments.log_format);
    allow_files();
    let order = order(arguments)?;
    let watched: Option<Arc<dyn WatchedExperiment>> = match &arguments.watch {
        Some(folder) => Some(Arc::new(FolderExperiment::open(folder)?)),
        None => None,
    };
    let seed = pick_seed(arguments.seed);
    let options = KioskOptions {
        registry: registry.clone(),
        engine: arguments.engine.engine,
        games: builtin::everything().collect(),
        seed,
        record: arguments.record.clone().map(|folder| (folder, arguments.earlier.earlier())),
        tables: arguments.tables.into(),
        think_ahead: !arguments.no_think_ahead,
        names: arguments.name.clone(),
        // Without a game the clocks are those with which the form of a new table begins.
        preset: (arguments.game.is_none() && arguments.playclock.is_some()).then(|| clocks(arguments)),
        watched,
    };
    let kiosk = Kiosk::new(options)?;
    let mut paths = Vec::new();
    if let Some(order) = &order {
        for link in kiosk.lay(order, true).map_err(refused)?["links"].as_array().into_iter().flatten() {
            let who = link["role"].as_str().map_or_else(
                || format!("spectators of {}", link["sees"].as_str().unwrap_or("it")),
                str::to_owned,
            );
            paths.push((who, link["path"].as_str().unwrap_or("/").to_owned()));
        }
    }
    if let Some(file) = &arguments.replay {
        let text = FileError::at(file, std::fs::read_to_string(file))?;
        let opened = kiosk.replay(&text, None).map_err(refused)?;
        paths.push(("replay".to_owned(), format!("/#replay={}", opened["replay"].as_str().unwrap_or(""))));
    }
    if arguments.watch.is_some() {
        paths.push(("experiment".to_owned(), "/#watch".to_owned()));
    }
    let threads = network_threads()?;
    let ended = threads.block_on(async {
        let (listener, own) = listen(arguments.listen, arguments.port).await?;
        tracing::info!(seed, "listening at {own}");
        let mut text = format!("http://{own}/\n");
        text.extend(paths.iter().map(|(who, path)| format!("{who}: http://{own}{path}\n")));
        out.now(&text)?;
        Arc::new(kiosk).run(listener, raised(interrupt)).await.map_err(|error| {
            CommandFailure::failed(format!("the kiosk has ended: {error}"), "start it again")
        })
    });
    // Hints that are being worked out are not waited for.
    threads.shutdown_background();
    ended
}
