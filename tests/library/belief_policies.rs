//! Tests of beliefs and players under policy files, in two difficult cases: an opponent whose legal moves differ
//! between histories of its own equal evidence, and an opponent that does what its policy excludes.
//!
//! The oracle reads the JSON and computes every probability from the definition. It uses only the machine of the
//! library.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use crate::common::machines::{machine, model, particle_belief, sampler, seat};
use crate::common::program::{Folder, json};
use hyperplay::belief::{Belief, BeliefOptions, OpponentModel, UpdateOutcome};
use hyperplay::engine::Engine as Machine;
use hyperplay::machine::{
    Budget, Evidence, History, JointMoves, Move, Role, Seed, StateMachine, StateMachineExt,
};
use hyperplay::player::{Decision, Player, Reason, Seat, View};
use serde_json::Value;

/// `random` hides a token, `opp` stands low or high and then acts. Which acts are legal depends on the token, which
/// `opp` sees of only when it stands low beside token 4. `me` sees whether the act was x, and guesses.
const RULES: &str = "
(role me) (role opp) (role random)
(num 0) (num 1) (num 2) (num 3) (num 4)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(tok 1) (tok 2) (tok 3) (tok 4) (pos lo) (pos hi) (act x) (act y) (act z) (act w)
(<= (base (step ?n)) (num ?n)) (<= (base (hid ?t)) (tok ?t)) (<= (base (pose ?p)) (pos ?p))
(<= (base (acted ?a)) (act ?a)) (<= (base (said ?t ?p)) (tok ?t) (pos ?p))
(<= (input random (hide ?t)) (tok ?t)) (input random n)
(<= (input opp ?p) (pos ?p)) (<= (input opp ?a) (act ?a)) (input opp noop)
(input me noop) (<= (input me (guess ?t ?p)) (tok ?t) (pos ?p))
(init (step 0))
(<= (legal random (hide ?t)) (true (step 0)) (tok ?t)) (<= (legal random n) (not (true (step 0))))
(<= (legal opp ?p) (true (step 0)) (pos ?p))
(<= (legal opp x) (true (step 1)))
(<= (legal opp y) (true (step 1)) (true (hid 1)))
(<= (legal opp z) (true (step 1)) (true (hid 2)))
(<= (legal opp y) (true (step 1)) (true (hid 3)))
(<= (legal opp z) (true (step 1)) (true (hid 3)))
(<= (legal opp w) (true (step 1)) (true (hid 4)) (true (pose hi)))
(<= (legal opp noop) (not (true (step 0))) (not (true (step 1))))
(<= (legal me noop) (not (true (step 3))))
(<= (legal me (guess ?t ?p)) (true (step 3)) (tok ?t) (pos ?p))
(<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
(<= (next (hid ?t)) (does random (hide ?t))) (<= (next (hid ?t)) (true (hid ?t)))
(<= (next (pose ?p)) (does opp ?p) (pos ?p)) (<= (next (pose ?p)) (true (pose ?p)))
(<= (next (acted ?a)) (does opp ?a) (act ?a)) (<= (next (acted ?a)) (true (acted ?a)))
(<= (next (said ?t ?p)) (does me (guess ?t ?p)))
(<= (sees opp hint) (does opp lo) (does random (hide 4)))
(<= (sees me sawx) (true (step 2)) (true (acted x)))
(<= (sees me sawother) (true (step 2)) (true (acted ?a)) (distinct ?a x))
(<= terminal (true (step 4)))
(<= right (true (said ?t ?p)) (true (hid ?t)) (true (pose ?p)))
(<= (goal me 100) right) (<= (goal me 0) (not right))
(<= (goal opp 0) right) (<= (goal opp 100) (not right)) (goal random 0)
";

/// A policy for all that `opp` may know, but the hint.
const UNEVEN: &str = r#"{"schema": "hyperplay.policy/1", "policy": [
    {"role": "opp", "evidence": [], "moves": {"lo": 0.8, "hi": 0.2}},
    {"role": "opp", "evidence": [{"move": "lo", "sees": []}], "moves": {"x": 0.2, "y": 0.5, "z": 0.3}},
    {"role": "opp", "evidence": [{"move": "hi", "sees": []}],
     "moves": {"x": 0.1, "y": 0.8, "z": 0.05, "w": 0.05}}]}"#;

