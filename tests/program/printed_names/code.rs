//! What the source code names: modules and items by their paths, the members of types, and every word of the code that
//! somebody outside may read (names of items and members, words of texts).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::Visit;

use crate::common::sources::{CRATES, crate_files, is_for_tests};

/// Re-exports are followed through so many modules.
const DEEPEST: usize = 8;

/// The parameters of a function but for `self`, and the type or trait in which it stands.
struct Parameters {
    of: String,
    names: Vec<String>,
}

/// The names of the source code. Paths begin with the folder of the crate: `engine::machine::budget::Budget`.
#[derive(Default)]
pub struct Code {
    /// Modules, functions, types, traits, constants.
    items: BTreeSet<String>,
    /// By module: what it re-exports, the name and the path that it leads to.
    exports: BTreeMap<String, Vec<(String, String)>>,
    /// By module: the modules all of whose items it re-exports.
    globs: BTreeMap<String, Vec<String>>,
    /// By the name of a type or trait: its methods, fields, variants and constants.
    members: BTreeMap<String, BTreeSet<String>>,
    /// By the name of a function: where functions of this name stand, and their parameters.
    functions: BTreeMap<String, Vec<Parameters>>,
    /// Every word.
    pub words: BTreeSet<String>,
    /// Where the visitor is.
    inside: Vec<String>,
    /// The type or trait whose members it reads.
    of: String,
}

/// The letters of a word: `--max-nodes` and `counts/2` are told apart into `max-nodes`, `counts` and `2`.
fn is_of_a_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || "_-+".contains(letter)
}

/// As serde and clap spell the name of a variant: `StepLimit` as `step-limit` and `step_limit`.
fn spelled(variant: &str) -> [String; 3] {
    let mut words = String::new();
    for letter in variant.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    [words.replace(' ', "-"), words.replace(' ', "_"), words.replace(' ', "")]
}

impl Code {
    /// Reads all crates.
    pub fn read() -> Code {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut code = Code::default();
        for own in CRATES.into_iter().chain(["hyperplay"]) {
            let folder = if own == "hyperplay" { source.clone() } else { source.join(own) };
            for file in crate_files(&folder.join("lib.rs")) {
                code.inside = vec![own.to_owned()];
                code.inside.extend(file.modules);
                code.items.insert(code.inside.join("::"));
                code.visit_file(&file.file);
            }
        }
        code
    }

    fn define(&mut self, name: &syn::Ident) {
        self.items.insert(format!("{}::{name}", self.inside.join("::")));
        self.words.insert(name.to_string());
    }

    fn add_member(&mut self, name: &syn::Ident) {
        self.members.entry(self.of.clone()).or_default().insert(name.to_string());
        self.words.insert(name.to_string());
    }

    fn add_function(&mut self, signature: &syn::Signature) {
        let names = signature.inputs.iter().filter_map(|input| match input {
            syn::FnArg::Typed(typed) => Some(match &*typed.pat {
                syn::Pat::Ident(pattern) => pattern.ident.to_string().trim_start_matches('_').to_owned(),
                _ => String::new(),
            }),
            syn::FnArg::Receiver(_) => None,
        });
        let parameters = Parameters { of: self.of.clone(), names: names.collect() };
        self.functions.entry(signature.ident.to_string()).or_default().push(parameters);
    }

