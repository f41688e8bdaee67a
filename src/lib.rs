//! hyperplay: general game playing with imperfect information.

pub mod belief;
pub mod datalog;
pub mod engine;
pub mod gdl;
pub mod machine;
pub mod player;
pub mod search;
