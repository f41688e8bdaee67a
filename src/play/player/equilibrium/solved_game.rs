//! A game that was solved: its tree, the average policies, and the knowledge of a role as the way to them.

use rayon::ThreadPoolBuilder;

use hyperplay_engine::Engine;
use hyperplay_machine::{Budget, ByRole, Evidence, Role, StateMachine as _, note_shared_work};
use hyperplay_think::solve::{
    EvidenceIndex, GameTree, MoveValues, Profile, RegretMinimiser, RegretRule, SequenceForm, SolveLimits,
    SolvePoint, TreeLimits, solve,
};

/// How far a player solves its game.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct SolveEffort {
    /// NashConv at which it ends, in goal points.
    pub(super) nash_conv: f64,
    /// The most iterations.
    pub(super) iterations: u64,
    /// The most nodes of the tree.
    pub(super) nodes: usize,
    /// Whether to solve only what has an equilibrium that is reached in time.
    pub(super) careful: bool,
}

/// The share of the time in which the tree must be built.
const BUILD_SHARE: f64 = 0.4;

/// The share of the time in which it is solved; the rest is for the tables of the solution.
const SOLVE_SHARE: f64 = 0.8;

/// A careful player takes a profile for an equilibrium up to this NashConv, in goal points.
const NEAR: f64 = 5.0;

/// A game that was solved, or why it was not, in words that follow "no equilibrium: ".
pub(super) type Solved = Result<SolvedGame, String>;

/// A solved game.
pub(super) struct SolvedGame {
    /// The tree.
    pub(super) tree: GameTree,
    profile: Profile,
    indexes: ByRole<EvidenceIndex>,
    values: ByRole<MoveValues>,
    point: SolvePoint,
}

/// The advice of an equilibrium for one information set: shares and values of the moves, in the order of the tree.
pub(super) struct Advice<'a> {
    pub(super) shares: &'a [f64],
    /// NaN where no play of the others leads here.
    pub(super) values: &'a [f64],
}

impl SolvedGame {
    /// Solves the game on a machine.
    pub(super) fn solve(machine: &Engine, effort: &SolveEffort, budget: &Budget) -> Solved {
        // A pool of its own: the threads of the caller's may all be waiting for this solution.
        let pool = ThreadPoolBuilder::new()
            .num_threads(rayon::current_num_threads())
            .build()
            .map_err(|cause| format!("no threads: {cause}"))?;
        let work = || pool.install(|| SolvedGame::solve_here(machine, effort, budget));
        note_shared_work();
        // Nor may this thread take up other work of the caller's pool while it waits.
        std::thread::scope(|scope| scope.spawn(work).join())
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }

    fn solve_here(machine: &Engine, effort: &SolveEffort, budget: &Budget) -> Solved {
        let (for_building, for_solving) = (budget.share(BUILD_SHARE), budget.share(SOLVE_SHARE));
        let visits = budget.nodes.unwrap_or(u64::MAX);
        let nodes = effort.nodes.min(usize::try_from(visits).unwrap_or(usize::MAX));
        let stop = |_| for_building.is_late();
        let limits = TreeLimits { nodes, stop: &stop, deadline: for_building.deadline };
        let tree = GameTree::build(machine, &limits).map_err(|error| error.to_string())?;
        let form = SequenceForm::new(&tree, 1.0);
        if effort.careful {
            refuse(&form)?;
        }
        let mut minimisers = RegretRule::PORTFOLIO.map(|rule| RegretMinimiser::new(&form, rule));
        let limits = SolveLimits {
            nash_conv: effort.nash_conv,
            // Each iteration of each minimiser visits every node.
            iterations: effort.iterations.min((visits / (tree.len() * minimisers.len()) as u64).max(1)),
            budget: for_solving,
            stop: &|| false,
        };
        let solution = solve(&form, &mut minimisers, &limits, |_| ());
        let (profile, point) = (solution.profile, solution.point);
        if effort.careful && point.verdict.nash_conv > NEAR {
            return Err(format!(
                "after {} iterations NashConv is still {:.1} goal points",
                point.iterations, point.verdict.nash_conv
            ));
        }
        let roles = machine.roles().len();
        let indexes = ByRole::from_fn(roles, |role| EvidenceIndex::new(&tree, role));
        // `random` asks for no values.
        let values = ByRole::from_fn(roles, |role| match tree.random == Some(role) {
            true => MoveValues { value: 0.0, moves: Vec::new() },
            false => MoveValues::new(&tree, &profile, role),
        });
        Ok(SolvedGame { tree, profile, indexes, values, point })
    }

    /// The advice for this evidence; none where the role has nothing to decide or its evidence is not in the tree.
    pub(super) fn advice(&self, evidence: &Evidence) -> Option<(usize, Advice<'_>)> {
        let set = self.indexes[evidence.role].find(&self.tree, evidence)?;
        let values = &self.values[evidence.role].moves[self.tree.sets()[set].range()];
        Some((set, Advice { shares: self.profile.of(&self.tree, set), values }))
    }

    /// The solution in a sentence, for a role.
    pub(super) fn describe(&self, role: Role) -> String {
        let SolvePoint { method, iterations, verdict, .. } = &self.point;
        let faults: String =
            self.tree.faults().iter().map(|fault| format!("; the rules have a fault: {fault}")).collect();
        format!(
            "equilibrium of {} histories: {iterations} iterations of {method}, NashConv {:.2e} goal points, value {:.3}{faults}",
            self.tree.len(),
            verdict.nash_conv,
            self.values[role].value
        )
    }
}

/// Whether a game has equilibria that regret minimisation finds; if not, why not.
fn refuse(form: &SequenceForm) -> Result<(), String> {
    match (form.player_count(), form.constant_sum) {
        (0 | 1, _) | (2, Some(_)) => Ok(()),
        (2, None) => Err("the goals of the two roles have no constant sum".to_owned()),
        (players, _) => {
            Err(format!("{players} roles decide, and only with two is an equilibrium safe to play"))
        }
    }
}