    /// Reads what stands inside a type or trait.
    fn within(&mut self, of: String, read: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.of, of);
        read(self);
        self.of = before;
    }

    fn add_text(&mut self, text: &str) {
        self.words.extend(text.split(|letter| !is_of_a_word(letter)).map(str::to_owned));
    }

    /// The texts in the arguments of a macro or an attribute.
    fn add_tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Group(group) => self.add_tokens(group.stream()),
                TokenTree::Literal(literal) => self.add_text(&literal.to_string()),
                TokenTree::Ident(_) | TokenTree::Punct(_) => {}
            }
        }
    }

    /// The path of a `use` from here, with the folder of the crate first; none if it leads out of the workspace.
    fn absolute(&self, segments: &[String]) -> Option<String> {
        let mut path = self.inside.clone();
        let mut rest = segments.iter().map(String::as_str);
        let first = rest.next()?;
        match first.strip_prefix("hyperplay_") {
            Some(own) => path = vec![own.to_owned()],
            None if first == "crate" => path.truncate(1),
            None if first == "super" => drop(path.pop()),
            None if first == "self" => {}
            // A module beside the `use`.
            None => path.push(first.to_owned()),
        }
        for segment in rest {
            match segment {
                "super" => drop(path.pop()),
                "self" => {}
                name => path.push(name.to_owned()),
            }
        }
        Some(path.join("::"))
    }

    fn add_exports(&mut self, tree: &syn::UseTree, before: &mut Vec<String>) {
        let module = self.inside.join("::");
        let (leads_to, name) = match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.add_exports(&path.tree, before);
                before.pop();
                return;
            }
            syn::UseTree::Group(group) => {
                return group.items.iter().for_each(|item| self.add_exports(item, before));
            }
            syn::UseTree::Glob(_) => {
                if let Some(path) = self.absolute(before) {
                    self.globs.entry(module).or_default().push(path);
                }
                return;
            }
            syn::UseTree::Name(name) => (&name.ident, &name.ident),
            syn::UseTree::Rename(rename) => (&rename.ident, &rename.rename),
        };
        let mut segments = before.clone();
        segments.push(leads_to.to_string());
        if let Some(path) = self.absolute(&segments) {
            let name = if name == "self" { before.last().unwrap().clone() } else { name.to_string() };
            self.exports.entry(module).or_default().push((name, path));
        }
    }

    /// The items that a name in a module stands for: its own item, or what it re-exports.
    fn child(&self, module: &str, name: &str, depth: usize) -> Option<String> {
        let own = format!("{module}::{name}");
        if self.items.contains(&own) {
            return Some(own);
        }
        if depth == DEEPEST {
            return None;
        }
        let exports = self.exports.get(module).into_iter().flatten();
        let exported = exports.filter(|(exported, _)| exported == name);
        let mut found = exported.filter_map(|(_, path)| {
            let segments: Vec<&str> = path.split("::").collect();
            self.walk(segments[0], &segments[1..], depth + 1)
        });
        let globs = || self.globs.get(module).into_iter().flatten();
        found.next().or_else(|| globs().find_map(|glob| self.child(glob, name, depth + 1)))
    }

    /// The item at the end of a path that begins at an item.
    fn walk(&self, from: &str, segments: &[&str], depth: usize) -> Option<String> {
        let Some((name, rest)) = segments.split_first() else { return Some(from.to_owned()) };
        if let Some(child) = self.child(from, name, depth) {
            return self.walk(&child, rest, depth);
        }
        let of = from.rsplit("::").next().unwrap_or(from);
        let is_member =
            rest.is_empty() && self.members.get(of).is_some_and(|members| members.contains(*name));
        is_member.then(|| format!("{from}::{name}"))
    }

    /// Whether a path names something. It may begin with a crate, with or without `hyperplay_`, or with any module or
    /// type of the code.
    pub fn has_path(&self, path: &str) -> bool {
        let segments: Vec<&str> = path.split("::").collect();
        let first = segments[0].strip_prefix("hyperplay_").unwrap_or(segments[0]);
        let begins = |item: &&String| item.rsplit("::").next() == Some(first);
        self.items.iter().filter(begins).any(|item| self.walk(item, &segments[1..], 0).is_some())
    }

    /// What is wrong with the arguments behind a path: those that are plain names are parameters of the function, in its
    /// order.
    pub fn argument_fault(&self, path: &str, arguments: &str) -> Option<String> {
        let mut ends = path.rsplit("::");
        let (name, of) = (ends.next()?, ends.next().unwrap_or_default());
        let functions: Vec<&Parameters> = self.functions.get(name)?.iter().collect();
        let own: Vec<&Parameters> = functions.iter().copied().filter(|function| function.of == of).collect();
        let candidates = if own.is_empty() { functions } else { own };
        let plain = |argument: &&str| {
            argument.starts_with(|letter: char| letter.is_ascii_lowercase())
                && argument.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
        };
        let arguments = arguments.split(',').map(|argument| argument.trim().trim_start_matches('&'));
        let given: Vec<&str> = arguments.filter(plain).collect();
        let fits = candidates.iter().any(|function| {
            let mut names = function.names.iter();
            given.iter().all(|argument| names.any(|name| name == argument))
        });
        (!fits).then(|| format!("'{name}' does not take ({})", given.join(", ")))
    }

    /// Whether this is a method, field, variant or constant of some type or trait.
    pub fn has_member(&self, name: &str) -> bool {
        self.members.values().any(|members| members.contains(name))
    }
}

impl<'ast> Visit<'ast> for Code {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if is_for_tests(&item.attrs) {
            return;
        }
        self.define(&item.ident);
        self.inside.push(item.ident.to_string());
        syn::visit::visit_item_mod(self, item);
        self.inside.pop();
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if !matches!(item.vis, syn::Visibility::Inherited) && !is_for_tests(&item.attrs) {
            self.add_exports(&item.tree, &mut Vec::new());
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if !is_for_tests(&item.attrs) {
            self.define(&item.sig.ident);
            self.add_function(&item.sig);
            syn::visit::visit_item_fn(self, item);
        }
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.define(&item.ident);
        syn::visit::visit_item_const(self, item);
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.define(&item.ident);
        syn::visit::visit_item_static(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.define(&item.ident);
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.define(&item.ident);
        self.within(item.ident.to_string(), |code| syn::visit::visit_item_struct(code, item));
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.define(&item.ident);
        self.within(item.ident.to_string(), |code| syn::visit::visit_item_enum(code, item));
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.define(&item.ident);
        self.within(item.ident.to_string(), |code| syn::visit::visit_item_trait(code, item));
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if is_for_tests(&item.attrs) {
            return;
        }
        let of = match &*item.self_ty {
            syn::Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
            _ => None,
        };
        self.within(of.unwrap_or_default(), |code| syn::visit::visit_item_impl(code, item));
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if let Some(name) = &field.ident {
            self.add_member(name);
        }
        syn::visit::visit_field(self, field);
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        self.add_member(&variant.ident);
        self.words.extend(spelled(&variant.ident.to_string()));
        syn::visit::visit_variant(self, variant);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if !is_for_tests(&item.attrs) {
            self.add_member(&item.sig.ident);
            self.add_function(&item.sig);
            syn::visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.add_member(&item.ident);
        syn::visit::visit_impl_item_const(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.add_member(&item.sig.ident);
        self.add_function(&item.sig);
        syn::visit::visit_trait_item_fn(self, item);
    }

    fn visit_lit_str(&mut self, text: &'ast syn::LitStr) {
        self.add_text(&text.value());
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.add_tokens(called.tokens.clone());
    }

    /// Documentation is no code; the words of other attributes are (`serde`, `clap`).
    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if let syn::Meta::List(list) = &attribute.meta {
            self.add_tokens(list.tokens.clone());
        }
    }
}
