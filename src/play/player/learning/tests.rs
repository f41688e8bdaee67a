//! The oracle is the game itself: all matches of Kuhn poker, each as often as the policies say, are as many matches as there may
//! be, and what is learnt from them must be the policy that they were made by.

use std::sync::Arc;

use super::*;
use hyperplay_engine::{EngineKind, Engines};
use hyperplay_logic::gdl::{Source, load};
use hyperplay_machine::{ByRole, JointMove, JointMoves};
use hyperplay_think::belief::OpponentModel;
use hyperplay_think::solve::TreeLimits;

fn kuhn() -> Arc<Engine> {
    let text = include_str!("../../../../games/imperfect/kuhn_poker.kif");
    let game = load(Source::new("kuhn", text), None).game.expect("the rules are in order");
    Engines::new(&game).get(EngineKind::Auto).unwrap()
}

/// Bob calls or bets, by his card and by what Alice said; Alice is uniform.
struct Bob<'a>(&'a Engine);

impl OpponentModel for Bob<'_> {
    fn policy(&self, role: Role, evidence: &Evidence, legal: &[Move]) -> Vec<f64> {
        if role.index() != 1 || legal.len() < 2 {
            return vec![1.0 / legal.len() as f64; legal.len()];
        }
        let seen = |word: &str| {
            let percepts = evidence.steps.iter().flat_map(|step| step.percepts.iter());
            percepts.map(|percept| self.0.terms().show(percept.0)).any(|text| text.contains(word))
        };
        let card = ["jack", "queen", "king"].iter().position(|card| seen(card)).unwrap();
        let first = [[0.9, 0.6, 0.05], [0.7, 0.35, 0.2]][usize::from(seen("bet"))][card];
        vec![first, 1.0 - first]
    }
}

/// So many that one of them says nothing of the policy that it is explained by.
const MATCHES: f64 = 1e6;

/// Adds all matches, each as often as its probability in [`MATCHES`], to both parts.
fn all(machine: &Engine, learner: &mut Learner, seat: Option<Role>) {
    let (model, mut scratch) = (Bob(machine), machine.scratch());
    let mut open = vec![(History::default(), 1.0)];
    while let Some((history, probability)) = open.pop() {
        let state = machine.replay(&history, &mut scratch);
        if machine.terminal(&state, &mut scratch) {
            for _ in 0..HELD_OUT {
                match seat {
                    None => learner.add(&history, MATCHES * probability),
                    Some(seat) => {
                        let evidence = machine.evidence(&history, seat, &mut scratch);
                        learner.add_seen(&evidence, MATCHES * probability).unwrap();
                    }
                }
            }
            continue;
        }
        let legal = machine.legal_by_role(&state, &mut scratch);
        let policy = ByRole::from_fn(legal.len(), |role| {
            model.policy(role, &machine.evidence(&history, role, &mut scratch), &legal[role])
        });
        for joint in JointMoves::new(&legal) {
            let share =
                |role: Role| policy[role][legal[role].iter().position(|&own| own == joint.of(role)).unwrap()];
            let probability = probability * machine.each_role().map(share).product::<f64>();
            open.push((History(history.0.iter().cloned().chain([joint]).collect()), probability));
        }
    }
}

/// The greatest difference between what is learnt and what Bob does.
fn error(machine: &Engine, learner: &Learner, learnt: &Learnt) -> f64 {
    let bob = Role::new(1);
    let sets = learner.sets().zip(&learnt.policy);
    let errors = sets.flat_map(|((evidence, moves), policy)| {
        let truth = Bob(machine).policy(bob, evidence, moves);
        policy.iter().zip(truth).map(|(one, other)| (one - other).abs()).collect::<Vec<_>>()
    });
    errors.fold(0.0, f64::max)
}

#[test]
fn the_policy_is_found_from_full_records_and_from_what_the_other_seat_saw() {
    let (machine, bob) = (kuhn(), Role::new(1));
    for seat in [None, Some(Role::new(0))] {
        let mut learner = Learner::new(Arc::clone(&machine), bob, Arc::new(Uniform), LIMIT);
        all(&machine, &mut learner, seat);
        let learnt = learner.learn(Some(1e-6));
        assert_eq!(learner.sets().count(), 6);
        let error = error(&machine, &learner, &learnt);
        assert!(error < 1e-3, "{seat:?}: {error}");
        // Every match has one choice of Bob, but for those that Alice ends.
        let choices = learnt.counts.iter().sum::<f64>() / MATCHES;
        assert!((choices / HELD_OUT as f64 - 1.0).abs() < 1e-6, "{seat:?}: {choices}");
        assert!(learnt.log_loss[1] < learnt.log_loss[0], "{:?}", learnt.log_loss);
        // The number of rounds is the one with the least loss, and it matters where something is hidden.
        let losses = ROUNDS.map(|rounds| {
            let smoothing = Smoothing { rounds, ..learnt.smoothing };
            learner.loss(&learner.fit(smoothing, &|record| !record.is_held_out).0)
        });
        let [least, most] = [losses.iter().copied().fold(f64::MAX, f64::min), losses[ROUNDS.len() - 1]];
        assert_eq!(learnt.log_loss[1], least, "{losses:?}");
        assert_eq!(least < most, seat.is_some(), "{losses:?}");
    }
}

