//! `hyperplay host`: the game master. Plays matches with players behind addresses and with players of this program, or
//! a whole experiment in which players have addresses.
//!
//! It is `match` with more to say: dialect, substitutes, strikes, clocks of single roles, several matches at a time,
//! and records for other programs.

use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::builder::{ArgPredicate, TypedValueParser};
use clap::{Args, ValueEnum};
use parking_lot::Mutex;

use super::experiment_run::{RunArguments, play};
use super::failure::{CommandFailure, CommandResult, refuse_if};
use super::game_argument::{GameArgument, Opened, names};
use super::match_records::MatchRecords;
use super::matches::{self, Hosting, MatchArguments};
use super::options::{choice, seconds};
use super::output::log;
use super::real_time::RealTime;
use super::serve::{LOOK, LogForm, log_to_stderr};
use super::session::Session;
use hyperplay_games::repository::GameRepository;
use hyperplay_logic::gdl::{Game, Language, did_you_mean};
use hyperplay_machine::{ByRole, Role};
use hyperplay_net::host::{SightRules, remote_spec, serve_repository};
use hyperplay_net::http::client::Address;
use hyperplay_net::http::server::ServerThread;
use hyperplay_net::protocol::{WireDialect, WireLetters};
use hyperplay_net::real_time::CommandServer;
use hyperplay_play::files::FileError;
use hyperplay_play::referee::{Clocks, Settings, Substitute};
use tracing_subscriber::filter::LevelFilter;

/// The clocks where none are given.
const DEFAULT_CLOCKS: Clocks = Clocks { start: Duration::from_secs(10), play: Duration::from_secs(5) };

/// Arguments of `host`.
#[derive(Args, Debug)]
#[command(mut_arg("seats", |seats| seats.index(2)))]
#[command(mut_arg("game", |game| game.index(1).required(false).required_unless_present("repository")))]
#[command(mut_arg("game", |game| game.default_value_if("repository", ArgPredicate::IsPresent, "")))]
pub struct HostArguments {
    #[command(flatten)]
    pub matches: MatchArguments,
    /// How steps are told to players behind addresses
    #[arg(long, value_parser = dialects(), default_value = "gdl2")]
    dialect: WireDialect,
    /// How names are spelt for players behind addresses
    #[arg(long, value_parser = letters(), default_value = "upper")]
    letters: WireLetters,
    /// Give players behind addresses other names for all that the rules name, anew in each match
    #[arg(long)]
    scramble: bool,
    /// Which legal move stands in for one that is late, illegal or missing
    #[arg(long, value_parser = substitutes(), default_value = "random")]
    on_fault: Substitute,
    /// Stop asking a player after N faults in a match [default: it is asked to the end]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    strikes: Option<u64>,
    /// The clocks of one role, in seconds, as in alice=20,5; may be given for several roles
    #[arg(long, value_name = "ROLE=START,PLAY")]
    clocks: Vec<String>,
    /// Seconds after its clock in which the answer of a player behind an address still counts; it is not told of them
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = seconds, allow_negative_numbers = true)]
    grace: Duration,
    /// Seconds between an answer and the next message, as the masters of 2011 wait half a second
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = seconds, allow_negative_numbers = true)]
    pause: Duration,
    /// How many matches at a time
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1024))]
    at_once: u64,
    /// Run an interaction in SIDL in real time, with chronons of this length, as in 1s or 50ms
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    chronon: Option<Duration>,
    /// Whether an interaction in SIDL waits for its chronons, or each is over as soon as all have decided
    #[arg(long, value_enum, default_value_t = ClockArgument::Real)]
    clock: ClockArgument,
    /// Where the repository is served, or the commands of agents behind addresses arrive; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    listen: String,
    /// Serve this repository of games, in the layout of ggp-base, to other programs, and take the games named ggp:NAME
    /// from it; without GAME until Ctrl-C
    #[arg(long, value_name = "DIR")]
    repository: Option<PathBuf>,
    /// Keep each match in a form that other programs read, in the folder of --out
    #[arg(long, value_enum, value_name = "FORM", requires = "out")]
    export: Option<ExportArgument>,
    /// Keep what each role's viewers may see, by the rules for sees_xml in this file, in the folder of --out
    #[arg(long, value_name = "FILE", requires = "out")]
    sight: Option<PathBuf>,
    /// The folder for what --export and --sight keep, and for the matches of an experiment; it is created if it does
    /// not exist
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// The choice of `--clock`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ClockArgument {
    /// Every chronon takes its time
    Real,
    /// A chronon is over when all have decided: a day in a second
    Simulated,
}

