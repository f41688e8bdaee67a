//! The machine of an interaction: its program behind the contract.
//!
//! Invariant: a state lists ids in increasing order, so equal sets of facts are equal states. A scratch keeps the facts
//! of the last state and the outcome of the last step that were asked about; no answer depends on it.

use std::sync::Arc;

use crate::{Interaction, Number};
use hyperplay_logic::gdl::{Game, TermId};
use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use thiserror::Error;

use super::chronon::{Chronon, Executed, set_switches};
use super::goals::BalanceScale;
use super::program::Program;
use super::solve::{Evaluation, Facts};
use hyperplay_machine::{
    Bulk, EvaluationFailure, GameSetup, Goal, JointMove, JointMoves, Move, Percept, Percepts, Role, Seed,
    State, StateMachine, StateMachineExt,
};

/// Steps that are made to find the range of the balances, and the facts that they may look at: about a second.
const EXPLORED_STEPS: usize = 20_000;
const EXPLORED_FACTS: u64 = 2_000_000;
/// The random matches, and the most chronons of each, where there are more.
const SAMPLED_MATCHES: usize = 100;
const SAMPLED_CHRONONS: usize = 200;

/// The machine of an interaction in SIDL.
///
/// ```
/// use hyperplay_machine::{JointMove, Role, StateMachine, StateMachineExt};
/// use hyperplay_sidl::{CommandFault, ExecutedOperation, InteractionMachine, InteractionScratch};
/// use hyperplay_logic::gdl::Source;
/// use hyperplay_sidl::load;
///
/// let text = "fact(state, 1). branching([nat(1), nat(2)], 0). chance(0, [0.25, 0.75]).
///     operation(nat(X)) :- state(0), ax(state(0)), next(state(X)), goal(alice, X).
///     terminal :- state(1). terminal :- state(2). init(account(alice, 0)). init(state(0)).";
/// let game = load(Source::new("nature.sidl", text)).game.expect("the text has no error");
/// let machine = InteractionMachine::new(&game);
/// let (mut scratch, start): (InteractionScratch, _) = (machine.scratch(), machine.initial());
/// assert_eq!(machine.fluents(&start), ["(account alice 0)", "(state 0)"]);
/// let random = machine.random().unwrap();
/// let legal = machine.legal_by_role(&start, &mut scratch);
/// assert_eq!(legal[random].iter().map(|&own| machine.show_move(own)).collect::<Vec<_>>(), ["(draw 0 (nat 1))", "(draw 0 (nat 2))"]);
/// let mut weights = Vec::new();
/// assert!(machine.chance_weights(&start, &mut scratch, &mut weights));
/// assert_eq!(weights, [1, 3]);
/// // The balances 0, 1 and 2 are the goals 0, 50 and 100.
/// assert_eq!(machine.goal_scale.to_string(), "goal = 50 x balance");
///
/// // Which operation a step executes; and Alice has no switch to set.
/// let joint = JointMove::new([legal[Role::new(0)][0], legal[random][1]]);
/// let executed: Vec<ExecutedOperation> = machine.executed(&start, &joint, &mut scratch);
/// assert_eq!(machine.terms().show(executed[0].operation), "(nat 2)");
/// assert_eq!(machine.command(Role::new(0), "0", "1"), Err(CommandFault::UnknownSwitch));
/// ```
#[derive(Debug)]
pub struct InteractionMachine {
    game: Game,
    program: Program,
    setup: GameSetup<State>,
    /// The map from balances to goals.
    pub goal_scale: BalanceScale,
}

/// The working memory with which one thread evaluates.
#[derive(Clone, Debug, Default)]
pub struct InteractionScratch {
    facts: Option<(State, Arc<Facts>)>,
    step: Option<(State, JointMove, State, Vec<Executed>)>,
    failure: Option<String>,
    /// Facts that steps have looked at or copied.
    work: u64,
}

