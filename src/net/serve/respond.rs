//! The player server behind HTTP.

use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;

use super::table::{PlayerServer, Refusal};
use crate::http::server::{Call, CallAnswer, FutureAnswer, Responder, ServerLimits, serve_http};

/// How often silent matches are looked for.
const ROUND: Duration = Duration::from_secs(1);

impl Responder for PlayerServer {
    fn respond(self: Arc<Self>, call: Call) -> FutureAnswer {
        Box::pin(async move {
            match self.answer(&call.body, call.received).await {
                Ok(body) => CallAnswer { status: 200, body },
                Err(Refusal::Unreadable(error)) => {
                    tracing::info!(peer = %call.peer, "no message: {error}");
                    CallAnswer { status: 400, body: error.to_string() }
                }
                Err(Refusal::Failed(what)) => {
                    tracing::error!(peer = %call.peer, "{what}");
                    CallAnswer { status: 503, body: what }
                }
            }
        })
    }
}

impl PlayerServer {
    /// Plays with any game master that connects, until `shutdown` is done. Then running matches end and their records
    /// are kept, within some seconds.
    ///
    /// # Errors
    /// As [`serve_http`].
    pub async fn run(
        self: Arc<Self>,
        listener: TcpListener,
        limits: ServerLimits,
        shutdown: impl Future<Output = ()> + Send,
    ) -> std::io::Result<()> {
        let looking = Arc::clone(&self);
        let rounds = tokio::spawn(async move {
            let mut rounds = tokio::time::interval(ROUND);
            loop {
                rounds.tick().await;
                looking.expire();
            }
        });
        let served = serve_http(listener, limits, Arc::clone(&self) as Arc<dyn Responder>, shutdown).await;
        rounds.abort();
        self.close();
        served
    }
}
