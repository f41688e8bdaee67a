//! Whatever is public is shown at work: every public type, trait, function and constant of the crates that evaluate and
//! play, the constants of the types included, is named in an example of the documentation that runs.
//!
//! The source files are read with a parser, from the root of each crate along what can be reached from outside: public
//! modules, and what is exported from private ones. A type counts with its methods. What stands in the words of an
//! example's comments and strings does not count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::Visit;

/// One module: its public items, the modules in it, and what it exports from others.
#[derive(Default)]
struct Module {
    /// The name of a public item, and where it stands.
    items: BTreeMap<String, String>,
    /// A type with the name of a public constant of it, and where that stands.
    constants: BTreeMap<(String, String), String>,
    public_modules: BTreeSet<String>,
    /// Paths from here, each with the name of what is exported, or `*`.
    exports: Vec<Vec<String>>,
}

/// What one crate says: its modules by their paths, and the identifiers of its examples.
#[derive(Default)]
struct Crate {
    modules: BTreeMap<Vec<String>, Module>,
    named: BTreeSet<String>,
    examples: usize,
    here: Vec<String>,
    file: PathBuf,
    outside: Vec<Vec<String>>,
}

fn is_public(visibility: &syn::Visibility) -> bool {
    matches!(visibility, syn::Visibility::Public(_))
}

/// Whether something is compiled for tests only.
fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) => list.path.is_ident("cfg") && list.tokens.to_string() == "test",
        _ => false,
    })
}

