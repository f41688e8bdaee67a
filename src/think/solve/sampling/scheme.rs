//! The methods of sampling.

/// How an iteration samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug, strum::Display, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
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
        self.into()
    }
}
