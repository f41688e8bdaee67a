//! The explanation of a decision: its reasons in sentences, for a reader who follows the match.

use super::{Decision, HeldBelief, Reason};
use hyperplay_engine::Engine;
use hyperplay_machine::{Move, State, StateMachine as _, counted};
use hyperplay_think::belief::UpdateMethod;
use hyperplay_think::search::Method;
use hyperplay_think::solve::{Alternative, Subgame};

/// Alternatives that are shown.
const SHOWN: usize = 6;

impl Decision {
    /// The reasons in sentences, for a reader who follows the match. `machine` plays the game of the decision.
    pub fn explain(&self, machine: &Engine) -> Vec<String> {
        self.reasons.iter().flat_map(|reason| self.sentences(reason, machine)).collect()
    }

    /// One reason in sentences.
    fn sentences(&self, reason: &Reason, machine: &Engine) -> Vec<String> {
        let game = machine.game();
        vec![match reason {
            Reason::ModelExcluded => {
                "the opponent model excludes what was seen: the other roles are taken to choose uniformly"
                    .to_owned()
            }
            Reason::Recovered { since } => {
                format!("the belief has recovered: it was depleted from step {since} on")
            }
            Reason::Depleted { step } => {
                format!("depleted: no history was found that explains step {step}")
            }
            Reason::Inconsistent { step } => {
                format!("inconsistent: no history of these rules explains step {step}")
            }
            Reason::Held { visited, likeliest } => {
                return self.held.map_or_else(Vec::new, |held| belief(machine, &held, *visited, likeliest));
            }
            Reason::Forced => format!("no choice: {}", game.show(self.choice.0)),
            Reason::Replaced(replacement) => replacement.to_string(),
            Reason::Judged(counts) => methods(counts),
            Reason::Simulated { simulations, before, playouts, information_sets, worlds } => format!(
                "{simulations} simulations, {playouts} with a playout, in a tree of {information_sets} information sets \
                 and {worlds} states; {before} had come by before"
            ),
            Reason::Solved { nodes, iterations, subgame, alternatives } => {
                return solved(machine, (*nodes, *iterations), subgame, alternatives);
            }
            Reason::Compared { votes } => return self.compared(machine, votes),
            Reason::Mixed => {
                let share =
                    |&(own, share): &(Move, f64)| format!("{} {:.1} %", game.show(own.0), 100.0 * share);
                let shares: Vec<String> = self.policy.iter().map(share).collect();
                format!("mix: {}", shares.join(", "))
            }
            Reason::Failed => {
                let failure = self.failure.as_ref().map(|failure| failure.to_string()).unwrap_or_default();
                format!("an evaluation of the rules failed: {failure}")
            }
            Reason::Random => "a legal move at random".to_owned(),
            Reason::Said(words) => words.clone().into_owned(),
        }]
    }

    /// The moves of the policy, one a line: value, move, share of the votes, share of the policy.
    fn compared(&self, machine: &Engine, votes: &[f64]) -> Vec<String> {
        let line = |(place, &(own, share)): (usize, &(Move, f64))| {
            let value = self.values.iter().find(|(of, _)| *of == own);
            let value = value.map_or("?".to_owned(), |(_, value)| format!("{value:.3}"));
            let votes = votes.get(place).map_or(String::new(), |votes| format!("  {votes:.3} of the votes"));
            let share = if share > 0.0 { format!("  chosen with {share:.3}") } else { String::new() };
            format!("{value:>8}  {}{votes}{share}", machine.game().show(own.0))
        };
        self.policy.iter().enumerate().map(line).collect()
    }
}

/// A sub-game that was solved, and what the others had before and have in it.
fn solved(
    machine: &Engine,
    (nodes, iterations): (usize, u64),
    subgame: &Subgame,
    alternatives: &[Alternative],
) -> Vec<String> {
    let Subgame { roots, own, kept, share, stays, follows } = *subgame;
    let tree = format!("{iterations} iterations on a tree of {nodes} nodes");
    let roots = format!(
        "{roots} roots, {own} of them held possible; {kept} roots and {:.0} % of the nodes were there before",
        100.0 * share
    );
    let alternatives = alternatives.iter().take(SHOWN).map(|of| {
        let name = &machine.roles()[of.role];
        format!("  {name} had {:.1} with some evidence, and has {:.1}", of.before, of.now)
    });
    let played = match follows {
        true => "the blueprint is played: what follows was not solved",
        false => "the policies of the last solve stay: the new ones are no better",
    };
    let played = (follows || stays).then(|| played.to_owned());
    [tree, roots].into_iter().chain(played).chain(alternatives).collect()
}

/// The belief: how many histories and states, how they were found at which cost, and the likeliest states by the fluents
/// in which they differ.
fn belief(machine: &Engine, held: &HeldBelief, visited: u64, likeliest: &[(State, f64)]) -> Vec<String> {
    let effective = held.effective;
    let mut lines = vec![format!(
        "{} ({}) in {}, effective sample size {effective:.1}; {} visited in the update",
        counted(held.particles as u64, "particle"),
        source(held),
        counted(held.states as u64, "state"),
        counted(visited, "state"),
    )];
    if held.states == 1 {
        return lines;
    }
    let (game, terms) = (machine.game(), machine.terms());
    let fluents = likeliest.iter().map(|(state, _)| {
        let mut held = machine.holds(state);
        held.sort_by(|&a, &b| terms.compare(a, b));
        held.into_iter().map(|fluent| game.show(fluent)).collect()
    });
    let fluents: Vec<Vec<String>> = fluents.collect();
    for ((_, weight), held) in likeliest.iter().zip(&fluents) {
        let in_all = |fluent: &String| fluents.iter().all(|other| other.contains(fluent));
        let own: Vec<&str> = held.iter().filter(|fluent| !in_all(fluent)).map(String::as_str).collect();
        lines.push(format!("{:6.1} %  {}", 100.0 * weight, own.join(" ")));
    }
    if held.states > likeliest.len() {
        lines.push(format!("  ... and {} more", held.states - likeliest.len()));
    }
    lines
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

/// How the states were judged, as a sentence.
fn methods(counts: &[(Method, Method, usize)]) -> String {
    let part = |&(least, most, count): &(Method, Method, usize)| {
        let more = if least == most { "" } else { " or more" };
        format!("{} {least}{more}", counted(count as u64, "state"))
    };
    counts.iter().map(part).collect::<Vec<String>>().join("; ")
}
