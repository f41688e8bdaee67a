//! Recovery after lost and late answers: the share of later moves that are legal in truth.
//!
//! A game master of its own plays whole matches with the server, in process. One to five answers are lost on their way,
//! or come when nobody waits for them any more; another legal move is made in their place, and in the dialect of 2011
//! nobody says so. The judge is an enumerator written apart from the belief: all states that explain the messages, with
//! any own move that is legal in them, by their probabilities, and as its guess the move that is legal with the greatest.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::Rng;
use rand::RngExt;
use rand::seq::IndexedRandom;

use super::{PlayerServer, ServeOptions};
use crate::protocol::{
    Message, Phrasing, Scrambler, StartMessage, StepMessage, WireDialect, WireLetters, game_line,
    with_joint_moves,
};
use hyperplay_engine::{Engine, EngineKind, EngineScratch, Engines};
use hyperplay_logic::gdl::{Game, Source, load};
use hyperplay_machine::{
    JointMove, JointMoves, Move, Percepts, Role, Seed, State, StateMachine as _, StateMachineExt as _,
};
use hyperplay_play::player::Registry;

/// Five games of GDL-I and five of GDL-II.
const GAMES: [&str; 10] = [
    "perfect/tictactoe",
    "perfect/nim",
    "perfect/buttons_and_lights",
    "perfect/connect_four",
    "perfect/hex_5x5",
    "imperfect/krieg_tictactoe_3x3",
    "imperfect/phantom_tictactoe",
    "imperfect/dark_hex_2x3_abrupt",
    "imperfect/goofspiel_4_imperfect",
    "imperfect/blind_breakthrough_4x4",
];

/// The games of GDL-I in which a master of GDL-II as of 2011 tells nothing: small enough to be enumerated then.
const BLIND: [&str; 3] = [GAMES[0], GAMES[1], GAMES[2]];

/// The steps of a match that are looked at.
const STEPS: usize = 8;

/// The joint moves that the enumerator tries at one step; a match that needs more ends there.
const MOST: usize = 200_000;

/// One answer in this number is taken to be lost, which is the stated prior of the program.
const LOST: f64 = 64.0;

const CLOCK: Duration = Duration::from_secs(20);

fn server() -> PlayerServer {
    let options = ServeOptions {
        name: "test".to_owned(),
        registry: Registry::standard(),
        player: "random".to_owned(),
        engine: EngineKind::Auto,
        matches: 1,
        margin: Duration::from_millis(100),
        stale: Duration::from_secs(60),
        seed: 1,
        record: None,
        memory: 1 << 30,
        thinks_ahead: false,
    };
    PlayerServer::new(options).unwrap()
}

/// The events of a step, as the role hears of them.
enum Told {
    Joint(JointMove),
    Percepts(Percepts),
    Nothing,
}

/// The own move of a step, as the role knows it.
enum Own {
    Recorded(Move),
    Sent(Option<Move>),
}

/// All states that explain what was heard, with their probabilities.
struct Enumerator {
    engine: Arc<Engine>,
    scratch: EngineScratch,
    role: Role,
    held: Vec<(State, f64)>,
}

impl Enumerator {
    /// False where there are too many states.
    fn follow(&mut self, own: &Own, told: &Told) -> bool {
        let Enumerator { engine, scratch, role, held } = self;
        let mut next: HashMap<State, f64> = HashMap::default();
        let mut order: Vec<State> = Vec::new();
        let mut tried = 0;
        for (state, weight) in held.iter() {
            let legal = engine.legal_by_role(state, scratch);
            let mine = &legal[*role];
            let others: f64 =
                legal.iter().filter(|(of, _)| of != role).map(|(_, moves)| moves.len() as f64).product();
            for joint in JointMoves::new(&legal) {
                let made = joint.of(*role);
                let even = 1.0 / mine.len() as f64;
                let share = match own {
                    Own::Recorded(recorded) => f64::from(made == *recorded),
                    Own::Sent(Some(sent)) if mine.contains(sent) => {
                        even / LOST + if made == *sent { 1.0 - 1.0 / LOST } else { 0.0 }
                    }
                    Own::Sent(_) => even,
                };
                if share == 0.0 {
                    continue;
                }
                tried += 1;
                if tried > MOST {
                    return false;
                }
                let explains = match told {
                    Told::Joint(told) => *told == joint,
                    Told::Percepts(seen) => engine.percepts(state, &joint, *role, scratch) == *seen,
                    Told::Nothing => true,
                };
                if !explains {
                    continue;
                }
                let after = engine.next(state, &joint, scratch);
                if !engine.terminal(&after, scratch) {
                    let sum = next.entry(after.clone()).or_insert_with(|| {
                        order.push(after);
                        0.0
                    });
                    *sum += weight * share / others;
                }
            }
        }
        let total: f64 = order.iter().map(|state| next[state]).sum();
        *held = order.into_iter().map(|state| (state.clone(), next[&state] / total)).collect();
        true
    }

