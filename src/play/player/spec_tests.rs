//! Specs read against a small registry of their own.

use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;

use super::catalogue::{FileKind, SpecEntry, SpecKey, SpecKind, SpecWord};
use super::random::RandomPlayer;
use super::registry::Registry;
use super::seat::Seat;
use super::spec::{Spec, SpecFile};
use super::spec_error::{RegistryError, SpecError, SpecResult};
use hyperplay_think::belief::{BootstrapSampler, OpponentModel, Uniform};

#[path = "../../../tests/common/property.rs"]
mod property;
use hyperplay_engine::Engine;
use hyperplay_logic::gdl::text_hash;

#[derive(Clone, Copy, PartialEq, Debug)]
enum Weight {
    None,
    Choice,
}

impl SpecWord for Weight {
    const WORDS: &'static [(&'static str, Weight)] = &[("none", Weight::None), ("choice", Weight::Choice)];
}

fn rich() -> SpecEntry {
    SpecEntry::new("rich", "much to set")
        .with(SpecKey::count("particles", 1..=10_000, 200, "how many"))
        .with(SpecKey::word("weight", Weight::Choice, "which"))
        .with(SpecKey::real("share", 0.0..=1.0, 0.001, "how much"))
        .with(SpecKey::word("merge", true, "whether"))
        .with(SpecKey::spec("model", SpecKind::Model, "even", "as what"))
        .with(SpecKey::spec("inner", SpecKind::Player, "plain", "who"))
}

fn with_player(registry: Registry, entry: SpecEntry) -> Result<Registry, RegistryError> {
    registry.with_player(entry, |_, _| Ok(|_: &Arc<Engine>, _| Seat::player(RandomPlayer)))
}

fn with_model(registry: Registry, entry: SpecEntry) -> Registry {
    let build = |_: &Arc<Engine>| -> Arc<dyn OpponentModel> { Arc::new(Uniform) };
    registry.with_model(entry, move |_, _| Ok(build)).unwrap()
}

fn registry() -> Registry {
    let registry = with_model(Registry::empty(), SpecEntry::new("even", "all alike"));
    let file = SpecEntry::new("file", "as a file says").with(SpecKey::policy_file("path", "which"));
    let plain = SpecEntry::new("plain", "nothing to set");
    with_player(with_player(with_model(registry, file), plain).unwrap(), rich()).unwrap()
}

fn read(text: &str) -> SpecResult<Spec> {
    registry().player(text).map(|player| player.spec().clone())
}

