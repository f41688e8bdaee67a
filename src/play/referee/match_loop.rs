//! One match: the loop of the game master.
//!
//! If another program has a seat, all players are told first that the match begins, and have the start clock to
//! prepare; such programs are also told of the end. Each step asks every role for a move, replaces moves that are late,
//! illegal or missing after a crash, makes the joint move, and gives each role its percepts. The loop ends at a
//! terminal state. Everything that a role knows is in its [`Evidence`], which grows by the move that was recorded for
//! it (a replacement too) and by its percepts; nothing else reaches a player.
//!
//! Streams below the seed of the match, n being the number of joint moves made before: `random/n` for the role that
//! chooses uniformly, `role/NAME/step/n` for a player, `role/NAME/prepare` for its preparation, `role/NAME/fault/n` for
//! a replacement. So the moves of `random` do not depend on who plays. A match without clocks is a function of machine,
//! players and seed.
//!
//! A fault of the rules ends the match with a [`MatchOutcome`]; an error of a player is a [`Fault`].

use std::sync::Arc;
use std::time::Duration;

use rand::RngExt;

use super::actor::{Actor, Preparation, Question};
use super::running::{Answers, RunningMatch};
use super::{ClockTurn, Clocks, Fault, FaultKind, Interrupt, Match, MatchOutcome, MatchStep, Substitute};
use crate::player::{Seat, ThoughtAhead};
use hyperplay_machine::terms::fold;
use hyperplay_machine::{
    Budget, ByRole, CancelFlag, Evidence, JointMove, Move, PLAYOUT_STEPS, Role, Seed, StateMachine,
    StateMachineExt,
};

/// How a match is played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The clocks, if any.
    pub clocks: Option<Clocks>,
    /// Roles with clocks of their own; only where there are clocks.
    pub own_clocks: Vec<(Role, Clocks)>,
    /// States that a player may visit in one decision, if limited.
    pub nodes: Option<u64>,
    /// The match ends unfinished after this number of steps.
    pub limit: usize,
    /// Which move stands in for one that did not come.
    pub on_fault: Substitute,
    /// A player that has had this number of faults is not asked any more; if this is not given, it is asked to the end.
    pub strikes: Option<usize>,
    /// The name of the match, for other programs.
    pub id: String,
    /// How long after its clock an answer of another program still counts; it is not told of this.
    pub grace: Duration,
    /// Whether players think ahead between their decisions, where there are clocks, not too short, and no limit in states.
    pub think_ahead: bool,
    /// How long the match rests after each step.
    pub pause: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            clocks: None,
            own_clocks: Vec::new(),
            nodes: None,
            limit: PLAYOUT_STEPS,
            on_fault: Substitute::default(),
            strikes: None,
            id: "match".to_owned(),
            grace: Duration::ZERO,
            think_ahead: true,
            pause: Duration::ZERO,
        }
    }
}

impl Settings {
    /// Whether players use the time between their decisions.
    pub fn thinks_ahead(&self) -> bool {
        self.think_ahead && ThoughtAhead::is_done(self.clocks.map(|clocks| clocks.play), self.nodes.is_some())
    }

    /// The clocks of a role, if there are clocks.
    pub fn clocks_of(&self, role: Role) -> Option<Clocks> {
        let own = self.own_clocks.iter().find(|(of, _)| *of == role).map(|&(_, clocks)| clocks);
        self.clocks.map(|clocks| own.unwrap_or(clocks))
    }
}