    /// The move that is legal with the greatest probability.
    fn guess(&mut self) -> Option<Move> {
        let mut sums: Vec<(Move, f64)> = Vec::new();
        for (state, weight) in &self.held {
            for &own in &self.engine.legal_by_role(state, &mut self.scratch)[self.role] {
                match sums.iter_mut().find(|(of, _)| *of == own) {
                    Some((_, sum)) => *sum += weight,
                    None => sums.push((own, *weight)),
                }
            }
        }
        sums.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|(own, _)| own)
    }
}

/// How a match is told, and what goes wrong in it.
#[derive(Clone, Copy)]
struct Setting {
    name: &'static str,
    dialect: WireDialect,
    scrambled: bool,
    faults: usize,
}

/// Moves after the first fault: all, those of the server that are legal in truth, and those of the enumerator.
#[derive(Clone, Copy, Default, Debug)]
struct Count([usize; 3]);

impl Count {
    fn add(&mut self, other: Count) {
        (0..3).for_each(|place| self.0[place] += other.0[place]);
    }

    fn shares(&self) -> [f64; 2] {
        [1, 2].map(|place| 100.0 * self.0[place] as f64 / self.0[0].max(1) as f64)
    }
}

fn game(name: &str) -> Game {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/");
    let text = std::fs::read_to_string(format!("{folder}{name}.kif")).unwrap();
    load(Source::new(name, text), None).game.unwrap()
}

/// One match.
fn play(server: &PlayerServer, setting: &Setting, id: &str, mut rng: impl Rng) -> Count {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let say = |message: &str| runtime.block_on(server.answer(message, Instant::now())).unwrap();
    let game = game(setting.name);
    let engine = Engines::new(&game).get(EngineKind::Auto).unwrap();
    let scratch = &mut engine.scratch();
    let is_blind = setting.dialect == WireDialect::Gdl2Of2011 && !game.is_imperfect();
    let mut rules = game_line(&game);
    if !game.is_imperfect() && setting.dialect == WireDialect::Gdl2 {
        rules = with_joint_moves(&rules);
    }
    let scrambler = setting.scrambled.then(|| Scrambler::new(&rules, &Seed::root(rng.random())));
    let told = |text: &str| scrambler.as_ref().map_or(text.to_owned(), |to| to.scramble(text));
    let phrasing = Phrasing { dialect: setting.dialect, letters: WireLetters::Upper };
    let roles: Vec<Role> = engine.each_role().filter(|role| Some(*role) != engine.random()).collect();
    let role = *roles.choose(&mut rng).unwrap();
    let start = StartMessage {
        id: id.to_owned(),
        role: told(&engine.roles()[role]),
        rules: told(&rules),
        startclock: CLOCK,
        playclock: CLOCK,
    };
    assert_eq!(say(&phrasing.write(&Message::Start(start))), "ready");
    let mut wrong: Vec<usize> = (0..STEPS - 2).collect();
    (0..wrong.len()).for_each(|place| wrong.swap(place, rng.random_range(place..STEPS - 2)));
    wrong.truncate(setting.faults);
    let mut state = engine.initial();
    let mut judge = Enumerator {
        engine: Arc::clone(&engine),
        scratch: engine.scratch(),
        role,
        held: vec![(state.clone(), 1.0)],
    };
    let (mut count, mut is_after) = (Count::default(), false);
    let (mut last, mut seen): (Option<String>, Option<Vec<String>>) = (None, None);
    for step in 0..STEPS {
        if engine.terminal(&state, scratch) {
            break;
        }
        let legal = engine.legal_by_role(&state, scratch);
        let message =
            StepMessage { id: id.to_owned(), numbered: Some((step, last.clone())), seen: seen.clone() };
        let message = phrasing.write(&Message::Play(message));
        let is_wrong = wrong.contains(&step);
        let is_late = is_wrong && rng.random();
        let sent = if is_late {
            // Nobody waits for the answer.
            let answer = server.answer(&message, Instant::now());
            let _ = runtime.block_on(async { tokio::time::timeout(Duration::ZERO, answer).await });
            None
        } else {
            let said = say(&message);
            let spelt = |own: &&Move| phrasing.letters.spell(&told(&engine.show_move(**own)));
            let legally = legal[role].iter().find(|own| spelt(own).eq_ignore_ascii_case(&said)).copied();
            if is_after {
                let guess = judge.guess().is_some_and(|own| legal[role].contains(&own));
                count.add(Count([1, usize::from(legally.is_some()), usize::from(guess)]));
            }
            let unscrambled = scrambler.as_ref().map_or(Some(said.clone()), |from| from.unscramble(&said));
            unscrambled.and_then(|text| engine.terms().read(&text)).map(|own| (Move(own), legally.is_some()))
        };
        is_after |= is_wrong;
        let other: Vec<Move> = legal[role]
            .iter()
            .filter(|own| legal[role].len() == 1 || sent.map(|sent| sent.0) != Some(**own))
            .copied()
            .collect();
        let own = match sent {
            Some((own, true)) if !is_wrong => own,
            _ => *other.choose(&mut rng).unwrap(),
        };
        let joint = JointMove::new(
            legal.iter().map(|(of, moves)| if of == role { own } else { *moves.choose(&mut rng).unwrap() }),
        );
        let percepts = engine.percepts(&state, &joint, role, scratch);
        let heard = match (setting.dialect, is_blind) {
            (_, true) => Told::Nothing,
            (WireDialect::Gdl1, _) => Told::Joint(joint.clone()),
            _ => Told::Percepts(percepts),
        };
        let texts: Vec<String> = match &heard {
            Told::Nothing => Vec::new(),
            Told::Joint(joint) => joint.iter().map(|&own| engine.show_move(own)).collect(),
            Told::Percepts(percepts) => percepts.iter().map(|seen| engine.terms().show(seen.0)).collect(),
        };
        seen = Some(texts.iter().map(|text| told(text)).collect());
        last = Some(told(&engine.show_move(own)));
        state = engine.next(&state, &joint, scratch);
        let known = match setting.dialect {
            WireDialect::Gdl2Of2011 => Own::Sent(sent.map(|sent| sent.0)),
            _ => Own::Recorded(own),
        };
        if !judge.follow(&known, &heard) {
            break;
        }
    }
    say(&format!("(ABORT {id})"));
    count
}

