//! Programs: stratified rules, split by the inputs they depend on.
//!
//! A program has *inputs*, relations whose tuples the caller gives (none of them defined by rules), each with a
//! [`Stage`]. A relation's stage is the highest among the inputs that it depends on, stage 0 if there is none: its
//! tuples are the same for ever and are derived once. A *component* is a set of mutually recursive relations; the
//! components in topological order are the strata, and a query evaluates only those that its relation needs.
//!
//! Evaluation is semi-naive (Ullman 1988, chapter 3): in each round a recursive rule must use at least one tuple that
//! the round before derived. The order of rules never changes what is derived.

use std::cmp::Ordering;
use std::sync::Arc;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use super::limits::{LimitError, Limits, Trouble};
use super::order::Estimator;
use super::plan::{Draft, Plan, RelationId, Rows, Shown, Step, compile};
use super::relation::{Relation, Shape};
use crate::gdl::{Atom, Literal, Rule, Symbol, TermStore, print_rule};

/// Which inputs a relation depends on; higher stages change more often.
pub type Stage = usize;

/// Mutually recursive relations with their rules.
#[derive(Clone, Debug, Default)]
pub(super) struct Component {
    pub(super) relations: Vec<RelationId>,
    /// The rules that derive them, in the order of the text.
    pub(super) rules: Vec<usize>,
    pub(super) is_planned: bool,
    /// The rules as they run first: all of them, over all rows.
    pub(super) first: Vec<Plan>,
    /// The recursive rules, once for each recursive literal, which looks at the delta.
    pub(super) repeated: Vec<Plan>,
    /// If the component's one relation is proved, never derived: for each rule, the plan that proves a given head.
    pub(super) proofs: Option<Vec<Plan>>,
}

impl Component {
    /// The plans that are run.
    pub(super) fn plans(&self) -> impl Iterator<Item = &Plan> {
        match &self.proofs {
            Some(proofs) => proofs.iter().chain([].iter()),
            None => self.first.iter().chain(self.repeated.iter()),
        }
    }
}

/// Rules, ready to be evaluated.
#[derive(Clone, Debug)]
pub struct Program {
    pub(super) rules: Vec<Rule>,
    names: Vec<Symbol>,
    arities: Vec<usize>,
    pub(super) by_name: FxHashMap<Symbol, RelationId>,
    pub(super) stages: Arc<[Stage]>,
    /// In topological order: a component reads only itself and earlier ones.
    pub(super) components: Vec<Component>,
    pub(super) component_of: Vec<usize>,
    /// For each component, the other components that its rules read.
    reads: Vec<Vec<usize>>,
    /// For each relation that is queried, the components to evaluate.
    needs: FxHashMap<RelationId, Box<[usize]>>,
    /// The shapes indexed, by relation.
    pub(super) shapes: Vec<Vec<Shape>>,
    /// The position of each shape among those of its relation.
    shape_number: FxHashMap<(RelationId, Shape), usize>,
    /// For each relation that is proved, the indexes that its proofs look into, those of proofs inside included.
    pub(super) proof_lookups: Vec<Vec<(RelationId, usize)>>,
    /// Tuples that each relation may hold, where it is bounded on its own.
    most: Vec<usize>,
    /// The bounds on an evaluation.
    pub limits: Limits,
}

impl Program {
    /// A program of these rules. `inputs` are the relations that the caller fills, with their stage (from 1).
    ///
    /// The rules must be safe and stratified, each relation of one arity: validation sees to it.
    pub fn new(rules: Vec<Rule>, inputs: &[(Symbol, usize, Stage)]) -> Program {
        let mut program = Program {
            rules,
            names: Vec::new(),
            arities: Vec::new(),
            by_name: FxHashMap::default(),
            stages: Arc::default(),
            components: Vec::new(),
            component_of: Vec::new(),
            reads: Vec::new(),
            needs: FxHashMap::default(),
            proof_lookups: Vec::new(),
            shapes: Vec::new(),
            shape_number: FxHashMap::default(),
            most: Vec::new(),
            limits: Limits::default(),
        };
        program.collect_relations(inputs);
        program.find_components(inputs);
        program
    }

