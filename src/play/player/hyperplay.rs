//! The player `hyperplay`: it plays a game whose state it does not know by searching every state that its evidence leaves
//! possible.
//!
//! A decision has three steps:
//! 1. the belief follows the evidence. Its particles are histories that explain all that was perceived, with weights;
//! 2. the distinct states of the particles are searched as if each were the truth;
//! 3. the value of a move is the weighted mean of its values, and the best is played; where roles move at once, the mean of
//!    the matrix games is solved.
//!
//! It cannot value information, keep a secret or bluff: every state is searched as if all roles saw it. Without a
//! particle (the budget ran out, or the match contradicts the rules) it moves uniformly among the legal moves that it
//! was shown, and says that it was depleted.
//!
//! Where its opponent model gives probability 0 to all that explains the evidence, the belief begins anew under uniform
//! opponents, and stays so for the rest of the match.
//!
//! The belief may use four tenths of the time of a decision, and half of a node budget.
//!
//! Reference: Schofield, Cerexhe, Thielscher, *HyperPlay: A Solution to General Game Playing with Imperfect
//! Information*, AAAI 2012.

use std::sync::Arc;
use std::time::Duration;

use super::decision::{Decision, HeldBelief, Player, SAFE_SHARE, View};
use super::deliberation::{Deliberation, merge};
use crate::belief::{
    Belief, OpponentModel, Sampler, Uniform, UpdateCost, UpdateMethod, UpdateOutcome, effective_size,
};
use crate::search::StateSearch;
use hyperplay_engine::machine::{Budget, Evidence, Role, Seed, StateMachine as _, Stopwatch};
use hyperplay_engine::{Engine, EngineScratch, State};

/// The share of the time that the belief may use.
const BELIEF_SHARE: f64 = 0.4;

/// States shown in an explanation.
const SHOWN: usize = 6;

/// What is said when the opponent model is given up.
const EXCLUDED: &str =
    "the opponent model excludes what was seen: the other roles are taken to choose uniformly";

/// The player `hyperplay`.
///
/// ```
/// use std::sync::Arc;
///
/// use hyperplay_engine::machine::{ByRole, Goal, Role, Seed};
/// use hyperplay_play::belief::{ParticleSampler, Uniform};
/// use hyperplay_play::player::{Clairvoyant, HyperPlay, Seat};
/// use hyperplay_play::referee::{Interrupt, MatchOutcome, Settings, play_match};
/// use hyperplay_play::search::{Algorithm, SearchOptions};
///
/// # use hyperplay_engine::{EngineKind, Engines};
/// # use hyperplay_logic::gdl::{Source, load};
/// // One role says yes, and wins, or no.
/// let text = "(role me) (init asked) (legal me yes) (legal me no)
///     (<= (next said_yes) (does me yes)) (<= terminal (not (true asked)))
///     (<= (goal me 100) (true said_yes)) (<= (goal me 0) (not (true said_yes)))";
/// let game = load(Source::new("yes", text), None).game.expect("the rules are in order");
/// let machine = Engines::new(&game).get(EngineKind::Auto)?;
/// let (role, algorithm) = (Role::new(0), Algorithm::Exact);
/// let search = Arc::new(SearchOptions { algorithm, nodes: 100, playouts: 1, per_move: None });
/// let sampler = Arc::new(ParticleSampler::default());
/// let blind = HyperPlay::new(machine.clone(), role, Arc::new(Uniform), sampler, 20, search.clone());
/// let seeing = Clairvoyant::new(machine.clone(), role, search);
/// for seat in [Seat::player(blind), Seat::clairvoyant(seeing)] {
///     let (seats, settings) = (ByRole::new(vec![Some(seat)]), Settings::default());
///     let played = play_match(&*machine, seats, &settings, &Seed::root(1), &Interrupt::default(), |_| ())?;
///     assert_eq!(played.outcome, MatchOutcome::Over(ByRole::new(vec![Goal::MAX])));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct HyperPlay {
    machine: Arc<Engine>,
    role: Role,
    model: Arc<dyn OpponentModel>,
    sampler: Arc<dyn Sampler<Engine>>,
    particles: usize,
    belief: Box<dyn Belief<Engine>>,
    /// The last evidence, once the model has excluded some of this match: the belief is that under uniform opponents.
    excluded: Option<Evidence>,
    search: Arc<dyn StateSearch<Engine>>,
    scratch: EngineScratch,
    update_time: Option<Duration>,
}

impl HyperPlay {
    /// A player for one match: its belief is sampled by so many particles under an opponent model, and the states of these
    /// are searched.
    pub fn new(
        machine: Arc<Engine>,
        role: Role,
        model: Arc<dyn OpponentModel>,
        sampler: Arc<dyn Sampler<Engine>>,
        particles: usize,
        search: Arc<dyn StateSearch<Engine>>,
    ) -> Self {
        let scratch = machine.scratch();
        let belief = sampler.belief(&machine, role, &model, particles);
        HyperPlay {
            machine,
            role,
            model,
            sampler,
            particles,
            belief,
            excluded: None,
            search,
            scratch,
            update_time: None,
        }
    }

    fn begin_anew(&mut self, model: &Arc<dyn OpponentModel>) {
        self.belief = self.sampler.belief(&self.machine, self.role, model, self.particles);
    }

