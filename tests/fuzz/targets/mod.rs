//! The fuzz targets: what must hold of every input to a reader of the project, one function each.
//!
//! A function gets bytes and panics if something does not hold. It returns whether the input was accepted, so that the short form
//! can tell whether its inputs get beyond the first error. Two programs call these functions: those in `fuzz_targets`, by
//! libFuzzer, and the module `fuzz` of the test program `library`, with inputs that are changed at random from fixed seeds.

mod efg;
mod http;
mod policy;
mod protocol;
mod rulesheet;
mod sidl;
mod transcript;

pub use efg::efg_reads_again_as_written;
pub use http::{http_reply_is_read_or_refused, http_request_is_answered};
pub use policy::policy_is_a_distribution_or_an_error;
pub use protocol::protocol_reads_again_as_written;
pub use rulesheet::{infix_reads_again_as_printed, kif_reads_again_as_printed};
pub use sidl::sidl_has_an_error_or_a_game;
pub use transcript::transcript_reads_again_as_written;

/// A target.
pub struct Target {
    /// Its name, which is also that of its program and of its dictionary.
    pub name: &'static str,
    /// What must hold.
    pub body: fn(&[u8]) -> bool,
    /// The folders of the files that its inputs are made from, from the root of the project.
    pub seeds: &'static [&'static str],
    /// How the names of these files end.
    pub ending: &'static str,
    /// Its dictionary: the file in `dictionaries` with words that have a meaning in the format.
    pub dictionary: &'static str,
    /// How many inputs the ordinary tests try.
    pub short: u64,
}

/// All targets.
pub const TARGETS: [Target; 9] = [
    Target {
        name: "kif_reads_again_as_printed",
        body: kif_reads_again_as_printed,
        seeds: &["games/perfect", "games/imperfect", "games/broken", "games/repaired"],
        ending: ".kif",
        dictionary: "rules",
        short: 300,
    },
    Target {
        name: "infix_reads_again_as_printed",
        body: infix_reads_again_as_printed,
        seeds: &["games/perfect", "games/imperfect", "games/broken", "games/dialects", "games/repaired"],
        ending: ".gdl",
        dictionary: "rules",
        short: 300,
    },
    Target {
        name: "sidl_has_an_error_or_a_game",
        body: sidl_has_an_error_or_a_game,
        seeds: &["games/sidl"],
        ending: ".sidl",
        dictionary: "sidl",
        short: 300,
    },
    Target {
        name: "efg_reads_again_as_written",
        body: efg_reads_again_as_written,
        seeds: &["tests/tables/efg"],
        ending: ".efg",
        dictionary: "efg",
        short: 3000,
    },
    Target {
        name: "http_request_is_answered",
        body: http_request_is_answered,
        seeds: &["tests/fuzz/seeds/http_request"],
        ending: "",
        dictionary: "http",
        short: 500,
    },
    Target {
        name: "http_reply_is_read_or_refused",
        body: http_reply_is_read_or_refused,
        seeds: &["tests/fuzz/seeds/http_reply"],
        ending: "",
        dictionary: "http",
        short: 500,
    },
    Target {
        name: "protocol_reads_again_as_written",
        body: protocol_reads_again_as_written,
        seeds: &["tests/fuzz/seeds/protocol"],
        ending: "",
        dictionary: "protocol",
        short: 20000,
    },
    Target {
        name: "policy_is_a_distribution_or_an_error",
        body: policy_is_a_distribution_or_an_error,
        seeds: &["tests/fuzz/seeds/policy"],
        ending: ".json",
        dictionary: "json",
        short: 4000,
    },
    Target {
        name: "transcript_reads_again_as_written",
        body: transcript_reads_again_as_written,
        seeds: &["tests/fuzz/seeds/transcript"],
        ending: ".json",
        dictionary: "json",
        short: 2000,
    },
];
