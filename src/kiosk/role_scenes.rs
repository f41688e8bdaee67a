//! The scenes that one role, or a spectator who sees all, is told of a match: evidence in, pictures and beliefs out.
//!
//! Invariant: the scene that [`RoleScenes`] shows is a function of the rules, the role and its evidence. It is given
//! neither the state nor the seed of the table, and its belief has a budget in nodes, so that two matches that the role
//! cannot tell apart show the same bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::room::GameRoom;
use super::scene::{PastStep, SceneBelief, Shares, SightScene};
use hyperplay_engine::{Engine, EngineKind};
use hyperplay_machine::{
    Budget, Evidence, Move, Observation, OwnMove, Percepts, Role, Seed, State, StateMachine as _,
    StateMachineExt as _,
};
use hyperplay_play::player::{Companion, SamplerSpec, is_certain};
use hyperplay_play::referee::MatchStep;
use hyperplay_view::BoardPicture;

/// Histories that the belief beside a person holds where there are too many to be enumerated.
const PARTICLES: usize = 300;

/// States that it may visit for a step, on a network and on the interpreter: a second or two at most.
const NODES: u64 = 200_000;
const NODES_OF_RULES: u64 = 6_000;

/// The scenes that a role is told.
pub(super) struct RoleScenes {
    room: Arc<GameRoom>,
    engine: Arc<Engine>,
    companion: Companion,
    /// All that it knows.
    pub(super) evidence: Evidence,
    /// Its past in words.
    pub(super) past: Vec<PastStep>,
    /// The states that it holds possible, and those that it held possible one step before.
    shares: Option<Shares>,
    before: Option<Shares>,
}

impl RoleScenes {
    /// Before the first step.
    pub(super) fn new(room: &Arc<GameRoom>, engine: &Arc<Engine>, role: Role, sampler: &SamplerSpec) -> Self {
        let mut told = Self {
            room: Arc::clone(room),
            engine: Arc::clone(engine),
            companion: Companion::new(engine, role, sampler, PARTICLES),
            evidence: Evidence::new(role),
            past: Vec::new(),
            shares: None,
            before: None,
        };
        told.follow();
        told
    }

    fn follow(&mut self) {
        let is_by_rules = self.engine.kind() == EngineKind::Interpreter;
        let budget = Budget::nodes(if is_by_rules { NODES_OF_RULES } else { NODES });
        // The same in every match.
        let seed = Seed::root(0).child("companion").child(&self.engine.roles()[self.evidence.role]);
        self.companion.follow(&self.evidence, &budget, &seed.index(self.evidence.step()));
        self.before = std::mem::replace(&mut self.shares, self.companion.facts());
    }

    /// A step was made: the own move, what was perceived, why the move was not the person's, and whether the match is
    /// over, which a role is told as well.
    pub(super) fn step(&mut self, own: Move, percepts: &Percepts, note: Option<String>, is_over: bool) {
        self.evidence.steps.push(Observation { own: OwnMove::Known(own), percepts: percepts.clone() });
        self.evidence.over = is_over;
        let percepts = percepts.iter().map(|seen| self.room.game.show(seen.0)).collect();
        let own = self.engine.show_move(own);
        self.past.push(PastStep { step: self.evidence.step(), own, percepts, note });
        self.follow();
    }

    /// All that it is told now.
    pub(super) fn scene(&self) -> SightScene {
        SightScene {
            evidence: Some(self.evidence.clone()),
            past: self.past.clone(),
            picture: self.picture(),
            belief: Some(self.belief()),
        }
    }

    /// The picture of what is certain.
    pub(super) fn picture(&self) -> Option<BoardPicture> {
        let certain = |shares: &Shares| -> Shares {
            shares.iter().filter(|(_, share)| is_certain(*share)).copied().collect()
        };
        let before = self.before.as_ref().map(certain);
        self.shares.as_ref().map(|shares| self.room.picture(&certain(shares), before.as_deref()))
    }

    /// The belief.
    pub(super) fn belief(&self) -> SceneBelief {
        SceneBelief::of(&self.room, &self.companion, self.before.as_deref())
    }
}

/// The picture of a state, with what has changed since another one.
pub(super) fn picture_of(
    room: &GameRoom,
    engine: &Engine,
    state: &State,
    before: Option<&State>,
) -> BoardPicture {
    let facts =
        |state: &State| -> Shares { engine.holds(state).into_iter().map(|fact| (fact, 1.0)).collect() };
    room.picture(&facts(state), before.map(facts).as_deref())
}

/// A step, and why moves of it were not chosen by those who have the seats.
pub(super) struct NotedStep {
    pub(super) step: MatchStep,
    pub(super) notes: BTreeMap<Role, String>,
}

impl NotedStep {
    /// The step after `made` others, as those know it who see all.
    pub(super) fn in_truth(&self, engine: &Engine, made: usize) -> PastStep {
        let name = |role: Role| &engine.roles()[role];
        let moves = engine.each_role().zip(self.step.joint.iter());
        let moves = moves.map(|(role, &own)| format!("{}: {}", name(role), engine.show_move(own)));
        let notes = self.notes.iter().map(|(&role, note)| format!("{}: {note}", name(role)));
        PastStep {
            step: made + 1,
            own: moves.collect::<Vec<_>>().join(", "),
            percepts: Vec::new(),
            note: (!self.notes.is_empty()).then(|| notes.collect::<Vec<_>>().join("; ")),
        }
    }
}
