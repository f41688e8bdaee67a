//! The HTTP front of a server: many connections, each with one call and one answer.
//!
//! ```text
//! accept --ConnectionBook--> whole_request (a thin reader) --> hyper, axum --> Responder
//! ```
//!
//! Calls are parsed and answers written by hyper. Before it stands a reader that waits until the whole request is
//! there: it is what bounds the time, the bytes and the number of connections that say nothing, and it adds a
//! `Content-length` where the protocol of the field lets it be missing. Each connection has one call; it is closed
//! behind the answer, as game masters expect, who read until then.
//!
//! Invariant: a connection that is idle, slow or hostile costs the others nothing but its share of the limits
//! ([`ServerLimits`]).

mod book;
mod front;
mod limits;
mod reader;
#[cfg(test)]
mod stream_tests;
#[cfg(test)]
mod tests;
mod thread;

use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use book::ConnectionBook;
pub use front::Received;
pub(crate) use front::router;
pub use limits::ServerLimits;
use reader::{Unheard, whole_request};
pub use thread::ServerThread;

/// A request that came in.
#[derive(Clone, Debug)]
pub struct Call {
    /// The message.
    pub body: String,
    /// When its last byte came.
    pub received: Instant,
    /// From where.
    pub peer: SocketAddr,
}

/// An answer that goes out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallAnswer {
    /// The status of HTTP; 200 where the protocol has an answer.
    pub status: u16,
    /// The term, or in a refusal a sentence.
    pub body: String,
}

/// A type that answers calls.
pub trait Responder: Send + Sync + 'static {
    /// Answers a call. If the connection breaks, the future is dropped.
    fn respond(&self, call: Call) -> impl Future<Output = CallAnswer> + Send;
}

/// How long running calls may go on after the shutdown.
const FAREWELL: Duration = Duration::from_secs(1);

/// How long to wait after a connection could not be accepted, because there are too many files open for example.
const PAUSE: Duration = Duration::from_millis(50);

/// Serves calls until `shutdown` is done; those at hand may end within a second.
///
/// # Errors
/// None now; an error to accept a connection is logged, and the next one is waited for.
pub async fn serve_http(
    listener: TcpListener,
    limits: ServerLimits,
    responder: Arc<impl Responder>,
    shutdown: impl Future<Output = ()> + Send,
) -> std::io::Result<()> {
    let routes = router(responder, &limits);
    serve_router(listener, limits, routes, shutdown).await
}

/// Serves the routes of a router in the same way; each request has the time and the sender in an extension
/// ([`Received`]).
///
/// # Errors
/// As [`serve_http`].
pub async fn serve_router(
    listener: TcpListener,
    limits: ServerLimits,
    router: axum::Router,
    shutdown: impl Future<Output = ()> + Send,
) -> std::io::Result<()> {
    let book = Arc::new(ConnectionBook::new(limits.connections));
    let bytes = Arc::new(Semaphore::new(limits.bytes_at_once / limits::BLOCK));
    let mut shutdown = pin!(shutdown);
    let mut complained = None::<Instant>;
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = &mut shutdown => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                if complained.is_none_or(|at| at.elapsed() > Duration::from_secs(10)) {
                    tracing::warn!(%error, "a connection could not be accepted");
                    complained = Some(Instant::now());
                }
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        let connection = Connection {
            stream,
            peer,
            limits: limits.clone(),
            bytes: Arc::clone(&bytes),
            router: router.clone(),
            book: Arc::clone(&book),
        };
        book.admit(|place| tokio::spawn(connection.serve(place)));
    }
    let until = Instant::now() + FAREWELL;
    while book.answering() > 0 && Instant::now() < until {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    book.close();
    Ok(())
}

/// One connection.
struct Connection {
    stream: TcpStream,
    peer: SocketAddr,
    limits: ServerLimits,
    bytes: Arc<Semaphore>,
    router: axum::Router,
    book: Arc<ConnectionBook>,
}

impl Connection {
    async fn serve(self, place: u64) {
        let Connection { stream, peer, limits, bytes, router, book } = self;
        // An answer is one small packet, and nobody waits for more.
        let _ = stream.set_nodelay(true);
        match whole_request(stream, &limits, &bytes).await {
            Ok(request) => {
                book.is_answering(place);
                let received = Instant::now();
                let service = router.layer(axum::Extension(Received { peer, received }));
                let served = hyper::server::conn::http1::Builder::new()
                    .keep_alive(false)
                    .half_close(!limits.hears_hangup)
                    .auto_date_header(false)
                    .preserve_header_case(true)
                    .title_case_headers(true)
                    .max_headers(limits.headers)
                    .timer(TokioTimer::new())
                    .header_read_timeout(limits.idle)
                    .serve_connection(TokioIo::new(request), TowerToHyperService::new(service))
                    .await;
                if let Err(error) = served {
                    tracing::debug!(%peer, %error, "the connection ended early");
                }
            }
            Err(Unheard::Closed) => tracing::debug!(%peer, "closed without a message"),
            Err(Unheard::Refused { status, why, mut stream }) => {
                tracing::info!(%peer, status, "refused: {why}");
                reader::refuse(&mut stream, status, &why).await;
            }
        }
        book.leave(place);
    }
}
