//! `hyperplay bench`: measures how much each engine does in a second of processor time.
//!
//! The engines are measured one after the other; with several threads each of these measures by itself at the same
//! time, and the figures are means over the threads.

use std::time::Duration;

use clap::Args;
use serde_json::{Value, json};

use super::failure::{CommandFailure, CommandResult, go_on, refuse_if};
use super::game_argument::GameArgument;
use super::network;
use super::options::{engines, no_engine, pick_seed, seconds, seed};
use super::progress::Progress;
use super::session::Session;
use hyperplay_engine::lanes::LaneUsage;
use hyperplay_engine::{Engine, EngineCosts, EngineError, EngineKind, Engines};
use hyperplay_lab::study::speed::{Measure, Speed};
use hyperplay_machine::{Evaluated, Seed};
use hyperplay_play::referee::{Interrupt, Stopwatch};
use hyperplay_report::Table;

/// Arguments of `bench`.
#[derive(Args, Debug)]
pub struct BenchArguments {
    #[command(flatten)]
    game: GameArgument,
    /// Seconds for each of the five kinds of work, on each engine
    #[arg(long, value_name = "S", default_value = "1", value_parser = seconds, allow_negative_numbers = true)]
    seconds: Duration,
    /// How many threads measure at the same time
    #[arg(long, short = 'j', value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Determines what is played [default: drawn and printed]
    #[arg(long, value_name = "SEED", value_parser = seed, allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Measure this engine only (repeat for several) [default: all that the game allows]
    #[arg(long = "engine", value_parser = engines(), value_name = "ENGINE")]
    engines: Vec<EngineKind>,
    /// Report in JSON (keys: docs/json.md)
    #[arg(long)]
    json: bool,
}

/// The report about one engine.
struct Measured {
    kind: EngineKind,
    /// The time it took to make, without the network that it shares with others.
    compile: Duration,
    speed: Speed,
}

/// Runs the command.
///
/// # Errors
/// See [`CommandFailure`].
pub fn run(arguments: &BenchArguments, session: &Session) -> CommandResult {
    let Session { interrupt, out, .. } = session;
    refuse_if(
        arguments.threads == 0 || arguments.seconds.is_zero(),
        "without time or threads there is nothing to measure",
        "give --seconds 0.1 or more, and --threads 1 or more",
    )?;
    let opened = arguments.game.open()?;
    let engines = Engines::new(&opened.game);
    let seed = pick_seed(arguments.seed);
    let watch = Stopwatch::start();
    let network = engines.network();
    let grounding = watch.elapsed();
    let known = EngineKind::ALL.into_iter().filter(|kind| *kind != EngineKind::Auto);
    let kinds = if arguments.engines.is_empty() { known.collect() } else { arguments.engines.clone() };
    let progress = Progress::new(kinds.len(), "engines", false);
    let mut all = Vec::new();
    for kind in kinds {
        let watch = Stopwatch::start();
        let engine = match kind {
            // Only the circuit leaves percepts out if nobody asks for them; a match needs them.
            EngineKind::Lanes if opened.game.is_imperfect() => engines
                .perceiving_lanes()
                .map(|lanes| Engine::Network(lanes).into())
                .map_err(EngineError::from),
            kind => engines.get(kind),
        };
        let engine = match engine {
            Ok(engine) => engine,
            Err(EngineError::TooLarge(_)) if arguments.engines.is_empty() => continue,
            Err(error) => return Err(no_engine(&opened.name, &error)),
        };
        engine.prepare();
        let compile = watch.elapsed();
        let speed = measure(&engine, arguments, &Seed::root(seed).child("bench"), interrupt);
        let speed = speed.map_err(|failure| {
            CommandFailure::failed(format!("{}: {failure}", opened.name), "`hyperplay check` may say where")
        })?;
        all.push(Measured { kind: engine.kind(), compile, speed });
        progress.tick();
        if interrupt.is_raised() {
            break;
        }
    }
    progress.finish();
    if arguments.json {
        let mut document = json!({
            "game": opened.name,
            "rules": opened.hash(),
            "seed": seed,
            "processor": processor(),
            "threads": arguments.threads,
            "seconds": arguments.seconds.as_secs_f64(),
        });
        network::put_into(&mut document, network, Some(grounding.as_secs_f64()));
        document["engines"] = all.iter().map(|one| (one.kind.to_string(), one.as_json())).collect();
        document["auto"] = chosen(&engines);
        out.json(&document)?;
    } else {
        out.line(format_args!("{}, on {}, seed {seed}", opened.name, processor()))?;
        out.line(format_args!("network: {}", network::sentence(network)))?;
        out.line(format_args!("grounded and simplified in {:.1} ms", 1e3 * grounding.as_secs_f64()))?;
        let (playouts, steps) = engines.chosen();
        out.line(format_args!("auto makes playouts by the {playouts} and single steps by the {steps}"))?;
        out.line("in a second of processor time of one thread:")?;
        out.text(&table(&all).shown().as_text())?;
    }
    go_on(interrupt)
}

