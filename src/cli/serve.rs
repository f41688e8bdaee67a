//! `hyperplay serve`: a player server for the game masters of the field.
//!
//! It prints its address; it logs events on standard error, with `tracing`.

use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tracing_subscriber::filter::LevelFilter;

use super::failure::{CommandFailure, CommandResult};
use super::human::names_human;
use super::options::{EarlierOption, EngineOption, ThreadsOption, choice, pick_seed, seconds, seed};
use super::seats::spec_of;
use super::session::Session;
use hyperplay_engine::{EngineKind, Engines};
use hyperplay_logic::gdl::{Source, load};
use hyperplay_machine::Role;
use hyperplay_net::http::server::ServerLimits;
use hyperplay_net::serve::{PlayerServer, ServeError, ServeOptions};
use hyperplay_play::player::PlayerSpec;
use hyperplay_play::referee::Interrupt;

/// How often the interrupt is looked at.
pub const LOOK: Duration = Duration::from_millis(30);

/// Files that may be open at a time: a connection is one.
const FILES: u64 = 8192;

/// Arguments of `serve`.
#[derive(Args, Debug)]
pub struct ServeArguments {
    /// The port; 0 for any that is free
    #[arg(long, default_value_t = 9147)]
    port: u16,
    /// The address to listen at: 127.0.0.1 for programs on this computer only, 0.0.0.0 for whoever can reach it
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    listen: IpAddr,
    /// The player that plays every match (see `hyperplay players`)
    #[arg(long, value_name = "SPEC", default_value = "auto")]
    player: String,
    /// How many matches at a time; a game master that wants another one is told `busy`
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    matches: u16,
    /// Seconds before the end of a clock at which an answer is sent; the server adds what it needs
    #[arg(long, value_name = "SECONDS", default_value = "0.1", value_parser = seconds, allow_negative_numbers = true)]
    margin: Duration,
    /// Seconds that are added to three play clocks: a match that is silent for so long (and for its start clock, if it
    /// was never asked) gives way to a START that needs its place. Where other roles have longer clocks, give more
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds, allow_negative_numbers = true)]
    stale: Duration,
    /// Do not use the time between two moves
    #[arg(long)]
    no_think_ahead: bool,
    /// MiB that the rules of all matches may take together, by estimate; each match has an equal share. Rules that need
    /// more are played by the interpreter, and a text that is too long for it is not read
    #[arg(long, value_name = "MIB", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(64..))]
    memory: u32,
    /// Keep a record of every match of which a game can be made in this folder, with its rules;
    /// `hyperplay verify DIR/matches.jsonl` checks them
    #[arg(long, value_name = "DIR", group = "records")]
    record: Option<PathBuf>,
    #[command(flatten)]
    earlier: EarlierOption,
    /// The name that the server gives itself when it is asked
    #[arg(long, value_name = "NAME", default_value = "hyperplay", value_parser = name)]
    name: String,
    /// Determines every random choice, with the name of the match and its role [default: drawn and logged]
    #[arg(long, value_name = "S", value_parser = seed)]
    seed: Option<u64>,
    #[command(flatten)]
    engine: EngineOption,
    #[command(flatten)]
    threads: ThreadsOption,
    /// How much is logged on standard error
    #[arg(long, value_parser = levels(), value_name = "LEVEL", default_value = "info")]
    log: LevelFilter,
    /// How it is logged
    #[arg(long, value_enum, value_name = "FORM", default_value_t = LogForm::Text)]
    log_format: LogForm,
}

/// The words of `--log`.
pub fn levels() -> impl TypedValueParser<Value = LevelFilter> {
    choice(vec![
        ("error", LevelFilter::ERROR, "Failures of this program"),
        ("warn", LevelFilter::WARN, "Failures in a match"),
        ("info", LevelFilter::INFO, "Matches and answers"),
        ("debug", LevelFilter::DEBUG, "Messages and the thoughts of players"),
    ])
}

/// The choice of `--log-format`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum LogForm {
    /// Lines for people
    Text,
    /// An object of JSON a line
    Json,
}

/// Reads a name that is one word of the protocol.
fn name(text: &str) -> Result<String, String> {
    let is_plain = !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c));
    if is_plain { Ok(text.to_owned()) } else { Err("expected letters, digits, '_', '-' and '.'".to_owned()) }
}

