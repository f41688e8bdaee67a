use super::{Profile, SequenceForm, Verdict};
pub enum LinearProgramError {
    NotConverged { status: String },
}
impl std::fmt::Display for LinearProgramError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no")
    }
}
pub struct LinearProgramSolution {
    pub profile: Profile,
    pub verdict: Verdict,
    pub iterations: u64,
}
pub fn linear_program(_: &SequenceForm) -> Result<LinearProgramSolution, LinearProgramError> {
    Err(LinearProgramError::NotConverged { status: String::new() })
}