    fn collect_relations(&mut self, inputs: &[(Symbol, usize, Stage)]) {
        let mut all: Vec<(Symbol, usize)> = inputs.iter().map(|&(name, arity, _)| (name, arity)).collect();
        for rule in &self.rules {
            all.push((rule.head.relation, rule.head.arguments.len()));
            all.extend(atoms(rule).map(|atom| (atom.relation, atom.arguments.len())));
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
            let head = self.by_name[&rule.head.relation];
            for atom in atoms(rule) {
                let body = self.by_name[&atom.relation];
                if edges.insert((head, body)) {
                    graph.add_edge(NodeIndex::new(head), NodeIndex::new(body), ());
                }
            }
        }
        // In reverse topological order of head -> body: bodies first. (Kosaraju's algorithm is not recursive here.)
        self.component_of = vec![0; self.names.len()];
        let mut stages = vec![0; self.names.len()];
        for (number, component) in kosaraju_scc(&graph).into_iter().enumerate() {
            let mut relations: Vec<RelationId> = component.iter().map(|node| node.index()).collect();
            relations.sort_unstable();
            for &relation in &relations {
                self.component_of[relation] = number;
            }
            let mut read: Vec<usize> = component
                .iter()
                .flat_map(|&node| graph.neighbors(node))
                .map(|read| self.component_of[read.index()])
                .filter(|&other| other != number)
                .collect();
            read.sort_unstable();
            read.dedup();
            let given = |relation: &RelationId| {
                inputs
                    .iter()
                    .find(|(name, ..)| *name == self.names[*relation])
                    .map_or(0, |&(_, _, stage)| stage)
            };
            let own = relations.iter().map(given).max().unwrap_or(0);
            let inherited =
                read.iter().map(|&other| stages[self.components[other].relations[0]]).max().unwrap_or(0);
            for &relation in &relations {
                stages[relation] = own.max(inherited);
            }
            self.reads.push(read);
            self.components.push(Component { relations, ..Component::default() });
        }
        for (index, rule) in self.rules.iter().enumerate() {
            let component = self.component_of[self.by_name[&rule.head.relation]];
            self.components[component].rules.push(index);
        }
        self.stages = stages.into();
        self.shapes = vec![Vec::new(); self.names.len()];
        self.proof_lookups = vec![Vec::new(); self.names.len()];
    }