/// Why a command has no effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum CommandFault {
    /// There is no such switch.
    #[error("there is no such switch")]
    UnknownSwitch,
    /// The switch belongs to another role.
    #[error("the switch belongs to another agent")]
    ForeignSwitch,
    /// The switch has no such setting.
    #[error("the switch has no such setting")]
    UnknownAlias,
}

/// An operation that a chronon executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExecutedOperation {
    /// The number of its branching, in the order of the text.
    pub branching: usize,
    /// The operation, as the branching names it.
    pub operation: TermId,
}

impl InteractionMachine {
    /// The machine of a game in SIDL, with its horizon if it has one.
    ///
    /// # Panics
    /// If the game is described in another language.
    pub fn new(game: &Game) -> InteractionMachine {
        let interaction = Interaction::of(game);
        let program = Program::new(&interaction, game.terms());
        let mut fluents = program.initial.clone();
        if game.horizon().is_some() {
            fluents.push(chronon(0, &program).expect("0 is in the range of numbers"));
        }
        let declared = interaction.balances.map(|(low, high)| BalanceScale::declared(low, high));
        let mut machine = InteractionMachine {
            game: game.clone(),
            program,
            setup: game.setup(State::of_fluents(fluents)),
            goal_scale: BalanceScale::declared(Number::from(0), Number::from(1)),
        };
        machine.goal_scale = declared.unwrap_or_else(|| machine.explore());
        machine
    }

    /// The game.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// The balance of a role; 0 for `random`.
    pub fn balance(&self, state: &State, role: Role) -> Number {
        let terms = self.game.terms();
        let Some(&agent) = self.program.agents.get(role.index()) else { return Number::from(0) };
        let is_own = |fluent: &&TermId| {
            terms.functor(**fluent) == self.program.words.account && terms.arguments(**fluent)[0] == agent
        };
        let fluent = state.fluents().iter().find(is_own);
        fluent.and_then(|&fluent| self.program.numbers.number(terms.arguments(fluent)[1])).unwrap_or_default()
    }

    /// The operations that a step executes, in order.
    pub fn executed(
        &self,
        state: &State,
        joint: &JointMove,
        scratch: &mut InteractionScratch,
    ) -> Vec<ExecutedOperation> {
        self.next(state, joint, scratch);
        let executed = scratch.step.iter().flat_map(|(.., executed)| executed);
        let named = |&(branching, place): &Executed| {
            let operation = self.program.branchings[branching].operations[place].term;
            ExecutedOperation { branching, operation }
        };
        executed.map(named).collect()
    }

    /// The facts of a state that a role sees, in the natural order of terms. `random` sees nothing.
    pub fn visible(&self, state: &State, role: Role, scratch: &mut InteractionScratch) -> Vec<TermId> {
        self.terms().sorted(self.visible_ids(state, role, scratch))
    }

    /// The legal move that has the effect of these commands, each an identifier of a switch and an alias, of which the
    /// last for a switch counts; `None` if one of them is for no switch of the role, or for no alias of its switch.
    pub fn move_of_commands(
        &self,
        state: &State,
        role: Role,
        commands: &[(TermId, TermId)],
        scratch: &mut InteractionScratch,
    ) -> Option<Move> {
        let facts = self.facts(state, scratch);
        let wanted: Option<Vec<(usize, usize)>> =
            (commands.iter()).map(|&(id, alias)| self.program.command(role.index(), id, alias)).collect();
        let wanted = self.settings_after(&facts, wanted?);
        let mut legal = Vec::new();
        self.legal(state, role, scratch, &mut legal);
        let is_own = |switch: &usize| self.program.switches[*switch].owner == role.index();
        let own: Vec<usize> = (0..wanted.len()).filter(is_own).collect();
        // A setting that is not listed can do nothing in this chronon, and neither can the one that stands for it.
        let target: Vec<Option<usize>> = (own.iter())
            .map(|&switch| {
                let (options, idle) = self.program.settings(switch, &facts);
                let now = self.program.setting(switch, &facts);
                let is_listed = options.iter().any(|&option| option.or(now) == wanted[switch]);
                if is_listed { wanted[switch] } else { idle }
            })
            .collect();
        legal.into_iter().find(|own_move| {
            let commands = self.program.commands(role.index(), &own_move.0).collect();
            let settings = self.settings_after(&facts, commands);
            own.iter().zip(&target).all(|(&switch, &target)| settings[switch] == target)
        })
    }

