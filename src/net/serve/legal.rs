//! The legal moves of a role that is told what it perceives and not what is legal.
//!
//! In a sound game a role can tell its legal moves from its evidence: they are the same in all histories that explain
//! it. So one such history would do, unless the own moves are not told either: then the moves that are legal with the
//! greatest probability are taken. There are three ways to a history, each for where the one before it does not get
//! through:
//!
//! 1. If every role's move was told, as in GDL-I, the state is known.
//! 2. A small belief under uniform opponents.
//! 3. Random histories that agree with as many steps as can be found in the time.
//!
//! Invariant: the answer comes by the deadline, whatever the rules are; an evaluation that the deadline stops is
//! dropped.

use std::sync::Arc;

use rand::RngExt as _;

use hyperplay_engine::{Engine, EngineScratch};
use hyperplay_machine::{
    Budget, Evidence, JointMove, Move, Observation, Role, Seed, State, StateMachine as _,
    StateMachineExt as _,
};
use hyperplay_play::for_engine::particle_sampler;
use hyperplay_play::player::{OwnBelief, certain_moves, is_last_move};
use hyperplay_think::belief::{BeliefOptions, SharedModel, Uniform, UpdateOutcome};

/// Particles of the belief.
const PARTICLES: usize = 64;

/// Histories that the belief enumerates: few, because the player has a belief of its own to pay for.
const ENUMERATED: usize = 200;

/// Random histories tried without a deadline.
const HISTORIES: usize = 1000;

/// How legal moves were found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LegalSource {
    /// The state is known.
    State,
    /// Some history explains all evidence.
    Belief,
    /// It is proven that no history of these rules explains the evidence; the moves are those of a history that nearly
    /// does.
    Contradiction,
    /// No history was found that explains the evidence; the moves are those of one that explains part of it.
    Guess,
    /// Nothing is known: no history was found that is so long.
    Nothing,
}

/// Follows a match to know what is legal.
pub struct LegalMoves {
    role: Role,
    engine: Arc<Engine>,
    scratch: EngineScratch,
    belief: OwnBelief,
    /// The state after the given number of steps, while every role's move was told.
    known: Option<(usize, State)>,
}

impl LegalMoves {
    /// Before the first step.
    pub fn new(engine: &Arc<Engine>, role: Role) -> LegalMoves {
        let model: SharedModel = Arc::new(Uniform);
        let options = BeliefOptions { enumerate_limit: ENUMERATED, ..BeliefOptions::default() };
        let sampler = particle_sampler(options);
        LegalMoves {
            role,
            engine: Arc::clone(engine),
            scratch: engine.scratch(),
            belief: OwnBelief::new(Arc::clone(engine), role, model, sampler, PARTICLES),
            known: Some((0, engine.initial())),
        }
    }

    /// Whether it evaluates the rules by this engine.
    pub fn is_on(&self, engine: &Arc<Engine>) -> bool {
        Arc::ptr_eq(&self.engine, engine)
    }

