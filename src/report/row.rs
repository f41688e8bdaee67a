//! Row: the fields of a structure that derives `Serialize`, by their names, as the columns of a table.
//!
//! A field that is itself a structure stands for several columns: its part `value` has the name of the field, every
//! other part has its own name behind that of the field. So a [`Mean`](super::Mean) called `regret` is the columns
//! `regret` and `regret_error`, and a [`Sample`](super::Sample) called `score` has a `score_ci95`. A structure without
//! a `value` is also a field as it is.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

/// Reads a number that may be null, as one that is not finite is written.
///
/// # Errors
/// If it is something else.
pub fn or_nan<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(from)?.unwrap_or(f64::NAN))
}

/// The fields of a row.
pub fn fields(row: &impl Serialize) -> Map<String, Value> {
    let row = serde_json::to_value(row).expect("a row is plain data");
    let mut fields = Map::new();
    let Value::Object(row) = row else { return fields };
    for (name, field) in row {
        match &field {
            Value::Object(parts) => {
                let parts = parts.iter().map(|(part, value)| match part.as_str() {
                    "value" => (name.clone(), value.clone()),
                    part => (format!("{name}_{part}"), value.clone()),
                });
                fields.extend(parts);
                fields.entry(name).or_insert(field);
            }
            _ => drop(fields.insert(name, field)),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::super::Mean;
    use super::*;

    #[test]
    fn the_parts_of_a_field_are_columns_of_their_own() {
        #[derive(Serialize)]
        struct Row {
            n: usize,
            regret: Mean,
            fit: Fit,
        }
        #[derive(Serialize)]
        struct Fit {
            p: f64,
        }
        let row = Row { n: 3, regret: Mean { value: 1.5, error: f64::NAN }, fit: Fit { p: 0.5 } };
        let expected = r#"{"n":3,"regret":1.5,"regret_error":null,"fit_p":0.5,"fit":{"p":0.5}}"#;
        assert_eq!(Value::Object(fields(&row)).to_string(), expected);
    }
}