    /// The settings of a state after some commands.
    fn settings_after(&self, facts: &Facts, commands: Vec<(usize, usize)>) -> Vec<Option<usize>> {
        let mut settings: Vec<Option<usize>> =
            (0..self.program.switches.len()).map(|switch| self.program.setting(switch, facts)).collect();
        commands.into_iter().for_each(|(switch, place)| settings[switch] = Some(place));
        settings
    }

    /// The switch and the setting that a command of a role names.
    ///
    /// # Errors
    /// Why it names none.
    pub fn command(&self, role: Role, switch: &str, alias: &str) -> Result<(TermId, TermId), CommandFault> {
        let id = self.terms().read(switch).ok_or(CommandFault::UnknownSwitch)?;
        let switch =
            self.program.switches.iter().find(|it| it.id == id).ok_or(CommandFault::UnknownSwitch)?;
        if switch.owner != role.index() {
            return Err(CommandFault::ForeignSwitch);
        }
        let alias = self.terms().read(alias).filter(|alias| switch.aliases.contains(alias));
        Ok((id, alias.ok_or(CommandFault::UnknownAlias)?))
    }

    /// The switches of a role with their settings in a state, if they are set, and all settings that they can have.
    pub fn switches_of(&self, role: Role, state: &State) -> Vec<(TermId, Option<TermId>, Vec<TermId>)> {
        let facts = Facts::new(state.fluents().iter().copied(), self.terms());
        let each = self.program.switches.iter().enumerate();
        each.filter(|(_, switch)| switch.owner == role.index())
            .map(|(place, switch)| {
                let setting = self.program.setting(place, &facts);
                (switch.id, setting.map(|setting| switch.aliases[setting]), switch.aliases.clone())
            })
            .collect()
    }

    /// The commands that a move of a role stands for: switches and settings.
    pub fn commands_of(&self, role: Role, own: Move) -> Vec<(TermId, TermId)> {
        let commands = self.program.commands(role.index(), &own.0);
        commands
            .map(|(switch, place)| {
                let it = &self.program.switches[switch];
                (it.id, it.aliases[place])
            })
            .collect()
    }

    fn facts(&self, state: &State, scratch: &mut InteractionScratch) -> Arc<Facts> {
        match &scratch.facts {
            Some((of, facts)) if of == state => Arc::clone(facts),
            _ => {
                let facts = Arc::new(Facts::new(state.fluents().iter().copied(), self.terms()));
                scratch.facts = Some((state.clone(), Arc::clone(&facts)));
                facts
            }
        }
    }

    fn visible_ids(&self, state: &State, role: Role, scratch: &mut InteractionScratch) -> Vec<TermId> {
        if Some(role) == self.setup.random {
            return Vec::new();
        }
        let facts = self.facts(state, scratch);
        let mut evaluation = Evaluation::new(&self.program);
        let seen = self.program.visible(role.index(), &facts, &mut evaluation);
        note(evaluation.failure, scratch);
        seen
    }

