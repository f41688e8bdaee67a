//! The player server: messages in, moves out.
pub mod knowledge;
pub mod legal;
pub mod margin;
pub mod rules;
