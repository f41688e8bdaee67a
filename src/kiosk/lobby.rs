//! The lobby: the games that there are, how long they last, and the errors in a rulesheet.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::answers::{KioskResult, refusal};
use super::room::GameRoom;
use hyperplay_engine::{EngineKind, Interpreter};
use hyperplay_games::builtin::Builtin;
use hyperplay_logic::gdl::{Finding, Game, Source, did_you_mean};
use hyperplay_machine::{PLAYOUT_STEPS, Seed, StateMachine as _, StateMachineExt as _};
use hyperplay_play::analysis::findings_on_size;
use hyperplay_play::player::{PlayerSpec, Registry, SpecKind};

/// Characters of a rulesheet that is taken.
const LONGEST_RULES: usize = 1 << 20;

/// Findings of a rulesheet that are listed, errors first.
const LISTED: usize = 500;

/// The greatest number in the spec of a player that a page names: more particles or playouts are for the command line.
const GREATEST: u64 = 100_000;

/// Random matches by which the length of a game is estimated, and the longest time for them.
const MEASURED: usize = 8;
const MEASURING: Duration = Duration::from_millis(400);

/// The table that somebody wants to play at.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TableRequest {
    /// The name of a game of the lobby.
    pub game: Option<String>,
    /// Or rules.
    pub rules: Option<String>,
    /// The name of the rules.
    pub name: Option<String>,
    /// How they are drawn: the text of a view file.
    pub view: Option<String>,
    /// By role: `person`, or the spec of a player; roles that are not named are played by persons.
    pub seats: BTreeMap<String, String>,
    /// Seconds to prepare, where there are clocks.
    pub startclock: Option<f64>,
    /// Seconds for a move; none for as long as a person wants.
    pub playclock: Option<f64>,
    /// The seed that chance and the programs follow from.
    pub seed: Option<u64>,
    /// `none`, `truth` for spectators who see all, or a role for those who see what it sees.
    pub spectators: Option<String>,
}

/// The games of a kiosk.
#[derive(Default)]
pub(super) struct Lobby {
    games: Vec<Builtin>,
    kind: EngineKind,
    rooms: Mutex<Vec<Arc<GameRoom>>>,
    /// Those of rules that were sent, as long as somebody plays by them or looks at a match.
    sent: Mutex<Vec<Weak<GameRoom>>>,
    lengths: Mutex<BTreeMap<String, Value>>,
    /// The data known of each game from its rules.
    entries: Mutex<Option<Vec<Value>>>,
    is_closed: AtomicBool,
}

impl Lobby {
    /// A lobby with these games.
    pub(super) fn new(games: Vec<Builtin>, kind: EngineKind) -> Lobby {
        Lobby { games, kind, ..Lobby::default() }
    }

    /// Ends what is measured.
    pub(super) fn close(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
    }

    /// Measures how long the games last, one after the other.
    pub(super) fn measure(&self) {
        for game in &self.games {
            if self.is_closed.load(Ordering::Relaxed) {
                return;
            }
            let rules = hyperplay_games::load(game.source(), None).game;
            let machine = rules.and_then(|rules| Interpreter::new(&rules).ok());
            if let Some(length) = machine.and_then(|machine| measured(&machine)) {
                self.lengths.lock().insert(game.name.clone(), length);
            }
        }
    }

    /// The games as the page lists them.
    pub(super) fn entries(&self) -> Vec<Value> {
        let mut kept = self.entries.lock();
        let entries = kept.get_or_insert_with(|| self.games.iter().map(entry).collect());
        let lengths = self.lengths.lock();
        let with_length = |entry: &Value| {
            let mut entry = entry.clone();
            entry["steps"] = json!(entry["name"].as_str().and_then(|name| lengths.get(name)));
            entry
        };
        entries.iter().map(with_length).collect()
    }

    /// The room that an order asks for.
    ///
    /// # Errors
    /// If there is no such game, or the rules are no game.
    pub(super) fn room(&self, order: &TableRequest) -> KioskResult<Arc<GameRoom>> {
        match (&order.game, &order.rules) {
            (Some(name), None) => self.listed(name),
            (None, Some(text)) => {
                self.sent(order.name.as_deref().unwrap_or("rulesheet"), text, order.view.as_deref())
            }
            _ => Err(refusal(400, "a table needs a game or rules", "give one of the two")),
        }
    }

    /// The room of a game of the lobby.
    pub(super) fn listed(&self, name: &str) -> KioskResult<Arc<GameRoom>> {
        let Some(game) = self.games.iter().find(|game| game.name.eq_ignore_ascii_case(name)) else {
            let names = self.games.iter().map(|game| game.name.as_str());
            let error = format!("there is no game '{name:.100}'{}", did_you_mean(name, names));
            return Err(refusal(404, error, "take one of the list"));
        };
        if let Some(room) = self.rooms.lock().iter().find(|room| room.name == game.name) {
            return Ok(Arc::clone(room));
        }
        let room = Arc::new(GameRoom::open(&game.name, game.text, game.view(), true, self.kind)?);
        let mut rooms = self.rooms.lock();
        // Somebody may have opened it in the meantime.
        if let Some(known) = rooms.iter().find(|known| known.name == room.name) {
            return Ok(Arc::clone(known));
        }
        rooms.push(Arc::clone(&room));
        Ok(room)
    }

    /// The room of a game of the lobby with these rules.
    pub(super) fn with_rules(&self, name: &str, hash: &str) -> Option<Arc<GameRoom>> {
        let is_it = |room: &Arc<GameRoom>| room.hash == hash;
        let known = self.rooms.lock().iter().find(|room| is_it(room)).map(Arc::clone);
        known.or_else(|| self.listed(name).ok().filter(is_it)).or_else(|| self.known(is_it))
    }