    fn step(
        &self,
        state: &State,
        joint: &JointMove,
        scratch: &mut InteractionScratch,
    ) -> (State, Vec<Executed>) {
        let mut facts = (*self.facts(state, scratch)).clone();
        let commands = (0..self.program.agents.len())
            .flat_map(|agent| self.program.commands(agent, &joint[agent].0))
            .collect();
        let settings = self.settings_after(&facts, commands);
        let draws = match self.setup.random {
            Some(random) => self.program.drawn(joint.of(random).0, &facts),
            None => Vec::new(),
        };
        let mut evaluation = Evaluation::new(&self.program);
        set_switches(&mut facts, &settings, &evaluation);
        let (mut facts, executed) = Chronon::run(&mut evaluation, facts, &settings, &draws);
        scratch.work += evaluation.visits + facts.len() as u64;
        note(evaluation.failure, scratch);
        let mut fluents: Vec<TermId> = Vec::new();
        if self.game.horizon().is_some() {
            let now = self.chronon(state).unwrap_or_default();
            facts.retain(self.program.words.chronon, |_| false);
            fluents.extend(chronon(i64::from(now) + 1, &self.program));
        }
        fluents.extend(facts.all());
        (State::of_fluents(fluents), executed)
    }

    /// The chronon of a state of a machine with a horizon.
    fn chronon(&self, state: &State) -> Option<u32> {
        let terms = self.game.terms();
        let is_chronon = |fluent: &&TermId| {
            terms.functor(**fluent) == self.program.words.chronon && terms.arguments(**fluent).len() == 1
        };
        let fluent = state.fluents().iter().find(is_chronon)?;
        u32::try_from(self.program.numbers.number(terms.arguments(*fluent)[0])?.to_integer()).ok()
    }

    /// The scale of the balances that can be reached: of all states, or of as many as the limit allows and of some
    /// random matches.
    fn explore(&self) -> BalanceScale {
        let mut scratch = self.scratch();
        let mut found = IndexSet::<State, FxBuildHasher>::from_iter([self.setup.initial.clone()]);
        let (mut place, mut steps) = (0, 0);
        while place < found.len() && steps < EXPLORED_STEPS && scratch.work < EXPLORED_FACTS {
            let state = found[place].clone();
            place += 1;
            if self.terminal(&state, &mut scratch) {
                continue;
            }
            for joint in JointMoves::new(&self.legal_by_role(&state, &mut scratch)) {
                steps += 1;
                found.insert(self.next(&state, &joint, &mut scratch));
                if steps >= EXPLORED_STEPS || scratch.work >= EXPLORED_FACTS {
                    break;
                }
            }
        }
        let is_complete = place == found.len() && steps < EXPLORED_STEPS && scratch.work < EXPLORED_FACTS;
        for number in 0..if is_complete { 0 } else { SAMPLED_MATCHES } {
            let mut rng = Seed::root(0).child("balances").index(number).rng();
            let mut state = self.setup.initial.clone();
            for _ in 0..SAMPLED_CHRONONS {
                if self.terminal(&state, &mut scratch) || scratch.work >= 2 * EXPLORED_FACTS {
                    break;
                }
                let Some(joint) = self.random_joint(&state, &mut scratch, &mut rng) else { break };
                state = self.next(&state, &joint, &mut scratch);
                found.insert(state.clone());
            }
        }
        let of_state =
            |state| (0..self.program.agents.len()).map(move |agent| self.balance(state, Role::new(agent)));
        BalanceScale::of_balances(found.iter().flat_map(of_state), is_complete)
    }
}

/// The fluent that counts chronons; `None` beyond the numbers of the game.
fn chronon(number: i64, program: &Program) -> Option<TermId> {
    let number = program.numbers.term(Number::from(number))?;
    Some(program.terms.intern(program.words.chronon, &[number]))
}

/// Keeps the first failure for the owner of the scratch.
fn note(failure: Option<String>, scratch: &mut InteractionScratch) {
    if let Some(failure) = failure {
        scratch.failure.get_or_insert(failure);
    }
}

impl StateMachine for InteractionMachine {
    type State = State;
    type Scratch = InteractionScratch;

    fn scratch(&self) -> InteractionScratch {
        InteractionScratch::default()
    }

    fn setup(&self) -> &GameSetup<State> {
        &self.setup
    }

