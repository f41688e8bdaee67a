//! Every code name that the documents print is a name of the code.
//!
//! What stands between backticks in `README.md`, `CONTRIBUTING.md` and `docs` is judged by its shape: a path of Rust is resolved
//! through modules and re-exports, a file exists, a command and its options are those of the program, a spec has a known name
//! and known keys, and a command of cargo names a test, bench or example that there is. A single word, and each part of a key
//! such as `roles[].score`, is a word of the code: a name of an item or member, or a word in a text of it. What is none
//! of these (rules, sentences, punctuation) is no name. Words that are not ours stand in [`foreign`].

mod code;
mod commands;
mod documents;
mod foreign;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use code::Code;
use commands::Commands;
use documents::{Document, Printed, words};

/// All that there is to be named.
struct Names {
    code: Code,
    commands: Commands,
    /// The files and folders of the project, from its root.
    files: BTreeSet<String>,
    /// The crates that a manifest names, the games, the columns of reports, and the words of the shipped experiments.
    others: BTreeSet<String>,
    /// Words that are not ours.
    foreign: &'static [&'static str],
}

/// Read once for all tests.
static NAMES: LazyLock<Names> = LazyLock::new(Names::read);

/// The files and folders below a folder, but for what is built.
fn files_below(folder: &Path, out: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let own = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().to_string_lossy().into_owned();
        if [".git", "target", "tests/fuzz/target"].contains(&own.as_str()) {
            continue;
        }
        out.insert(own);
        if path.is_dir() {
            files_below(&path, out);
        }
    }
}

fn text_of(file: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap()
}

/// A letter of a name.
fn is_of_a_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// A word in capitals, one letter or a number stands for something that the reader puts in.
fn is_placeholder(word: &str) -> bool {
    word.len() < 2 || !word.contains(|letter: char| letter.is_ascii_lowercase())
}

/// `StateMachine` and `View`, but not `GDL-II`.
fn is_name_of_a_type(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_uppercase())
        && word.chars().all(|letter| letter.is_ascii_alphanumeric())
        && word.contains(|letter: char| letter.is_ascii_lowercase())
}

impl Names {
    fn read() -> Names {
        let mut files = BTreeSet::new();
        files_below(Path::new(env!("CARGO_MANIFEST_DIR")), &mut files);
        let mut others = BTreeSet::new();
        for file in &files {
            let is_game = file.starts_with("games/");
            if is_game {
                others.extend(
                    words(&Path::new(file).file_stem().unwrap().to_string_lossy()).map(str::to_owned),
                );
            }
            if file.ends_with("Cargo.toml")
                || file.starts_with("docs/experiments/") && file.ends_with(".toml")
                || file.starts_with("src/") && file.ends_with("columns.tsv")
            {
                others.extend(words(&text_of(file)).map(str::to_owned));
            }
        }
        Names { code: Code::read(), commands: Commands::read(), files, others, foreign: &foreign::WORDS }
    }

    /// What is wrong with something that a document prints.
    fn fault(&self, document: &Document, printed: &Printed) -> Option<String> {
        let text = printed.text.as_str();
        let words: Vec<&str> = text.split_whitespace().collect();
        let first = *words.first()?;
        if foreign::PROGRAMS.contains(&first) || self.foreign.contains(&text) {
            return None;
        }
        if first == "cargo" {
            return self.cargo_fault(document, &words[1..]);
        }
        if first == "hyperplay" && words.len() > 1 {
            return self.command_fault(document, &words[1..]);
        }
        let has_option = words.iter().any(|word| word.starts_with("--"));
        if has_option && first.starts_with(|letter: char| letter.is_ascii_lowercase() || letter == '-')
            || words.len() > 1 && self.commands.has_command(first) && !words[1].starts_with('=')
        {
            return self.command_fault(document, &words);
        }
        if words.len() > 1 && words.iter().all(|word| self.is_spec(word)) {
            return words.iter().find_map(|word| self.spec_fault(document, word));
        }
        if text.contains("::") {
            return self.path_fault(text);
        }
        if words.len() > 1 || text.starts_with(['(', '"', '{', '[', '\'', '/', '~', '?', '<']) {
            return None;
        }
        if self.is_spec(text) {
            return self.spec_fault(document, text);
        }
        if self.is_file(text) {
            return self.file_fault(document, printed);
        }
        if let Some((called, _)) = text.split_once('(') {
            return self.word_fault(document, called);
        }
        let is_key = text.chars().all(|letter| is_of_a_name(letter) || "-+.[]<>/".contains(letter));
        let parts = text.split(['.', '[', ']', '<', '>', '/']).filter(|part| !part.is_empty());
        is_key.then(|| parts.into_iter().find_map(|part| self.word_fault(document, part))).flatten()
    }

