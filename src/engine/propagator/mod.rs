//! The propagator: the engine for single states on the ground network of a game.
//!
//! A state is the bits of the network ([`State`]). Two functions answer every question: the *view* of a state (legal
//! moves, end, goals) and the *step* from it (next state, percepts). A scratch keeps the outputs of both and the state
//! that they belong to, so all questions about one state share one pass. Many states at once go through programs over
//! planes, 64 or 512 at a time (`batch`).
//!
//! A role that makes a move which the network does not have does nothing in the step. A move that the network has, but
//! that is not legal in the state, is computed like any other. In both cases the answer equals that of the interpreter
//! only where the rules do not ask what else was done. The network may compute one move as *not the others*, because it
//! relies on exactly one legal move for each role.
//!
//! Invariant: all lists (moves, percepts, fluents) are in the natural order, because the network lists it in that
//! order.

mod batch;
mod code;
mod select;

use std::sync::{Arc, OnceLock};

use batch::BatchPlanes;
use code::{EndProgram, SingleStep, SingleView, StepProgram};
use select::{SelectPlanes, SelectProgram};

use rustc_hash::FxHashSet;

use super::packed::bits_on;
use super::single::{SingleMemory, SingleWork};
use crate::propnet::Propnet;
use hyperplay_logic::gdl::{Game, Symbol, TermId};
use hyperplay_machine::{
    ByRole, GameSetup, Goal, JointMove, Move, Percept, Percepts, Role, State, StateMachine,
};

/// The engine for single states.
#[derive(Debug)]
pub struct Propagator {
    game: Game,
    setup: GameSetup<State>,
    /// The network.
    pub propnet: Arc<Propnet>,
    /// Whether the network says what is perceived.
    has_percepts: bool,
    programs: Programs,
    inputs: ByRole<Inputs>,
    /// The fluents with their bits, and those without a bit that always hold, in the natural order.
    listing: Vec<(TermId, Option<usize>)>,
    /// In a GDL-I game, the roles in the natural order of their names, in which the joint move is perceived.
    perceived: Option<Vec<Role>>,
}

/// The compiled programs, each compiled when it is first needed.
#[derive(Debug, Default)]
struct Programs {
    /// Of a single state.
    view: OnceLock<SingleView>,
    /// Of a single step.
    single: OnceLock<SingleStep>,
    /// Of a single step, without the percepts.
    single_next: OnceLock<SingleStep>,
    /// Of many states, without the legal moves.
    end: OnceLock<EndProgram>,
    /// Of many steps.
    step: OnceLock<StepProgram>,
    /// Of many steps, without the percepts.
    next: OnceLock<StepProgram>,
    /// Of many steps, as each role observes them.
    select: ByRole<OnceLock<SelectProgram>>,
}

/// Which input of the network a move is.
#[derive(Debug, Default)]
struct Inputs {
    /// The id of the first term in `inputs`.
    first: usize,
    /// By id; `NONE` for what is no move.
    inputs: Vec<u32>,
    /// The percept of each move in a GDL-I game, by move.
    did: Vec<Percept>,
    /// The input of the first move.
    start: usize,
}

const NONE: u32 = u32::MAX;
/// The number of gates from which on the parts of a network are compiled at the same time: each part takes a second.
const LARGE: usize = 50_000;

impl Inputs {
    fn new(moves: &[Move], start: usize) -> Inputs {
        let ids = || moves.iter().map(|own| own.0.index());
        let (first, last) = (ids().min().unwrap_or(0), ids().max().map_or(0, |last| last + 1));
        let mut inputs = vec![NONE; last - first];
        ids().enumerate().for_each(|(position, id)| inputs[id - first] = (start + position) as u32);
        Inputs { first, inputs, start, did: Vec::new() }
    }

    /// The input of a move; `None` if the network has none.
    fn of(&self, own: Move) -> Option<usize> {
        let input = *self.inputs.get(own.0.index().wrapping_sub(self.first))?;
        (input != NONE).then_some(input as usize)
    }
}

/// The working memory with which one thread evaluates.
#[derive(Clone, Debug, Default)]
pub struct PropagatorScratch {
    memory: SingleMemory,
    /// The state that `view` belongs to.
    viewed: Option<State>,
    view: Vec<u64>,
    /// The step that `step` belongs to.
    stepped: Option<(State, JointMove)>,
    step: Vec<u64>,
    batch: BatchPlanes,
    select: SelectPlanes,
}

