//! The table in the browser: persons and programs at one table, beliefs beside the persons, replays and running
//! experiments.
//!
//! ```text
//! request --http::server--> guard --> routes --> lobby    games, checks, new tables
//!                                           +--> table    a thread a match: referee, persons, what each token is told
//!                                           +--> past     matches that are over: the truth, beliefs, decisions
//!                                           +--> watch    a running experiment
//! ```
//!
//! Invariant: the data that reach a seat are a function of the rules, the evidence of its role, its legal moves and its
//! clock. The module `role_scenes` is given these and has no access to the state; it does not hold who has answered, and when.

#![warn(clippy::unwrap_used, clippy::print_stdout, clippy::print_stderr)]

mod advice;
mod answers;
mod diagram;
mod guard;
mod in_time;
mod lobby;

mod match_scenes;
mod match_thread;
mod page;
mod parts;
mod past;
mod requests;

mod role_scenes;
mod room;
mod routes;
mod scene;
mod table;
mod view;
mod watch;

use std::collections::BTreeMap;
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::Semaphore;

use hyperplay_engine::EngineKind;
use hyperplay_games::builtin::Builtin;
use hyperplay_play::files::{EarlierRecords, FileError};
use hyperplay_play::player::Registry;
use hyperplay_play::referee::SCHEMA;

use hyperplay_net::http::server::{ServerLimits, serve_router};
use hyperplay_net::serve::RecordFolder;
use lobby::Lobby;
use past::PastMatches;
use table::Table;

pub use answers::{KioskRefusal, KioskResult};
pub use lobby::TableRequest;
pub use view::{BoardView, ViewError};
pub use watch::{WatchedExperiment, WatchedScore, WatchedState, WatchedTranscript};

/// How a kiosk is run.
#[derive(Clone)]
pub struct KioskOptions {
    /// The registry in which players are looked up.
    pub registry: Registry,
    /// The engine of tables.
    pub engine: EngineKind,
    /// The games of the lobby.
    pub games: Vec<Builtin>,
    /// The seed of tables for which none is given; each has a child of it.
    pub seed: u64,
    /// The folder for transcripts, and what becomes of those that it has.
    pub record: Option<(PathBuf, EarlierRecords)>,
    /// Tables at a time.
    pub tables: usize,
    /// Whether programs think ahead between their decisions, where there are clocks.
    pub think_ahead: bool,
    /// Names of this computer that a browser may use in place of its address.
    pub names: Vec<String>,
    /// The table that was asked for on the command line: the form of a new table begins with it.
    pub preset: Option<TableRequest>,
    /// The experiment to show.
    pub watched: Option<Arc<dyn WatchedExperiment>>,
}

/// How often tables that nobody looks at any more are looked for.
const SWEEP: Duration = Duration::from_secs(5);

/// How long a match that is over can be looked at after nobody has, and how many such matches are remembered.
const REMEMBERED: Duration = Duration::from_secs(60 * 60);
const FINISHED: usize = 100;

/// The most streams of scenes, and of the experiment. Together they leave most of the connections to requests.
const STREAMS: usize = 400;
const WATCHERS: usize = 40;

/// How long matches may take to end when the kiosk ends.
const FAREWELL: Duration = Duration::from_secs(2);

/// The tables, the lobby and the past of a kiosk.
pub struct Kiosk {
    options: KioskOptions,
    lobby: Lobby,
    tables: Mutex<BTreeMap<String, Arc<Table>>>,
    past: PastMatches,
    records: Option<Arc<RecordFolder>>,
    numbers: AtomicU64,
    /// Room for matches that are being played.
    places: Arc<Semaphore>,
    /// Room for streams of scenes, and of the experiment.
    streams: Arc<Semaphore>,
    watchers: Arc<Semaphore>,
    /// Room for hints.
    hints: Semaphore,
}

impl Kiosk {
    /// A kiosk without tables.
    ///
    /// # Errors
    /// If the folder for transcripts cannot be made.
    pub fn new(options: KioskOptions) -> Result<Kiosk, FileError> {
        let open = |(folder, earlier): &(PathBuf, _)| RecordFolder::open(folder, SCHEMA, *earlier);
        let records = options.record.as_ref().map(open).transpose()?;
        let lobby = Lobby::new(options.games.clone(), options.engine);
        Ok(Kiosk {
            records: records.map(Arc::new),
            lobby,
            tables: Mutex::default(),
            past: PastMatches::default(),
            numbers: AtomicU64::new(0),
            places: Arc::new(Semaphore::new(options.tables)),
            streams: Arc::new(Semaphore::new(STREAMS)),
            watchers: Arc::new(Semaphore::new(WATCHERS)),
            hints: Semaphore::new(advice::HINTS),
            options,
        })
    }

    /// Serves until `shutdown` is done, then ends all matches.
    ///
    /// # Errors
    /// As [`serve_router`].
    pub async fn run(
        self: Arc<Self>,
        listener: tokio::net::TcpListener,
        shutdown: impl Future<Output = ()> + Send,
    ) -> std::io::Result<()> {
        let router = routes::router(Arc::clone(&self));
        let sweeping = Arc::clone(&self);
        let sweeper = tokio::spawn(async move {
            loop {
                tokio::time::sleep(SWEEP).await;
                sweeping.sweep();
            }
        });
        let measuring = Arc::clone(&self);
        std::thread::Builder::new().name("lobby".to_owned()).spawn(move || measuring.lobby.measure())?;
        let limits =
            ServerLimits { body_bytes: routes::BODY_BYTES, hears_hangup: true, ..ServerLimits::default() };
        let served = serve_router(listener, limits, router, shutdown).await;
        sweeper.abort();
        self.lobby.close();
        self.close();
        served
    }

    /// Lets persons leave that have been gone for long, and forgets tables that are over and that nobody looks at.
    fn sweep(&self) {
        let tables: Vec<Arc<Table>> = self.tables.lock().values().cloned().collect();
        tables.iter().for_each(|table| table.sweep());
        self.forget();
    }

    /// Forgets the matches that are over and have not been looked at for long, and the oldest of them where there are
    /// too many.
    fn forget(&self) {
        let mut tables = self.tables.lock();
        let mut over: Vec<(Duration, String)> =
            tables.iter().filter_map(|(id, table)| Some((table.forgotten()?, id.clone()))).collect();
        over.sort();
        for (at, (since, id)) in over.iter().enumerate() {
            if at >= FINISHED || *since > REMEMBERED {
                tables.remove(id);
            }
        }
    }

    /// Ends all matches, so that no thread waits for a person.
    fn close(&self) {
        let tables: Vec<Arc<Table>> = self.tables.lock().values().cloned().collect();
        tables.iter().for_each(|table| table.close());
        // Together, because some may be making an engine and hear nothing.
        let until = Instant::now() + FAREWELL;
        tables.iter().for_each(|table| table.wait(until.saturating_duration_since(Instant::now())));
    }
}