fn error(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

#[test]
fn keys_not_given_have_their_default() {
    let spec = read("rich:merge=off").unwrap();
    assert_eq!(
        (spec.count("particles"), spec.word("weight"), spec.real("share"), spec.word("merge")),
        (200, Weight::Choice, 0.001, false)
    );
    assert_eq!(*spec.inner("inner"), read("plain").unwrap());
}

#[test]
fn printing_is_canonical() {
    for (text, canonical) in [
        ("plain", "plain"),
        ("plain:", "plain"),
        ("rich:weight=none,particles=1_000", "rich:particles=1000,weight=none"),
        (" rich : merge = on , particles = 0200 ", "rich"),
        (
            "rich:inner=[rich:particles=4,merge=off],merge=off",
            "rich:merge=off,inner=[rich:particles=4,merge=off]",
        ),
        ("rich:inner=[plain]", "rich"),
        ("rich:inner=plain", "rich"),
        ("rich:inner=rich:merge=off", "rich:inner=rich:merge=off"),
        ("rich:share=0.0010", "rich"),
        ("rich:share=00.250,merge=off", "rich:share=0.25,merge=off"),
        ("rich:share=1.0", "rich:share=1"),
        ("rich:share=0", "rich:share=0"),
        ("rich:share=0.00000000000000000001", "rich:share=0.00000000000000000001"),
    ] {
        assert_eq!(read(text).unwrap().to_string(), canonical, "{text}");
    }
}

#[test]
fn an_error_says_what_there_is() {
    assert_eq!(error("poor"), "there is no player 'poor'; there are plain, rich");
    assert_eq!(
        error("rich:size=3"),
        "'rich' has no key 'size'; its keys are particles, weight, share, merge, model, inner"
    );
    assert_eq!(error("plain:size=3"), "'plain' has no key 'size'; it has no keys");
    assert_eq!(error("rich:particles=0"), "'particles=0': expected a whole number from 1 to 10000");
    assert_eq!(error("rich:particles=+1"), "'particles=+1': expected a whole number from 1 to 10000");
    for share in ["1.01", "-0.1", "NaN", "inf", "0.1.2", "", "."] {
        let expected = format!("'share={share}': expected a decimal number from 0 to 1");
        assert_eq!(error(&format!("rich:share={share}")), expected);
    }
    for (share, meant) in [("-0", "0"), ("+0.5", "0.5"), ("1e-3", "0.001"), (".5", "0.5"), ("1.", "1")] {
        let expected = format!("'share={share}': expected a decimal number from 0 to 1 (write {meant})");
        assert_eq!(error(&format!("rich:share={share}")), expected);
        assert!(read(&format!("rich:share={meant}")).is_ok(), "the remedy is none");
    }
    assert_eq!(error("rich:weight=some"), "'weight=some': expected none or choice (did you mean 'none'?)");
    assert_eq!(error("rich:merge=on,merge=on"), "the key 'merge' is given twice");
    assert_eq!(error("rich:merge"), "'merge' is not of the form key=value, as in merge=...");
    assert_eq!(error("rich:merge=on,"), "'' is not of the form key=value");
    assert_eq!(error("rich:inner=[plain"), "the brackets of 'rich:inner=[plain' do not match");
    assert_eq!(
        error("rich:inner=[poor]"),
        "'inner=[poor]': there is no player 'poor'; there are plain, rich"
    );
}

#[test]
fn hostile_nesting_is_refused() {
    let text = "rich:inner=[".repeat(10_000) + &"]".repeat(10_000);
    assert_eq!(read(&text), Err(SpecError::TooDeep));
}

#[test]
fn what_cannot_be_named_is_not_registered() {
    let refused = |entry: SpecEntry| with_player(registry(), entry).unwrap_err().to_string();
    let entry = || SpecEntry::new("new", "something");
    let count = |name: &'static str, default| SpecKey::count(name, 1..=9, default, "how many");
    assert_eq!(refused(SpecEntry::new("plain", "again")), "there is a player 'plain' already");
    assert_eq!(
        refused(SpecEntry::new("a:b", "")),
        "the name 'a:b': expected letters, digits, '-', '_' and '.'"
    );
    assert_eq!(
        refused(entry().with(count("x y", 1))),
        "the name 'x y': expected letters, digits, '-', '_' and '.'"
    );
    assert_eq!(refused(entry().with(count("x", 1)).with(count("x", 2))), "'new' has two keys 'x'");
    assert_eq!(
        refused(entry().with(count("x", 10))),
        "the default of 'new': 'x=10': expected a whole number from 1 to 9"
    );
    assert_eq!(
        refused(entry().with(count("x", 1)).with(SpecKey::policy_file("path", "which"))),
        "'new' has a policy file and other keys; a policy file stands alone"
    );
    // A model may have the name of a player.
    with_model(registry(), SpecEntry::new("plain", "as a model"));
}

#[test]
fn a_sampler_named_program_that_has_no_command_starts_nothing() {
    let own = SpecEntry::new("program", "draws by itself");
    // Every sampler has a model, uniform by default.
    let registry = with_model(registry(), SpecEntry::new("uniform", "all alike"));
    let registry = registry.with_sampler(own, |_, _| Ok(BootstrapSampler)).unwrap();
    let sampler = registry.sampler("program").unwrap();
    assert_eq!((sampler.spec().commands().len(), sampler.spec().reaches_outside()), (0, false));
    let standard = Registry::standard().with_programs().sampler("program:command=./sampler").unwrap();
    assert_eq!((standard.spec().commands(), standard.spec().reaches_outside()), (vec!["./sampler"], true));
}

#[test]
fn defaults_that_are_specs_are_read_when_they_are_registered() {
    let with = |default: &'static str| {
        let key = SpecKey::spec("below", SpecKind::Player, default, "who is taken to be below");
        let depth = SpecKey::count("depth", 0..=9, 1, "how deep it looks");
        with_player(registry(), SpecEntry::new("tower", "stands on another").with(key).with(depth))
    };
    let refused = |default: &'static str| match with(default) {
        Err(RegistryError::Default { entry, error }) => (entry, error),
        other => panic!("{other:?}"),
    };
    assert_eq!(refused("tower"), ("tower".to_owned(), SpecError::TooDeep));
    let (_, error) = refused("rich:particles=0");
    assert_eq!(
        error.to_string(),
        "'below=rich:particles=0': 'particles=0': expected a whole number from 1 to 10000"
    );
    let (_, error) = refused("nobody");
    assert_eq!(
        error.to_string(),
        "'below=nobody': there is no player 'nobody'; there are plain, rich, tower"
    );
    // A default that names its own entry ends where the key is given in it.
    for default in ["tower:below=plain", "[tower:below=plain,depth=3]"] {
        let registry = with(default).unwrap();
        let printed = |text: &str| registry.player(text).unwrap().spec().to_string();
        for (text, canonical) in [
            ("tower", "tower"),
            ("tower:below=plain", "tower:below=plain"),
            ("tower:below=[tower:below=plain,depth=5]", "tower:below=[tower:below=plain,depth=5]"),
        ] {
            assert_eq!((printed(text), printed(canonical)), (canonical.to_owned(), canonical.to_owned()));
        }
        assert_eq!(printed(&format!("tower:below={default}")), "tower");
        assert_eq!(printed("tower:below=[ tower : depth=3,below=plain]") == "tower", default.len() > 20);
        assert_eq!(registry.player("tower").unwrap().spec().inner("below").inner("below").name(), "plain");
    }
}

