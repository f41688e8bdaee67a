//! A custom sampler: plain rejection with a limit on the attempts. `docs/extending.md` walks through this file.
//!
//! ```text
//! cargo run --release --example custom_sampler
//! cargo run --release --example custom_sampler -- belief kuhn_poker --sampler patient:tries=50 --sampler exact
//! ```

use std::process::ExitCode;
use std::sync::Arc;

use hyperplay::belief::{Belief, HistoryBelief, OpponentModel, Sampler, UpdateOutcome};
use hyperplay::engine::Engine;
use hyperplay::machine::Role;
use hyperplay::player::{Registry, SpecEntry, SpecKey};

/// Draws complete histories until one explains the evidence, with a limit on the attempts for each particle.
struct Patient {
    tries: u64,
}

impl Sampler<Engine> for Patient {
    fn belief(
        &self,
        machine: &Arc<Engine>,
        role: Role,
        model: &Arc<dyn OpponentModel>,
        particles: usize,
    ) -> Box<dyn Belief<Engine>> {
        let tries = self.tries;
        let belief =
            HistoryBelief::new(machine, role, model, particles, move |histories, evidence, _, seed| {
                let (mut rng, mut found) = (seed.rng(), Vec::new());
                for _ in 0..tries * histories.wanted() as u64 {
                    let mut history = Some(histories.initial());
                    for _ in 0..evidence.step() {
                        history = history.and_then(|shorter| histories.extend(&shorter, evidence, &mut rng));
                    }
                    found.extend(history.map(|history| (history, 1.0)));
                    if found.len() == histories.wanted() {
                        break;
                    }
                }
                let is_empty = found.is_empty();
                histories.replace(found);
                if is_empty {
                    UpdateOutcome::Depleted { step: evidence.step() }
                } else {
                    UpdateOutcome::Sampled
                }
            });
        Box::new(belief)
    }
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let entry = SpecEntry::new("patient", "rejection with a limit on the attempts").with(SpecKey::count(
        "tries",
        1..=1_000_000,
        100,
        "attempts for each particle",
    ));
    let registry =
        Registry::standard().with_sampler(entry, |spec, _| Ok(Patient { tries: spec.count("tries") }))?;
    if std::env::args().len() > 1 {
        return Ok(hyperplay::cli::run_with(&registry));
    }
    let arguments = "hyperplay match kuhn_poker alice=hyperplay:sampler=patient bob=legal -n 20 --seed 1";
    Ok(hyperplay::cli::run_with_arguments(&registry, arguments.split(' ')))
}
