//! Checks a policy file against the rules of a game: whether its moves, percepts and evidence can be.
//!
//! Two questions are asked of every entry. *Can the rules ever derive it?* A move that no rule can make legal for its
//! role, or a percept that no rule can give it, is an error; the answer is that of the domains of the positions of
//! `legal` and `sees`, so it holds for every state and costs no play. *Does any match give this evidence?* All
//! histories are followed, step by step and equal ones once, up to a bound on the joint moves made. For as many steps
//! as that reaches, evidence that no history gives is an error. A move that is legal somewhere but not at the
//! information set of its entry is a warning: its probability goes to the others, as the form of the file has it.
//!
//! Invariant: a file written by a solver for these rules has no findings.

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use super::policy_file::{KnownStep, PolicyFile, WrittenPolicy, entry_in_words, known_step};
use hyperplay_engine::Interpreter;
use hyperplay_logic::gdl::{At, Atom, Game, PositionDomains, Term, did_you_mean, fold};
use hyperplay_machine::{ByRole, JointMoves, Role, State, StateMachine, StateMachineExt as _, counted};

/// The findings on a policy file for a game.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PolicyFindings {
    /// The first impossible entry with its place: the file is not of this game.
    pub error: Option<String>,
    /// The suspicious entries, each with its place.
    pub warnings: Vec<String>,
}

/// Up to this many moves are listed in an error.
const FEW: usize = 12;

/// Checks a policy file whose roles are those of the game. At most about `most` joint moves are made to find which
/// evidence can be.
pub fn check_policy(file: &PolicyFile, game: &Game, most: usize) -> PolicyFindings {
    let check = Checking {
        game,
        roles: game.roles().iter().map(|&role| fold(&game.terms().show(role)).into_owned()).collect(),
        domains: PositionDomains::of(game.rules()),
        known: Interpreter::new(game).ok().map(|machine| Reached::of(&machine, most)),
    };
    let mut found = PolicyFindings::default();
    for ((name, steps), WrittenPolicy { moves, number, line, .. }) in file.entries() {
        let of = entry_in_words(*number, name, steps.len());
        let place = format!("{}:{line}: {of}", file.origin.path.display());
        let Some(role) = check.roles.iter().position(|role| role == name) else { continue };
        match check.entry(role, steps, moves) {
            Ok(warning) => found.warnings.extend(warning.map(|what| format!("{place}: {what}"))),
            Err(what) => {
                found.error = Some(format!("{place}: {what}"));
                return found;
            }
        }
    }
    found
}

/// The data with which entries are compared.
struct Checking<'a> {
    game: &'a Game,
    roles: Vec<String>,
    domains: PositionDomains,
    known: Option<Reached>,
}

impl Checking<'_> {
    /// What is suspicious about an entry.
    fn entry(
        &self,
        role: usize,
        steps: &[KnownStep],
        moves: &BTreeMap<String, f64>,
    ) -> Result<Option<String>, String> {
        for (index, (own, sees)) in steps.iter().enumerate() {
            let at = index + 1;
            self.refuse_move(role, own).map_err(|what| format!("in step {at} of its evidence, {what}"))?;
            if !self.game.is_imperfect() {
                continue;
            }
            if let Some(never) = sees.iter().find(|percept| !self.may_hold("sees", role, percept)) {
                let seen = self.known.iter().flat_map(|known| &known.percepts[role]).map(String::as_str);
                let meant = did_you_mean(never, seen);
                return Err(format!(
                    "in step {at} of its evidence, no rule can make it see '{never}'{meant}"
                ));
            }
        }
        moves.keys().try_for_each(|own| self.refuse_move(role, own))?;
        let Some(known) = self.known.as_ref().filter(|known| steps.len() <= known.depth) else {
            return Ok(None);
        };
        let legal = known.legal_after(role, steps)?;
        let strange: Vec<&str> =
            moves.keys().filter(|own| !legal.contains(*own)).map(String::as_str).collect();
        if legal.is_empty() {
            return Ok(Some("the match is over with this evidence, so it is never asked for".to_owned()));
        }
        let what =
            || format!("it lists {}, not legal there; legal moves: {}", strange.join(", "), joined(legal));
        Ok((!strange.is_empty()).then(what))
    }

    /// Refuses a move that is never legal for a role.
    fn refuse_move(&self, role: usize, own: &str) -> Result<(), String> {
        if self.may_hold("legal", role, own) {
            return Ok(());
        }
        let moves = self.known.iter().flat_map(|known| &known.moves[role]);
        let moves: Vec<&str> = moves.map(String::as_str).collect();
        let meant = did_you_mean(own, moves.iter().copied());
        let listed = match moves.len() {
            1..=FEW => format!("; its moves are {}", moves.join(", ")),
            _ => String::new(),
        };
        Err(format!("no rule can make the move '{own}' legal for it{meant}{listed}"))
    }

    /// Whether `(relation role term)` may hold in some state.
    fn may_hold(&self, relation: &str, role: usize, term: &str) -> bool {
        let terms = self.game.terms();
        let (Some(relation), Some(term)) = (terms.symbols().get(relation), terms.read(term)) else {
            return false;
        };
        let arguments: Vec<Term> = vec![terms.term(self.game.roles()[role]), terms.term(term)];
        self.domains.may_hold(&Atom { relation, arguments, at: At::default() })
    }
}

