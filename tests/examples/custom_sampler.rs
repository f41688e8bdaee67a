//! A sampler of one's own: rejection with a limit on the attempts. `docs/extending.md` walks through this file. Without
//! arguments `hyperplay` plays twenty matches on it; with arguments this is `hyperplay` with this sampler.

use std::process::ExitCode;
use std::sync::Arc;

use hyperplay::belief::{Belief, HistoryBelief, OpponentModel, Sampler, UpdateOutcome};
use hyperplay::cli;
use hyperplay::engine::Engine;
use hyperplay::machine::Role;
use hyperplay::player::{Registry, RegistryError, SpecEntry, SpecKey};

/// Draws whole histories until enough explain the evidence, at most so many for each particle.
struct Patient(u64);

impl Sampler<Engine> for Patient {
    fn belief(
        &self,
        machine: &Arc<Engine>,
        role: Role,
        model: &Arc<dyn OpponentModel>,
        particles: usize,
    ) -> Box<dyn Belief<Engine>> {
        let tries = self.0;
        Box::new(HistoryBelief::new(machine, role, model, particles, move |histories, evidence, _, seed| {
            let (mut rng, mut found) = (seed.rng(), Vec::new());
            for _ in 0..tries * histories.wanted as u64 {
                let mut history = Some(histories.initial());
                for _ in 0..evidence.step() {
                    history = history.and_then(|shorter| histories.extend(&shorter, evidence, &mut rng));
                }
                found.extend(history.map(|history| (history, 1.0)));
                if found.len() == histories.wanted {
                    break;
                }
            }
            let is_empty = found.is_empty();
            histories.replace(found);
            if is_empty { UpdateOutcome::Depleted { step: evidence.step() } } else { UpdateOutcome::Sampled }
        }))
    }
}

fn main() -> Result<ExitCode, RegistryError> {
    let tries = SpecKey::count("tries", 1..=1_000_000, 100, "attempts for each particle");
    let entry = SpecEntry::new("patient", "rejection with a limit on the attempts").with(tries);
    let registry = Registry::standard().with_sampler(entry, |spec, _| Ok(Patient(spec.count("tries"))))?;
    if std::env::args().len() > 1 {
        return Ok(cli::run_with(&registry));
    }
    let arguments =
        "hyperplay match kuhn_poker alice=hyperplay:sampler=patient bob=legal --matches 20 --seed 1";
    Ok(cli::run_with_arguments(&registry, arguments.split(' ')))
}