    fn legal(&self, state: &State, role: Role, scratch: &mut InteractionScratch, out: &mut Vec<Move>) {
        out.clear();
        let (facts, terms) = (self.facts(state, scratch), self.terms());
        let moves = match Some(role) == self.setup.random {
            true => {
                self.program.random_moves(&facts).map(|moves| moves.into_iter().map(|(own, _)| own).collect())
            }
            false => self.program.moves(role.index(), &facts),
        };
        if moves.is_none() {
            note(Some(format!("{} has more moves than are kept", self.setup.roles[role])), scratch);
        }
        out.extend(moves.unwrap_or_default().into_iter().map(Move));
        out.sort_unstable_by(|&a, &b| terms.compare(a.0, b.0));
    }

    fn chance_weights(&self, state: &State, scratch: &mut InteractionScratch, out: &mut Vec<u64>) -> bool {
        out.clear();
        if self.setup.random.is_none() {
            return false;
        }
        let (facts, terms) = (self.facts(state, scratch), self.terms());
        let mut moves = self.program.random_moves(&facts).unwrap_or_default();
        moves.sort_unstable_by(|(a, _), (b, _)| terms.compare(*a, *b));
        if moves.windows(2).all(|pair| pair[0].1 == pair[1].1) {
            return false;
        }
        out.extend(moves.into_iter().map(|(_, weight)| weight));
        true
    }

    fn next(&self, state: &State, joint: &JointMove, scratch: &mut InteractionScratch) -> State {
        if let Some((before, of, after, _)) = &scratch.step
            && before == state
            && of == joint
        {
            return after.clone();
        }
        let (after, executed) = self.step(state, joint, scratch);
        scratch.step = Some((state.clone(), joint.clone(), after.clone(), executed));
        after
    }

    fn percepts(
        &self,
        state: &State,
        joint: &JointMove,
        role: Role,
        scratch: &mut InteractionScratch,
    ) -> Percepts {
        let (terms, words) = (self.terms(), &self.program.words);
        let before = self.visible_ids(state, role, scratch);
        let after = self.next(state, joint, scratch);
        let after = self.visible_ids(&after, role, scratch);
        let only = |these: &[TermId], those: &[TermId], functor| -> Vec<Percept> {
            let new = these.iter().filter(|fact| those.binary_search(fact).is_err());
            new.map(|&fact| Percept(terms.intern(functor, &[fact]))).collect()
        };
        let mut percepts = only(&after, &before, words.appears);
        percepts.extend(only(&before, &after, words.vanishes));
        Percepts::new(percepts, |a, b| terms.compare(a.0, b.0))
    }

    fn terminal(&self, state: &State, scratch: &mut InteractionScratch) -> bool {
        if let Some(horizon) = self.game.horizon()
            && self.chronon(state).is_none_or(|now| now >= horizon)
        {
            return true;
        }
        let facts = self.facts(state, scratch);
        let mut evaluation = Evaluation::new(&self.program);
        let mut terminal = self.program.terminal.iter();
        let is_over =
            terminal.any(|over| evaluation.first(&over.conditions, &over.bindings, &facts).is_some());
        note(evaluation.failure, scratch);
        is_over || scratch.failure.is_some()
    }

    fn goal(&self, state: &State, role: Role, _scratch: &mut InteractionScratch) -> Goal {
        let is_random = Some(role) == self.setup.random;
        if is_random { Goal::default() } else { self.goal_scale.goal(self.balance(state, role)) }
    }

    fn fluents(&self, state: &State) -> Vec<String> {
        let fluents = self.terms().sorted(state.fluents().iter().copied());
        fluents.into_iter().map(|fluent| self.terms().show(fluent)).collect()
    }

    fn take_failure(&self, scratch: &mut InteractionScratch) -> Option<EvaluationFailure> {
        let reason = scratch.failure.take()?;
        *scratch = InteractionScratch::default();
        Some(EvaluationFailure { reason })
    }
}

