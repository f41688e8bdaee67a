//! Knowledge: the belief beside a person, and how it is drawn.
//!
//! The belief is that of the player `hyperplay`: histories that explain the evidence of the role, with weights. A fact
//! that holds in the states of all of them is drawn as known, and so is a state that is the only one; a fact that holds
//! in some of them is drawn as open, and `belief` says with which probability it holds. Where the histories are a
//! sample and not the whole information set, that is said.

use std::fmt::Write as _;
use std::sync::Arc;

use hyperplay_engine::Engine;
use hyperplay_logic::gdl::TermId;
use hyperplay_machine::{Role, State, counted};
use hyperplay_play::player::{Companion, SamplerSpec, is_certain};
use hyperplay_view::BoardLayout;

/// States that are listed with their probabilities.
const STATES: usize = 6;

/// The knowledge and belief of a role in one match.
pub struct SeatKnowledge {
    layout: BoardLayout,
    /// The belief beside the person.
    pub companion: Companion,
}

impl SeatKnowledge {
    /// Before the first step of a match.
    pub fn new(engine: &Arc<Engine>, role: Role, sampler: &SamplerSpec, particles: usize) -> Self {
        let layout = BoardLayout::of(engine.game());
        SeatKnowledge { layout, companion: Companion::new(engine, role, sampler, particles) }
    }

    /// The knowledge of the role about the state, drawn: certain facts, and marks where more than one thing is
    /// possible.
    pub fn board(&self) -> String {
        let Some(facts) = self.companion.facts() else { return self.nothing() };
        let certain: Vec<TermId> =
            facts.iter().filter(|(_, share)| is_certain(*share)).map(|&(fact, _)| fact).collect();
        let is_sure = certain.len() == facts.len();
        let drawn = if is_sure { self.layout.draw(&certain) } else { self.layout.draw_known(&facts) };
        match self.companion.is_enumerated() {
            true => drawn,
            // The facts on which a sample agrees may still be otherwise.
            false => format!(
                "{drawn}this is what {} have in common; others may be possible\n",
                self.companion.histories()
            ),
        }
    }

    /// The possible facts, with their probabilities: a sentence on the histories, the facts that are open, the
    /// likeliest states.
    pub fn belief(&self) -> String {
        let Some(facts) = self.companion.facts() else { return self.nothing() };
        let states = self.companion.states();
        let mut text =
            format!("{}, in {}\n", self.companion.histories(), counted(states.len() as u64, "state"));
        text += &self.layout.draw_belief(&facts);
        text += &self.likeliest(&states, &facts);
        text
    }

    /// The likeliest states by what is open in them; nothing where a state is told by one fact, whose probability is
    /// shown.
    fn likeliest(&self, states: &[(State, f64)], facts: &[(TermId, f64)]) -> String {
        let listed = self.companion.likeliest(states, facts, STATES);
        if listed.iter().all(|(own, _)| own.len() == 1) {
            return String::new();
        }
        let mut text = String::new();
        for (own, share) in listed.iter().filter(|_| states.len() > 1) {
            let own: Vec<String> = own.iter().map(|&fact| shown(&self.companion.engine, fact)).collect();
            let _ = writeln!(text, "{:6.1} %  {}", 100.0 * share, own.join(" "));
        }
        match states.len() {
            0 | 1 => text,
            few if few <= STATES => format!("the states, by what is open:\n{text}"),
            many => {
                format!("the likeliest states, by what is open:\n{text}  ... and {} more\n", many - STATES)
            }
        }
    }

    fn nothing(&self) -> String {
        match self.companion.is_contradicted() {
            true => {
                "no history of these rules, with these opponents, explains what you have seen\n".to_owned()
            }
            false => {
                "no history was found that explains what you have seen; there is nothing to draw\n".to_owned()
            }
        }
    }
}

/// A term in the syntax of the rulesheet.
pub fn shown(engine: &Engine, term: TermId) -> String {
    engine.game().show(term)
}
