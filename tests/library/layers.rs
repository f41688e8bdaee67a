//! The order of the workspace, as far as Cargo does not keep it by itself: which crate may depend on which, the order of the modules
//! inside a crate, and the rules of style that a parser can see.

use std::fs;
use std::path::PathBuf;

use crate::common::sources::{CRATES, crate_files, is_for_tests};
use crate::paths::{Paths, Place, place_of, root, sources};
use syn::visit::Visit;

/// The modules of a crate that have an order, from the highest: each line imports from lower lines only, and no module of a line
/// imports another one of it. A file outside these modules may import all of them. `toy` is the machine of the tests.
const ORDER: [(&str, &[&[&str]]); 6] = [
    ("logic", &[&["datalog"], &["gdl"]]),
    ("think", &[&["belief", "search", "solve"], &["tree"], &["toy"]]),
    ("games", &[&["automaton", "builtin", "gambit"]]),
    ("play", &[&["analysis"], &["referee"], &["player"], &["files"], &["toy"]]),
    ("lab", &[&["records", "study"], &["shards"], &["failure", "parquet_file"]]),
    ("net", &[&["compliance", "host", "real_time", "serve"], &["http"], &["protocol"]]),
];

/// What a crate may depend on, of our own, where that is less than what stands below it in the drawing of `docs/ARCHITECTURE.md`.
/// The naive evaluators know none of the engines that they are held against.
const ALONE: [(&str, &[&str]); 8] = [
    ("machine", &[]),
    ("think", &["machine"]),
    ("logic", &["machine"]),
    ("sidl", &["machine", "logic"]),
    ("report", &[]),
    ("view", &["machine", "logic"]),
    ("engine", &["machine", "logic", "sidl"]),
    ("../tests/naive", &["machine", "logic", "sidl", "think"]),
];

/// Crates that do not know each other.
const APART: [(&str, &str); 5] =
    [("experiment", "net"), ("experiment", "kiosk"), ("lab", "net"), ("lab", "kiosk"), ("net", "report")];