/// A length of time above 0, as in `1s`, `50ms` or `1m 30s`.
fn duration(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(Duration::ZERO) => Err("a chronon is longer than 0".to_owned()),
        Ok(length) if length > Duration::from_secs(86_400) => Err("a chronon is at most a day".to_owned()),
        Ok(length) => Ok(length),
        Err(error) => Err(format!("{error}; for example 1s or 50ms")),
    }
}

/// The words of `--dialect`.
fn dialects() -> impl TypedValueParser<Value = WireDialect> {
    choice(vec![
        ("gdl2", WireDialect::Gdl2, "GDL-II: number of the step, own last move, percepts"),
        ("gdl2-2011", WireDialect::Gdl2Of2011, "GDL-II as in 2011: percepts only"),
        ("gdl1", WireDialect::Gdl1, "GDL-I: the joint move; for games in which nothing is hidden"),
    ])
}

/// The words of `--letters`.
fn letters() -> impl TypedValueParser<Value = WireLetters> {
    let (upper, as_written) = (WireLetters::Upper, WireLetters::AsWritten);
    choice(vec![("upper", upper, "In upper case"), ("as-written", as_written, "As the rules spell them")])
}

/// The words of `--on-fault`.
fn substitutes() -> impl TypedValueParser<Value = Substitute> {
    let first = ("first", Substitute::First, "The first in the order of terms");
    choice(vec![("random", Substitute::Random, "One drawn by the seed"), first])
}

/// The choice of `--export`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ExportArgument {
    /// The record of ggp.org: one JSON object a match
    GgpJson,
}

impl HostArguments {
    /// The seats with the addresses in them as specs. The word `random` alone, as some write for the role that the game
    /// master plays, says nothing new.
    fn seats(&self) -> Vec<String> {
        let seats = self.matches.seats.iter().map(String::as_str);
        let written: Vec<&str> = seats.filter(|seat| !seat.eq_ignore_ascii_case("random")).collect();
        let address = |seat: &'_ str| {
            let (_, address) = seat.split_once('=')?;
            is_address(address).then(|| address.trim().trim_end_matches('/').to_owned())
        };
        let seat = |seat: &&str| {
            let Some(of_seat) = address(seat) else { return (*seat).to_owned() };
            let role = seat.split_once('=').map_or("", |(role, _)| role);
            let again = written.iter().filter(|other| address(other).as_ref() == Some(&of_seat)).count() > 1;
            let mut spec = format!("{},dialect={}", remote_spec(&of_seat), self.dialect);
            spec.push_str(&format!(",letters={}", self.letters));
            spec.push_str(if self.scramble { ",scramble=on" } else { "" });
            spec.push_str(if again { ",own_id=on" } else { "" });
            format!("{role}={spec}")
        };
        written.iter().map(seat).collect()
    }

    fn settings(&self, game: &Game) -> CommandResult<Settings> {
        Ok(Settings {
            own_clocks: self.clocks.iter().map(|text| own_clocks(text, game)).collect::<Result<_, _>>()?,
            on_fault: self.on_fault,
            grace: self.grace,
            pause: self.pause,
            strikes: self.strikes.map(|strikes| usize::try_from(strikes).unwrap_or(usize::MAX)),
            ..Settings::default()
        })
    }

    fn records(&self, opened: &Opened) -> CommandResult<Option<MatchRecords>> {
        let Some(folder) = self.out.clone().filter(|_| self.export.is_some() || self.sight.is_some()) else {
            return Ok(None);
        };
        let sight = self.sight.as_deref().map(|path| sight(path, &opened.game)).transpose()?;
        FileError::at(&folder, std::fs::create_dir_all(&folder))?;
        Ok(Some(MatchRecords { folder, ggp: self.export.is_some(), sight, scrambled: self.scramble }))
    }
}