/// A policy that acts x, always. So `me` sees nothing else.
const ONLY_X: &str = r#"{"schema": "hyperplay.policy/1", "policy": [
    {"role": "opp", "evidence": [{"move": "lo", "sees": []}], "moves": {"x": 1}},
    {"role": "opp", "evidence": [{"move": "hi", "sees": []}], "moves": {"x": 1}}]}"#;

/// The game, and the model of a policy file, both written into a folder.
struct Written {
    folder: Folder,
    machine: Arc<Machine>,
}

impl Written {
    fn new(policy: &str) -> Self {
        let folder = Folder::new();
        folder.write("acts.kif", RULES);
        folder.write("policy.json", policy);
        let machine = machine(&folder.path("acts.kif"));
        Written { folder, machine }
    }

    fn path(&self) -> PathBuf {
        self.folder.path("policy.json")
    }

    fn model(&self) -> Arc<dyn OpponentModel> {
        model(&format!("file:{}", self.path().display()), &self.machine)
    }

    fn role(&self, name: &str) -> Role {
        self.machine.role_named(name).unwrap()
    }

    fn player(&self, keys: &str) -> Box<dyn Player> {
        let spec = format!("hyperplay:{}", keys.replace("FILE", &self.path().display().to_string()));
        match seat(&spec, &self.machine, self.role("me")) {
            Seat::Player(player) => player,
            Seat::Clairvoyant(_) | Seat::Remote(_) => panic!("hyperplay knows what its role knows"),
        }
    }

    /// All histories of `steps` steps.
    fn histories(&self, steps: usize) -> Vec<History> {
        let (machine, mut scratch) = (&self.machine, self.machine.scratch());
        let mut all = vec![History::default()];
        for _ in 0..steps {
            let longer = all.iter().flat_map(|history| {
                let legal = machine.legal_by_role(&machine.replay(history, &mut scratch), &mut scratch);
                let joints: Vec<_> = JointMoves::new(&legal).collect();
                joints.into_iter().map(|joint| History([history.0.clone(), vec![joint]].concat()))
            });
            all = longer.collect();
        }
        all
    }

    fn evidence(&self, history: &History, role: &str) -> Evidence {
        self.machine.evidence(history, self.role(role), &mut self.machine.scratch())
    }

    fn legal(&self, history: &History, role: &str) -> Vec<Move> {
        let mut scratch = self.machine.scratch();
        let state = self.machine.replay(history, &mut scratch);
        self.machine.legal_by_role(&state, &mut scratch)[self.role(role)].clone()
    }

    /// The first history of three steps after which `me` has seen this.
    fn seen(&self, percept: &str) -> History {
        let mut all = self.histories(3).into_iter();
        all.find(|history| self.seen_by(history, 2, "me").contains(percept)).unwrap()
    }

    /// What a role perceived in a step of a history.
    fn seen_by(&self, history: &History, step: usize, role: &str) -> BTreeSet<String> {
        let (machine, mut scratch) = (&self.machine, self.machine.scratch());
        let state = machine.replay(&History(history.0[..step].to_vec()), &mut scratch);
        let percepts = machine.percepts(&state, &history.0[step], self.role(role), &mut scratch);
        percepts.iter().map(|percept| machine.terms().show(percept.0)).collect()
    }

    /// What the policy gives each of these moves of `opp` after a history: looked up in the JSON, brought to a sum of 1
    /// over the legal moves, uniform where there is nothing; with a tremble.
    fn shares(&self, policy: &Value, history: &History, legal: &[Move], epsilon: f64) -> Vec<f64> {
        let opp = self.role("opp");
        let known: Vec<(String, BTreeSet<String>)> = (0..history.step())
            .map(|step| (self.machine.show_move(history.0[step].of(opp)), self.seen_by(history, step, "opp")))
            .collect();
        let is_here = |entry: &&Value| {
            let steps = entry["evidence"].as_array().unwrap().iter().map(|step| {
                let sees =
                    step["sees"].as_array().unwrap().iter().map(|seen| seen.as_str().unwrap().to_owned());
                (step["move"].as_str().unwrap().to_owned(), sees.collect())
            });
            entry["role"] == "opp" && steps.collect::<Vec<_>>() == known
        };
        let entry = policy["policy"].as_array().unwrap().iter().find(is_here);
        let written = |own: &Move| {
            entry.and_then(|entry| entry["moves"][self.machine.show_move(*own)].as_f64()).unwrap_or(0.0)
        };
        let total: f64 = legal.iter().map(written).sum();
        let even = 1.0 / legal.len() as f64;
        let share = |own: &Move| if total > 0.0 { written(own) / total } else { even };
        legal.iter().map(|own| (1.0 - epsilon) * share(own) + epsilon * even).collect()
    }