/// The lines of a documentation that stand in blocks of code that run.
fn code_that_runs(documentation: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut open: Option<(bool, String)> = None;
    for line in documentation.lines().map(str::trim) {
        match (line.strip_prefix("```"), &mut open) {
            (Some(language), None) => open = Some((matches!(language, "" | "rust"), String::new())),
            (Some(_), Some(_)) => blocks.extend(open.take().filter(|block| block.0).map(|block| block.1)),
            (None, Some((_, text))) => {
                *text += line.strip_prefix("# ").unwrap_or(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

fn identifiers(tokens: TokenStream, out: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(ident) => drop(out.insert(ident.to_string())),
            TokenTree::Group(group) => identifiers(group.stream(), out),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

fn leaves(tree: &syn::UseTree, before: &[String], out: &mut Vec<Vec<String>>) {
    let with = |name: &str| [before, &[name.to_owned()]].concat();
    match tree {
        syn::UseTree::Path(path) => leaves(&path.tree, &with(&path.ident.to_string()), out),
        syn::UseTree::Name(name) => out.push(with(&name.ident.to_string())),
        syn::UseTree::Rename(rename) => panic!("an export under another name: {}", rename.ident),
        syn::UseTree::Group(group) => group.items.iter().for_each(|item| leaves(item, before, out)),
        syn::UseTree::Glob(_) => out.push(with("*")),
    }
}

impl Crate {
    /// Reads the crate whose root is this file.
    fn read(root: &Path) -> Crate {
        let mut all = Crate { outside: vec![Vec::new()], ..Crate::default() };
        let folder = root.parent().unwrap();
        while let Some(module) = all.outside.pop() {
            let stem = folder.join(module.iter().collect::<PathBuf>());
            let candidates = [root.to_owned(), stem.with_extension("rs"), stem.join("mod.rs")];
            let own = if module.is_empty() { &candidates[..1] } else { &candidates[1..] };
            all.file = own.iter().find(|file| file.exists()).unwrap_or_else(|| panic!("{module:?}")).clone();
            all.here = module;
            all.read_text(&fs::read_to_string(&all.file).unwrap());
        }
        all
    }

    fn read_text(&mut self, text: &str) {
        let file = syn::parse_file(text).unwrap();
        self.read_examples(&file.attrs);
        self.read_items(&file.items);
        self.visit_file(&file);
    }

    /// The items of the module at `here`. A module in a file of its own is left for later.
    fn read_items(&mut self, items: &[syn::Item]) {
        let mut module = Module::default();
        for item in items {
            let (visibility, attributes, name) = match item {
                syn::Item::Struct(item) => (&item.vis, &item.attrs, &item.ident),
                syn::Item::Enum(item) => (&item.vis, &item.attrs, &item.ident),
                syn::Item::Union(item) => (&item.vis, &item.attrs, &item.ident),
                syn::Item::Trait(item) => (&item.vis, &item.attrs, &item.ident),
                syn::Item::Type(item) => (&item.vis, &item.attrs, &item.ident),
                syn::Item::Const(item) => (&item.vis, &item.attrs, &item.ident),
                syn::Item::Static(item) => (&item.vis, &item.attrs, &item.ident),
                syn::Item::Fn(item) => (&item.vis, &item.attrs, &item.sig.ident),
                syn::Item::Use(item) if is_public(&item.vis) && !is_for_tests(&item.attrs) => {
                    leaves(&item.tree, &[], &mut module.exports);
                    continue;
                }
                syn::Item::Mod(item) if !is_for_tests(&item.attrs) => {
                    if is_public(&item.vis) {
                        module.public_modules.insert(item.ident.to_string());
                    }
                    self.here.push(item.ident.to_string());
                    match &item.content {
                        Some((_, items)) => self.read_items(items),
                        None => self.outside.push(self.here.clone()),
                    }
                    self.here.pop();
                    continue;
                }
                syn::Item::Impl(item) if !is_for_tests(&item.attrs) => {
                    let syn::Type::Path(of) = &*item.self_ty else { continue };
                    let of = of.path.segments.last().unwrap().ident.to_string();
                    for part in &item.items {
                        if let syn::ImplItem::Const(part) = part
                            && is_public(&part.vis)
                        {
                            let key = (of.clone(), part.ident.to_string());
                            module.constants.insert(key, self.place(&part.ident));
                        }
                    }
                    continue;
                }
                _ => continue,
            };
            if is_public(visibility) && !is_for_tests(attributes) {
                module.items.insert(name.to_string(), self.place(name));
            }
        }
        self.modules.insert(self.here.clone(), module);
    }

    fn place(&self, name: &syn::Ident) -> String {
        let file = self.file.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(&self.file);
        format!("{}:{}", file.display(), name.span().start().line)
    }

    fn read_examples(&mut self, attributes: &[syn::Attribute]) {
        let mut text = String::new();
        for attribute in attributes {
            if let syn::Meta::NameValue(pair) = &attribute.meta
                && pair.path.is_ident("doc")
                && let syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(line), .. }) = &pair.value
            {
                text += &line.value();
                text.push('\n');
            }
        }
        for code in code_that_runs(&text) {
            let tokens = code.parse().unwrap_or_else(|error| panic!("{}: {error}", self.file.display()));
            identifiers(tokens, &mut self.named);
            self.examples += 1;
        }
    }

    /// The path of a module of this crate as `from` writes it; nothing for one of another crate.
    fn resolve(&self, from: &[String], path: &[String]) -> Option<Vec<String>> {
        let (mut there, rest) = match path.first().map(String::as_str) {
            Some("crate") => (Vec::new(), &path[1..]),
            Some("self") => (from.to_vec(), &path[1..]),
            Some("super") => (from[..from.len() - 1].to_vec(), &path[1..]),
            _ => (from.to_vec(), path),
        };
        there.extend_from_slice(rest);
        self.modules.contains_key(&there).then_some(there)
    }

    /// The public items that can be reached from outside: where they stand, and the names.
    fn reachable(&self) -> BTreeSet<(String, String)> {
        let mut out = BTreeSet::new();
        let mut seen = BTreeSet::new();
        let mut open: Vec<(Vec<String>, Option<String>)> = vec![(Vec::new(), None)];
        while let Some((path, only)) = open.pop() {
            if !seen.insert((path.clone(), only.clone())) {
                continue;
            }
            let module = &self.modules[&path];
            let wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);
            let items = module.items.iter().filter(|(name, _)| wanted(name));
            out.extend(items.map(|(name, place)| (place.clone(), name.clone())));
            let constants = module.constants.iter();
            let constants = constants.filter(|((of, _), _)| module.items.contains_key(of) && wanted(of));
            out.extend(constants.map(|((_, name), place)| (place.clone(), name.clone())));
            for name in module.public_modules.iter().filter(|name| wanted(name)) {
                open.push(([path.as_slice(), std::slice::from_ref(name)].concat(), None));
            }
            for export in &module.exports {
                let (name, from) = export.split_last().unwrap();
                let Some(there) = self.resolve(&path, from) else { continue };
                match name.as_str() {
                    "*" => open.push((there, only.clone())),
                    name if wanted(name) => open.push((there, Some(name.to_owned()))),
                    _ => {}
                }
            }
        }
        out
    }

    /// What can be reached and stands in no example.
    fn without_example(&self) -> Vec<String> {
        let missing = self.reachable().into_iter().filter(|(_, name)| !self.named.contains(name));
        missing.map(|(place, name)| format!("{place}: {name}")).collect()
    }
}

impl<'ast> Visit<'ast> for Crate {
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_item(&mut self, item: &'ast syn::Item) {
        let attributes = match item {
            syn::Item::Struct(item) => &item.attrs,
            syn::Item::Enum(item) => &item.attrs,
            syn::Item::Trait(item) => &item.attrs,
            syn::Item::Type(item) => &item.attrs,
            syn::Item::Const(item) => &item.attrs,
            syn::Item::Fn(item) => &item.attrs,
            syn::Item::Impl(item) => &item.attrs,
            syn::Item::Mod(item) if is_for_tests(&item.attrs) => return,
            syn::Item::Mod(item) => &item.attrs,
            _ => return,
        };
        self.read_examples(attributes);
        syn::visit::visit_item(self, item);
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        match item {
            syn::ImplItem::Fn(item) => self.read_examples(&item.attrs),
            syn::ImplItem::Const(item) => self.read_examples(&item.attrs),
            _ => {}
        }
    }

    fn visit_trait_item(&mut self, item: &'ast syn::TraitItem) {
        if let syn::TraitItem::Fn(item) = item {
            self.read_examples(&item.attrs);
        }
    }
}

#[test]
fn every_public_item_stands_in_an_example_that_runs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut missing = Vec::new();
    for (own, at_least) in [("logic", 40), ("engine", 60), ("play", 80)] {
        let all = Crate::read(&root.join(own).join("lib.rs"));
        let items = all.reachable().len();
        println!("{own}: {items} public items, {} examples", all.examples);
        assert!(items >= at_least, "{items} items of {own} are found");
        missing.extend(all.without_example());
    }
    assert!(missing.is_empty(), "{} stand in no example:\n{}", missing.len(), missing.join("\n"));
}

#[test]
fn an_item_without_example_is_noticed_and_one_that_nobody_reaches_is_not_asked_for() {
    let text = "
        //! ```
        //! # let shown = Shown;
        //! let other = \"Words\"; // Comment
        //! ```
        //! ```text
        //! Words
        //! ```
        pub struct Shown; pub struct Words; pub enum Comment {} pub(crate) struct Inner;
        mod hidden { pub struct Exported; pub struct Hidden; pub struct Starred; }
        pub use hidden::{Exported};
        mod all { pub use super::hidden::Starred; }
        pub use all::*;
        pub use elsewhere::Foreign;
        pub mod open { pub fn free() {} pub const LIMIT: u8 = 1; fn own() {} }
        impl Shown {
            pub const MOST: u8 = 1;
            const OWN: u8 = 2;
            /// ```
            /// assert_eq!(LIMIT, 1);
            /// ```
            pub fn method() {}
        }
        impl Inner { pub const LEAST: u8 = 1; }
        #[cfg(test)] pub struct Tested;
        #[cfg(test)] mod tests { pub struct Tested; }";
    let mut all = Crate::default();
    all.read_text(text);
    let missing = all.without_example();
    let names: Vec<&str> = missing.iter().map(|line| line.rsplit(' ').next().unwrap()).collect();
    assert_eq!(names.len(), 6, "{names:?}");
    assert!(
        ["Words", "Comment", "MOST", "Exported", "Starred", "free"].iter().all(|name| names.contains(name))
    );
    assert_eq!(all.examples, 2);
}
