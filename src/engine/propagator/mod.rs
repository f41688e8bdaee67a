//! The propagator: the engine for single states, on the ground network of a game.
//!
//! A state is the bits of the network ([`Packed`]). Two programs answer everything: the *view* of a state (legal
//! moves, end, goals) and the *step* from it (next state, percepts). A scratch holds the planes of both and the state
//! that they speak of, so all queries on one state share one pass, and a state just reached is viewed without being
//! unpacked again. Many states at once go through the same programs 64 or 512 at a time (`batch`).
//!
//! What is no move of the network is done by nobody: the step is computed as if the role did nothing. A move that the
//! network knows but that is not legal in the state is computed like any other. Either way the answer is that of the
//! interpreter only where the rules do not ask what else was done: the network may say *not the others* for one move,
//! because it counts on exactly one legal move a role.
//!
//! Invariant: what is listed (moves, percepts, fluents) is in the natural order, because the network lists it so.

mod batch;
mod code;

use std::sync::{Arc, OnceLock};

use batch::Batch;
use code::{Step, View};

use super::packed::Packed;
use crate::engine::program::Program;
use crate::gdl::{Game, Symbol, TermId, TermStore};
use crate::machine::{ByRole, Goal, JointMove, Move, Percept, Percepts, Role, StateMachine};
use crate::propnet::Propnet;

/// One lane for the planes of a single state.
type Lane = [u64; 1];

/// The engine for single states.
#[derive(Debug)]
pub struct Propagator {
    game: Game,
    roles: ByRole<String>,
    random: Option<Role>,
    propnet: Arc<Propnet>,
    initial: Packed,
    programs: Programs,
    inputs: ByRole<Inputs>,
    /// The fluents with their bits, and those without one that always hold, in the natural order.
    listing: Vec<(TermId, Option<usize>)>,
    /// In a GDL-I game, the roles in the natural order of their names, in which the joint move is perceived.
    perceived: Option<Vec<Role>>,
}

/// The programs, each compiled when it is first needed.
#[derive(Debug, Default)]
struct Programs {
    view: OnceLock<View>,
    /// The view without the legal moves.
    end: OnceLock<View>,
    step: OnceLock<Step>,
    /// The step without the percepts.
    next: OnceLock<Step>,
}

/// Which input of the network a move is.
#[derive(Debug, Default)]
struct Inputs {
    /// The id of the first term that `inputs` speaks of.
    first: usize,
    /// By id; `NONE` for what is no move.
    inputs: Vec<u32>,
    /// What is perceived of a move in a GDL-I game, by move.
    did: Vec<Percept>,
    /// The input of the first move.
    start: usize,
}

const NONE: u32 = u32::MAX;

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

/// What one thread evaluates with.
#[derive(Debug)]
pub struct Scratch {
    view: Vec<Lane>,
    /// The state in the inputs of `view`.
    loaded: Option<Packed>,
    /// Whether `view` has run on it.
    viewed: bool,
    step: Vec<Lane>,
    /// What `step` has run on.
    stepped: Option<(Packed, JointMove)>,
    next: Vec<Lane>,
    batch: Batch,
}

impl Propagator {
    /// An engine for a game, on its network.
    pub fn new(game: &Game, propnet: Arc<Propnet>) -> Propagator {
        let terms = game.terms();
        let names = game.roles().iter().map(|&role| terms.show(role)).collect();
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
            roles: ByRole::new(names),
            random: game.random().map(Role::new),
            initial: Packed::of_bits(&propnet.initial),
            programs: Programs::default(),
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

    /// The network.
    pub fn propnet(&self) -> &Arc<Propnet> {
        &self.propnet
    }

    /// The moves that a role may ever make, in the natural order.
    pub fn moves(&self, role: Role) -> &[Move] {
        &self.propnet.roles[role].moves
    }

    /// Makes now what would be made when it is first needed.
    pub fn prepare(&self) {
        self.view();
        self.end();
        self.step();
        self.next_only();
    }

    /// The fluents that hold in a state, each once, in no particular order.
    pub fn holds(&self, state: &Packed) -> Vec<TermId> {
        let on = self.listing.iter().filter(|(_, bit)| bit.is_none_or(|bit| state.bit(bit)));
        on.map(|&(fluent, _)| fluent).collect()
    }

    fn view(&self) -> &View {
        self.programs.view.get_or_init(|| View::new(&self.propnet, false))
    }

    fn end(&self) -> &View {
        self.programs.end.get_or_init(|| View::new(&self.propnet, true))
    }

    fn next_only(&self) -> &Step {
        self.programs.next.get_or_init(|| Step::new(&self.propnet, true))
    }

    fn step(&self) -> &Step {
        if self.propnet.roles.values().iter().all(|role| role.percepts.is_empty()) {
            return self.next_only();
        }
        self.programs.step.get_or_init(|| Step::new(&self.propnet, false))
    }

    /// The number of bits of a state.
    fn bits(&self) -> usize {
        self.propnet.bits()
    }

    /// The planes of the view of a state.
    fn viewed<'s>(&self, state: &Packed, scratch: &'s mut Scratch) -> &'s [Lane] {
        let program = &self.view().program;
        fit(&mut scratch.view, program);
        if scratch.loaded.as_ref() != Some(state) {
            load(state, &mut scratch.view[..self.bits()]);
            scratch.loaded = Some(state.clone());
            scratch.viewed = false;
        }
        if !scratch.viewed {
            program.run(&mut scratch.view);
            scratch.viewed = true;
        }
        &scratch.view
    }

    /// Runs a step from a state.
    fn run(&self, step: &Step, state: &Packed, joint: &JointMove, planes: &mut Vec<Lane>) {
        fit(planes, &step.program);
        let (bits, moves) = planes[..step.program.inputs()].split_at_mut(self.bits());
        load(state, bits);
        moves.fill([0]);
        self.inputs_of(joint).for_each(|input| moves[input - self.bits()] = [1]);
        step.program.run(planes);
    }

    /// The inputs of the moves of a joint move.
    fn inputs_of(&self, joint: &JointMove) -> impl Iterator<Item = usize> {
        self.inputs.values().iter().zip(joint.iter()).filter_map(|(inputs, &own)| inputs.of(own))
    }

    /// What everybody perceives of a joint move in a GDL-I game.
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

