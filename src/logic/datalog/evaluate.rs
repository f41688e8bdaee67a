//! Evaluation: deriving the tuples of a component, and the queries that ask for them.

use super::limits::LimitExceeded;
use super::plan::JoinPlan;
use super::walk::{Walk, WalkOutput};
use super::{Database, DatalogProgram, LimitResult, Relation, RelationId};
use crate::gdl::TermStore;

impl Database {
    /// The tuples of a relation that was planned. They are derived unless they are there already.
    ///
    /// # Errors
    /// If a limit of the program is exceeded; the component that exceeded it is not marked as evaluated.
    pub fn query(
        &mut self,
        program: &DatalogProgram,
        relation: RelationId,
        terms: &TermStore,
    ) -> LimitResult<&Relation> {
        for &component in program.needs(relation) {
            if !self.evaluated[component] {
                self.evaluate(program, component, terms)?;
                self.evaluated[component] = true;
            }
        }
        Ok(self.relation(relation, program))
    }

    /// For each rule of a relation, in the order of the rules, the tuples that it derives from all tuples that hold.
    /// The relation must be among the targets of [`choose_tabled`](Self::choose_tabled), so that it is not tabled.
    ///
    /// ```
    /// use hyperplay_logic::datalog::{Database, DatalogProgram};
    /// # use hyperplay_logic::gdl::{Source, load};
    /// # let text = "(role r) (legal r noop) (goal r 1) terminal (d a) (d b) (<= (p ?x) (d ?x)) (<= (p b) (d b))";
    /// # let game = load(Source::new("example", text), None).game.unwrap();
    /// # let (rules, terms) = (game.rules().to_vec(), game.terms());
    ///
    /// // The rules are (d a), (d b), (<= (p ?x) (d ?x)) and (<= (p b) (d b)).
    /// let mut program = DatalogProgram::new(rules, &[]);
    /// let p = program.relation(terms.symbols().get("p").unwrap()).unwrap();
    /// let mut database = Database::new(&program, None);
    /// database.plan(&mut program, p, false, terms).unwrap();
    /// let by_rule = database.query_by_rule(&program, p, terms).unwrap();
    /// assert_eq!(by_rule.iter().map(|relation| relation.len()).collect::<Vec<_>>(), [2, 1]);
    /// ```
    ///
    /// # Errors
    /// If a limit of the program is exceeded.
    pub fn query_by_rule(
        &mut self,
        program: &DatalogProgram,
        relation: RelationId,
        terms: &TermStore,
    ) -> LimitResult<Vec<Relation>> {
        self.query(program, relation, terms)?;
        let plans = program.plans_of(relation);
        plans
            .map(|plan| {
                let mut out = Relation::new(program.arity(relation), Vec::new());
                self.run(program, plan, terms, &mut out).map(|()| out)
            })
            .collect()
    }

    pub(super) fn evaluate(
        &mut self,
        program: &DatalogProgram,
        component: usize,
        terms: &TermStore,
    ) -> LimitResult {
        let component = &program.components[component];
        if component.rules.is_empty() || component.subgoal_plans.is_some() {
            return Ok(()); // an input, a relation without rules, or a tabled relation
        }
        debug_assert!(component.is_planned);
        for &relation in &component.relations {
            self.relations[relation].clear();
        }
        if component.repeated.is_empty() {
            return component.first.iter().try_for_each(|plan| {
                // Nothing reads the head while its rules run, so it is derived in place.
                let mut out = std::mem::take(&mut self.relations[plan.head]);
                let result = self.run(program, plan, terms, &mut out);
                self.relations[plan.head] = out;
                result
            });
        }
        self.derive(program, &component.first, &component.relations, terms)?;
        let mut start: Vec<usize> = vec![0; component.relations.len()];
        loop {
            let mut grown = false;
            for (&relation, start) in component.relations.iter().zip(&mut start) {
                let end = self.relations[relation].len();
                self.delta[relation] = (*start, end);
                grown |= *start < end;
                *start = end;
            }
            if !grown {
                return Ok(());
            }
            self.derive(program, &component.repeated, &component.relations, terms)?;
        }
    }

    /// Runs plans over the relations as they are, then adds what they derived.
    fn derive(
        &mut self,
        program: &DatalogProgram,
        plans: &[JoinPlan],
        relations: &[RelationId],
        terms: &TermStore,
    ) -> LimitResult {
        let mut derived: Vec<Relation> =
            relations.iter().map(|&relation| Relation::new(program.arity(relation), Vec::new())).collect();
        for plan in plans {
            let position = relations.iter().position(|&relation| relation == plan.head);
            let out = &mut derived[position.expect("a component's rules derive its relations")];
            self.run(program, plan, terms, out)?;
        }
        for (&relation, derived) in relations.iter().zip(&derived) {
            let most = program.most_tuples(relation);
            let relation = &mut self.relations[relation];
            derived.rows().for_each(|tuple| {
                relation.insert(tuple);
            });
            if relation.len() > most {
                let rule = &program.rules[plans[0].rule];
                return Err(program.limit_error(rule, LimitExceeded::Tuples, terms));
            }
        }
        Ok(())
    }

    fn run(
        &mut self,
        program: &DatalogProgram,
        plan: &JoinPlan,
        terms: &TermStore,
        out: &mut Relation,
    ) -> LimitResult {
        let limit_exceeded = self.walk(program, plan, terms, WalkOutput::Tuples(out));
        let rule = &program.rules[plan.rule];
        limit_exceeded.map_or(Ok(()), |limit| Err(program.limit_error(rule, limit, terms)))
    }

    /// Executes a plan over the tuples of this database. Returns the limit that it exceeded, if it did.
    pub(super) fn walk(
        &mut self,
        program: &DatalogProgram,
        plan: &JoinPlan,
        terms: &TermStore,
        output: WalkOutput<'_, '_>,
    ) -> Option<LimitExceeded> {
        self.refresh(program, plan, terms);
        let mut subgoals = std::mem::take(&mut self.subgoals);
        let limit_exceeded = Walk::new(self, program, terms, &mut subgoals, plan, output).run();
        self.subgoals = subgoals;
        limit_exceeded
    }
}
