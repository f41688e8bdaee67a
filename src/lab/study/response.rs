//! The gain of a response, measured in matches: for games whose tree is too large to be searched.
//!
//! A round plays one match of the given players, and for every role the same match (the same seed, so the same cards)
//! in which a [`LocalBestResponse`] has its seat. The mean result of the response less that of the player is a lower
//! bound on what a best response gains there: a best response is at least as good as any player. The interval is that
//! of the differences round by round.
//!
//! Invariant: round `i` draws from the match seed `i` only, so without a time limit the figures do not depend on the
//! number of threads. Only the work of the opponent model does: two threads may ask it the same at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::tally::PlayedMatch;
use hyperplay_engine::Engine;
use hyperplay_machine::{ByRole, PLAYOUT_STEPS, Role, Seed, StateMachine, StateMachineExt};
use hyperplay_play::for_engine::play_match;
use hyperplay_play::player::{
    Asked, AskedCounts, AskedModel, BudgetedPlayer, DecisionBudget, LocalBestResponse, LocalResponseOptions,
    PlayerSpec, Seat,
};
use hyperplay_play::referee::{Concurrency, Interrupt, Settings, match_seed, play_series};
use hyperplay_report::Sample;
use hyperplay_think::belief::OpponentModel;

/// The players that are judged, and by how many matches.
pub struct ResponseStudy<'a> {
    /// The machine of the matches.
    pub machine: &'a Arc<Engine>,
    /// The players by role with their engines; none for `random`.
    pub players: &'a ByRole<Option<(PlayerSpec, Arc<Engine>)>>,
    /// The budget of each of their decisions, in matches and when they are asked.
    pub budget: DecisionBudget,
    /// How much the response thinks.
    pub options: LocalResponseOptions,
    /// How many rounds.
    pub rounds: usize,
    /// The seed.
    pub seed: u64,
    /// Ends the study after the steps at hand, and at once if it cancels decisions and the budget has the same flag.
    pub interrupt: &'a Interrupt,
    /// Called after each match.
    pub tick: &'a (dyn Fn() + Sync),
}

/// The measured values, in goals.
#[derive(Clone, Debug, Default)]
pub struct ResponseFigures {
    /// Rounds finished.
    pub rounds: usize,
    /// The result of each player.
    pub values: ByRole<Sample>,
    /// The result of the response in its seat.
    pub responses: ByRole<Sample>,
    /// The second less the first, round by round.
    pub gains: ByRole<Sample>,
    /// The sum of the gains of all roles, round by round.
    pub all_gains: Sample,
    /// Matches without goals by outcome; they count in no mean.
    pub unfinished: BTreeMap<&'static str, u64>,
    /// Why the first match failed, if one did.
    pub first_failure: Option<String>,
    /// Moves of the players that the referee replaced, by role and kind.
    pub faults: ByRole<BTreeMap<&'static str, u64>>,
    /// Decisions of the players between two moves or more, and how many of them were on a depleted belief.
    pub decisions: ByRole<(u64, u64)>,
    /// The same of the response.
    pub response_decisions: (u64, u64),
    /// The counts of the answers of the players when they were asked as opponents. No part of the result.
    pub asked: AskedCounts,
}