/// Refuses players that cannot sit in a server: persons, those that are shown the true history, and other servers.
fn suits(spec: &PlayerSpec) -> CommandResult {
    let refused = |why: &str| {
        let what = format!("--player {}: {why}", spec.spec());
        CommandFailure::usage(
            what,
            "take a player that knows what its role knows, for example auto or hyperplay",
        )
    };
    if names_human(spec.spec()) {
        return Err(refused("a person plays in `hyperplay match` and `hyperplay host` only"));
    }
    if spec.spec().is_remote() {
        return Err(refused("this player is another server itself"));
    }
    let text = "(role x) (init a) (legal x go) (<= terminal (not (true a))) (goal x 0)";
    let game = load(Source::new("a game to try the player on", text), None).game;
    let engine = game.and_then(|game| Engines::new(&game).get(EngineKind::Interpreter).ok());
    match engine.is_some_and(|engine| spec.seat(&engine, Role::new(0)).is_clairvoyant()) {
        true => Err(refused("it is shown the true history, which no game master sends")),
        false => Ok(()),
    }
}

/// Logs what happens on standard error.
pub fn log_to_stderr(level: LevelFilter, form: LogForm) {
    let lines = tracing_subscriber::fmt().with_max_level(level).with_writer(std::io::stderr);
    // Only this command has a subscriber, so there is none yet.
    let _ = match form {
        LogForm::Text => lines.with_target(false).with_ansi(super::output::colour(true)).try_init(),
        LogForm::Json => lines.json().with_target(false).try_init(),
    };
}

/// Allows as many open files as the system lets this program have.
pub fn allow_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(FILES, |most| most.min(FILES));
    if limit.current.is_some_and(|current| current < wanted)
        && let Err(error) =
            setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: limit.maximum })
    {
        tracing::warn!(%error, "the number of open files stays as it is");
    }
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(arguments: &ServeArguments, session: &Session) -> CommandResult {
    let Session { registry, interrupt, out, .. } = session;
    suits(&spec_of(&arguments.player, registry)?)?;
    log_to_stderr(arguments.log, arguments.log_format);
    allow_files();
    arguments.threads.apply()?;
    let seed = pick_seed(arguments.seed);
    let options = ServeOptions {
        name: arguments.name.clone(),
        registry: registry.clone(),
        player: arguments.player.clone(),
        engine: arguments.engine.engine,
        matches: arguments.matches.into(),
        margin: arguments.margin,
        stale: arguments.stale,
        seed,
        record: arguments.record.clone().map(|folder| (folder, arguments.earlier.earlier())),
        memory: u64::from(arguments.memory) << 20,
        thinks_ahead: !arguments.no_think_ahead,
    };
    let server = PlayerServer::new(options).map_err(|error| match error {
        ServeError::Spec(error) => CommandFailure::usage(error.to_string(), "see `hyperplay players`"),
        ServeError::Record(error) => error.into(),
    })?;
    network_threads()?.block_on(async {
        let (listener, own) = listen(arguments.listen, arguments.port).await?;
        tracing::info!(player = %arguments.player, seed, matches = arguments.matches, "listening at {own}");
        out.now(&format!("http://{own}\n"))?;
        let served = Arc::new(server).run(listener, ServerLimits::default(), raised(interrupt)).await;
        tracing::info!("ended");
        served.map_err(|error| {
            CommandFailure::failed(format!("the server has ended: {error}"), "start it again")
        })
    })
}

/// The threads of a server.
///
/// # Errors
/// If there can be none.
pub fn network_threads() -> CommandResult<Runtime> {
    let threads = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    threads.map_err(|error| {
        CommandFailure::failed(format!("no threads for the network: {error}"), "end other programs")
    })
}

/// Listens at an address; where that is, for port 0.
///
/// # Errors
/// If nothing can listen there.
pub async fn listen(address: IpAddr, port: u16) -> CommandResult<(TcpListener, SocketAddr)> {
    let address = SocketAddr::new(address, port);
    let listener = TcpListener::bind(address).await.map_err(|error| {
        let remedy = match error.kind() {
            ErrorKind::AddrNotAvailable => "give --listen an address of this computer, as in 127.0.0.1",
            _ => "another program may listen there: take another --port, or 0 for any that is free",
        };
        CommandFailure::failed(format!("cannot listen at {address}: {error}"), remedy)
    })?;
    let own = listener.local_addr().unwrap_or(address);
    Ok((listener, own))
}

/// Waits until an interrupt is raised.
pub async fn raised(interrupt: &Interrupt) {
    while !interrupt.is_raised() {
        tokio::time::sleep(LOOK).await;
    }
}
