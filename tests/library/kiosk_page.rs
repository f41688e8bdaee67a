//! The page of the browser table as text: what its safety rests on, before a browser reads it.
//!
//! Rules, names and moves come from strangers. The page therefore hands no string to a parser of HTML or of JavaScript,
//! loads nothing from elsewhere, and has neither scripts nor styles within its HTML, which the content security policy would
//! refuse. `tests/browser/kiosk.py` sees how it behaves.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The longest module, in lines.
const LONGEST: usize = 400;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/kiosk/page")
}

/// The files of the page: name and text.
fn files() -> Vec<(String, String)> {
    let entries = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap());
    let files = entries.filter(|entry| entry.path().extension().is_none_or(|extension| extension != "rs"));
    let read = files
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read_to_string(entry.path()).unwrap()));
    read.collect()
}

/// The files that a text names as `./NAME` or `/page/NAME`.
fn named(text: &str) -> BTreeSet<String> {
    let after = ["'./", "\"/page/"].map(|start| text.split(start).skip(1));
    let ends = |part: &str| part.find(['\'', '"']).map(|end| part[..end].to_owned());
    after.into_iter().flatten().filter_map(ends).collect()
}

#[test]
fn no_string_becomes_markup_or_a_program() {
    let forbidden = [
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "DOMParser",
        "createContextualFragment",
        "srcdoc",
        "eval(",
        "new Function",
        "import(",
        "javascript:",
        "setAttribute('style'",
        "style:",
        "cssText",
    ];
    for (name, text) in files().iter().filter(|(name, _)| name.ends_with(".js")) {
        for word in forbidden {
            assert!(!text.contains(word), "{name} has {word}");
        }
    }
    let page = fs::read_to_string(folder().join("index.html")).unwrap();
    for word in ["<style", " style=", " onclick", " onload", "<script>"] {
        assert!(!page.contains(word), "index.html has {word}");
    }
    assert_eq!(page.matches("<script").count(), 1);
}

#[test]
fn nothing_is_loaded_from_elsewhere() {
    for (name, text) in files() {
        let addresses = text.replace("http://www.w3.org/2000/svg", "");
        for word in ["http:", "https:", "url(", "@import", "//cdn"] {
            assert!(!addresses.contains(word), "{name} has {word}");
        }
    }
}

#[test]
fn every_file_is_reached_from_the_page_and_says_what_it_is() {
    let files = files();
    let mut reached = BTreeSet::from(["index.html".to_owned()]);
    loop {
        let texts = files.iter().filter(|(name, _)| reached.contains(name));
        let more: BTreeSet<String> = texts.flat_map(|(_, text)| named(text)).collect();
        let known = reached.len();
        reached.extend(more);
        if reached.len() == known {
            break;
        }
    }
    let names: BTreeSet<String> = files.iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(reached, names);
    for (name, text) in &files {
        assert!(text.lines().count() < LONGEST, "{name} is long");
        let start = match name.rsplit('.').next() {
            Some("js") => "// ",
            Some("css") => "/* ",
            Some("html") => "<!DOCTYPE html>\n<!-- ",
            _ => "<svg ",
        };
        assert!(text.starts_with(start), "{name} does not say what it is");
    }
}

#[test]
fn every_file_has_a_type() {
    let served = fs::read_to_string(folder().with_extension("rs")).unwrap();
    for (name, _) in files() {
        let ending = name.rsplit('.').next().unwrap();
        assert!(served.contains(&format!("\"{ending}\" =>")), "src/kiosk/page.rs knows no type of {name}");
    }
}
