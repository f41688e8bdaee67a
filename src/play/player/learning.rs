//! Learning: the policy of a role from matches, of which everything is known or only what one seat saw.
//!
//! A record is a list of *explanations*: histories that may be the true one, as choices of the role, each weighted by how
//! probable it is but for these choices. A match that is known in full has one explanation. A match of which one seat's evidence is
//! known has all histories that agree with it, in which the cards of a folded hand are unknown. Every choice counts by the
//! posterior of its explanation, under the policy that the counts of *all other* matches make, record by record until nothing
//! changes: collapsed variational Bayes (CVB0, Asuncion09). With its own counts, as in expectation maximisation (Dempster77),
//! a record would be told again what it says itself. The other roles are taken to choose uniformly there.
//!
//! The policy of an information set is `(counts + weight * q) / (count + weight)`, a Dirichlet prior around `q`. With *back-off*,
//! `q` is the same formula for all information sets together that look alike now: with the same facts certain, and the same legal
//! moves. Below both stands the policy of a model. Whether to back off, the weight, and the number
//! of rounds over what is hidden are those with the least log loss on matches that are held out, one of [`HELD_OUT`].

use std::sync::Arc;

use rustc_hash::FxHashMap;

use hyperplay_engine::Engine;
use hyperplay_machine::{
    Budget, Evidence, History, Move, Role, Seed, StateMachine as _, StateMachineExt as _,
};
use hyperplay_think::belief::exact::{ExactError, posterior};
use hyperplay_think::belief::{Belief as _, BeliefOptions, ParticleBelief, SharedModel, Uniform};
use hyperplay_think::solve::GameTree;

/// One record of this number is held out.
pub const HELD_OUT: usize = 5;

/// How much of a prior is uniform, so that it rules nothing out.
pub const TREMBLE: f64 = 0.01;

/// The weights that are tried.
const WEIGHTS: [f64; 5] = [0.1, 0.5, 2.0, 8.0, 32.0];

/// Histories of an information set that a learner enumerates in seconds.
pub const LIMIT: usize = 100_000;

/// Histories that stand for those of a record of a seat, where these are too many.
const DRAWS: usize = 32;

/// The numbers of rounds over all records that are tried: until nothing changes, and few, where more of them fit the histories that
/// are possible and not those that are true.
const ROUNDS: [usize; 5] = [1_000, 8, 4, 2, 1];

/// Rounds end where no probability of an explanation changes by more.
const CONVERGED: f64 = 1e-7;

/// An information set of the role.
struct LearntSet {
    evidence: Evidence,
    moves: Vec<Move>,
    /// Which sets look alike.
    view: usize,
    prior: Vec<f64>,
}

/// Choices of the role, each an information set and the place of a move, in a history of this weight.
type Explanation = (f64, Vec<(usize, usize)>);

/// Records that are alike, with their number.
struct Record {
    explanations: Vec<Explanation>,
    count: f64,
    /// What one of these `count` matches counts: 1, or less where it is old.
    one: f64,
    is_held_out: bool,
}

/// The counts of moves at sets that look alike together, and at each set by itself; their sum is the last number of each.
type Counts = [Vec<Vec<f64>>; 2];

/// How counts become a policy.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Smoothing {
    /// Whether sets that look alike are counted together where one alone is rare.
    pub backs_off: bool,
    /// Choices that the prior counts as.
    pub weight: f64,
    /// The most rounds over all records.
    pub rounds: usize,
}

/// A learnt policy.
#[derive(Clone, Debug)]
pub struct Learnt {
    /// By information set, in the order of [`Learner::sets`], the probability of each move.
    pub policy: Vec<Vec<f64>>,
    /// The expected number of choices there.
    pub counts: Vec<f64>,
    /// The smoothing that was chosen.
    pub smoothing: Smoothing,
    /// Nats of log loss of a held-out match: of the prior, and of what was learnt from the others.
    pub log_loss: [f64; 2],
}

