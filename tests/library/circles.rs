//! Circles of imports: files of one crate each of which imports, by way of others, itself.
//!
//! A reader of one file of a circle must read them all. Re-exports are followed to the file that defines a name, so that a facade
//! is no knot, and what is for tests only is left out. The numbers may only fall.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;
use syn::visit::Visit;

use crate::common::sources::{CRATES, SourceFile, crate_files};
use crate::paths::{Paths, Place, root};

/// Files that stand in a circle, and circles: at most this many.
const LIMITS: (usize, usize) = (17, 4);

/// The modules of a crate that have files, and what each re-exports.
struct Modules {
    files: BTreeMap<Vec<String>, PathBuf>,
    exports: BTreeMap<Vec<String>, Vec<(String, Place)>>,
}

/// Re-exports are followed through this many modules.
const DEEPEST: usize = 8;

impl Modules {
    fn of(own: &str, sources: &[SourceFile]) -> Modules {
        let files = sources.iter().map(|source| (source.modules.clone(), source.path.clone())).collect();
        let mut exports: BTreeMap<Vec<String>, Vec<(String, Place)>> = BTreeMap::new();
        for source in sources {
            let here = Place { of: own.to_owned(), modules: source.modules.clone() };
            for item in &source.file.items {
                let syn::Item::Use(item) = item else { continue };
                if matches!(item.vis, syn::Visibility::Inherited) {
                    continue;
                }
                // A path without `crate`, `self` or `super` begins at a module of this one.
                let mut paths = Paths { here: here.clone(), found: Vec::new(), imports_only: false };
                paths.see_tree(&item.tree, &mut vec!["self".to_owned()], 0);
                let named = paths
                    .found
                    .into_iter()
                    .filter_map(|(place, _)| Some((place.modules.last()?.clone(), place)));
                exports.entry(source.modules.clone()).or_default().extend(named);
            }
        }
        Modules { files, exports }
    }

    /// The file in which a name is defined, as far as it is in this crate.
    fn file_of(&self, place: &Place) -> Option<&PathBuf> {
        let mut path = place.modules.clone();
        for _ in 0..DEEPEST {
            let depth = (0..=path.len()).rev().find(|&depth| self.files.contains_key(&path[..depth]))?;
            let (module, rest) = path.split_at(depth);
            let name = rest.first();
            let exported = self.exports.get(module).into_iter().flatten().find(|(own, _)| Some(own) == name);
            match exported {
                Some((_, target)) if target.of == place.of && target.modules != path => {
                    path = target.modules.iter().chain(&rest[1..]).cloned().collect();
                }
                _ => return self.files.get(module),
            }
        }
        None
    }
}

/// The circles among the files of a crate, each in the order of their names.
fn circles(own: &str, sources: &[SourceFile]) -> Vec<Vec<String>> {
    let modules = Modules::of(own, sources);
    let mut graph = DiGraph::<&PathBuf, ()>::new();
    let nodes: BTreeMap<&PathBuf, _> =
        sources.iter().map(|source| (&source.path, graph.add_node(&source.path))).collect();
    let mut edges = BTreeSet::new();
    for source in sources {
        let here = Place { of: own.to_owned(), modules: source.modules.clone() };
        let mut paths = Paths { here, found: Vec::new(), imports_only: true };
        paths.visit_file(&source.file);
        for (there, _) in paths.found.iter().filter(|(there, _)| there.of == own) {
            let target = modules.file_of(there).filter(|target| **target != source.path);
            edges.extend(target.map(|target| (nodes[&source.path], nodes[target])));
        }
    }
    for (from, to) in edges {
        graph.add_edge(from, to, ());
    }
    let shown = |path: &PathBuf| path.strip_prefix(root()).unwrap().display().to_string();
    let mut circles: Vec<Vec<String>> = tarjan_scc(&graph)
        .into_iter()
        .filter(|circle| circle.len() > 1)
        .map(|circle| circle.into_iter().map(|node| shown(graph[node])).collect())
        .collect();
    circles.iter_mut().for_each(|circle| circle.sort());
    circles
}

#[test]
fn circles_of_imports_only_become_fewer() {
    let mut all: Vec<Vec<String>> =
        CRATES.iter().flat_map(|own| circles(own, &crate_files(&root().join(own).join("lib.rs")))).collect();
    all.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    let found = (all.iter().map(Vec::len).sum::<usize>(), all.len());
    let list: Vec<String> = all.iter().map(|circle| circle.join(" ")).collect();
    assert!(found <= LIMITS, "{found:?} files and circles, {LIMITS:?} are allowed:\n{}", list.join("\n"));
    assert!(found >= LIMITS, "there are fewer circles now: lower the limits to {found:?}");
}

#[test]
fn a_circle_is_found_through_a_re_export() {
    let file = |modules: &[&str], text: &str| SourceFile {
        path: root().join(format!("x/{}.rs", modules.join("/"))),
        modules: modules.iter().map(|&name| name.to_owned()).collect(),
        file: syn::parse_file(text).unwrap(),
    };
    let one = file(&["a", "one"], "use super::Two; pub struct One;");
    let facade = file(&["a"], "mod one; mod two; pub use one::One; pub use two::Two;");
    let circle = |two: &str| circles("x", &[one_of(&one), one_of(&facade), file(&["a", "two"], two)]);
    assert_eq!(circle("use super::One; pub struct Two;"), [["x/a/one.rs", "x/a/two.rs"]]);
    assert_eq!(
        circle("#[cfg(test)] mod tests { use super::super::One; } pub struct Two;"),
        Vec::<Vec<String>>::new()
    );
}

fn one_of(source: &SourceFile) -> SourceFile {
    SourceFile { path: source.path.clone(), modules: source.modules.clone(), file: source.file.clone() }
}