/// Packages that no crate that evaluates or plays may depend on: arguments, figures, tables and progress belong
/// above.
const ABOVE: [&str; 18] = [
    "axum",
    "clap",
    "clap_complete",
    "clap_mangen",
    "csv",
    "httparse",
    "hyper",
    "hyper-util",
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

/// The breaches of the order in the source text of a file.
fn breaches(here: &Place, text: &str) -> Vec<String> {
    let Some((_, order)) = ORDER.iter().find(|(of, _)| *of == here.of) else { return Vec::new() };
    let line_of = |place: &Place| {
        let first = place.modules.first()?;
        order.iter().position(|line| line.contains(&first.as_str()))
    };
    let Some(own) = line_of(here) else { return Vec::new() };
    let mut paths = Paths { here: here.clone(), found: Vec::new(), imports_only: false };
    paths.visit_file(&syn::parse_file(text).unwrap());
    let is_breach = |there: &Place| {
        there.of == here.of
            && there.modules.first() != here.modules.first()
            // What stands in the root of a crate stands above its modules.
            && line_of(there).is_none_or(|line| line <= own)
    };
    let found = paths.found.iter().filter(|(there, _)| is_breach(there));
    found
        .map(|(there, line)| format!("line {line}: {:?} is not below {:?}", there.modules, here.modules))
        .collect()
}

#[test]
fn imports_inside_a_crate_lead_only_downward() {
    let mut all = Vec::new();
    for file in sources() {
        let text = fs::read_to_string(&file).unwrap();
        let found = breaches(&place_of(&file), &text);
        all.extend(found.into_iter().map(|breach| format!("{}: {breach}", file.display())));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

fn place(of: &str, modules: &[&str]) -> Place {
    Place { of: of.to_owned(), modules: modules.iter().map(|&name| name.to_owned()).collect() }
}

#[test]
fn an_upward_or_sideways_import_is_noticed_however_it_is_written() {
    let search = place("think", &["search", "mcts"]);
    for text in [
        "use crate::belief::Belief;",
        "use super::super::belief::Belief;",
        "use super::{super::belief::Belief, playout::Answer};",
        "use super::super::*;",
        "use crate::{self as minds};",
        "use hyperplay_think::solve as s;",
        "fn f() { let x = crate::solve::solve(); }",
        "fn f() { assert!(true, \"{}\", hyperplay_think::belief::EXACT); }",
        "fn f() { vec![a::b, g(&crate::belief::EXACT)] }",
        "mod tests { use super::super::super::belief::Belief; }",
        "fn f(x: ::hyperplay_think::belief::Belief) {}",
    ] {
        assert_eq!(breaches(&search, text).len(), 1, "{text}");
    }
    for text in [
        "use hyperplay_machine::Role;",
        "use super::playout::Answer;",
        "pub(crate) mod tests { pub(in super::super::super) struct Hidden; }",
        "use super::super::search::Answer;",
        "fn f() { assert!(true, \"{}\", std::mem::size_of::<crate::search::Answer>()); }",
    ] {
        assert_eq!(breaches(&search, text), Vec::<String>::new(), "{text}");
    }
    let player = place("play", &["player", "own_belief"]);
    assert_eq!(breaches(&player, "use crate::referee::Match;").len(), 1);
    assert_eq!(
        breaches(&place("play", &["referee", "actor"]), "use crate::player::Player;"),
        Vec::<String>::new()
    );
}

/// Our own crates that a crate depends on, but for its tests.
fn ours(of: &str) -> Vec<String> {
    let manifest = fs::read_to_string(root().join(of).join("Cargo.toml")).unwrap();
    let names = dependencies(&manifest);
    names.iter().filter_map(|name| name.strip_prefix("hyperplay-").map(str::to_owned)).collect()
}

#[test]
fn a_crate_depends_on_no_more_than_its_place_allows() {
    for (of, allowed) in ALONE {
        let beyond: Vec<String> =
            ours(of).into_iter().filter(|name| !allowed.contains(&name.as_str())).collect();
        assert_eq!(beyond, Vec::<String>::new(), "{of}");
    }
    for (one, other) in APART {
        assert!(
            !ours(one).contains(&other.to_owned()) && !ours(other).contains(&one.to_owned()),
            "{one}, {other}"
        );
    }
    assert!(ours("cli").contains(&"play".to_owned()), "the manifest is read");
}

/// The crates are drawn with each above what it depends on.
#[test]
fn the_drawing_of_the_architecture_has_the_order_of_cargo() {
    let page = fs::read_to_string(root().join("../docs/ARCHITECTURE.md")).unwrap();
    let drawing = page.split("```text\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let line_of = |name: &str| {
        let is_drawn =
            |line: &str| line.get(..20).unwrap_or(line).split_whitespace().any(|word| word == name);
        drawing.lines().position(is_drawn).unwrap_or_else(|| panic!("{name} is not drawn"))
    };
    for of in CRATES {
        for below in ours(of) {
            assert!(line_of(of) < line_of(&below), "{of} depends on {below}, which is not drawn below it");
        }
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
    for own in ["machine", "logic", "sidl", "engine", "think", "view", "play"] {
        let needed = dependencies(&fs::read_to_string(root().join(own).join("Cargo.toml")).unwrap());
        assert!(needed.len() > 2, "{own}: the manifest is read");
        for name in needed {
            assert!(!ABOVE.contains(&name.as_str()), "{own} depends on {name}");
        }
    }
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
    "machine/budget.rs",
    "engine/propnet/simplify/mod.rs",
    "play/referee/clock.rs",
    "play/referee/real_time/",
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
    for own in ["machine", "logic", "sidl", "engine", "think", "view", "play"] {
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
    let files: Vec<PathBuf> = sources()
        .into_iter()
        .filter(|file| place_of(file).modules.first().is_some_and(|module| module == "datalog"))
        .collect();
    assert!(files.len() > 5, "the files are found");
    for file in files {
        let mut words = Words(Vec::new());
        words.visit_file(&syn::parse_file(&fs::read_to_string(&file).unwrap()).unwrap());
        for word in words.0 {
            assert!(!GAME.contains(&word.as_str()), "{} says {word}", file.display());
        }
    }
}
