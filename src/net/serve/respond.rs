//! The player server behind HTTP.

use std::sync::Arc;

use tokio::net::TcpListener;

use super::table::{PlayerServer, Refusal};
use crate::http::server::{Call, CallAnswer, Responder, ServerLimits, serve_http};

impl Responder for PlayerServer {
    async fn respond(&self, call: Call) -> CallAnswer {
        match self.answer(call.body, call.received).await {
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
        let served = serve_http(listener, limits, Arc::clone(&self), shutdown).await;
        self.close();
        served
    }
}
