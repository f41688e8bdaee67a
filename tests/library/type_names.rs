//! Names are unique: no two public types of the workspace have the same name.
//!
//! Every `pub struct`, `enum`, `union`, `trait` and `type` of the source files is read with a parser, in every module
//! that is not compiled for tests only. A type that is public in a private module counts too, because a search for
//! the name finds it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::common::sources::{crate_files, is_for_tests};
use syn::visit::Visit;

/// The public types of a crate: the name, and where it stands.
#[derive(Default)]
struct Types {
    file: PathBuf,
    found: Vec<(String, String)>,
}

impl Types {
    fn see(&mut self, visibility: &syn::Visibility, attributes: &[syn::Attribute], name: &syn::Ident) {
        if matches!(visibility, syn::Visibility::Public(_)) && !is_for_tests(attributes) {
            let file = self.file.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(&self.file);
            let place = format!("{}:{}", file.display(), name.span().start().line);
            self.found.push((name.to_string(), place));
        }
    }
}

impl<'ast> Visit<'ast> for Types {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_for_tests(&item.attrs) {
            syn::visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.see(&item.vis, &item.attrs, &item.ident);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.see(&item.vis, &item.attrs, &item.ident);
    }

    fn visit_item_union(&mut self, item: &'ast syn::ItemUnion) {
        self.see(&item.vis, &item.attrs, &item.ident);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.see(&item.vis, &item.attrs, &item.ident);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.see(&item.vis, &item.attrs, &item.ident);
    }
}

/// The names that stand more than once, each with its places.
fn repeated(types: impl IntoIterator<Item = (String, String)>) -> Vec<String> {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    types.into_iter().for_each(|(name, place)| places.entry(name).or_default().push(place));
    places.retain(|_, places| places.len() > 1);
    places.iter().map(|(name, places)| format!("{name}: {}", places.join(", "))).collect()
}

#[test]
fn no_two_public_types_have_the_same_name() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut all = Vec::new();
    for own in crate::common::sources::CRATES.into_iter().chain([""]) {
        for source in crate_files(&root.join(own).join("lib.rs")) {
            let mut types = Types { file: source.path, found: Vec::new() };
            types.visit_file(&source.file);
            all.append(&mut types.found);
        }
    }
    assert!(all.len() > 100, "{} types are found", all.len());
    let repeated = repeated(all);
    assert!(repeated.is_empty(), "{} names stand more than once:\n{}", repeated.len(), repeated.join("\n"));
}

#[test]
fn a_name_that_stands_twice_is_noticed_and_one_of_tests_is_not_read() {
    let text = "
        pub struct Plan; pub(crate) struct Kind; struct Run;
        mod inner { pub enum Plan { A } pub trait Step {} pub type Run = u8; pub union Bits { a: u8 } }
        #[cfg(test)] mod tests { pub struct Step; }
        #[cfg(test)] pub struct Run;
        #[cfg(all(test, unix))] mod more;
        #[cfg(not(test))] pub struct Kind;";
    let mut types = Types::default();
    types.visit_file(&syn::parse_file(text).unwrap());
    let names: Vec<&str> = types.found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["Plan", "Plan", "Step", "Run", "Bits", "Kind"]);
    assert_eq!(repeated(types.found), ["Plan: :2, :3"]);
}
