//! The routes: a message in the body of POST, or in the address of GET; OPTIONS for pages of a browser.
//!
//! ggp-base's players answer pages of any origin, so that a page can be a game master, and so does this. A page that is
//! not meant to may then talk to a player that listens on this computer; all that it can do there is to play.

use std::net::SocketAddr;
use std::str::Utf8Error;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Extension;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, Method, Response, StatusCode, header};
use axum::response::IntoResponse as _;
use tokio::time::timeout;

use super::{Call, CallAnswer, Responder, ServerLimits};

/// The longest part of a message that is logged, in characters.
const LOGGED: usize = 300;

/// When and from where a request came.
#[derive(Clone, Copy, Debug)]
pub struct Received {
    /// From where.
    pub peer: SocketAddr,
    /// When its last byte came.
    pub received: Instant,
}

struct Answering<R> {
    responder: Arc<R>,
    body_bytes: usize,
    idle: Duration,
}

/// The routes of a server.
pub(crate) fn router<R: Responder>(responder: Arc<R>, limits: &ServerLimits) -> Router {
    let (body_bytes, idle) = (limits.body_bytes, limits.idle);
    Router::new().fallback(answer::<R>).with_state(Arc::new(Answering { responder, body_bytes, idle }))
}

async fn answer<R: Responder>(
    State(answering): State<Arc<Answering<R>>>,
    Extension(of): Extension<Received>,
    request: Request,
) -> Response<Body> {
    let (parts, body) = request.into_parts();
    let message = match parts.method {
        Method::POST => of_body(body, &answering).await,
        Method::GET => of_address(parts.uri.path_and_query().map_or("", |path| path.as_str())),
        Method::OPTIONS => Err(CallAnswer { status: 200, body: String::new() }),
        _ => Err(CallAnswer { status: 405, body: "a message comes by POST or GET".to_owned() }),
    };
    let (bytes, answer) = match message {
        Ok(body) => {
            let shown: String =
                body.chars().take(LOGGED).map(|c| if c.is_control() { ' ' } else { c }).collect();
            tracing::debug!(peer = %of.peer, message = %shown, "received");
            let bytes = body.len();
            (bytes, answering.responder.respond(Call { body, received: of.received, peer: of.peer }).await)
        }
        Err(refused) => (0, refused),
    };
    tracing::debug!(
        peer = %of.peer,
        method = %parts.method,
        bytes,
        status = answer.status,
        milliseconds = of.received.elapsed().as_millis() as u64,
        "answered"
    );
    let is_of_page = parts.headers.contains_key(header::ORIGIN) || parts.method == Method::OPTIONS;
    let mut response = written(answer);
    if is_of_page {
        for (name, value) in PAGES {
            response.headers_mut().insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
    }
    // With them hyper spells the names of headers as the client does.
    response.extensions_mut().extend(parts.extensions);
    response
}

/// The headers for pages of a browser.
const PAGES: [(&str, &str); 4] = [
    ("access-control-allow-origin", "*"),
    ("access-control-allow-methods", "POST, GET, OPTIONS"),
    ("access-control-allow-headers", "Accept, Content-type, Sender, Receiver"),
    ("access-control-max-age", "86400"),
];

fn written(answer: CallAnswer) -> Response<Body> {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let kind = if status == StatusCode::OK { "text/acl" } else { "text/plain" };
    let length = HeaderValue::from(answer.body.len());
    let headers = [(header::CONTENT_TYPE, HeaderValue::from_static(kind)), (header::CONTENT_LENGTH, length)];
    (status, headers, answer.body).into_response()
}

/// The message of a body.
async fn of_body<R>(body: Body, answering: &Answering<R>) -> Result<String, CallAnswer> {
    let refused = |status, body: String| CallAnswer { status, body };
    // All of it is there, unless a chunk is said to be longer than it is.
    let bytes = timeout(answering.idle, to_bytes(body, answering.body_bytes))
        .await
        .map_err(|_| refused(408, "the rest of the body did not come".to_owned()))?
        .map_err(|error| refused(400, format!("the body cannot be read: {error}")))?;
    String::from_utf8(bytes.into()).map_err(|error| no_text(error.utf8_error()))
}

/// The message in an address, as browsers and Java encode it: a blank may be `+`.
fn of_address(path: &str) -> Result<String, CallAnswer> {
    let path = path.strip_prefix('/').unwrap_or(path).replace('+', " ");
    let decoded = percent_encoding::percent_decode_str(&path).decode_utf8();
    decoded.map(|text| text.into_owned()).map_err(no_text)
}

fn no_text(error: Utf8Error) -> CallAnswer {
    let body = format!("the message is no text: byte {} is not UTF-8", error.valid_up_to() + 1);
    CallAnswer { status: 400, body }
}