    /// A command line: its command, its options, the specs in it, and words behind options.
    fn command_fault(&self, document: &Document, words: &[&str]) -> Option<String> {
        // What follows is another program.
        let words = words.split(|word| *word == "|").next().unwrap_or_default();
        let is_word =
            |word: &str| word.chars().all(|letter| letter.is_ascii_lowercase() || "_-".contains(letter));
        let behind = words.windows(2).filter(|pair| pair[0].starts_with("--") && is_word(pair[1]));
        let seats = words.iter().filter(|word| !word.starts_with(['-', '[']) && self.is_spec(word));
        let mut specs = seats.map(|word| match word.split_once('=') {
            Some((role, spec)) if !role.contains(':') => spec,
            _ => word,
        });
        self.commands
            .fault(words)
            .or_else(|| behind.map(|pair| pair[1]).find_map(|word| self.word_fault(document, word)))
            .or_else(|| specs.find_map(|spec| self.seat_fault(spec)))
    }

    /// A single word.
    fn word_fault(&self, document: &Document, word: &str) -> Option<String> {
        if is_placeholder(word)
            || self.foreign.contains(&word)
            || foreign::is_dated(&document.path)
            || self.others.contains(word)
        {
            return None;
        }
        if is_name_of_a_type(word) {
            let is_known = self.code.has_path(word) || self.code.has_member(word);
            return (!is_known).then(|| format!("no type, trait or variant is called '{word}'"));
        }
        let bare = word.trim_matches('_');
        let is_known = self.code.words.contains(word)
            || self.code.words.contains(bare)
            || self.code.has_path(word)
            || self.commands.has_command(word)
            || self.commands.has_spec_word(word)
            || document.made_up.contains(word);
        (!is_known).then(|| format!("the code does not know the word '{word}'"))
    }

    /// A path of Rust, perhaps with arguments behind it.
    fn path_fault(&self, text: &str) -> Option<String> {
        let path: String = text.chars().take_while(|&letter| is_of_a_name(letter) || letter == ':').collect();
        if !self.code.has_path(&path) {
            return Some(format!("no path '{path}' leads to an item of the code"));
        }
        let arguments = text[path.len()..].strip_prefix('(')?.split(')').next()?;
        self.code.argument_fault(&path, arguments)
    }

    /// `name:key=value`, `key=value` or `role=name:key=value`.
    fn is_spec(&self, text: &str) -> bool {
        let bare = text.trim_start_matches('[').trim_end_matches(']');
        let is_word = |word: &str| {
            word.starts_with(|letter: char| letter.is_ascii_lowercase())
                && word.chars().all(|letter| is_of_a_name(letter) || letter == '-')
        };
        match bare.find([':', '=']) {
            Some(at) if bare[at..].starts_with(':') => {
                is_word(&bare[..at]) && (bare.contains('=') || self.commands.has_spec_word(&bare[..at]))
            }
            Some(at) => is_word(&bare[..at]) && at + 1 < bare.len() && !bare[at + 1..].starts_with('='),
            None => false,
        }
    }

    fn spec_fault(&self, document: &Document, text: &str) -> Option<String> {
        let spec = text.trim_start_matches('[').trim_end_matches(']');
        let fault = self.commands.spec_fault(if text.starts_with('[') { spec } else { text })?;
        match text.split_once('=') {
            Some((role, value)) if document.made_up.contains(role) || foreign::ROLES.contains(&role) => {
                self.seat_fault(value)
            }
            _ => Some(fault),
        }
    }

    /// What is wrong with the spec behind a role, as in `alice=hyperplay:particles=64`.
    fn seat_fault(&self, spec: &str) -> Option<String> {
        let name = spec.split(':').next().unwrap_or(spec);
        let stands_for_one = is_placeholder(name) || ["spec", "player", "http"].contains(&name);
        (!stands_for_one).then(|| self.commands.spec_fault(spec)).flatten()
    }

    /// Whether the shape of a text is that of a file of this project.
    fn is_file(&self, text: &str) -> bool {
        let roots = ["src/", "docs/", "tests/", "benches/", "games/", ".ci/"];
        let ends = [".rs", ".kif", ".sidl", ".toml", ".efg", ".py", ".md", "/"];
        text.chars().all(|letter| is_of_a_name(letter) || "-./".contains(letter))
            && (roots.iter().any(|root| text.starts_with(root)) || ends.iter().any(|end| text.ends_with(end)))
            && text != "/"
            && !text.starts_with('.') | text.starts_with(".ci")
    }