/// The records of a role.
pub struct Learner {
    machine: Arc<Engine>,
    role: Role,
    prior: SharedModel,
    sets: Vec<LearntSet>,
    numbers: FxHashMap<Evidence, usize>,
    views: FxHashMap<(Vec<String>, Vec<Move>), usize>,
    /// See [`LIMIT`].
    limit: usize,
    /// Whether a record of a seat with more histories is learnt from draws of them, and not refused.
    pub draws: bool,
    records: Vec<Record>,
    /// The records of what a seat saw.
    seen: FxHashMap<(Evidence, bool), usize>,
    added: usize,
}

impl Learner {
    /// Without a record; a model is the policy that is known of nothing. `limit` is the most histories of an information set: a record of
    /// a seat that has more is refused, and where the role has more, no fact counts as certain.
    pub fn new(machine: Arc<Engine>, role: Role, prior: SharedModel, limit: usize) -> Self {
        let (numbers, views, seen) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
        Learner {
            machine,
            role,
            prior,
            sets: Vec::new(),
            numbers,
            views,
            limit,
            draws: false,
            records: Vec::new(),
            seen,
            added: 0,
        }
    }

    /// Adds all information sets of a tree: those that no record leads to are learnt by what looks alike.
    pub fn add_sets(&mut self, tree: &GameTree) {
        let role = self.role;
        for (number, set) in tree.sets().iter().enumerate().filter(|(_, set)| set.role == role) {
            self.number(&tree.evidence(set), tree.moves(number));
        }
    }

    /// Adds `count` matches of which everything is known.
    pub fn add(&mut self, history: &History, count: f64) {
        let explanations = vec![(1.0, self.choices(history))];
        let is_held_out = self.is_held_out();
        self.records.push(Record { explanations, count, one: count.min(1.0), is_held_out });
    }

    /// Adds `count` matches of which it is known what a role saw.
    ///
    /// # Errors
    /// If the histories that the role holds possible are too many, or none, or the rules fail.
    pub fn add_seen(&mut self, evidence: &Evidence, count: f64) -> Result<(), ExactError> {
        let is_held_out = self.is_held_out();
        let key = (evidence.clone(), is_held_out);
        if let Some(&place) = self.seen.get(&key) {
            let record = &mut self.records[place];
            (record.count, record.one) = (record.count + count, record.one.max(count.min(1.0)));
            return Ok(());
        }
        let (histories, probability) = match posterior(&*self.machine, evidence, &Uniform, self.limit) {
            Err(ExactError::TooLarge { limit, step }) => match self.drawn(evidence) {
                drawn if drawn.is_empty() => return Err(ExactError::TooLarge { limit, step }),
                drawn => (drawn, 1.0),
            },
            all => all.map(|all| (all.histories, all.evidence))?,
        };
        let probable = |(history, share): &(History, f64)| self.explained(history, share * probability);
        let explanations = histories.iter().map(probable).collect();
        self.seen.insert(key, self.records.len());
        self.records.push(Record { explanations, count, one: count.min(1.0), is_held_out });
        Ok(())
    }

    /// Histories that are drawn from the posterior, with their shares; none if that is not asked for.
    fn drawn(&self, evidence: &Evidence) -> Vec<(History, f64)> {
        if !self.draws {
            return Vec::new();
        }
        let options = BeliefOptions { particles: DRAWS, enumerate: false, ..BeliefOptions::default() };
        let (machine, model) = (Arc::clone(&self.machine), Arc::new(Uniform));
        let mut belief = ParticleBelief::new(machine, evidence.role, model, options);
        belief.update(evidence, &Budget::UNLIMITED, &Seed::root(self.added as u64));
        let particles = belief.particles().iter();
        particles.map(|particle| (belief.history(particle), particle.weight)).collect()
    }

    /// Makes what was added before count less, by this factor.
    pub fn discount(&mut self, factor: f64) {
        for record in &mut self.records {
            (record.count, record.one) = (record.count * factor, record.one * factor);
        }
    }

    /// Whether the next record is held out.
    fn is_held_out(&mut self) -> bool {
        self.added += 1;
        self.added.is_multiple_of(HELD_OUT)
    }