    /// Lets the belief follow the evidence, under uniform opponents where the model excludes it. How that ended, and how
    /// many states it visited.
    fn follow(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> (UpdateOutcome, u64) {
        if self.excluded.as_ref().is_some_and(|former| !evidence.continues(former)) {
            self.excluded = None;
            self.begin_anew(&Arc::clone(&self.model));
        }
        let mut outcome = self.belief.update(evidence, budget, seed);
        let mut spent = self.belief.cost().states;
        let mut is_excluded = self.excluded.is_some();
        if !is_excluded && !self.model.is_uniform() && matches!(outcome, UpdateOutcome::Inconsistent { .. }) {
            is_excluded = true;
            let uniform: Arc<dyn OpponentModel> = Arc::new(Uniform);
            self.begin_anew(&uniform);
            outcome = self.belief.update(evidence, &budget.less(spent), seed);
            spent += self.belief.cost().states;
        }
        self.excluded = is_excluded.then(|| evidence.clone());
        (outcome, spent)
    }

    /// What is believed, in sentences: how many histories and states, how they were found at which cost, and the likeliest
    /// states by the fluents in which they differ.
    fn explain(&self, held: &HeldBelief, spent: u64, states: &[(&State, f64)]) -> Vec<String> {
        let HeldBelief { particles, effective, .. } = held;
        let mut lines = vec![format!(
            "{particles} particles ({}) in {} states, effective sample size {effective:.1}; {spent} states visited in \
             the update",
            source(held),
            held.states,
        )];
        if states.len() == 1 {
            return lines;
        }
        let mut likeliest = states.to_vec();
        likeliest.sort_by(|a, b| b.1.total_cmp(&a.1));
        likeliest.truncate(SHOWN);
        let fluents: Vec<Vec<String>> =
            likeliest.iter().map(|(state, _)| self.machine.fluents(state)).collect();
        for ((_, weight), held) in likeliest.iter().zip(&fluents) {
            let in_all = |fluent: &String| fluents.iter().all(|other| other.contains(fluent));
            let own: Vec<&str> = held.iter().filter(|fluent| !in_all(fluent)).map(String::as_str).collect();
            lines.push(format!("{:6.1} %  {}", 100.0 * weight, own.join(" ")));
        }
        if states.len() > SHOWN {
            lines.push(format!("  ... and {} more", states.len() - SHOWN));
        }
        lines
    }
}

/// How particles were found, with the share of attempts that agreed where attempts were made.
fn source(held: &HeldBelief) -> String {
    let how = match held.method {
        _ if held.is_enumerated => return "the whole information set".to_owned(),
        UpdateMethod::Enumeration => "drawn from the whole information set",
        UpdateMethod::Rejection => "sampled by rejection",
        UpdateMethod::ParticleFilter => "sampled by a particle filter",
        UpdateMethod::Backtracking => "sampled by backtracking",
        UpdateMethod::Other => "sampled",
    };
    match held.attempts {
        0 => how.to_owned(),
        attempts => format!("{how}: {} of {attempts} attempts agreed", held.accepted),
    }
}

impl Player for HyperPlay {
    fn decide(&mut self, view: &View<'_>, budget: &Budget, seed: &Seed) -> Decision {
        let budget = budget.share(SAFE_SHARE);
        let for_belief = Budget { nodes: budget.nodes.map(|nodes| nodes / 2), ..budget.share(BELIEF_SHARE) };
        let watch = Stopwatch::start();
        let (outcome, spent) = self.follow(view.evidence, &for_belief, &seed.child("belief"));
        self.update_time = Some(watch.elapsed());
        let is_refuted = matches!(outcome, UpdateOutcome::Inconsistent { .. });
        let excluded = self.excluded.as_ref().filter(|_| !is_refuted).map(|_| EXCLUDED.to_owned());
        let depleted = match outcome {
            UpdateOutcome::Enumerated | UpdateOutcome::Sampled => None,
            UpdateOutcome::Depleted { step } => {
                Some(format!("depleted: no history was found that explains step {step}"))
            }
            UpdateOutcome::Inconsistent { step } => {
                Some(format!("inconsistent: no history of these rules explains step {step}"))
            }
        };
        if let Some(reason) = depleted {
            let mut decision = Decision::uniform(view.legal, seed);
            decision.depleted = true;
            decision.cost.states = spent;
            let reasons = [reason, "a legal move at random".to_owned()];
            decision.explanation = excluded.into_iter().chain(reasons).collect();
            return decision.admitting(self.belief.take_failure(), view.legal, seed);
        }
        let particles = self.belief.particles().iter();
        let states = merge(particles.map(|particle| (self.belief.state(particle), particle.weight)));
        let UpdateCost { attempts, accepted, .. } = self.belief.cost();
        let held = HeldBelief {
            particles: self.belief.particles().len(),
            states: states.len(),
            effective: effective_size(self.belief.particles().iter().map(|particle| particle.weight)),
            is_enumerated: outcome == UpdateOutcome::Enumerated,
            method: self.belief.method(),
            attempts,
            accepted,
        };
        let mut explanation: Vec<String> =
            excluded.into_iter().chain(self.explain(&held, spent, &states)).collect();
        let deliberation = Deliberation {
            machine: &self.machine,
            role: self.role,
            search: &*self.search,
            budget: budget.less(spent),
            seed,
            legal: view.legal,
            scratch: &mut self.scratch,
        };
        let mut decision = deliberation.decide(&states);
        decision.cost.states += spent;
        decision.held = Some(held);
        explanation.append(&mut decision.explanation);
        decision.explanation = explanation;
        let failure = self.belief.take_failure();
        let searching = self.machine.take_failure(&mut self.scratch);
        decision.admitting(failure.or(searching), view.legal, seed)
    }

    fn update_time(&self) -> Option<Duration> {
        self.update_time
    }
}