    fn file_fault(&self, document: &Document, printed: &Printed) -> Option<String> {
        let text = printed.text.trim_end_matches('/');
        let name = PathBuf::from(text);
        let is_there = if text.ends_with(".rs") && !text.starts_with("src/") && !printed.folders.is_empty() {
            self.files.contains(text)
                || printed.folders.iter().any(|folder| self.files.contains(&format!("{folder}/{text}")))
        } else if printed.text.ends_with('/') && !printed.folders.is_empty() {
            printed.folders.iter().any(|folder| self.files.contains(&format!("{folder}/{text}")))
        } else {
            self.files.contains(text)
                || !text.contains('/') && self.files.iter().any(|file| Path::new(file).ends_with(&name))
        };
        let stem = name.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let stem = stem.trim_end_matches(".view");
        let is_the_readers = is_placeholder(stem) || !text.contains('/') && document.made_up.contains(stem);
        (!is_there && !is_the_readers).then(|| format!("there is no file '{text}' where the text says"))
    }

    /// `bench --bench NAME`, `run --release --example NAME`, `test --release --test NAME FILTER`.
    fn cargo_fault(&self, document: &Document, words: &[&str]) -> Option<String> {
        let after = |option: &str| {
            let at = words.iter().position(|word| *word == option)?;
            words.get(at + 1).copied()
        };
        let missing = |kind: &str, name: &str| Some(format!("there is no {kind} '{name}'"));
        if let Some(name) = after("--bench")
            && !self.files.contains(&format!("benches/{name}.rs"))
        {
            return missing("bench", name);
        }
        if let Some(name) = after("--example")
            && !self.files.contains(&format!("tests/examples/{name}.rs"))
        {
            return missing("example", name);
        }
        if let Some(name) = after("--test") {
            if !self.files.contains(&format!("tests/{name}/main.rs")) {
                return missing("test program", name);
            }
            let at = words.iter().position(|word| *word == name).unwrap_or_default();
            let filters = words[at + 1..].iter().filter(|word| !word.starts_with('-'));
            return filters
                .filter(|filter| !self.has_test(name, filter))
                .find_map(|filter| missing("test", filter));
        }
        match (words.first(), words.iter().position(|word| *word == "--")) {
            (Some(&"run"), Some(at)) if after("--example").is_none() => {
                self.command_fault(document, &words[at + 1..])
            }
            _ => None,
        }
    }

    /// Whether a test of a program has this in its path.
    fn has_test(&self, program: &str, filter: &str) -> bool {
        let parts: Vec<&str> = filter.split("::").filter(|part| !part.is_empty()).collect();
        let files = self.files.iter().filter(|file| file.starts_with(&format!("tests/{program}/")));
        files.filter(|file| file.ends_with(".rs")).any(|file| {
            let text = text_of(file);
            let tests = text.split("#[test]").skip(1).filter_map(|test| test.split("fn ").nth(1));
            let names = tests.filter_map(|test| test.split('(').next());
            let modules = file.trim_end_matches(".rs").replace('/', "::");
            names
                .map(|name| format!("{modules}::{name}"))
                .any(|path| parts.iter().all(|part| path.contains(part)))
        })
    }

    /// What is wrong with something that the documentation in a source file prints: a path from anywhere, or a file. The
    /// links are checked by rustdoc.
    fn comment_fault(&self, document: &Document, printed: &Printed) -> Option<String> {
        let text = printed.text.as_str();
        let first = text.split("::").next()?;
        let is_path = text.contains("::") && text.chars().all(|letter| is_of_a_name(letter) || letter == ':');
        if is_path
            && !["crate", "super", "self", "Self"].contains(&first)
            && !foreign::STANDARD.contains(&first)
        {
            return self.path_fault(text);
        }
        let is_file =
            [".rs", ".md", ".kif", ".py"].iter().any(|end| text.ends_with(end)) && self.is_file(text);
        is_file.then(|| self.file_fault(document, printed)).flatten()
    }

    /// All that is wrong in a document.
    fn faults(&self, document: &Document) -> Vec<String> {
        self.faults_by(document, |printed| self.fault(document, printed))
    }

    fn faults_by(&self, document: &Document, fault: impl Fn(&Printed) -> Option<String>) -> Vec<String> {
        let place = |printed: &Printed| format!("{}:{}: `{}`", document.path, printed.line, printed.text);
        let found = document.printed.iter().filter_map(|printed| Some((printed, fault(printed)?)));
        found.map(|(printed, fault)| format!("{}: {fault}", place(printed))).collect()
    }
}