    /// The legal moves after this evidence, in the natural order of terms, and how they were found.
    pub fn after(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> (Vec<Move>, LegalSource) {
        if let Some(state) = self.followed(evidence, budget)
            && let Some(legal) = self.legal(&state, budget)
        {
            return (legal, LegalSource::State);
        }
        let source = match self.belief.legal_after(evidence, budget, seed) {
            Ok(legal) => return (legal, LegalSource::Belief),
            Err(UpdateOutcome::Inconsistent { .. }) => LegalSource::Contradiction,
            Err(_) => LegalSource::Guess,
        };
        match self.guessed(evidence, budget, &seed.child("guess")) {
            legal if legal.is_empty() => (legal, LegalSource::Nothing),
            legal => (legal, source),
        }
    }

    /// Goes on searching for a history that explains this evidence. Returns whether one was found, or there is none.
    pub fn search(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> bool {
        self.belief.search(evidence, budget, seed)
    }

    /// Whether the game is over for certain once the role has made this move, after the evidence of `step` steps that
    /// the legal moves were last asked for.
    pub fn is_last(&mut self, own: Move, step: usize, budget: &Budget) -> bool {
        let (engine, of, scratch) = (&*self.engine, (self.role, own), &mut self.scratch);
        if let Some((_, state)) = self.known.as_ref().filter(|(at, _)| *at == step) {
            return is_last_move(engine, of, [state], budget, scratch);
        }
        self.belief.whole().is_some_and(|states| is_last_move(engine, of, states, budget, scratch))
    }

    /// The state after this evidence, if it is known.
    fn followed(&mut self, evidence: &Evidence, budget: &Budget) -> Option<State> {
        let (step, mut state) = self.known.take()?;
        for observation in evidence.steps.get(step..)? {
            let joint = self.joint(observation)?;
            let (engine, scratch) = (&self.engine, &mut self.scratch);
            let next = engine.by_deadline(budget.deadline, scratch, |scratch| {
                let next = engine.next(&state, &joint, scratch);
                (!engine.is_interrupted(scratch)).then_some(next)
            });
            engine.take_failure(scratch).map_or(Some(()), |_| None)?;
            state = next?;
        }
        self.known = Some((evidence.step(), state.clone()));
        Some(state)
    }

    /// The joint move of a step, if all of it was told by percepts `(did ROLE MOVE)`.
    fn joint(&self, observation: &Observation) -> Option<JointMove> {
        let (terms, roles) = (self.engine.terms(), self.engine.game().roles());
        let told = |role| {
            let mut moves = observation.percepts.iter().filter_map(|seen| {
                let is_did = terms.symbols().name(terms.functor(seen.0)).eq_ignore_ascii_case("did");
                match terms.arguments(seen.0) {
                    &[of, own] if is_did && of == role => Some(Move(own)),
                    _ => None,
                }
            });
            let only = moves.next()?;
            moves.next().is_none().then_some(only)
        };
        let moves: Vec<Move> = roles.iter().map(|&role| told(role)).collect::<Option<_>>()?;
        let own = moves[self.role.index()];
        observation.own.admits(own).then(|| JointMove::new(moves))
    }

    /// The legal moves in a state; nothing if there is none, or the time was up.
    fn legal(&mut self, state: &State, budget: &Budget) -> Option<Vec<Move>> {
        let legal = certain_moves(&*self.engine, self.role, [(state, 1.0)], budget, &mut self.scratch);
        Some(legal).filter(|legal| !legal.is_empty())
    }

    /// The legal moves at the end of the random history that agrees with most steps.
    fn guessed(&mut self, evidence: &Evidence, budget: &Budget, seed: &Seed) -> Vec<Move> {
        let mut best: Option<(usize, Vec<Move>)> = None;
        for attempt in 0..HISTORIES {
            if budget.is_late() {
                break;
            }
            let Some((agreed, state)) = self.random_history(evidence, budget, &seed.index(attempt)) else {
                continue;
            };
            if best.as_ref().is_none_or(|(known, _)| agreed > *known)
                && let Some(legal) = self.legal(&state, budget)
            {
                let is_whole = agreed == evidence.step();
                best = Some((agreed, legal));
                if is_whole {
                    break;
                }
            }
        }
        best.map(|(_, legal)| legal).unwrap_or_default()
    }

    /// A random history as long as the evidence, with the own moves where they are legal: with how many steps it
    /// agrees, and where it ends. Nothing if it ended early.
    fn random_history(
        &mut self,
        evidence: &Evidence,
        budget: &Budget,
        seed: &Seed,
    ) -> Option<(usize, State)> {
        let (engine, role, mut rng) = (&self.engine, self.role, seed.rng());
        let made = engine.by_deadline(budget.deadline, &mut self.scratch, |scratch| {
            let mut state = engine.initial();
            let mut agreed = 0;
            for observation in &evidence.steps {
                if engine.terminal(&state, scratch) {
                    return None;
                }
                let legal = engine.legal_by_role(&state, scratch);
                let mut moves = Vec::with_capacity(legal.len());
                for (of, legal) in legal.iter() {
                    if engine.is_interrupted(scratch) || legal.is_empty() {
                        return None;
                    }
                    let presumed = observation.own.presumed().filter(|own| of == role && legal.contains(own));
                    moves.push(presumed.unwrap_or_else(|| legal[rng.random_range(0..legal.len())]));
                }
                let joint = JointMove::new(moves);
                let seen = engine.percepts(&state, &joint, role, scratch);
                agreed += usize::from(seen == observation.percepts && observation.own.admits(joint.of(role)));
                state = engine.next(&state, &joint, scratch);
            }
            (!engine.is_interrupted(scratch)).then_some((agreed, state))
        });
        let failed = engine.take_failure(&mut self.scratch).is_some();
        made.filter(|_| !failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_engine::{EngineKind, Engines};
    use hyperplay_logic::gdl::{Source, load};
    use hyperplay_machine::{History, OwnMove, Percepts};

    fn engine(text: &str) -> Arc<Engine> {
        let game = load(Source::new("t", text), None).game.expect("the rules are in order");
        Engines::new(&game).get(EngineKind::Auto).unwrap()
    }

    fn game(name: &str) -> Arc<Engine> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/");
        engine(&std::fs::read_to_string(format!("{folder}{name}.kif")).unwrap())
    }

    #[test]
    fn along_random_matches_the_legal_moves_are_those_of_the_true_state() {
        for name in [
            "perfect/tictactoe",
            "imperfect/kuhn_poker",
            "imperfect/krieg_tictactoe_3x3",
            "imperfect/monty_hall",
        ] {
            let machine = game(name);
            let scratch = &mut machine.scratch();
            for role in machine.each_role() {
                let mut moves = LegalMoves::new(&machine, role);
                let mut rng = Seed::root(7).rng();
                let (mut state, mut history) = (machine.initial(), History::default());
                while !machine.terminal(&state, scratch) {
                    let evidence = machine.evidence(&history, role, scratch);
                    let (legal, source) = moves.after(&evidence, &Budget::UNLIMITED, &Seed::root(1));
                    assert_eq!(legal, machine.legal_by_role(&state, scratch)[role], "{name}");
                    assert_eq!(
                        source == LegalSource::State,
                        history.step() == 0 || name.ends_with("/tictactoe"),
                        "{name}"
                    );
                    let joint = machine.random_joint(&state, scratch, &mut rng).unwrap();
                    state = machine.next(&state, &joint, scratch);
                    history.0.push(joint);
                }
            }
        }
    }

    #[test]
    fn evidence_that_nothing_explains_still_gives_moves() {
        let machine = game("imperfect/krieg_tictactoe_3x3");
        let role = machine.each_role().next().unwrap();
        let scratch = &mut machine.scratch();
        let joint = machine.random_joint(&machine.initial(), scratch, &mut Seed::root(1).rng()).unwrap();
        let mut evidence = machine.evidence(&History(vec![joint]), role, scratch);
        evidence.steps[0].percepts = Percepts::default();
        evidence.steps.push(evidence.steps[0].clone());
        let (legal, source) =
            LegalMoves::new(&machine, role).after(&evidence, &Budget::UNLIMITED, &Seed::root(1));
        assert!(!legal.is_empty() && source == LegalSource::Contradiction, "{source:?}");
    }

    #[test]
    fn where_what_is_legal_depends_on_what_is_hidden_only_what_is_legal_for_certain_is_taken() {
        let machine = engine(
            "(role me) (role random) (init start) (legal random a) (legal random b)
             (<= (next was_a) (does random a)) (<= (next second) (true start))
             (legal me wait) (<= (legal me take) (true was_a)) (<= terminal (true done))
             (<= (next done) (true second)) (goal me 100) (<= (sees me hello) (does random nothing))",
        );
        let role = machine.role_named("me").unwrap();
        let wait = Move(machine.terms().read("wait").unwrap());
        let mut evidence = Evidence::new(role);
        evidence.steps.push(Observation { own: OwnMove::Known(wait), percepts: Percepts::default() });
        let (legal, source) =
            LegalMoves::new(&machine, role).after(&evidence, &Budget::UNLIMITED, &Seed::root(1));
        assert_eq!((legal, source), (vec![wait], LegalSource::Belief));
    }
}