/// Plays one match. `players` holds a player for every role but `random`; `watch` is called after each step. An interrupt ends
/// it after a step, and at once if its [budget](Interrupt::within) can be cancelled.
///
/// ```
/// use hyperplay_machine::{ByRole, Goal, Role, Seed};
/// use hyperplay_play::player::{LegalPlayer, Seat};
/// use hyperplay_play::referee::{Interrupt, Match, MatchOutcome, MatchStep, Settings, play_match};
///
/// # use hyperplay_engine::{EngineKind, Engines};
/// # use hyperplay_logic::gdl::{Source, load};
/// // One role says yes, and wins, or no.
/// let text = "(role me) (init asked) (legal me yes) (legal me no)
///     (<= (next said_yes) (does me yes)) (<= terminal (not (true asked)))
///     (<= (goal me 100) (true said_yes)) (<= (goal me 0) (not (true said_yes)))";
/// let game = load(Source::new("yes", text), None).game.expect("the rules are in order");
/// let machine = Engines::new(&game).get(EngineKind::Auto)?;
/// let seats = ByRole::new(vec![Some(Seat::player(LegalPlayer))]);
/// let mut steps = 0;
/// let watch = |_: &MatchStep| steps += 1;
/// let played: Match =
///     play_match(&*machine, seats, &Settings::default(), &Seed::root(1), &Interrupt::default(), watch)?;
/// // The first legal move in the order of terms is "no".
/// assert_eq!(played.outcome, MatchOutcome::Over(ByRole::new(vec![Goal::clamped(0)])));
/// assert_eq!((steps, played.steps.len(), played.faults().count()), (1, 1, 0));
/// assert!(played.evidence[Role::new(0)].over);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The error of the operating system, if a player's thread could not be made; and an error if another program has a
/// seat although there are no clocks.
///
/// # Panics
/// If `players` lacks one.
pub fn play_match<M: StateMachine>(
    machine: &M,
    players: ByRole<Option<Seat>>,
    settings: &Settings,
    seed: &Seed,
    interrupt: &Interrupt,
    mut watch: impl FnMut(&MatchStep),
) -> std::io::Result<Match> {
    let mut seated = SeatedPlayers::new(machine, players, settings, seed)?;
    let unready = seated.prepare(seed);
    let mut running = RunningMatch::new(machine, seed);
    let outcome = loop {
        if let Some(outcome) = running.outcome(settings.limit, interrupt) {
            break outcome;
        }
        let chance = running.chance();
        let cancel = interrupt.budget.cancel;
        let answers = seated.decide(&running, chance, cancel, &|own| machine.show_move(own));
        // The move of a search that was cancelled is not the player's.
        if cancel.is_some_and(CancelFlag::is_raised) {
            continue;
        }
        running.advance(answers).into_iter().for_each(&mut watch);
        interrupt.rest(settings.pause);
    };
    seated.end(matches!(outcome, MatchOutcome::Over(_)).then_some(&running.evidence));
    Ok(Match { unready, ..running.ended(outcome) })
}

/// The players in their seats.
struct SeatedPlayers<'a> {
    seats: ByRole<Option<Actor>>,
    settings: &'a Settings,
    seeds: ByRole<Seed>,
    strikes: ByRole<usize>,
    /// Whether another program has a seat, so that the start clock is over before the first step.
    has_remote: bool,
}

/// The longest time that other programs get to hear of the end: no result depends on it.
const FAREWELL: Duration = Duration::from_secs(1);