impl ResponseStudy<'_> {
    /// The roles that are judged.
    pub fn roles(&self) -> Vec<Role> {
        self.machine.each_role().filter(|&role| self.machine.random() != Some(role)).collect()
    }

    /// Plays the rounds.
    ///
    /// # Errors
    /// If a player is clairvoyant.
    pub fn make(&self) -> Asked<ResponseFigures> {
        let model = AskedModel::new(self.players.clone(), self.budget, Seed::root(self.seed).child("asked"))?;
        let model = Arc::new(model);
        let roles = self.machine.roles().len();
        let samples = || ByRole::from_fn(roles, |_| Sample::default());
        let (values, responses, gains) = (samples(), samples(), samples());
        let faults = ByRole::from_fn(roles, |_| BTreeMap::new());
        let decisions = ByRole::from_fn(roles, |_| (0, 0));
        let mut figures =
            ResponseFigures { values, responses, gains, faults, decisions, ..ResponseFigures::default() };
        let play = |round| Ok(self.round(round, &model));
        let concurrency = if self.budget.reproduces() { Concurrency::Computing } else { Concurrency::One };
        play_series(self.rounds, concurrency, self.interrupt, play, |round, played| {
            if let Some(played) = played {
                figures.add(round, &self.roles(), &played);
            }
            Ok(())
        })?;
        figures.asked = model.counts();
        Ok(figures)
    }

    /// The matches of a round, first that of the players; nothing if it was interrupted.
    fn round(&self, round: usize, model: &Arc<AskedModel>) -> Option<Vec<PlayedMatch>> {
        let seats = std::iter::once(None).chain(self.roles().into_iter().map(Some));
        seats.map(|responding| self.one(round, responding, model)).collect()
    }

    /// One match, in which a response has the seat of a role if one is given.
    fn one(&self, round: usize, responding: Option<Role>, model: &Arc<AskedModel>) -> Option<PlayedMatch> {
        let players = ByRole::from_fn(self.players.len(), |role| {
            let (player, engine) = self.players[role].as_ref()?;
            if responding == Some(role) {
                let model: Arc<dyn OpponentModel> = Arc::clone(model) as Arc<dyn OpponentModel>;
                let machine = Arc::clone(self.machine);
                return Some(Seat::player(LocalBestResponse::new(machine, role, model, self.options)));
            }
            Some(match player.seat(engine, role) {
                Seat::Player(player) => Seat::player(BudgetedPlayer::new(player, self.budget)),
                clairvoyant => clairvoyant,
            })
        });
        let settings = Settings { limit: PLAYOUT_STEPS, ..Settings::default() };
        let seed = match_seed(self.seed, round);
        let played = play_match(self.machine, players, &settings, &seed, self.interrupt, &mut |_| ())
            .expect("without clocks no thread is made");
        (self.tick)();
        Some(PlayedMatch::new(played, None)).filter(PlayedMatch::is_finished)
    }
}

impl ResponseFigures {
    fn add(&mut self, round: usize, roles: &[Role], played: &[PlayedMatch]) {
        self.rounds += 1;
        for (place, one) in played.iter().enumerate() {
            self.count(round, place.checked_sub(1).map(|at| roles[at]), one);
        }
        let [given, responses @ ..] = played else { return };
        let Some(values) = &given.goals else { return };
        let mut gain = |(&role, response): (&Role, &PlayedMatch)| {
            let value = f64::from(values[role].value());
            self.values[role].add(value);
            let goal = f64::from(response.goals.as_ref()?[role].value());
            self.responses[role].add(goal);
            self.gains[role].add(goal - value);
            Some(goal - value)
        };
        let gains: Vec<Option<f64>> = roles.iter().zip(responses).map(&mut gain).collect();
        let sum: Option<f64> = gains.into_iter().sum();
        sum.into_iter().for_each(|sum| self.all_gains.add(sum));
    }

    /// Counts decisions, faults and matches without goals.
    fn count(&mut self, round: usize, responding: Option<Role>, one: &PlayedMatch) {
        for (role, tally) in one.decisions.iter() {
            let responds = responding == Some(role);
            let sum = if responds { &mut self.response_decisions } else { &mut self.decisions[role] };
            sum.0 += tally.decisions;
            sum.1 += tally.depletions;
        }
        for &(role, kind) in &one.faults {
            *self.faults[role].entry(kind).or_default() += 1;
        }
        if one.goals.is_none() {
            *self.unfinished.entry(one.outcome).or_default() += 1;
        }
        if let Some(failure) = &one.failure {
            let first = || format!("round {round}, after step {}: {failure}", one.steps);
            self.first_failure.get_or_insert_with(first);
        }
    }

    /// How many matches failed because the rules could not be evaluated.
    pub fn failed(&self) -> u64 {
        self.unfinished.get("failed").copied().unwrap_or(0)
    }
}
