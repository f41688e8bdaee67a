//! Limits of grounding. They are counts and not times, so the same rules are refused on every computer.
//!
//! The interpreter plays a rulesheet that exceeds these limits. Nothing is estimated in advance: a join is counted
//! while it is computed, and it stops at the limit.

use thiserror::Error;

use hyperplay_logic::datalog::{EvaluationLimits, LimitError, LimitExceeded};

/// Bounds on grounding one game. The default is met within some five seconds and two gigabytes; all but two of eighty
/// rulesheets of the field need less.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GroundingLimits {
    /// Ground atoms that may hold in some state, of all relations together.
    pub atoms: usize,
    /// Fluents, and moves, and percepts.
    pub terms: usize,
    /// How deep a term may be nested. Counters without an end reach this limit.
    pub depth: u32,
    /// Rows looked at in joins, some ten million a second.
    pub visits: u64,
    /// Instances of rules.
    pub instances: u64,
    /// Gates of the network.
    pub gates: usize,
    /// Bytes that atoms, instances and gates may take together, by estimate.
    pub bytes: u64,
}

impl Default for GroundingLimits {
    fn default() -> Self {
        GroundingLimits {
            atoms: 3_000_000,
            terms: 250_000,
            depth: 100,
            visits: 40_000_000,
            instances: 8_000_000,
            gates: 6_000_000,
            bytes: 2 << 30,
        }
    }
}

/// The quantity that exceeds its limit.
#[derive(Clone, PartialEq, Eq, Debug, strum::Display)]
pub enum What {
    /// Ground atoms; the relation that had the last one.
    #[strum(to_string = "ground atoms, the last one of `{0}`")]
    Atoms(String),
    /// The nesting, or the size, of the terms of a relation.
    #[strum(to_string = "levels or names in a term of `{0}`")]
    Terms(String),
    /// Rows looked at; the relation that was being derived.
    #[strum(to_string = "tuples looked at, the last for `{0}`")]
    Visits(String),
    /// Instances of rules; the relation that was being derived.
    #[strum(to_string = "instances of rules, the last for `{0}`")]
    Instances(String),
    /// Gates; the relation whose conditions were being built.
    #[strum(to_string = "gates, the last for `{0}`")]
    Gates(String),
    /// Bytes.
    #[strum(to_string = "bytes")]
    Bytes,
    /// Gates of two inputs that the simplified network amounts to: single states cost more than by the rules.
    #[strum(to_string = "gates of two inputs after simplification")]
    Simplified,
    /// Rules: the game is an interaction in SIDL and has none.
    #[strum(to_string = "rules")]
    NoRules,
}

/// A game is too large to be grounded within the limits, or has no rules to ground.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{}", self.sentence())]
pub struct TooLarge {
    /// The quantity that would exceed its limit.
    pub what: What,
    /// How many there were when the limit was met; there would be more.
    pub needed: u64,
    /// The limit.
    pub limit: u64,
}

impl TooLarge {
    /// Why an interaction in SIDL has no ground network.
    pub(crate) const NO_RULES: TooLarge = TooLarge { what: What::NoRules, needed: 0, limit: 0 };

    fn sentence(&self) -> String {
        let TooLarge { what, needed, limit } = self;
        match what {
            What::NoRules => {
                "an interaction in SIDL has no rules of GDL; it is played by its own machine (--engine auto)"
                    .to_owned()
            }
            _ => format!("the ground rules are too large: at least {needed} {what}; the limit is {limit}"),
        }
    }
}

/// Bytes that a derived tuple takes with the term that is made for it and the indices of both, about.
const BYTES_A_TUPLE: u64 = 200;
/// Bytes that a gate, or an instance of a rule, takes when what is made of it takes most, which is the form for single
/// states: measured with a game of 120,000 gates, for which it is six times what the gates alone take.
const BYTES_A_GATE: u64 = 900;

impl GroundingLimits {
    /// The default limits, or lower ones that are met within about `bytes` bytes.
    pub fn in_memory(bytes: u64) -> GroundingLimits {
        let limits = GroundingLimits::default();
        let most = |count: usize, each: u64| count.min((bytes / each) as usize);
        GroundingLimits {
            atoms: most(limits.atoms, BYTES_A_TUPLE),
            terms: most(limits.terms, BYTES_A_TUPLE),
            instances: limits.instances.min(bytes / BYTES_A_GATE),
            gates: most(limits.gates, BYTES_A_GATE),
            bytes: limits.bytes.min(bytes),
            ..limits
        }
    }

    /// The limits of the evaluations by rules that go with these: the usual ones, or lower ones if these allow few
    /// bytes.
    pub fn of_evaluations(&self) -> EvaluationLimits {
        let limits = EvaluationLimits::default();
        let tuples = (self.bytes / BYTES_A_TUPLE) as usize;
        EvaluationLimits { tuples: limits.tuples.min(tuples), cells: limits.cells.min(8 * tuples), ..limits }
    }

    /// The error for a limit that the evaluation of a program met.
    pub(super) fn met(&self, error: LimitError) -> TooLarge {
        let LimitError { exceeded, limit, relation, .. } = error;
        let (what, limit) = match exceeded {
            LimitExceeded::Tuples if limit == self.terms as u64 => (What::Atoms(relation), limit),
            LimitExceeded::Tuples => (What::Atoms(relation), self.atoms as u64),
            LimitExceeded::Depth | LimitExceeded::Size => (What::Terms(relation), limit),
            LimitExceeded::Visits | LimitExceeded::Deadline => (What::Visits(relation), self.visits),
        };
        TooLarge { what, needed: limit + 1, limit }
    }
}

/// Nothing if the count is within the limit.
pub(super) fn check(count: u64, limit: u64, what: impl FnOnce() -> What) -> Result<(), TooLarge> {
    if count <= limit { Ok(()) } else { Err(TooLarge { what: what(), needed: count, limit }) }
}
