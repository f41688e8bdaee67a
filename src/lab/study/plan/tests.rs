//! The tests of the plan of a study.

use super::super::{Blocks, Study, StudyProgress, StudyRow};
use super::*;
use hyperplay_engine::{EngineKind, Engines};
use hyperplay_logic::gdl::{Source, load};
use hyperplay_play::player::{LegalPlayer, Registry, Seat, SpecEntry};
use hyperplay_think::belief::Uniform;

/// `it` says something that `me` does not hear, twice.
fn engines() -> Engines {
    let text = "(role me) (role it) (init (step 1)) (succ 1 2) (succ 2 3) (legal me noop) (legal it a) (legal it b)
        (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (<= (next (said ?n ?x)) (does it ?x) (true (step ?n)))
        (<= (next (said ?n ?x)) (true (said ?n ?x))) (<= (sees it ?x) (does it ?x))
        (<= terminal (true (step 3))) (goal me 50) (goal it 50)";
    Engines::new(&load(Source::new("says", text), None).game.expect("the rules are in order"))
}

/// With a model `even` that is uniform, and a player `spy` that plays on the interpreter only.
fn registry() -> Registry {
    let spy = |engine: &Arc<Engine>, _| {
        assert_eq!(engine.kind(), EngineKind::Interpreter);
        Seat::player(LegalPlayer)
    };
    Registry::standard()
        .with_model(SpecEntry::new("even", "uniform"), |_, _| {
            Ok(|_: &_| Arc::new(Uniform) as Arc<dyn OpponentModel>)
        })
        .and_then(|registry| {
            registry.with_player(SpecEntry::new("spy", "looks at its engine"), move |_, _| Ok(spy))
        })
        .expect("the names are free")
}

fn plan(registry: &Registry, play: &str) -> StudyPlan {
    StudyPlan {
        samplers: vec![registry.sampler("rejection").expect("there is one")],
        particles: vec![4],
        replicates: 3,
        matches: 1,
        play: MatchSource::read(play, registry).expect("it can play"),
        equilibrium: None,
        roles: Vec::new(),
        steps: (1, 9),
        limit: 100,
        update_limit: None,
        playouts: 0,
        work: WORK,
        seed: 1,
    }
}

fn measured(plan: &StudyPlan, game: &StudyGame) -> Study {
    let progress: StudyProgress<'_> = (&|| (), &|_| ());
    plan.study(game, &Interrupt::default(), progress, &mut Blocks::default()).expect("nothing fails")
}

#[test]
fn every_uniform_model_is_uniform_whatever_its_name() {
    let (registry, engines) = (registry(), engines());
    let game = StudyGame::unnamed(&engines.get(EngineKind::Auto).expect("there is an engine"));
    let study = |play: &str| {
        let plan = plan(&registry, play);
        let study = measured(&plan, &game);
        (study.is_uniform(), study.rows.len(), plan.total(&game))
    };
    let uniform = study("uniform");
    assert!(uniform.0);
    assert_eq!((study("even"), study("random")), (uniform, uniform));
}

/// Work that is not enough for all replicates: fewer are made, on any number of threads, and each of them is the same.
#[test]
fn dear_replicates_are_fewer_and_dearer_ones_end_earlier() {
    let (registry, engines) = (registry(), engines());
    let machine = engines.get(EngineKind::Interpreter).expect("there is an engine");
    let game = StudyGame { state_cost: 20_000.0, ..StudyGame::unnamed(&machine) };
    let study = |work: u64| {
        let plan = StudyPlan { replicates: 12, work, ..plan(&registry, "uniform") };
        let ticks = std::sync::atomic::AtomicUsize::new(0);
        let tick = || {
            ticks.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        };
        let measured = plan.study(&game, &Interrupt::default(), (&tick, &|_| ()), &mut Blocks::default());
        assert_eq!(ticks.into_inner(), plan.total(&game));
        measured.expect("nothing fails")
    };
    let made = |study: &Study| study.rows.iter().map(|row| row.figures.sets).collect::<Vec<_>>();
    // A replicate draws four histories of one step.
    let (all, fewer, none) = (study(1_000), study(29), study(8));
    assert_eq!([made(&all), made(&fewer), made(&none)], [vec![12, 12], vec![7, 7], Vec::new()]);
    assert!(all.left_out.is_empty() && fewer.left_out.is_empty());
    let why = "the states of --work are used up by rejection with 4 particles before step 1";
    assert!(
        none.left_out.iter().all(|one| one.why == why) && none.left_out.len() == 2,
        "{:?}",
        none.left_out
    );
    assert_eq!((all.replicates(12), fewer.replicates(12)), ("12 replicates".into(), "7 replicates".into()));
    // The draws beside a row are as many as its replicates.
    assert_ne!(all.rows[0].control.bias_tv, fewer.rows[0].control.bias_tv);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("there is a thread");
    let text = |study: &Study| format!("{:?}", study.rows.iter().map(|row| row.control).collect::<Vec<_>>());
    assert_eq!(text(&pool.install(|| study(29))), text(&fewer));
}

#[test]
fn every_posterior_is_said_before_it_is_computed() {
    let (registry, engines) = (registry(), engines());
    let game = StudyGame::unnamed(&engines.get(EngineKind::Auto).expect("there is an engine"));
    let said = std::cell::RefCell::new(Vec::new());
    let say = |what: &str| said.borrow_mut().push(what.to_owned());
    let progress: StudyProgress<'_> = (&|| (), &say);
    let plan = plan(&registry, "uniform");
    let study = plan.study(&game, &Interrupt::default(), progress, &mut Blocks::default());
    assert!(study.expect("nothing fails").is_complete);
    assert_eq!(said.borrow()[0], "match 0, me: the posterior of step 1");
    assert_eq!(said.borrow().len(), 2, "both roles have one step before the end: {said:?}");
}

#[test]
fn players_have_the_engine_that_is_given_for_them() {
    let (registry, engines) = (registry(), engines());
    let [network, interpreter] = [EngineKind::Propagator, EngineKind::Interpreter]
        .map(|kind| engines.get(kind).expect("there is an engine"));
    let game = StudyGame { players_engine: interpreter, ..StudyGame::unnamed(&network) };
    assert!(measured(&plan(&registry, "spy"), &game).is_complete);
    let play = MatchSource::read("hyperplay:engine=interpreter", &registry).expect("it can play");
    assert_eq!(play.engine(), Some(EngineKind::Interpreter));
    assert_eq!(plan(&registry, "uniform").play.engine(), None);
}

#[test]
fn a_name_of_a_model_and_a_player_means_the_model_and_with_a_role_the_player() {
    let build = |_: &Arc<Engine>, _| Seat::player(LegalPlayer);
    let registry = registry().with_player(SpecEntry::new("even", "plays"), move |_, _| Ok(build));
    let registry = registry.expect("no player has the name");
    assert!(matches!(MatchSource::read("even", &registry), Ok(MatchSource::Model(_))));
    let seats = MatchSource::read_seats(&["it=even".to_owned()], &registry);
    let seats = seats.expect("a role is named").expect("there is such a player");
    assert_eq!(seats.player("it").map(|player| player.spec().name()), Some("even"));
    assert_eq!(seats.player("me").map(|player| player.spec().name()), Some("random"));
}

/// The rows of a sampler are the same whatever else the study measures, and so are the keys of its blocks.
#[test]
fn a_row_depends_on_nothing_else_in_the_plan() {
    let (registry, engines) = (registry(), engines());
    let game = StudyGame::unnamed(&engines.get(EngineKind::Auto).expect("there is an engine"));
    let rows = |plan: &StudyPlan| measured(plan, &game).rows;
    let samplers = ["exact", "rejection", "bootstrap:model=even", "bootstrap"]
        .map(|spec| registry.sampler(spec).expect("there is one"));
    let large = StudyPlan {
        samplers: samplers.to_vec(),
        particles: vec![2, 4, 8],
        matches: 3,
        playouts: 2,
        ..plan(&registry, "uniform")
    };
    let all = rows(&large);
    for sampler in samplers {
        let small =
            StudyPlan { samplers: vec![sampler.clone()], particles: vec![4], matches: 2, ..large.clone() };
        let key = |plan: &StudyPlan| plan.key(&game, (1, "me", "U"), &sampler, 4);
        assert_eq!(key(&large), key(&small));
        let name = sampler.spec().to_string();
        let is_of = |row: &&StudyRow| row.of.sampler == name && row.of.particles == 4 && row.place.index < 2;
        let text = |row: &StudyRow| {
            let mut row = serde_json::to_value(row).expect("a row is plain data");
            for time in ["seconds", "seconds_total", "independent_draws_per_second"] {
                row[time].take();
            }
            row.to_string()
        };
        let own: Vec<String> = rows(&small).iter().map(text).collect();
        assert!(!own.is_empty());
        assert_eq!(own, all.iter().filter(is_of).map(text).collect::<Vec<_>>(), "{name}");
    }
    let other = StudyPlan { seed: 2, ..large.clone() };
    let keys = [&large, &other].map(|plan| plan.key(&game, (1, "me", "U"), &plan.samplers[0], 4));
    assert_ne!(keys[0], keys[1]);
}