/// The moves, separated by commas.
fn joined(moves: &BTreeSet<String>) -> String {
    moves.iter().map(String::as_str).collect::<Vec<_>>().join(", ")
}

/// The possible knowledge of a role after some steps.
#[derive(Default)]
struct KnownNode {
    /// The possible knowledge after one more step.
    next: FxHashMap<KnownStep, usize>,
    /// Its legal moves; none if the match is over.
    legal: BTreeSet<String>,
}

/// The evidence that the histories of a game give, as far as they were followed.
struct Reached {
    /// The number of steps up to which all histories were followed.
    depth: usize,
    /// Of each role what it may know; the first node is what it knows before the first step.
    nodes: ByRole<Vec<KnownNode>>,
    /// Of each role the moves that were legal somewhere, and the percepts.
    moves: Vec<BTreeSet<String>>,
    percepts: Vec<BTreeSet<String>>,
}

impl Reached {
    /// Follows all histories until about `most` joint moves have been made.
    fn of(machine: &Interpreter, most: usize) -> Reached {
        let roles = machine.roles().len();
        let mut reached = Reached {
            depth: 0,
            nodes: ByRole::from_fn(roles, |_| vec![KnownNode::default()]),
            moves: vec![BTreeSet::new(); roles],
            percepts: vec![BTreeSet::new(); roles],
        };
        let mut scratch = machine.scratch();
        let mut level: FxHashSet<(State, Vec<usize>)> = FxHashSet::default();
        level.insert((machine.initial(), vec![0; roles]));
        let mut made = 0_u64;
        loop {
            // The legal moves belong to the depth that is known.
            let mut open = Vec::new();
            for (state, nodes) in &level {
                if machine.terminal(state, &mut scratch) {
                    continue;
                }
                let legal = machine.legal_by_role(state, &mut scratch);
                for (role, moves) in legal.iter() {
                    let shown = moves.iter().map(|own| fold(&machine.show_move(*own)).into_owned());
                    let shown: Vec<String> = shown.collect();
                    reached.moves[role.index()].extend(shown.iter().cloned());
                    reached.nodes[role][nodes[role.index()]].legal.extend(shown);
                }
                made = made.saturating_add(JointMoves::count(&legal));
                open.push((state, nodes, legal));
            }
            if machine.take_failure(&mut scratch).is_some() {
                reached.depth = reached.depth.saturating_sub(1);
                return reached;
            }
            if open.is_empty() {
                reached.depth = usize::MAX;
                return reached;
            }
            if made > most as u64 {
                return reached;
            }
            let mut next: FxHashSet<(State, Vec<usize>)> = FxHashSet::default();
            for (state, nodes, legal) in open {
                for joint in JointMoves::new(&legal) {
                    let after = machine.next(state, &joint, &mut scratch);
                    let known = (0..roles).map(Role::new).map(|role| {
                        let percepts = machine.percepts(state, &joint, role, &mut scratch);
                        let step = known_step(machine.terms(), Some(joint.of(role)), &percepts);
                        reached.percepts[role.index()].extend(step.1.iter().cloned());
                        reached.continued(role, nodes[role.index()], step)
                    });
                    let known: Vec<usize> = known.collect();
                    next.insert((after, known));
                }
            }
            if machine.take_failure(&mut scratch).is_some() {
                return reached;
            }
            level = next;
            reached.depth += 1;
        }
    }

    /// The knowledge of a role after one more step.
    fn continued(&mut self, role: Role, node: usize, step: KnownStep) -> usize {
        let nodes = &mut self.nodes[role];
        let fresh = nodes.len();
        let found = *nodes[node].next.entry(step).or_insert(fresh);
        if found == fresh {
            nodes.push(KnownNode::default());
        }
        found
    }

    /// The legal moves after some evidence, or why no match gives it.
    fn legal_after(&self, role: usize, steps: &[KnownStep]) -> Result<&BTreeSet<String>, String> {
        let nodes = &self.nodes[Role::new(role)];
        let mut node = &nodes[0];
        for (index, step) in steps.iter().enumerate() {
            let Some(&next) = node.next.get(step) else { return Err(unreached(node, index + 1, step)) };
            node = &nodes[next];
        }
        Ok(&node.legal)
    }
}

/// Why no match gives a step of some evidence.
fn unreached(node: &KnownNode, number: usize, (own, sees): &KnownStep) -> String {
    let mut steps: Vec<&KnownStep> = node.next.keys().filter(|(other, _)| other == own).collect();
    if node.legal.is_empty() {
        return format!("no match gives this evidence: it is over before step {number}");
    }
    if steps.is_empty() {
        return format!(
            "no match gives this evidence: in step {number} '{own}' is not legal; legal moves: {}",
            joined(&node.legal)
        );
    }
    steps.sort_unstable();
    let said = |(_, sees): &KnownStep| if sees.is_empty() { "nothing".to_owned() } else { sees.join(" ") };
    let shown: Vec<String> = steps.iter().take(3).map(|step| said(step)).collect();
    let more = match steps.len().saturating_sub(3) {
        0 => String::new(),
        more => format!(" or {} more", counted(more as u64, "set")),
    };
    format!(
        "no match gives this evidence: in step {number} the role does not see {} after '{own}'; it sees {}{more}",
        said(&(own.clone(), sees.clone())),
        shown.join(" or ")
    )
}
