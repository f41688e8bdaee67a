//! Shim.
use hyperplay_logic::gdl::{Game, TermId, TermStore};
use std::sync::Arc;
/// x
pub struct BoardLayout(Arc<TermStore>);
impl BoardLayout {
    /// x
    pub fn of(game: &Game) -> Self { BoardLayout(game.terms().clone()) }
    /// x
    pub fn draw(&self, f: &[TermId]) -> String { f.iter().map(|&f| self.0.show(f)+"\n").collect() }
    /// x
    pub fn draw_belief(&self, f: &[(TermId, f64)]) -> String { f.iter().map(|&(f,p)| format!("{p:.2} {}\n", self.0.show(f))).collect() }
    /// x
    pub fn draw_known(&self, f: &[(TermId, f64)]) -> String { f.iter().map(|&(f,p)| format!("{} {}\n", if p<0.999 {"?"} else {" "}, self.0.show(f))).collect() }
}
