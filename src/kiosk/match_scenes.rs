//! The scenes that the tokens of a table are told in the course of a match, kept on the thread of the match.
//!
//! Invariant: the state goes into the scene of spectators of the truth only; each role has its [`RoleScenes`], which is
//! given its own move and percepts.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::advice::{AskedMix, mixes};
use super::parts::Sight;
use super::role_scenes::{NotedStep, RoleScenes, picture_of};
use super::room::GameRoom;
use super::scene::{PastStep, SightScene};
use super::table::Table;
use hyperplay_engine::Engine;
use hyperplay_machine::{Role, State, StateMachine as _};
use hyperplay_play::referee::MatchStep;

/// The scenes that the tokens of a table are told.
pub(super) struct MatchScenes {
    roles: Vec<RoleScenes>,
    sees_truth: bool,
    /// The state now.
    pub(super) state: State,
    /// Whether it ends the match.
    pub(super) is_over: bool,
    /// The states from the first to now.
    pub(super) states: Vec<State>,
    /// The steps so far.
    pub(super) steps: Vec<NotedStep>,
    /// Questions to the equilibrium.
    mixes: Sender<AskedMix>,
    persons: Vec<Role>,
    room: Arc<GameRoom>,
    engine: Arc<Engine>,
}

impl MatchScenes {
    /// Before the first step.
    pub(super) fn new(table: &Arc<Table>, engine: &Arc<Engine>) -> MatchScenes {
        let parts = &table.parts;
        let sights: BTreeSet<Sight> = parts.tokens.iter().map(|token| token.sight).collect();
        let told = |sight: &Sight| match sight {
            Sight::Role(role) => Some(RoleScenes::new(&parts.room, engine, *role, &parts.sampler)),
            Sight::Truth => None,
        };
        let state = engine.initial();
        MatchScenes {
            roles: sights.iter().filter_map(told).collect(),
            sees_truth: sights.contains(&Sight::Truth),
            is_over: engine.terminal(&state, &mut engine.scratch()),
            states: vec![state.clone()],
            state,
            steps: Vec::new(),
            mixes: mixes(Arc::downgrade(table), engine, &parts.equilibrium),
            persons: table.persons().collect(),
            room: Arc::clone(&parts.room),
            engine: Arc::clone(engine),
        }
    }

    /// Takes in a step.
    pub(super) fn step(&mut self, engine: &Engine, step: &MatchStep, notes: BTreeMap<Role, String>) {
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
                // The answering thread has ended where nobody hears it any more.
                let _ =
                    self.mixes.send(AskedMix { evidence: told.evidence.clone(), legal: legal.clone(), own });
            }
            told.step(own, &step.percepts[role], notes.get(&role).cloned(), self.is_over);
        }
        self.steps.push(NotedStep { step: step.clone(), notes });
    }

    /// The scene that each sight is told now.
    pub(super) fn scenes(&self) -> BTreeMap<Sight, SightScene> {
        let of_role = |told: &RoleScenes| (Sight::Role(told.evidence.role), told.scene());
        let mut scenes: BTreeMap<Sight, SightScene> = self.roles.iter().map(of_role).collect();
        if self.sees_truth {
            let before = self.states.len().checked_sub(2).map(|before| &self.states[before]);
            let picture = Some(picture_of(&self.room, &self.engine, &self.state, before));
            let past = self.steps.iter().enumerate();
            let past = past.map(|(at, told)| PastStep { note: None, ..told.in_truth(&self.engine, at) });
            let scene = SightScene { past: past.collect(), picture, ..SightScene::default() };
            scenes.insert(Sight::Truth, scene);
        }
        scenes
    }
}