/// The choice of `auto`, and its grounds.
fn chosen(engines: &Engines) -> Value {
    let (playouts, steps) = engines.chosen();
    let nanoseconds = engines.costs().ok().map(|EngineCosts { interpreter, single, lanes }| {
        // An engine that surely is slower has not been estimated.
        let interpreter = interpreter.is_finite().then_some(interpreter);
        json!({ "interpreter": interpreter, "propagator": single, "lanes": lanes })
    });
    let work = engines.interpreter().ok().map(|interpreter| interpreter.step_work);
    json!({
        "playouts": playouts,
        "single_steps": steps,
        "estimated_nanoseconds": nanoseconds,
        "interpreted_step": work,
    })
}

/// Measures an engine on the given number of threads at once.
fn measure(
    engine: &Engine,
    arguments: &BenchArguments,
    seed: &Seed,
    interrupt: &Interrupt,
) -> Evaluated<Speed> {
    let one = |thread: usize| {
        let (time, seed) = (arguments.seconds, seed.child("thread").index(thread));
        Measure { time, seed, stop: &|| interrupt.is_raised() }.of(engine)
    };
    let mut speed = Speed::default();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..arguments.threads).map(|thread| scope.spawn(move || one(thread))).collect();
        for thread in threads {
            speed.join(&thread.join().expect("measuring does not panic")?);
        }
        Ok(speed)
    })
}

impl Measured {
    fn as_json(&self) -> Value {
        let Speed { playouts, goals, lanes, .. } = &self.speed;
        let mean = |sum: &u64| (playouts.count > 0).then(|| *sum as f64 / playouts.count as f64);
        let (mut report, rates) = (json!({}), self.speed.rates());
        rates.iter().for_each(|(_, name, rate)| report[*name] = rate.per_second().into());
        report["lanes_at_work"] = lanes.map(share).into();
        rates.iter().for_each(|(work, _, rate)| report[*work] = rate.count.into());
        report["mean_goals"] = goals.iter().map(mean).collect();
        report["compile_seconds"] = self.compile.as_secs_f64().into();
        report
    }
}

/// The share of the lanes that worked.
fn share(usage: LaneUsage) -> f64 {
    usage.steps as f64 / usage.places.max(1) as f64
}

/// The table for reading: rates in a second.
fn table(all: &[Measured]) -> Table {
    let row = |Measured { kind, compile, speed }: &Measured| {
        let rates = speed.rates().map(|(_, _, rate)| Value::from(number(rate.per_second())));
        let [playouts, steps, expansions, singles, children, comparisons] = rates;
        let lanes = speed.lanes.map(|usage| format!("{:.0} %", 100.0 * share(usage))).into();
        let compiled = format!("{:.1} ms", 1e3 * compile.as_secs_f64()).into();
        [kind.as_str().into(), playouts, steps, expansions, singles, children, comparisons, lanes, compiled]
    };
    let [playouts, steps, expansions, singles] = ["playouts", "steps", "expansions", "single steps"];
    let [children, comparisons, lanes, compiled] =
        ["children", "comparisons", "lanes at work", "compiled in"];
    let columns =
        ["engine: text", playouts, steps, expansions, singles, children, comparisons, lanes, compiled];
    Table::plain(columns, all.iter().map(row))
}

/// A rate with three significant digits.
fn number(rate: f64) -> String {
    match rate {
        1e6.. => format!("{:.2} M", rate / 1e6),
        1e4.. => format!("{:.1} k", rate / 1e3),
        _ => format!("{rate:.1}"),
    }
}

/// The name of the processor, where the system tells it.
fn processor() -> String {
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = information.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}