    /// The posterior of `me`, who has seen what it saw of this history: every history that agrees, with its probability.
    fn posterior(&self, policy: &Value, truth: &History, epsilon: f64) -> BTreeMap<History, f64> {
        let me = self.role("me");
        let agrees = |history: &History| {
            (0..truth.step()).all(|step| {
                history.0[step].of(me) == truth.0[step].of(me)
                    && self.seen_by(history, step, "me") == self.seen_by(truth, step, "me")
            })
        };
        let prior = |history: &History| -> f64 {
            let step = |step: usize| {
                let before = History(history.0[..step].to_vec());
                let legal = self.legal(&before, "opp");
                let made = history.0[step].of(self.role("opp"));
                let place = legal.iter().position(|&own| own == made).unwrap();
                let chances = self.legal(&before, "random").len() as f64;
                self.shares(policy, &before, &legal, epsilon)[place] / chances
            };
            (0..history.step()).map(step).product()
        };
        let all = self.histories(truth.step()).into_iter().filter(agrees);
        let mut weighed: BTreeMap<History, f64> = all
            .map(|history| (history.clone(), prior(&history)))
            .filter(|(_, weight)| *weight > 0.0)
            .collect();
        let sum: f64 = weighed.values().sum();
        weighed.values_mut().for_each(|weight| *weight /= sum);
        weighed
    }

    /// Compares a belief that is enumerated with the posterior.
    fn assert_held(
        &self,
        belief: &mut dyn Belief<Machine>,
        truth: &History,
        expected: &BTreeMap<History, f64>,
    ) {
        let evidence = self.evidence(truth, "me");
        assert_eq!(belief.update(&evidence, &Budget::UNLIMITED, &Seed::root(1)), UpdateOutcome::Enumerated);
        let held: BTreeMap<History, f64> =
            belief.particles().iter().map(|particle| (belief.history(particle), particle.weight)).collect();
        assert!(held.keys().eq(expected.keys()), "{held:?} {expected:?}");
        for (history, weight) in &held {
            let expected = expected[history];
            assert!((weight - expected).abs() < 1e-12, "{history:?}: {weight}, expected {expected}");
        }
    }
}

fn parsed(policy: &str) -> Value {
    serde_json::from_str(policy).unwrap()
}

/// The answer depends on the legal moves of the history, whatever the order of the questions.
#[test]
fn a_policy_file_is_normalised_over_the_legal_moves_of_each_history() {
    let (written, policy) = (Written::new(UNEVEN), parsed(UNEVEN));
    let opp = written.role("opp");
    let mut asked = written.histories(1);
    let moves: BTreeSet<Vec<Move>> = asked.iter().map(|history| written.legal(history, "opp")).collect();
    let known: BTreeSet<String> =
        asked.iter().map(|history| format!("{:?}", written.evidence(history, "opp"))).collect();
    assert!(moves.len() > known.len(), "legal moves differ between histories of equal evidence");
    for _ in 0..2 {
        let model = written.model();
        for history in asked.iter().chain(&asked) {
            let (evidence, legal) = (written.evidence(history, "opp"), written.legal(history, "opp"));
            let shares = model.policy(opp, &evidence, &legal);
            let expected = written.shares(&policy, history, &legal, 0.0);
            for (share, expected) in shares.iter().zip(&expected) {
                assert!((share - expected).abs() < 1e-12, "{history:?}: {shares:?}, expected {expected:?}");
            }
        }
        asked.reverse();
    }
}

/// The same in beliefs, whose model has answered nothing before, or everything in one order or the other.
#[test]
fn a_belief_under_a_policy_file_has_the_posterior_of_the_oracle() {
    let (written, policy) = (Written::new(UNEVEN), parsed(UNEVEN));
    let mut asked = written.histories(1);
    for asks_first in [false, true, true] {
        let model = written.model();
        for history in asked.iter().filter(|_| asks_first) {
            let legal = written.legal(history, "opp");
            model.policy(written.role("opp"), &written.evidence(history, "opp"), &legal);
        }
        for truth in [written.seen("sawx"), written.seen("sawother")] {
            let (machine, model) = (written.machine.clone(), model.clone());
            let mut belief = particle_belief(&machine, written.role("me"), model, BeliefOptions::default());
            written.assert_held(&mut *belief, &truth, &written.posterior(&policy, &truth, 0.0));
        }
        asked.reverse();
    }
}

