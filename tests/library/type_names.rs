//! Names are unique: no two public types of the workspace have the same name.
//!
//! Every `pub struct`, `enum`, `union`, `trait` and `type` of the source files is read with a parser, in every module
//! that is not compiled for tests only. A type that is public in a private module counts too, because a search for
//! the name finds it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::Visit;

/// The public types of a crate: the name, and where it stands.
#[derive(Default)]
struct Types {
    file: PathBuf,
    found: Vec<(String, String)>,
    /// Modules in files of their own that are still to be read.
    outside: Vec<Vec<String>>,
    inside: Vec<String>,
}

/// Whether something is compiled for tests only.
fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
    struct Words(bool);
    impl<'ast> Visit<'ast> for Words {
        fn visit_meta_list(&mut self, list: &'ast syn::MetaList) {
            let words = list.tokens.to_string();
            self.0 |= list.path.is_ident("cfg")
                && !words.contains("not")
                && words.split(|c: char| !c.is_alphanumeric()).any(|word| word == "test");
        }
    }
    let mut words = Words(false);
    attributes.iter().for_each(|attribute| words.visit_attribute(attribute));
    words.0
}

impl Types {
    fn see(&mut self, visibility: &syn::Visibility, attributes: &[syn::Attribute], name: &syn::Ident) {
        if matches!(visibility, syn::Visibility::Public(_)) && !is_for_tests(attributes) {
            let file = self.file.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(&self.file);
            let place = format!("{}:{}", file.display(), name.span().start().line);
            self.found.push((name.to_string(), place));
        }
    }

    /// Reads the crate whose root is this file.
    fn read_crate(root: &Path) -> Types {
        let mut types = Types { outside: vec![Vec::new()], ..Types::default() };
        let folder = root.parent().unwrap();
        while let Some(module) = types.outside.pop() {
            let stem = folder.join(module.iter().collect::<PathBuf>());
            let candidates = [root.to_owned(), stem.with_extension("rs"), stem.join("mod.rs")];
            let own = if module.is_empty() { &candidates[..1] } else { &candidates[1..] };
            types.file =
                own.iter().find(|file| file.exists()).unwrap_or_else(|| panic!("{module:?}")).clone();
            types.inside = module;
            types.visit_file(&syn::parse_file(&fs::read_to_string(&types.file).unwrap()).unwrap());
        }
        types
    }
}

impl<'ast> Visit<'ast> for Types {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if is_for_tests(&item.attrs) {
            return;
        }
        self.inside.push(item.ident.to_string());
        match item.content {
            Some(_) => syn::visit::visit_item_mod(self, item),
            None => self.outside.push(self.inside.clone()),
        }
        self.inside.pop();
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
    for own in ["logic", "engine", "play", "lab", "cli", ""] {
        all.extend(Types::read_crate(&root.join(own).join("lib.rs")).found);
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
    assert!(types.outside.is_empty());
    assert_eq!(repeated(types.found), ["Plan: :2, :3"]);
}
