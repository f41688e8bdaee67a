//! The domain: the ground atoms that may hold in some state, by relaxed reachability.
//!
//! The rules are evaluated once, for all states together. `true` holds for whatever holds initially or may be next,
//! `does` holds for whatever a role may legally do, and a negation of anything that depends on the state is taken to
//! succeed. Relations that depend on no state are evaluated exactly. So every atom that holds in some reachable state
//! is in the domain, and either the domain is finite or a limit is met.
//!
//! Declarations (`base`, `input`) are not read. A wrong declaration would change how the game is played, and the
//! relaxed fixpoint is not larger without them.
//!
//! Reference: the relaxed planning graph of Hoffmann, Nebel, *The FF Planning System*, JAIR 2001.

use rustc_hash::FxHashSet;

use super::limits::{GroundingLimits, TooLarge};
use super::split::{Split, split};
use hyperplay_logic::datalog::{
    Allowance, Condition, Database, DatalogProgram, DemandRequest, Demanded, FunctionalDependencies,
    LimitError, RelationId,
};
use hyperplay_logic::gdl::{Atom, Game, Literal, Rule, Symbol, Term, TermId, TermStore};

/// The program of a game with all atoms that may hold.
pub(super) struct Domain {
    /// The rules of the game, split.
    split: Vec<Rule>,
    /// The same as a program: who depends on whom.
    pub(super) rules: DatalogProgram,
    is_open: Vec<bool>,
    /// The relaxed rules; the same relations.
    pub(super) relaxed: DatalogProgram,
    /// The tuples of every relation that some output of the network needs.
    pub(super) database: Database,
    /// The strata of `rules` that the outputs need.
    pub(super) strata: Vec<Stratum>,
    /// The work that may still be done.
    allowance: Allowance,
    limits: GroundingLimits,
    /// The tuples of `init`.
    pub(super) initial: Vec<TermId>,
}

/// A function that is called with an instance: the row of its head and the atoms that it depends on.
pub(super) type Show<'a> = dyn FnMut(usize, &[Condition]) -> Result<(), TooLarge> + 'a;

/// The relations that the network answers.
const OUTPUTS: [Symbol; 5] = [Symbol::NEXT, Symbol::LEGAL, Symbol::SEES, Symbol::GOAL, Symbol::TERMINAL];
/// The work that is done to find out which relations are large.
const SAMPLED_ATOMS: usize = 3_000_000;
const SAMPLED_VISITS: u64 = 20_000_000;

/// Stage of what depends on the state.
const STATE: usize = 1;
/// Stage of what depends on the joint move besides.
const STEP: usize = 2;
/// The relations that are given, and the roles, so that they are there even if no rule reads them.
const INPUTS: [(Symbol, usize, usize); 3] =
    [(Symbol::TRUE, 1, STATE), (Symbol::DOES, 2, STEP), (Symbol::ROLE, 1, 0)];

impl Domain {
    /// All atoms that may hold in a game, of those that its rules, which are given, derive in this form.
    pub(super) fn of(
        game: &Game,
        given: &[Rule],
        form: RuleForm,
        limits: &GroundingLimits,
    ) -> Result<Domain, TooLarge> {
        let terms = game.terms();
        let mut allowance = Allowance { visits: limits.visits, tuples: limits.atoms };
        let fixed = Fixed::of(given, limits, &mut allowance, terms).map_err(|error| limits.met(error))?;
        let mut rules = match form {
            RuleForm::Whole => GroundingRules::new(given.to_vec(), FxHashSet::default()),
            RuleForm::Split | RuleForm::Demanded(_) => {
                let functions = FunctionalDependencies::of(&fixed.database, &fixed.program, terms);
                let is_function = |atom: &Atom, known: &[Symbol]| {
                    fixed.knows(atom.relation)
                        && functions.determines(atom, &|variable| known.contains(&variable))
                };
                let Split { rules, guards } = split(given, fixed.program.fresh_names(), &is_function);
                GroundingRules::new(rules, guards)
            }
        };
        if let RuleForm::Demanded(most) = form {
            let sampled = GroundingLimits { atoms: limits.atoms.min(SAMPLED_ATOMS), ..*limits };
            let mut spent = Allowance {
                visits: allowance.visits.min(SAMPLED_VISITS),
                tuples: allowance.tuples.min(SAMPLED_ATOMS),
            };
            let (sample, _) = Relaxation::of(&rules, &fixed, &sampled, &mut spent, terms);
            rules = sample.demanded(rules, most, &fixed, terms);
        }
        let (relaxation, outcome) = Relaxation::of(&rules, &fixed, limits, &mut allowance, terms);
        outcome.map_err(|error| limits.met(error))?;
        let GroundingRules { rules: split, guards, .. } = rules;
        let Relaxation { rules, relaxed, database, strata } = relaxation;
        let is_open = (0..relaxed.relations())
            .map(|id| id < rules.relations() && rules.stage(id) > 0 && !guards.contains(&rules.name(id)))
            .collect();
        let initial = fixed.initial;
        Ok(Domain { split, rules, is_open, relaxed, database, strata, allowance, limits: *limits, initial })
    }

