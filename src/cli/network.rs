//! The network of a game in reports: the size of the ground rules, of each pass, and of each kind of output.

use serde_json::{Value, json};

use super::failure::CommandResult;
use super::output::Output;
use hyperplay_engine::Grounded;
use hyperplay_engine::propnet::{NetworkStats, Size, TooLarge};
use hyperplay_report::Table;

/// The name under which [`Grounded::passes`] has the network before the first pass.
const GROUND: &str = "ground";

/// The keys `network` and `grounding` of a report; instead of both the key `too_large` if there is no network.
pub fn put_into(document: &mut Value, network: Result<&Grounded, TooLarge>, seconds: Option<f64>) {
    let grounded = match network {
        Ok(grounded) => grounded,
        Err(why) => {
            document["too_large"] = json!({
                "why": why.to_string(),
                "what": why.what.to_string(),
                "needed": why.needed,
                "limit": why.limit,
            });
            return;
        }
    };
    document["grounding"] = json!(grounded.grounding);
    // Simplifying is all passes but the first.
    let of_passes: f64 =
        grounded.passes.iter().filter(|pass| pass.name != GROUND).map(|pass| pass.seconds).sum();
    if let Some(seconds) = seconds {
        document["grounding"]["seconds"] = (seconds - of_passes).max(0.0).into();
    }
    let stats = grounded.propnet.stats();
    let mut network = json!(stats.all);
    network["bits"] = stats.bits.into();
    network["moves"] = stats.moves.into();
    network["seconds"] = of_passes.into();
    network["parts"] = parts(&stats).into_iter().map(|(part, size)| (part, json!(size))).collect();
    network["passes"] = json!(grounded.passes);
    document["network"] = network;
}

/// One line about the network.
pub fn sentence(network: Result<&Grounded, TooLarge>) -> String {
    match network {
        Ok(grounded) => {
            let stats = grounded.propnet.stats();
            format!(
                "{} bits, {} moves, {} gates of two inputs, at most {} gates deep; from {} instances of rules",
                stats.bits, stats.moves, stats.all.two_inputs, stats.all.depth, grounded.grounding.instances
            )
        }
        Err(why) => format!("none: {why}"),
    }
}

/// The size of what decides each query.
fn parts(stats: &NetworkStats) -> [(&'static str, Size); 5] {
    let NetworkStats { legal, terminal, goals, percepts, next, .. } = *stats;
    [("legal", legal), ("terminal", terminal), ("goals", goals), ("percepts", percepts), ("next", next)]
}

/// The size of what decides each query, and the size after each pass.
///
/// # Errors
/// If standard output cannot be written to.
pub fn write(grounded: &Grounded, out: &Output) -> CommandResult {
    let stats = grounded.propnet.stats();
    let all = std::iter::once(("all", stats.all)).chain(parts(&stats));
    let columns = ["  decides: text", "gates", "wires", "two-input gates", "depth"];
    let row = |(part, size): (&str, Size)| {
        [
            format!("  {part}").into(),
            size.gates.into(),
            size.wires.into(),
            size.two_inputs.into(),
            size.depth.into(),
        ]
    };
    out.text(&Table::plain(columns, all.map(row)).shown().as_text())?;
    let columns = ["  pass: text", "bits", "gates", "wires", "two-input gates", "ms: 2"];
    let rows = grounded.passes.iter().map(|pass| {
        let name = format!("  {}", pass.name).into();
        let [bits, gates, wires, two] = [pass.bits, pass.gates, pass.wires, pass.two_inputs].map(Value::from);
        [name, bits, gates, wires, two, (pass.seconds * 1e3).into()]
    });
    out.text(&Table::plain(columns, rows).shown().as_text())
}
