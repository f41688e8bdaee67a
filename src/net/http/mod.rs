//! One message on one connection, as the game masters of the field send it and expect its answer.

pub mod client;
pub mod server;
