//! Matches that are over: every step as it was, as a role knew it, and why the programs moved as they did.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;

use super::answers::KioskRefusal;
use super::room::GameRoom;
use super::scene::{
    PastStep, Phase, Scene, SceneBelief, SceneDecision, SceneGame, SceneGoal, SceneResult, SceneReview,
    SceneSeat,
};
use super::told::{FollowedBelief, picture_of};
use hyperplay_engine::Engine;
use hyperplay_machine::{
    Evidence, JointMove, Move, Observation, OwnMove, Percepts, Role, State, StateMachine as _,
    StateMachineExt as _,
};
use hyperplay_play::player::{Decision, SamplerSpec};
use hyperplay_play::referee::{DecisionRecord, MatchStep, Transcript, verify};

/// Replays that are remembered.
const REPLAYS: usize = 32;

/// The name of the sight of those who see all.
pub(super) const TRUTH: &str = "truth";

/// One step of a match that is over.
pub(super) struct PastMove {
    pub(super) joint: JointMove,
    pub(super) percepts: Vec<Percepts>,
    /// What the programs said.
    pub(super) decisions: Vec<Option<Decision>>,
    /// Which roles' moves were replaced, and why.
    pub(super) notes: BTreeMap<Role, String>,
}

impl PastMove {
    /// A step of a match that is being played.
    pub(super) fn of(step: &MatchStep, notes: BTreeMap<Role, String>) -> PastMove {
        PastMove {
            joint: step.joint.clone(),
            percepts: step.percepts.values().to_vec(),
            decisions: step.decisions.values().to_vec(),
            notes,
        }
    }
}

/// A match that is over.
pub(super) struct PastMatch {
    pub(super) id: String,
    pub(super) room: Arc<GameRoom>,
    pub(super) engine: Arc<Engine>,
    pub(super) sampler: SamplerSpec,
    /// The states from the first to the last.
    pub(super) states: Vec<State>,
    pub(super) moves: Vec<PastMove>,
    pub(super) seats: Vec<SceneSeat>,
    pub(super) result: SceneResult,
    /// Beliefs by role, as far as they have been asked for.
    pub(super) beliefs: Mutex<BTreeMap<Role, Arc<Mutex<FollowedBelief>>>>,
}

impl PastMatch {
    /// The number of joint moves.
    pub(super) fn steps(&self) -> usize {
        self.moves.len()
    }

    /// What a role knew after so many steps.
    fn evidence(&self, role: Role, step: usize) -> Evidence {
        let mut evidence = Evidence::new(role);
        evidence.steps = self.moves[..step]
            .iter()
            .map(|made| Observation {
                own: OwnMove::Known(made.joint.of(role)),
                percepts: made.percepts[role.index()].clone(),
            })
            .collect();
        evidence.over = step == self.steps() && self.result.outcome == "over";
        evidence
    }

    /// What a role believed after so many steps. The steps before are followed once; whoever asks for another role does not wait.
    fn belief(&self, role: Role, step: usize) -> SceneBelief {
        let followed = {
            let mut beliefs = self.beliefs.lock().unwrap_or_else(PoisonError::into_inner);
            let new = || Arc::new(Mutex::new(FollowedBelief::new(&self.engine, role, &self.sampler)));
            Arc::clone(beliefs.entry(role).or_insert_with(new))
        };
        let mut followed = followed.lock().unwrap_or_else(PoisonError::into_inner);
        let known = followed.steps();
        for at in known..=step {
            followed.follow(&self.room, &self.evidence(role, at));
        }
        followed.at(step)
    }

