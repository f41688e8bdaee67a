//! The source files of a crate, read with a parser.

use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::Visit;

/// The crates of the workspace but for the program, from the top: their folders below `src`.
pub const CRATES: [&str; 14] = [
    "cli",
    "kiosk",
    "experiment",
    "lab",
    "net",
    "report",
    "play",
    "games",
    "view",
    "think",
    "engine",
    "sidl",
    "logic",
    "machine",
];

/// A source file: where it is, the modules in whose namespace it stands, and its items.
pub struct SourceFile {
    pub path: PathBuf,
    pub modules: Vec<String>,
    pub file: syn::File,
}

/// Whether something is compiled for tests only.
pub fn is_for_tests(attributes: &[syn::Attribute]) -> bool {
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

/// The modules of a file that stand in files of their own and are not for tests only.
struct Outside {
    inside: Vec<String>,
    found: Vec<Vec<String>>,
}

impl<'ast> Visit<'ast> for Outside {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if is_for_tests(&item.attrs) {
            return;
        }
        self.inside.push(item.ident.to_string());
        match item.content {
            Some(_) => syn::visit::visit_item_mod(self, item),
            None => self.found.push(self.inside.clone()),
        }
        self.inside.pop();
    }
}

/// All files of the crate whose root is this file, but for modules that are compiled for tests only.
pub fn crate_files(root: &Path) -> Vec<SourceFile> {
    let (mut open, mut files) = (vec![Vec::new()], Vec::new());
    let folder = root.parent().unwrap();
    while let Some(modules) = open.pop() {
        let stem = folder.join(modules.iter().collect::<PathBuf>());
        let candidates = [root.to_owned(), stem.with_extension("rs"), stem.join("mod.rs")];
        let own = if modules.is_empty() { &candidates[..1] } else { &candidates[1..] };
        let path = own.iter().find(|file| file.exists()).unwrap_or_else(|| panic!("{modules:?}")).clone();
        let file = syn::parse_file(&fs::read_to_string(&path).unwrap()).unwrap();
        let mut outside = Outside { inside: modules.clone(), found: Vec::new() };
        outside.visit_file(&file);
        open.append(&mut outside.found);
        files.push(SourceFile { path, modules, file });
    }
    files
}