    /// Whether it depends on the state or on the joint move which tuples of a relation hold.
    pub(super) fn is_open(&self, relation: RelationId) -> bool {
        self.is_open[relation]
    }

    /// The relation that a rule derives.
    pub(super) fn head(&self, rule: usize) -> RelationId {
        self.rules.relation(self.split[rule].head.relation).expect("a rule names it")
    }

    /// A rule of [`Domain::rules`].
    pub(super) fn rule(&self, index: usize) -> &Rule {
        &self.split[index]
    }

    /// The number of tuples of a relation.
    pub(super) fn rows(&self, relation: RelationId) -> usize {
        self.database.relation(relation, &self.relaxed).len()
    }

    /// The tuple at a row of a relation.
    pub(super) fn tuple(&self, relation: RelationId, row: usize) -> &[TermId] {
        self.database.relation(relation, &self.relaxed).row(row)
    }

    /// The tuples of a relation, by name; none if nothing names it.
    pub(super) fn tuples(&self, name: Symbol) -> impl Iterator<Item = &[TermId]> {
        let id = self.relaxed.relation(name);
        id.into_iter().flat_map(|id| self.database.relation(id, &self.relaxed).rows())
    }

    /// The relation with this name and the row of a tuple, if it is in the domain.
    pub(super) fn find(&self, name: Symbol, tuple: &[TermId]) -> Option<(RelationId, usize)> {
        let id = self.relaxed.relation(name)?;
        Some((id, self.database.relation(id, &self.relaxed).position(tuple)?))
    }

    /// The number of atoms in the domain.
    pub(super) fn atoms(&self) -> usize {
        (0..self.relaxed.relations()).map(|id| self.rows(id)).sum()
    }

    /// Rows visited so far.
    pub(super) fn visits(&self) -> u64 {
        self.limits.visits - self.allowance.visits
    }

    /// Shows each instance of a rule of the game: the row of its head, and the atoms on which it depends of those
    /// that depend on the state. An instance may be shown more than once.
    pub(super) fn instances(
        &mut self,
        terms: &TermStore,
        rule: usize,
        show: &mut Show<'_>,
    ) -> Result<(), TooLarge> {
        let mut refused = Ok(());
        let mut shown = |head: usize, conditions: &[Condition]| {
            refused = show(head, conditions);
            refused.is_ok()
        };
        let Domain { split, is_open, relaxed, database, allowance, limits, .. } = self;
        let is_open = |relation: RelationId| is_open[relation];
        database
            .instances(relaxed, &split[rule], &is_open, allowance, terms, &mut shown)
            .map_err(|error| limits.met(error))?;
        refused
    }
}

/// The form of the rules that are ground.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RuleForm {
    /// As they stand.
    Whole,
    /// Rules with wide joins as several with narrow joins.
    Split,
    /// Split, and relations of more than the given number of rows restricted to what is asked of them.
    Demanded(usize),
}

/// Rules to be ground.
struct GroundingRules {
    /// Those whose instances become gates. A rule of a restricted relation has its demand as the first condition.
    rules: Vec<Rule>,
    /// Those that say what is asked for.
    asking: Vec<Rule>,
    /// The relations that say what may hold or what is asked for, and so become no gates.
    guards: FxHashSet<Symbol>,
    demands: FxHashSet<Symbol>,
}

impl GroundingRules {
    fn new(rules: Vec<Rule>, guards: FxHashSet<Symbol>) -> GroundingRules {
        GroundingRules { rules, asking: Vec::new(), guards, demands: FxHashSet::default() }
    }

    /// The rules without the conditions that something is asked for.
    fn plain(&self) -> Vec<Rule> {
        let is_kept = |literal: &&Literal| match literal {
            Literal::Positive(atom) => !self.demands.contains(&atom.relation),
            _ => true,
        };
        let plain =
            |rule: &Rule| Rule { body: rule.body.iter().filter(is_kept).cloned().collect(), ..rule.clone() };
        self.rules.iter().map(plain).collect()
    }
}