    /// The scene after so many steps, as all of it was or as a role knew it.
    ///
    /// # Errors
    /// If there is no such step or role.
    pub(super) fn scene(&self, step: usize, seen_by: &str) -> Result<Scene, KioskRefusal> {
        if step > self.steps() {
            let error = format!("the match has {} steps", self.steps());
            return Err(KioskRefusal::new(400, error, "ask for a step from 0 to that number"));
        }
        let engine = &self.engine;
        let role = match seen_by {
            TRUTH => None,
            name => Some(engine.role_named(name).ok_or_else(|| {
                KioskRefusal::new(
                    400,
                    format!("there is no role '{name:.60}'"),
                    "take 'truth' or a role of the game",
                )
            })?),
        };
        let (picture, belief) = match role {
            None => {
                let before = step.checked_sub(1).map(|before| &self.states[before]);
                (Some(picture_of(&self.room, engine, &self.states[step], before)), None)
            }
            Some(role) => {
                let belief = self.belief(role, step);
                (belief.picture.clone().map(certain_part), Some(belief))
            }
        };
        let names = self.room.roles();
        let next = self.moves.get(step);
        let decisions = next.map_or_else(Vec::new, |made| {
            let said = made.decisions.iter().enumerate().filter_map(|(at, said)| Some((at, said.as_ref()?)));
            // A role sees its own decisions only.
            let said = said.filter(|(at, _)| role.is_none_or(|role| role.index() == *at));
            said.map(|(at, said)| {
                let belief = self.room.game.is_imperfect().then(|| self.belief(Role::new(at), step));
                SceneDecision::of(engine, &names[at], said, belief)
            })
            .collect()
        });
        let joint = next
            .filter(|_| role.is_none())
            .map(|made| made.joint.iter().map(|&own| engine.show_move(own)).collect());
        let is_last = step == self.steps();
        Ok(Scene {
            table: self.id.clone(),
            version: 0,
            game: SceneGame::of(&self.room),
            view: self.room.view.clone(),
            sees: seen_by.to_owned(),
            phase: Phase::Over,
            step,
            clock: None,
            seats: self
                .seats
                .iter()
                .map(|seat| SceneSeat {
                    is_you: role.is_some_and(|role| names[role.index()] == seat.role),
                    ..seat.clone()
                })
                .collect(),
            legal: Vec::new(),
            switches: None,
            chosen: None,
            past: self.past(role, step),
            picture,
            belief,
            equilibrium: Vec::new(),
            result: is_last.then(|| self.result.clone()),
            review: Some(SceneReview {
                step,
                steps: self.steps(),
                seen_by: seen_by.to_owned(),
                joint,
                decisions,
            }),
        })
    }

    /// The steps before, as a role knows them; those who see all read the joint moves.
    fn past(&self, role: Option<Role>, step: usize) -> Vec<PastStep> {
        let names = self.room.roles();
        let of_step = |(at, made): (usize, &PastMove)| match role {
            Some(role) => PastStep {
                step: at + 1,
                own: self.engine.show_move(made.joint.of(role)),
                percepts: made.percepts[role.index()]
                    .iter()
                    .map(|seen| self.room.game.show(seen.0))
                    .collect(),
                note: made.notes.get(&role).cloned(),
            },
            None => PastStep {
                step: at + 1,
                own: joint_in_words(&self.engine, &names, &made.joint),
                percepts: Vec::new(),
                note: (!made.notes.is_empty()).then(|| {
                    made.notes
                        .iter()
                        .map(|(role, note)| format!("{}: {note}", names[role.index()]))
                        .collect::<Vec<_>>()
                        .join("; ")
                }),
            },
        };
        self.moves[..step].iter().enumerate().map(of_step).collect()
    }