#[test]
fn folded_cards_are_counted_by_their_posterior() {
    // After a fold Alice, who holds the king, knows nothing of the card but that Bob folds it more or less often.
    let (machine, bob) = (kuhn(), Role::new(1));
    let mut learner = Learner::new(Arc::clone(&machine), bob, Arc::new(Uniform), LIMIT);
    all(&machine, &mut learner, Some(Role::new(0)));
    let many = learner.records.iter().filter(|record| record.explanations.len() > 1).count();
    assert!(many > 0 && many < learner.records.len(), "{many} of {}", learner.records.len());
    for record in &learner.records {
        let uniform: Vec<Vec<f64>> = learner.sets.iter().map(|set| set.prior.clone()).collect();
        // The weights are probabilities but for the choices, so under the prior they are those of the matches.
        assert!(likelihood(record, &uniform) <= 1.0 + 1e-12);
    }
}

#[test]
fn a_set_that_was_never_seen_is_played_as_those_that_look_alike() {
    let (machine, bob) = (kuhn(), Role::new(1));
    let mut learner = Learner::new(Arc::clone(&machine), bob, Arc::new(Uniform), LIMIT);
    learner.add_sets(&GameTree::build(&*machine, &TreeLimits::default()).unwrap());
    // Nothing looks alike in Kuhn poker, so two sets are made to.
    let (one, other) = (learner.sets[0].view, learner.sets[1].view);
    assert_ne!(one, other);
    learner.sets[1].view = one;
    let mut counts = learner.nothing();
    [9.0, 1.0].iter().enumerate().for_each(|(place, &by)| learner.count(&mut counts, &[(0, place)], by));
    let smooth = |backs_off| learner.smooth(&counts, Smoothing { backs_off, weight: 2.0, rounds: 1 });
    // Without: (9 + 2 / 2) / 12. Together: the same; and the unseen set has it too, where it is the prior without back-off.
    assert!((smooth(false)[0][0] - 10.0 / 12.0).abs() < 1e-12 && smooth(false)[1][0] == 0.5);
    assert!((smooth(true)[1][0] - 10.0 / 12.0).abs() < 1e-12 && smooth(true)[2][0] == 0.5);
    assert!((smooth(true)[0][0] - (9.0 + 2.0 * 10.0 / 12.0) / 12.0).abs() < 1e-12);
}

#[test]
fn where_histories_are_too_many_draws_of_them_stand_for_all() {
    let (machine, bob, alice) = (kuhn(), Role::new(1), Role::new(0));
    let learner = |draws| Learner { draws, ..Learner::new(Arc::clone(&machine), bob, Arc::new(Uniform), 1) };
    let mut scratch = machine.scratch();
    let mut history = History::default();
    // The second of two cards is unknown to Alice.
    while !machine.terminal(&machine.replay(&history, &mut scratch), &mut scratch) {
        let legal = machine.legal_by_role(&machine.replay(&history, &mut scratch), &mut scratch);
        history.0.extend(JointMoves::new(&legal).next());
    }
    let evidence = machine.evidence(&history, alice, &mut scratch).until(2);
    let refused = learner(false).add_seen(&evidence, 1.0).unwrap_err();
    assert!(matches!(refused, ExactError::TooLarge { limit: 1, .. }), "{refused}");
    learner(true).add_seen(&evidence, 1.0).unwrap();
    let mut learner = learner(true);
    all(&machine, &mut learner, Some(alice));
    // Each share of 32 draws is wrong by a tenth or so.
    let learnt = learner.learn(Some(1e-6));
    let error = error(&machine, &learner, &learnt);
    assert!(error < 0.25, "{error}");
    assert!(learnt.log_loss[1] < learnt.log_loss[0], "{:?}", learnt.log_loss);
}

