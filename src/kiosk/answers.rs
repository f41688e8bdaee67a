//! The answer where nothing can be done: a status of HTTP, the error, and the remedy.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

/// A request that is refused.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct KioskRefusal {
    /// The status of HTTP.
    #[serde(skip)]
    pub status: u16,
    /// The error.
    pub error: String,
    /// The remedy.
    pub remedy: String,
}

/// An answer, or why there is none.
pub type KioskResult<T = ()> = Result<T, KioskRefusal>;

/// A refusal with this status.
pub(super) fn refusal(status: u16, error: impl Into<String>, remedy: impl Into<String>) -> KioskRefusal {
    KioskRefusal { status, error: error.into(), remedy: remedy.into() }
}

impl KioskRefusal {
    /// A token that opens nothing here.
    pub(super) fn no_such_seat() -> KioskRefusal {
        refusal(
            404,
            "there is no such table, or the link does not open it",
            "take the link that was made with the table, or begin a new match in the lobby",
        )
    }
}

impl IntoResponse for KioskRefusal {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        (status, Json(self)).into_response()
    }
}
