//! From a game in extensive form to a GDL-II rulesheet.
//!
//! The state of the rulesheet is the node that the game has come to. At a player's node that player has its moves and
//! every other role only `noop`; at a chance node `random` has the moves. The only percepts are names of information
//! sets: when the game comes to a node of a player, that player sees the name of the node's set.
//!
//! **Why the information sets are the same.** What a role knows in GDL-II is its own move and its percepts of every
//! step, so it also knows the number of steps. All nodes of a set must therefore come after the same number of steps:
//! the game must be *timeable*. `times.rs` finds the earliest such times or says why there are none; where a node is
//! reached early, all roles wait with `noop` and see nothing. Now let two nodes be in one set of a player. By perfect
//! recall its own earlier sets and moves are the same on the way to both; by timing they come at the same steps; in all
//! other steps it does `noop` and sees nothing. So its evidence is the same. At nodes of two different sets of a player
//! the evidence differs: at the same step in the last percept, otherwise in its length. (The root has no percept; no
//! other node comes after 0 steps.)
//!
//! Chance in GDL-II is uniform. A probability of 2/5 becomes two of five moves that lead to the same node. Payoffs
//! become goals by an affine map (`goals.rs`), names become symbols (`symbols.rs`), and the text is put together in
//! `sheet.rs`.
//!
//! Construction: Thielscher, *The General Game Playing Description Language Is Universal* (IJCAI 2011). Timeability:
//! Jakobsen, Sørensen and Conitzer, *Timeability of Extensive-Form Games* (ITCS 2016).

mod goals;
mod sheet;
mod symbols;
mod times;

use thiserror::Error;

pub use goals::GoalScale;

use super::file::{GambitChance, GambitFile, GambitNode};
use super::fraction::{self, Fraction};

/// How to convert.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KifOptions {
    /// A chance node with unequal probabilities may become this many moves of `random`.
    pub max_denominator: u32,
    /// Whether payoffs that whole goals from 0 to 100 cannot represent are rounded instead of refused.
    pub round: bool,
}

impl Default for KifOptions {
    fn default() -> Self {
        KifOptions { max_denominator: 1000, round: false }
    }
}

/// A rulesheet made from a game in extensive form.
///
/// ```
/// use hyperplay_games::gambit::{Fraction, GambitFile, GambitKif, GoalScale, KifOptions, to_kif};
///
/// let text = "EFG 2 R \"Take or leave\" { \"Alice\" } p \"\" 1 1 \"\" { \"Take it!\" \"Leave it\" } 0
///             t \"\" 1 \"\" { 1/2 } t \"\" 2 \"\" { -1 }";
/// let file = GambitFile::read(text)?;
/// let GambitKif { text, scales } = to_kif(&file, "take.efg", &KifOptions::default())?;
/// assert!(text.starts_with("; Take or leave\n"));
/// assert!(text.contains("; alice: payoff = -1 + 1/50 * goal\n"));
/// assert!(text.contains("(leads n1 take_it n2)"));
/// assert_eq!(scales, [GoalScale { offset: (-1).into(), unit: Fraction::new(1, 50) }]);
/// assert_eq!(scales[0].payoff(75), Fraction::new(1, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GambitKif {
    /// The rules in prefix form.
    pub text: String,
    /// The meaning of the goals of each player.
    pub scales: Vec<GoalScale>,
}

/// Why a game in extensive form has no rulesheet.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum KifError {
    /// A rulesheet has at least one role.
    #[error("the game has no players")]
    NoPlayers,
    /// The nodes of some set cannot all come after the same number of steps: each of these sets comes before the next one on
    /// some path, and the last one is the first again.
    #[error("the game is not timeable: each of these sets comes before the next one on some path: {}", _0.join(", "))]
    NotTimeable(Vec<String>),
    /// The probabilities of a chance node have too large a common denominator.
    #[error("the chance node {node} needs {needed} equally likely moves, more than {limit}")]
    TooManyCopies {
        /// The node, counted from 1 in pre-order.
        node: u32,
        /// The common denominator.
        needed: i128,
        /// The largest denominator that was allowed.
        limit: u32,
    },
    /// Whole goals from 0 to 100 cannot represent the payoffs of a player exactly.
    #[error(
        "the payoffs of '{player}' lie from {least} to {most} in steps of {step}, which is more than 100 steps"
    )]
    PayoffsTooFine {
        /// The name of the player.
        player: String,
        /// The least payoff.
        least: Fraction,
        /// The greatest payoff.
        most: Fraction,
        /// The greatest common divisor of the differences.
        step: Fraction,
    },
    /// The payoffs leave the range of exact fractions when they are subtracted.
    #[error("the payoffs are too large or too fine to be compared exactly")]
    PayoffsTooLarge,
}

