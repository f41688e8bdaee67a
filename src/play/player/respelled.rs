//! The specs of version 0.2 whose keys are written in another way today: one table for the errors that say so and for
//! what that version has recorded.
//!
//! | player of 0.2 | keys of 0.2 | today |
//! | --- | --- | --- |
//! | `hyperplay`, `pimc`, `ismcts` | `enumerate`, `enumerate_limit`, `exact_update`, `weight`, `method`, `population`, `merge`, `rejuvenate`, `states` | the same keys in `sampler=[hyperplay:...]` |
//! | | of a sampler: `rejuvenate`, `weight=posterior` | left out |
//! | | `method=backtracking` of a sampler that enumerates | the sampler `hyperplay12:merge=on` |
//! | `hyperplay`, `pimc`, `clairvoyant` | `playouts=N`, `per_move=N`, `count=state\|history`, `halving=on\|off` | `playouts=N`, with `/move`, `/state` or `/particle`, `/halving` or `/even` behind the number |
//!
//! Invariant: the player of today decides as that of 0.2 did, with the same seeds, unless its histories were found by
//! backtracking: their weights and moves are no more.

use super::catalogue::SpecKind;
use super::spec_reader::{named, parts, unbracketed};
use hyperplay_think::search::{PlayoutBudget, PlayoutShare};

/// The keys of a belief, which stood on every player that has one.
const BELIEF: [&str; 9] = [
    "enumerate",
    "enumerate_limit",
    "exact_update",
    "weight",
    "method",
    "population",
    "merge",
    "rejuvenate",
    "states",
];

/// The keys whose values are players.
const INNER: [&str; 2] = ["advisor", "otherwise"];

/// A spec of version 0.2 as it is written today; `None` if it has none of the keys of the table, or is no spec.
pub(super) fn respelled(text: &str, kind: SpecKind) -> Option<String> {
    let (name, rest) = named(text);
    match kind {
        SpecKind::Player => {}
        SpecKind::Sampler => return respelled_sampler(name, &parts(rest)?),
        _ => return None,
    }
    let believes = ["hyperplay", "pimc", "ismcts"].contains(&name);
    let searches = ["hyperplay", "pimc", "clairvoyant"].contains(&name);
    let (mut kept, mut belief): (Vec<String>, Vec<&str>) = (Vec::new(), Vec::new());
    let (mut playouts, mut per_move, mut share, mut halving) = (None, None, None, None);
    let mut changed = false;
    for part in parts(rest)? {
        let (key, value) = part.split_once('=')?;
        let (key, value) = (key.trim(), value.trim());
        match key {
            key if believes && BELIEF.contains(&key) => belief.push(part.trim()),
            "playouts" if searches => playouts = Some(value),
            "per_move" if searches => per_move = Some(value),
            "count" if searches => share = Some(value),
            "halving" if searches => halving = Some(value),
            key if INNER.contains(&key) || key == "sampler" => {
                let kind = if key == "sampler" { SpecKind::Sampler } else { kind };
                let today = respelled(unbracketed(value), kind);
                changed |= today.is_some();
                kept.push(today.map_or_else(|| part.trim().to_owned(), |today| format!("{key}=[{today}]")));
            }
            _ => kept.push(part.trim().to_owned()),
        }
    }
    if per_move.is_some() || share.is_some() || halving.is_some() {
        changed = true;
        kept.push(format!("playouts={}", budget(playouts, per_move, share, halving)?));
    } else if let Some(playouts) = playouts {
        kept.push(format!("playouts={playouts}"));
    }
    if !belief.is_empty() {
        changed = true;
        // Beside another sampler these keys had to keep their defaults.
        let is_other = |part: &String| part.split_once('=').is_some_and(|(key, _)| key.trim() == "sampler");
        if !kept.iter().any(is_other) {
            let today = respelled_sampler("hyperplay", &belief);
            kept.push(format!(
                "sampler=[{}]",
                today.unwrap_or_else(|| format!("hyperplay:{}", belief.join(",")))
            ));
        }
    }
    changed.then(|| if kept.is_empty() { name.to_owned() } else { format!("{name}:{}", kept.join(",")) })
}

/// A sampler without the keys of the weights and moves that histories by backtracking had.
fn respelled_sampler(name: &str, parts: &[&str]) -> Option<String> {
    let has = |key: &str, value: &str| {
        let is_it = |part: &&str| {
            part.split_once('=').is_some_and(|(own, of)| (own.trim(), of.trim()) == (key, value))
        };
        parts.iter().any(is_it)
    };
    let is_gone = |part: &&str| {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        key.trim() == "rejuvenate" || (key.trim(), value.trim()) == ("weight", "posterior")
    };
    let is_whole = name == "hyperplay" && has("method", "backtracking") && !has("enumerate", "off");
    let mut kept: Vec<&str> = parts.iter().filter(|part| !is_gone(part)).map(|part| part.trim()).collect();
    if kept.len() == parts.len() && !is_whole {
        return None;
    }
    let mut name = name;
    if is_whole {
        kept.retain(|part| !part.starts_with("method") && !part.starts_with("enumerate"));
        name = "hyperplay12";
        if !kept.iter().any(|part| part.starts_with("merge")) {
            kept.push("merge=on");
        }
    }
    Some(if kept.is_empty() { name.to_owned() } else { format!("{name}:{}", kept.join(",")) })
}

