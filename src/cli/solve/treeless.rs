//! The solvers that need no complete tree, as the command sees them.

use hyperplay_engine::Engine;
use hyperplay_machine::{Seed, counted};
use hyperplay_play::for_engine::{grow, iterate};
use hyperplay_play::player::PolicyEntry;
use hyperplay_think::solve::{
    GameTree, GrowingMinimiser, MonteCarloMinimiser, Profile, Sampled, SampledPolicy,
};

/// A solver that needs no complete tree.
pub enum Treeless {
    Sampling(Box<MonteCarloMinimiser<Engine>>),
    Growing(Box<GrowingMinimiser<Engine>>),
}

impl Treeless {
    /// The name of its method, as the option has it.
    pub fn name(&self) -> &'static str {
        match self {
            Treeless::Sampling(minimiser) => minimiser.method.name(),
            Treeless::Growing(_) => "growing",
        }
    }

    pub fn iterate(&mut self, machine: &Engine, count: u64, seed: &Seed) -> Sampled {
        match self {
            Treeless::Sampling(minimiser) => iterate(minimiser, machine, count, seed),
            Treeless::Growing(minimiser) => grow(minimiser, machine, count, seed),
        }
    }

    /// The most iterations that are made between two looks at the clock: on a tree that grows each takes a tenth longer
    /// than the one before.
    pub fn most_at_once(&self) -> u64 {
        match self {
            Treeless::Sampling(_) => u64::MAX,
            Treeless::Growing(_) => 8,
        }
    }

    pub fn iterations(&self) -> u64 {
        match self {
            Treeless::Sampling(minimiser) => minimiser.iterations,
            Treeless::Growing(minimiser) => minimiser.iterations,
        }
    }

    pub fn information_sets(&self) -> usize {
        match self {
            Treeless::Sampling(minimiser) => minimiser.information_sets(),
            Treeless::Growing(minimiser) => minimiser.information_sets(),
        }
    }

    /// How much of the game it met, in words.
    pub fn met(&self) -> String {
        let sets = counted(self.information_sets() as u64, "information set");
        let (iterations, name) = (counted(self.iterations(), "iteration"), self.name());
        match self {
            Treeless::Sampling(minimiser) => {
                let visits = counted(minimiser.visits, "node");
                format!("{sets} met in {iterations} of {name} sampling, {visits} visited")
            }
            Treeless::Growing(minimiser) => {
                let (nodes, leaves) = (counted(minimiser.nodes() as u64, "node"), minimiser.leaves());
                format!("{sets} met in {iterations} on a tree of {nodes}, {leaves} of them leaves")
            }
        }
    }

    pub fn to_profile(&self, tree: &GameTree) -> Profile {
        match self {
            Treeless::Sampling(minimiser) => minimiser.to_profile(tree),
            Treeless::Growing(minimiser) => minimiser.to_profile(tree),
        }
    }

    /// The policies of all information sets that were met.
    pub fn entries(&self) -> impl Iterator<Item = PolicyEntry<'_>> {
        let policies: Box<dyn Iterator<Item = SampledPolicy<'_>>> = match self {
            Treeless::Sampling(minimiser) => Box::new(minimiser.policies()),
            Treeless::Growing(minimiser) => Box::new(minimiser.policies()),
        };
        policies.map(|SampledPolicy { role, evidence, moves, probabilities }| PolicyEntry {
            role,
            evidence,
            moves,
            shares: probabilities,
            count: None,
        })
    }
}
