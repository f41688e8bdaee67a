//! The layers of the workspace: modules import only from lower layers.
//!
//! Cargo enforces the order of the crates of the workspace. This test checks what Cargo cannot: the order of the
//! modules inside a crate, and which parts of a lower crate may not be used. Every path of every source file is read
//! with a parser (`crate::`, `super::`, `self::`, and the names of our crates, in `use` items and in line). A path
//! that leads from one module to another must lead to a strictly lower layer. The same pass checks the rules of style
//! that a parser can see.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::sources::{crate_files, is_for_tests};
use syn::visit::Visit;

/// The layer of each top-level module, as in `docs/ARCHITECTURE.md`. `logic`, `play` and `lab` are the roots of their
/// crates, whose other modules have layers of their own (`toy` is the machine of the tests of `play`); `engine` and
/// `cli` are all the modules of a crate that are not named here.
const LAYERS: [(&str, u32); 31] = [
    ("gdl", 0),
    ("files", 0),
    ("report", 0),
    ("datalog", 1),
    ("sidl", 1),
    ("machine", 1),
    ("logic", 2),
    ("evaluable", 2),
    ("board", 2),
    ("propnet", 3),
    ("engine", 4),
    ("toy", 4),
    ("search", 5),
    ("belief", 5),
    ("efg", 5),
    ("automaton", 5),
    ("player", 6),
    ("referee", 7),
    ("play", 8),
    ("study", 9),
    ("experiment", 9),
    ("lab", 10),
    ("protocol", 9),
    ("http", 9),
    ("serve", 10),
    ("host", 10),
    ("compliance", 10),
    ("net", 11),
    ("cli", 12),
    ("facade", 13),
    ("program", 14),
];

/// The modules that see a game only through the contract of `machine`, and what lies below them and is hidden from them.
const GENERIC: [&str; 5] = ["toy", "board", "search", "belief", "efg"];
const HIDDEN: [&str; 7] = ["report", "logic", "datalog", "sidl", "evaluable", "propnet", "engine"];

/// The crates of the workspace below the root.
const CRATES: [&str; 6] = ["logic", "engine", "play", "lab", "net", "cli"];

/// Packages that no crate that evaluates or plays may depend on: arguments, figures, tables and progress belong
/// above.
const ABOVE: [&str; 20] = [
    "axum",
    "clap",
    "clap_complete",
    "clap_mangen",
    "csv",
    "ctrlc",
    "httparse",
    "hyper",
    "hyper-util",
    "include_dir",
    "indicatif",
    "parquet",
    "pdf-writer",
    "signal-hook",
    "subsetter",
    "tokio",
    "toml",
    "tracing",
    "tracing-subscriber",
    "ttf-parser",
];

/// The place of a module: the crate and the modules in it.
#[derive(Clone, PartialEq, Debug)]
struct Place {
    of: String,
    modules: Vec<String>,
}

impl Place {
    /// The top-level module, or the crate itself for a file outside these modules.
    fn module(&self) -> &str {
        let first = self.modules.first().map(String::as_str);
        match (self.of.as_str(), first) {
            ("logic", Some(module @ ("gdl" | "datalog" | "sidl")))
            | ("engine", Some(module @ ("machine" | "evaluable" | "propnet")))
            | (
                "play",
                Some(
                    module @ ("toy" | "automaton" | "board" | "search" | "belief" | "efg" | "files"
                    | "player" | "referee"),
                ),
            )
            | ("lab", Some(module @ ("report" | "study" | "experiment")))
            | ("net", Some(module @ ("protocol" | "http" | "serve" | "host" | "compliance"))) => module,
            (own, _) => own,
        }
    }
}

fn layer(module: &str) -> u32 {
    LAYERS.iter().find(|(name, _)| *name == module).unwrap_or_else(|| panic!("{module} has no layer")).1
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// All source files, sorted.
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
    walk(&root(), &mut out);
    out.sort();
    out
}

