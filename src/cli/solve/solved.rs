//! A game that was solved on its tree, and words for it.

use hyperplay_machine::counted;
use hyperplay_think::solve::{GameTree, RegretMinimiser, SequenceForm, SolvePoint, SolvedProfile};

/// The line about a run that its time ended.
pub const CUT: &str = "the time, or an interrupt, ended this run: another run may differ";

/// A game that was solved on its tree.
pub struct Solved {
    pub tree: GameTree,
    pub form: SequenceForm,
    pub solution: SolvedProfile,
    pub curve: Vec<SolvePoint>,
    pub minimisers: Vec<RegretMinimiser>,
    /// Whether the time, or an interrupt, ended the run before another limit was met.
    pub is_cut: bool,
    /// The seed of what was sampled.
    pub seed: Option<u64>,
}

pub fn in_words(point: &SolvePoint) -> String {
    let SolvePoint { method, iterations, verdict, .. } = point;
    format!("NashConv {:.2e} after {} of {method}", verdict.nash_conv, counted(*iterations, "iteration"))
}

impl Solved {
    /// Whether the solvers are sure to find an equilibrium.
    pub fn is_sure(&self) -> bool {
        let players = self.form.player_count();
        players <= 1 || players == 2 && self.tree.constant_sum().is_some()
    }
}