/// The playouts that the four keys ask for.
fn budget(
    playouts: Option<&str>,
    per_move: Option<&str>,
    share: Option<&str>,
    halving: Option<&str>,
) -> Option<PlayoutBudget> {
    let each: u64 = per_move.map_or(Some(0), |each| each.replace('_', "").parse().ok())?;
    let all: PlayoutBudget = playouts.unwrap_or("2000").parse().ok()?;
    let share = meant(share, [("state", PlayoutShare::State), ("history", PlayoutShare::Particle)])?;
    let halving = meant(halving, [("on", true), ("off", false)])?;
    let (count, per_move) = if each > 0 { (each, true) } else { (all.count, false) };
    Some(PlayoutBudget { count, per_move, share, halving })
}

/// What one of two words means; where there is none, what the first does.
fn meant<T>(word: Option<&str>, words: [(&str, T); 2]) -> Option<T> {
    let is_it = |known: &str| word.is_none_or(|word| word == known);
    words.into_iter().find(|(known, _)| is_it(known)).map(|(_, meaning)| meaning)
}

#[cfg(test)]
mod tests {
    use super::super::registry::Registry;
    use super::*;

    #[test]
    fn what_version_0_2_wrote_is_read_and_its_keys_are_errors_that_say_how_they_are_written() {
        let registry = Registry::standard();
        for (former, key, today) in [
            ("hyperplay:merge=off", "merge", "hyperplay:sampler=hyperplay:merge=off"),
            (
                "pimc:particles=8,enumerate=off,method=filter,model=[softmax:level=2,temperature=5]",
                "enumerate",
                "pimc:particles=8,model=[softmax:level=2,temperature=5],sampler=[hyperplay:enumerate=off,method=filter]",
            ),
            ("ismcts:states=9", "states", "ismcts:sampler=hyperplay:states=9"),
            ("pimc:rejuvenate=0,merge=off", "rejuvenate", "pimc:sampler=hyperplay:merge=off"),
            ("hyperplay:method=backtracking", "method", "hyperplay:sampler=hyperplay12:merge=on"),
            ("hyperplay:weight=posterior,states=9", "weight", "hyperplay:sampler=hyperplay:states=9"),
            ("hyperplay:merge=on,sampler=bootstrap", "merge", "hyperplay:sampler=bootstrap"),
            ("hyperplay:per_move=8", "per_move", "hyperplay:playouts=8/move/state/halving"),
            ("clairvoyant:per_move=15,halving=off", "per_move", "clairvoyant:playouts=15/move/state"),
            (
                "hyperplay:search=flat,nodes=0,per_move=4,count=history,halving=off",
                "per_move",
                "hyperplay:search=flat,nodes=0,playouts=4/move",
            ),
            ("hyperplay:halving=off", "halving", "hyperplay:playouts=2000/even"),
            ("hyperplay:playouts=500,count=history", "count", "hyperplay:playouts=500/particle"),
            ("hyperplay:playouts=7,per_move=3", "per_move", "hyperplay:playouts=3/move/state/halving"),
            ("hyperplay:per_move=0", "per_move", "hyperplay:playouts=2000"),
        ] {
            let error = registry.player(former).unwrap_err();
            let Some(respelled) = registry.respelled(SpecKind::Player, former) else { panic!("{former}") };
            assert_eq!(
                error.to_string(),
                format!("the key '{key}' of version 0.2 is written in another way; write {respelled}")
            );
            let read = |text: &str| registry.unopened(SpecKind::Player, text).unwrap();
            assert_eq!(read(&respelled), read(today), "{former}");
        }
        let error =
            registry.player("auto:otherwise=[hyperplay:merge=off,particles=3]").unwrap_err().to_string();
        assert!(error.ends_with("write hyperplay:particles=3,sampler=hyperplay:merge=off"), "{error}");
        let today = registry.respelled(SpecKind::Player, "auto:otherwise=[hyperplay:merge=off,particles=3]");
        assert_eq!(
            today.as_deref(),
            Some("auto:otherwise=[hyperplay:particles=3,sampler=hyperplay:merge=off]")
        );
    }

    #[test]
    fn what_is_written_alike_is_not_respelled() {
        let registry = Registry::standard();
        for text in [
            "random",
            "hyperplay:particles=3,playouts=9",
            "remote:url=http://a",
            "hyperplay:sampler=[",
            "x:merge=off",
        ] {
            assert_eq!(registry.respelled(SpecKind::Player, text), None, "{text}");
        }
        assert_eq!(registry.respelled(SpecKind::Sampler, "hyperplay:merge=off"), None);
        let sampler = |text: &str| registry.respelled(SpecKind::Sampler, text);
        assert_eq!(sampler("hyperplay12:rejuvenate=0,merge=on").as_deref(), Some("hyperplay12:merge=on"));
        assert_eq!(sampler("hyperplay:method=backtracking,enumerate=off"), None);
    }
}