    /// A room of rules that were sent.
    fn known(&self, is_it: impl Fn(&Arc<GameRoom>) -> bool) -> Option<Arc<GameRoom>> {
        self.sent.lock().iter().filter_map(Weak::upgrade).find(is_it)
    }

    /// The room of rules that were sent.
    pub(super) fn sent(&self, name: &str, text: &str, view: Option<&str>) -> KioskResult<Arc<GameRoom>> {
        if text.len() > LONGEST_RULES {
            return Err(refusal(413, "the rules are longer than a MiB", "take shorter ones"));
        }
        let plain = |c: char| c.is_alphanumeric() || "_-. ".contains(c);
        let name: String = name.chars().filter(|&c| plain(c)).take(60).collect();
        let name = if name.trim().is_empty() { "rulesheet".to_owned() } else { name };
        let room = Arc::new(GameRoom::open(&name, text, view, false, self.kind)?);
        // Drawn in another way it is another room.
        if let Some(known) = self.known(|known| known.hash == room.hash && known.view == room.view) {
            return Ok(known);
        }
        let mut sent = self.sent.lock();
        sent.retain(|room| room.strong_count() > 0);
        sent.push(Arc::downgrade(&room));
        Ok(room)
    }
}

/// The entry of a game, from its rules.
fn entry(game: &Builtin) -> Value {
    let rules = hyperplay_games::load(game.source(), None).game;
    json!({
        "name": game.name,
        "roles": rules.as_ref().map(Game::played_names).unwrap_or_default(),
        "random": rules.as_ref().is_some_and(|rules| rules.random().is_some()),
        "hidden": rules.as_ref().is_some_and(Game::is_imperfect),
        "about": game.about(),
    })
}

/// The lengths of some random matches, as far as the time suffices.
fn measured(machine: &Interpreter) -> Option<Value> {
    let until = Instant::now() + MEASURING;
    let (mut steps, mut longest, mut matches) = (0_usize, 0, 0_usize);
    let mut scratch = machine.scratch();
    for number in 0..MEASURED {
        let mut rng = Seed::root(0).child("length").index(number).rng();
        let (mut state, mut length) = (machine.initial(), 0);
        while length < PLAYOUT_STEPS && !machine.terminal(&state, &mut scratch) {
            if Instant::now() > until {
                break;
            }
            let joint = machine.random_joint(&state, &mut scratch, &mut rng)?;
            state = machine.next(&state, &joint, &mut scratch);
            length += 1;
        }
        if machine.take_failure(&mut scratch).is_some() || (Instant::now() > until && matches > 0) {
            break;
        }
        if Instant::now() > until {
            return None;
        }
        (steps, longest, matches) = (steps + length, longest.max(length), matches + 1);
    }
    (matches > 0)
        .then(|| json!({ "mean": steps as f64 / matches as f64, "longest": longest, "matches": matches }))
}

/// The players that the form offers, by spec.
pub(super) fn players(registry: &Registry) -> Vec<Value> {
    let entries = registry.entries(SpecKind::Player);
    let plain = entries.filter(|entry| harmless(registry, &entry.name).is_ok());
    plain.map(|entry| json!({ "spec": entry.name, "about": entry.about })).collect()
}

/// The player of a spec that comes from a page: it names neither a file nor a program nor an address nor another person, and
/// no number that takes all memory. Before that is known, nothing is opened.
///
/// # Errors
/// The sentence that says what is wrong with it.
pub(super) fn harmless(registry: &Registry, spec: &str) -> Result<PlayerSpec, String> {
    let read = registry.unopened(SpecKind::Player, spec).map_err(|error| error.to_string())?;
    let is_large =
        |digits: &str| !digits.is_empty() && digits.parse().map_or(true, |number: u64| number > GREATEST);
    if read.is_remote() || read.reaches_outside() || spec.contains(['/', '\\']) {
        return Err(format!("'{spec:.100}' is no player that a page may name"));
    }
    if spec.split(|c: char| !c.is_ascii_digit()).any(is_large) {
        return Err(format!("'{spec:.100}' has a number above {GREATEST}, the most that a page may name"));
    }
    registry.player(spec).map_err(|error| error.to_string())
}

/// The findings of a text, each with its place.
pub(super) fn check(name: &str, text: &str) -> KioskResult<Value> {
    if text.len() > LONGEST_RULES {
        return Err(refusal(413, "the rules are longer than a MiB", "take shorter ones"));
    }
    let loaded = hyperplay_games::load(Source::new(name, text), None);
    let mut findings = loaded.findings;
    findings.extend(loaded.game.iter().flat_map(findings_on_size));
    let source = &loaded.rulesheet.source;
    let count = findings.len();
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    findings.truncate(LISTED);
    findings.sort_by_key(|finding| finding.span.start);
    let shown = |finding: &Finding| {
        let (line, column) = source.line_column(finding.span.start);
        let (end_line, end_column) = source.line_column(finding.span.end);
        json!({
            "severity": finding.severity.to_string(),
            "code": finding.code.as_str(),
            "message": finding.message,
            "help": finding.help,
            "line": line,
            "column": column,
            "end_line": end_line,
            "end_column": end_column,
        })
    };
    let game = loaded.game.as_ref();
    Ok(json!({
        "findings": findings.iter().map(shown).collect::<Vec<_>>(),
        "more": count - findings.len(),
        "rules": game.map(Game::rules_hash),
        "roles": game.map(Game::played_names).unwrap_or_default(),
        "random": game.is_some_and(|game| game.random().is_some()),
        "playable": game.is_some(),
    }))
}