/// The same with a tremble, which gives its share to every move.
#[test]
fn a_tremble_mixes_the_policy_with_the_uniform_one() {
    let (written, policy) = (Written::new(UNEVEN), parsed(UNEVEN));
    for (key, epsilon) in [("", 0.001), (",epsilon=0", 0.0), (",epsilon=0.25", 0.25), (",epsilon=1", 1.0)] {
        let spec = format!("hyperplay:exact_update=off,model=file:{}{key}", written.path().display());
        let (sampler, model) = sampler(&spec, &written.machine);
        assert_eq!(model.is_uniform(), epsilon >= 1.0);
        for truth in [written.seen("sawx"), written.seen("sawother")] {
            let mut belief = sampler.belief(&written.machine, written.role("me"), &model, 10);
            written.assert_held(&mut *belief, &truth, &written.posterior(&policy, &truth, epsilon));
        }
    }
}

/// The answers of a softmax opponent do not depend on its earlier answers.
#[test]
fn a_softmax_opponent_answers_for_the_legal_moves_of_each_history() {
    let written = Written::new(UNEVEN);
    let (opp, mut asked) = (written.role("opp"), written.histories(1));
    let mut answers = BTreeMap::new();
    for _ in 0..2 {
        let model = model("softmax", &written.machine);
        for history in asked.iter().chain(&asked) {
            let (evidence, legal) = (written.evidence(history, "opp"), written.legal(history, "opp"));
            let policy = model.policy(opp, &evidence, &legal);
            assert_eq!(policy.len(), legal.len());
            assert!((policy.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert_eq!(*answers.entry(history.clone()).or_insert_with(|| policy.clone()), policy);
        }
        asked.reverse();
    }
}

/// The decision of a player after a part of a match; it decided at every step.
fn decided(written: &Written, player: &mut dyn Player, truth: &History) -> Decision {
    let mut decisions = (0..=truth.step()).map(|step| {
        let before = History(truth.0[..step].to_vec());
        let (evidence, legal) = (written.evidence(&before, "me"), written.legal(&before, "me"));
        let view = View { evidence: &evidence, legal: &legal };
        player.decide(&view, &Budget::UNLIMITED, &Seed::root(3).index(step))
    });
    decisions.by_ref().last().unwrap()
}

fn is_given_up(decision: &Decision) -> bool {
    decision.reasons.contains(&Reason::ModelExcluded)
}

/// `opp` does what its policy gives a millionth, without a tremble: enumerated the posterior is that of the oracle, and sampled there
/// are still particles.
#[test]
fn what_a_policy_file_gives_a_millionth_is_believed_as_the_oracle_says() {
    let rare =
        UNEVEN.replace(r#""x": 0.2, "y": 0.5, "z": 0.3"#, r#""x": 0.999998, "y": 0.0000005, "z": 0.0000015"#);
    let rare = rare.replace(
        r#""x": 0.1, "y": 0.8, "z": 0.05, "w": 0.05"#,
        r#""x": 0.999998, "y": 0.0000008, "z": 0.0000007, "w": 0.0000005"#,
    );
    assert_eq!(rare.matches("0.999998").count(), 2);
    let (written, policy) = (Written::new(&rare), parsed(&rare));
    let truth = written.seen("sawother");
    let spec = format!("hyperplay:exact_update=off,model=file:{},epsilon=0", written.path().display());
    let (sampler, model) = sampler(&spec, &written.machine);
    let mut belief = sampler.belief(&written.machine, written.role("me"), &model, 10);
    written.assert_held(&mut *belief, &truth, &written.posterior(&policy, &truth, 0.0));
    let keys = "sampler=[hyperplay:enumerate=off,exact_update=off],model=file:FILE,epsilon=0";
    let decision = decided(&written, &mut *written.player(keys), &truth);
    assert!(!decision.depleted && !is_given_up(&decision), "{:?}", decision.reasons);
}

/// `opp` acts otherwise than its policy says. With a tremble that is improbable, without one it is excluded; either way
/// all that is left is how often it would act so by chance, as under uniform opponents.
#[test]
fn what_a_policy_file_excludes_does_not_end_the_belief() {
    let written = Written::new(ONLY_X);
    let truth = written.seen("sawother");
    let uniform = decided(&written, &mut *written.player(""), &truth);
    assert!(!is_given_up(&uniform));
    for (keys, gives_up) in [("model=file:FILE", false), ("model=file:FILE,epsilon=0", true)] {
        let decision = decided(&written, &mut *written.player(keys), &truth);
        assert!(!decision.depleted && is_given_up(&decision) == gives_up, "{:?}", decision.reasons);
        let is_inconsistent = |reason: &Reason| matches!(reason, Reason::Inconsistent { .. });
        assert!(!decision.reasons.iter().any(is_inconsistent));
        // Token 3 leaves two of three acts, where the others leave one of two or none.
        assert!(written.machine.show_move(decision.choice).contains("guess 3"));
        assert_eq!(decision.values.len(), uniform.values.len());
        for ((own, value), (same, expected)) in decision.values.iter().zip(&uniform.values) {
            assert!(own == same && (value - expected).abs() < 1e-6, "{value}, expected {expected}");
        }
        let best = decision.values.iter().map(|(_, value)| *value).fold(0.0, f64::max);
        assert!((best - 100.0 * (2.0 / 3.0) / (23.0 / 6.0)).abs() < 1e-6, "{best}");
    }
}

/// The model is not used for the rest of the match; it is used again in the next one.
#[test]
fn a_model_is_given_up_for_one_match() {
    let written = Written::new(ONLY_X);
    let (excluded, expected) = (written.seen("sawother"), written.seen("sawx"));
    let mut player = written.player("model=file:FILE,epsilon=0");
    assert!(is_given_up(&decided(&written, &mut *player, &excluded)));
    let (evidence, legal) = (written.evidence(&excluded, "me"), written.legal(&excluded, "me"));
    let view = View { evidence: &evidence, legal: &legal };
    let mut decide = |seed| player.decide(&view, &Budget::UNLIMITED, &Seed::root(seed));
    assert!((4..7).all(|seed| is_given_up(&decide(seed))));
    let fresh = decided(&written, &mut *written.player("model=file:FILE,epsilon=0"), &expected);
    let again = decided(&written, &mut *player, &expected);
    assert!(!is_given_up(&again) && !again.depleted);
    assert_eq!(again.values, fresh.values);
    assert_ne!(fresh.values, decided(&written, &mut *written.player(""), &expected).values);
}

/// Evidence that no opponent could bring about still contradicts the rules, and the model is not blamed for it.
#[test]
fn what_the_rules_exclude_is_said_to_be_inconsistent() {
    let written = Written::new(ONLY_X);
    let truth = written.seen("sawother");
    let mut evidence = written.evidence(&truth, "me");
    evidence.steps[0] = evidence.steps[2].clone();
    let legal = written.legal(&truth, "me");
    let view = View { evidence: &evidence, legal: &legal };
    for keys in ["", "model=file:FILE", "model=file:FILE,epsilon=0"] {
        let decision = written.player(keys).decide(&view, &Budget::UNLIMITED, &Seed::root(1));
        assert!(decision.depleted && !is_given_up(&decision));
        assert!(matches!(decision.reasons[0], Reason::Inconsistent { .. }), "{:?}", decision.reasons);
    }
}

/// The belief harness does not blame the rules either. The matches are those of uniform opponents, and some of them are
/// excluded by the sampler's model.
#[test]
fn the_harness_says_what_a_model_excludes() {
    let written = Written::new(ONLY_X);
    let report = |epsilon: &str| {
        let (game, policy) = (written.folder.path("acts.kif"), written.path());
        let sampler = format!("hyperplay:model=file:{}{epsilon}", policy.display());
        let most = "--role me --replicates 2 --particles 4 --matches 12 --steps 1-4 --seed 1";
        json(&format!("belief {} --sampler {sampler} {most}", game.display()), 0)
    };
    let exact = report(",epsilon=0");
    let left_out: Vec<&str> =
        exact["left_out"].as_array().unwrap().iter().map(|left| left["why"].as_str().unwrap()).collect();
    assert!(!left_out.is_empty());
    assert!(left_out.iter().all(|why| *why == "the opponent model excludes what was seen up to step 3"));
    assert!(report("")["left_out"].as_array().unwrap().is_empty());
}
