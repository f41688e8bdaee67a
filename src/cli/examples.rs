//! The examples at the end of every help text, which `examples.txt` holds: for each command a line `== COMMAND` and the
//! text below it. A test runs each of them.

const EXAMPLES: &str = concat!("\n", include_str!("examples.txt"));

/// The examples of a command, or of the program.
///
/// # Panics
/// If there are none, which every test of a help text notices.
pub fn of(command: &str) -> &'static str {
    let mut parts = EXAMPLES.split("\n== ").filter_map(|part| part.split_once('\n'));
    parts.find(|&(name, _)| name == command).expect("every command has examples").1.trim_end()
}
