//! How regrets are kept: the update rules of four regret minimisers.
//!
//! An information set keeps one number for each move, and plays moves in proportion to the positive parts (regret
//! matching). The rules differ in how the instant regret of an iteration is added, in whether the last instant regret
//! is taken as a prediction of the next, and in how iterations are weighted in the average:
//!
//! | rule | kept | played | weight of iteration t |
//! | --- | --- | --- | --- |
//! | CFR+ | max(R + r, 0) | R | t |
//! | DCFR | (R > 0: R t^1.5 / (t^1.5 + 1), else R / 2) + r | max(R, 0) | t^2 |
//! | PCFR+ | max(R + r, 0) | max(R + r, 0) | t^2 |
//! | PDCFR+ | max(R d(t - 1) + r, 0), d(t) = t^2.3 / (t^2.3 + 1) | max(R d(t) + r, 0) | t^5 |
//!
//! Reference: Tammelin, *Solving Large Imperfect Information Games Using CFR+* (2014); Brown, Sandholm, *Solving
//! Imperfect-Information Games via Discounted Regret Minimization* (AAAI 2019); Farina, Kroer, Sandholm, *Faster Game
//! Solving via Predictive Blackwell Approachability* (AAAI 2021); Xu et al., *Minimizing Weighted Counterfactual Regret
//! with Optimistic Online Mirror Descent* (IJCAI 2024).

/// A way to minimise regret.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::Display, strum::EnumString, strum::IntoStaticStr)]
pub enum RegretRule {
    /// CFR+: negative regrets are forgotten; linear average.
    #[strum(serialize = "cfr+")]
    CfrPlus,
    /// Discounted CFR with the published parameters 1.5, 0 and 2.
    #[strum(serialize = "dcfr")]
    Discounted,
    /// Predictive CFR+ with a quadratic average.
    #[strum(serialize = "pcfr+")]
    Predictive,
    /// Predictive discounted CFR+ with the published parameters 2.3 and 5.
    #[strum(serialize = "pdcfr+")]
    PredictiveDiscounted,
}

impl RegretRule {
    /// All of them.
    pub const ALL: [RegretRule; 4] = [
        RegretRule::CfrPlus,
        RegretRule::Discounted,
        RegretRule::Predictive,
        RegretRule::PredictiveDiscounted,
    ];

    /// The two that [`solve`](crate::solve::solve()) runs side by side where no rule is asked for: the first is among
    /// the fastest in large games, the second needs few iterations in small ones.
    pub const PORTFOLIO: [RegretRule; 2] = [RegretRule::Discounted, RegretRule::PredictiveDiscounted];

    /// Its name, as the literature has it.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The factors of iteration `t`, from 1 on.
    pub(in crate::solve) fn factors(self, t: u64) -> Factors {
        let t = t as f64;
        let discount = |t: f64, exponent: f64| {
            let power = t.powf(exponent);
            power / (power + 1.0)
        };
        match self {
            RegretRule::CfrPlus => Factors { positive: 1.0, negative: 0.0, prediction: None, weight: t },
            RegretRule::Discounted => {
                Factors { positive: discount(t - 1.0, 1.5), negative: 0.5, prediction: None, weight: t * t }
            }
            RegretRule::Predictive => {
                Factors { positive: 1.0, negative: 0.0, prediction: Some(1.0), weight: t * t }
            }
            RegretRule::PredictiveDiscounted => Factors {
                positive: discount(t - 1.0, 2.3),
                negative: 0.0,
                prediction: Some(discount(t, 2.3)),
                weight: t.powi(5),
            },
        }
    }
}

/// The effect of one iteration on the kept regrets.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::solve) struct Factors {
    /// Kept regrets above 0 are multiplied by this before the instant regret is added,
    pub(super) positive: f64,
    /// those below 0 by this; where it is 0, no regret below 0 is kept.
    pub(super) negative: f64,
    /// With a prediction, what is played is in proportion to the positive part of the kept regret times this, plus the
    /// instant regret.
    pub(super) prediction: Option<f64>,
    /// The weight of the iteration in the average.
    pub(in crate::solve) weight: f64,
}

/// Which of the three ways of keeping regrets the factors ask for.
pub(in crate::solve) type Way = u8;

/// No regret below 0 is kept.
pub(in crate::solve) const POSITIVE: Way = 0;
/// Regrets below 0 are kept too.
pub(in crate::solve) const SIGNED: Way = 1;
/// No regret below 0 is kept, and the next one is predicted.
pub(in crate::solve) const PREDICTED: Way = 2;

impl Factors {
    pub(in crate::solve) fn way(&self) -> Way {
        match self.prediction {
            Some(_) => PREDICTED,
            None if self.negative == 0.0 => POSITIVE,
            None => SIGNED,
        }
    }

    /// Updates an information set after an iteration in which its moves gained this: the kept regrets, and what is played.
    /// Returns the worth of the set, the mean gain under what was played. `WAY` is the [`way`](Factors::way); to ask once for
    /// it and not at every set saves a twentieth of an iteration.
    #[inline(always)]
    pub(in crate::solve) fn update<const WAY: Way>(
        &self,
        regrets: &mut [f64],
        policy: &mut [f64],
        gains: &[f64],
    ) -> f64 {
        let prediction = self.prediction.unwrap_or_default();
        update_by(regrets, policy, gains, |regret, instant| {
            if WAY == SIGNED {
                let factor = if *regret > 0.0 { self.positive } else { self.negative };
                *regret = *regret * factor + instant;
                return regret.max(0.0);
            }
            *regret = (*regret * self.positive + instant).max(0.0);
            if WAY == PREDICTED { (*regret * prediction + instant).max(0.0) } else { *regret }
        })
    }
}

/// `keep` adds the instant regret to a kept one and returns the share of the move in what is played.
#[inline(always)]
fn update_by(
    regrets: &mut [f64],
    policy: &mut [f64],
    gains: &[f64],
    keep: impl Fn(&mut f64, f64) -> f64,
) -> f64 {
    let worth: f64 = gains.iter().zip(&*policy).map(|(gain, share)| gain * share).sum();
    let mut total = 0.0;
    for ((regret, share), gain) in regrets.iter_mut().zip(&mut *policy).zip(gains) {
        *share = keep(regret, gain - worth);
        total += *share;
    }
    if total > 0.0 {
        let scale = 1.0 / total;
        policy.iter_mut().for_each(|share| *share *= scale);
    } else {
        policy.fill(1.0 / policy.len() as f64);
    }
    worth
}
