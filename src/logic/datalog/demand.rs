//! Demand: restricting relations to the tuples that are asked for.
//!
//! A rule such as
//!
//! ```text
//! legal(p, move(u, v, x, y)) <- true(control(p)), true(cell(u, v, q)), ..., not threatened(p, x, y, u, v)
//! ```
//!
//! asks for a few hundred of the millions of tuples that `threatened` may have. The *demand* of a restricted relation
//! is a relation over the arguments that are known when the relation is read. Each rule that reads the relation gives
//! a rule for its demand: the known arguments, for whatever satisfies the positive conditions that come first. Each
//! rule of the relation gets its demand as a further condition, so the demand passes on to what the rule reads, and
//! recursion is no exception. The other relations keep all their tuples.
//!
//! A relation of which different arguments are known at different places has a *copy* for each set of them. The rules
//! are in *groups* (those for a state, those for a step), and each group has copies of its own, so what one group asks
//! for never enters what another derives.
//!
//! References: Bancilhon, Maier, Sagiv, Ullman, *Magic Sets and Other Strange Ways to Implement Logic Programs*, PODS
//! 1986; Beeri, Ramakrishnan, *On the Power of Magic*, JLP 1991. The demand is their magic set.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use super::order::SelectivityEstimator;
use super::{Database, DatalogProgram, RelationId};
use crate::gdl::{Atom, Literal, Rule, Symbol, Term, TermStore};

/// The number of rows of a relation that are examined to choose the join orders.
const EXAMINED_ROWS: usize = 1_000_000;
/// A relation of which there would be more copies is not restricted.
const MOST_COPIES: usize = 12;

/// Rules in which some relations are restricted to what is asked for.
#[derive(Clone, Debug)]
pub struct Demanded {
    /// The rules: first those that derive what is not restricted, in their order; then those of the copies, each with
    /// its demand as the first condition; then those of the demands.
    pub rules: Vec<Rule>,
    /// The demands, with their arities.
    pub demands: Vec<(Symbol, usize)>,
    /// The copies that have names of their own, with the relations that they are copies of.
    pub copies: Vec<(Symbol, Symbol)>,
}

/// The rules and relations that [`Database::demand`] restricts. The example is at [`Demanded`].
pub struct DemandRequest<'a> {
    /// The rules.
    pub rules: &'a [Rule],
    /// Whether a relation is to be restricted. Neither an input nor what is queried may be.
    pub is_restricted: &'a dyn Fn(Symbol) -> bool,
    /// The group of the rules that derive a relation that is not restricted.
    pub group: &'a dyn Fn(Symbol) -> usize,
}

/// A restricted relation as it is read: by which group, and which arguments are known when it is.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Copy {
    relation: Symbol,
    group: usize,
    known: Vec<bool>,
}

impl Database {
    /// Restricts relations to what is asked for. The join orders, which decide what is known when a relation is read,
    /// are chosen with the tuples of this database as the sample. A relation of which nothing is known at some place
    /// where it is read is not restricted. O(rules × copies), a few milliseconds.
    ///
    /// With negations the rules that result may not be stratified, even if those given are; the caller tests it with
    /// [`DatalogProgram::negative_cycle`]. The names of copies and demands are new to the program, which may have more
    /// relations than the rules.
    pub fn demand(
        &self,
        program: &DatalogProgram,
        request: &DemandRequest<'_>,
        terms: &TermStore,
    ) -> Demanded {
        let sample = |id: RelationId| Some(self.relation(id, program));
        let mut estimator = SelectivityEstimator::new(&sample, terms);
        estimator.examined = EXAMINED_ROWS;
        let mut scribe = Scribe {
            program,
            request,
            estimator,
            unrestricted: FxHashSet::default(),
            by_head: FxHashMap::default(),
        };
        for (number, rule) in request.rules.iter().enumerate() {
            scribe.by_head.entry(rule.head.relation).or_default().push(number);
        }
        loop {
            match scribe.copies() {
                Ok(copies) => return scribe.write(&copies),
                Err(relation) => scribe.unrestricted.insert(relation),
            };
        }
    }
}

struct Scribe<'a, 's> {
    program: &'a DatalogProgram,
    request: &'a DemandRequest<'a>,
    estimator: SelectivityEstimator<'s, 's>,
    /// Relations that were to be restricted and cannot be.
    unrestricted: FxHashSet<Symbol>,
    /// The rules that derive a relation.
    by_head: FxHashMap<Symbol, Vec<usize>>,
}

/// The names of a copy and of its demand.
struct Names {
    own: Symbol,
    demand: Symbol,
}

/// A rule as it is written for a group, and for a copy if its head is restricted.
struct Task {
    rule: usize,
    group: usize,
    copy: Option<Copy>,
}

impl Scribe<'_, '_> {
    fn is_restricted(&self, atom: &Atom) -> bool {
        (self.request.is_restricted)(atom.relation) && !self.unrestricted.contains(&atom.relation)
    }

    /// The rules whose heads are not restricted.
    fn roots(&self) -> Vec<Task> {
        let rules = self.request.rules.iter().enumerate().filter(|(_, rule)| !self.is_restricted(&rule.head));
        rules
            .map(|(number, rule)| Task {
                rule: number,
                group: (self.request.group)(rule.head.relation),
                copy: None,
            })
            .collect()
    }

    /// The rules that derive a copy.
    fn tasks_of(&self, copy: &Copy) -> Vec<Task> {
        let rules = self.by_head.get(&copy.relation).map_or(&[][..], |rules| rules);
        rules.iter().map(|&rule| Task { rule, group: copy.group, copy: Some(copy.clone()) }).collect()
    }

