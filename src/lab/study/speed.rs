//! Speed: how much an engine does in a second of processor time of one thread.
//!
//! There are five kinds of work: random playouts from the initial state, given in bulk; expansions in bulk, of steps
//! met in random matches (successor, percepts of all roles, goals at an end); the same steps one by one, each with
//! all queries about the state it leads to (legal moves of all roles, end, goals); all children of the states met,
//! node by node, with as much of each child; and the same children in bulk, each compared with what a role perceived
//! of the step that was made, as a belief does.
//!
//! The time is the processor time of the thread and not the wall time, so other programs change it little. The seed
//! determines what is played but not how much, so the counts vary.

use std::time::Duration;

use cpu_time::ThreadTime;

use hyperplay_engine::lanes::LaneUsage;
use hyperplay_engine::{Engine, EngineScratch};
use hyperplay_machine::{
    Budget, Bulk, ByRole, Evaluated, JointMove, JointMoves, Move, Percepts, Role, Seed, Start, State,
    StateMachine, StateMachineExt,
};

/// Steps that are expanded at once, if that number is met in the time.
const STEPS: usize = 2048;
/// The most children of a node that are looked at.
const CHILDREN: usize = 256;
/// Nodes whose children are expanded at once.
const NODES: usize = 256;
/// The longest match from which steps are taken.
const LONGEST: usize = 1000;
/// The share of the time that one call of playouts may take before calls grow no more.
const CALL: f64 = 0.2;
/// The most playouts in one call.
const PLAYOUTS: u32 = 1 << 22;

/// Work done and the time it took.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Rate {
    /// How many.
    pub count: u64,
    /// Seconds of processor time, of all threads together.
    pub seconds: f64,
}

impl Rate {
    /// How many in a second of one thread; 0 if nothing was done.
    pub fn per_second(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.count as f64 / self.seconds.max(1e-9) }
    }

    fn join(&mut self, other: Rate) {
        self.count += other.count;
        self.seconds += other.seconds;
    }
}

/// The work of an engine.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Speed {
    /// Random playouts.
    pub playouts: Rate,
    /// Steps in these playouts.
    pub steps: Rate,
    /// Successors with percepts and goals, in bulk.
    pub expansions: Rate,
    /// Single steps with all queries about the state after them.
    pub singles: Rate,
    /// Children of nodes, all of a node at once, with all queries about them.
    pub children: Rate,
    /// Successors in bulk, each compared with what a role perceived.
    pub comparisons: Rate,
    /// The sum of the goals of each role over the playouts.
    pub goals: Vec<u64>,
    /// How the lanes were used; nothing on an engine without lanes.
    pub lanes: Option<LaneUsage>,
}

impl Speed {
    fn used(&mut self, more: LaneUsage) {
        let LaneUsage { steps, places } = self.lanes.unwrap_or_default();
        self.lanes = Some(LaneUsage { steps: steps + more.steps, places: places + more.places });
    }

    /// All rates, by the name of the work and that of its rate.
    pub fn rates(&self) -> [(&'static str, &'static str, Rate); 6] {
        [
            ("playouts", "playouts_per_second", self.playouts),
            ("steps", "steps_per_second", self.steps),
            ("expansions", "expansions_per_second", self.expansions),
            ("single_steps", "single_steps_per_second", self.singles),
            ("children", "children_per_second", self.children),
            ("comparisons", "comparisons_per_second", self.comparisons),
        ]
    }

    /// Adds what another thread has done.
    pub fn join(&mut self, other: &Speed) {
        let Speed { playouts, steps, expansions, singles, children, comparisons, .. } = self;
        let own = [playouts, steps, expansions, singles, children, comparisons];
        own.into_iter().zip(other.rates()).for_each(|(sum, (_, _, more))| sum.join(more));
        self.goals.resize(other.goals.len(), 0);
        self.goals.iter_mut().zip(&other.goals).for_each(|(sum, more)| *sum += more);
        other.lanes.into_iter().for_each(|usage| self.used(usage));
    }
}

/// Measures an engine on the thread at hand.
pub struct Measure<'a> {
    /// How long each kind of work is measured; at least one piece of work is done.
    pub time: Duration,
    /// The seed of the matches that are played.
    pub seed: Seed,
    /// Called between two pieces of work; the measurement ends early if it returns true.
    pub stop: &'a dyn Fn() -> bool,
}

impl Measure<'_> {
    /// Does all kinds of work on an engine, each for the time given.
    ///
    /// # Errors
    /// If an evaluation of the rules met a limit.
    pub fn of(&self, engine: &Engine) -> Evaluated<Speed> {
        let mut speed = Speed::default();
        let mut scratch = engine.scratch();
        self.playouts(engine, &mut scratch, &mut speed);
        self.steps(engine, &mut scratch, &mut speed);
        engine.take_failure(&mut scratch).map_or(Ok(speed), Err)
    }
}

/// A state with the joint moves in it, and what a role perceived of one of them.
struct Node<'a> {
    state: &'a State,
    /// The first [`CHILDREN`] of all.
    joints: Vec<JointMove>,
    observer: Role,
    seen: Percepts,
}

