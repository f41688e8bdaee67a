//! The facts of each state that a viewer may see: rules for the relation `sees_xml`, as the Dresden GameController has
//! them.
//!
//! `(sees_xml ROLE TERM)` says that a viewer who watches the match as ROLE may be shown TERM in a state; a viewer who
//! watches as `random` may usually be shown all. The rules stand in a file of their own and use the relations of the
//! game. Where a game comes without such rules, `random` is shown every fact and every other role too
//! ([`SightRules::DEFAULT`]).
//!
//! The rules are evaluated as rules for `legal` of another game, whose states are those of the match: `legal` gets
//! another name there, and `sees_xml` gets its name. So every engine that evaluates legal moves evaluates them, without
//! a code path of their own.

use serde_json::{Value, json};
use thiserror::Error;

use crate::protocol::{game_line, pieces, replace_words};
use hyperplay_engine::{Engine, EngineKind, Engines};
use hyperplay_logic::gdl::{Game, Severity, Source, Syntax, load, render};
use hyperplay_machine::{JointMove, Move, StateMachine as _, StateMachineExt as _};
use hyperplay_play::referee::Match;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The relation that the rules define.
const SEES: &str = "sees_xml";

/// The name that `legal` of the game has beside them.
const LEGAL: &str = "legal_in_the_game";

/// A term that every role is made to see, because a game in which a role has no legal move is refused. It is left out.
const NOTHING: &str = "nothing_to_be_seen";

/// Rules for what a viewer may see, ready to be evaluated.
#[derive(Debug)]
pub struct SightRules {
    viewing: Arc<Engine>,
}

/// Why there are no such rules.
#[derive(Debug, Error)]
#[error("{what}")]
pub struct SightError {
    what: String,
    /// The remedy.
    pub remedy: &'static str,
}

impl SightRules {
    /// The rules that the Dresden GameController takes where a game has none.
    pub const DEFAULT: &str =
        "(<= (sees_xml random ?t) (true ?t)) (<= (sees_xml ?r ?t) (role ?r) (distinct ?r random) (true ?t))";

    /// Reads rules in prefix form for a game.
    ///
    /// # Errors
    /// See [`SightError`].
    pub fn new(game: &Game, rules: &str) -> Result<SightRules, SightError> {
        if !pieces(rules).any(|word| word.eq_ignore_ascii_case(SEES)) {
            return Err(SightError {
                what: "there is no rule for sees_xml".to_owned(),
                remedy: "write rules such as (<= (sees_xml random ?t) (true ?t))",
            });
        }
        // A viewer who watches as `random` sees something also of a game that has no such role.
        let random = if game.random().is_some() { "" } else { "(role random) " };
        let always = format!("(<= (legal ?role {NOTHING}) (role ?role))");
        let text = format!("{}\n{always}", renamed(&format!("{random}{}\n{rules}", game_line(game))));
        let loaded = load(Source::new("the game with the rules for sees_xml", text), Some(Syntax::Kif));
        let Some(viewing) = loaded.game else {
            let mut errors = loaded.findings;
            errors.retain(|finding| finding.severity == Severity::Error);
            let errors = render(&errors, &loaded.rulesheet.source, false);
            return Err(SightError {
                what: format!("the rules for sees_xml do not go together with the game:\n{errors}"),
                remedy: "correct the rules; they may use the relations of the game",
            });
        };
        let viewing = Engines::new(&viewing).get(EngineKind::Interpreter).map_err(|error| SightError {
            what: error.to_string(),
            remedy: "look for a recursion that builds ever new terms",
        })?;
        Ok(SightRules { viewing })
    }