impl<'a> SeatedPlayers<'a> {
    fn new<M: StateMachine>(
        machine: &M,
        mut players: ByRole<Option<Seat>>,
        settings: &'a Settings,
        seed: &Seed,
    ) -> std::io::Result<Self> {
        let roles = machine.roles();
        let mut seats = Vec::with_capacity(roles.len());
        for role in machine.each_role() {
            let seat = players[role].take();
            if settings.clocks.is_none() && seat.as_ref().is_some_and(Seat::is_remote) {
                let what = format!("the player of {} is another program, which needs clocks", roles[role]);
                return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, what));
            }
            let clocked = settings.clocks.is_some();
            let seat = seat.map(|player| Actor::seat(player, clocked, settings.thinks_ahead()));
            assert!(
                seat.is_some() || machine.random() == Some(role),
                "the role {} has a player",
                roles[role]
            );
            seats.push(seat.transpose()?);
        }
        let has_remote = seats.iter().flatten().any(Actor::is_remote);
        let role_seed = seed.child("role");
        Ok(SeatedPlayers {
            seats: ByRole::new(seats),
            settings,
            seeds: ByRole::from_fn(roles.len(), |role| role_seed.child(&fold(&roles[role]))),
            strikes: ByRole::from_fn(roles.len(), |_| 0),
            has_remote,
        })
    }

    /// If another program has a seat, tells all players that the match begins and waits until they are ready, or their
    /// start clocks have run out. Those that are not, and why.
    fn prepare(&mut self, seed: &Seed) -> Vec<(Role, FaultKind)> {
        if !self.has_remote {
            return Vec::new();
        }
        let turns = self.turns(|clocks| clocks.start);
        for (role, turn) in &turns {
            if let (Some(seat), Some(clocks)) = (&mut self.seats[*role], self.settings.clocks_of(*role)) {
                let preparation = Preparation {
                    id: self.settings.id.clone(),
                    startclock: clocks.start,
                    playclock: clocks.play,
                    seed: self.seeds[*role].child("prepare"),
                    shared: seed.clone(),
                };
                seat.prepare(preparation, turn);
            }
        }
        let mut fault = |role: Role, turn| self.seats[role].as_mut()?.prepared(turn).err();
        turns.iter().filter_map(|(role, turn)| Some((*role, fault(*role, turn)?))).collect()
    }

    /// Tells other programs how the match has ended: what their roles know, if it is over.
    fn end(&mut self, evidence: Option<&ByRole<Arc<Evidence>>>) {
        if !self.has_remote {
            return;
        }
        let turns = self.turns(|clocks| clocks.play.min(FAREWELL));
        for (role, turn) in &turns {
            if let Some(seat) = &mut self.seats[*role] {
                seat.end(evidence.map(|evidence| Arc::clone(&evidence[*role])), turn);
            }
        }
        for (role, turn) in &turns {
            if let Some(seat) = &mut self.seats[*role] {
                seat.ended(turn);
            }
        }
    }

    /// The time of every role with a player, from now on.
    fn turns(&self, time: impl Fn(Clocks) -> Duration) -> Vec<(Role, ClockTurn)> {
        let seated = self.seats.iter().filter(|(_, seat)| seat.is_some());
        seated
            .filter_map(|(role, _)| {
                let clocks = self.settings.clocks_of(role)?;
                Some((role, ClockTurn::of(time(clocks).saturating_add(self.grace(role)))))
            })
            .collect()
    }

    /// The time that a role has beyond its clocks.
    fn grace(&self, role: Role) -> Duration {
        let is_remote = self.seats[role].as_ref().is_some_and(Actor::is_remote);
        if is_remote { self.settings.grace } else { Duration::ZERO }
    }

    /// The time of a role for the decision after `n` joint moves, from now on.
    fn turn(&self, role: Role, n: usize) -> Option<ClockTurn> {
        let clocks = self.settings.clocks_of(role)?;
        // Where the start clock was there to prepare, the first decision has what every other has.
        Some(match self.has_remote {
            true => ClockTurn::of(clocks.play.saturating_add(self.grace(role))),
            false => clocks.turn(n),
        })
    }

    /// The joint move of this step, what the players said, and what was replaced. `chance` is the move of `random`, and `cancel` ends
    /// decisions at once.
    fn decide<M: StateMachine>(
        &mut self,
        running: &RunningMatch<'_, M>,
        chance: Option<Move>,
        cancel: Option<CancelFlag>,
        show: &dyn Fn(Move) -> String,
    ) -> Answers {
        let RunningMatch { legal, history, evidence, .. } = running;
        let n = history.step();
        let turns = ByRole::from_fn(legal.len(), |role| self.turn(role, n));
        let seeds = ByRole::from_fn(legal.len(), |role| self.seeds[role].child("step").index(n));
        let question = |role: Role| {
            let budget = turns[role].map_or(Budget::UNLIMITED, |turn| turn.budget);
            let budget = Budget { nodes: self.settings.nodes, cancel, ..budget };
            Question { evidence: &evidence[role], legal: &legal[role], history, budget, seed: &seeds[role] }
        };
        let allowed = self.settings.strikes.unwrap_or(usize::MAX);
        let asked = ByRole::from_fn(legal.len(), |role| self.strikes[role] < allowed);
        for role in (0..legal.len()).map(Role::new).filter(|&role| asked[role]) {
            if let Some(seat) = &mut self.seats[role] {
                seat.ask(&question(role), turns[role].as_ref());
            }
        }
        let mut faults = Vec::new();
        let mut decisions = ByRole::from_fn(legal.len(), |_| None);
        let mut times = ByRole::from_fn(legal.len(), |_| None);
        let joint = JointMove::new((0..legal.len()).map(Role::new).map(|role| {
            let Some(seat) = &mut self.seats[role] else {
                return chance.expect("only the role random has no player");
            };
            let answer = match asked[role] {
                false => Err(seat.dismiss()),
                true => seat.answer(&question(role), turns[role].as_ref()).and_then(|(said, taken)| {
                    times[role] = taken;
                    let choice = decisions[role].insert(said).choice;
                    let is_legal = legal[role].contains(&choice);
                    if is_legal { Ok(choice) } else { Err(FaultKind::Illegal(show(choice))) }
                }),
            };
            answer.unwrap_or_else(|kind| {
                let replacement = match self.settings.on_fault {
                    Substitute::First => legal[role][0],
                    Substitute::Random => draw(&legal[role], &self.seeds[role].child("fault").index(n)),
                };
                self.strikes[role] += usize::from(kind != FaultKind::Dropped);
                faults.push(Fault { role, kind, replacement });
                replacement
            })
        }));
        Answers { joint, decisions, times, faults }
    }
}

