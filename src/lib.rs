//! hyperplay: general game playing with imperfect information.

pub mod belief;
pub mod cli;
pub mod datalog;
pub mod efg;
pub mod engine;
pub mod gdl;
pub mod machine;
pub mod player;
pub mod referee;
pub mod search;
