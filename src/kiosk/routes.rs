//! The routes: requests in, JSON and scenes out. A route that computes for long does it on a thread that may block.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, State};
use axum::http::{Response, StatusCode, header};
use axum::middleware;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response as AxumResponse};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use futures_util::stream::{Stream, unfold};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::advice::hint;
use super::answers::{KioskResult, refusal};
use super::diagram::diagram;
use super::guard::guard;
use super::lobby::{TableRequest, check, harmless, players};
use super::parts::{Sight, TableToken};
use super::past::{PastMatch, TRUTH};
use super::scene::Scene;
use super::table::Table;
use super::{Kiosk, page};
use hyperplay_logic::gdl::Language;
use hyperplay_machine::Role;
use hyperplay_net::http::server::Received;

/// Bytes of a body: a rulesheet in JSON, or a transcript.
pub(super) const BODY_BYTES: usize = 6 << 20;

/// How often an experiment is looked at.
const WATCH: Duration = Duration::from_secs(1);

/// How often a stream says that it is there.
const ALIVE: Duration = Duration::from_secs(15);

/// Transcripts of an experiment that are listed at a time.
const LISTED: usize = 50;

/// The answer of a route.
type Answer = KioskResult<Response<Body>>;

/// The answer of a route that has nothing to say.
type Done = KioskResult<StatusCode>;

/// A value as JSON.
fn answer(value: &impl Serialize) -> Response<Body> {
    Json(value).into_response()
}

/// The pairs behind a question mark.
type Asked = Query<HashMap<String, String>>;

/// All routes.
pub(super) fn router(kiosk: Arc<Kiosk>) -> Router {
    Router::new()
        .route("/", get(|| async { file("index.html") }))
        .route("/page/{name}", get(|Path(name): Path<String>| async move { file(&name) }))
        .route("/favicon.ico", get(|| async { file("favicon.svg") }))
        .route("/api/lobby", get(lobby))
        .route("/api/check", post(checked))
        .route("/api/tables", post(lay))
        .route("/api/tables/{id}", get(scene))
        .route("/api/tables/{id}/events", get(events))
        .route("/api/tables/{id}/move", post(choose))
        .route("/api/tables/{id}/command", post(command))
        .route("/api/tables/{id}/diagram", get(drawn))
        .route("/api/tables/{id}/leave", post(leave))
        .route("/api/tables/{id}/hint", post(advise))
        .route("/api/tables/{id}/review", get(review))
        .route("/api/replays", post(replay))
        .route("/api/replays/{id}", get(replayed))
        .route("/api/watch", get(watched))
        .route("/api/watch/events", get(watching))
        .route("/api/watch/transcripts", get(transcripts))
        .route("/api/watch/open", post(open_watched))
        .fallback(|| async { refusal(404, "there is nothing here", "begin at the lobby, at /") })
        .layer(middleware::from_fn_with_state(Arc::clone(&kiosk), guard))
        .with_state(kiosk)
}

fn file(name: &str) -> AxumResponse {
    let Some((kind, text)) = page::file(name) else {
        return refusal(404, "the page has no such file", "load the page again").into_response();
    };
    ([(header::CONTENT_TYPE, kind)], text).into_response()
}

/// The body of a request.
fn read<T: DeserializeOwned>(body: &Bytes) -> KioskResult<T> {
    serde_json::from_slice(body)
        .map_err(|error| refusal(400, format!("the request cannot be read: {error}"), "load the page again"))
}

/// Runs what takes long.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> KioskResult<T> + Send + 'static,
) -> KioskResult<T> {
    let failed = || refusal(500, "a part of the program failed", "the log says where; try something else");
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| Err(failed()))
}

