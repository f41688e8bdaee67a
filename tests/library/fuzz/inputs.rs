//! The inputs of a target: files of the project whose bytes and words are deleted, doubled, exchanged, replaced, nested and spliced, and
//! inputs of nothing but words of its dictionary.

use std::fs;
use std::path::Path;

use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::common::{field, rulesheets_in};
use crate::fuzz_targets::Target;

/// Longer files are cut to this length, so that many inputs can be tried.
const LENGTH: usize = 3000;

/// What the inputs of a target are made from.
pub struct Inputs {
    seeds: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
}

/// The words of a dictionary in the form of libFuzzer: one a line, between quotation marks, with `\\`, `\"` and `\xHH`.
pub fn dictionary(name: &str) -> Vec<Vec<u8>> {
    let text = fs::read_to_string(super::folder().join("dictionaries").join(name).with_extension("dict"));
    let word = |line: &str| {
        let inside =
            line.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).expect("a word is quoted");
        let (mut bytes, mut rest) = (Vec::new(), inside.as_bytes());
        while let [first, behind @ ..] = rest {
            let (byte, behind) = match (first, behind) {
                (b'\\', [b'x', high, low, behind @ ..]) => {
                    let digits = [*high, *low].map(char::from).iter().collect::<String>();
                    (u8::from_str_radix(&digits, 16).expect("two digits follow"), behind)
                }
                (b'\\', [second, behind @ ..]) => (*second, behind),
                _ => (*first, behind),
            };
            bytes.push(byte);
            rest = behind;
        }
        bytes
    };
    text.unwrap().lines().map(word).collect()
}

/// The files of a folder whose names end so.
fn files(folder: &Path, ending: &str) -> Vec<Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.is_file() && path.to_string_lossy().ends_with(ending));
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

impl Inputs {
    /// The seeds of a target are its files, and rulesheets of the field where the environment names their folder.
    pub fn of(target: &Target) -> Inputs {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let mut seeds: Vec<_> =
            target.seeds.iter().flat_map(|folder| files(&root.join(folder), target.ending)).collect();
        if target.dictionary == "rules"
            && let Some(field) = field()
        {
            let paths = ["gdl1", "gdl2"].iter().flat_map(|part| rulesheets_in(&field.join(part)));
            let own = paths.filter(|path| path.to_string_lossy().ends_with(target.ending));
            seeds.extend(own.map(|path| fs::read(path).unwrap()));
        }
        Inputs { seeds, words: dictionary(target.dictionary) }
    }

    pub fn seeds(&self) -> &[Vec<u8>] {
        &self.seeds
    }

    /// The input of a number.
    pub fn input(&self, seed: u64, number: u64) -> Vec<u8> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(number);
        let rng = &mut rng;
        if rng.random_bool(0.1) {
            let blanks: [&[u8]; 3] = [b" ", b"", b"\n"];
            let word = |rng: &mut ChaCha8Rng| [self.word(rng), *blanks.choose(rng).unwrap()].concat();
            return (0..rng.random_range(0..200)).flat_map(|_| word(rng)).collect();
        }
        let mut input = window(self.seed(rng), rng).to_vec();
        for _ in 0..rng.random_range(1..4) {
            input = self.changed(&input, rng);
        }
        input
    }

    fn word(&self, rng: &mut ChaCha8Rng) -> &[u8] {
        self.words.choose(rng).expect("a dictionary has words")
    }

    fn seed(&self, rng: &mut ChaCha8Rng) -> &[u8] {
        self.seeds.choose(rng).expect("a target has seeds")
    }

    /// One random change.
    fn changed(&self, input: &[u8], rng: &mut ChaCha8Rng) -> Vec<u8> {
        let (one, other) = (rng.random_range(0..=input.len()), rng.random_range(0..=input.len()));
        let (from, to) = (one.min(other), one.max(other));
        let near = from + (to - from) % 9;
        let (before, behind) = (&input[..from], &input[from..]);
        match rng.random_range(0..18) {
            0 => [before, &input[near..]].concat(),
            1 => [&input[..near], &input[from..]].concat(),
            2 => [before, self.word(rng), behind].concat(),
            3 => [before, b" ", self.word(rng), b" ", behind].concat(),
            4 => input[..to].to_vec(),
            5 => behind.to_vec(),
            6 => [before, &[rng.random::<u8>()], &input[near.max(from)..]].concat(),
            7 => {
                let odd = char::from_u32(rng.random_range(0..0x11_0000)).unwrap_or('\u{85}');
                [before, odd.to_string().as_bytes(), behind].concat()
            }
            8 => [before, window(self.seed(rng), rng), &input[to..]].concat(),
            9 => {
                let pairs: [[&[u8]; 2]; 6] = [
                    [b"(", b")"],
                    [b"(f ", b")"],
                    [b"f(", b")"],
                    [b"~", b""],
                    [b"(not ", b")"],
                    [b"[", b"]"],
                ];
                let ([open, close], depth) = (*pairs.choose(rng).unwrap(), rng.random_range(1..400));
                [before, &open.repeat(depth), b"x", &close.repeat(depth), behind].concat()
            }
            10 => with_tokens(input, |tokens| {
                let (a, b) = two_of(tokens, rng);
                tokens.swap(a, b);
            }),
            11 => with_tokens(input, |tokens| {
                tokens.remove(two_of(tokens, rng).0);
            }),
            12 => with_tokens(input, |tokens| {
                let (a, b) = two_of(tokens, rng);
                tokens.insert(a, tokens[b]);
            }),
            13 => with_tokens(input, |tokens| {
                let (a, _) = two_of(tokens, rng);
                tokens[a] = self.word(rng);
            }),
            // A number for a number leaves most files well formed.
            _ => with_tokens(input, |tokens| {
                let is_number = |at: &usize| tokens[*at].first().is_some_and(u8::is_ascii_digit);
                let numbers: Vec<usize> = (0..tokens.len()).filter(is_number).collect();
                if let (Some(&at), Some(&from)) = (numbers.choose(rng), numbers.choose(rng)) {
                    tokens[at] = tokens[from];
                }
            }),
        }
    }
}

/// At most `LENGTH` bytes of a file, mostly from its beginning.
fn window<'t>(file: &'t [u8], rng: &mut ChaCha8Rng) -> &'t [u8] {
    let last = file.len().saturating_sub(LENGTH);
    let start = if rng.random_bool(0.75) { 0 } else { rng.random_range(0..=last) };
    &file[start..file.len().min(start + LENGTH)]
}

/// The places of two tokens.
fn two_of(tokens: &[&[u8]], rng: &mut ChaCha8Rng) -> (usize, usize) {
    (rng.random_range(0..tokens.len()), rng.random_range(0..tokens.len()))
}

/// The input with its tokens changed: words with the blank behind them, and what separates them.
fn with_tokens<'t>(input: &'t [u8], change: impl FnOnce(&mut Vec<&'t [u8]>)) -> Vec<u8> {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"(),&~|{}[]\":".contains(byte);
    let mut tokens: Vec<&[u8]> = input.split_inclusive(is_end).collect();
    if !tokens.is_empty() {
        change(&mut tokens);
    }
    tokens.concat()
}
