//! The belief layer on real rulesheets: laws on every game, and figures against the exact posterior.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hyperplay::belief::accuracy::{self, Distribution};
use hyperplay::belief::exact::{self, ExactError, Posterior};
use hyperplay::belief::{Belief, Options, Outcome, ParticleBelief, Uniform, Weight};
use hyperplay::engine::Interpreter;
use hyperplay::gdl;
use hyperplay::machine::{Budget, Evidence, History, Role, Seed, StateMachine, StateMachineExt};

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

/// A random match of at most `steps` steps.
fn random_history(machine: &Interpreter, steps: usize, seed: u64) -> History {
    let mut rng = Seed::root(seed).rng();
    let mut scratch = machine.scratch();
    let mut state = machine.initial();
    let mut history = History::default();
    while history.step() < steps && !machine.terminal(&state, &mut scratch) {
        let joint = machine.random_joint(&state, &mut scratch, &mut rng).unwrap();
        state = machine.next(&state, &joint, &mut scratch);
        history.0.push(joint);
    }
    history
}

/// What a role knows after each step of a history, from none on.
fn evidence_by_step(machine: &Interpreter, history: &History, role: Role) -> Vec<Evidence> {
    let whole = machine.evidence(history, role, &mut machine.scratch());
    (0..=whole.step())
        .map(|step| Evidence {
            role,
            steps: whole.steps[..step].to_vec(),
            over: whole.over && step == whole.step(),
        })
        .collect()
}

fn players(machine: &Interpreter) -> Vec<Role> {
    machine.each_role().filter(|&role| Some(role) != machine.random()).collect()
}

fn belief(machine: &Arc<Interpreter>, role: Role, options: &Options) -> ParticleBelief<Interpreter> {
    ParticleBelief::new(machine.clone(), role, Arc::new(Uniform), options.clone())
}

fn sampled(particles: usize) -> Options {
    Options { particles, enumerate: false, ..Options::default() }
}

#[test]
fn every_particle_reproduces_its_evidence() {
    let variants = [
        Options { particles: 12, whole: 30, ..Options::default() },
        Options { rejuvenate: 2, ..sampled(12) },
        Options { weight: Weight::Choice, ..sampled(12) },
        Options { backtrack: false, weight: Weight::None, ..sampled(4) },
    ];
    for path in games() {
        let machine = load(&path);
        let mut scratch = machine.scratch();
        for seed in 0..3 {
            let history = random_history(&machine, 12, seed);
            for role in players(&machine) {
                for options in &variants {
                    let mut belief = belief(&machine, role, options);
                    for now in evidence_by_step(&machine, &history, role) {
                        let seed = Seed::root(seed).index(now.step());
                        let outcome = belief.update(&now, &Budget::UNLIMITED, &seed);
                        assert!(!matches!(outcome, Outcome::Inconsistent { .. }), "{}", path.display());
                        if options.backtrack {
                            assert!(!belief.particles().is_empty(), "{}: {outcome:?}", path.display());
                        }
                        for particle in belief.particles() {
                            let held = belief.history(particle);
                            assert_eq!(machine.evidence(&held, role, &mut scratch), now);
                            assert_eq!(machine.replay(&held, &mut scratch), *belief.state(particle));
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn enumeration_equals_the_exact_posterior() {
    let options = Options { whole: 1_000, states: 1 << 30, ..Options::default() };
    let mut compared = 0;
    for path in games() {
        let machine = load(&path);
        let history = random_history(&machine, 6, 1);
        for role in players(&machine) {
            let mut belief = belief(&machine, role, &options);
            for now in evidence_by_step(&machine, &history, role) {
                let outcome = belief.update(&now, &Budget::UNLIMITED, &Seed::root(1));
                match exact::posterior(&*machine, &now, &Uniform, 1_000) {
                    Ok(posterior) => {
                        assert_eq!(outcome, Outcome::Whole, "{}", path.display());
                        assert_eq!(belief.particles().len(), posterior.histories.len());
                        assert!(Distribution::of(&belief).total_variation(&posterior) < 1e-9);
                        compared += 1;
                    }
                    Err(ExactError::TooLarge { .. }) => break,
                    Err(none) => panic!("{}: {none}", path.display()),
                }
            }
        }
    }
    assert!(compared > 40, "{compared}");
}

/// The bias TV of `runs` independent beliefs at the last step of the evidence, and what they cost in states.
fn bias(
    machine: &Arc<Interpreter>,
    evidence: &[Evidence],
    options: &Options,
    runs: usize,
    posterior: &Posterior,
) -> (f64, f64) {
    let role = evidence[0].role;
    let mut states = 0;
    let sets: Vec<Distribution> = (0..runs)
        .map(|run| {
            let mut belief = belief(machine, role, options);
            for now in &evidence[1..] {
                belief.update(now, &Budget::UNLIMITED, &Seed::root(7).index(run).index(now.step()));
                states += belief.cost().states;
            }
            Distribution::of(&belief)
        })
        .collect();
    (Distribution::mean(&sets).total_variation(posterior), states as f64 / (runs * options.particles) as f64)
}

#[test]
fn measure() {
    let machine = game("krieg_tictactoe_3x3");
    let x = Role::new(0);
    let particles = 64;
    let runs: usize = 100;
    let base = sampled(particles);
    let variants = [
        ("hp12", Options { weight: Weight::Choice, ..base.clone() }),
        ("none", Options { weight: Weight::None, ..base.clone() }),
        ("none+20", Options { weight: Weight::None, rejuvenate: 20, ..base.clone() }),
        ("reject", Options { weight: Weight::None, backtrack: false, states: 1 << 30, ..base.clone() }),
        ("ours", base.clone()),
        ("ours+1", Options { rejuvenate: 1, ..base.clone() }),
        ("ours+5", Options { rejuvenate: 5, ..base.clone() }),
        ("ours+20", Options { rejuvenate: 20, ..base.clone() }),
    ];
    let mut logs = vec![0.0; variants.len()];
    let mut n = 0.0;
    for seed in 1..9 {
        let history = random_history(&machine, 5, seed);
        let evidence = evidence_by_step(&machine, &history, x);
        for step in 1..evidence.len() {
            if evidence[step].over {
                break;
            }
            let Ok(posterior) = exact::posterior(&*machine, &evidence[step], &Uniform, 20_000) else { break };
            let floor = accuracy::floor(&posterior, particles * runs, 50, &Seed::root(1));
            print!(
                "seed {seed} step {step} size {} floor {floor:.4} ~{:.4}:",
                posterior.histories.len(),
                accuracy::normal_floor(&posterior, particles * runs)
            );
            n += 1.0;
            for (i, (name, options)) in variants.iter().enumerate() {
                let (tv, cost) = bias(&machine, &evidence[..=step], options, runs, &posterior);
                logs[i] += (tv / floor as f64).ln();
                print!(" {name} {tv:.3} ({:.2}, {cost:.1})", tv / floor);
            }
            println!();
        }
    }
    for (i, (name, _)) in variants.iter().enumerate() {
        println!("{name} {:.3}", (logs[i] / n as f64).exp());
    }
}