async fn lobby(State(kiosk): State<Arc<Kiosk>>) -> Answer {
    blocking(move || {
        let tables: Vec<Value> = kiosk
            .tables
            .lock()
            .values()
            .filter(|table| !table.is_over())
            .map(
                |table| json!({ "name": table.parts.room.name, "roles": table.parts.room.game.role_names() }),
            )
            .collect();
        Ok(answer(&json!({
            "games": kiosk.lobby.entries(),
            "players": players(&kiosk.options.registry),
            "tables": tables,
            "watch": kiosk.options.watched.is_some(),
            "preset": kiosk.options.preset,
        })))
    })
    .await
}

#[derive(Deserialize)]
struct ToCheck {
    text: String,
    name: Option<String>,
}

async fn checked(body: Bytes) -> Answer {
    let ToCheck { text, name } = read(&body)?;
    blocking(move || Ok(answer(&check(name.as_deref().unwrap_or("rulesheet"), &text)?))).await
}

async fn lay(State(kiosk): State<Arc<Kiosk>>, body: Bytes) -> Answer {
    let order: TableRequest = read(&body)?;
    blocking(move || Ok(answer(&kiosk.lay(&order, false)?))).await
}

fn asked<'q>(query: &'q HashMap<String, String>, key: &str) -> &'q str {
    query.get(key).map_or("", String::as_str)
}

async fn scene(State(kiosk): State<Arc<Kiosk>>, Path(id): Path<String>, Query(query): Asked) -> Answer {
    kiosk.seat(&id, asked(&query, "token"), |table, token| Ok(answer(&table.scene(token))))
}

/// A stream of scenes: one at once, then one for each change that this token may know.
struct Watching {
    table: Arc<Table>,
    secret: String,
    changes: tokio::sync::watch::Receiver<u64>,
    last: Option<Scene>,
    version: u64,
    is_done: bool,
    _places: [OwnedSemaphorePermit; 2],
}

/// The scene without what is counted or measured.
fn without_clock(scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    scene.version = 0;
    if let Some(clock) = &mut scene.clock {
        clock["left"] = json!(0.0);
    }
    scene
}

impl Watching {
    async fn next(mut self) -> Option<(Result<Event, Infallible>, Watching)> {
        loop {
            if self.is_done {
                return None;
            }
            self.changes.mark_unchanged();
            // Asked before the scene, which then has all that there will be.
            let is_done = self.table.is_still();
            let mut scene = self.table.token(&self.secret).map(|token| self.table.scene(token))?;
            let plain = without_clock(&scene);
            self.is_done = is_done;
            if self.last.as_ref() != Some(&plain) {
                self.version += 1;
                scene.version = self.version;
                self.last = Some(plain);
                let text = serde_json::to_string(&scene).unwrap_or_default();
                return Some((Ok(Event::default().event("scene").data(text)), self));
            }
            if !self.is_done && self.changes.changed().await.is_err() {
                return None;
            }
        }
    }
}

async fn events(
    State(kiosk): State<Arc<Kiosk>>,
    Path(id): Path<String>,
    Query(query): Asked,
) -> KioskResult<AxumResponse> {
    let secret = asked(&query, "token").to_owned();
    let watching = kiosk.seat(&id, &secret, |table, token| {
        let full = |_| refusal(429, "this link is open in too many places", "close some of its pages");
        let place = Arc::clone(&token.streams).try_acquire_owned().map_err(full)?;
        let places = [place, kiosk.stream_place(&kiosk.streams)?];
        let changes = table.changes.subscribe();
        Ok(Watching {
            table: Arc::clone(table),
            secret: secret.clone(),
            changes,
            last: None,
            version: 0,
            is_done: false,
            _places: places,
        })
    })?;
    Ok(stream(unfold(watching, Watching::next)))
}

fn stream(events: impl Stream<Item = Result<Event, Infallible>> + Send + 'static) -> AxumResponse {
    Sse::new(events).keep_alive(KeepAlive::new().interval(ALIVE).text("still there")).into_response()
}

#[derive(Deserialize)]
struct Chosen {
    token: String,
    step: usize,
    #[serde(rename = "move")]
    own: String,
}