    /// The copies that are read, in the order in which they are met; or a relation that cannot be restricted.
    fn copies(&mut self) -> Result<IndexSet<Copy, FxBuildHasher>, Symbol> {
        let mut copies: IndexSet<Copy, FxBuildHasher> = IndexSet::default();
        let mut counts: FxHashMap<Symbol, usize> = FxHashMap::default();
        let mut open = self.roots();
        let mut next = 0;
        loop {
            for task in std::mem::take(&mut open) {
                for (_, copy) in self.reads(&task) {
                    if !copy.known.contains(&true) {
                        return Err(copy.relation);
                    }
                    let relation = copy.relation;
                    if copies.insert(copy) {
                        let count = counts.entry(relation).or_default();
                        *count += 1;
                        if *count > MOST_COPIES {
                            return Err(relation);
                        }
                    }
                }
            }
            let Some(copy) = copies.get_index(next) else { return Ok(copies) };
            open = self.tasks_of(copy);
            next += 1;
        }
    }

    fn order(&mut self, task: &Task) -> Vec<usize> {
        let given = |position: usize| task.copy.as_ref().is_some_and(|copy| copy.known[position]);
        let program = self.program;
        let id = |atom: &Atom| program.id(atom);
        self.estimator.order(&self.request.rules[task.rule], None, &given, &id)
    }

    /// The literals of a rule that read restricted relations, in the order of evaluation: their positions, and the
    /// copies that they read.
    fn reads(&mut self, task: &Task) -> Vec<(usize, Copy)> {
        let order = self.order(task);
        let rule = &self.request.rules[task.rule];
        let known = task.copy.iter().flat_map(|copy| &copy.known);
        let known = rule.head.arguments.iter().zip(known).filter(|(_, known)| **known);
        let mut bound: FxHashSet<Symbol> = known.flat_map(|(argument, _)| argument.variables()).collect();
        let mut reads = Vec::new();
        for position in order {
            let (Literal::Positive(atom) | Literal::Negative(atom)) = &rule.body[position] else { continue };
            if self.is_restricted(atom) {
                let is_known = |term: &Term| term.all_variables(&|variable| bound.contains(&variable));
                let known = atom.arguments.iter().map(is_known).collect();
                reads.push((position, Copy { relation: atom.relation, group: task.group, known }));
            }
            if let Literal::Positive(atom) = &rule.body[position] {
                bound.extend(atom.variables());
            }
        }
        reads
    }

    fn write(mut self, copies: &IndexSet<Copy, FxBuildHasher>) -> Demanded {
        let mut fresh = self.program.fresh_names();
        let mut auxiliary = || fresh.next().expect("there are more names than relations");
        let mut names: FxHashMap<&Copy, Names> = FxHashMap::default();
        let mut named = FxHashSet::default();
        for copy in copies {
            let own = if named.insert(copy.relation) { copy.relation } else { auxiliary() };
            names.insert(copy, Names { own, demand: auxiliary() });
        }
        let mut rules = Vec::new();
        let mut asking = Vec::new();
        let tasks: Vec<Task> =
            self.roots().into_iter().chain(copies.iter().flat_map(|copy| self.tasks_of(copy))).collect();
        for task in tasks {
            rules.push(self.written(&task, &names, &mut asking));
        }
        let mut said = FxHashSet::default();
        asking.retain(|rule: &Rule| said.insert((rule.head.clone(), rule.body.clone())));
        rules.append(&mut asking);
        let count = |copy: &Copy| copy.known.iter().filter(|known| **known).count();
        let demands = copies.iter().map(|copy| (names[copy].demand, count(copy))).collect();
        let named = copies.iter().map(|copy| (names[copy].own, copy.relation));
        Demanded { rules, demands, copies: named.filter(|(own, relation)| own != relation).collect() }
    }

    /// A rule of a group: restricted relations have the names of their copies, and its own demand comes first. Its
    /// demands on other relations are added to `asking`.
    fn written(&mut self, task: &Task, names: &FxHashMap<&Copy, Names>, asking: &mut Vec<Rule>) -> Rule {
        let reads: FxHashMap<usize, Copy> = self.reads(task).into_iter().collect();
        let order = self.order(task);
        let rule = &self.request.rules[task.rule];
        let demand = |atom: &Atom, copy: &Copy| {
            let known = atom.arguments.iter().zip(&copy.known).filter(|(_, known)| **known);
            let arguments = known.map(|(argument, _)| argument.clone()).collect();
            Atom { relation: names[copy].demand, arguments, at: atom.at }
        };
        let named = |atom: &Atom, copy: Option<&Copy>| match copy {
            Some(copy) => Atom { relation: names[copy].own, ..atom.clone() },
            None => atom.clone(),
        };
        let literal = |position: usize| match &rule.body[position] {
            Literal::Positive(atom) => Literal::Positive(named(atom, reads.get(&position))),
            Literal::Negative(atom) => Literal::Negative(named(atom, reads.get(&position))),
            other => other.clone(),
        };
        let own = task.copy.iter().map(|copy| Literal::Positive(demand(&rule.head, copy)));
        let mut prefix: Vec<Literal> = own.clone().collect();
        for position in order {
            if let (Some(copy), Literal::Positive(atom) | Literal::Negative(atom)) =
                (reads.get(&position), &rule.body[position])
            {
                let head = demand(atom, copy);
                if !prefix.contains(&Literal::Positive(head.clone())) {
                    asking.push(Rule { head, body: prefix.clone(), clause: rule.clause });
                }
            }
            if !matches!(rule.body[position], Literal::Negative(_)) {
                prefix.push(literal(position));
            }
        }
        let body = own.chain((0..rule.body.len()).map(literal)).collect();
        Rule { head: named(&rule.head, task.copy.as_ref()), body, clause: rule.clause }
    }
}