    /// A history that has this probability if the role chooses uniformly.
    fn explained(&mut self, history: &History, share: f64) -> Explanation {
        let choices = self.choices(history);
        (choices.iter().fold(share, |share, &(set, _)| share * self.sets[set].moves.len() as f64), choices)
    }

    /// The choices of the role between two moves or more.
    fn choices(&mut self, history: &History) -> Vec<(usize, usize)> {
        let (machine, mut scratch) = (Arc::clone(&self.machine), self.machine.scratch());
        let known = machine.evidence(history, self.role, &mut scratch);
        let (mut state, mut legal, mut choices) = (machine.initial(), Vec::new(), Vec::new());
        for (step, joint) in history.0.iter().enumerate() {
            machine.legal(&state, self.role, &mut scratch, &mut legal);
            if legal.len() > 1 {
                let place = legal.iter().position(|&own| own == joint.of(self.role));
                choices.push((
                    self.number(&known.until(step), &legal),
                    place.expect("moves of matches are legal"),
                ));
            }
            state = machine.next(&state, joint, &mut scratch);
        }
        choices
    }

    /// The number of an information set.
    fn number(&mut self, evidence: &Evidence, moves: &[Move]) -> usize {
        if let Some(&known) = self.numbers.get(evidence) {
            return known;
        }
        let number = self.sets.len();
        let looks = (self.certain(evidence).unwrap_or_else(|| vec![format!("set {number}")]), moves.to_vec());
        let fresh = self.views.len();
        let view = *self.views.entry(looks).or_insert(fresh);
        let prior = self.prior.policy(self.role, evidence, moves);
        self.sets.push(LearntSet { evidence: evidence.clone(), moves: moves.to_vec(), view, prior });
        self.numbers.insert(evidence.clone(), number);
        number
    }

    /// The facts that are true in all states that the role holds possible; none if these are too many.
    fn certain(&self, evidence: &Evidence) -> Option<Vec<String>> {
        let histories = posterior(&*self.machine, evidence, &Uniform, self.limit).ok()?.histories;
        let mut scratch = self.machine.scratch();
        let facts = |history: &History| self.machine.fluents(&self.machine.replay(history, &mut scratch));
        histories.iter().map(|(history, _)| history).map(facts).reduce(|mut all, other| {
            all.retain(|fact| other.contains(fact));
            all
        })
    }

    /// The information sets of the role, with their moves.
    pub fn sets(&self) -> impl Iterator<Item = (&Evidence, &[Move])> {
        self.sets.iter().map(|set| (&set.evidence, &set.moves[..]))
    }

    /// Learns the policy, with this weight if one is given.
    pub fn learn(&self, weight: Option<f64>) -> Learnt {
        let weights = weight.map_or(WEIGHTS.to_vec(), |weight| vec![weight]);
        let each = weights.iter().flat_map(|&weight| [false, true].map(|backs_off| (weight, backs_off)));
        // Where everything is known, all rounds are the same.
        let is_hidden = self.records.iter().any(|record| record.explanations.len() > 1);
        let tried = &ROUNDS[..if is_hidden { ROUNDS.len() } else { 1 }];
        let all = each.flat_map(|(weight, backs_off)| {
            tried.iter().map(move |&rounds| Smoothing { backs_off, weight, rounds })
        });
        let judged = all.map(|smoothing| {
            let (policy, _) = self.fit(smoothing, &|record| !record.is_held_out);
            (self.loss(&policy), smoothing)
        });
        let (loss, smoothing) = judged.min_by(|a, b| a.0.total_cmp(&b.0)).expect("there is a weight");
        let (policy, [_, counts]) = self.fit(smoothing, &|_| true);
        let counts = counts.iter().map(|counts| counts[counts.len() - 1]).collect();
        let prior: Vec<Vec<f64>> = self.sets.iter().map(|set| set.prior.clone()).collect();
        Learnt { policy, counts, smoothing, log_loss: [self.loss(&prior), loss] }
    }