async fn choose(State(kiosk): State<Arc<Kiosk>>, Path(id): Path<String>, body: Bytes) -> Done {
    let Chosen { token, step, own } = read(&body)?;
    kiosk.act(&id, &token, |table, role| table.choose(role, step, &own))
}

/// The diagram of the interaction that a table runs.
async fn drawn(State(kiosk): State<Arc<Kiosk>>, Path(id): Path<String>, Query(query): Asked) -> Answer {
    kiosk.seat(&id, asked(&query, "token"), |table, _| {
        let game = &table.parts.room.game;
        match game.language() {
            Language::Sidl => Ok(answer(&diagram(game))),
            Language::Gdl => {
                Err(refusal(404, "the game has no diagram", "only interactions in SIDL have one"))
            }
        }
    })
}

#[derive(Deserialize)]
struct Commanded {
    token: String,
    switch: String,
    alias: String,
}

async fn command(
    State(kiosk): State<Arc<Kiosk>>,
    Path(id): Path<String>,
    Extension(of): Extension<Received>,
    body: Bytes,
) -> Done {
    let Commanded { token, switch, alias } = read(&body)?;
    kiosk.act(&id, &token, |table, role| table.command(role, &switch, &alias, of.received))
}

/// The role that a token may move for.
fn seat_of(token: &TableToken) -> KioskResult<Role> {
    match token.sight {
        Sight::Role(role) if token.is_seat => Ok(role),
        _ => Err(refusal(403, "a spectator does not move", "take the link of a seat")),
    }
}

#[derive(Deserialize)]
struct Leaving {
    token: String,
}

async fn leave(State(kiosk): State<Arc<Kiosk>>, Path(id): Path<String>, body: Bytes) -> Done {
    let Leaving { token } = read(&body)?;
    kiosk.act(&id, &token, |table, role| {
        table.leave(role);
        Ok(())
    })
}

#[derive(Deserialize)]
struct AskedHint {
    token: String,
    player: Option<String>,
}

async fn advise(State(kiosk): State<Arc<Kiosk>>, Path(id): Path<String>, body: Bytes) -> Answer {
    let AskedHint { token, player } = read(&body)?;
    let spec = player.filter(|spec| !spec.trim().is_empty()).unwrap_or_else(|| "hyperplay".to_owned());
    blocking(move || {
        let (table, role) =
            kiosk.seat(&id, &token, |table, token| Ok((Arc::clone(table), seat_of(token)?)))?;
        let player = harmless(&kiosk.options.registry, &spec)
            .map_err(|error| refusal(400, error, "take a player of the list"))?;
        let known = table.to_advise(role)?;
        let engine = table.parts.room.engine_for(&player);
        let engine = engine.map_err(|error| refusal(409, error, "play a smaller game"))?;
        let _place = kiosk
            .hints
            .try_acquire()
            .map_err(|_| refusal(429, "other hints are being worked out", "ask again in some seconds"))?;
        if !table.is_hinting.lock().insert(role) {
            return Err(refusal(429, "a hint is being worked out", "wait for it"));
        }
        let said = hyperplay_play::player::guarded(|| hint(&engine, &player, &known));
        table.is_hinting.lock().remove(&role);
        Ok(answer(&said.unwrap_or_else(|_| Err(refusal(500, "the player failed", "ask another one")))?))
    })
    .await
}

/// The step and the sight that a review asks for.
fn reviewed(past: &PastMatch, query: &HashMap<String, String>) -> Answer {
    let step = asked(query, "step").parse();
    let step = step.map_err(|_| refusal(400, "a review needs a step", "ask for a step from 0"))?;
    Ok(answer(&past.scene(step, query.get("as").map_or(TRUTH, String::as_str))?))
}

async fn review(State(kiosk): State<Arc<Kiosk>>, Path(id): Path<String>, Query(query): Asked) -> Answer {
    blocking(move || {
        let past = kiosk.seat(&id, asked(&query, "token"), |table, _| {
            let past = table.shared.lock().past.clone();
            past.ok_or_else(|| refusal(409, "the match is not over", "wait for its end"))
        })?;
        reviewed(&past, &query)
    })
    .await
}

