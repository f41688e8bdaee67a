//! The rules of a game in the form in which they are evaluated.
//!
//! Relations that depend on no state are derived once, before anything else. Some rulesheets define such a relation
//! over all combinations of many terms and only ever test tuples of it: all rows of a sudoku, all lists of eight
//! letters. Nobody could derive them. Where such a relation meets a limit, it is derived on demand: each rule that
//! reads it says which tuples it asks for, and no others are derived (see [`DatalogProgram`] and [`Demanded`]). Then it
//! depends on whatever the rules that read it depend on.
//!
//! The answers to all queries are those of the rules as they stand.

use rustc_hash::FxHashSet;

use hyperplay_logic::datalog::{
    Database, DatalogProgram, DemandRequest, Demanded, EvaluationLimits, LimitError, RelationId, Stage,
};
use hyperplay_logic::gdl::{Game, Rule, Symbol, TermStore};

/// The stage of relations that depend on the state.
pub(crate) const STATE: Stage = 1;
/// The stage of relations that also depend on the joint move.
pub(crate) const STEP: Stage = 2;
/// The relations that are given.
pub(crate) const INPUTS: [(Symbol, usize, Stage); 2] = [(Symbol::TRUE, 1, STATE), (Symbol::DOES, 2, STEP)];
/// The relations that are asked for.
const QUERIES: [Symbol; 7] =
    [Symbol::ROLE, Symbol::INIT, Symbol::TERMINAL, Symbol::LEGAL, Symbol::GOAL, Symbol::NEXT, Symbol::SEES];
/// The most tuples of a relation that is derived before anything else.
const TUPLES: usize = 1_000_000;
/// The most rows that a rule may visit for it: some seconds.
const VISITS: u64 = 50_000_000;

/// Rules that derive what those of a game do, where possible without a relation that is too large.
#[derive(Clone, Debug)]
pub struct EvaluableRules {
    rules: Vec<Rule>,
    /// The relations that depend on no state and are derived on demand, because they are large.
    pub on_demand: Vec<Symbol>,
    /// The limit that a relation meets that depends on no state and of which some rule asks for too much.
    pub obstacle: Option<LimitError>,
}

impl EvaluableRules {
    /// The rules of a game. O(what depends on no state), some seconds at most for each relation.
    pub fn of(game: &Game) -> EvaluableRules {
        EvaluableRules::within(game, EvaluationLimits::default())
    }

    /// The rules of a game that is evaluated within these limits; for what depends on no state they are at most the
    /// usual ones.
    pub(crate) fn within(game: &Game, limits: EvaluationLimits) -> Self {
        let terms = game.terms();
        let limits = EvaluationLimits {
            tuples: limits.tuples.min(TUPLES),
            visits: limits.visits.min(VISITS),
            ..limits
        };
        let bounded = |rules| {
            let mut program = DatalogProgram::new(rules, &INPUTS);
            program.limits = limits;
            program
        };
        let mut program = bounded(game.rules().to_vec());
        let mut sample = Database::new(&program, None);
        let mut large: Vec<RelationId> = Vec::new();
        let mut met = None;
        for component in fixed_components(&mut program) {
            if program.readers_of(&large).contains(&component[0]) {
                continue;
            }
            if let Err(limit) = sample.plan(&mut program, component[0], false, terms) {
                large.extend(component);
                met = Some(limit);
            }
        }
        let given = |obstacle| Self { rules: game.rules().to_vec(), on_demand: Vec::new(), obstacle };
        if large.is_empty() {
            return given(None);
        }
        let readers = program.readers_of(&large).into_iter().map(|id| program.name(id));
        let restricted: FxHashSet<Symbol> = readers.filter(|&name| !is_asked_or_given(name)).collect();
        let Some(rules) = restricted_rules(&program, &sample, restricted, terms) else { return given(met) };
        let mut demanded = bounded(rules);
        let mut database = Database::new(&demanded, None);
        for component in fixed_components(&mut demanded) {
            if let Err(limit) = database.plan(&mut demanded, component[0], false, terms) {
                let is_named = game
                    .rules()
                    .iter()
                    .any(|rule| terms.symbols().name(rule.head.relation) == limit.relation);
                return given(Some(limit).filter(|_| is_named).or(met));
            }
        }
        let on_demand = large.into_iter().map(|id| program.name(id)).collect();
        Self { rules: demanded.rules().to_vec(), on_demand, obstacle: None }
    }

    /// The rules.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }
}

/// The relations that depend on no state and that queries need, by component, in the order of evaluation.
fn fixed_components(program: &mut DatalogProgram) -> Vec<Vec<RelationId>> {
    let asked: Vec<RelationId> = QUERIES.iter().filter_map(|&name| program.relation(name)).collect();
    let needed = program.strata_of(&asked);
    let components: Vec<Vec<RelationId>> =
        program.strata().map(|(relations, _)| relations.to_vec()).collect();
    let needed = needed.into_iter().map(|number| components[number].clone());
    needed.filter(|relations| program.stage(relations[0]) == 0).collect()
}

/// Whether a relation is given, or asked for as a whole.
pub(crate) fn is_asked_or_given(name: Symbol) -> bool {
    QUERIES.contains(&name) || INPUTS.iter().any(|&(input, ..)| input == name)
}

/// The rules of a program with these relations restricted to what is asked of them, those for a state and those for
/// a step apart; `None` if they would not be stratified. A relation on a cycle through a negation is not restricted.
pub(crate) fn restricted_rules(
    program: &DatalogProgram,
    sample: &Database,
    mut relations: FxHashSet<Symbol>,
    terms: &TermStore,
) -> Option<Vec<Rule>> {
    let stage = |name| program.relation(name).map_or(0, |id| program.stage(id));
    while !relations.is_empty() {
        let rules = program.rules();
        let request =
            DemandRequest { rules, is_restricted: &|name| relations.contains(&name), group: &stage };
        let Demanded { rules, .. } = sample.demand(program, &request, terms);
        let result = DatalogProgram::new(rules.clone(), &INPUTS);
        let Some(cycle) = result.negative_cycle() else { return Some(rules) };
        let before = relations.len();
        cycle.iter().for_each(|&id| {
            relations.remove(&result.name(id));
        });
        if relations.len() == before {
            return None;
        }
    }
    None
}
