//! Flattening: the outputs of a network as few levels of ANDs, each with any number of literals.
//!
//! The [nibble look-up](super::nibble) computes an AND of many wires as fast as one of few, but every level costs time,
//! and so does every literal outside the nibbles that a block reads anyway. So sharing is undone. An AND of ANDs
//! becomes one AND of all their wires. An AND with one OR among its wires becomes as many ANDs as that OR has terms,
//! where an OR of them is needed anyway. Each gate is kept as an OR of products and its complement as another, and the
//! one with fewer levels is built. A form that would grow beyond bounds stays a gate of its own. ORs are written out
//! only on request, because that makes fewer levels of more gates.
//!
//! Invariant: a literal of a gate is an input or a gate of a lower level, or the complement of either.
//!
//! Reference: the two forms of each gate are the two-level covers of Brayton, Hachtel, McMullen,
//! Sangiovanni-Vincentelli, *Logic Minimization Algorithms for VLSI Synthesis*, 1984.

use rustc_hash::FxHashMap;

use crate::propnet::{Gate, Network, Wire};

/// How many times the wires of the network may be written.
const GROWTH: usize = 16;
/// The most products of an AND with an OR.
const PRODUCTS: usize = 16;
/// The most products of an OR.
const SUM: usize = 512;

/// A node or its complement: the number doubled, plus one for the complement. Nodes 1 to the number of inputs are the
/// inputs, as the gates of a [`Network`].
pub(super) type FlatLiteral = u32;

/// The node of a literal.
pub(super) fn node(literal: FlatLiteral) -> usize {
    (literal >> 1) as usize
}

/// Whether a literal is complemented.
pub(super) fn is_negated(literal: FlatLiteral) -> bool {
    literal & 1 == 1
}

/// Literals that all hold, in ascending order.
type Product = Vec<FlatLiteral>;

/// ANDs of literals, level by level.
#[derive(Debug)]
pub(super) struct Flat {
    /// The nodes that others need, by level.
    pub levels: Vec<Vec<(usize, Product)>>,
    /// For each output, the literals whose AND it is, and whether it is the complement of that.
    pub outputs: Vec<(Product, bool)>,
}

impl Flat {
    /// The outputs of a network, with the terms of its ORs written out or not. Near-linear in the wires.
    pub(super) fn new(network: &Network, outputs: &[Wire], with_ors: bool) -> Flat {
        let mut pool = Pool::new(network.inputs());
        let built = build(network, outputs, with_ors, &mut pool);
        let outputs: Vec<(Product, bool)> = outputs
            .iter()
            .map(|&wire| {
                let literal = built[wire.gate()] ^ FlatLiteral::from(wire.is_negated());
                match &pool.nodes[node(literal)] {
                    Some(product) => (product.clone(), is_negated(literal)),
                    None => (vec![literal], false),
                }
            })
            .collect();
        let mut needed = vec![false; pool.nodes.len()];
        let mark = |product: &Product, needed: &mut Vec<bool>| {
            product.iter().for_each(|&literal| needed[node(literal)] = true);
        };
        outputs.iter().for_each(|(product, _)| mark(product, &mut needed));
        for (number, product) in pool.nodes.iter().enumerate().rev() {
            if let (true, Some(product)) = (needed[number], product) {
                mark(product, &mut needed);
            }
        }
        let mut levels: Vec<Vec<(usize, Product)>> = Vec::new();
        for (number, product) in pool.nodes.into_iter().enumerate().filter(|(number, _)| needed[*number]) {
            if let Some(product) = product {
                let level = pool.levels[number];
                levels.resize(levels.len().max(level), Vec::new());
                levels[level - 1].push((number, product));
            }
        }
        levels.retain(|nodes| !nodes.is_empty());
        // Nodes of the same literals lie together, so that few words of nodes need any one literal.
        levels.iter_mut().for_each(|nodes| nodes.sort_by(|a, b| a.1.cmp(&b.1)));
        Flat { levels, outputs }
    }
}

/// The nodes built so far, equal ones once.
struct Pool {
    /// None for an input.
    nodes: Vec<Option<Product>>,
    levels: Vec<usize>,
    known: FxHashMap<Product, FlatLiteral>,
}

impl Pool {
    /// The inputs, and as node 0 what always holds.
    fn new(inputs: usize) -> Pool {
        let mut nodes = vec![None; inputs + 1];
        nodes[0] = Some(Vec::new());
        Pool { nodes, levels: vec![0; inputs + 1], known: FxHashMap::from_iter([(Vec::new(), 0)]) }
    }

    /// The literal that holds where all of a product does.
    fn and(&mut self, product: Product) -> FlatLiteral {
        if let [only] = product[..] {
            return only;
        }
        if let Some(&literal) = self.known.get(&product) {
            return literal;
        }
        let literal = FlatLiteral::try_from(self.nodes.len() << 1).expect("memory ends before 2^31 nodes");
        self.levels.push(1 + self.level(&product));
        self.known.insert(product.clone(), literal);
        self.nodes.push(Some(product));
        literal
    }