impl PropagatorScratch {
    /// The outputs of a step, if it was the last step computed with its percepts.
    fn of_step(&self, state: &State, joint: &JointMove) -> Option<&[u64]> {
        let is_known = self.stepped.as_ref().is_some_and(|(of, by)| of == state && by == joint);
        is_known.then_some(&self.step[..])
    }
}

impl Propagator {
    /// An engine for a game, on its network.
    pub fn new(game: &Game, propnet: Arc<Propnet>) -> Propagator {
        let terms = game.terms();
        let mut listing: Vec<(TermId, Option<usize>)> =
            propnet.fluents.iter().map(|fluent| (fluent.term, Some(fluent.bit))).collect();
        listing.extend(propnet.fixed.iter().map(|&term| (term, None)));
        listing.sort_unstable_by(|a, b| terms.compare(a.0, b.0));
        let perceived = (!game.is_imperfect()).then(|| {
            let mut roles: Vec<Role> = (0..game.roles().len()).map(Role::new).collect();
            let name = |role: &Role| game.roles()[role.index()];
            roles.sort_unstable_by(|a, b| terms.compare(name(a), name(b)));
            roles
        });
        let does = propnet.does();
        let inputs = ByRole::from_fn(game.roles().len(), |role| {
            let moves = &propnet.roles[role].moves;
            let name = game.roles()[role.index()];
            // Nothing is interned that no role will perceive.
            let known = if perceived.is_some() { &moves[..] } else { &[] };
            let did = known.iter().map(|own| Percept(terms.intern(Symbol::DID, &[name, own.0]))).collect();
            Inputs { did, ..Inputs::new(moves, does[role].start) }
        });
        Propagator {
            has_percepts: propnet.roles.values().iter().any(|role| !role.percepts.is_empty()),
            setup: game.setup(State::of_bits(&propnet.initial)),
            programs: Programs {
                select: ByRole::from_fn(game.roles().len(), |_| OnceLock::new()),
                ..Programs::default()
            },
            game: game.clone(),
            inputs,
            listing,
            perceived,
            propnet,
        }
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Compiles now what would be compiled when it is first needed.
    pub fn prepare(&self) {
        let of_states = || {
            self.view();
        };
        let of_steps = || {
            self.single();
            self.single_next();
        };
        let of_many = || {
            self.end();
            self.step();
            self.next_only();
        };
        if self.propnet.network.gates().len() < LARGE {
            of_states();
            of_steps();
            of_many();
            return;
        }
        std::thread::scope(|scope| {
            scope.spawn(of_states);
            scope.spawn(of_steps);
            of_many();
        });
    }

    /// The fluents that hold in a state, each once, in no particular order.
    pub fn holds(&self, state: &State) -> Vec<TermId> {
        let on = self.listing.iter().filter(|(_, bit)| bit.is_none_or(|bit| state.bit(bit)));
        on.map(|&(fluent, _)| fluent).collect()
    }

    /// The work of a step and of the queries about the state after it. Compiles the programs that answer them.
    pub(crate) fn single_work(&self) -> [SingleWork; 2] {
        [self.view().single.work(), self.single_next().single.work()]
    }

    fn view(&self) -> &SingleView {
        self.programs.view.get_or_init(|| SingleView::new(&self.propnet))
    }

    fn end(&self) -> &EndProgram {
        self.programs.end.get_or_init(|| EndProgram::new(&self.propnet))
    }

    fn next_only(&self) -> &StepProgram {
        self.programs.next.get_or_init(|| StepProgram::new(&self.propnet, true))
    }

    fn step(&self) -> &StepProgram {
        if !self.has_percepts {
            return self.next_only();
        }
        self.programs.step.get_or_init(|| StepProgram::new(&self.propnet, false))
    }

    fn single_next(&self) -> &SingleStep {
        self.programs.single_next.get_or_init(|| SingleStep::new(&self.propnet, true))
    }

    fn single(&self) -> &SingleStep {
        if !self.has_percepts {
            return self.single_next();
        }
        self.programs.single.get_or_init(|| SingleStep::new(&self.propnet, false))
    }

    /// The number of bits of a state.
    fn bits(&self) -> usize {
        self.propnet.bits()
    }

    /// The outputs of the view of a state.
    fn viewed<'s>(&self, state: &State, scratch: &'s mut PropagatorScratch) -> &'s [u64] {
        if scratch.viewed.as_ref() != Some(state) {
            let outputs = self.view().single.run(state.words(), std::iter::empty(), &mut scratch.memory);
            scratch.view.clear();
            scratch.view.extend_from_slice(outputs);
            scratch.viewed = Some(state.clone());
        }
        &scratch.view
    }

    /// The inputs of the moves of a joint move.
    fn inputs_of(&self, joint: &JointMove) -> impl Iterator<Item = usize> {
        self.inputs.values().iter().zip(joint.iter()).filter_map(|(inputs, &own)| inputs.of(own))
    }

    /// Whether the moves are what everybody perceives, as in a GDL-I game.
    pub(crate) fn perceives_moves(&self) -> bool {
        self.perceived.is_some()
    }

    /// The percept of each move of a role in a GDL-I game, in the order of the network.
    pub(crate) fn move_percepts(&self, role: Role) -> &[Percept] {
        &self.inputs[role].did
    }

    /// The percepts of everybody at a joint move in a GDL-I game.
    fn did(&self, roles: &[Role], joint: &JointMove) -> Percepts {
        let did = |&role: &Role| {
            let (inputs, own) = (&self.inputs[role], joint.of(role));
            match inputs.of(own) {
                Some(input) => inputs.did[input - inputs.start],
                None => {
                    let name = self.game.roles()[role.index()];
                    Percept(self.terms().intern(Symbol::DID, &[name, own.0]))
                }
            }
        };
        Percepts::in_order(roles.iter().map(did).collect::<Vec<_>>())
    }
}

