//! Matches that are over: every step as it was, as a role knew it, and why the programs moved as they did.

use std::collections::BTreeMap;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};

use super::answers::{KioskResult, refusal};
use super::role_scenes::{NotedStep, RoleScenes, picture_of};
use super::room::GameRoom;
use super::scene::{
    Phase, Scene, SceneBelief, SceneChoice, SceneDecision, SceneResult, SceneSeat, SightScene,
};
use hyperplay_engine::Engine;
use hyperplay_machine::{Role, State, StateMachine as _, StateMachineExt as _};
use hyperplay_play::player::SamplerSpec;
use hyperplay_play::referee::{Transcript, TranscriptDifference, WalkedStep, verify};
use hyperplay_view::BoardPicture;

/// Replays that are remembered.
const REPLAYS: usize = 32;

/// The name of the sight of those who see all.
pub(super) const TRUTH: &str = "truth";

/// The scenes that a role was told in a match that is over, step by step.
pub(super) struct RoleReview {
    told: RoleScenes,
    scenes: Vec<(Option<BoardPicture>, SceneBelief)>,
}

/// A match that is over.
pub(super) struct PastMatch {
    pub(super) id: String,
    pub(super) room: Arc<GameRoom>,
    pub(super) engine: Arc<Engine>,
    pub(super) sampler: SamplerSpec,
    /// The states from the first to the last.
    pub(super) states: Vec<State>,
    pub(super) moves: Vec<NotedStep>,
    pub(super) seats: Vec<SceneSeat>,
    pub(super) result: SceneResult,
    /// By role, as far as they have been asked for.
    pub(super) reviews: Mutex<BTreeMap<Role, Arc<Mutex<RoleReview>>>>,
}

impl PastMatch {
    /// The number of joint moves.
    pub(super) fn steps(&self) -> usize {
        self.moves.len()
    }

    /// The scene that a role was told after `step` steps. The steps before are followed once; a caller that asks for
    /// another role does not wait.
    fn told(&self, role: Role, step: usize) -> SightScene {
        let review = {
            let mut reviews = self.reviews.lock();
            let new = || {
                let told = RoleScenes::new(&self.room, &self.engine, role, &self.sampler);
                let scenes = vec![(told.picture(), told.belief())];
                Arc::new(Mutex::new(RoleReview { told, scenes }))
            };
            Arc::clone(reviews.entry(role).or_insert_with(new))
        };
        let mut review = review.lock();
        let RoleReview { told, scenes } = &mut *review;
        for made in scenes.len()..=step {
            let NotedStep { step: now, notes } = &self.moves[made - 1];
            let is_over = made == self.steps() && self.result.outcome == "over";
            told.step(now.joint.of(role), &now.percepts[role], notes.get(&role).cloned(), is_over);
            scenes.push((told.picture(), told.belief()));
        }
        let (picture, belief) = scenes[step].clone();
        SightScene { evidence: None, past: told.past[..step].to_vec(), picture, belief: Some(belief) }
    }

