//! Generations: a player that learns from its own matches, again and again, as described by a file.
//!
//! ```text
//! generation 1, 2, ...   play: the incumbent against itself and past versions --export--> features
//!                        learn: a command of the user --> learnt.json, which makes the candidate
//!                        gate: candidate against incumbent, by a sequential test; the winner is the next incumbent
//! ```
//!
//! Version 0 is the player that the file names first, and version g is the candidate of generation g. The two experiments of
//! a generation are files of experiments like any other, which follow from the file of the generations and from the
//! versions that won before. So a loop has no state of its own besides what its stages leave in its folder.

use rand::RngExt as _;
use rand::seq::SliceRandom as _;
use serde::Deserialize;
use toml::{Spanned, Table, Value};

use super::config::{ConfigError, ConfigResult, SCHEMA as EXPERIMENT, check_schema, parsed, place};
use super::sequential_test::SequentialTest;
use hyperplay_machine::Seed;

/// The name of this form of files.
const SCHEMA: &str = "hyperplay.generations/1";

/// The keys of the experiments that the loop writes.
const OWN: [&str; 7] = ["schema", "name", "seed", "repetitions", "schedule", "stop", "player"];

/// The place of the learnt file in the spec of the player.
const LEARNT: &str = "{learnt}";

/// What a loop of generations does.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generations {
    schema: Spanned<String>,
    seed: u64,
    /// The number of generations.
    pub generations: usize,
    /// The spec of version 0.
    first: Spanned<String>,
    /// The spec of all others, in which [`LEARNT`] stands for the path of the learnt file.
    player: Spanned<String>,
    /// The command that learns, and its arguments. It is also given the folder of the matches and the path of its result.
    pub learn: Vec<String>,
    /// Deals of self-play of each pairing.
    deals: u64,
    /// Past versions that the incumbent meets beside itself, drawn at random.
    #[serde(default)]
    opponents: usize,
    gate: Gate,
    /// The keys of an experiment that all stages have: the game, the budget.
    experiment: Spanned<Table>,
    /// All but the number of generations, in one spelling: a folder belongs to one such loop.
    #[serde(skip)]
    pub identity: String,
    /// Line and column of the experiment, and of the specs of version 0 and of the others.
    #[serde(skip)]
    pub places: [(usize, usize); 3],
}

/// When a candidate takes the place of the incumbent.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Gate {
    sprt: SequentialTest,
    /// The most deals.
    deals: u64,
}

impl Generations {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// The first thing that is wrong, with its place.
    pub fn read(text: &str) -> ConfigResult<Generations> {
        let mut read: Generations = parsed(text)?;
        check_schema(text, &read.schema, SCHEMA)?;
        if !read.player.get_ref().contains(LEARNT) {
            let what = format!("the spec needs {LEARNT} where it names the learnt file");
            return Err(ConfigError::at(place(text, &read.player.span()), what));
        }
        let mut all: Table = toml::from_str(text).expect("it was read");
        all.remove("generations");
        read.identity = all.to_string();
        let spans = [read.experiment.span(), read.first.span(), read.player.span()];
        read.places = spans.map(|span| place(text, &span));
        let own = OWN.iter().find(|key| read.experiment.get_ref().contains_key(**key));
        let games = read.experiment.get_ref().get("games").and_then(Value::as_array);
        let what = match (own, games.map(Vec::as_slice)) {
            (Some(key), _) => format!("[experiment] has '{key}', which follows from the loop"),
            (_, None | Some([] | [_, _, ..])) => "[experiment] needs one game: games = [\"NAME\"]".to_owned(),
            _ if read.learn.is_empty() => {
                "'learn' needs a command, as in [\"python3\", \"learn.py\"]".to_owned()
            }
            _ if read.generations == 0 || read.deals == 0 || read.gate.deals == 0 => {
                "'generations' and both 'deals' are 1 or more".to_owned()
            }
            _ if read.gate.sprt.checked().is_none() => {
                "the sprt needs h0 < h1 in goal points, and alpha and beta between 0 and 0.5".to_owned()
            }
            _ => return Ok(read),
        };
        Err(ConfigError::new(what))
    }

    /// The specs of version 0 and of the others.
    pub fn specs(&self) -> [&str; 2] {
        [self.first.get_ref(), self.player.get_ref()]
    }

    /// The experiment in which the incumbent of a generation, which is the last of the `versions` that won so far, plays
    /// itself and past ones.
    pub fn play(&self, generation: usize, versions: &[usize]) -> String {
        let mut past = versions.to_vec();
        let incumbent = past.pop().expect("version 0 has won");
        past.shuffle(&mut self.stage(generation, "past").rng());
        past.truncate(self.opponents);
        past.insert(0, incumbent);
        let pairings = past.iter().map(|&other| [incumbent, other]);
        self.experiment(generation, "play", self.deals, &past, pairings.collect())
    }

    /// The experiment in which the candidate of a generation meets the incumbent.
    pub fn gate(&self, generation: usize, incumbent: usize) -> String {
        let deals = self.gate.deals;
        let met = [generation, incumbent];
        self.experiment(generation, "gate", deals, &met, vec![met])
    }

    fn stage(&self, generation: usize, stage: &str) -> Seed {
        Seed::root(self.seed).index(generation).child(stage)
    }

    /// The text of an experiment in which these versions meet.
    fn experiment(
        &self,
        generation: usize,
        stage: &str,
        deals: u64,
        versions: &[usize],
        pairings: Vec<[usize; 2]>,
    ) -> String {
        let label = |version: usize| Value::from(format!("g{version}"));
        let player = |&version: &usize| {
            let learnt = format!("../{version}/learnt.json");
            let spec = match version {
                0 => self.first.get_ref().clone(),
                _ => self.player.get_ref().replace(LEARNT, &learnt),
            };
            Table::from_iter([("name".to_owned(), label(version)), ("spec".to_owned(), spec.into())]).into()
        };
        let pairings: Vec<Value> = pairings.into_iter().map(|met| met.map(label).to_vec().into()).collect();
        let schedule = [("kind".to_owned(), "pairings".into()), ("pairings".to_owned(), pairings.into())];
        let seed = self.stage(generation, stage).rng().random_range(0..i64::MAX);
        let mut all = self.experiment.get_ref().clone();
        let own: [(&str, Value); 6] = [
            ("schema", EXPERIMENT.into()),
            ("name", format!("generation {generation}, {stage}").into()),
            ("seed", seed.into()),
            ("repetitions", deals.cast_signed().into()),
            ("schedule", Table::from_iter(schedule).into()),
            ("player", versions.iter().map(player).collect::<Vec<Value>>().into()),
        ];
        all.extend(own.map(|(key, value)| (key.to_owned(), value)));
        if stage == "gate" {
            let test = Value::try_from(self.gate.sprt).expect("a test is four numbers");
            all.insert("stop".to_owned(), Table::from_iter([("sprt".to_owned(), test)]).into());
        }
        all.to_string()
    }

    /// The game, as it is written.
    pub fn game(&self) -> Option<&str> {
        self.experiment.get_ref().get("games")?.get(0)?.as_str()
    }

    /// The same with another game.
    #[must_use]
    pub fn with_game(mut self, game: String) -> Generations {
        self.experiment.get_mut().insert("games".to_owned(), Value::from(vec![Value::from(game)]));
        self
    }
}
