//! Where the paths in a source file lead: every path is read with a parser (`crate::`, `super::`, `self::`, and the names of our
//! crates, in `use` items and in line).

use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::Visit;

use crate::common::sources::is_for_tests;

/// The place of a module or item: the crate and the names in it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    pub of: String,
    pub modules: Vec<String>,
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// All source files, sorted.
pub fn sources() -> Vec<PathBuf> {
    fn walk(folder: &Path, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, out);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                out.push(path);
            }
        }
    }
    let mut out = Vec::new();
    walk(&root(), &mut out);
    out.sort();
    out
}

/// The place of a file: `src/logic/gdl/kif.rs` is `gdl::kif` of `logic`.
pub fn place_of(file: &Path) -> Place {
    let relative = file.strip_prefix(root()).unwrap().with_extension("");
    let mut parts: Vec<String> = relative.iter().map(|part| part.to_string_lossy().into_owned()).collect();
    match parts.last().map(String::as_str) {
        Some("lib") if parts.len() == 1 => parts = vec!["facade".to_owned()],
        Some("main") if parts.len() == 1 => parts = vec!["program".to_owned()],
        Some("mod" | "lib") => drop(parts.pop()),
        _ => {}
    }
    let of = parts.remove(0);
    Place { of, modules: parts }
}

/// Collects where the paths of a file lead, with the line.
pub struct Paths {
    pub here: Place,
    pub found: Vec<(Place, usize)>,
    /// Whether what re-exports and what is for tests only is left out.
    pub imports_only: bool,
}

impl Paths {
    fn see(&mut self, segments: &[String], line: usize) {
        let mut there = self.here.clone();
        let mut rest = segments.iter().map(String::as_str);
        match rest.next() {
            Some("crate") => there.modules.clear(),
            Some("self") => {}
            Some("super") => drop(there.modules.pop()),
            Some(first) => match first.strip_prefix("hyperplay_") {
                Some(of) => there = Place { of: of.to_owned(), modules: Vec::new() },
                None => return,
            },
            None => return,
        }
        for segment in rest {
            match segment {
                "super" => drop(there.modules.pop()),
                "self" => {}
                name => there.modules.push(name.to_owned()),
            }
        }
        self.found.push((there, line));
    }

    pub fn see_tree(&mut self, tree: &syn::UseTree, before: &mut Vec<String>, line: usize) {
        let name = match tree {
            syn::UseTree::Path(path) => &path.ident,
            syn::UseTree::Name(name) => &name.ident,
            syn::UseTree::Rename(rename) => &rename.ident,
            syn::UseTree::Group(group) => {
                return group.items.iter().for_each(|item| self.see_tree(item, before, line));
            }
            syn::UseTree::Glob(_) => return self.see(before, line),
        };
        before.push(name.to_string());
        match tree {
            syn::UseTree::Path(path) => self.see_tree(&path.tree, before, line),
            _ => self.see(before, line),
        }
        before.pop();
    }

    /// The paths in the arguments of a macro, whose grammar the parser does not know.
    fn see_tokens(&mut self, tokens: proc_macro2::TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let (mut line, mut colons) = (0, 0);
        for token in tokens {
            match token {
                proc_macro2::TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                proc_macro2::TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.see(&std::mem::take(&mut path), line);
                        line = ident.span().start().line;
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                other => {
                    self.see(&std::mem::take(&mut path), line);
                    colons = 0;
                    if let proc_macro2::TokenTree::Group(group) = other {
                        self.see_tokens(group.stream());
                    }
                }
            }
        }
        self.see(&path, line);
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        if self.imports_only && !matches!(item.vis, syn::Visibility::Inherited) {
            return;
        }
        let line = item.use_token.span.start().line;
        self.see_tree(&item.tree, &mut Vec::new(), line);
    }

    fn visit_item_extern_crate(&mut self, item: &'ast syn::ItemExternCrate) {
        self.see(&[item.ident.to_string()], item.ident.span().start().line);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let line = path.segments.first().map_or(0, |segment| segment.ident.span().start().line);
        self.see(&segments, line);
        syn::visit::visit_path(self, path);
    }

    /// `pub(crate)` is no import.
    fn visit_vis_restricted(&mut self, _: &'ast syn::VisRestricted) {}

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        self.see_tokens(called.tokens.clone());
        syn::visit::visit_macro(self, called);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if self.imports_only && is_for_tests(&item.attrs) {
            return;
        }
        self.here.modules.push(item.ident.to_string());
        syn::visit::visit_item_mod(self, item);
        self.here.modules.pop();
    }
}
