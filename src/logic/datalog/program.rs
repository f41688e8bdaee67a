//! Programs: stratified rules, grouped by the inputs that they depend on.
//!
//! The *inputs* of a program are relations whose tuples the caller gives; no rule defines them. Each input has a
//! [`Stage`]. The stage of any other relation is the highest stage among the inputs that it depends on, or 0 if it
//! depends on none; then its tuples never change and are derived once. A *component* is a set of mutually recursive
//! relations. The components in topological order are the strata, and a query evaluates only the components that its
//! relation needs.
//!
//! Evaluation is semi-naive (Ullman 1988, chapter 3): in each round a recursive rule must use at least one tuple that
//! the previous round derived. The order of the rules never changes what is derived.

use std::cmp::Ordering;
use std::sync::Arc;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use super::limits::{EvaluationLimits, LimitError, LimitExceeded};
use super::order::SelectivityEstimator;
use super::plan::{JoinPlan, JoinStep, PlanDraft, RelationId, RowRange, compile};
use super::relation::{IndexShape, Relation};
use crate::gdl::{Atom, Literal, Rule, Symbol, TermStore, print_rule};

/// The stage of a relation: the inputs of higher stages change more often, and relations of stage 0 never change.
/// The example is at [`DatalogProgram`].
pub type Stage = usize;

/// Mutually recursive relations with their rules.
#[derive(Clone, Debug, Default)]
pub(super) struct Component {
    pub(super) relations: Vec<RelationId>,
    /// The rules that derive them, in the order of the text.
    pub(super) rules: Vec<usize>,
    pub(super) is_planned: bool,
    /// The plans of the first round: all rules, over all rows.
    pub(super) first: Vec<JoinPlan>,
    /// The plans of later rounds: each recursive rule once for each of its recursive literals, which visits the delta.
    pub(super) repeated: Vec<JoinPlan>,
    /// If the component's only relation is tabled: for each rule, the plan that evaluates a given head.
    pub(super) subgoal_plans: Option<Vec<JoinPlan>>,
}

impl Component {
    /// The plans that evaluation runs.
    pub(super) fn plans(&self) -> impl Iterator<Item = &JoinPlan> {
        match &self.subgoal_plans {
            Some(plans) => plans.iter().chain([].iter()),
            None => self.first.iter().chain(self.repeated.iter()),
        }
    }
}

/// Rules that are ready to be evaluated.
#[derive(Clone, Debug, Default)]
pub struct DatalogProgram {
    pub(super) rules: Vec<Rule>,
    pub(super) names: Vec<Symbol>,
    pub(super) arities: Vec<usize>,
    pub(super) by_name: FxHashMap<Symbol, RelationId>,
    pub(super) stages: Arc<[Stage]>,
    /// In topological order: a component reads only itself and earlier ones.
    pub(super) components: Vec<Component>,
    pub(super) component_of: Vec<usize>,
    /// For each component, the other components that its rules read.
    reads: Vec<Vec<usize>>,
    /// For each relation that is queried, the components that must be evaluated.
    needs: FxHashMap<RelationId, Box<[usize]>>,
    /// The shapes that are indexed, by relation.
    pub(super) shapes: Vec<Vec<IndexShape>>,
    /// The position of each shape among those of its relation.
    shape_number: FxHashMap<(RelationId, IndexShape), usize>,
    /// For each tabled relation, the indexes that its subgoals look into, those of nested subgoals included.
    pub(super) subgoal_lookups: Vec<Vec<(RelationId, usize)>>,
    /// The number of tuples that each relation may hold, where it has a bound of its own.
    pub(super) most: Vec<usize>,
    /// The bounds on each evaluation.
    pub limits: EvaluationLimits,
}

impl DatalogProgram {
    /// A program of these rules. `inputs` lists the relations that the caller fills, with their arity and stage (from
    /// 0). The rules of a validated game meet the conditions: they are safe and stratified, and each relation has one
    /// arity. O(size of the rules).
    pub fn new(rules: Vec<Rule>, inputs: &[(Symbol, usize, Stage)]) -> DatalogProgram {
        let mut program = DatalogProgram { rules, ..DatalogProgram::default() };
        program.collect_relations(inputs);
        program.find_components(inputs);
        program
    }

