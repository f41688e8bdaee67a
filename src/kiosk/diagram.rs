//! The diagram of an interaction: who owns which switch, and which operation each setting selects.
//!
//! It is made of the text alone, which everybody at the table may know, and of nothing that happens.

use serde_json::{Value, json};

use hyperplay_logic::gdl::{Game, Symbols, Syntax, Term, print_term};
use hyperplay_sidl::{Chance, Interaction, Selector, Switch};

/// The branchings of an interaction, in the order in which they are tried. Each has the `owner` of its switch (`random` for a
/// chance, none if it runs in every chronon), the name of its switch or chance as `selector`, and the `operations`, each behind
/// its selector: an alias or a probability.
pub(super) fn diagram(game: &Game) -> Vec<Value> {
    let interaction = Interaction::of(game);
    let symbols = game.terms().symbols();
    let branchings = interaction.branchings.iter();
    branchings
        .map(|branching| {
            let operations = branching.operations.iter().map(|operation| show(operation, symbols));
            let (owner, selector, selections) = match branching.selector {
                Selector::Always => (None, None, vec!["always".to_owned(); branching.operations.len()]),
                Selector::Switch(switch) => {
                    let Switch { id, owner, aliases, .. } = &interaction.switches[switch];
                    let owner = show(&interaction.agents[*owner].0, symbols);
                    (Some(owner), Some(id), aliases.iter().map(|alias| show(alias, symbols)).collect())
                }
                Selector::Chance(chance) => {
                    let Chance { id, weights, .. } = &interaction.chances[chance];
                    let total: u64 = weights.iter().sum();
                    let shares = weights.iter().map(|weight| format!("{weight}/{total}"));
                    (Some("random".to_owned()), Some(id), shares.collect())
                }
            };
            let selector = selector.map(|id| show(id, symbols));
            let operations: Value = selections.into_iter().zip(operations).map(|pair| json!(pair)).collect();
            json!({ "owner": owner, "selector": selector, "operations": operations })
        })
        .collect()
}

fn show(term: &Term, symbols: &Symbols) -> String {
    print_term(term, symbols, Syntax::Infix)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyperplay_logic::gdl::Source;

    #[test]
    fn a_diagram_says_who_owns_what() {
        let text = "fact(over, 0). switch(s, alice, [wait, stop]). branching([wait, stop], s). chance(c, [1/4, 3/4]).
            branching([wait, stop], c). branching([stop], nil). operation(wait) :- false.
            operation(stop) :- not(over), next(over). terminal :- over. init(does(s, wait)). init(account(alice, 0)).";
        let game = hyperplay_sidl::load(Source::new("stop.sidl", text)).game.unwrap();
        let drawn = diagram(&game);
        assert_eq!((&drawn[0]["owner"], &drawn[0]["selector"]), (&json!("alice"), &json!("s")));
        assert_eq!(drawn[1]["operations"], json!([["1/4", "wait"], ["3/4", "stop"]]));
        assert_eq!((&drawn[2]["owner"], &drawn[2]["operations"][0][0]), (&Value::Null, &json!("always")));
    }
}
