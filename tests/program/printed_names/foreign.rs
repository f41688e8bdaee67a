//! Words between backticks that are not names of this project.

/// Other programs, with which a line begins.
pub const PROGRAMS: [&str; 5] = ["perf", "systemd-analyze", "python3", "exec", "source"];

/// Names of the standard library with which a path begins.
pub const STANDARD: [&str; 5] = ["std", "u32", "u64", "Poll", "RecvTimeoutError"];

/// Roles of the games that examples are about.
pub const ROLES: [&str; 4] = ["alice", "bob", "role", "candidate"];

/// Single words, and lines with one.
pub const WORDS: [&str; 39] = [
    // Other programs and libraries, and names in them.
    "MaxArraySize",
    "backoffLimitPerIndex",
    "nohup",
    "compinit",
    "bool",
    "plotters",
    "Serialize",
    "svg2pdf",
    "usvg",
    "random_range",
    "shuffle",
    "prefers-color-scheme",
    "ISMCTSBot",
    "CFRPlusSolver",
    "lp_solve",
    // An option of `tests/outside_judges.py`.
    "--long",
    // What stands for something else.
    "K-of-N",
    // Columns whose names are put together: `chi_squared` has a field `p`.
    "chi_squared_p",
    // Words of rules and of a paper.
    "succ",
    "succ/1",
    "n007",
    "tryoperation",
    "threatened_with_capture",
    // Rulesheets of the field, which are not in this project.
    "late_200_10.kif",
    "AlexChess",
    "amazons_v1",
    "brawl",
    "chess",
    "chineseCheckers4",
    "kalaha_2009",
    "linesOfAction",
    "merrills",
    "othello-comp2007",
    "quarto",
    "racer4",
    "ruleDepthExponential",
    "skirmish",
    "slaughter",
    "small_dominion",
];

/// Whether a document holds the results of one day, which name rulesheets of the field that are not in this project.
pub fn is_dated(path: &str) -> bool {
    path.starts_with("docs/results/")
}
