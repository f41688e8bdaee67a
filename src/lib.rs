//! hyperplay: general game playing with imperfect information.

pub mod belief;
pub mod gdl;
pub mod machine;
pub mod player;