#[derive(Deserialize)]
struct ToReplay {
    transcript: String,
    rules: Option<String>,
}

async fn replay(State(kiosk): State<Arc<Kiosk>>, body: Bytes) -> Answer {
    let ToReplay { transcript, rules } = read(&body)?;
    blocking(move || Ok(answer(&kiosk.replay(&transcript, rules.as_deref())?))).await
}

async fn replayed(State(kiosk): State<Arc<Kiosk>>, Path(id): Path<String>, Query(query): Asked) -> Answer {
    blocking(move || {
        let gone = || refusal(404, "there is no such replay", "drop the transcript again");
        let past = kiosk.past.get(&id).ok_or_else(gone)?;
        reviewed(&past, &query)
    })
    .await
}

impl Kiosk {
    /// The holder of a seat does something at its table.
    fn act(&self, id: &str, secret: &str, what: impl FnOnce(&Table, Role) -> KioskResult) -> Done {
        self.seat(id, secret, |table, token| what(table, seat_of(token)?)).map(|()| StatusCode::NO_CONTENT)
    }

    /// A place for a stream among `places`.
    fn stream_place(&self, places: &Arc<Semaphore>) -> KioskResult<OwnedSemaphorePermit> {
        let full = |_| refusal(429, "too many pages follow this server", "close some of them");
        Arc::clone(places).try_acquire_owned().map_err(full)
    }

    /// The answer of the experiment to a request.
    fn watched<T>(
        &self,
        of: impl FnOnce(&dyn super::WatchedExperiment) -> Result<T, String>,
    ) -> KioskResult<T> {
        let none = || refusal(404, "no experiment is watched", "start the kiosk with --watch DIR");
        let watched = self.options.watched.as_ref().ok_or_else(none)?;
        of(&**watched).map_err(|error| refusal(500, error, "see whether the folder is that of an experiment"))
    }
}

async fn watched(State(kiosk): State<Arc<Kiosk>>) -> Answer {
    blocking(move || Ok(answer(&kiosk.watched(|watched| watched.state())?))).await
}

async fn watching(State(kiosk): State<Arc<Kiosk>>) -> KioskResult<AxumResponse> {
    kiosk.watched(|_| Ok(()))?;
    let place = kiosk.stream_place(&kiosk.watchers)?;
    let next = |(kiosk, last, place): (Arc<Kiosk>, Option<super::WatchedState>, OwnedSemaphorePermit)| async move {
        loop {
            let asked = Arc::clone(&kiosk);
            let state = blocking(move || asked.watched(|watched| watched.state())).await.ok()?;
            if last.as_ref() != Some(&state) {
                let text = serde_json::to_string(&state).unwrap_or_default();
                let event: Result<Event, Infallible> = Ok(Event::default().event("progress").data(text));
                return Some((event, (kiosk, Some(state), place)));
            }
            tokio::time::sleep(WATCH).await;
        }
    };
    Ok(stream(unfold((kiosk, None, place), next)))
}

async fn transcripts(State(kiosk): State<Arc<Kiosk>>, Query(query): Asked) -> Answer {
    let from = asked(&query, "from").parse().unwrap_or(0);
    blocking(move || {
        Ok(answer(&json!({ "transcripts": kiosk.watched(|watched| watched.transcripts(from, LISTED))? })))
    })
    .await
}

#[derive(Deserialize)]
struct ToOpen {
    index: usize,
}

async fn open_watched(State(kiosk): State<Arc<Kiosk>>, body: Bytes) -> Answer {
    let ToOpen { index } = read(&body)?;
    blocking(move || {
        let found = kiosk.watched(|watched| watched.open(index))?;
        let none = || refusal(404, format!("there is no match {index}"), "take one of the list of matches");
        let (transcript, rules) = found.ok_or_else(none)?;
        Ok(answer(&kiosk.replay(&transcript, Some(&rules))?))
    })
    .await
}
