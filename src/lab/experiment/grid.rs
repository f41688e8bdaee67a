//! Grid: a player with lists of parameters becomes one entrant for each combination.
//!
//! `zip` walks its lists side by side, `grid` takes every combination, and both together every combination with every
//! place of the zip. Keys vary in the order of the alphabet, the last one fastest. A label is the name of the table and
//! its parameters, `hyperplay particles=2`, so it holds no comma and needs no quotes in a table.

use std::collections::BTreeMap;
use std::path::Path;

use super::plan::Entrant;
use super::written::{Parameter, PlayerTable};
use hyperplay_play::player::{PlayerSpec, Registry};

/// The most entrants that one table may become.
const MAX_ENTRANTS: usize = 10_000;

/// The entrants of table number `table`, each with its spec as read; paths in specs are relative to `folder`.
///
/// # Errors
/// A sentence: a key in both lists, lists of a zip that differ in length, a spec that does not read.
pub fn expand(
    table: usize,
    player: &PlayerTable,
    folder: &Path,
    registry: &Registry,
) -> Result<Vec<(Entrant, PlayerSpec)>, String> {
    if let Some(key) = player.grid.keys().find(|key| player.zip.contains_key(*key)) {
        return Err(format!("'{key}' is in the grid and in the zip"));
    }
    if let Some((key, _)) = player.grid.iter().chain(&player.zip).find(|(_, values)| values.is_empty()) {
        return Err(format!("'{key}' has no value"));
    }
    let lengths: Vec<usize> = player.zip.values().map(Vec::len).collect();
    if lengths.windows(2).any(|two| two[0] != two[1]) {
        return Err("the lists of a zip must be equally long".to_owned());
    }
    let rows = lengths.first().copied().unwrap_or(1);
    let mut choices: Vec<BTreeMap<&str, &Parameter>> = (0..rows)
        .map(|row| player.zip.iter().map(|(key, values)| (key.as_str(), &values[row])).collect())
        .collect();
    for (key, values) in &player.grid {
        choices = choices
            .iter()
            .flat_map(|chosen| {
                values.iter().map(move |value| {
                    let mut chosen = chosen.clone();
                    chosen.insert(key, value);
                    chosen
                })
            })
            .collect();
        if choices.len() > MAX_ENTRANTS {
            return Err(format!("more than {MAX_ENTRANTS} combinations"));
        }
    }
    choices.into_iter().map(|chosen| entrant(table, player, &chosen, folder, registry)).collect()
}

fn entrant(
    table: usize,
    player: &PlayerTable,
    chosen: &BTreeMap<&str, &Parameter>,
    folder: &Path,
    registry: &Registry,
) -> Result<(Entrant, PlayerSpec), String> {
    let parameters: BTreeMap<String, String> =
        chosen.iter().map(|(key, value)| ((*key).to_owned(), value.as_spec())).collect();
    let mut text = player.spec.get_ref().clone();
    let mut label = player.name.get_ref().clone();
    for (key, value) in &parameters {
        text.push(if text.contains(':') { ',' } else { ':' });
        text.push_str(&format!("{key}={value}"));
        label.push_str(&format!(" {key}={value}"));
    }
    let player = registry.player_in(&text, folder).map_err(|error| error.to_string())?;
    let (spec, policies) = (player.spec().to_string(), player.spec().policy_hashes());
    Ok((Entrant { label, table, spec, parameters, policies }, player))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Result<Vec<(String, String)>, String> {
        let table: PlayerTable = toml::from_str(text).unwrap();
        let expanded = expand(0, &table, Path::new(""), &Registry::standard())?;
        Ok(expanded.into_iter().map(|(entrant, _)| (entrant.label, entrant.spec)).collect())
    }

    #[test]
    fn a_grid_is_every_combination_and_a_zip_goes_side_by_side() {
        let text = "name = 'h'\nspec = 'hyperplay:search=flat'\n";
        let grid = labels(&format!("{text}[grid]\nparticles = [2, 4]\nenumerate = [true, false]")).unwrap();
        let specs: Vec<&str> = grid.iter().map(|(_, spec)| spec.as_str()).collect();
        assert_eq!(
            specs,
            [
                "hyperplay:particles=2,search=flat",
                "hyperplay:particles=4,search=flat",
                "hyperplay:particles=2,search=flat,enumerate=off",
                "hyperplay:particles=4,search=flat,enumerate=off",
            ]
        );
        let zip = labels(&format!("{text}[zip]\nparticles = [2, 4]\nper_move = [3, 5]")).unwrap();
        assert_eq!(zip[1].0, "h particles=4 per_move=5");
        assert_eq!(zip.len(), 2);
        let real = labels(&format!("{text}[grid]\nmodel = ['softmax']\nepsilon = [0, 0.01]")).unwrap();
        assert_eq!(real[0].1, "hyperplay:search=flat,model=softmax,epsilon=0");
        assert_eq!(
            real[1],
            (
                "h epsilon=0.01 model=softmax".to_owned(),
                "hyperplay:search=flat,model=softmax,epsilon=0.01".to_owned()
            )
        );
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let text = "name = 'h'\nspec = 'hyperplay:particles=3'\n";
        assert_eq!(
            labels(&format!("{text}[grid]\nparticles = [2]")).unwrap_err(),
            "the key 'particles' is given twice"
        );
        assert!(labels(&format!("{text}[zip]\nnodes = [2]\nplayouts = [1, 2]")).is_err());
        assert!(labels(&format!("{text}[zip]\nnodes = [2]\n[grid]\nnodes = [2]")).is_err());
        assert!(labels(&format!("{text}[grid]\nnodes = []")).is_err());
    }
}
