//! Analysis of games: the properties of rules that playing and counting show and reading does not.
//!
//! [`simulate()`] plays at random and reports, as findings, what the rules allow and should not. [`survey()`] counts
//! states and information sets, [`reach()`] makes the graph of all reachable states, and [`weakly`] and [`strongly`]
//! say what a role can win on it. [`Adjustment`] takes luck out of the goals of matches, and
//! [`Learner`] makes a policy of matches. [`findings_on_size`] names the rules that have too many instances.
//!
//! Third-party: `petgraph` (the graph of reachable states), `rayon` (many matches).

mod adjusted;
mod effort;
mod issue;
mod places;
mod prospects;
mod reach;
mod relation_sizes;
mod simulate;
mod survey;
mod winnable;

pub use crate::player::learning::{HELD_OUT, LIMIT, Learner, Learnt, Smoothing, TREMBLE};
pub use adjusted::{Adjustment, Baseline};
pub use effort::Effort;
pub use reach::{Reach, ReachKind, ReachNode, Sight, reach};
pub use relation_sizes::findings_on_size;
pub use simulate::{Simulation, simulate};
pub use survey::{Basis, Survey, SurveyWords, survey};
pub use winnable::{Winnability, strongly, weakly};
