//! The network of a game in reports: how large the ground rules are, what each pass left of them, what decides what.

use serde_json::{Value, json};

use super::failure::Failure;
use super::output::Output;
use hyperplay_engine::Grounded;
use hyperplay_engine::propnet::{GroundingStats, Size, TooLarge};

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
    let GroundingStats { fluents, moves, atoms, instances, visits, gates, bytes } = grounded.grounding;
    document["grounding"] = json!({
        "fluents": fluents,
        "moves": moves,
        "atoms": atoms,
        "instances": instances,
        "visits": visits,
        "gates": gates,
        "bytes": bytes,
    });
    let of_passes: f64 = simplifying(grounded);
    if let Some(seconds) = seconds {
        document["grounding"]["seconds"] = (seconds - of_passes).max(0.0).into();
    }
    let stats = grounded.propnet.stats();
    let size = |size: Size| json!({ "gates": size.gates, "wires": size.wires, "two_inputs": size.two_inputs, "depth": size.depth });
    let mut network = size(stats.all);
    network["bits"] = stats.bits.into();
    network["moves"] = stats.moves.into();
    network["seconds"] = of_passes.into();
    network["parts"] = json!({
        "legal": size(stats.legal),
        "terminal": size(stats.terminal),
        "goals": size(stats.goals),
        "percepts": size(stats.percepts),
        "next": size(stats.next),
    });
    network["passes"] = grounded
        .passes
        .iter()
        .map(|pass| {
            json!({
                "name": pass.name,
                "bits": pass.bits,
                "gates": pass.gates,
                "wires": pass.wires,
                "two_inputs": pass.two_inputs,
                "seconds": pass.seconds,
            })
        })
        .collect();
    document["network"] = network;
}

/// The seconds that simplifying took.
fn simplifying(grounded: &Grounded) -> f64 {
    grounded.passes.iter().filter(|pass| pass.name != GROUND).map(|pass| pass.seconds).sum()
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

/// What decides what, and what each pass left.
///
/// # Errors
/// If standard output cannot be written to.
pub fn write(grounded: &Grounded, out: &Output) -> Result<(), Failure> {
    let stats = grounded.propnet.stats();
    let head = |names: &[&str]| names.iter().copied().map(str::to_owned).collect::<Vec<String>>();
    let mut table = vec![head(&["  decides", "gates", "wires", "two-input gates", "depth"])];
    for (part, Size { gates, wires, two_inputs, depth }) in [
        ("  all", stats.all),
        ("  legal", stats.legal),
        ("  terminal", stats.terminal),
        ("  goals", stats.goals),
        ("  percepts", stats.percepts),
        ("  next", stats.next),
    ] {
        let numbers = [gates, wires, two_inputs, depth].map(|number| number.to_string());
        table.push(std::iter::once(part.to_owned()).chain(numbers).collect());
    }
    out.table(&table)?;
    let mut table = vec![head(&["  pass", "bits", "gates", "wires", "two-input gates", "ms"])];
    for pass in &grounded.passes {
        let numbers = [pass.bits, pass.gates, pass.wires, pass.two_inputs].map(|number| number.to_string());
        let milliseconds = format!("{:.2}", pass.seconds * 1e3);
        let name = std::iter::once(format!("  {}", pass.name));
        table.push(name.chain(numbers).chain([milliseconds]).collect());
    }
    out.table(&table)
}