/// Relations that depend on each other, and the numbers of their rules.
pub(super) type Stratum = (Vec<RelationId>, Vec<usize>);

/// The relaxed rules, evaluated.
struct Relaxation {
    /// The rules as a program: who depends on whom.
    rules: DatalogProgram,
    /// The relaxed rules; the same relations, and the demands.
    relaxed: DatalogProgram,
    database: Database,
    /// The strata of `rules` that the outputs need.
    strata: Vec<Stratum>,
}

impl Relaxation {
    /// Evaluates the relaxed rules; the derived tuples are incomplete if a limit is met.
    fn of(
        given: &GroundingRules,
        fixed: &Fixed,
        limits: &GroundingLimits,
        allowance: &mut Allowance,
        terms: &TermStore,
    ) -> (Relaxation, Result<(), LimitError>) {
        let mut rules = DatalogProgram::new(given.plain(), &INPUTS);
        let inputs = INPUTS.iter().map(|&(name, ..)| name);
        let targets: Vec<RelationId> =
            OUTPUTS.into_iter().chain(inputs).filter_map(|name| rules.relation(name)).collect();
        let needed = rules.strata_of(&targets);
        let strata = rules.strata().enumerate().filter(|(number, _)| needed.binary_search(number).is_ok());
        let strata: Vec<Stratum> =
            strata.map(|(_, (relations, rules))| (relations.to_vec(), rules.to_vec())).collect();
        let needed: FxHashSet<RelationId> =
            strata.iter().flat_map(|(relations, _)| relations).copied().collect();
        let all = [&given.rules[..], &given.asking[..]].concat();
        let mut relaxed = relax(&rules, &all, |relation| fixed.knows(relation));
        relaxed.limits.depth = limits.depth;
        for name in [Symbol::TRUE, Symbol::NEXT, Symbol::DOES, Symbol::LEGAL, Symbol::SEES] {
            if let Some(relation) = relaxed.relation(name) {
                relaxed.set_most(relation, limits.terms);
            }
        }
        let mut database = Database::new(&relaxed, None);
        let holds = relaxed.relation(Symbol::TRUE).expect("it is an input");
        database.set_input(&relaxed, holds, fixed.initial.iter().map(std::slice::from_ref));
        for id in 0..relaxed.relations() {
            if let Some(rows) = fixed.rows(relaxed.name(id)) {
                database.set_input(&relaxed, id, rows);
            }
        }
        // A relation that only the bridges name, in a game without `next`, has no rules.
        let names: Vec<Symbol> = (0..relaxed.relations()).map(|id| relaxed.name(id)).collect();
        let is_derived = |id: RelationId| needed.contains(&id) || given.demands.contains(&names[id]);
        let outcome = database.saturate(&mut relaxed, is_derived, allowance, terms);
        (Relaxation { rules, relaxed, database, strata }, outcome)
    }

    /// The rules with every relation that has more than `most` rows here, and what reads it, restricted to what is
    /// asked of it.
    fn demanded(
        &self,
        given: GroundingRules,
        most: usize,
        fixed: &Fixed,
        terms: &TermStore,
    ) -> GroundingRules {
        let needed: FxHashSet<RelationId> =
            self.strata.iter().flat_map(|(relations, _)| relations).copied().collect();
        let may_be = |id: RelationId| {
            let name = self.rules.name(id);
            let is_given = INPUTS.iter().any(|&(input, ..)| input == name) || OUTPUTS.contains(&name);
            needed.contains(&id) && !is_given && !fixed.knows(name) && !given.guards.contains(&name)
        };
        let rows = |id: RelationId| self.database.relation(id, &self.relaxed).len();
        let large: Vec<RelationId> =
            (0..self.rules.relations()).filter(|&id| may_be(id) && rows(id) > most).collect();
        let readers = self.rules.readers_of(&large).into_iter().filter(|&id| may_be(id));
        let restricted: FxHashSet<Symbol> = readers.map(|id| self.rules.name(id)).collect();
        let is_needed =
            |rule: &Rule| self.rules.relation(rule.head.relation).is_some_and(|id| needed.contains(&id));
        let rules: Vec<Rule> = given.rules.into_iter().filter(is_needed).collect();
        let is_restricted = |name| restricted.contains(&name);
        let request = DemandRequest { rules: &rules, is_restricted: &is_restricted, group: &|_| 0 };
        let Demanded { rules, demands, copies } = self.database.demand(&self.relaxed, &request, terms);
        let mut guards = given.guards;
        guards.extend(demands.iter().map(|&(name, _)| name));
        let more: Vec<Symbol> =
            copies.iter().filter(|(_, of)| guards.contains(of)).map(|&(own, _)| own).collect();
        guards.extend(more);
        let demands: FxHashSet<Symbol> = demands.into_iter().map(|(name, _)| name).collect();
        let (asking, rules) =
            rules.into_iter().partition(|rule: &Rule| demands.contains(&rule.head.relation));
        GroundingRules { rules, asking, guards, demands }
    }
}

