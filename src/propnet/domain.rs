//! Domain: the ground atoms that may hold in some state, by relaxed reachability.
//!
//! The rules are evaluated once, for all states together: `true` holds of whatever holds initially or may be next,
//! `does` of whatever a role may legally do, and a negation of anything that depends on the state is taken to succeed.
//! What depends on no state is evaluated exactly. So every atom that holds in a state that play can reach is in the
//! domain, and all the domain is finite or a limit is met.
//!
//! Declarations (`base`, `input`) are not read: a wrong one would change the play, and the relaxed fixpoint is never
//! larger than it must be for want of them.
//!
//! Reference: the relaxed planning graph of Hoffmann, Nebel, *The FF Planning System*, JAIR 2001.

use super::limits::{Limits, TooLarge};
use super::split::{Split, split};
use crate::datalog::{Allowance, Condition, Database, Program, RelationId};
use crate::gdl::{Atom, Game, Literal, Rule, Symbol, Term, TermId, TermStore};

/// The program of a game with all atoms that may hold.
pub(super) struct Domain {
    /// The rules of the game, split.
    split: Vec<Rule>,
    /// The same as a program: who depends on whom.
    pub(super) rules: Program,
    is_open: Vec<bool>,
    /// The relaxed rules; the same relations.
    pub(super) relaxed: Program,
    /// The tuples of every relation that some output of the network needs.
    pub(super) database: Database,
    /// Which strata of `rules` the outputs need.
    pub(super) strata: Vec<usize>,
    /// What may still be spent.
    allowance: Allowance,
    limits: Limits,
    /// The tuples of `init`.
    pub(super) initial: Vec<TermId>,
}

/// Takes an instance: the row of its head and the atoms that it depends on.
pub(super) type Show<'a> = dyn FnMut(usize, &[Condition]) -> Result<(), TooLarge> + 'a;

/// Stage of what depends on the state.
const STATE: usize = 1;
/// Stage of what depends on the joint move besides.
const STEP: usize = 2;

impl Domain {
    /// All atoms that may hold in a game.
    pub(super) fn of(game: &Game, limits: &Limits) -> Result<Domain, TooLarge> {
        let met = |error| limits.met(error);
        let terms = game.terms();
        let mut allowance = Allowance { visits: limits.visits, tuples: limits.atoms };
        let inputs = [(Symbol::TRUE, 1, STATE), (Symbol::DOES, 2, STEP), (Symbol::ROLE, 1, 0)];
        let Split { rules: split, guards } = split(game.rules());
        let mut rules = Program::new(split.clone(), &inputs);
        (rules.limits.visits, rules.limits.tuples) = (limits.visits, limits.atoms);
        rules.limits.depth = limits.depth;
        let outputs = [Symbol::NEXT, Symbol::LEGAL, Symbol::SEES, Symbol::GOAL, Symbol::TERMINAL];
        let inputs = [Symbol::TRUE, Symbol::DOES, Symbol::ROLE];
        let targets: Vec<RelationId> =
            outputs.iter().chain(&inputs).filter_map(|&name| rules.relation(name)).collect();
        let strata = rules.strata_of(&targets);
        let mut is_needed = vec![false; rules.relations()];
        for (number, (relations, _)) in rules.strata().enumerate() {
            relations.iter().for_each(|&id| is_needed[id] = strata.binary_search(&number).is_ok());
        }

        // The initial state, evaluated as the interpreter does.
        let mut initial = Vec::new();
        if let Some(init) = rules.relation(Symbol::INIT) {
            let mut database = Database::new(&rules, None);
            database.plan(&mut rules, init, false, terms).map_err(met)?;
            initial = database.relation(init, &rules).rows().map(|row| row[0]).collect();
        }

        let mut relaxed = relax(&rules, &split);
        relaxed.limits.depth = limits.depth;
        let mut database = Database::new(&relaxed, None);
        let holds = relaxed.relation(Symbol::TRUE).expect("it is an input");
        database.set_input(&relaxed, holds, initial.iter().map(std::slice::from_ref));
        database.saturate(&mut relaxed, |id| is_needed[id], &mut allowance, terms).map_err(met)?;
        let is_open = (0..rules.relations())
            .map(|id| rules.stage(id) > 0 && !guards.contains(&rules.name(id)))
            .collect();
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

    /// Rows looked at so far.
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
            .instances(relaxed, (&split[rule], rule), &is_open, allowance, terms, &mut shown)
            .map_err(|error| limits.met(error))?;
        refused
    }
}

/// The relaxed rules. Rule `i` is the relaxed rule `i`; relations keep their ids.
fn relax(program: &Program, rules: &[Rule]) -> Program {
    let is_kept = |literal: &&Literal| match literal {
        Literal::Negative(atom) => {
            program.relation(atom.relation).is_none_or(|relation| program.stage(relation) == 0)
        }
        _ => true,
    };
    let relaxed =
        |rule: &Rule| Rule { body: rule.body.iter().filter(is_kept).cloned().collect(), ..rule.clone() };
    let mut all: Vec<Rule> = rules.iter().map(relaxed).collect();
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
    Program::new(all, &relations)
}