#[test]
fn what_is_discounted_counts_less() {
    let (machine, bob) = (kuhn(), Role::new(1));
    let mut learner = Learner::new(Arc::clone(&machine), bob, Arc::new(Uniform), LIMIT);
    all(&machine, &mut learner, None);
    let sum = |learner: &Learner| learner.learn(Some(1e-6)).counts.iter().sum::<f64>() / MATCHES;
    let before = sum(&learner);
    learner.discount(0.25);
    assert!((sum(&learner) - before / 4.0).abs() < 1e-9);
    all(&machine, &mut learner, None);
    assert!((sum(&learner) - before * 1.25).abs() < 1e-9);
}

/// Chance draws one of three cards, and `it` sees whether it is the third. Then it chooses four times. At the end `me` sees whether it
/// chose `a` always with another card, or `b` always with the third.
const CARDS: &str = "
    (role random) (role me) (role it) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n)) (legal me wait)
    (card one) (card two) (card three) (<= (legal random (draw ?c)) (card ?c) (true (step 0)))
    (<= (legal random wait) (not (true (step 0))))
    (choice a) (choice b) (<= (legal it ?x) (choice ?x) (not (true (step 0)))) (<= (legal it wait) (true (step 0)))
    (<= (next (drawn ?c)) (does random (draw ?c))) (<= (next (drawn ?c)) (true (drawn ?c)))
    (<= (next (chose ?x)) (choice ?x) (does it ?x)) (<= (next (chose ?x)) (true (chose ?x)))
    (<= (sees it third) (does random (draw three))) (<= (sees me odd) odd)
    (<= odd (true (step 4)) (true (drawn three)) (does it b) (not (true (chose a))))
    (<= odd (true (step 4)) (true (drawn ?c)) (distinct ?c three) (does it a) (not (true (chose b))))
    (<= terminal (true (step 5))) (goal random 50) (goal me 50) (goal it 50)";

#[test]
fn what_a_record_says_of_itself_is_not_what_it_is_explained_by() {
    let game = load(Source::new("cards", CARDS), None).game.expect("the rules are in order");
    let (machine, me, it) = (Engines::new(&game).get(EngineKind::Auto).unwrap(), Role::new(1), Role::new(2));
    let of = |text: &str| Move(machine.terms().read(text).unwrap());
    let always = |card: &str, choice: &str| {
        let draw = JointMove::new([of(&format!("(draw {card})")), of("wait"), of("wait")]);
        let choices = (0..4).map(|_| JointMove::new([of("wait"), of("wait"), of(choice)]));
        History([draw].into_iter().chain(choices).collect())
    };
    let odd = machine.evidence(&always("one", "a"), me, &mut machine.scratch());
    let first = machine.evidence(&always("one", "a"), it, &mut machine.scratch()).until(1);
    // In how many records `it` chose `a` first without the third card: of some in which `me` saw `odd`, and others that are known in full.
    let counted = |odds: usize, known: &[History], weight: f64| {
        let mut learner = Learner::new(Arc::clone(&machine), it, Arc::new(Uniform), LIMIT);
        known.iter().for_each(|history| learner.add(history, 1.0));
        (0..odds).for_each(|_| learner.add_seen(&odd, 1.0).unwrap());
        let (_, [_, counts]) = learner.fit(Smoothing { backs_off: false, weight, rounds: 1_000 }, &|_| true);
        counts[learner.numbers[&first]][0]
    };
    for weight in [0.1, 2.0] {
        // Nothing else is known of its choices, so they are as probable with each card, and two of three cards are not the third.
        let alone = counted(1, &[], weight);
        assert!((alone - 2.0 / 3.0).abs() < 1e-6, "{weight}: {alone}");
        // It chose `b` once with another card: the first choice of `a` is less probable there, and those that follow are as before.
        let (after, less) = (counted(1, &[always("one", "b")], weight), weight / 2.0 / (1.0 + weight));
        assert!((after - 2.0 * less / (2.0 * less + 0.5)).abs() < 1e-6, "{weight}: {after}");
    }
    // Two such records, by all pairs of explanations: four choices are made again with a probability of (1 + 2 / 2) / (1 + 2) each.
    let (again, anew) = ((2.0_f64 / 3.0).powi(4), 0.5_f64.powi(4));
    let [one, mixed, other] = [again * 4.0 / 9.0, anew * 4.0 / 9.0, again / 9.0];
    let exact = (2.0 * one + mixed) / (one + mixed + other);
    // Each is explained by what is expected of the other one, which is an approximation: 1.58 for 1.48, and 1.69 with its own counts.
    let two = counted(2, &[], 2.0);
    assert!((exact - 1.479).abs() < 1e-3 && (two - exact).abs() < 0.12, "{two} {exact}");
}