impl<'a> Node<'a> {
    fn new(machine: &Engine, state: &'a State, made: &JointMove, scratch: &mut EngineScratch) -> Self {
        let observer = machine.each_role().find(|&role| Some(role) != machine.random());
        let observer = observer.expect("somebody plays");
        let seen = machine.percepts(state, made, observer, scratch);
        let legal = machine.legal_by_role(state, scratch);
        Node { state, joints: JointMoves::new(&legal).take(CHILDREN).collect(), observer, seen }
    }

    fn steps(&self) -> impl Iterator<Item = (&'a State, &JointMove)> {
        self.joints.iter().map(|joint| (self.state, joint))
    }
}

/// Makes all queries about a state.
fn ask(machine: &Engine, state: &State, scratch: &mut EngineScratch, legal: &mut Vec<Move>) {
    let mut moves = 0;
    for role in machine.each_role() {
        machine.legal(state, role, scratch, legal);
        moves += legal.len();
    }
    let goals: ByRole<_> = machine.goals(state, scratch);
    std::hint::black_box((moves, machine.terminal(state, scratch), goals));
}

impl Measure<'_> {
    fn is_over(&self, rate: Rate) -> bool {
        rate.count > 0 && (rate.seconds >= self.time.as_secs_f64() || (self.stop)())
    }

    fn playouts(&self, machine: &Engine, scratch: &mut EngineScratch, speed: &mut Speed) {
        speed.goals = vec![0; machine.roles().len()];
        let initial = machine.initial();
        if machine.terminal(&initial, scratch) {
            return;
        }
        let (seed, mut count) = (self.seed.child("playouts"), 1);
        for call in 0.. {
            let start = Start { state: initial.clone(), first: Vec::new(), weights: None, count };
            let since = ThreadTime::now();
            let (tallies, lanes) =
                machine.measured_playouts(&[start], &seed.index(call), &Budget::UNLIMITED, scratch);
            let took = since.elapsed().as_secs_f64();
            for tally in &tallies {
                speed.playouts.count += u64::from(tally.count);
                speed.steps.count += tally.steps;
                speed.goals.iter_mut().zip(tally.sum.values().iter()).for_each(|(sum, more)| *sum += more);
            }
            speed.playouts.seconds += took;
            speed.steps.seconds += took;
            lanes.into_iter().for_each(|usage| speed.used(usage));
            if self.is_over(speed.playouts) {
                return;
            }
            if took < CALL * self.time.as_secs_f64() && count < PLAYOUTS {
                count *= 2;
            }
        }
    }

    /// Repeats a piece of work, which says how much it did.
    fn repeat(&self, rate: &mut Rate, mut work: impl FnMut() -> usize) {
        loop {
            let since = ThreadTime::now();
            let count = work() as u64;
            rate.join(Rate { count, seconds: since.elapsed().as_secs_f64() });
            if count == 0 || self.is_over(*rate) {
                return;
            }
        }
    }

    fn steps(&self, machine: &Engine, scratch: &mut EngineScratch, speed: &mut Speed) {
        let steps = self.met(machine, scratch);
        let asked: Vec<(&State, &JointMove)> = steps.iter().map(|(state, joint)| (state, joint)).collect();
        let nodes: Vec<Node<'_>> =
            steps.iter().map(|(state, joint)| Node::new(machine, state, joint, scratch)).collect();
        let mut legal: Vec<Move> = Vec::new();
        self.repeat(&mut speed.expansions, || machine.expand(&asked, scratch).len());
        self.repeat(&mut speed.singles, || {
            for (state, joint) in &asked {
                ask(machine, &machine.next(state, joint, scratch), scratch, &mut legal);
            }
            asked.len()
        });
        let mut each = nodes.iter().cycle();
        self.repeat(&mut speed.children, || {
            let Some(node) = each.next() else { return 0 };
            let children = machine.advance(&node.steps().collect::<Vec<_>>(), scratch);
            children.iter().for_each(|(child, _)| ask(machine, child, scratch, &mut legal));
            children.len()
        });
        let mut each = nodes.chunks(NODES).cycle();
        self.repeat(&mut speed.comparisons, || {
            let Some(nodes) = each.next() else { return 0 };
            let asked: Vec<_> = nodes.iter().flat_map(Node::steps).collect();
            let mut successors = machine.expand(&asked, scratch).into_iter();
            for node in nodes {
                let own = successors.by_ref().take(node.joints.len());
                let agree = own.filter(|successor| successor.percepts[node.observer] == node.seen);
                std::hint::black_box(agree.count());
            }
            asked.len()
        });
    }

    /// Steps of random matches, as many as are met in a quarter of the time but no more than [`STEPS`].
    fn met(&self, machine: &Engine, scratch: &mut EngineScratch) -> Vec<(State, JointMove)> {
        let (seed, since) = (self.seed.child("steps"), ThreadTime::now());
        let mut steps = Vec::new();
        for index in 0..STEPS {
            let (mut rng, mut state) = (seed.index(index).rng(), machine.initial());
            for _ in 0..LONGEST {
                let late = !steps.is_empty() && since.elapsed() >= self.time / 4;
                if late || steps.len() == STEPS {
                    return steps;
                }
                if machine.terminal(&state, scratch) {
                    break;
                }
                let Some(joint) = machine.random_joint(&state, scratch, &mut rng) else { break };
                let next = machine.next(&state, &joint, scratch);
                steps.push((std::mem::replace(&mut state, next), joint));
            }
        }
        steps
    }
}