impl StateMachine for Propagator {
    type State = State;
    type Scratch = PropagatorScratch;

    fn scratch(&self) -> PropagatorScratch {
        PropagatorScratch::default()
    }

    fn setup(&self) -> &GameSetup<State> {
        &self.setup
    }

    fn legal(&self, state: &State, role: Role, scratch: &mut PropagatorScratch, out: &mut Vec<Move>) {
        out.clear();
        let outputs = self.viewed(state, scratch);
        let moves = &self.propnet.roles[role].moves;
        out.extend(bits_on(outputs, self.view().legal[role].clone()).map(|place| moves[place]));
    }

    fn next(&self, state: &State, joint: &JointMove, scratch: &mut PropagatorScratch) -> State {
        if let Some(outputs) = scratch.of_step(state, joint) {
            return State::start_of(outputs, self.bits());
        }
        let outputs =
            self.single_next().single.run(state.words(), self.inputs_of(joint), &mut scratch.memory);
        State::start_of(outputs, self.bits())
    }

    fn percepts(
        &self,
        state: &State,
        joint: &JointMove,
        role: Role,
        scratch: &mut PropagatorScratch,
    ) -> Percepts {
        if let Some(roles) = &self.perceived {
            return self.did(roles, joint);
        }
        let step = self.single();
        if scratch.of_step(state, joint).is_none() {
            let outputs = step.single.run(state.words(), self.inputs_of(joint), &mut scratch.memory);
            scratch.step.clear();
            scratch.step.extend_from_slice(outputs);
            scratch.stepped = Some((state.clone(), joint.clone()));
        }
        let known = &self.propnet.roles[role].percepts;
        let seen = bits_on(&scratch.step, step.percepts[role].clone()).map(|place| known[place].0);
        Percepts::in_order(seen.collect::<Vec<_>>())
    }

    fn terminal(&self, state: &State, scratch: &mut PropagatorScratch) -> bool {
        let terminal = self.view().terminal;
        bits_on(self.viewed(state, scratch), terminal..terminal + 1).next().is_some()
    }

    fn goal(&self, state: &State, role: Role, scratch: &mut PropagatorScratch) -> Goal {
        let holds = bits_on(self.viewed(state, scratch), self.view().goals[role].clone()).next();
        holds.map_or(Goal::default(), |place| self.propnet.roles[role].goals[place].0)
    }

    fn goal_count(&self, state: &State, role: Role, scratch: &mut PropagatorScratch) -> usize {
        let holds = bits_on(self.viewed(state, scratch), self.view().goals[role].clone());
        holds.map(|place| self.propnet.roles[role].goals[place].0).collect::<FxHashSet<Goal>>().len()
    }

    fn fluents(&self, state: &State) -> Vec<String> {
        self.holds(state).into_iter().map(|fluent| self.terms().show(fluent)).collect()
    }
}