/// The place of a file: `src/logic/gdl/kif.rs` is `gdl::kif` of `logic`.
fn place_of(file: &Path) -> Place {
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
struct Paths {
    here: Place,
    found: Vec<(Place, usize)>,
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

    fn see_tree(&mut self, tree: &syn::UseTree, before: &mut Vec<String>, line: usize) {
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
        self.here.modules.push(item.ident.to_string());
        syn::visit::visit_item_mod(self, item);
        self.here.modules.pop();
    }
}

/// The breaches in the source text of the module at a place.
fn breaches(here: &Place, text: &str) -> Vec<String> {
    let module = here.module();
    let mut paths = Paths { here: here.clone(), found: Vec::new() };
    paths.visit_file(&syn::parse_file(text).unwrap());
    let mut out = Vec::new();
    for (there, line) in &paths.found {
        let target = there.module();
        if target == module {
            continue;
        }
        if layer(target) >= layer(module) {
            out.push(format!("line {line}: {module} imports {target}, which is not below it"));
        } else if GENERIC.contains(&module) && HIDDEN.contains(&target) {
            out.push(format!("line {line}: {module} sees {target}; it must be generic over the machine"));
        }
    }
    out
}

#[test]
fn imports_only_lead_downward() {
    let mut all = Vec::new();
    for file in sources() {
        let text = fs::read_to_string(&file).unwrap();
        let found = breaches(&place_of(&file), &text);
        all.extend(found.into_iter().map(|breach| format!("{}: {breach}", file.display())));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

/// The modules of a crate in the diagram of `docs/ARCHITECTURE.md`, from the top of the page to its bottom, by lines.
fn drawn(page: &str) -> Vec<Vec<Place>> {
    let diagram = page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let column = diagram.lines().find_map(|line| line.find("search | belief")).unwrap();
    let (mut of, mut out) = (String::new(), Vec::new());
    for line in diagram.lines() {
        if let Some(own) = line.strip_prefix(" hyperplay_").and_then(|rest| rest.split(' ').next()) {
            of = own.to_owned();
        }
        let names = line.get(column..).unwrap_or_default().split("  ").next().unwrap_or_default();
        out.push(names.split(" | ").map(|name| place(&of, &[name.trim()])).collect());
    }
    out
}

/// The lines of the diagram that stand above a higher layer of their crate. Cargo keeps the order of the crates.
fn misplaced(page: &str) -> Vec<String> {
    let lines: Vec<Vec<Place>> =
        drawn(page).into_iter().filter(|line| CRATES.contains(&line[0].of.as_str())).collect();
    assert!(lines.len() > 15, "{lines:?}");
    let is_wrong = |pair: &&[Vec<Place>]| {
        let lowest = pair[0].iter().map(|place| layer(place.module())).min();
        let highest = pair[1].iter().map(|place| layer(place.module())).max();
        pair[0][0].of == pair[1][0].of && lowest < highest
    };
    let wrong = lines.windows(2).filter(is_wrong);
    wrong.map(|pair| format!("{:?} stands above {:?}", pair[0], pair[1])).collect()
}

#[test]
fn the_diagram_of_the_architecture_has_this_order() {
    let page = fs::read_to_string(root().join("../docs/ARCHITECTURE.md")).unwrap();
    assert_eq!(misplaced(&page), Vec::<String>::new());
    let turned = page.replacen("referee  ", "board    ", 1);
    assert_eq!(misplaced(&turned).len(), 1, "board stands above player");
}

fn place(of: &str, modules: &[&str]) -> Place {
    Place { of: of.to_owned(), modules: modules.iter().map(|&name| name.to_owned()).collect() }
}

#[test]
fn an_upward_or_sideways_import_is_noticed_however_it_is_written() {
    let machine = place("engine", &["machine", "role"]);
    for text in [
        "use crate::Interpreter;",
        "use crate::interpreter::Interpreter;",
        "use hyperplay_logic::{gdl::Term, datalog::Program};",
        "use super::super::propnet::Propnet;",
        "use super::{super::propnet::Propnet, moves::Move};",
        "use super::super::*;",
        "use crate::{self as engines};",
        "use hyperplay_play as play;",
        "extern crate hyperplay_play;",
        "fn f() { let x = hyperplay_cli::run(); }",
        "fn f() { assert!(true, \"{}\", hyperplay_think::belief::EXACT); }",
        "fn f() { vec![a::b, g(&crate::lanes::WIDTH)] }",
        "mod tests { use super::super::super::lanes::Lanes; }",
        "fn f(x: ::hyperplay_logic::datalog::Relation) {}",
    ] {
        assert_eq!(breaches(&machine, text).len(), 1, "{text}");
    }
    for text in [
        "use hyperplay_logic::gdl::Term;",
        "use super::moves::Move;",
        "pub(crate) mod tests { pub(in super::super::super) struct Hidden; }",
        "use super::super::machine::moves::Move;",
        "fn f() { assert!(true, \"{}\", std::mem::size_of::<crate::machine::Move>()); }",
    ] {
        assert_eq!(breaches(&machine, text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn what_is_generic_over_the_machine_sees_no_engine_and_no_sibling() {
    for module in GENERIC {
        let here = place("play", &[module]);
        for text in [
            "use hyperplay_engine::Interpreter;",
            "use hyperplay_engine::lanes::Lanes;",
            "use hyperplay_engine::propnet::Propnet;",
            "use hyperplay_logic::datalog::Relation;",
            "use crate::player::Player;",
            "use hyperplay_report::Page;",
        ] {
            assert_eq!(breaches(&here, text).len(), 1, "{module}: {text}");
        }
        for text in ["use hyperplay_machine::Role;", "use hyperplay_logic::gdl::TermId;"] {
            assert_eq!(breaches(&here, text), Vec::<String>::new(), "{module}: {text}");
        }
        let siblings =
            GENERIC.into_iter().filter(|sibling| *sibling != module && layer(sibling) == layer(module));
        for sibling in siblings {
            assert_eq!(breaches(&here, &format!("use crate::{sibling}::X;")).len(), 1, "{module}: {sibling}");
        }
    }
}

#[test]
fn a_report_knows_nothing_of_games() {
    let report = place("lab", &["report"]);
    for text in ["use hyperplay_logic::gdl::Term;", "use crate::study::Plan;", "use super::experiment::Plan;"]
    {
        assert_eq!(breaches(&report, text).len(), 1, "{text}");
    }
    assert_eq!(breaches(&place("lab", &["study"]), "use crate::report::Page;"), Vec::<String>::new());
}

#[test]
fn every_module_stands_in_a_room() {
    for file in sources() {
        let here = place_of(&file);
        // A build script is no part of its crate.
        if ["logic", "play", "lab"].contains(&here.module()) && !file.ends_with("lab/build.rs") {
            assert_eq!(here.modules, Vec::<String>::new(), "{} is in no module", file.display());
        }
        layer(here.module());
    }
}

/// The names of what a package depends on, but for its tests.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut within = false;
    for line in manifest.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            within = section.ends_with("dependencies") && !section.ends_with("dev-dependencies");
            if let Some((_, name)) = section.rsplit_once("dependencies.") {
                out.extend((!section.contains("dev-dependencies.")).then(|| name.to_owned()));
            }
        } else if within
            && !line.starts_with('#')
            && let Some(end) = line.find(['.', ' ', '='])
        {
            out.push(line[..end].to_owned());
        }
    }
    out
}

#[test]
fn what_evaluates_and_plays_depends_on_no_arguments_figures_or_tables() {
    let read = |own: &str| fs::read_to_string(root().join(own).join("Cargo.toml")).unwrap();
    let mut seen = vec!["logic".to_owned(), "engine".to_owned(), "play".to_owned()];
    let mut next = 0;
    while next < seen.len() {
        let own = seen[next].clone();
        let needed = dependencies(&read(&own));
        assert!(needed.len() > 5, "{own}: the manifest is read");
        for name in needed {
            assert!(!ABOVE.contains(&name.as_str()), "{own} depends on {name}");
            if let Some(ours) = name.strip_prefix("hyperplay-").filter(|ours| CRATES.contains(ours)) {
                assert!(layer(ours) <= layer(&own), "{own} depends on {ours}, which is not below it");
                seen.extend((!seen.iter().any(|known| known == ours)).then(|| ours.to_owned()));
            }
        }
        next += 1;
    }
    assert!(dependencies(&read("cli")).iter().any(|name| name == "clap"));
    let odd = "[dependencies]\na = '1'\n# b = 1\n[dependencies.c]\nversion = '1'\n[dev-dependencies]\nd.workspace = true\n\
               [target.'cfg(unix)'.dependencies]\ne.workspace = true\n";
    assert_eq!(dependencies(odd), ["a", "c", "e"]);
}

#[test]
fn files_are_small_and_open_with_a_header() {
    for file in sources() {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//!"), "{} has no module header", file.display());
        let lines = text.lines().count();
        assert!(lines <= 600, "{} has {lines} lines", file.display());
    }
}

/// The order of the modules stands in this file and nowhere else.
#[test]
fn no_header_numbers_a_layer() {
    let numbers = |header: &str| {
        let words: Vec<&str> = header.split_whitespace().collect();
        words.windows(2).any(|pair| {
            pair[0].eq_ignore_ascii_case("layer")
                && pair[1].starts_with(|letter: char| letter.is_ascii_digit())
        })
    };
    assert!(numbers("//! Layer 1a, evaluation") && !numbers("//! Player 1 plays in a layer of its own."));
    for file in sources() {
        let text = fs::read_to_string(&file).unwrap();
        let header: String = text.lines().take_while(|line| line.starts_with("//!")).collect();
        assert!(!numbers(&header), "{} numbers its layer", file.display());
    }
}

/// What reads the clock in the crates that evaluate and play, as `docs/ARCHITECTURE.md` says ("Determinism").
const CLOCK_READERS: [&str; 5] = [
    "logic/datalog/limits.rs",
    "engine/machine/budget.rs",
    "engine/propnet/simplify/mod.rs",
    "play/referee/clock.rs",
    "play/referee/managed/",
];

/// Whether a file asks for the time, but for its tests.
fn reads_the_clock(file: &syn::File) -> bool {
    struct Clock(bool);
    impl<'ast> Visit<'ast> for Clock {
        fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
            if !is_for_tests(&item.attrs) {
                syn::visit::visit_item_mod(self, item);
            }
        }
        fn visit_path(&mut self, path: &'ast syn::Path) {
            let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
            if let [.., of, called] = &names[..] {
                self.0 |= called == "now" && ["Instant", "SystemTime", "ThreadTime"].contains(&of.as_str());
            }
            syn::visit::visit_path(self, path);
        }
    }
    let mut clock = Clock(false);
    clock.visit_file(file);
    clock.0
}

#[test]
fn only_what_the_architecture_names_reads_the_clock() {
    let mut found = Vec::new();
    for own in ["logic", "engine", "play"] {
        let files = crate_files(&root().join(own).join("lib.rs"));
        let readers = files.iter().filter(|source| reads_the_clock(&source.file));
        found.extend(readers.map(|source| source.path.strip_prefix(root()).unwrap().display().to_string()));
    }
    for reader in CLOCK_READERS {
        assert!(found.iter().any(|file| file.starts_with(reader)), "{reader} reads no clock");
    }
    found.retain(|file| !CLOCK_READERS.iter().any(|reader| file.starts_with(reader)));
    assert_eq!(found, Vec::<String>::new(), "these read the clock too");
    let reads = |text: &str| reads_the_clock(&syn::parse_file(text).unwrap());
    assert!(reads("fn f() { let x = std::time::Instant::now(); }"));
    assert!(!reads("#[cfg(test)] mod tests { fn f() { let x = Instant::now(); } }"));
}

/// The module `datalog` only evaluates.
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
    let files: Vec<PathBuf> =
        sources().into_iter().filter(|file| place_of(file).module() == "datalog").collect();
    assert!(files.len() > 5, "the files are found");
    for file in files {
        let mut words = Words(Vec::new());
        words.visit_file(&syn::parse_file(&fs::read_to_string(&file).unwrap()).unwrap());
        for word in words.0 {
            assert!(!GAME.contains(&word.as_str()), "{} says {word}", file.display());
        }
    }
}
