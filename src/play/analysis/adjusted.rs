//! Adjusted goals: the goals of a match less what is known to be luck (AIVAT).
//!
//! At a step `random`, and every role whose policy is known, draw from known distributions. So the difference between what
//! was to be expected of the draw and what followed it is luck, and it is added to the goals. Both are judged by a
//! [`Baseline`], which guesses the goals after a history. The difference is 0 in the mean whatever the guess is, so adjusted
//! goals have the mean of the goals. The better the guess, the smaller is their variance.
//!
//! There are two ways in which the policy of a role may be known:
//! - The policy of a *settled* role is known wherever it may be. So the match is not followed alone, but with all histories
//!   that the other roles cannot tell from it, each weighted by how probably `random` and the settled roles lead there:
//!   *imagined* histories. Every term is the mean over them, and so are the goals.
//! - A recorded decision has the policy of its role there, which is enough, because imagined histories do not differ in what the
//!   role knows.
//!
//! All roles of a step draw independently of each other, so roles that move at once need no other rule: what a role of unknown
//! policy did is fixed, and the expectation is over the moves of the others. There may be any number of roles.
//!
//! It follows nothing but rules, moves and percepts, so it goes for every game. A role that is not settled must act on what it
//! knows if anything is imagined: for a clairvoyant one, `imagined` is 1.
//!
//! Reference: Burch18 (`docs/REFERENCES.md`). The corrections are theirs; a partition of the histories there is an information
//! set here.

use std::sync::Arc;

use crate::player::{Asked, AskedModel, DecisionBudget, PlayerSpec};
use crate::referee::{Match, MatchOutcome, MatchStep};
use hyperplay_engine::{Engine, EngineScratch};
use hyperplay_machine::{
    Budget, Bulk, ByRole, ChanceDistribution, Evidence, JointMove, JointMoves, Move, Observation, OwnMove,
    Role, Seed, Start, State, StateMachine, StateMachineExt,
};
use hyperplay_think::belief::{OpponentModel, SharedModel};
use hyperplay_think::solve::{GameTree, Profile, node_values};

/// The players whose policy at an information set depends on nothing else: no seed, and no decision before.
const SETTLED: [&str; 3] = ["random", "legal", "policy"];

/// A recorded policy sums to 1 up to this.
const ROUNDING: f64 = 1e-6;

/// A guess of the goals that follow a history.
pub enum Baseline {
    /// Goals by role for each node of the tree.
    Tree(Box<GameTree>, ByRole<Vec<f64>>),
    /// The mean goals of this number of random playouts.
    Playouts(u32),
}

impl Baseline {
    /// The expected goals if all roles go on as a model says.
    pub fn of_model(tree: GameTree, model: &dyn OpponentModel) -> Baseline {
        let profile = Profile::from_fn(&tree, |set, moves| {
            let set = &tree.sets()[set];
            model.policy(set.role, &tree.evidence(set), moves)
        });
        let values = ByRole::from_fn(tree.roles().len(), |role| node_values(&tree, &profile, role));
        Baseline::Tree(Box::new(tree), values)
    }

    /// The node after a joint move. In a step `random` chooses first and then every other role; who has one move has no node.
    fn after(&self, node: usize, legal: &ByRole<Vec<Move>>, joint: &JointMove) -> usize {
        let Baseline::Tree(tree, _) = self else { return node };
        let choosing = tree.random.into_iter().chain(tree.players()).filter(|&role| legal[role].len() > 1);
        choosing.fold(node, |node, role| {
            let place = legal[role].iter().position(|&own| own == joint.of(role));
            tree.children(node).start + place.expect("a joint move is made of legal moves")
        })
    }

    fn goals(&self, machine: &Engine, of: &Imagined, scratch: &mut EngineScratch) -> ByRole<f64> {
        match self {
            Baseline::Tree(_, values) => values.map(|values| values[of.node]),
            _ if machine.terminal(&of.state, scratch) => {
                machine.goals(&of.state, scratch).map(|&goal| goal.into())
            }
            &Baseline::Playouts(count) => {
                let start = Start { state: of.state.clone(), first: Vec::new(), weights: None, count };
                let tally = machine.playouts(&[start], &Seed::root(0), &Budget::UNLIMITED, scratch).remove(0);
                ByRole::from_fn(machine.roles().len(), |role| tally.mean(role))
            }
        }
    }
}

/// A history that may be the true one, for all that roles of unknown policy know.
#[derive(Clone)]
struct Imagined {
    state: State,
    /// In the tree of the baseline.
    node: usize,
    /// What every role knows in it.
    knows: ByRole<Evidence>,
    weight: f64,
    is_true: bool,
    /// Whether it explains what the others did and saw.
    explains: bool,
}

/// How goals are adjusted.
pub struct Adjustment {
    machine: Arc<Engine>,
    /// The policies of the settled roles.
    model: SharedModel,
    settled: ByRole<bool>,
    baseline: Arc<Baseline>,
    /// The most histories that are imagined; from a step on where there would be more, none but the true one.
    imagined: usize,
}

impl Adjustment {
    /// That of matches between these players; without one for `random`.
    ///
    /// # Errors
    /// If a player of a settled policy is clairvoyant, which none is.
    pub fn new(
        machine: &Arc<Engine>,
        players: &ByRole<Option<PlayerSpec>>,
        budget: DecisionBudget,
        (baseline, imagined): (&Arc<Baseline>, usize),
    ) -> Asked<Self> {
        let asked = players.map(|player| {
            let settled = player.as_ref().filter(|player| SETTLED.contains(&player.spec().name()));
            settled.map(|player| (player.clone(), Arc::clone(machine)))
        });
        let settled = asked.map(Option::is_some);
        let model = Arc::new(AskedModel::new(asked, budget, Seed::root(0))?);
        let is_clairvoyant = |(role, player): (Role, &Option<PlayerSpec>)| {
            player.as_ref().is_some_and(|player| player.seat(machine, role).is_clairvoyant())
        };
        let imagined = if players.iter().any(is_clairvoyant) { 1 } else { imagined };
        Ok(Self { machine: Arc::clone(machine), model, settled, baseline: Arc::clone(baseline), imagined })
    }