impl KifError {
    /// Advice on how to correct it.
    pub fn remedy(&self) -> &'static str {
        match self {
            KifError::NoPlayers => "name at least one player in the header",
            KifError::NotTimeable(..) => {
                "roles of GDL-II can count steps, so no rulesheet has these information sets; split one of them"
            }
            KifError::TooManyCopies { .. } => {
                "use probabilities with a smaller common denominator, or allow more moves"
            }
            KifError::PayoffsTooFine { .. } => "use fewer different payoffs, or have them rounded",
            KifError::PayoffsTooLarge => "use payoffs with fewer digits",
        }
    }
}

/// Converts a game into a GDL-II rulesheet. `source` is named in its header, such as the name of the file.
///
/// # Errors
/// If GDL-II cannot express the game, or only with more moves or other payoffs than `options` allow.
pub fn to_kif(file: &GambitFile, source: &str, options: &KifOptions) -> Result<GambitKif, KifError> {
    if file.players.is_empty() {
        return Err(KifError::NoPlayers);
    }
    let parents = file.parents();
    let live = live(file, &parents);
    for (index, &node) in (0..).zip(&file.nodes).filter(|&(index, _)| live[index as usize]) {
        if let GambitNode::Chance(id) = node {
            check_copies(file.chance(id), index, options.max_denominator)?;
        }
    }
    let times = times::times(file, &parents, &live).map_err(|cycle| {
        KifError::NotTimeable(cycle.iter().map(|&id| describe(file, id.index())).collect())
    })?;
    let goals = goals::Goals::new(file, &live, options.round)?;
    let text = sheet::sheet(
        file,
        source,
        &sheet::Plan { parents: &parents, live: &live, times: &times, goals: &goals },
    );
    Ok(GambitKif { text, scales: goals.scales })
}

/// Which nodes have a positive probability, if the players want it.
fn live(file: &GambitFile, parents: &[Option<(u32, u32)>]) -> Vec<bool> {
    let mut live: Vec<bool> = Vec::with_capacity(parents.len());
    for parent in parents {
        live.push(parent.is_none_or(|(parent, choice)| {
            let possible = match file.nodes[parent as usize] {
                GambitNode::Chance(id) => *file.chance(id).moves[choice as usize].1.numer() > 0,
                _ => true,
            };
            possible && live[parent as usize]
        }));
    }
    live
}

/// How many of how many equally likely moves each move of a chance node becomes.
///
/// `None` if the common denominator leaves the range of fractions.
fn copies(chance: &GambitChance) -> Option<(Vec<i128>, i128)> {
    let denominators = chance.moves.iter().map(|(_, share)| *share.denom());
    let of = denominators.into_iter().try_fold(1, fraction::common_multiple)?;
    Some((chance.moves.iter().map(|(_, share)| share.numer() * (of / share.denom())).collect(), of))
}

fn check_copies(chance: &GambitChance, node: u32, limit: u32) -> Result<(), KifError> {
    match copies(chance) {
        Some((copies, needed)) if needed <= i128::from(limit) || copies.iter().all(|&count| count <= 1) => {
            Ok(())
        }
        needed => {
            let needed = needed.map_or(i128::MAX, |(_, needed)| needed);
            Err(KifError::TooManyCopies { node: node + 1, needed, limit })
        }
    }
}

/// A set as a message shows it.
fn describe(file: &GambitFile, set: usize) -> String {
    let set = &file.sets[set];
    let name = if set.name.is_empty() { String::new() } else { format!(" ('{}')", set.name) };
    format!("set {}{name} of '{}'", set.number, file.players[set.player as usize])
}