#[test]
fn a_policy_file_that_is_a_default_is_opened_only_where_it_is_needed() {
    let key = SpecKey::spec("as", SpecKind::Model, "file:no/such.json", "as what");
    let registry = with_player(registry(), SpecEntry::new("bound", "plays by a file").with(key)).unwrap();
    assert!(matches!(registry.player("bound"), Err(SpecError::File(_))));
    assert_eq!(registry.player("bound:as=even").unwrap().spec().to_string(), "bound:as=even");
    assert_eq!(registry.unopened(SpecKind::Player, "bound").unwrap().to_string(), "bound");
}

#[test]
fn a_decimal_number_may_be_negative_where_its_range_says_so() {
    let key = SpecKey::real("bias", -1.5..=1.0, -0.25, "to which side it leans");
    let registry = with_player(registry(), SpecEntry::new("leaning", "leans").with(key)).unwrap();
    let printed = |text: &str| registry.player(text).map(|player| player.spec().to_string());
    for (text, canonical) in [
        ("leaning:bias=-0.25", "leaning"),
        ("leaning:bias=-1.50", "leaning:bias=-1.5"),
        ("leaning:bias=-0", "leaning:bias=0"),
        ("leaning:bias=0.5", "leaning:bias=0.5"),
    ] {
        assert_eq!(printed(text).as_deref(), Ok(canonical));
    }
    for wrong in ["-1.6", "--1", "-", "+1", "-.5", "- 1", "-inf"] {
        assert!(printed(&format!("leaning:bias={wrong}")).is_err(), "{wrong}");
    }
    let error = printed("leaning:bias=-.5").unwrap_err().to_string();
    assert!(error.ends_with("expected a decimal number from -1.5 to 1 (write -0.5)"), "{error}");
}

#[test]
fn a_spec_of_another_registry_is_refused_unless_its_entry_is_the_same() {
    let other = |most| {
        let key = SpecKey::count("speed", 1..=most, 1, "how fast");
        with_player(registry(), SpecEntry::new("fast", "is fast").with(key)).unwrap()
    };
    let player = other(9).player("fast:speed=3").unwrap();
    assert_eq!(other(9).player_of(player.spec()).unwrap(), player);
    let error = other(8).player_of(player.spec()).unwrap_err();
    assert_eq!(error.to_string(), "the spec 'fast:speed=3' was read against a registry with another 'fast'");
    assert!(matches!(registry().player_of(player.spec()), Err(SpecError::UnknownName { .. })));
}

#[test]
fn a_reader_refuses_when_the_spec_is_read() {
    let odd = SpecEntry::new("odd", "odd numbers only").with(SpecKey::count("n", 0..=9, 1, "which"));
    let registry = registry().with_player(odd, |spec, _| match spec.count("n") % 2 {
        0 => Err(SpecError::Refused { key: "n".to_owned(), why: "expected an odd number".to_owned() }),
        _ => Ok(|_: &Arc<Engine>, _| Seat::player(RandomPlayer)),
    });
    let registry = registry.unwrap();
    assert_eq!(registry.player("odd:n=2").unwrap_err().to_string(), "'n': expected an odd number");
    assert_eq!(registry.player("odd:n=3").unwrap().spec().to_string(), "odd:n=3");
}

