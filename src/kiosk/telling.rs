//! What the tokens of a table are told in the course of a match, kept on the thread of the match.
//!
//! Invariant: the state goes into the scene of spectators of the truth only; each role has its [`ToldRole`], which is given its own move and percepts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::advice::{AskedMix, mixes};
use super::parts::Sight;
use super::room::GameRoom;
use super::scene::PastStep;
use super::table::{SightScene, Table};
use super::told::{ToldRole, picture_of};
use hyperplay_engine::Engine;
use hyperplay_machine::{Role, State, StateMachine as _, StateMachineExt as _};
use hyperplay_play::referee::MatchStep;

/// What the tokens of a table are told.
pub(super) struct Telling {
    roles: Vec<ToldRole>,
    sees_truth: bool,
    /// The state now.
    pub(super) state: State,
    /// Whether it ends the match.
    pub(super) is_over: bool,
    /// The states from the first to now.
    pub(super) states: Vec<State>,
    past: Vec<PastStep>,
    /// Questions to the equilibrium.
    mixes: Sender<AskedMix>,
    persons: Vec<Role>,
    room: Arc<GameRoom>,
    engine: Arc<Engine>,
}

impl Telling {
    /// Before the first step.
    pub(super) fn new(table: &Arc<Table>, engine: &Arc<Engine>) -> Telling {
        let parts = &table.parts;
        let sights: BTreeSet<Sight> = parts.tokens.iter().map(|token| token.sight).collect();
        let told = |sight: &Sight| match sight {
            Sight::Role(role) => Some(ToldRole::new(&parts.room, engine, *role, &parts.sampler)),
            Sight::Truth => None,
        };
        let state = engine.initial();
        Telling {
            roles: sights.iter().filter_map(told).collect(),
            sees_truth: sights.contains(&Sight::Truth),
            is_over: engine.terminal(&state, &mut engine.scratch()),
            states: vec![state.clone()],
            state,
            past: Vec::new(),
            mixes: mixes(Arc::downgrade(table), engine, &parts.equilibrium),
            persons: table.persons().collect(),
            room: Arc::clone(&parts.room),
            engine: Arc::clone(engine),
        }
    }

    /// The number of joint moves so far.
    pub(super) fn step_number(&self) -> usize {
        self.states.len() - 1
    }

    /// Takes in a step.
    pub(super) fn step(&mut self, engine: &Engine, step: &MatchStep, notes: &BTreeMap<Role, String>) {
        let mut scratch = engine.scratch();
        self.state = engine.next(&self.state, &step.joint, &mut scratch);
        self.is_over = engine.terminal(&self.state, &mut scratch);
        let _ = engine.take_failure(&mut scratch);
        self.states.push(self.state.clone());
        for told in &mut self.roles {
            let role = told.evidence.role;
            let own = step.joint.of(role);
            let legal = &step.legal[role];
            if self.persons.contains(&role) && legal.len() > 1 {
                // Whoever answers has ended where nobody hears it any more.
                let _ =
                    self.mixes.send(AskedMix { evidence: told.evidence.clone(), legal: legal.clone(), own });
            }
            told.step(own, &step.percepts[role], notes.get(&role).cloned(), self.is_over);
        }
        let each = engine
            .each_role()
            .map(|role| format!("{}: {}", engine.roles()[role], engine.show_move(step.joint.of(role))));
        let own = each.collect::<Vec<_>>().join(", ");
        self.past.push(PastStep { step: self.past.len() + 1, own, percepts: Vec::new(), note: None });
    }

    /// What each sight is told now.
    pub(super) fn scenes(&self) -> BTreeMap<Sight, SightScene> {
        let mut scenes: BTreeMap<Sight, SightScene> = BTreeMap::new();
        for told in &self.roles {
            let scene = SightScene {
                evidence: Some(told.evidence.clone()),
                past: told.past.clone(),
                picture: told.picture(),
                belief: Some(told.belief()),
            };
            scenes.insert(Sight::Role(told.evidence.role), scene);
        }
        if self.sees_truth {
            let before = self.states.len().checked_sub(2).map(|before| &self.states[before]);
            let picture = Some(picture_of(&self.room, &self.engine, &self.state, before));
            scenes.insert(
                Sight::Truth,
                SightScene { evidence: None, past: self.past.clone(), picture, belief: None },
            );
        }
        scenes
    }
}
