//! Grid: a player with lists of parameters becomes one entrant for each combination.
//!
//! `zip` walks its lists side by side, `grid` takes every combination, and both together every combination with every
//! place of the zip. Keys vary in the order of the alphabet, the last one fastest. A label is the name of the table and
//! its parameters, `hyperplay particles=2`, so it holds no comma and needs no quotes in a table.

use std::collections::BTreeMap;

use toml::Spanned;

use super::config::{ConfigError, ConfigReader, ConfigResult, place};
use super::plan::Entrant;
use super::written::{Parameter, PlayerTable};
use hyperplay_machine::counted;
use hyperplay_play::player::{PlayerSpec, SpecError};

/// The most entrants that one table may become.
const MAX_ENTRANTS: usize = 10_000;

/// A key of a grid or of a zip with one of its values.
type Choice<'a> = (&'a Spanned<String>, &'a Spanned<Parameter>);

impl ConfigReader<'_> {
    /// The entrants of table number `table`, each with its spec as read.
    ///
    /// # Errors
    /// A key in both lists, lists of a zip that differ in length, two entrants of one label, a spec that does not read:
    /// at the key or value of the grid that is wrong, else at the spec.
    pub fn expand(&self, table: usize, player: &PlayerTable) -> ConfigResult<Vec<(Entrant, PlayerSpec)>> {
        if let Some(key) = player.grid.keys().find(|key| player.zip.contains_key(*key)) {
            return Err(self.error(key, format!("'{}' is in the grid and in the zip", key.get_ref())));
        }
        if let Some((key, _)) = player.grid.iter().chain(&player.zip).find(|(_, values)| values.is_empty()) {
            return Err(self.error(key, format!("'{}' has no value", key.get_ref())));
        }
        let rows = player.zip.values().next().map_or(1, Vec::len);
        if let Some((key, values)) = player.zip.iter().find(|(_, values)| values.len() != rows) {
            let [own, first] = [values.len(), rows].map(|count| counted(count as u64, "value"));
            let what = "the lists of a zip must be equally long";
            return Err(
                self.error(key, format!("{what}: '{}' has {own}, and the first one {first}", key.get_ref()))
            );
        }
        let of_row = |row| player.zip.iter().map(|(key, values)| (key, &values[row])).collect();
        let mut choices: Vec<Vec<Choice<'_>>> = (0..rows).map(of_row).collect();
        for (key, values) in &player.grid {
            let pairs = choices.iter().flat_map(|chosen| values.iter().map(move |value| (chosen, value)));
            choices = pairs.map(|(chosen, value)| [&chosen[..], &[(key, value)]].concat()).collect();
            if choices.len() > MAX_ENTRANTS {
                return Err(self.error(key, format!("more than {MAX_ENTRANTS} combinations")));
            }
        }
        let mut entrants: Vec<(Entrant, PlayerSpec)> = Vec::new();
        let mut labels = BTreeMap::new();
        for chosen in &choices {
            let (entrant, spec) = self.entrant(table, player, chosen)?;
            if let Some(earlier) = labels.insert(entrant.label.clone(), chosen) {
                let mut differing =
                    chosen.iter().zip(earlier).filter(|(own, of)| own.1.span() != of.1.span());
                let (_, value) = differing.next().expect("no two choices are of the same values").0;
                let what = format!("two entrants are labelled '{}': write each value once", entrant.label);
                return Err(self.error(value, what));
            }
            entrants.push((entrant, spec));
        }
        Ok(entrants)
    }

    fn entrant(
        &self,
        table: usize,
        player: &PlayerTable,
        chosen: &[Choice<'_>],
    ) -> ConfigResult<(Entrant, PlayerSpec)> {
        let parameters: BTreeMap<String, String> =
            chosen.iter().map(|(key, value)| (key.get_ref().clone(), value.get_ref().as_spec())).collect();
        let mut text = player.spec_text();
        let mut label = player.name.get_ref().clone();
        for (key, value) in &parameters {
            text.push(if text.contains(':') { ',' } else { ':' });
            text.push_str(&format!("{key}={value}"));
            label.push_str(&format!(" {key}={value}"));
        }
        let read = self.registry.player_in(&text, self.folder);
        let read = read.map_err(|error| self.located(player, chosen, text, error))?;
        let (spec, policies) = (read.spec().to_string(), read.spec().file_hashes());
        Ok((Entrant { label, table, spec, parameters, policies, learns: read.spec().learns() }, read))
    }

    /// What is wrong with a spec, with the span of what causes it: the key or the value of the grid, if the error names
    /// one.
    fn located(
        &self,
        player: &PlayerTable,
        chosen: &[Choice<'_>],
        text: String,
        error: SpecError,
    ) -> ConfigError {
        use SpecError::{BadValue, Inner, Refused, Repeated, Respelled, UnknownKey};
        let name = player.name.get_ref();
        let of_grid = match &error {
            UnknownKey { key, .. }
            | Respelled { key, .. }
            | Repeated(key)
            | BadValue { key, .. }
            | Inner { key, .. }
            | Refused { key, .. } => chosen.iter().find(|(own, _)| own.get_ref() == key),
            _ => None,
        };
        let (span, what) = match (of_grid, &error) {
            (None, _) => (player.spec_span(), format!("the player '{name}': {error}")),
            (Some((key, _)), Repeated(_)) => {
                let own = key.get_ref();
                (
                    key.span(),
                    format!("the key '{own}' stands in the spec of the player '{name}' and in its grid"),
                )
            }
            (Some((key, value)), _) => {
                let is_key = matches!(error, UnknownKey { .. } | Respelled { .. });
                let span = if is_key { key.span() } else { value.span() };
                (span, format!("in the grid of the player '{name}': {error}"))
            }
        };
        ConfigError { spec: Some(Box::new((text, error))), ..ConfigError::at(place(self.text, &span), what) }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use hyperplay_play::player::Registry;

    fn expanded(text: &str) -> ConfigResult<Vec<(Entrant, PlayerSpec)>> {
        let reader = ConfigReader { text, folder: Path::new(""), registry: &Registry::standard() };
        reader.expand(0, &toml::from_str(text).unwrap())
    }

    fn labels(text: &str) -> Result<Vec<(String, String)>, String> {
        let expanded = expanded(text).map_err(|wrong| wrong.what)?;
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
            let wrong = expanded(&text).unwrap_err();
            let (line, column) = wrong.place.unwrap();
            (text.lines().nth(line - 1).unwrap()[column - 1..].to_owned(), wrong.what)
        };
        let (place, what) = at("partickles = [1, 2]");
        assert_eq!(place, "partickles = [1, 2]");
        assert!(
            what.starts_with(
                "in the grid of the player 'h': 'hyperplay' has no key 'partickles' (did you mean"
            )
        );
        let (place, what) = at("particles = [1, 'x']");
        assert_eq!(place, "'x']");
        assert!(what.ends_with("'particles=x': expected a whole number from 1 to 10000000"), "{what}");
        assert_eq!(at("particles = [1]\nsearch = ['uct', 'utc']").0, "'utc']");
    }

    #[test]
    fn no_two_entrants_have_one_label() {
        let text = "name = 'h'\nspec = 'hyperplay'\n";
        for (lists, place) in [
            ("[grid]\nparticles = [2, 4]\nsearch = ['flat', 'uct', 'flat']", (5, 26)),
            ("[grid]\nparticles = [20, '20']", (4, 18)),
            ("[zip]\nparticles = [2, 4, 2]\nplayouts = [1, 1, 1]", (4, 20)),
        ] {
            let wrong = expanded(&format!("{text}{lists}")).unwrap_err();
            assert_eq!(wrong.place, Some(place), "{wrong}");
            assert!(wrong.what.starts_with("two entrants are labelled 'h particles=2"), "{wrong}");
        }
        assert!(expanded(&format!("{text}[zip]\nparticles = [2, 2]\nplayouts = [1, 2]")).is_ok());
    }
}
