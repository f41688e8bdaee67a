//! Grid: a player with lists of parameters becomes one entrant for each combination.
//!
//! `zip` walks its lists side by side, `grid` takes every combination, and both together every combination with every
//! place of the zip. Keys vary in the order of the alphabet, the last one fastest. A label is the name of the table and
//! its parameters, `hyperplay particles=2`, so it holds no comma and needs no quotes in a table.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use toml::Spanned;

use super::plan::Entrant;
use super::written::{Parameter, PlayerTable};
use hyperplay_machine::counted;
use hyperplay_play::player::{PlayerSpec, Registry, SpecError};

/// The most entrants that one table may become.
const MAX_ENTRANTS: usize = 10_000;

/// The error in a table of players, and its place.
#[derive(Debug)]
pub struct GridError {
    /// The bytes of the file that it is about: the key or the value of a grid, or the spec.
    pub span: Range<usize>,
    /// A sentence.
    pub what: String,
    /// The text of a spec and what is wrong with it, if it is about a spec.
    pub spec: Option<Box<(String, SpecError)>>,
}

impl GridError {
    fn at<T>(place: &Spanned<T>, what: impl Into<String>) -> Self {
        GridError { span: place.span(), what: what.into(), spec: None }
    }
}

/// A key of a grid or of a zip with one of its values.
type Choice<'a> = (&'a Spanned<String>, &'a Spanned<Parameter>);

/// The entrants of table number `table`, each with its spec as read; paths in specs are relative to `folder`.
///
/// # Errors
/// A key in both lists, lists of a zip that differ in length, a spec that does not read: at the key or value of the
/// grid that is wrong, else at the spec.
pub fn expand(
    table: usize,
    player: &PlayerTable,
    folder: &Path,
    registry: &Registry,
) -> Result<Vec<(Entrant, PlayerSpec)>, GridError> {
    if let Some(key) = player.grid.keys().find(|key| player.zip.contains_key(*key)) {
        return Err(GridError::at(key, format!("'{}' is in the grid and in the zip", key.get_ref())));
    }
    if let Some((key, _)) = player.grid.iter().chain(&player.zip).find(|(_, values)| values.is_empty()) {
        return Err(GridError::at(key, format!("'{}' has no value", key.get_ref())));
    }
    let rows = player.zip.values().next().map_or(1, Vec::len);
    if let Some((key, values)) = player.zip.iter().find(|(_, values)| values.len() != rows) {
        let what = format!(
            "the lists of a zip must be equally long: '{}' has {}, and the first one {}",
            key.get_ref(),
            counted(values.len() as u64, "value"),
            counted(rows as u64, "value")
        );
        return Err(GridError::at(key, what));
    }
    let mut choices: Vec<Vec<Choice<'_>>> =
        (0..rows).map(|row| player.zip.iter().map(|(key, values)| (key, &values[row])).collect()).collect();
    for (key, values) in &player.grid {
        choices = choices
            .iter()
            .flat_map(|chosen| {
                values.iter().map(move |value| {
                    let mut chosen = chosen.clone();
                    chosen.push((key, value));
                    chosen
                })
            })
            .collect();
        if choices.len() > MAX_ENTRANTS {
            return Err(GridError::at(key, format!("more than {MAX_ENTRANTS} combinations")));
        }
    }
    choices
        .into_iter()
        .map(|mut chosen| {
            chosen.sort_by_key(|(key, _)| key.get_ref());
            entrant(table, player, &chosen, folder, registry)
        })
        .collect()
}