    /// The scene after `step` steps, as all of it was or as a role knew it.
    ///
    /// # Errors
    /// If there is no such step or role.
    pub(super) fn scene(&self, step: usize, seen_by: &str) -> KioskResult<Scene> {
        if step > self.steps() {
            let error = format!("the match has {} steps", self.steps());
            return Err(refusal(400, error, "ask for a step from 0 to that number"));
        }
        let engine = &self.engine;
        let role = match seen_by {
            TRUTH => None,
            name => Some(engine.role_named(name).ok_or_else(|| {
                refusal(400, format!("there is no role '{name:.60}'"), "take 'truth' or a role of the game")
            })?),
        };
        let told = match role {
            None => {
                let before = step.checked_sub(1).map(|before| &self.states[before]);
                let picture = Some(picture_of(&self.room, engine, &self.states[step], before));
                let past = self.moves[..step].iter().enumerate().map(|(at, made)| made.in_truth(engine, at));
                SightScene { past: past.collect(), picture, ..SightScene::default() }
            }
            Some(role) => self.told(role, step),
        };
        let names = self.room.game.role_names();
        let next = self.moves.get(step);
        let decisions: Vec<SceneDecision> = next.map_or_else(Vec::new, |made| {
            // A role sees its own decisions only.
            let said = made.step.decisions.iter().filter(|&(own, _)| role.is_none_or(|role| role == own));
            said.filter_map(|(own, said)| {
                let belief = || self.told(own, step).belief;
                let belief = self.room.game.is_imperfect().then(belief).flatten();
                let choice = SceneChoice::of(engine, said.as_ref()?);
                Some(SceneDecision { role: names[own.index()].clone(), choice, belief })
            })
            .collect()
        });
        // The joint move that follows, in the order of the roles; none at the end.
        let joint = next
            .filter(|_| role.is_none())
            .map(|made| made.step.joint.iter().map(|&own| engine.show_move(own)).collect::<Value>());
        let is_last = step == self.steps();
        let seats = self.seats.iter().map(|seat| SceneSeat {
            is_you: role.is_some_and(|role| names[role.index()] == seat.role),
            ..seat.clone()
        });
        Ok(Scene {
            phase: Phase::Over,
            step,
            seats: seats.collect(),
            result: is_last.then(|| self.result.clone()),
            review: Some(json!({
                "step": step, "steps": self.steps(), "as": seen_by, "joint": joint, "decisions": decisions,
            })),
            ..Scene::of(&self.id, &self.room, seen_by, told)
        })
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
    ) -> KioskResult<PastMatch> {
        let engine = room.engine().map_err(|error| refusal(400, error, "play a smaller game"))?;
        let differs = |difference: TranscriptDifference| {
            let error = format!("the transcript does not agree with the rules: {difference}");
            refusal(400, error, "send the transcript together with the rules that it was played by")
        };
        verify(&*engine, &room.hash, transcript).map_err(differs)?;
        let mut states = vec![engine.initial()];
        let mut moves: Vec<NotedStep> = Vec::new();
        for walked in transcript.walk(&*engine) {
            let WalkedStep { step, after, .. } = walked.map_err(differs)?;
            let notes = step.faults.iter();
            let notes =
                notes.map(|fault| (fault.role, format!("replaced: {}", fault.kind.as_str()))).collect();
            moves.push(NotedStep { step, notes });
            states.push(after);
        }
        let names = room.game.role_names();
        let random = room.random();
        let seats = names
            .iter()
            .enumerate()
            .map(|(at, role)| seat_of(role, random.as_ref(), transcript.players.get(at).cloned().flatten()));
        let goals = transcript.goals.iter().flatten();
        let goals = names.iter().zip(goals).filter(|(role, _)| Some(*role) != random.as_ref());
        let result = SceneResult {
            outcome: transcript.outcome.clone(),
            goals: goals.map(|(role, &goal)| json!({ "role": role, "goal": goal })).collect(),
        };
        Ok(PastMatch {
            id,
            room: Arc::clone(room),
            sampler: sampler.clone(),
            states,
            moves,
            seats: seats.collect(),
            result,
            reviews: Mutex::default(),
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

/// The replays of a kiosk.
#[derive(Default)]
pub(super) struct PastMatches(Mutex<Vec<Arc<PastMatch>>>);

impl PastMatches {
    /// Remembers a match.
    pub(super) fn add(&self, past: Arc<PastMatch>) {
        let mut kept = self.0.lock();
        if kept.len() >= REPLAYS {
            kept.remove(0);
        }
        kept.push(past);
    }

    /// The match of this name.
    pub(super) fn get(&self, id: &str) -> Option<Arc<PastMatch>> {
        self.0.lock().iter().find(|past| past.id == id).map(Arc::clone)
    }
}