    fn collect_relations(&mut self, inputs: &[(Symbol, usize, Stage)]) {
        let mut all: Vec<(Symbol, usize)> = inputs.iter().map(|&(name, arity, _)| (name, arity)).collect();
        for rule in &self.rules {
            all.push(rule.head.functor());
            all.extend(rule.body.iter().filter_map(Literal::atom).map(Atom::functor));
        }
        for (name, arity) in all {
            self.by_name.entry(name).or_insert_with(|| {
                self.names.push(name);
                self.arities.push(arity);
                self.names.len() - 1
            });
        }
    }

    fn find_components(&mut self, inputs: &[(Symbol, usize, Stage)]) {
        let mut graph: DiGraph<(), ()> = DiGraph::new();
        (0..self.names.len()).for_each(|_| {
            graph.add_node(());
        });
        let mut edges = FxHashSet::default();
        for rule in &self.rules {
            let head = self.id(&rule.head);
            for atom in rule.body.iter().filter_map(Literal::atom) {
                let body = self.id(atom);
                if edges.insert((head, body)) {
                    graph.add_edge(NodeIndex::new(head), NodeIndex::new(body), ());
                }
            }
        }
        // The components come in reverse topological order of head -> body, bodies first. Kosaraju's algorithm is
        // chosen because petgraph's implementation of it is not recursive.
        self.component_of = vec![0; self.names.len()];
        let mut stages = vec![0; self.names.len()];
        for &(name, _, stage) in inputs {
            stages[self.by_name[&name]] = stage;
        }
        for (number, component) in kosaraju_scc(&graph).into_iter().enumerate() {
            let mut relations: Vec<RelationId> = component.iter().map(|node| node.index()).collect();
            relations.sort_unstable();
            for &relation in &relations {
                self.component_of[relation] = number;
            }
            let read = component.iter().flat_map(|&node| graph.neighbors(node));
            let read = read.map(|read| self.component_of[read.index()]);
            let mut read: Vec<usize> = read.filter(|&other| other != number).collect();
            read.sort_unstable();
            read.dedup();
            let inherited = read.iter().map(|&other| self.components[other].relations[0]);
            let known = relations.iter().copied().chain(inherited).map(|relation| stages[relation]);
            let stage = known.max().unwrap_or(0);
            for &relation in &relations {
                stages[relation] = stage;
            }
            self.reads.push(read);
            self.components.push(Component { relations, ..Component::default() });
        }
        for (index, rule) in self.rules.iter().enumerate() {
            self.components[self.component_of[self.by_name[&rule.head.relation]]].rules.push(index);
        }
        self.stages = stages.into();
        self.shapes = vec![Vec::new(); self.names.len()];
        self.subgoal_lookups = vec![Vec::new(); self.names.len()];
    }

