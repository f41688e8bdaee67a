//! Faults: what a player did wrong, as data.
//!
//! A fault never ends a match. The referee puts a legal move in the place of the one that did not come and records both:
//! one drawn from a stream of its own (`role/NAME/fault/STEP` below the seed of the match), or the first
//! ([`Substitute`]).

use crate::player::RemoteFailure;
use hyperplay_machine::{Move, Role};

/// One replaced move.
///
/// ```
/// use hyperplay_machine::{Budget, ByRole, Move, Role, Seed, StateMachine};
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
/// assert_eq!((step, *role, kind), (1, Role::new(0), &FaultKind::Illegal("said_yes".to_owned())));
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
    /// It answered with this, which is no legal move.
    Illegal(String),
    /// There was no connection to it, or the connection broke; in what way.
    Unreachable(String),
    /// It panicked, now or at an earlier step, with this message.
    Crashed(String),
    /// It was not asked, because it has had as many faults as the match allows.
    Dropped,
}

impl FaultKind {
    /// The stable name, as in transcripts.
    pub fn as_str(&self) -> &'static str {
        match self {
            FaultKind::Late => "late",
            FaultKind::Illegal(_) => "illegal",
            FaultKind::Unreachable(_) => "unreachable",
            FaultKind::Crashed(_) => "crashed",
            FaultKind::Dropped => "dropped",
        }
    }

    /// What there is to say besides the kind, as in transcripts: the answer, or the cause.
    pub fn detail(&self) -> Option<&str> {
        match self {
            FaultKind::Late | FaultKind::Dropped => None,
            FaultKind::Illegal(detail) | FaultKind::Unreachable(detail) | FaultKind::Crashed(detail) => {
                Some(detail)
            }
        }
    }

    /// The fault that a transcript names so; `None` for a name that is no kind of fault, and where the detail is missing that
    /// an illegal answer has.
    ///
    /// ```
    /// use hyperplay_play::referee::FaultKind;
    ///
    /// let kind = FaultKind::Unreachable("connection refused".to_owned());
    /// assert_eq!(FaultKind::named(kind.as_str(), kind.detail()), Some(kind));
    /// assert_eq!(FaultKind::named("illegal", None), None);
    /// ```
    pub fn named(name: &str, detail: Option<&str>) -> Option<FaultKind> {
        let said = || detail.unwrap_or_default().to_owned();
        match name {
            "late" => Some(FaultKind::Late),
            "illegal" => Some(FaultKind::Illegal(detail?.to_owned())),
            "unreachable" => Some(FaultKind::Unreachable(said())),
            "crashed" => Some(FaultKind::Crashed(said())),
            "dropped" => Some(FaultKind::Dropped),
            _ => None,
        }
    }
}

impl From<RemoteFailure> for FaultKind {
    fn from(failure: RemoteFailure) -> FaultKind {
        match failure {
            RemoteFailure::Late => FaultKind::Late,
            RemoteFailure::Unreachable(cause) => FaultKind::Unreachable(cause),
            RemoteFailure::Illegal(answer) => FaultKind::Illegal(answer),
        }
    }
}

/// Which legal move stands in for one that did not come.
///
/// ```
/// use hyperplay_play::referee::Substitute;
///
/// assert_eq!(Substitute::default(), Substitute::Random);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Substitute {
    /// One drawn uniformly, as in ggp-base.
    #[default]
    Random,
    /// The first in the natural order of terms. The Dresden GameController takes the first in an order of its own.
    First,
}
