//! Methods: how many replicates found their particles in which way.

use std::fmt;

use serde::{Deserialize, Serialize};
use strum::VariantArray as _;

use hyperplay_think::belief::UpdateMethod;

/// All methods, in their own order, in which they are counted.
const METHODS: &[UpdateMethod] = UpdateMethod::VARIANTS;

/// How many replicates used each method.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(into = "Parts", from = "Parts")]
pub struct MethodCounts([usize; METHODS.len()]);

impl FromIterator<UpdateMethod> for MethodCounts {
    fn from_iter<I: IntoIterator<Item = UpdateMethod>>(methods: I) -> Self {
        let mut counts = MethodCounts::default();
        for method in methods {
            counts.0[method as usize] += 1;
        }
        counts
    }
}

impl MethodCounts {
    /// Adds the counts of other replicates.
    pub fn add(&mut self, other: &MethodCounts) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, count)| *sum += count);
    }

    /// The method of all replicates, if there is one.
    pub fn only(&self) -> Option<UpdateMethod> {
        let mut used = self.used();
        let (first, _) = used.next()?;
        used.next().is_none().then_some(first)
    }

    fn used(&self) -> impl Iterator<Item = (UpdateMethod, usize)> {
        METHODS.iter().copied().zip(self.0).filter(|&(_, count)| count > 0)
    }
}

/// The method where all agree; otherwise each with its count, as `rejection 180 + particle filter 20`.
impl fmt::Display for MethodCounts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counted = self.used().map(|(method, count)| format!("{method} {count}"));
        match self.only() {
            Some(method) => method.fmt(formatter),
            None => formatter.write_str(&counted.collect::<Vec<_>>().join(" + ")),
        }
    }
}

/// As data: the words, and the counts that they are made of.
#[derive(Serialize, Deserialize)]
struct Parts {
    value: String,
    counts: [usize; METHODS.len()],
}

impl From<MethodCounts> for Parts {
    fn from(of: MethodCounts) -> Parts {
        Parts { value: of.to_string(), counts: of.0 }
    }
}

impl From<Parts> for MethodCounts {
    fn from(Parts { counts, .. }: Parts) -> MethodCounts {
        MethodCounts(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_has_a_count_where_not_all_agree() {
        let counts = |methods: &[UpdateMethod]| methods.iter().copied().collect::<MethodCounts>();
        assert_eq!(counts(&[]).to_string(), "");
        let mut all = counts(&[UpdateMethod::Rejection; 2]);
        assert_eq!((all.to_string().as_str(), all.only()), ("rejection", Some(UpdateMethod::Rejection)));
        all.add(&counts(&[UpdateMethod::ParticleFilter]));
        assert_eq!((all.to_string().as_str(), all.only()), ("rejection 2 + particle filter 1", None));
    }
}
