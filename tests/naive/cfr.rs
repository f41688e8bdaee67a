//! CFR+ by the textbook: a recursive walk of the game tree for each role and iteration.
//!
//! It keeps regrets, policies and the weighted sum of own reach probabilities for each move of each information set, and
//! knows nothing of sequences. The roles take turns; the average of iteration t has the weight t and takes the policy
//! after its update. Tammelin (2014).

use hyperplay_machine::Role;
use hyperplay_think::solve::{GameTree, NodeKind, Profile};

pub struct NaiveCfr<'a> {
    tree: &'a GameTree,
    unit: f64,
    iteration: u64,
    regrets: Vec<f64>,
    policy: Vec<f64>,
    sums: Vec<f64>,
    /// Instant regrets of the walk at hand.
    instant: Vec<f64>,
    /// How probably the walking role goes to each information set.
    own: Vec<f64>,
}

impl<'a> NaiveCfr<'a> {
    pub fn new(tree: &'a GameTree, unit: f64) -> Self {
        let zeros = || vec![0.0; tree.pool_len()];
        let mut cfr = NaiveCfr {
            tree,
            unit,
            iteration: 0,
            regrets: zeros(),
            policy: zeros(),
            sums: zeros(),
            instant: zeros(),
            own: vec![0.0; tree.sets().len()],
        };
        tree.sets().iter().for_each(|set| cfr.policy[set.range()].fill(1.0 / set.range().len() as f64));
        cfr
    }

    pub fn iterate(&mut self) {
        self.iteration += 1;
        let players: Vec<Role> = self.tree.players().collect();
        for role in players {
            self.instant.fill(0.0);
            self.walk(0, role, 1.0);
            for set in 0..self.tree.sets().len() {
                if self.tree.sets()[set].role == role {
                    self.update(set);
                }
            }
            self.reach(0, role, 1.0);
            for (set, info) in self.tree.sets().iter().enumerate().filter(|(_, info)| info.role == role) {
                for place in info.range() {
                    self.sums[place] += self.iteration as f64 * self.own[set] * self.policy[place];
                }
            }
        }
    }

    /// The expected payoff below a node, where the others come there with this probability.
    fn walk(&mut self, node: usize, role: Role, others: f64) -> f64 {
        let children = self.tree.children(node);
        match self.tree.kind(node) {
            NodeKind::Terminal { goals } => (f64::from(goals[role.index()].value()) - 50.0) / self.unit,
            NodeKind::Chance { moves, distribution } => {
                let each = children.enumerate().map(|(place, child)| {
                    let share = distribution.weight(place) as f64 / distribution.total(moves.len()) as f64;
                    share * self.walk(child, role, others * share)
                });
                each.sum()
            }
            NodeKind::Decision { set } => {
                let info = self.tree.sets()[set];
                let mut values = Vec::new();
                for (child, place) in children.zip(info.range()) {
                    let share = self.policy[place];
                    values.push(if info.role == role {
                        self.walk(child, role, others)
                    } else {
                        self.walk(child, role, others * share)
                    });
                }
                let worth: f64 =
                    values.iter().zip(info.range()).map(|(v, place)| v * self.policy[place]).sum();
                if info.role == role {
                    for (value, place) in values.iter().zip(info.range()) {
                        self.instant[place] += others * (value - worth);
                    }
                }
                worth
            }
        }
    }

    fn update(&mut self, set: usize) {
        let range = self.tree.sets()[set].range();
        let mut total = 0.0;
        for place in range.clone() {
            self.regrets[place] = (self.regrets[place] + self.instant[place]).max(0.0);
            total += self.regrets[place];
        }
        let count = range.len() as f64;
        for place in range {
            self.policy[place] = if total > 0.0 { self.regrets[place] / total } else { 1.0 / count };
        }
    }

    /// Writes how probably a role goes to its information sets; all histories of one give the same.
    fn reach(&mut self, node: usize, role: Role, own: f64) {
        let set = match self.tree.kind(node) {
            NodeKind::Decision { set } if self.tree.sets()[set].role == role => Some(set),
            _ => None,
        };
        if let Some(set) = set {
            self.own[set] = own;
        }
        for (number, child) in self.tree.children(node).enumerate() {
            let share = set.map_or(1.0, |set| self.policy[self.tree.sets()[set].range().start + number]);
            self.reach(child, role, own * share);
        }
    }

    pub fn average(&self) -> Profile {
        Profile::from_fn(self.tree, |set, _| {
            let range = self.tree.sets()[set].range();
            let sums = &self.sums[range.clone()];
            if sums.iter().sum::<f64>() > 0.0 { sums.to_vec() } else { self.policy[range].to_vec() }
        })
    }
}
