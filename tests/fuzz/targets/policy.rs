//! Policy files.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use hyperplay::engine::{Engine, EngineKind, Engines};
use hyperplay::gdl::{Source, load};
use hyperplay::player::{PolicyFile, SolverState, SpecFileError, profile_of, unsaid};
use hyperplay::solve::{GameTree, TreeLimits};

/// A text is refused with the file, and where an entry is wrong with its line. Otherwise the file gives probabilities that sum to 1 at
/// every information set of Kuhn poker, whether it speaks of it or not.
pub fn policy_is_a_distribution_or_an_error(input: &[u8]) -> bool {
    let text = String::from_utf8_lossy(input);
    let path = Path::new("input.json");
    if let Err(error) = SolverState::read(path, &text) {
        assert!(error.to_string().starts_with("input.json"), "{error}");
    }
    let file = match PolicyFile::parse(path, &text) {
        Ok(file) => file,
        Err(error) => {
            assert!(error.to_string().starts_with("input.json"), "{error}");
            if let SpecFileError { line: Some(line), .. } = error {
                assert!((1..=text.split('\n').count()).contains(&line), "{line}");
            }
            return false;
        }
    };
    assert!(file.roles().is_sorted() && file.roles().len() <= file.len());
    let (machine, tree) = kuhn_poker();
    let profile = profile_of(machine, &file, tree);
    for set in 0..tree.sets().len() {
        let policy = profile.of(tree, set);
        assert!(policy.iter().all(|share| (0.0..=1.0).contains(share)), "{policy:?}");
        assert!((policy.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{policy:?}");
    }
    assert!(tree.sets().len() - unsaid(machine, &file, tree).len() <= file.len());
    true
}

fn kuhn_poker() -> &'static (Arc<Engine>, GameTree) {
    static KUHN: OnceLock<(Arc<Engine>, GameTree)> = OnceLock::new();
    KUHN.get_or_init(|| {
        let text = include_str!("../../../games/imperfect/kuhn_poker.kif");
        let game = load(Source::new("kuhn_poker", text), None).game.expect("the rules are in order");
        let machine = Engines::new(&game).get(EngineKind::Auto).expect("it can be evaluated");
        let tree = GameTree::build(&*machine, &TreeLimits::default()).expect("it is small");
        (machine, tree)
    })
}
