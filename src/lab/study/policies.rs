//! Players as policies of a game tree, judged by best responses.
//!
//! A player that carries no plan is asked at every information set by itself. Where one carries a plan, all are asked along
//! matches, each with a seed of its own, and two things are judged. An opponent that does not know the seed meets the *mean policy*
//! over the seeds. An opponent that knows the seed meets the *realised policy* of this seed. The mean NashConv of the realised policies
//! is an upper bound of NashConv of the mean policy, because NashConv is convex.
//!
//! NashConv of the mean over few seeds is too great for the same reason: best responses fit to what these seeds have in common
//! by chance. So it is bounded from two sides. From above by that of the mean over the seeds at hand, with the interval of the
//! jackknife (Efron, Stein, *The Jackknife Estimate of Variance*, 1981). From below by what best responses to the mean over the first
//! half of the seeds gain against each policy of the second half, which these best responses have not seen.

use std::sync::Arc;

use hyperplay_engine::Engine;
use hyperplay_machine::{ByRole, Role, Seed};
use hyperplay_play::player::{
    Asked, AskedCounts, Asking, DecisionBudget, PlayerSpec, Seat, ask_policy, guarded,
};
use hyperplay_play::referee::match_seed;
use hyperplay_report::Sample;
use hyperplay_think::solve::{GameTree, Profile, SequenceForm};

/// Along how many matches players are asked if one of them carries a plan and no number was given.
pub const MATCHES: usize = 20;

/// The players that are asked.
pub struct PolicyStudy<'a> {
    /// The tree of the game.
    pub tree: &'a GameTree,
    /// Its sequence form.
    pub form: &'a SequenceForm,
    /// The players by role with their engines; a role without one plays uniformly.
    pub players: &'a ByRole<Option<(PlayerSpec, Arc<Engine>)>>,
    /// The budget of each decision.
    pub budget: DecisionBudget,
    /// The seed.
    pub seed: u64,
    /// Along how many matches the players are asked; none: [`MATCHES`] if one carries a plan, and else at each
    /// information set by itself.
    pub matches: Option<usize>,
    /// Asked before each decision and after it: whether to give up. What cancels the decisions must be told by it too.
    pub stop: &'a (dyn Fn() -> bool + Sync),
    /// Called after each decision that is judged.
    pub tick: &'a (dyn Fn() + Sync),
}

/// The policies of the players.
pub struct AskedPolicies {
    /// What is judged: the answers, or their mean over the matches.
    pub profile: Profile,
    /// The cost of the answers by role, and what went wrong.
    pub asked: ByRole<AskedCounts>,
    /// If they were asked along matches.
    pub along: Option<AlongMatches>,
}

/// NashConv of players that were asked along matches.
#[derive(Clone, Copy, Debug)]
pub struct AlongMatches {
    /// That of the mean policy is at least the mean of these gains, one for each match of the second half.
    pub at_least: Sample,
    /// It is at most the mean of these numbers, one for each match, whose spread is that of the pseudo-values of the jackknife.
    pub at_most: Sample,
    /// That of the realised policy of each match.
    pub realised: Sample,
}

impl AlongMatches {
    /// Where NashConv of the mean policy is with 95 %, from 0 up; none of fewer than four matches.
    pub fn interval(&self) -> Option<(f64, f64)> {
        let (least, most) = (self.at_least, self.at_most);
        let low = least.mean()? - least.half_width()?;
        Some((low.max(0.0), (most.mean()? + most.half_width()?).max(0.0)))
    }
}

impl PolicyStudy<'_> {
    /// Along how many matches the players are asked; none if at each information set by itself.
    pub fn matches(&self) -> Option<usize> {
        let carries_plan = |(role, player): (_, &Option<(PlayerSpec, Arc<Engine>)>)| {
            let Some((player, machine)) = player else { return false };
            // One that panics when it is seated carries nothing.
            guarded(|| matches!(player.seat(machine, role), Seat::Player(player) if player.carries_plan()))
                .unwrap_or(false)
        };
        self.matches.or_else(|| self.players.iter().any(carries_plan).then_some(MATCHES))
    }

    /// How many decisions are judged.
    pub fn decisions(&self) -> usize {
        self.tree.sets().len() * self.matches().unwrap_or(1)
    }

    /// Asks the players.
    ///
    /// # Errors
    /// If one is clairvoyant, or the caller asked to stop.
    pub fn ask(&self) -> Asked<AskedPolicies> {
        let mut asked = ByRole::from_fn(self.players.len(), |_| AskedCounts::default());
        let Some(matches) = self.matches() else {
            let profile = self.answers(&Seed::root(self.seed), false, &mut asked)?;
            return Ok(AskedPolicies { profile, asked, along: None });
        };
        let realised: Vec<Profile> = (0..matches)
            .map(|number| self.answers(&match_seed(self.seed, number), true, &mut asked))
            .collect::<Result<_, _>>()?;
        let profile = self.form.mean_profile(&realised);
        let nash_conv = |profile: &Profile| self.form.judge(profile).nash_conv;
        let of_all = nash_conv(&profile);
        let (seen, unseen) = realised.split_at(matches.div_ceil(2));
        let responses = self.form.best_responses(&self.form.mean_profile(seen));
        let at_least = unseen.iter().map(|profile| self.gains(&responses, profile)).collect();
        let without: Vec<f64> = (0..matches)
            .map(|left_out| {
                let others = realised.iter().enumerate().filter(|&(number, _)| number != left_out);
                nash_conv(&self.form.mean_profile(others.map(|(_, profile)| profile)))
            })
            .collect();
        // Its bias is left in: it keeps the figure above the true one.
        let mean = without.iter().sum::<f64>() / matches as f64;
        let at_most = without.iter().map(|one| of_all + (matches as f64 - 1.0) * (mean - one)).collect();
        let realised = realised.iter().map(nash_conv).collect();
        Ok(AskedPolicies { profile, asked, along: Some(AlongMatches { at_least, at_most, realised }) })
    }

    /// What the responses gain against a profile, each role by itself.
    fn gains(&self, responses: &Profile, profile: &Profile) -> f64 {
        let value = |role: Role, profile: &Profile| self.form.judge(profile).values[role];
        let gain = |role: Role| {
            let mut responding = profile.clone();
            for (set, _) in self.tree.sets().iter().enumerate().filter(|(_, set)| set.role == role) {
                responding.set(self.tree, set, responses.of(self.tree, set));
            }
            value(role, &responding) - value(role, profile)
        };
        self.tree.players().map(gain).sum()
    }

    /// The answers of all players, by themselves or along the match of a seed.
    fn answers(&self, seed: &Seed, along_match: bool, asked: &mut ByRole<AskedCounts>) -> Asked<Profile> {
        let PolicyStudy { tree, budget, stop, tick, .. } = *self;
        let asking = Asking { tree, budget, seed, along_match, stop, tick };
        let mut profile = Profile::uniform(tree);
        for (role, player) in self.players.iter() {
            let Some((player, machine)) = player else { continue };
            let policy = ask_policy(player, machine, role, &asking)?;
            policy.put_into(tree, &mut profile);
            asked[role].add(policy.counts);
        }
        Ok(profile)
    }
}
