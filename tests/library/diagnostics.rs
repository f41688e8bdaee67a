//! The diagnosis of faulty rulesheets, compared with tables that were written beforehand by reading the rulesheets.
//!
//! There are three collections: `games/broken` (each file one slip, the table says exactly what is found), the faulty
//! rulesheets of the field (the table says what must at least be found; read where `HYPERPLAY_RULESHEETS` names a
//! folder with `gdl1`, `gdl2` and `faulty`), and the correct games, on which nothing is found. Rows that only play
//! can show are checked by the tests of the simulation.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::common::{field, games_of_the_field, games_of_the_house, loaded, rulesheets_in};
use hyperplay::gdl::{FindingCode, Loaded, Severity};

/// What is found, or is to be found: a code and a line.
type Place = (String, usize);

/// One file's rows of a table.
#[derive(Default)]
struct Expected {
    places: BTreeSet<Place>,
    /// The table says that there is neither an error nor a fault.
    clean: bool,
    /// Some row is met in play only.
    simulated: bool,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn table(path: &Path) -> BTreeMap<String, Expected> {
    let text = fs::read_to_string(path).expect("the table is there");
    let mut rows = text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    assert_eq!(rows.next(), Some("file\tcode\tline\tsimulate"), "{}", path.display());
    let mut files: BTreeMap<String, Expected> = BTreeMap::new();
    for row in rows {
        let columns: Vec<&str> = row.split('\t').collect();
        let [file, code, line, rest @ ..] = &columns[..] else { panic!("{row}") };
        let expected = files.entry((*file).to_owned()).or_default();
        match *code {
            "none" => expected.clean = true,
            _ if rest == ["yes"] => expected.simulated = true,
            _ => {
                assert!(FindingCode::ALL.iter().any(|known| known.as_str() == *code), "no such code: {code}");
                expected.places.insert(((*code).to_owned(), line.parse().expect("a line number")));
            }
        }
    }
    files
}

/// The findings that are at least as bad as `least`.
fn found(loaded: &Loaded, least: Severity) -> BTreeSet<Place> {
    let findings = loaded.findings.iter().filter(|finding| finding.severity >= least);
    let line = |offset| loaded.rulesheet.source.line_column(offset).0;
    findings.map(|finding| (finding.code.to_string(), line(finding.span.start))).collect()
}

#[test]
fn each_broken_game_gets_exactly_its_diagnosis() {
    let folder = root().join("games/broken");
    let table = table(&folder.join("EXPECTED.tsv"));
    let mut wrong = Vec::new();
    for path in rulesheets_in(&folder) {
        let file = path.file_name().unwrap().to_str().unwrap();
        let Some(expected) = table.get(file) else {
            wrong.push(format!("{file}: no row of games/broken/EXPECTED.tsv names it"));
            continue;
        };
        let loaded = loaded(&path);
        let notes = found(&loaded, Severity::Note);
        let dialects = notes.iter().filter(|(code, _)| code == FindingCode::Dialect.as_str()).cloned();
        let found = &mut found(&loaded, Severity::Warning);
        found.extend(dialects);
        for (code, line) in expected.places.difference(found) {
            let is_note = notes.contains(&(code.clone(), *line));
            let why = if is_note {
                "is a note, which has no row: src/logic/gdl/validate/tests.rs tests it"
            } else {
                "is not found"
            };
            wrong.push(format!("{file}: {code} at line {line} {why}"));
        }
        for (code, line) in found.difference(&expected.places) {
            wrong.push(format!("{file}: {code} at line {line} is found and has no row"));
        }
        if expected.simulated && loaded.game.is_none() {
            wrong.push(format!("{file}: no game to simulate"));
        }
    }
    for file in table.keys().filter(|file| !folder.join(file).exists()) {
        wrong.push(format!("{file}: in the table, but not there"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_faulty_rulesheets_of_the_field_get_at_least_their_diagnosis() {
    let Some(folder) = field() else { return };
    let mut wrong = Vec::new();
    for (file, expected) in table(&root().join("tests/tables/faulty.tsv")) {
        let loaded = loaded(&folder.join("faulty").join(&file));
        let all = found(&loaded, Severity::Note);
        for place in expected.places.difference(&all) {
            wrong.push(format!("{file}: {place:?} is missing from {all:?}"));
        }
        if expected.clean && !found(&loaded, Severity::Fault).is_empty() {
            wrong.push(format!("{file}: clean, but found {all:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_is_found_in_the_correct_games() {
    for path in games_of_the_house() {
        let loaded = loaded(&path);
        assert!(loaded.game.is_some(), "{}", path.display());
        assert_eq!(found(&loaded, Severity::Warning), BTreeSet::new(), "{}", path.display());
    }
}

#[test]
fn every_built_in_game_has_an_init_clause() {
    for builtin in hyperplay::games::builtin::all() {
        let findings = hyperplay::games::load(builtin.source(), None).findings;
        let found = findings.iter().find(|finding| finding.code == FindingCode::NoInit);
        assert!(found.is_none(), "{}: {found:?}", builtin.path);
    }
}

#[test]
fn the_rulesheets_of_the_field_are_games() {
    for path in games_of_the_field().unwrap_or_default() {
        let loaded = loaded(&path);
        assert!(loaded.game.is_some(), "{}: {:?}", path.display(), found(&loaded, Severity::Error));
    }
}

#[test]
fn every_finding_is_documented() {
    let text = fs::read_to_string(root().join("docs/findings.md")).unwrap();
    for name in FindingCode::ALL {
        assert!(text.contains(&format!("### `{name}`")), "docs/findings.md has no entry `{name}`");
    }
}
