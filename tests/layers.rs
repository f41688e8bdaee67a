//! The staircase: imports only downward.
//!
//! Every path of every source file is read with a parser: `crate::`, `super::` and `self::`, in `use` items and in
//! line. A path that leads from one room of the top level to another must lead to a strictly lower layer. The same
//! pass holds the rules of the house that a parser can see.

use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::Visit;

/// The layer of each room, as in `docs/ARCHITECTURE.md`.
const LAYERS: [(&str, u32); 17] = [
    ("gdl", 0),
    ("report", 0),
    ("datalog", 1),
    ("machine", 1),
    ("propnet", 2),
    ("engine", 3),
    ("search", 4),
    ("belief", 4),
    ("efg", 4),
    ("player", 5),
    ("protocol", 6),
    ("referee", 7),
    ("experiment", 8),
    ("kiosk", 8),
    ("cli", 9),
    ("lib", 10),
    ("main", 11),
];

/// What may not be seen although it is lower: these rooms are generic over the machine.
const HIDDEN: [(&str, &[&str]); 3] = [
    ("search", &["engine", "propnet", "datalog", "report"]),
    ("belief", &["engine", "propnet", "datalog", "report"]),
    ("efg", &["engine", "propnet", "datalog", "report"]),
];

fn layer(room: &str) -> u32 {
    LAYERS.iter().find(|(name, _)| *name == room).unwrap_or_else(|| panic!("{room} stands on no layer")).1
}

fn sources() -> Vec<PathBuf> {
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
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut out);
    out.sort();
    out
}

/// The module path of a file: `src/gdl/kif.rs` is `[gdl, kif]`.
fn module_of(file: &Path) -> Vec<String> {
    let relative = file.strip_prefix(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    let mut parts: Vec<String> =
        relative.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
    if parts.last().is_some_and(|last| last == "mod") {
        parts.pop();
    }
    parts
}

/// Collects where the paths of a file lead: the room and the line.
struct Paths {
    module: Vec<String>,
    found: Vec<(String, usize)>,
}

impl Paths {
    fn see(&mut self, segments: &[String], line: usize) {
        let mut here = self.module.clone();
        let mut rest = segments.iter();
        match rest.next().map(String::as_str) {
            Some("crate") => here.clear(),
            Some("self") => {}
            Some("super") => {
                here.pop();
            }
            _ => return,
        }
        for segment in rest {
            match segment.as_str() {
                "super" => {
                    here.pop();
                }
                name => here.push(name.to_owned()),
            }
        }
        if let Some(room) = here.first() {
            self.found.push((room.clone(), line));
        }
    }

    fn see_tree(&mut self, tree: &syn::UseTree, before: &mut Vec<String>, line: usize) {
        match tree {
            syn::UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.see_tree(&path.tree, before, line);
                before.pop();
            }
            syn::UseTree::Group(group) => {
                group.items.iter().for_each(|item| self.see_tree(item, before, line))
            }
            syn::UseTree::Name(name) => {
                before.push(name.ident.to_string());
                self.see(before, line);
                before.pop();
            }
            syn::UseTree::Rename(rename) => {
                before.push(rename.ident.to_string());
                self.see(before, line);
                before.pop();
            }
            syn::UseTree::Glob(_) => self.see(before, line),
        }
    }
}

impl<'ast> Visit<'ast> for Paths {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let line = item.use_token.span.start().line;
        self.see_tree(&item.tree, &mut Vec::new(), line);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        let line = path.segments.first().map_or(0, |segment| segment.ident.span().start().line);
        self.see(&segments, line);
        syn::visit::visit_path(self, path);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.module.push(item.ident.to_string());
        syn::visit::visit_item_mod(self, item);
        self.module.pop();
    }
}

/// The breaches in one source text that stands at a module path.
fn breaches(module: &[String], text: &str) -> Vec<String> {
    let file = syn::parse_file(text).unwrap();
    let room = module.first().cloned().unwrap_or_else(|| "lib".to_owned());
    let mut paths = Paths { module: module.to_vec(), found: Vec::new() };
    if matches!(room.as_str(), "lib" | "main") {
        paths.module.clear();
    }
    paths.visit_file(&file);
    let hidden = HIDDEN.iter().find(|(name, _)| *name == room).map_or(&[][..], |(_, rooms)| *rooms);
    let mut out = Vec::new();
    for (target, line) in paths.found {
        let known = LAYERS.iter().any(|(name, _)| *name == target);
        if !known || target == room {
            continue;
        }
        if layer(&target) >= layer(&room) {
            out.push(format!("line {line}: {room} imports {target}, which is not below it"));
        } else if hidden.contains(&target.as_str()) {
            out.push(format!("line {line}: {room} sees {target}; it must be generic over the machine"));
        }
    }
    out
}

#[test]
fn imports_only_lead_downward() {
    let mut all = Vec::new();
    for file in sources() {
        let text = fs::read_to_string(&file).unwrap();
        let module = module_of(&file);
        all.extend(
            breaches(&module, &text).into_iter().map(|breach| format!("{}: {breach}", file.display())),
        );
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn an_upward_or_sideways_import_is_noticed_however_it_is_written() {
    let machine = ["machine".to_owned(), "role".to_owned()];
    for text in [
        "use crate::engine::Interpreter;",
        "use crate::{gdl::Term, datalog::DatalogProgram};",
        "use super::super::player::Player;",
        "fn f() { let x = crate::cli::run(); }",
        "mod tests { use super::super::super::belief::Belief; }",
        "fn f(x: crate::datalog::Relation) {}",
    ] {
        assert_eq!(breaches(&machine, text).len(), 1, "{text}");
    }
    for text in ["use crate::gdl::Term;", "use super::moves::Move;", "use super::super::gdl::Term;"] {
        assert_eq!(breaches(&machine, text), Vec::<String>::new(), "{text}");
    }
    assert_eq!(breaches(&["belief".to_owned()], "use crate::engine::Interpreter;").len(), 1);
}

#[test]
fn rooms_are_small_and_open_with_a_header() {
    for file in sources() {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//!"), "{} has no module header", file.display());
        let lines = text.lines().count();
        assert!(lines <= 600, "{} has {lines} lines", file.display());
    }
}

/// Datalog is evaluation and nothing else.
#[test]
fn datalog_contains_no_game_word() {
    struct Words(Vec<String>);
    impl<'ast> Visit<'ast> for Words {
        fn visit_ident(&mut self, ident: &'ast proc_macro2::Ident) {
            self.0.push(ident.to_string().to_lowercase());
        }
    }
    const GAME: [&str; 9] =
        ["legal", "goal", "sees", "terminal", "role", "fluent", "percept", "game", "does"];
    for file in sources().into_iter().filter(|file| module_of(file)[0] == "datalog") {
        let mut words = Words(Vec::new());
        words.visit_file(&syn::parse_file(&fs::read_to_string(&file).unwrap()).unwrap());
        for word in words.0 {
            assert!(!GAME.contains(&word.as_str()), "{} says {word}", file.display());
        }
    }
}