/// Matches of all games in both dialects, told as they are and scrambled; the counts by game and dialect.
fn matches(count: usize) -> Vec<(String, Count)> {
    let server = server();
    let mut table: Vec<(String, Count)> = Vec::new();
    for number in 0..count {
        if number % 100 == 99 {
            println!("{} matches", number + 1);
        }
        let name = GAMES[number % GAMES.len()];
        let round = number / GAMES.len();
        let dialect = match (round.is_multiple_of(2), name.starts_with("perfect/") && !BLIND.contains(&name))
        {
            (true, true) => WireDialect::Gdl1,
            (true, false) => WireDialect::Gdl2Of2011,
            (false, _) => WireDialect::Gdl2,
        };
        let setting = Setting { name, dialect, scrambled: round / 2 % 2 == 1, faults: 1 + round % 5 };
        let played = play(&server, &setting, &format!("m{number}"), Seed::root(7).index(number).rng());
        let row = format!("{name} {dialect}");
        match table.iter_mut().find(|(known, _)| *known == row) {
            Some((_, sum)) => sum.add(played),
            None => table.push((row, played)),
        }
    }
    table
}

fn total(table: &[(String, Count)]) -> Count {
    table.iter().fold(Count::default(), |mut sum, (_, count)| {
        sum.add(*count);
        sum
    })
}

#[test]
fn after_lost_answers_the_moves_are_as_legal_as_those_of_an_enumerator() {
    let table = matches(20);
    let all = total(&table);
    let [server, enumerator] = all.shares();
    assert!(all.0[0] > 50, "{all:?}");
    assert!(
        server > enumerator - 4.0,
        "{server:.1} % and {enumerator:.1} % of {} moves: {table:?}",
        all.0[0]
    );
}

/// `cargo test --release -p hyperplay-net recovery_tests -- --ignored --nocapture`
#[test]
#[ignore = "a thousand matches"]
fn a_thousand_matches_with_lost_answers() {
    let mut table = matches(1000);
    table.sort_by(|a, b| a.0.cmp(&b.0));
    let hidden =
        |of: bool| table.iter().filter(move |(name, _)| name.starts_with("imperfect") == of).cloned();
    let parts = [("all", total(&table)), ("GDL-I", total(&hidden(false).collect::<Vec<_>>()))];
    let rows = table.iter().map(|(name, count)| (&name[..], *count)).chain(parts);
    println!("{:55} moves  server  enumerator", "");
    for (name, count) in rows {
        let [server, enumerator] = count.shares();
        println!("{name:55} {:5}  {server:5.1}%  {enumerator:5.1}%", count.0[0]);
    }
    let [server, enumerator] = total(&table).shares();
    assert!(server > enumerator - 1.0, "{server:.2} % and {enumerator:.2} %");
}