    /// Plans the rules of a component, measuring selectivity on a sample of the relations that they read. Shapes to
    /// be indexed are added, none is taken away.
    pub(super) fn plan<'a>(
        &mut self,
        component: usize,
        sample: impl Fn(RelationId) -> Option<&'a Relation>,
        terms: &'a TermStore,
    ) {
        let mut estimator = Estimator::new(sample, terms);
        let relation = |atom: &Atom| self.by_name[&atom.relation];
        let is_own = |atom: &Atom| self.component_of[relation(atom)] == component;
        let (mut first, mut repeated) = (Vec::new(), Vec::new());
        for &index in &self.components[component].rules {
            let rule = &self.rules[index];
            let order = estimator.order(rule, None, false, relation);
            let draft = Draft { rule, index, order, is_proof: false, open: None };
            first.push(compile(&draft, relation, |_| Rows::All, terms));
            let recursive: Vec<usize> = (0..rule.body.len())
                .filter(|&position| matches!(&rule.body[position], Literal::Positive(atom) if is_own(atom)))
                .collect();
            for &delta in &recursive {
                let rows = |position: usize| match position.cmp(&delta) {
                    Ordering::Equal => Rows::Delta,
                    Ordering::Greater if recursive.binary_search(&position).is_ok() => Rows::Old,
                    _ => Rows::All,
                };
                let order = estimator.order(rule, Some(delta), false, relation);
                repeated.push(compile(
                    &Draft { rule, index, order, is_proof: false, open: None },
                    relation,
                    rows,
                    terms,
                ));
            }
        }
        self.index(first.iter_mut().chain(&mut repeated));
        let planned = &mut self.components[component];
        (planned.first, planned.repeated, planned.is_planned) = (first, repeated, true);
    }

    /// Gives every look-up of these plans an index.
    pub(super) fn index<'p>(&mut self, plans: impl Iterator<Item = &'p mut Plan>) {
        for step in plans.flat_map(|plan| &mut plan.steps) {
            let Step::Find(find) = step else { continue };
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
    pub(super) fn plans_of(&self, relation: RelationId) -> impl Iterator<Item = &Plan> {
        let component = &self.components[self.component_of[relation]];
        component.first.iter().filter(move |plan| plan.head == relation)
    }

    /// The strata: components in the order of evaluation, each as its relations and the indexes of its rules.
    pub fn strata(&self) -> impl Iterator<Item = (&[RelationId], &[usize])> {
        self.components.iter().map(|component| (&component.relations[..], &component.rules[..]))
    }

    /// The strata that the targets' tuples follow from, as positions among [`Program::strata`].
    pub fn strata_of(&mut self, targets: &[RelationId]) -> Vec<usize> {
        self.needed_at(targets, Stage::MAX)
    }

    /// The name of a relation.
    pub fn name(&self, relation: RelationId) -> Symbol {
        self.names[relation]
    }

    /// The number of relations; their ids are 0, 1, ...
    pub fn relations(&self) -> usize {
        self.names.len()
    }

    /// The relation with this name, if a rule or an input names it.
    pub fn relation(&self, name: Symbol) -> Option<RelationId> {
        self.by_name.get(&name).copied()
    }

    /// The stages of all relations.
    pub(super) fn stages(&self) -> Arc<[Stage]> {
        Arc::clone(&self.stages)
    }

    /// The stage of a relation.
    pub fn stage(&self, relation: RelationId) -> Stage {
        self.stages[relation]
    }

    /// The number of arguments of a relation.
    pub fn arity(&self, relation: RelationId) -> usize {
        self.arities[relation]
    }

    /// The components that a relation's tuples follow from, in the order in which to evaluate them. Known only for
    /// relations that were planned.
    pub(super) fn needs(&self, relation: RelationId) -> &[usize] {
        self.needs.get(&relation).map_or(&[], |needs| needs)
    }

    /// Finds out what a relation needs, once. O(rules).
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

    /// The text of every plan: the line and text of the rule it came from, then its steps. Only components that were
    /// planned are described.
    pub fn describe(&self, terms: &TermStore, line: impl Fn(&Rule) -> usize) -> String {
        let show = |plan: &Plan| {
            let (rule, relations) = (&self.rules[plan.rule], &self.names[..]);
            Shown { plan, rule, line: line(rule), relations, symbols: terms.symbols() }.to_string()
        };
        self.components.iter().flat_map(Component::plans).map(show).collect()
    }

    /// Bounds the tuples of one relation.
    pub fn set_most(&mut self, relation: RelationId, tuples: usize) {
        self.most.resize(self.relations(), usize::MAX);
        self.most[relation] = tuples;
    }

    /// Tuples that a relation may hold.
    pub(super) fn most_tuples(&self, relation: RelationId) -> usize {
        let most = self.most.get(relation).copied().unwrap_or(usize::MAX);
        self.limits.tuples_of(self.arities[relation]).min(most)
    }

    /// A rule that derives a relation, if it holds more tuples than were allowed it.
    pub(super) fn outgrown(&self, relation: RelationId, tuples: usize) -> Option<&Rule> {
        let has_outgrown = self.most.get(relation).is_some_and(|&most| tuples > most);
        let name = self.names[relation];
        self.rules.iter().filter(|_| has_outgrown).find(|rule| rule.head.relation == name)
    }

    pub(super) fn limit_error(&self, plan: &Plan, trouble: Trouble, terms: &TermStore) -> LimitError {
        self.limit_error_in(&self.rules[plan.rule], trouble, terms)
    }

    /// The error for a limit met in a rule over relations of the program.
    pub(super) fn limit_error_in(&self, rule: &Rule, trouble: Trouble, terms: &TermStore) -> LimitError {
        let relation = terms.symbols().name(rule.head.relation).to_owned();
        let head = self.by_name[&rule.head.relation];
        let rule = print_rule(rule, terms.symbols());
        let Limits { depth, size, visits, .. } = self.limits;
        match trouble {
            Trouble::Tuples => LimitError::Tuples { relation, limit: self.most_tuples(head), rule },
            Trouble::Depth => LimitError::Depth { relation, limit: depth, rule },
            Trouble::Size => LimitError::Size { relation, limit: size, rule },
            Trouble::Visits => LimitError::Visits { relation, limit: visits, rule },
        }
    }
}

/// The atoms of a rule's body.
fn atoms(rule: &Rule) -> impl Iterator<Item = &Atom> {
    rule.body.iter().filter_map(|literal| match literal {
        Literal::Positive(atom) | Literal::Negative(atom) => Some(atom),
        Literal::Distinct(..) | Literal::Same(..) => None,
    })
}