fn any_spec() -> impl Strategy<Value = String> {
    let keys = (1_u64..300, prop::bool::ANY, prop::bool::ANY, 0.0..=1.0_f64);
    let leaf = Just("plain".to_owned());
    leaf.prop_recursive(4, 16, 1, move |inner| {
        (keys.clone(), inner).prop_map(|((particles, none, off, share), inner)| {
            let weight = if none { "none" } else { "choice" };
            let merge = if off { "off" } else { "on" };
            format!("rich:inner=[{inner}],weight={weight},merge={merge},share={share},particles={particles}")
        })
    })
}

proptest! {
    #![proptest_config(property::cases(256))]

    #[test]
    fn reading_what_was_printed_gives_the_same_spec(text in any_spec()) {
        let spec = read(&text).unwrap();
        let printed = spec.to_string();
        let again = read(&printed).unwrap();
        prop_assert_eq!(&again, &spec);
        prop_assert_eq!(again.to_string(), printed);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[a-z:=,\\[\\]éß 0-9]{0,40}") {
        let _ = read(&text);
        let _ = read(&format!("rich:{text}"));
    }
}

const NESTED: &str = "rich:model=file:a.json,inner=rich:inner=rich:model=file:sub/b.json";

#[test]
fn policy_files_are_found_at_any_depth_and_stay_as_written() {
    let base = std::env::temp_dir().join(format!("hyperplay-specs-{}", std::process::id()));
    std::fs::create_dir_all(base.join("sub")).unwrap();
    let texts = ["a", "b"].map(|role| {
        format!(
            r#"{{"schema": "hyperplay.policy/1",
                 "policy": [{{"role": "{role}", "evidence": [], "moves": {{"m": 1}}}}]}}"#
        )
    });
    for (name, text) in ["a.json", "sub/b.json"].iter().zip(&texts) {
        std::fs::write(base.join(name), text).unwrap();
    }
    let read = || registry().player_in(NESTED, &base).unwrap().spec().clone();
    let spec = read();
    assert_eq!(spec.to_string(), NESTED);
    fn roles(file: &SpecFile) -> Vec<&str> {
        let SpecFile::Policy(file) = file else { panic!("it is a policy file") };
        file.roles()
    }
    let found: Vec<(&Path, Vec<&str>)> =
        spec.files().into_iter().map(|(path, file)| (path, roles(file))).collect();
    assert_eq!(found, [(Path::new("a.json"), vec!["a"]), (Path::new("sub/b.json"), vec!["b"])]);
    let hashes = spec.file_hashes();
    assert_eq!((&hashes["a.json"], &hashes["sub/b.json"]), (&text_hash(&texts[0]), &text_hash(&texts[1])));

    std::fs::write(base.join("sub/b.json"), texts[0].as_str()).unwrap();
    let changed = read();
    assert_eq!(changed.to_string(), spec.to_string());
    assert_ne!(changed, spec);
    assert_eq!(changed.file_hashes()["a.json"], changed.file_hashes()["sub/b.json"]);
    std::fs::remove_dir_all(&base).unwrap();

    let unread = registry().player_in(NESTED, &base).unwrap_err().to_string();
    assert!(unread.starts_with(&base.join("a.json").display().to_string()), "{unread}");
}

/// A file that may be left out has a name among the other keys.
#[test]
fn a_policy_file_beside_other_keys_is_written_with_its_name() {
    let trunk = SpecKey::file_or(FileKind::Policy, "none", "trunk", "where it begins");
    let entry =
        SpecEntry::new("led", "from a trunk").with(trunk).with(SpecKey::count("tree", 1..=9, 3, "size"));
    let registry = with_player(registry(), entry).unwrap();
    for text in ["led:trunk=a b.json,tree=4", "led:trunk=a.json", "led"] {
        let spec = registry.unopened(SpecKind::Player, text).unwrap();
        assert_eq!(spec.to_string(), text);
        assert_eq!(spec.is_given("trunk"), text != "led");
    }
    let spec = registry.unopened(SpecKind::Player, "led:trunk=none").unwrap();
    assert!(spec.to_string() == "led" && !spec.is_given("trunk"));
    assert_eq!(registry.expected(&spec.entry().keys[0]), "none or the path of a policy file");
}

#[test]
fn a_spec_can_be_looked_at_without_its_policy_files() {
    let spec = registry().unopened(SpecKind::Player, NESTED).unwrap();
    assert_eq!(spec.to_string(), NESTED);
    assert!(spec.files().is_empty() && spec.file_hashes().is_empty());
    let path = Path::new("a.json").to_owned();
    assert_eq!(spec.inner("model").policy("path"), Err(SpecError::Unopened(path)));
}