    /// Nats of log loss of a held-out match; NaN if there is none.
    fn loss(&self, policy: &[Vec<f64>]) -> f64 {
        let held_out = || self.records.iter().filter(|record| record.is_held_out);
        let loss: f64 = held_out().map(|record| -record.count * likelihood(record, policy).ln()).sum();
        loss / held_out().map(|record| record.count).sum::<f64>()
    }

    /// The policy and the expected counts of some of the records.
    fn fit(&self, smoothing: Smoothing, of: &dyn Fn(&Record) -> bool) -> (Vec<Vec<f64>>, Counts) {
        let mut counts = self.nothing();
        let chosen = self.records.iter().filter(|record| of(record));
        let mut posteriors: Vec<_> = chosen.map(|of| (of, vec![0.0; of.explanations.len()])).collect();
        for _ in 0..smoothing.rounds {
            let mut change = 0.0_f64;
            for (record, posterior) in &mut posteriors {
                // One match of them is explained by what all others say.
                let explanations = &record.explanations;
                let each = explanations.iter().zip(&*posterior);
                each.for_each(|((_, choices), part)| self.count(&mut counts, choices, -record.one * part));
                let share = |set, place| self.share(&counts, set, place, smoothing);
                let mut fresh: Vec<f64> = explanations.iter().map(|of| probability(of, &share)).collect();
                let all: f64 = fresh.iter().sum();
                fresh.iter_mut().for_each(|part| *part /= all);
                for ((_, choices), (new, old)) in explanations.iter().zip(fresh.iter().zip(&*posterior)) {
                    self.count(&mut counts, choices, record.count * new - (record.count - record.one) * old);
                    change = change.max((new - old).abs());
                }
                *posterior = fresh;
            }
            if change < CONVERGED {
                break;
            }
            // What has one explanation is counted once.
            posteriors.retain(|(_, posterior)| posterior.len() > 1);
        }
        (self.smooth(&counts, smoothing), counts)
    }

    /// No counts of what looks alike, and of each set; the last number of each is their sum.
    fn nothing(&self) -> Counts {
        let mut alike = vec![Vec::new(); self.views.len()];
        self.sets.iter().for_each(|set| alike[set.view].resize(set.moves.len() + 1, 0.0));
        [alike, self.sets.iter().map(|set| vec![0.0; set.moves.len() + 1]).collect()]
    }

    /// Adds `by` to the counts of these choices.
    fn count(&self, [alike, counts]: &mut Counts, choices: &[(usize, usize)], by: f64) {
        for &(set, place) in choices {
            for counts in [&mut alike[self.sets[set].view], &mut counts[set]] {
                let sum = counts.len() - 1;
                counts[place] += by;
                counts[sum] += by;
            }
        }
    }

    /// The policy of these counts.
    fn smooth(&self, counts: &Counts, smoothing: Smoothing) -> Vec<Vec<f64>> {
        let policy = |(set, of): (usize, &LearntSet)| {
            (0..of.moves.len()).map(|place| self.share(counts, set, place, smoothing)).collect()
        };
        self.sets.iter().enumerate().map(policy).collect()
    }

    /// The probability of a move by these counts.
    fn share(&self, [alike, counts]: &Counts, set: usize, place: usize, by: Smoothing) -> f64 {
        let mixed = |counts: &[f64], with: f64| {
            // What was taken away again may leave a rounding error.
            (counts[place].max(0.0) + by.weight * with) / (counts[counts.len() - 1] + by.weight)
        };
        let LearntSet { view, prior, .. } = &self.sets[set];
        let with = if by.backs_off { mixed(&alike[*view], prior[place]) } else { prior[place] };
        mixed(&counts[set], with)
    }
}

fn probability((weight, choices): &Explanation, share: &impl Fn(usize, usize) -> f64) -> f64 {
    choices.iter().fold(*weight, |product, &(set, place)| product * share(set, place))
}

fn likelihood(record: &Record, policy: &[Vec<f64>]) -> f64 {
    let share = |set: usize, place: usize| policy[set][place];
    record.explanations.iter().map(|explanation| probability(explanation, &share)).sum()
}

#[cfg(test)]
mod tests;
