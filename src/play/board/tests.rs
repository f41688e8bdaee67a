//! The layouts of small rulesheets.