    /// The match of a transcript, if it agrees with the rules.
    ///
    /// # Errors
    /// The first difference.
    pub(super) fn of_transcript(
        id: String,
        room: &Arc<GameRoom>,
        sampler: &SamplerSpec,
        transcript: &Transcript,
    ) -> Result<PastMatch, KioskRefusal> {
        let engine = room.engine().map_err(|error| KioskRefusal::new(400, error, "play a smaller game"))?;
        verify(&*engine, &room.hash, transcript).map_err(|difference| {
            let error = format!("the transcript does not agree with the rules: {difference}");
            KioskRefusal::new(400, error, "send the transcript together with the rules that it was played by")
        })?;
        let mut scratch = engine.scratch();
        let mut states = vec![engine.initial()];
        let mut moves: Vec<PastMove> = Vec::new();
        let unreadable = |text: &str| {
            KioskRefusal::new(400, format!("'{text:.100}' is no term of the game"), "send another transcript")
        };
        for step in &transcript.steps {
            let read = |text: &String| engine.terms().read(text).map(Move).ok_or_else(|| unreadable(text));
            let joint = JointMove::new(step.moves.iter().map(read).collect::<Result<Vec<_>, _>>()?);
            let state = &states[states.len() - 1];
            let percepts =
                engine.each_role().map(|role| engine.percepts(state, &joint, role, &mut scratch)).collect();
            let next = engine.next(state, &joint, &mut scratch);
            let decisions = engine.each_role().map(|role| {
                let record = step.decisions.as_ref()?.get(role.index())?.as_ref()?;
                Some(decision_of(&engine, joint.of(role), record))
            });
            let decisions = decisions.collect();
            let notes = step.faults.iter().filter_map(|fault| {
                Some((engine.role_named(&fault.role)?, format!("replaced: {}", fault.kind)))
            });
            let notes = notes.collect();
            moves.push(PastMove { joint, percepts, decisions, notes });
            states.push(next);
        }
        let names = room.roles();
        let random = room.random();
        let seats = names
            .iter()
            .enumerate()
            .map(|(at, role)| seat_of(role, random.as_ref(), transcript.players.get(at).cloned().flatten()));
        let goals = transcript.goals.iter().flatten();
        let goals = names.iter().zip(goals).filter(|(role, _)| Some(*role) != random.as_ref());
        let result = SceneResult {
            outcome: transcript.outcome.clone(),
            goals: goals.map(|(role, &goal)| SceneGoal { role: role.clone(), goal }).collect(),
        };
        Ok(PastMatch {
            id,
            room: Arc::clone(room),
            sampler: sampler.clone(),
            states,
            moves,
            seats: seats.collect(),
            result,
            beliefs: Mutex::default(),
            engine,
        })
    }
}

/// A seat that somebody had, by the spec in a transcript.
fn seat_of(role: &str, random: Option<&String>, player: Option<String>) -> SceneSeat {
    let kind = match player.as_deref() {
        _ if random.is_some_and(|random| random == role) => "random",
        Some("human" | "person") => "person",
        _ => "program",
    };
    SceneSeat { role: role.to_owned(), kind, player: player.filter(|_| kind == "program"), is_you: false }
}

/// A picture with what is certain only.
fn certain_part(mut picture: hyperplay_view::BoardPicture) -> hyperplay_view::BoardPicture {
    use hyperplay_play::player::is_certain;
    for cell in picture.panels.iter_mut().flat_map(|panel| &mut panel.rows).flat_map(|row| &mut row.cells) {
        cell.signs.retain(|sign| is_certain(sign.probability));
    }
    for owner in picture.hands.iter_mut().flat_map(|hand| &mut hand.owners) {
        owner.things.retain(|thing| is_certain(thing.probability));
    }
    for line in &mut picture.lines {
        line.values.retain(|value| is_certain(value.probability));
    }
    picture.hands.iter_mut().for_each(|hand| hand.owners.retain(|owner| !owner.things.is_empty()));
    picture.hands.retain(|hand| !hand.owners.is_empty());
    picture.lines.retain(|line| !line.values.is_empty());
    picture
}

/// A joint move, role by role.
fn joint_in_words(engine: &Engine, names: &[String], joint: &JointMove) -> String {
    let each =
        names.iter().zip(joint.iter()).map(|(name, &own)| format!("{name}: {}", engine.show_move(own)));
    each.collect::<Vec<_>>().join(", ")
}

/// What a transcript keeps of a decision.
fn decision_of(engine: &Engine, choice: Move, record: &DecisionRecord) -> Decision {
    let moves = |kept: &serde_json::Map<String, Value>| {
        let each =
            kept.iter().filter_map(|(own, number)| Some((Move(engine.terms().read(own)?), number.as_f64()?)));
        each.collect::<Vec<_>>()
    };
    let mut decision = Decision::draw(vec![(choice, 1.0)], &hyperplay_machine::Seed::root(0));
    (decision.policy, decision.values) = (moves(&record.policy), moves(&record.values));
    decision.depleted = record.depleted;
    if record.depleted {
        decision.explanation.push("no history was found that explains what was seen".to_owned());
    }
    decision
}

/// The replays of a kiosk.
#[derive(Default)]
pub(super) struct PastMatches(Mutex<Vec<Arc<PastMatch>>>);

impl PastMatches {
    /// Remembers a match.
    pub(super) fn keep(&self, past: Arc<PastMatch>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= REPLAYS {
            kept.remove(0);
        }
        kept.push(past);
    }

    /// The match of this name.
    pub(super) fn get(&self, id: &str) -> Option<Arc<PastMatch>> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .find(|past| past.id == id)
            .map(Arc::clone)
    }
}
