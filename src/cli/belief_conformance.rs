//! `hyperplay belief --conform SPEC`: holds a sampler against the oracle in small games, and says what fails and what that means.

use serde_json::{Value, json};

use super::belief_arguments::BeliefArguments;
use super::failure::{CommandFailure, CommandResult, go_on};
use super::output::log;
use super::session::Session;
use hyperplay_lab::study::conformance::{CHECKS, GAMES, LEVEL, conform};
use hyperplay_machine::Seed;

/// Checks the sampler in the games that are named, or in all.
///
/// # Errors
/// See [`CommandFailure`]; a check that fails is a finding.
pub fn run(arguments: &BeliefArguments, spec: &str, session: &Session) -> CommandResult {
    let Session { registry, interrupt, out, .. } = session;
    let plan = arguments.conformance(spec, registry)?;
    let (sampler, sets) = (&plan.samplers[0], (plan.particles[0], plan.replicates));
    let named: Vec<&str> = arguments.games.iter().map(String::as_str).collect();
    let games = if named.is_empty() { GAMES.to_vec() } else { named };
    let (seed, mut failures) = (Seed::root(plan.seed).child("conform"), Vec::new());
    for game in &games {
        log(format_args!("{game}"));
        let opened = arguments.open(game, &mut plan.clone())?;
        let found = conform(&opened.machine, sampler, sets, &seed.child(game));
        let found =
            found.map_err(|error| CommandFailure::failed(format!("{game}: {error}"), "name other games"))?;
        failures.extend(found.into_iter().map(|failure| (*game, failure)));
        go_on(interrupt)?;
    }
    let spec = sampler.spec();
    if arguments.json {
        let all =
            failures.iter().map(|(game, of)| json!({ "game": game, "check": of.check, "what": of.what }));
        let (seed, level) = (plan.seed, LEVEL);
        out.json(&json!({
            "sampler": spec.to_string(), "seed": seed, "particles": sets.0, "replicates": sets.1, "games": games,
            "failures": all.collect::<Value>(), "false_alarms": level,
        }))?;
    } else {
        out.line(format_args!("{spec}: {} particles, {} replicates, seed {}", sets.0, sets.1, plan.seed))?;
        for (check, meaning) in CHECKS {
            let of_check: Vec<_> = failures.iter().filter(|(_, failure)| failure.check == check).collect();
            let verdict = if of_check.is_empty() { "pass" } else { "FAIL" };
            out.line(format_args!("{check:<12} {verdict}  {meaning}"))?;
            of_check.iter().try_for_each(|(game, of)| out.line(format_args!("  {game}, {}", of.what)))?;
        }
        let share = 100.0 * LEVEL;
        out.line(format_args!(
            "A sampler without bias fails the check of bias in at most {share} % of such runs."
        ))?;
    }
    if failures.is_empty() { Ok(()) } else { Err(CommandFailure::Findings) }
}
