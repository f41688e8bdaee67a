//! A game tree as a document: the way of a rulesheet to Gambit and OpenSpiel.
//!
//! Nodes stand in pre-order, and information sets are numbered for each player in the order of their first nodes there.
//! Payoffs are (goal - 50) / unit, exactly. The players are the roles but `random`.

use super::{Fraction, GambitBuilder, GambitError, GambitFile, GambitSetId};
use hyperplay_machine::{Goal, Move};
use hyperplay_think::solve::{GameTree, NodeKind};

/// A tree as a document, and where its information sets stand there.
///
/// ```
#[doc = include_str!("../monty_hall.example")]
/// use hyperplay_games::gambit::{Fraction, GambitGame, to_gambit};
/// use hyperplay_think::solve::{GameTree, TreeLimits};
///
/// let tree = GameTree::build(&*machine, &TreeLimits::default())?;
/// let GambitGame { file, numbers } =
///     to_gambit(&tree, "Monty Hall", Fraction::from_integer(50), &|own| machine.show_move(own))?;
/// assert_eq!((&file.players[..], file.nodes.len()), (&["candidate".to_owned()][..], 43));
/// // The first information set of the candidate is that before it has chosen a door.
/// assert_eq!(numbers[0], (0, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct GambitGame {
    /// The document.
    pub file: GambitFile,
    /// The player, from 0 on, and the number of each information set of the tree.
    pub numbers: Vec<(u32, u32)>,
}

/// Writes a tree as a document, with `unit` goal points for a payoff of 1 and these names of moves.
///
/// # Errors
/// If a label cannot be made of a name, which [`GambitError`] says.
pub fn to_gambit(
    tree: &GameTree,
    title: &str,
    unit: Fraction,
    name: &dyn Fn(Move) -> String,
) -> Result<GambitGame, GambitError> {
    let players: Vec<_> = tree.players().collect();
    let names: Vec<&String> = players.iter().map(|&role| &tree.roles()[role]).collect();
    let mut builder = GambitBuilder::new(title, "", &names);
    let mut sets: Vec<Option<GambitSetId>> = vec![None; tree.sets().len()];
    let mut numbers = vec![(0, 0); tree.sets().len()];
    let mut counts = vec![0; players.len()];
    let payoff = |goal: Goal| Fraction::from_integer(i128::from(goal.value()) - 50) / unit;
    let mut open = vec![0];
    while let Some(node) = open.pop() {
        match tree.kind(node) {
            NodeKind::Terminal { goals } => {
                let payoffs: Vec<Fraction> = players.iter().map(|role| payoff(goals[role.index()])).collect();
                builder.terminal(&payoffs);
            }
            NodeKind::Chance { moves, distribution } => {
                let total = i128::from(distribution.total(moves.len()));
                let share = |place| Fraction::new(i128::from(distribution.weight(place)), total);
                let moves: Vec<(String, Fraction)> =
                    moves.iter().enumerate().map(|(place, &own)| (name(own), share(place))).collect();
                let chance = builder.chance_moves(&moves);
                builder.chance(chance);
            }
            NodeKind::Decision { set } => {
                let id = sets[set].unwrap_or_else(|| {
                    let role = tree.sets()[set].role;
                    let player =
                        players.iter().position(|&other| other == role).expect("a role that decides");
                    counts[player] += 1;
                    numbers[set] = (player as u32, counts[player]);
                    let moves: Vec<String> = tree.moves(set).iter().map(|&own| name(own)).collect();
                    builder.information_set(player as u32, "", &moves)
                });
                sets[set] = Some(id);
                builder.decision(id);
            }
        }
        open.extend(tree.children(node).rev());
    }
    Ok(GambitGame { file: builder.finish()?, numbers })
}
