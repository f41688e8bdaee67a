//! The belief layer on real rulesheets: laws on every game, and figures against the exact posterior.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyperplay::belief::accuracy::{self, Distribution};
use hyperplay::belief::exact::{self, ExactError, Posterior};
use hyperplay::belief::{Belief, Options, Outcome, ParticleBelief, Uniform, Weight};
use hyperplay::engine::Interpreter;
use hyperplay::gdl;
use hyperplay::machine::{
    Budget, Evidence, History, Role, Seed, StateMachine, StateMachineExt,
};

fn games() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("games/imperfect");
    let mut games: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    games.retain(|path| path.extension().is_some_and(|extension| extension == "kif"));
    games.sort();
    games
}

fn load(path: &Path) -> Arc<Interpreter> {
    let text = std::fs::read_to_string(path).unwrap();
    let source = gdl::Source::new(path.display().to_string(), text);
    let game = gdl::load(source, None).game.unwrap_or_else(|| panic!("{} has errors", path.display()));
    Arc::new(Interpreter::new(&game).unwrap())
}

fn game(name: &str) -> Arc<Interpreter> {
    load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("games/imperfect").join(name).with_extension("kif"))
}