fn entrant(
    table: usize,
    player: &PlayerTable,
    chosen: &[Choice<'_>],
    folder: &Path,
    registry: &Registry,
) -> Result<(Entrant, PlayerSpec), GridError> {
    let parameters: BTreeMap<String, String> =
        chosen.iter().map(|(key, value)| (key.get_ref().clone(), value.get_ref().as_spec())).collect();
    let mut text = player.spec_text();
    let mut label = player.name.get_ref().clone();
    for (key, value) in &parameters {
        text.push(if text.contains(':') { ',' } else { ':' });
        text.push_str(&format!("{key}={value}"));
        label.push_str(&format!(" {key}={value}"));
    }
    let read = registry.player_in(&text, folder).map_err(|error| located(player, chosen, text, error))?;
    let (spec, policies) = (read.spec().to_string(), read.spec().file_hashes());
    Ok((Entrant { label, table, spec, parameters, policies }, read))
}

/// An error in an expanded spec, at the key or the value of the grid that it is about, else at the spec of the table.
fn located(player: &PlayerTable, chosen: &[Choice<'_>], text: String, error: SpecError) -> GridError {
    let of_grid = |name: &str| chosen.iter().find(|(key, _)| key.get_ref() == name);
    let name = player.name.get_ref();
    let (span, what) = match &error {
        SpecError::UnknownKey { key, .. } | SpecError::Respelled { key, .. } if of_grid(key).is_some() => {
            let span = of_grid(key).map(|(key, _)| key.span());
            (span, format!("in the grid of the player '{name}': {error}"))
        }
        SpecError::Repeated(key) if of_grid(key).is_some() => {
            let span = of_grid(key).map(|(key, _)| key.span());
            (span, format!("the key '{key}' stands in the spec of the player '{name}' and in its grid"))
        }
        SpecError::BadValue { key, .. } | SpecError::Inner { key, .. } | SpecError::Refused { key, .. }
            if of_grid(key).is_some() =>
        {
            let span = of_grid(key).map(|(_, value)| value.span());
            (span, format!("in the grid of the player '{name}': {error}"))
        }
        error => (None, format!("the player '{name}': {error}")),
    };
    let span = span.unwrap_or_else(|| player.spec_span());
    GridError { span, what, spec: Some(Box::new((text, error))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Result<Vec<(String, String)>, String> {
        let table: PlayerTable = toml::from_str(text).unwrap();
        let expanded = expand(0, &table, Path::new(""), &Registry::standard()).map_err(|wrong| wrong.what)?;
        Ok(expanded.into_iter().map(|(entrant, _)| (entrant.label, entrant.spec)).collect())
    }

    #[test]
    fn a_grid_is_every_combination_and_a_zip_goes_side_by_side() {
        let text = "name = 'h'\nspec = 'hyperplay:search=flat'\n";
        let grid = labels(&format!(
            "{text}[grid]\nparticles = [2, 4]\nsampler = ['hyperplay', 'hyperplay:enumerate=off']"
        ))
        .unwrap();
        let specs: Vec<&str> = grid.iter().map(|(_, spec)| spec.as_str()).collect();
        assert_eq!(
            specs,
            [
                "hyperplay:particles=2,search=flat",
                "hyperplay:particles=2,search=flat,sampler=hyperplay:enumerate=off",
                "hyperplay:particles=4,search=flat",
                "hyperplay:particles=4,search=flat,sampler=hyperplay:enumerate=off",
            ]
        );
        let zip =
            labels(&format!("{text}[zip]\nparticles = [2, 4]\nplayouts = ['3/move', '5/move']")).unwrap();
        assert_eq!(zip[1].0, "h particles=4 playouts=5/move");
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
            "the key 'particles' stands in the spec of the player 'h' and in its grid"
        );
        assert!(labels(&format!("{text}[zip]\nnodes = [2]\nplayouts = [1, 2]")).is_err());
        assert!(labels(&format!("{text}[zip]\nnodes = [2]\n[grid]\nnodes = [2]")).is_err());
        assert!(labels(&format!("{text}[grid]\nnodes = []")).is_err());
    }

    #[test]
    fn an_error_is_at_the_key_or_the_value_of_the_grid() {
        let text = "name = 'h'\nspec = 'hyperplay'\n[grid]\n";
        let at = |grid: &str| {
            let text = format!("{text}{grid}");
            let table: PlayerTable = toml::from_str(&text).unwrap();
            let wrong = expand(0, &table, Path::new(""), &Registry::standard()).unwrap_err();
            (text[wrong.span].to_owned(), wrong.what)
        };
        let (place, what) = at("partickles = [1, 2]");
        assert_eq!(place, "partickles");
        assert!(
            what.starts_with(
                "in the grid of the player 'h': 'hyperplay' has no key 'partickles' (did you mean"
            )
        );
        let (place, what) = at("particles = [1, 'x']");
        assert_eq!(place, "'x'");
        assert!(what.ends_with("'particles=x': expected a whole number from 1 to 10000000"), "{what}");
        assert_eq!(at("particles = [1]\nsearch = ['uct', 'utc']").0, "'utc'");
    }
}
