//! The commands of the program with their options, and the players, samplers, searches and opponent models with their keys,
//! as the program itself says them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::common::program::{json, stdout};

/// What can be typed.
pub struct Commands {
    /// By command (`experiment run`): its options, `--seed` and `-n`.
    options: BTreeMap<String, BTreeSet<String>>,
    /// By the name of a player, sampler, search or model: the keys of its spec, and in words the values of each. A name may
    /// stand for several of them.
    specs: BTreeMap<String, BTreeSet<(String, String)>>,
}

/// The options that a help text describes.
fn options_of(help: &str) -> BTreeSet<String> {
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with('-'));
    let heads = lines.flat_map(|line| line.split_whitespace().take_while(|word| word.starts_with('-')));
    let words = heads.flat_map(|word| word.split([',', '=', '[']).map(str::to_owned));
    words.filter(|word| word.len() > 1).collect()
}

impl Commands {
    /// Asks the program.
    pub fn read() -> Commands {
        let pages = stdout("man --list", 0);
        let names = pages.lines().map(|page| page.split_whitespace().collect::<Vec<_>>().join(" "));
        let mut options = BTreeMap::new();
        for name in names.filter(|name| !name.is_empty()) {
            options.insert(name.clone(), options_of(&stdout(&format!("{name} --help"), 0)));
        }
        let mut specs: BTreeMap<String, BTreeSet<(String, String)>> = BTreeMap::new();
        for kind in ["players", "samplers", "searches", "models"] {
            for entry in json(&format!("players {kind}"), 0)[kind].as_array().unwrap() {
                let keys = entry["keys"].as_array().unwrap().iter();
                let text = |value: &Value| value.as_str().unwrap().to_owned();
                let keys = keys.map(|key| (text(&key["name"]), text(&key["values"])));
                specs.entry(entry["name"].as_str().unwrap().to_owned()).or_default().extend(keys);
            }
        }
        Commands { options, specs }
    }

    /// Whether this word begins a command.
    pub fn has_command(&self, word: &str) -> bool {
        self.options.keys().any(|name| name.split(' ').next() == Some(word)) || word == "help"
    }

    /// Whether this is the name of a spec or one of its keys.
    pub fn has_spec_word(&self, word: &str) -> bool {
        self.specs.iter().any(|(name, keys)| name == word || keys.iter().any(|(key, _)| key == word))
    }

    /// Whether some command has this option.
    pub fn has_option(&self, option: &str) -> bool {
        self.options.values().any(|options| options.contains(option))
    }

    /// What is wrong with the words of a command line: its command, then its options.
    pub fn fault(&self, words: &[&str]) -> Option<String> {
        let (&first, rest) = words.split_first()?;
        if ["help", "man"].contains(&first) {
            let pages = rest.iter().take_while(|word| !word.starts_with(['-', '[', '|'])).copied();
            let page = pages.collect::<Vec<_>>().join(" ");
            if !page.is_empty() && !self.options.contains_key(&page) {
                return Some(format!("there is no command '{page}'"));
            }
            return rest.iter().find_map(|word| self.unknown_option(Some("man"), word));
        }
        if first.starts_with(['-', '[', '<']) {
            return rest.iter().chain([&first]).find_map(|word| self.unknown_option(None, word));
        }
        let inner = rest.first().map(|second| format!("{first} {second}"));
        let name = inner.filter(|name| self.options.contains_key(name)).unwrap_or_else(|| first.to_owned());
        let has_inner = self.options.keys().any(|known| known.starts_with(&format!("{name} ")));
        let is_missing = |word: &&&str| word.starts_with(|letter: char| letter.is_ascii_lowercase());
        if let Some(inner) = rest.first().filter(is_missing)
            && has_inner
        {
            return Some(format!("'{name}' has no command '{inner}'"));
        }
        if !self.options.contains_key(&name) {
            return Some(format!("there is no command '{name}'"));
        }
        rest.iter().find_map(|word| self.unknown_option(Some(&name), word))
    }

    fn unknown_option(&self, command: Option<&str>, word: &str) -> Option<String> {
        let option = word.trim_start_matches('[').split(['=', ']', ',']).next().unwrap_or(word);
        let is_option =
            option.strip_prefix('-').is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic()))
                || option.strip_prefix("--").is_some_and(|rest| !rest.is_empty());
        let is_known = match command {
            Some(command) => self.options[command].contains(option),
            None => self.has_option(option),
        };
        (is_option && !is_known).then(|| match command {
            Some(command) => format!("'{command}' has no option '{option}'"),
            None => format!("no command has an option '{option}'"),
        })
    }

    /// What is wrong with a spec, `name:key=value,...`, or with keys and values alone.
    pub fn spec_fault(&self, spec: &str) -> Option<String> {
        let (name, pairs) = match spec.split_once([':', '=']) {
            Some((name, pairs)) if spec[name.len()..].starts_with(':') => (Some(name), pairs),
            Some(_) => (None, spec),
            None => (Some(spec), ""),
        };
        let keys: Vec<&(String, String)> = match name {
            Some(name) if !self.specs.contains_key(name) => {
                return Some(format!("there is no player, sampler, search or model '{name}'"));
            }
            Some(name) => self.specs[name].iter().collect(),
            None => self.specs.values().flatten().collect(),
        };
        top_level(pairs).into_iter().find_map(|pair| {
            // A word without a value stands for any key.
            let (key, value) = pair.split_once('=')?;
            let own: Vec<&String> =
                keys.iter().filter(|(own, _)| own == key).map(|(_, values)| values).collect();
            if own.is_empty() {
                return Some(format!("{} has no key '{key}'", name.unwrap_or("no spec")));
            }
            if let Some(inner) = value.strip_prefix('[') {
                return self.spec_fault(inner.strip_suffix(']').unwrap_or(inner));
            }
            let is_right = own.iter().any(|values| admits(values, value));
            (!is_right).then(|| format!("'{value}' is no value of '{key}'"))
        })
    }
}

/// Whether a key takes a word, by the text that says what it takes: `on or off`, `uniform or file:PATH`, `a whole number`.
fn admits(values: &str, value: &str) -> bool {
    let word = value.split(':').next().unwrap_or(value);
    let is_word = word.chars().all(|letter| letter.is_ascii_lowercase() || "_-".contains(letter));
    let mut alternatives = values.split(" or ").map(|one| one.split(':').next().unwrap_or(one));
    !is_word || values.split(" or ").any(|one| one.contains(' ')) || alternatives.any(|one| one == word)
}

/// The parts between commas that stand in no brackets.
fn top_level(text: &str) -> Vec<&str> {
    let (mut depth, mut begin, mut parts) = (0, 0, Vec::new());
    for (at, letter) in text.char_indices() {
        match letter {
            '[' => depth += 1,
            ']' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[begin..]);
    parts
}