/// A uniform draw; `legal` is not empty.
fn draw(legal: &[Move], seed: &Seed) -> Move {
    legal[seed.rng().random_range(0..legal.len())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::toy::{Behaviour, guess, peek};
    use crate::toy::Toy;
    use hyperplay_machine::{Goal, laws};

    fn play(behaviour: Behaviour, seed: u64) -> Match {
        let millis = match behaviour {
            Behaviour::Sleeps(Duration::ZERO) => Some(60_000),
            Behaviour::Sleeps(_) => Some(20),
            _ => None,
        };
        play_in(guess(behaviour), millis, seed)
    }

    /// A match in which the guesser has `millis` milliseconds for a move, if there is a clock.
    fn play_in(seat: Seat, millis: Option<u64>, seed: u64) -> Match {
        let play = millis.map(Duration::from_millis);
        let clocks = play.map(|play| Clocks { start: Duration::ZERO, play });
        let settings = Settings { clocks, ..Settings::default() };
        let machine = Toy::coin();
        let players = ByRole::new(vec![None, Some(seat)]);
        play_match(&machine, players, &settings, &Seed::root(seed), &Interrupt::default(), |_| ()).unwrap()
    }

    fn coin_of(played: &Match) -> Move {
        played.steps[0].joint.of(Role::new(0))
    }

    #[test]
    fn the_toy_obeys_the_laws() {
        let machine = Toy::coin();
        assert_eq!(laws::check_random_match(&machine, 9, &mut Seed::root(1).rng()).map(|h| h.step()), Ok(2));
    }

    #[test]
    fn the_recorded_evidence_is_the_evidence_of_the_history() {
        let machine = Toy::coin();
        let played = play(Behaviour::First, 1);
        let history = played.history();
        for role in machine.each_role() {
            assert_eq!(machine.evidence(&history, role, &mut ()), played.evidence[role]);
        }
        assert!(matches!(played.outcome, MatchOutcome::Over(_)));
    }

    #[test]
    fn the_moves_of_random_do_not_depend_on_the_players() {
        for seed in 0..20 {
            let one = play(Behaviour::First, seed);
            assert_eq!(coin_of(&one), coin_of(&play(Behaviour::Panics, seed)));
            assert_eq!(one, play(Behaviour::First, seed));
        }
        assert!(
            (1..20).any(|seed| coin_of(&play(Behaviour::First, seed)) != coin_of(&play(Behaviour::First, 0)))
        );
    }

    #[test]
    fn an_illegal_move_becomes_a_fault_and_a_legal_move() {
        let played = play(Behaviour::Illegal, 3);
        let (step, fault) = played.faults().next().unwrap();
        assert_eq!((step, played.faults().count()), (1, 2));
        assert!(matches!(fault.kind, FaultKind::Illegal(_)));
        assert_eq!(played.steps[0].joint.of(fault.role), fault.replacement);
        assert!(played.steps[0].legal[fault.role].contains(&fault.replacement));
    }

    #[test]
    fn a_panic_becomes_a_fault_at_this_step_and_at_every_later_one() {
        let played = play(Behaviour::Panics, 3);
        let kinds: Vec<_> = played.faults().map(|(step, fault)| (step, fault.kind.clone())).collect();
        let crashed = FaultKind::Crashed("as it must".to_owned());
        assert_eq!(kinds, [(1, crashed.clone()), (2, crashed)]);
    }

    #[test]
    fn a_late_answer_becomes_a_fault_and_is_not_taken_for_the_next_one() {
        let played = play(Behaviour::Sleeps(Duration::from_millis(60)), 3);
        assert_eq!(
            played.faults().map(|(_, fault)| fault.kind.as_str()).collect::<Vec<_>>(),
            ["late", "late"]
        );
        let late = |step: &MatchStep| step.times.values().iter().all(Option::is_none);
        assert!(played.steps.iter().all(late));
        let played = play(Behaviour::Sleeps(Duration::ZERO), 3);
        assert_eq!(played.faults().count(), 0);
        // The role random is not asked.
        let times = &played.steps[0].times;
        assert!(times[Role::new(0)].is_none());
        assert!(times[Role::new(1)].is_some_and(|taken| taken < Duration::from_secs(60)));
        assert!(play(Behaviour::First, 3).steps.iter().all(late), "there is no clock");
    }

    #[test]
    fn a_clairvoyant_player_sees_the_true_history_with_a_clock_and_without() {
        let won = MatchOutcome::Over(ByRole::new(vec![Goal::MAX; 2]));
        for seed in 0..10 {
            assert_eq!(play_in(peek(), None, seed).outcome, won);
            assert_eq!(play_in(peek(), Some(60_000), seed).outcome, won);
        }
        assert!((0..10).any(|seed| play(Behaviour::First, seed).outcome != won));
    }

    #[test]
    fn a_match_stops_at_the_step_limit_and_at_an_interrupt() {
        let machine = Toy::coin();
        let go = |limit, interrupt: &Interrupt| {
            let players = ByRole::new(vec![None, Some(guess(Behaviour::First))]);
            let settings = Settings { limit, ..Settings::default() };
            play_match(&machine, players, &settings, &Seed::root(1), interrupt, |_| ()).unwrap()
        };
        let interrupt = Interrupt::default();
        let cut = go(1, &interrupt);
        assert_eq!((cut.outcome, cut.steps.len()), (MatchOutcome::StepLimit, 1));
        interrupt.raise();
        assert_eq!(go(9, &interrupt).outcome, MatchOutcome::Interrupted);
    }
}