/// The relations that depend on no state, evaluated exactly, and the initial state.
struct Fixed {
    program: DatalogProgram,
    database: Database,
    initial: Vec<TermId>,
    /// For each relation, whether its tuples are there.
    is_known: Vec<bool>,
}

impl Fixed {
    fn of(
        rules: &[Rule],
        limits: &GroundingLimits,
        allowance: &mut Allowance,
        terms: &TermStore,
    ) -> Result<Fixed, LimitError> {
        let mut program = DatalogProgram::new(rules.to_vec(), &INPUTS);
        program.limits.depth = limits.depth;
        let names = OUTPUTS.into_iter().chain([Symbol::ROLE, Symbol::INIT]);
        let targets: Vec<RelationId> = names.filter_map(|name| program.relation(name)).collect();
        let needed = program.strata_of(&targets);
        let mut is_known = vec![false; program.relations()];
        for (number, (relations, _)) in program.strata().enumerate() {
            let is_needed = needed.binary_search(&number).is_ok();
            relations.iter().for_each(|&id| is_known[id] = is_needed && program.stage(id) == 0);
        }
        let mut database = Database::new(&program, None);
        database.saturate(&mut program, |id| is_known[id], allowance, terms)?;
        let mut initial = Vec::new();
        if let Some(init) = program.relation(Symbol::INIT) {
            if !is_known[init] {
                // Against the language: evaluated as the interpreter does, in no state.
                (program.limits.visits, program.limits.tuples) = (allowance.visits, allowance.tuples);
                database.plan(&mut program, init, false, terms)?;
            }
            initial = database.relation(init, &program).rows().map(|row| row[0]).collect();
        }
        Ok(Fixed { program, database, initial, is_known })
    }

    fn knows(&self, relation: Symbol) -> bool {
        self.program.relation(relation).is_some_and(|id| self.is_known[id])
    }

    fn rows(&self, relation: Symbol) -> Option<impl Iterator<Item = &[TermId]>> {
        let id = self.program.relation(relation).filter(|&id| self.is_known[id])?;
        Some(self.database.relation(id, &self.program).rows())
    }
}

/// The relaxed rules; relations keep their ids. Relations that are known already are left to the caller to set.
fn relax(program: &DatalogProgram, rules: &[Rule], is_known: impl Fn(Symbol) -> bool) -> DatalogProgram {
    let is_kept = |literal: &&Literal| match literal {
        Literal::Negative(atom) => {
            program.relation(atom.relation).is_none_or(|relation| program.stage(relation) == 0)
        }
        _ => true,
    };
    let relaxed =
        |rule: &Rule| Rule { body: rule.body.iter().filter(is_kept).cloned().collect(), ..rule.clone() };
    let unknown = rules.iter().filter(|rule| !is_known(rule.head.relation));
    let mut all: Vec<Rule> = unknown.map(relaxed).collect();
    let [x, y] = [Symbol::TRUE, Symbol::DOES].map(Term::Variable);
    let atom = |relation, arguments: &[Term]| Atom {
        relation,
        arguments: arguments.to_vec(),
        at: Default::default(),
    };
    let bridge = |head: Atom, body: Vec<Atom>| Rule {
        head,
        body: body.into_iter().map(Literal::Positive).collect(),
        clause: 0,
    };
    let xs = [x.clone()];
    let both = [x, y];
    all.push(bridge(atom(Symbol::TRUE, &xs), vec![atom(Symbol::NEXT, &xs)]));
    let own = vec![atom(Symbol::ROLE, &xs), atom(Symbol::LEGAL, &both)];
    all.push(bridge(atom(Symbol::DOES, &both), own));
    let relations: Vec<(Symbol, usize, usize)> =
        (0..program.relations()).map(|id| (program.name(id), program.arity(id), 0)).collect();
    DatalogProgram::new(all, &relations)
}