    /// The literal that holds where one of some products does.
    fn or(&mut self, products: &[Product]) -> FlatLiteral {
        let negated = products.iter().map(|product| self.and(product.clone()) ^ 1).collect();
        self.and(sorted(negated)) ^ 1
    }

    /// The highest level among some literals.
    fn level(&self, product: &[FlatLiteral]) -> usize {
        product.iter().map(|&literal| self.levels[node(literal)]).max().unwrap_or(0)
    }

    /// The level that an OR of products would have.
    fn level_of_or(&self, products: &[Product]) -> usize {
        let above = |product: &Product| self.level(product) + usize::from(product.len() > 1);
        let products_at = products.iter().map(above).max().unwrap_or(0);
        products_at + usize::from(products.len() > 1)
    }
}

fn sorted(mut product: Product) -> Product {
    product.sort_unstable();
    product.dedup();
    product
}

/// The forms of a gate: itself and its complement as ORs of products, where these are not too many.
#[derive(Clone, Default)]
struct Forms {
    plain: Option<Vec<Product>>,
    negated: Option<Vec<Product>>,
}

/// The literal of every gate that an output needs.
fn build(network: &Network, outputs: &[Wire], with_ors: bool, pool: &mut Pool) -> Vec<FlatLiteral> {
    let needed = network.needed(outputs.iter().copied());
    let mut budget = GROWTH * network.wires();
    let mut built: Vec<FlatLiteral> = Vec::with_capacity(needed.len());
    let mut forms: Vec<Forms> = Vec::with_capacity(needed.len());
    for (gate, needed) in network.gates().iter().zip(needed) {
        let (literal, own) = match gate {
            Gate::Input(number) => {
                let literal = (number + 1) << 1;
                let [plain, negated] = [literal, literal ^ 1].map(|literal| Some(vec![vec![literal]]));
                (literal, Forms { plain, negated })
            }
            Gate::And(wires) if needed => {
                let own = Forms {
                    plain: Some(conjunction(wires, &built, &forms)),
                    negated: if with_ors { disjunction(wires, &built, &forms) } else { None },
                };
                (cheapest(&own, pool), within(own, &mut budget))
            }
            // A gate that never holds: the complement of node 0.
            Gate::And(_) | Gate::False => (1, Forms::default()),
        };
        built.push(literal);
        forms.push(own);
    }
    built
}

/// An AND as an OR of products: of one, or of as many as the only OR among its wires has.
fn conjunction(wires: &[Wire], built: &[FlatLiteral], forms: &[Forms]) -> Vec<Product> {
    let several =
        |wire: &&Wire| terms(**wire, forms).is_some_and(|terms| (2..=PRODUCTS).contains(&terms.len()));
    let mut ors = wires.iter().filter(several);
    let spread = ors.next().filter(|_| ors.next().is_none());
    let mut common = Vec::new();
    for &wire in wires.iter().filter(|&wire| Some(wire) != spread) {
        match terms(wire, forms) {
            Some([only]) => common.extend(only),
            _ => common.push(literal(wire, built)),
        }
    }
    match spread.and_then(|&wire| terms(wire, forms)) {
        Some(terms) => terms.iter().map(|term| sorted([&common[..], term].concat())).collect(),
        None => vec![sorted(common)],
    }
}

/// The complement of an AND as an OR of products; none if these are too many.
fn disjunction(wires: &[Wire], built: &[FlatLiteral], forms: &[Forms]) -> Option<Vec<Product>> {
    let mut products = Vec::new();
    for &wire in wires {
        match terms(!wire, forms) {
            Some(terms) => products.extend_from_slice(terms),
            None => products.push(vec![literal(!wire, built)]),
        }
        if products.len() > SUM {
            return None;
        }
    }
    products.sort_unstable();
    products.dedup();
    Some(products)
}

/// A gate built in the form of fewer levels, or else of fewer products.
fn cheapest(own: &Forms, pool: &mut Pool) -> FlatLiteral {
    let size = |form: &Option<Vec<Product>>, pool: &Pool| {
        form.as_ref().map_or((usize::MAX, usize::MAX), |terms| (pool.level_of_or(terms), terms.len()))
    };
    let (plain, negated) = (size(&own.plain, pool), size(&own.negated, pool));
    let (form, complement) = if plain <= negated { (&own.plain, 0) } else { (&own.negated, 1) };
    pool.or(form.as_deref().unwrap_or_default()) ^ complement
}

/// The forms that are kept for others to write out.
fn within(mut own: Forms, budget: &mut usize) -> Forms {
    for form in [&mut own.plain, &mut own.negated] {
        let size: usize = form.iter().flatten().map(Vec::len).sum();
        match budget.checked_sub(size) {
            Some(left) => *budget = left,
            None => *form = None,
        }
    }
    own
}

fn terms(wire: Wire, forms: &[Forms]) -> Option<&[Product]> {
    let Forms { plain, negated } = &forms[wire.gate()];
    if wire.is_negated() { negated.as_deref() } else { plain.as_deref() }
}

fn literal(wire: Wire, built: &[FlatLiteral]) -> FlatLiteral {
    built[wire.gate()] ^ FlatLiteral::from(wire.is_negated())
}
