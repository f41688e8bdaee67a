//! What the tokens of a table are told, kept on the thread of its match: each sight once, however many look.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::Sender;

use super::advice::{AskedMix, mixes};
use super::room::GameRoom;
use super::scene::PastStep;
use super::table::{Sight, SightScene, Table};
use super::told::{ToldRole, picture_of};
use hyperplay_engine::machine::{Role, StateMachine as _, StateMachineExt as _};
use hyperplay_engine::{Engine, State};
use hyperplay_play::referee::{Match, MatchOutcome, MatchStep};

/// What the tokens of a table are told, kept on the thread of the match.
pub(super) struct Telling {
    roles: Vec<ToldRole>,
    sees_truth: bool,
    pub(super) state: State,
    pub(super) states: Vec<State>,
    past: Vec<PastStep>,
    /// Questions to the equilibrium, if a person may be told of it.
    mixes: Sender<AskedMix>,
    persons: Vec<Role>,
    room: Arc<GameRoom>,
    engine: Arc<Engine>,
}

impl Telling {
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
            states: vec![state.clone()],
            state,
            past: Vec::new(),
            mixes: mixes(Arc::downgrade(table), engine, &parts.equilibrium),
            persons: table.persons().collect(),
            room: Arc::clone(&parts.room),
            engine: Arc::clone(engine),
        }
    }

    /// Takes in a step.
    pub(super) fn step(&mut self, engine: &Engine, step: &MatchStep, notes: &BTreeMap<Role, String>) {
        let mut scratch = engine.scratch();
        self.state = engine.next(&self.state, &step.joint, &mut scratch);
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
            told.step(own, &step.percepts[role], notes.get(&role).cloned());
        }
        let each = engine
            .each_role()
            .map(|role| format!("{}: {}", engine.roles()[role], engine.show_move(step.joint.of(role))));
        let own = each.collect::<Vec<_>>().join(", ");
        self.past.push(PastStep { step: self.past.len() + 1, own, percepts: Vec::new(), note: None });
    }

    /// The match is over: what is told at its end.
    pub(super) fn end(&mut self, played: &Match) -> BTreeMap<Sight, SightScene> {
        if matches!(played.outcome, MatchOutcome::Over(_)) {
            self.roles.iter_mut().for_each(ToldRole::end);
        }
        self.scenes()
    }

    /// Lays what is told where it is sent from; what was asked before is asked no longer.
    pub(super) fn tell(&self, table: &Table) {
        let scenes = self.scenes();
        let mut shared = table.shared();
        shared.scenes = scenes;
        shared.step = self.states.len() - 1;
        shared.questions.clear();
        shared.chosen.clear();
    }

    /// What is told now, by sight.
    fn scenes(&self) -> BTreeMap<Sight, SightScene> {
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