#[test]
fn every_code_name_in_the_documents_is_a_name_of_the_code() {
    let names = &*NAMES;
    let documents: Vec<Document> =
        documents::documents().iter().map(|path| documents::document(path)).collect();
    let printed: usize = documents.iter().map(|document| document.printed.len()).sum();
    assert!(documents.len() > 20 && printed > 3000, "{} documents, {printed} names", documents.len());
    let faults: Vec<String> = documents.iter().flat_map(|document| names.faults(document)).collect();
    assert!(faults.is_empty(), "{} names:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn every_path_and_file_in_the_documentation_of_the_source_is_there() {
    let names = &*NAMES;
    let (mut printed, mut faults) = (0, Vec::new());
    for file in names.files.iter().filter(|file| file.starts_with("src/") && file.ends_with(".rs")) {
        let document = documents::comments(file, &text_of(file));
        printed += document.printed.len();
        faults.extend(names.faults_by(&document, |printed| names.comment_fault(&document, printed)));
    }
    assert!(printed > 2000, "{printed} names");
    assert!(faults.is_empty(), "{} names:\n{}", faults.len(), faults.join("\n"));
    let text =
        "//! As `Budget::no_such_method` and `no_such.rs` do.\n/// Not `judge.rs`\nfn f() {} // `A::b`\n";
    let document = documents::comments("src/think/solve/mod.rs", text);
    let faults = names.faults_by(&document, |printed| names.comment_fault(&document, printed));
    assert_eq!(faults.len(), 2, "{faults:?}");
}

/// A word that needs no exception any more is no exception.
#[test]
fn every_foreign_word_is_printed_and_not_a_name_of_the_code() {
    let names = Names { foreign: &[], ..Names::read() };
    let documents = documents::documents();
    let faults: Vec<String> =
        documents.iter().flat_map(|path| names.faults(&documents::document(path))).collect();
    for word in foreign::WORDS {
        assert!(faults.iter().any(|fault| fault.contains(word)), "'{word}' is no exception");
    }
}

#[test]
fn a_wrong_name_is_noticed_and_a_right_one_is_not() {
    let names = &*NAMES;
    let right = [
        "`belief::forward::population::PopulationBuilder::add` and `StateMachine::percepts(state, joint)`",
        "`machine::budget::Budget`, `machine::Budget`, `hyperplay_logic::gdl::Game`, `UpdateOutcome::Depleted`",
        "`hyperplay::cli::run_with(&registry)`, `think::solve::RegretRule::PORTFOLIO`, `Decision::policy`",
        "`src/think/solve/judge.rs`, `src/think/solve` (`judge.rs`, `tree/builder.rs`), `games/imperfect/kuhn_poker.kif`",
        "`--seed 3`, `hyperplay solve GAME --unit 25 -j 1`, `experiment run --out DIR`, `man experiment run`",
        "`hyperplay:particles=4,sampler=[rejection:states=3]`, `enumerate=off`, `alice=policy:leduc.json`",
        "`StateMachine`, `Depleted`, `information_sets`, `no-legal-move`, `.roles[].value`, `matches.K-of-N.jsonl`",
        "`cargo bench --bench trees -- x 1`, `cargo test --release --test library layers::`, `(<= head no_word)`",
        "```sh\nhyperplay match kuhn_poker \\\n  alice=random --matches 3 | head\n```",
    ];
    for text in right {
        assert_eq!(names.faults(&documents::of("x.md", &format!("\n{text}\n"))), Vec::<String>::new());
    }
    let wrong = [
        "`belief::forward::Growing::add`",
        "`Growing::add`",
        "`machine::Budgets`",
        "`Budget::no_such_method`",
        "`UpdateOutcome::Deplete`",
        "`StateMachine::percepts(state, roles)`",
        "`referee::match_seed(index, seed)`",
        "`src/think/solve/judges.rs`",
        "`think::solve::builder`",
        "`src/think/solve/judge.rs`, `src/think/solve` (`builder.rs`)",
        "`no_such_file.rs`",
        "`games/imperfect/no_such_game.kif`",
        "`--no-such-option`",
        "`hyperplay solv GAME`",
        "`hyperplay solve GAME --playclock 3`",
        "`solve --no-such-option`",
        "`man experiment runs`",
        "`hyperplay:no_such_key=3`",
        "`nobody:particles=3`",
        "`no_such_key=off`",
        "`alice=nobody:particles=4`",
        "`hyperplay:sampler=[rejection:no_such_key=3]`",
        "`enumerate=never`",
        "`hyperplay:search=deep`",
        "`hyperplay match kuhn_poker alice=hyperplay:search=deep`",
        "`experiment runs`",
        "`convert GAME --to no_such_form`",
        "`StateMachinery`",
        "`no_such_word`",
        "`roles[].no_such_key`",
        "`no-such-kind`",
        "`cargo bench --bench none`",
        "`cargo test --release --test library no_such_test_is_there`",
        "```sh\nhyperplay match kuhn_poker \\\n  --no-such-option 3\n```",
    ];
    for text in wrong {
        let faults = names.faults(&documents::of("x.md", &format!("\n{text}\n")));
        assert_eq!(faults.len(), 1, "{text}: {faults:?}");
    }
    let [place] = &names.faults(&documents::of("x.md", "# T\n\n`Budget`\nand `Budgets`\n"))[..] else {
        panic!()
    };
    assert_eq!(place, "x.md:4: `Budgets`: no type, trait or variant is called 'Budgets'");
}
