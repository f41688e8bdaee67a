//! The methods of sampling.

use std::fmt;

/// How an iteration samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SamplingScheme {
    /// One role tries all its moves, the others and chance draw: more work an iteration, far less variance.
    External,
    /// Everybody draws, so an iteration is one match for each role.
    Outcome,
}

impl SamplingScheme {
    /// All of them.
    pub const ALL: [SamplingScheme; 2] = [SamplingScheme::External, SamplingScheme::Outcome];

    /// Its name, as the literature has it.
    pub fn name(self) -> &'static str {
        match self {
            SamplingScheme::External => "external",
            SamplingScheme::Outcome => "outcome",
        }
    }

    /// The method of this name.
    pub fn named(name: &str) -> Option<SamplingScheme> {
        SamplingScheme::ALL.into_iter().find(|method| method.name() == name)
    }
}

impl fmt::Display for SamplingScheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
