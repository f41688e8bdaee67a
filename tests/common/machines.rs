//! Machines of rulesheets, and the evidence of roles in their matches.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

use hyperplay::belief::{BeliefOptions, BoxedBelief, OpponentModel, Sampler, SharedModel};
use hyperplay::engine::{Engine as Machine, EngineKind, Engines};
use hyperplay::for_engine::particle_sampler;
use hyperplay::machine::{Evidence, History, Role, StateMachine, StateMachineExt};
use hyperplay::player::{Registry, Seat};

use super::{games, loaded, rulesheets_in};

/// The engines of a rulesheet. They are made once for all tests of a program: making them costs more than most tests.
pub fn engines(path: &Path) -> Arc<Engines> {
    static MADE: Mutex<BTreeMap<PathBuf, Arc<OnceLock<Arc<Engines>>>>> = Mutex::new(BTreeMap::new());
    let here = Arc::clone(MADE.lock().unwrap().entry(path.to_owned()).or_default());
    let make = || {
        let loaded = loaded(path);
        let game = loaded.game.unwrap_or_else(|| panic!("{}: {:?}", path.display(), loaded.findings));
        Arc::new(Engines::new(&game))
    };
    Arc::clone(here.get_or_init(make))
}

/// The machine of a rulesheet.
pub fn machine(path: &Path) -> Arc<Machine> {
    engines(path).get(EngineKind::Lanes).unwrap()
}

/// The machine of a file below `games/`.
pub fn built_in(file: &str) -> Arc<Machine> {
    machine(&games(file))
}

/// The machine of a game with imperfect information.
pub fn imperfect(name: &str) -> Arc<Machine> {
    built_in(&format!("imperfect/{name}.kif"))
}

/// The files of all games with imperfect information that are written in KIF, sorted.
pub fn all_imperfect() -> Vec<PathBuf> {
    let mut paths = rulesheets_in(&games("imperfect"));
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "kif"));
    paths
}

/// All roles but `random`.
pub fn players(machine: &Machine) -> Vec<Role> {
    machine.each_role().filter(|&role| Some(role) != machine.random()).collect()
}

/// What a role knows after each step of a history, from the first one on.
pub fn evidence_by_step(machine: &Machine, history: &History, role: Role) -> Vec<Evidence> {
    let whole = machine.evidence(history, role, &mut machine.scratch());
    (1..=whole.step()).map(|step| whole.until(step)).collect()
}

/// The same without the end of a match.
pub fn evidence_before_the_end(machine: &Machine, history: &History, role: Role) -> Vec<Evidence> {
    let mut known = evidence_by_step(machine, history, role);
    known.retain(|now| !now.over);
    known
}

/// A player of the standard registry.
pub fn seat(spec: &str, machine: &Arc<Machine>, role: Role) -> Seat {
    Registry::standard().player(spec).unwrap().seat(machine, role)
}

/// An opponent model of the standard registry.
pub fn model(spec: &str, machine: &Arc<Machine>) -> Arc<dyn OpponentModel> {
    Registry::standard().model(spec).unwrap().model(machine)
}

/// A belief of particles.
pub fn particle_belief(
    machine: &Arc<Machine>,
    role: Role,
    model: SharedModel,
    options: BeliefOptions,
) -> BoxedBelief<Machine> {
    let particles = options.particles;
    particle_sampler(options).belief(machine, role, &model, particles)
}

/// A sampler of the standard registry, with the opponent model that it assumes.
pub fn sampler(spec: &str, machine: &Arc<Machine>) -> (Arc<dyn Sampler<Machine>>, Arc<dyn OpponentModel>) {
    let sampler = Registry::standard().sampler(spec).unwrap();
    (Arc::clone(sampler.sampler()), sampler.assumed().model(machine))
}

/// The machine of rules written in a test.
pub fn machine_of(rules: &str) -> Arc<Machine> {
    let loaded = hyperplay::gdl::load(hyperplay::gdl::Source::new("test", rules), None);
    let game = loaded.game.unwrap_or_else(|| panic!("{:?}", loaded.findings));
    Engines::new(&game).get(EngineKind::Auto).unwrap()
}
