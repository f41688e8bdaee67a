//! A repository of games behind HTTP, as the clients of ggp-base ask for it.
//!
//! They ask for the list of the games and for the METADATA of each, and then for its files at the address of the version:
//! `games/`, `games/NAME/`, `games/NAME/v1/x.kif` ([`GameRepository::served`]). One request is looked up at a time: it may
//! read every game.

use std::net::ToSocketAddrs;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use percent_encoding::percent_decode_str;
use tokio::sync::Mutex;

use crate::http::server::{ServerLimits, ServerThread};
use hyperplay_games::repository::GameRepository;

/// Serves a repository at an address, for as long as what is returned is kept.
///
/// # Errors
/// That of the operating system, if the port is taken for example.
pub fn serve_repository(at: impl ToSocketAddrs, repository: GameRepository) -> std::io::Result<ServerThread> {
    let router = Router::new().fallback(get(answer)).with_state(Arc::new(Mutex::new(repository)));
    ServerThread::listen(at, ServerLimits::default(), router)
}

async fn answer(State(repository): State<Arc<Mutex<GameRepository>>>, uri: Uri) -> Response {
    let path = percent_decode_str(uri.path()).decode_utf8_lossy().into_owned();
    let one = repository.lock_owned().await;
    let served = tokio::task::spawn_blocking(move || one.served(&path)).await;
    // The paths of this computer are nobody's business.
    let (status, body) = match served {
        Ok(Ok(bytes)) => (StatusCode::OK, bytes),
        error => {
            tracing::warn!(?error, "not found in the repository of games");
            (StatusCode::NOT_FOUND, b"there is no such game, version or file".to_vec())
        }
    };
    (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], body).into_response()
}