/// Makes room for the planes of a program.
fn fit<const W: usize>(planes: &mut Vec<[u64; W]>, program: &Program) {
    planes.resize(program.planes(), [0; W]);
}

/// Puts a state into lane 0 of the planes of its bits.
fn load(state: &Packed, planes: &mut [Lane]) {
    for (planes, &word) in planes.chunks_mut(64).zip(state.words()) {
        planes.iter_mut().enumerate().for_each(|(bit, plane)| *plane = [word >> bit & 1]);
    }
}

/// The state in lane 0 of the planes of its bits.
fn unload(planes: &[Lane]) -> Packed {
    let word = |planes: &[Lane]| {
        planes.iter().enumerate().fold(0, |word, (bit, plane)| word | (plane[0] & 1) << bit)
    };
    Packed::collect(planes.chunks(64).map(word))
}

fn is_on(planes: &[Lane], plane: u32) -> bool {
    planes[plane as usize][0] & 1 == 1
}

impl StateMachine for Propagator {
    type State = Packed;
    type Scratch = Scratch;

    fn scratch(&self) -> Scratch {
        Scratch {
            view: Vec::new(),
            loaded: None,
            viewed: false,
            step: Vec::new(),
            stepped: None,
            next: Vec::new(),
            batch: Batch::default(),
        }
    }

    fn terms(&self) -> &TermStore {
        self.game.terms()
    }

    fn roles(&self) -> &ByRole<String> {
        &self.roles
    }

    fn random(&self) -> Option<Role> {
        self.random
    }

    fn initial(&self) -> Packed {
        self.initial.clone()
    }

    fn legal(&self, state: &Packed, role: Role, scratch: &mut Scratch, out: &mut Vec<Move>) {
        out.clear();
        let planes = self.viewed(state, scratch);
        let moves = self.propnet.roles[role].moves.iter().zip(&self.view().legal[role]);
        out.extend(moves.filter(|&(_, &plane)| is_on(planes, plane)).map(|(&own, _)| own));
    }

    fn next(&self, state: &Packed, joint: &JointMove, scratch: &mut Scratch) -> Packed {
        let known = scratch.stepped.as_ref().is_some_and(|(of, by)| of == state && by == joint);
        if !known {
            self.run(self.next_only(), state, joint, &mut scratch.next);
        }
        let (step, planes) =
            if known { (self.step(), &scratch.step) } else { (self.next_only(), &scratch.next) };
        // Whoever made a step asks about the state that it led to.
        fit(&mut scratch.view, &self.view().program);
        let bits = &mut scratch.view[..self.bits()];
        bits.iter_mut().zip(&step.next).for_each(|(bit, &plane)| *bit = planes[plane as usize]);
        let next = unload(bits);
        scratch.loaded = Some(next.clone());
        scratch.viewed = false;
        next
    }

    fn percepts(&self, state: &Packed, joint: &JointMove, role: Role, scratch: &mut Scratch) -> Percepts {
        if let Some(roles) = &self.perceived {
            return self.did(roles, joint);
        }
        if !scratch.stepped.as_ref().is_some_and(|(of, by)| of == state && by == joint) {
            self.run(self.step(), state, joint, &mut scratch.step);
            scratch.stepped = Some((state.clone(), joint.clone()));
        }
        let seen = self.step().percepts[role].iter().filter(|&&(_, plane)| is_on(&scratch.step, plane));
        Percepts::in_order(seen.map(|&(percept, _)| percept).collect::<Vec<_>>())
    }

    fn terminal(&self, state: &Packed, scratch: &mut Scratch) -> bool {
        is_on(self.viewed(state, scratch), self.view().terminal)
    }

    fn goal(&self, state: &Packed, role: Role, scratch: &mut Scratch) -> Goal {
        let planes = self.viewed(state, scratch);
        let holds = self.view().goals[role].iter().find(|&&(_, plane)| is_on(planes, plane));
        holds.map_or(Goal::default(), |&(goal, _)| goal)
    }

    fn fluents(&self, state: &Packed) -> Vec<String> {
        self.holds(state).into_iter().map(|fluent| self.terms().show(fluent)).collect()
    }
}
