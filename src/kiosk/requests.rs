//! The requests to a kiosk that change something: new tables, and replays.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde_json::{Value, json};

use super::Kiosk;
use super::answers::{KioskRefusal, KioskResult, refusal};
use super::lobby::{TableRequest, harmless};
use super::parts::{Sight, Sitting, TableParts, TableToken};
use super::past::{PastMatch, TRUTH};
use super::table::Table;
use hyperplay_logic::gdl::{did_you_mean, fold};
use hyperplay_machine::{Role, Seed};
use hyperplay_play::player::SpecError;
use hyperplay_play::referee::{Clocks, Transcript};

/// The longest clock, in seconds.
const LONGEST_CLOCK: f64 = 24.0 * 3600.0;

/// A random text that nobody guesses: 128 bits.
fn secret() -> KioskResult<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| refusal(500, format!("no randomness: {error}"), "try again"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl Kiosk {
    /// Lays a table and returns its links. An order from the command line may name files and addresses.
    ///
    /// # Errors
    /// If the order is wrong or there are too many tables.
    pub fn lay(&self, order: &TableRequest, is_trusted: bool) -> KioskResult<Value> {
        let place = Arc::clone(&self.places).try_acquire_owned().map_err(|_| {
            let error = format!("{} matches are being played, and no more are allowed", self.options.tables);
            refusal(429, error, "wait until one is over, or start the kiosk with more --tables")
        })?;
        let room = self.lobby.room(order)?;
        let (roles, random) = (room.game.role_names(), room.random());
        let wrong = |error: String, remedy: &str| refusal(400, error, remedy);
        let played = room.game.played_names();
        let is_played = |name: &&String| played.iter().any(|role| fold(role) == fold(name));
        if let Some(role) = order.seats.keys().find(|role| !is_played(role)) {
            let meant = did_you_mean(role, played.iter().map(String::as_str));
            let is_random = room.game.role_named(role).is_some();
            let strange = format!("there is no role '{role:.60}'{meant}");
            let what = if is_random { "the role random chooses by itself".to_owned() } else { strange };
            return Err(wrong(what, &format!("the roles are {}", played.join(", "))));
        }
        let mut sitting = Vec::new();
        for role in &roles {
            if random.as_ref() == Some(role) {
                sitting.push(Sitting::Random);
                continue;
            }
            let given =
                order.seats.iter().find(|(name, _)| fold(name) == fold(role)).map(|(_, spec)| spec.as_str());
            sitting.push(match given.unwrap_or("person") {
                "person" | "human" => Sitting::Person,
                spec if !is_trusted => {
                    let remedy = "take a player of the list; files, addresses and greater numbers are named on the command line";
                    let player = harmless(&self.options.registry, spec);
                    Sitting::Program(player.map_err(|error| wrong(error, remedy))?)
                }
                spec => Sitting::Program(
                    self.options
                        .registry
                        .player(spec)
                        .map_err(|error| wrong(error.to_string(), "see `hyperplay players`"))?,
                ),
            });
        }
        let clocks = clocks_of(order)?;
        let spectators = match order.spectators.as_deref().unwrap_or("none") {
            "none" => None,
            TRUTH => Some(Sight::Truth),
            name => {
                let role = room.game.role_named(name).ok_or_else(|| {
                    wrong(format!("there is no role '{name:.60}'"), "take 'none', 'truth' or a role")
                })?;
                Some(Sight::Role(Role::new(role)))
            }
        };
        let id = secret()?[..12].to_owned();
        let persons = (0..sitting.len()).filter(|&at| matches!(sitting[at], Sitting::Person));
        let token = |at| Ok(TableToken::new(secret()?, Sight::Role(Role::new(at)), true));
        let mut tokens = persons.map(token).collect::<KioskResult<Vec<TableToken>>>()?;
        if let Some(sight) = spectators.or(tokens.is_empty().then_some(Sight::Truth)) {
            tokens.push(TableToken::new(secret()?, sight, false));
        }
        let links: Vec<Value> = tokens
            .iter()
            .map(|token| {
                let sees = match token.sight {
                    Sight::Role(role) => roles[role.index()].as_str(),
                    Sight::Truth => TRUTH,
                };
                let path = format!("/#table={id}&token={}", token.secret);
                json!({ "role": token.is_seat.then_some(sees), "sees": sees, "token": token.secret, "path": path })
            })
            .collect();
        let refused = |error: SpecError| refusal(500, error.to_string(), "tell whoever made this program");
        let parts = TableParts {
            id: id.clone(),
            equilibrium: room.equilibrium(&self.options.registry).map_err(refused)?,
            room,
            sitting,
            tokens,
            clocks,
            think_ahead: self.options.think_ahead,
            seed: order.seed.unwrap_or_else(|| {
                table_seed(self.options.seed, self.numbers.fetch_add(1, Ordering::Relaxed))
            }),
            sampler: self.options.registry.sampler("hyperplay").map_err(refused)?,
            records: self.records.clone(),
        };
        let table = Table::lay(parts, place)
            .map_err(|error| refusal(500, format!("no thread for the table: {error}"), "end other tables"))?;
        self.tables.lock().insert(id.clone(), table);
        self.forget();
        Ok(json!({ "table": id, "links": links }))
    }

    /// The table and the token of a link.
    pub(super) fn seat<T>(
        &self,
        id: &str,
        secret: &str,
        of: impl FnOnce(&Arc<Table>, &TableToken) -> KioskResult<T>,
    ) -> KioskResult<T> {
        let table = self.tables.lock().get(id).map(Arc::clone).ok_or_else(KioskRefusal::no_such_seat)?;
        let token = table.token(secret).ok_or_else(KioskRefusal::no_such_seat)?;
        if let (Sight::Role(role), true) = (token.sight, token.is_seat) {
            table.come(role);
        }
        of(&table, token)
    }
}

/// The clocks of an order.
fn clocks_of(order: &TableRequest) -> KioskResult<Option<Clocks>> {
    // Without clocks a person may take as long as she wants.
    let Some(play) = order.playclock else { return Ok(None) };
    let start = order.startclock.unwrap_or(10.0);
    let is_right = |seconds: f64| seconds.is_finite() && (0.0..=LONGEST_CLOCK).contains(&seconds);
    if !is_right(start) || !is_right(play) || play < 0.1 {
        let remedy = "give seconds, at least 0.1 for a move and at most a day";
        return Err(refusal(400, "these are no clocks", remedy));
    }
    Ok(Some(Clocks { start: Duration::from_secs_f64(start), play: Duration::from_secs_f64(play) }))
}

impl Kiosk {
    /// Opens a transcript, a line of JSON, as a replay; returns its name, its roles and the number of its steps.
    ///
    /// # Errors
    /// If it is no transcript, its rules are not known, or it does not agree with them.
    pub fn replay(&self, transcript: &str, rules: Option<&str>) -> KioskResult<Value> {
        let line = transcript.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
        let read: Transcript = serde_json::from_str(line).map_err(|error| {
            refusal(
                400,
                format!("this is no transcript: {error}"),
                "take a line of `hyperplay match --transcript`",
            )
        })?;
        let room = match rules {
            Some(text) => self.lobby.sent(&read.game, text, None)?,
            None => self.lobby.with_rules(&read.game, &read.rules).ok_or_else(|| {
                let error = format!(
                    "the rules of '{:.100}' are not among the games of this kiosk, or are others",
                    read.game
                );
                refusal(404, error, "drop the rulesheet together with the transcript")
            })?,
        };
        let sampler = self.options.registry.sampler("hyperplay");
        let sampler =
            sampler.map_err(|error| refusal(500, error.to_string(), "tell whoever made this program"))?;
        let id = secret()?[..12].to_owned();
        let past = PastMatch::of_transcript(id.clone(), &room, &sampler, &read)?;
        let told = json!({ "replay": id, "steps": past.steps(), "roles": room.game.role_names() });
        self.past.add(Arc::new(past));
        Ok(told)
    }
}

/// The seed of a table of a kiosk.
fn table_seed(seed: u64, number: u64) -> u64 {
    use rand::RngExt as _;
    // A number that JavaScript and a person can read.
    Seed::root(seed).child("table").index(number as usize).rng().random::<u64>() >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_a_kiosk_have_seeds_of_their_own() {
        assert_eq!(table_seed(1, 0), table_seed(1, 0));
        assert_ne!(table_seed(1, 0), table_seed(1, 1));
        assert_ne!(table_seed(1, 0), table_seed(2, 0));
    }
}
