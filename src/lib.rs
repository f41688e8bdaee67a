//! hyperplay: general game playing with imperfect information.

pub mod gdl;
pub mod machine;
pub mod player;
pub mod search;