    /// Plans the rules of a component. Selectivity is measured on a sample of the relations that the rules read. New
    /// shapes to be indexed are added; none is removed.
    pub(super) fn plan<'a>(
        &mut self,
        component: usize,
        sample: &dyn Fn(RelationId) -> Option<&'a Relation>,
        terms: &'a TermStore,
    ) {
        let mut estimator = SelectivityEstimator::new(sample, terms);
        let is_own = |atom: &Atom| self.component_of[self.id(atom)] == component;
        let (mut first, mut repeated) = (Vec::new(), Vec::new());
        for &index in &self.components[component].rules {
            let rule = &self.rules[index];
            let draft = PlanDraft { rule, index, first: None, is_subgoal: false, open: None };
            first.push(self.compile(&mut estimator, &draft, &|_| RowRange::All));
            let recursive: Vec<usize> = (0..rule.body.len())
                .filter(|&position| matches!(&rule.body[position], Literal::Positive(atom) if is_own(atom)))
                .collect();
            for &delta in &recursive {
                let rows = |position: usize| match position.cmp(&delta) {
                    Ordering::Equal => RowRange::Delta,
                    Ordering::Greater if recursive.binary_search(&position).is_ok() => RowRange::Old,
                    _ => RowRange::All,
                };
                let draft = PlanDraft { first: Some(delta), ..draft };
                repeated.push(self.compile(&mut estimator, &draft, &rows));
            }
        }
        self.index(&mut first);
        self.index(&mut repeated);
        let planned = &mut self.components[component];
        (planned.first, planned.repeated, planned.is_planned) = (first, repeated, true);
    }

    /// Gives every look-up of these plans an index.
    pub(super) fn index(&mut self, plans: &mut [JoinPlan]) {
        for step in plans.iter_mut().flat_map(|plan| &mut plan.steps) {
            let JoinStep::Find(find) = step else { continue };
            let shape = &find.pattern.shape;
            if shape.key.is_empty() && shape.compounds.is_empty() {
                continue;
            }
            let shapes = &mut self.shapes[find.relation];
            let number = self.shape_number.entry((find.relation, shape.clone())).or_insert_with(|| {
                shapes.push(shape.clone());
                shapes.len() - 1
            });
            find.index = Some(*number);
        }
    }

    /// The plans that derive a relation, one for each of its rules, in the order of the text.
    pub(super) fn plans_of(&self, relation: RelationId) -> impl Iterator<Item = &JoinPlan> {
        let component = &self.components[self.component_of[relation]];
        component.first.iter().filter(move |plan| plan.head == relation)
    }

    /// The strata: the components in the order of evaluation, each as its relations and the indexes of its rules.
    pub fn strata(&self) -> impl Iterator<Item = (&[RelationId], &[usize])> {
        self.components.iter().map(|component| (&component.relations[..], &component.rules[..]))
    }

    /// The strata that the tuples of the targets depend on, ascending, as positions in [`DatalogProgram::strata`].
    pub fn strata_of(&mut self, targets: &[RelationId]) -> Vec<usize> {
        self.needed_at(targets, Stage::MAX)
    }

    /// These relations and all whose tuples depend on theirs, in ascending order. O(rules).
    pub fn readers_of(&self, relations: &[RelationId]) -> Vec<RelationId> {
        let mut is_reader = vec![false; self.components.len()];
        relations.iter().for_each(|&id| is_reader[self.component_of[id]] = true);
        for component in 0..self.components.len() {
            is_reader[component] |= self.reads[component].iter().any(|&other| is_reader[other]);
        }
        (0..self.relations()).filter(|&id| is_reader[self.component_of[id]]).collect()
    }

    /// The rules, in the order in which they were given.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The name of a relation; panics if the program has no such relation, as all methods here do.
    pub fn name(&self, relation: RelationId) -> Symbol {
        self.names[relation]
    }

    /// Names for further relations: auxiliary symbols that name no relation of the program.
    pub fn fresh_names(&self) -> impl Iterator<Item = Symbol> + use<> {
        let last = self.names.iter().filter_map(|name| name.auxiliary_number()).max();
        (last.map_or(0, |last| last + 1)..).map(Symbol::auxiliary)
    }

    /// The number of relations. Their ids are 0, 1, 2, ...
    pub fn relations(&self) -> usize {
        self.names.len()
    }

    /// The relation with this name, if a rule or an input names it.
    pub fn relation(&self, name: Symbol) -> Option<RelationId> {
        self.by_name.get(&name).copied()
    }

    /// The plan of a rule, in the order that the estimator chooses; `rows` returns the rows that the positive literal at a
    /// position of the body visits.
    pub(super) fn compile(
        &self,
        estimator: &mut SelectivityEstimator<'_, '_>,
        draft: &PlanDraft<'_>,
        rows: &dyn Fn(usize) -> RowRange,
    ) -> JoinPlan {
        let id = |atom: &Atom| self.id(atom);
        let order = estimator.order(draft.rule, draft.first, &|_| draft.is_subgoal, &id);
        compile(draft, order, &id, rows, estimator.terms)
    }

    /// The relation of an atom of the program.
    pub(super) fn id(&self, atom: &Atom) -> RelationId {
        self.by_name[&atom.relation]
    }

    /// The stage of a relation.
    pub fn stage(&self, relation: RelationId) -> Stage {
        self.stages[relation]
    }

    /// The number of arguments of a relation.
    pub fn arity(&self, relation: RelationId) -> usize {
        self.arities[relation]
    }

    /// The relations of a component with a rule in which one of them depends on the negation of another; none if the
    /// program is stratified. The rules of a validated game are.
    pub fn negative_cycle(&self) -> Option<&[RelationId]> {
        let rule = self.rules.iter().find_map(|rule| {
            let component = self.component_of[self.id(&rule.head)];
            let is_inside = |literal: &Literal| matches!(literal, Literal::Negative(atom) if self.component_of[self.id(atom)] == component);
            rule.body.iter().any(is_inside).then_some(component)
        });
        rule.map(|component| &self.components[component].relations[..])
    }

    /// The components that a relation's tuples depend on, in the order of evaluation. Known only for relations that
    /// were planned.
    pub(super) fn needs(&self, relation: RelationId) -> &[usize] {
        self.needs.get(&relation).map_or(&[], |needs| needs)
    }

    /// Finds the components that a relation needs, unless they are known. O(rules).
    pub(super) fn find_needs(&mut self, relation: RelationId) {
        if self.needs.contains_key(&relation) {
            return;
        }
        let mut needed = FxHashSet::default();
        let mut open = vec![self.component_of[relation]];
        while let Some(component) = open.pop() {
            if needed.insert(component) {
                open.extend_from_slice(&self.reads[component]);
            }
        }
        let mut needed: Vec<usize> = needed.into_iter().collect();
        needed.sort_unstable();
        self.needs.insert(relation, needed.into());
    }

    /// The components of at most this stage that the targets need, in the order of evaluation.
    pub(super) fn needed_at(&mut self, targets: &[RelationId], stage: Stage) -> Vec<usize> {
        targets.iter().for_each(|&target| self.find_needs(target));
        let mut components: Vec<usize> =
            targets.iter().flat_map(|&target| self.needs(target).to_vec()).collect();
        components.sort_unstable();
        components.dedup();
        components.retain(|&component| self.component_stage(component) <= stage);
        components
    }

    /// The stage of a component.
    pub(super) fn component_stage(&self, component: usize) -> Stage {
        self.components[component].relations.first().map_or(0, |&relation| self.stages[relation])
    }

    /// The plans as text: for each plan, the line and the text of its rule, then its steps. Components that were not
    /// planned are left out. `line` returns the line on which a rule begins.
    pub fn describe(&self, terms: &TermStore, line: impl Fn(&Rule) -> usize) -> String {
        let mut text = String::new();
        for plan in self.components.iter().flat_map(Component::plans) {
            let rule = &self.rules[plan.rule];
            plan.write(&mut text, (rule, line(rule)), &self.names, terms.symbols())
                .expect("a string can be written to");
        }
        text
    }

    /// Bounds the number of tuples of one relation, in addition to [`DatalogProgram::limits`]. The example is at
    /// [`LimitError`].
    pub fn set_most(&mut self, relation: RelationId, tuples: usize) {
        self.most.resize(self.relations(), usize::MAX);
        self.most[relation] = tuples;
    }

    /// The number of tuples that a relation may hold.
    pub(super) fn most_tuples(&self, relation: RelationId) -> usize {
        let most = self.most.get(relation).copied().unwrap_or(usize::MAX);
        let of_cells = self.limits.cells / self.arities[relation].max(1);
        self.limits.tuples.min(of_cells).min(most)
    }

    /// A rule that derives a relation, if the relation holds more tuples than [`set_most`](Self::set_most) allows.
    pub(super) fn outgrown(&self, relation: RelationId, tuples: usize) -> Option<&Rule> {
        let has_outgrown = self.most.get(relation).is_some_and(|&most| tuples > most);
        let name = self.names[relation];
        self.rules.iter().filter(|_| has_outgrown).find(|rule| rule.head.relation == name)
    }

    /// The error for a limit exceeded by a rule over relations of the program.
    pub(super) fn limit_error(&self, rule: &Rule, exceeded: LimitExceeded, terms: &TermStore) -> LimitError {
        let relation = terms.symbols().name(rule.head.relation).to_owned();
        let head = self.id(&rule.head);
        let rule = print_rule(rule, terms.symbols());
        let EvaluationLimits { depth, size, visits, .. } = self.limits;
        let limit = match exceeded {
            LimitExceeded::Tuples => self.most_tuples(head) as u64,
            LimitExceeded::Depth => depth.into(),
            LimitExceeded::Size => size.into(),
            LimitExceeded::Visits => visits,
            LimitExceeded::Deadline => 0,
        };
        LimitError { exceeded, limit, relation, rule }
    }
}
