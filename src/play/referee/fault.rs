//! Faults: what a player did wrong, as data.
//!
//! A fault never ends a match. The referee puts a legal move in the place of the one that did not come, drawn from a
//! stream of its own (`role/NAME/fault/STEP` below the seed of the match), and records both.

use hyperplay_engine::machine::{Move, Role};

/// One replaced move.
///
/// ```
/// use hyperplay_engine::machine::{Budget, ByRole, Move, Role, Seed, StateMachine};
/// use hyperplay_play::player::{Decision, Player, Seat, View};
/// use hyperplay_play::referee::{Fault, FaultKind, Interrupt, Settings, play_match};
///
/// /// Answers with this, whatever is legal.
/// struct Always(Move);
///
/// impl Player for Always {
///     fn decide(&mut self, _: &View<'_>, _: &Budget, seed: &Seed) -> Decision {
///         Decision::draw(vec![(self.0, 1.0)], seed)
///     }
/// }
///
/// # use hyperplay_engine::{EngineKind, Engines};
/// # use hyperplay_logic::gdl::{Source, load};
/// // One role says yes, and wins, or no.
/// let text = "(role me) (init asked) (legal me yes) (legal me no)
///     (<= (next said_yes) (does me yes)) (<= terminal (not (true asked)))
///     (<= (goal me 100) (true said_yes)) (<= (goal me 0) (not (true said_yes)))";
/// let game = load(Source::new("yes", text), None).game.expect("the rules are in order");
/// let machine = Engines::new(&game).get(EngineKind::Auto)?;
/// let wrong = Move(machine.terms().read("said_yes").expect("it is a term"));
/// let seats = ByRole::new(vec![Some(Seat::player(Always(wrong)))]);
/// let seed = Seed::root(1);
/// let played = play_match(&*machine, seats, &Settings::default(), &seed, &Interrupt::default(), |_| ())?;
/// let (step, Fault { role, kind, replacement }) = played.faults().next().expect("the move is not legal");
/// assert_eq!((step, *role, kind), (1, Role::new(0), &FaultKind::Illegal(wrong)));
/// assert_eq!(played.steps[0].joint.of(*role), *replacement);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fault {
    /// Whose move it was.
    pub role: Role,
    /// What was wrong.
    pub kind: FaultKind,
    /// The legal move that was made instead.
    pub replacement: Move,
}

/// What a player did wrong.
///
/// ```
/// use hyperplay_play::referee::FaultKind;
///
/// assert_eq!(FaultKind::Crashed("out of ideas".to_owned()).as_str(), "crashed");
/// assert_eq!(FaultKind::Late.as_str(), "late");
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FaultKind {
    /// It did not answer before the clock ran out.
    Late,
    /// It answered with this move, which is not legal.
    Illegal(Move),
    /// It panicked, now or at an earlier step, with this message.
    Crashed(String),
}

impl FaultKind {
    /// The stable name, as in transcripts.
    pub fn as_str(&self) -> &'static str {
        match self {
            FaultKind::Late => "late",
            FaultKind::Illegal(_) => "illegal",
            FaultKind::Crashed(_) => "crashed",
        }
    }
}