/// Whether what stands behind a role is an address and no spec.
fn is_address(text: &str) -> bool {
    let text = text.trim().to_ascii_lowercase();
    text.starts_with("http://") || text.starts_with("https://")
}

/// The clocks of one role.
fn own_clocks(text: &str, game: &Game) -> CommandResult<(Role, Clocks)> {
    let wrong = |what: String| {
        CommandFailure::usage(what, "for example --clocks alice=20,5: start clock and play clock")
    };
    let parts = text.split_once('=').and_then(|(role, clocks)| Some((role.trim(), clocks.split_once(',')?)));
    let Some((name, (start, play))) = parts else {
        return Err(wrong(format!("--clocks {text}: expected ROLE=START,PLAY")));
    };
    let Some(role) = game.role_named(name) else {
        let meant = did_you_mean(name, game.role_names().iter().map(String::as_str));
        return Err(wrong(format!("--clocks {text}: the game has no role '{name}'{meant}")));
    };
    let time = |clock: &str| {
        seconds(clock.trim()).map_err(|error| wrong(format!("--clocks {text}: '{clock}': {error}")))
    };
    Ok((Role::new(role), Clocks { start: time(start)?, play: time(play)? }))
}

/// The rules of a file for what viewers may see.
fn sight(path: &Path, game: &Game) -> CommandResult<SightRules> {
    SightRules::new(game, &FileError::at(path, std::fs::read_to_string(path))?)
        .map_err(|error| CommandFailure::failed(format!("{}: {error}", path.display()), error.remedy))
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(arguments: &HostArguments, session: &Session) -> CommandResult {
    let GameArgument { game, rules } = &arguments.matches.game;
    let server = arguments.repository.as_deref().map(|root| serve(root, &arguments.listen)).transpose()?;
    if let (Some(server), true) = (&server, game.is_empty()) {
        session.out.now(&format!("http://{}\n", server.address))?;
        while !session.interrupt.is_raised() {
            std::thread::sleep(LOOK);
        }
        return Ok(());
    }
    server.iter().for_each(|server| log(format_args!("the games are served at http://{}", server.address)));
    let file = Path::new(game);
    if file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml")) {
        return whole_experiment(arguments, file, session);
    }
    let opened = rules.open_among(&names(Path::new(""), arguments.repository.as_deref()), game)?;
    let what = format!(
        "--dialect gdl1: {} is a GDL-II game, in which not every role sees the joint move",
        opened.name
    );
    refuse_if(
        arguments.dialect == WireDialect::Gdl1 && opened.game.is_imperfect(),
        what,
        "take --dialect gdl2",
    )?;
    let mut series = arguments.matches.clone();
    series.seats = arguments.seats();
    let is_sidl = opened.game.language() == Language::Sidl;
    if is_sidl {
        refuse_if(
            series.playclock.is_some() || series.startclock.is_some(),
            "an interaction in SIDL has chronons and no clocks of moves",
            "give --chronon 1s, or --clock simulated",
        )?;
    } else {
        refuse_if(
            arguments.chronon.is_some(),
            "--chronon is for an interaction in SIDL",
            "a game of GDL has steps and clocks: give --playclock",
        )?;
        series.startclock.get_or_insert(DEFAULT_CLOCKS.start);
        series.playclock.get_or_insert(DEFAULT_CLOCKS.play);
    }
    let hosting = Hosting {
        settings: arguments.settings(&opened.game)?,
        at_once: usize::try_from(arguments.at_once).unwrap_or(1),
        real_time: if is_sidl { real_time(arguments, &opened.game, &series.seats)? } else { None },
        records: arguments.records(&opened)?,
    };
    matches::run_hosted(&series, opened, &hosting, session)
}