    /// The adjusted goals of a match; none of one that did not end with goals, or in which a settled role made a move that it
    /// never makes.
    pub fn goals(&self, played: &Match) -> Option<ByRole<f64>> {
        let machine = &*self.machine;
        let mut scratch = machine.scratch();
        let MatchOutcome::Over(_) = played.outcome else { return None };
        // A settled role whose move was replaced does not follow its policy.
        let is_imagined = !played.faults().any(|(_, fault)| self.settled[fault.role]);
        let roles = machine.roles().len();
        let mut all = vec![Imagined {
            state: machine.initial(),
            node: 0,
            knows: ByRole::from_fn(roles, Evidence::new),
            weight: 1.0,
            is_true: true,
            explains: true,
        }];
        let mut adjusted = ByRole::from_fn(roles, |_| 0.0);
        for (number, step) in (1..).zip(&played.steps) {
            let is_over = number == played.steps.len();
            let mut after = Vec::new();
            all.iter().for_each(|one| self.follow(one, (step, is_over), &mut after, &mut scratch));
            let explaining = || after.iter().filter(|one: &&Imagined| one.explains);
            if !is_imagined || explaining().count() > self.imagined {
                after.iter_mut().for_each(|one| one.explains = one.is_true);
            }
            let left: f64 = after.iter().filter(|one| one.explains).map(|one| one.weight).sum();
            if left <= 0.0 {
                return None;
            }
            // Where nothing was learnt, nothing was luck.
            if after.iter().any(|one| !one.explains) {
                for one in &mut after {
                    let found = if one.explains { one.weight / left } else { 0.0 };
                    let goals = self.baseline.goals(machine, one, &mut scratch);
                    adjusted =
                        ByRole::from_fn(roles, |role| adjusted[role] + (one.weight - found) * goals[role]);
                    one.weight = found;
                }
                after.retain(|one| one.explains);
            }
            all = after;
        }
        for one in all {
            let goals = machine.goals(&one.state, &mut scratch);
            adjusted = ByRole::from_fn(roles, |role| adjusted[role] + one.weight * f64::from(goals[role]));
        }
        machine.take_failure(&mut scratch).is_none().then_some(adjusted)
    }

    /// Adds the histories after one more step, in which roles of unknown policy do what they did.
    fn follow(
        &self,
        one: &Imagined,
        (step, is_over): (&MatchStep, bool),
        after: &mut Vec<Imagined>,
        scratch: &mut EngineScratch,
    ) {
        let machine = &*self.machine;
        let legal = machine.legal_by_role(&one.state, scratch);
        let chance = ChanceDistribution::of(machine, &one.state, scratch);
        let is_seen = |role: Role| !self.settled[role] && machine.random() != Some(role);
        let shares = ByRole::from_fn(legal.len(), |role| match machine.random() {
            Some(random) if random == role => chance.probabilities(legal[role].len()),
            _ => self.shares(&one.knows[role], step, &legal[role]),
        });
        for joint in JointMoves::new(&legal) {
            let share = machine.each_role().map(|role| {
                let place = legal[role].iter().position(|&own| own == joint.of(role));
                shares[role][place.expect("a joint move is made of legal moves")]
            });
            let weight = one.weight * share.product::<f64>();
            if weight <= 0.0 {
                continue;
            }
            let percepts =
                ByRole::from_fn(legal.len(), |role| machine.percepts(&one.state, &joint, role, scratch));
            let state = machine.next(&one.state, &joint, scratch);
            let agrees =
                |role| joint.of(role) == step.joint.of(role) && percepts[role] == step.percepts[role];
            let explains = machine.each_role().filter(|&role| is_seen(role)).all(agrees)
                && machine.terminal(&state, scratch) == is_over;
            let node = self.baseline.after(one.node, &legal, &joint);
            let mut knows = one.knows.clone();
            for role in machine.each_role().filter(|&role| self.settled[role]) {
                let own = OwnMove::Known(joint.of(role));
                knows[role].steps.push(Observation { own, percepts: percepts[role].clone() });
            }
            let is_true = one.is_true && joint == step.joint;
            after.push(Imagined { state, node, knows, weight, is_true, explains });
        }
    }

    /// How probably a role makes each of its legal moves; where that is not known, what it did is certain.
    fn shares(&self, known: &Evidence, step: &MatchStep, legal: &[Move]) -> Vec<f64> {
        let role = known.role;
        let is_replaced = step.faults.iter().any(|fault| fault.role == role);
        if self.settled[role] && !is_replaced {
            return self.model.policy(role, known, legal);
        }
        let policy = step.decisions[role].as_ref().filter(|_| !is_replaced).map(|decision| &decision.policy);
        let share = |own: &Move| -> f64 {
            policy.into_iter().flatten().filter(|(of, _)| of == own).map(|(_, share)| share).sum()
        };
        let shares: Vec<f64> = legal.iter().map(share).collect();
        let is_known = (shares.iter().sum::<f64>() - 1.0).abs() < ROUNDING;
        let made = |own: &Move| if *own == step.joint.of(role) { 1.0 } else { 0.0 };
        if is_known { shares } else { legal.iter().map(made).collect() }
    }
}

#[cfg(test)]
mod tests;