    /// The terms that the viewers may see of a match that was played on `machine`: a JSON object with its `match_id`, and in
    /// `states` for each state, the initial one first, the terms that may be shown, by role. O(steps × rules).
    pub fn of(&self, machine: &Engine, match_id: &str, played: &Match) -> Value {
        let viewing = &*self.viewing;
        let mut scratch = viewing.scratch();
        let mut state = viewing.initial();
        let mut states: Vec<BTreeMap<String, Vec<String>>> = Vec::with_capacity(played.steps.len() + 1);
        let seen = |state: &hyperplay_machine::State, scratch: &mut hyperplay_engine::EngineScratch| {
            let by_role = viewing.legal_by_role(state, scratch);
            by_role
                .iter()
                .map(|(role, terms)| {
                    let terms = terms.iter().map(|&term| viewing.show_move(term));
                    let terms = terms.filter(|term| term != NOTHING).collect();
                    (viewing.roles()[role].clone(), terms)
                })
                .collect()
        };
        states.push(seen(&state, &mut scratch));
        for step in &played.steps {
            // The game beside has the roles and the terms of the game under the same names.
            let of_role = |name: &String| {
                let role = machine.role_named(name)?;
                viewing.terms().read(&machine.show_move(step.joint.of(role))).map(Move)
            };
            let idle = viewing.terms().read("random").map(Move);
            let joint = viewing.roles().values().iter().map(|name| of_role(name).or(idle));
            let Some(joint) = joint.collect::<Option<Vec<Move>>>() else { break };
            state = viewing.next(&state, &JointMove::new(joint), &mut scratch);
            states.push(seen(&state, &mut scratch));
        }
        json!({ "schema": "hyperplay.sight/1", "match_id": match_id, "states": states })
    }
}

/// The text with `legal` and `sees_xml` renamed, without comments.
fn renamed(text: &str) -> String {
    let other = |word: &str| match word {
        _ if word.eq_ignore_ascii_case("legal") => LEGAL.to_owned(),
        _ if word.eq_ignore_ascii_case(SEES) => "legal".to_owned(),
        _ => word.to_owned(),
    };
    replace_words(text, |word| Some(other(word))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_machine::{ByRole, Seed};
    use hyperplay_play::player::{LegalPlayer, Seat};
    use hyperplay_play::referee::{Interrupt, Settings, play_match};

    const HIDING: &str = "(role me) (role random) (init start)
        (<= (legal random (hide ?x)) (true start) (box ?x)) (<= (legal random noop) (not (true start)))
        (legal me noop) (box 1) (box 2)
        (<= (next (hidden ?x)) (does random (hide ?x))) (<= (next (hidden ?x)) (true (hidden ?x)))
        (<= (next second) (true start)) (<= (next third) (true second))
        (<= terminal (true third)) (goal me 100) (goal random 0)";

    #[test]
    fn a_viewer_is_shown_what_the_rules_say_in_every_state() {
        let game = load(Source::new("hiding", HIDING), None).game.unwrap();
        let rules = "; random sees all
            (<= (sees_xml random ?t) (true ?t))
            (<= (SEES_XML me ?t) (true ?t) (distinct ?t (hidden 1)) (distinct ?t (hidden 2)))
            (<= (sees_xml me may_wait) (legal me noop))";
        let rules = SightRules::new(&game, rules).unwrap();
        let machine = Engines::new(&game).get(EngineKind::Auto).unwrap();
        let seats = ByRole::new(vec![Some(Seat::player(LegalPlayer)), None]);
        let (settings, interrupt) = (Settings::default(), Interrupt::default());
        let played = play_match(&*machine, seats, &settings, &Seed::root(1), &interrupt, |_| ()).unwrap();
        let sighted = &rules.of(&machine, "m", &played)["states"];
        assert_eq!(sighted.as_array().unwrap().len(), 3);
        assert_eq!(sighted[0]["me"], json!(["may_wait", "start"]));
        assert_eq!(sighted[1]["me"], json!(["may_wait", "second"]));
        assert_eq!(sighted[2]["me"], json!(["may_wait", "third"]));
        let hidden = machine.show_move(played.steps[0].joint.of(machine.role_named("random").unwrap()));
        let hidden = hidden.replace("hide", "hidden");
        assert_eq!(sighted[2]["random"], json!(["third", hidden]));
    }

    #[test]
    fn a_game_without_random_has_such_a_viewer_too_and_wrong_rules_are_refused() {
        let game = load(
            Source::new("t", "(role x) (init a) (legal x go) (<= terminal (not (true a))) (goal x 1)"),
            None,
        );
        let game = game.game.unwrap();
        assert!(SightRules::new(&game, SightRules::DEFAULT).is_ok());
        let missing = SightRules::new(&game, "(p a)").unwrap_err().to_string();
        assert_eq!(missing, "there is no rule for sees_xml");
        let wrong = SightRules::new(&game, "(<= (sees_xml x ?t) (not (true ?t)))").unwrap_err().to_string();
        assert!(wrong.contains("unsafe"), "{wrong}");
    }
}