/// Serves a repository of games.
fn serve(root: &Path, at: &str) -> Result<ServerThread, CommandFailure> {
    let repository = GameRepository::new(root);
    // An error of the folder is said at once.
    repository.games()?;
    log_to_stderr(LevelFilter::WARN, LogForm::Text);
    serve_repository(at, repository).map_err(|cause| cannot_listen(at, &cause))
}

fn cannot_listen(at: &str, cause: &std::io::Error) -> CommandFailure {
    let remedy = "give an address of this computer, as in 127.0.0.1:9200";
    CommandFailure::usage(format!("--listen {at}: {cause}"), remedy)
}

/// How an interaction in SIDL is run in real time; `None` if its time is simulated.
fn real_time(arguments: &HostArguments, game: &Game, seats: &[String]) -> CommandResult<Option<RealTime>> {
    let real_time = match (arguments.clock, arguments.chronon) {
        (ClockArgument::Simulated, _) => None,
        (ClockArgument::Real, None) => {
            let what = "an interaction in SIDL needs the length of its chronons";
            return Err(CommandFailure::usage(what, "give --chronon 1s, or --clock simulated"));
        }
        (ClockArgument::Real, Some(chronon)) => {
            let server = CommandServer::listen(&arguments.listen)
                .map_err(|cause| cannot_listen(&arguments.listen, &cause))?;
            let addresses = addresses(arguments, game)?;
            let start = if addresses.values().iter().any(Option::is_some) { START } else { Duration::ZERO };
            Some(RealTime { chronon, start, addresses, server: Arc::new(server), tally: Mutex::default() })
        }
    };
    let what = "an agent behind an address takes part in real time only";
    refuse_if(
        real_time.is_none() && seats.iter().any(|seat| seat.contains("=remote:")),
        what,
        "leave out --clock simulated",
    )?;
    Ok(real_time)
}

/// The time that agents behind addresses have to prepare before the first chronon.
const START: Duration = Duration::from_millis(200);

/// Where the agents behind addresses are.
fn addresses(arguments: &HostArguments, game: &Game) -> CommandResult<ByRole<Option<Address>>> {
    let mut addresses = vec![None; game.roles().len()];
    for seat in &arguments.matches.seats {
        let Some((name, address)) = seat.split_once('=').filter(|(_, address)| is_address(address)) else {
            continue;
        };
        let address = Address::parse(address.trim()).map_err(|error| {
            CommandFailure::usage(format!("{seat}: {error}"), "for example alice=http://127.0.0.1:9147")
        })?;
        if let Some(role) = game.role_named(name.trim()) {
            addresses[role] = Some(address);
        }
    }
    Ok(ByRole::new(addresses))
}

/// Plays an experiment, in which players may have addresses.
fn whole_experiment(arguments: &HostArguments, file: &Path, session: &Session) -> CommandResult {
    let Some(folder) = &arguments.out else {
        let what = format!("{}: an experiment needs a folder for its matches", file.display());
        return Err(CommandFailure::usage(what, "give --out DIR; then `hyperplay experiment report DIR`"));
    };
    if let Some(seat) = arguments.matches.seats.first() {
        let what = format!("'{seat}': the file says who plays in an experiment");
        return Err(CommandFailure::usage(what, "give the player a url in the file"));
    }
    let at_once = usize::try_from(arguments.at_once).unwrap_or(1);
    play(&RunArguments::whole(file, folder, NonZero::new(at_once), arguments.repository.clone()), session)
}