impl Bulk for InteractionMachine {}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_logic::gdl::Source;
    use std::fmt::Write as _;

    fn machine(text: &str) -> InteractionMachine {
        let loaded = crate::load(Source::new("test.sidl", text));
        InteractionMachine::new(&loaded.game.unwrap_or_else(|| panic!("{:?}", loaded.findings)))
    }

    #[test]
    fn a_machine_of_many_facts_is_made_soon() {
        // Every chronon joins the facts with themselves, so that exploring many states would take minutes.
        let mut text = "fact(p, 1). fact(n, 1). fact(q, 0). init(n(0)). init(account(a, 0)).
            branching([step], nil). operation(step) :- p(X), p(Y), X > Y, n(K), K < 9000, Y > 2000, ax(n(K)), next(n(K + 1)).
            branching([count], nil). operation(count) :- n(K), next(n(K + 1)), ax(n(K)), goal(a, 1).
            terminal :- q. branching([end], nil). operation(end) :- n(9000), next(q).".to_owned();
        for number in 0..1500 {
            write!(text, " init(p({number})).").unwrap();
        }
        let start = std::time::Instant::now();
        let machine = machine(&text);
        assert!(!machine.goal_scale.is_complete);
        assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
    }

    #[test]
    fn a_number_that_leaves_the_range_is_a_failure_and_no_panic() {
        let machine = machine(
            "fact(n, 1). init(n(9999)). branching([up], nil). operation(up) :- n(X), ax(n(X)), next(n(X * 2)), goal(a, X).
            terminal :- n(1). init(account(a, 0)). fact(m, 0).",
        );
        let (mut scratch, start) = (machine.scratch(), machine.initial());
        let legal = machine.legal_by_role(&start, &mut scratch);
        let joint = JointMoves::new(&legal).next().unwrap();
        machine.next(&start, &joint, &mut scratch);
        let failure = machine.take_failure(&mut scratch).unwrap();
        assert!(failure.reason.contains("leaves the range"), "{failure}");
    }

    #[test]
    fn settings_that_cannot_act_are_one_move_and_commands_find_it() {
        // Before the signal neither setting of the switch can do anything, which its owner sees.
        let machine = machine(
            "fact(signal, 0). fact(begin, 0). fact(over, 0). init(begin). init(account(a, 0)).
            switch(s, a, [rest, go, stop]). momentary(s). init(does(s, rest)). branching([rest, go, stop], s).
            operation(rest) :- false. operation(go) :- signal, next(over). operation(stop) :- signal, next(over), goal(a, 1).
            branching([wave], nil). operation(wave) :- begin, ax(begin), next(signal). terminal :- over.",
        );
        let (mut scratch, role) = (machine.scratch(), Role::new(0));
        let start = machine.initial();
        let shown = |machine: &InteractionMachine, state: &State, scratch: &mut InteractionScratch| {
            let mut legal = Vec::new();
            machine.legal(state, role, scratch, &mut legal);
            legal.into_iter().map(|own| machine.show_move(own)).collect::<Vec<_>>()
        };
        assert_eq!(shown(&machine, &start, &mut scratch), ["nothing"]);
        let go = machine.command(role, "s", "go").unwrap();
        let own = machine.move_of_commands(&start, role, &[go], &mut scratch).unwrap();
        assert_eq!(machine.show_move(own), "nothing");
        let after = machine.next(&start, &JointMove::new([own]), &mut scratch);
        assert_eq!(shown(&machine, &after, &mut scratch), ["nothing", "(set s go)", "(set s stop)"]);
        // The last command for a switch counts.
        let stop = machine.command(role, "s", "stop").unwrap();
        let own = machine.move_of_commands(&after, role, &[go, stop], &mut scratch).unwrap();
        assert_eq!(machine.show_move(own), "(set s stop)");
    }
}
