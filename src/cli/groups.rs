//! The commands in groups, as the help lists them, and the commands of version 0.2 that are written in another way
//! today.

use std::fmt::Write as _;

use clap::Command;

/// Every command in one group, in the order of the help.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Play", &["match", "kiosk", "replay", "verify", "games", "players"]),
    ("Write", &["check", "inspect", "convert"]),
    ("Measure", &["experiment", "belief", "belief-benchmark", "belief-cost", "solve", "exploit"]),
    ("Network", &["host", "serve", "check-player"]),
    ("Seldom needed", &["perft", "crosscheck", "bench", "completions", "man", "help"]),
];

/// Commands of version 0.2, each with its words of today.
const FORMER: [(&str, &str); 3] =
    [("samplers", "players samplers"), ("searches", "players searches"), ("models", "players models")];

/// How a command of version 0.2 is written today; `None` for every other word.
pub fn former(command: &str) -> Option<&'static str> {
    FORMER.iter().find(|(former, _)| *former == command).map(|(_, today)| *today)
}

/// The program with a help that lists its commands in groups.
pub fn in_groups(program: Command) -> Command {
    let about = |name: &str| match program.find_subcommand(name).and_then(Command::get_about) {
        Some(about) => about.to_string(),
        None => "Print this message or the help of a command".to_owned(),
    };
    let mut listed = String::new();
    for (group, commands) in GROUPS {
        let _ = writeln!(listed, "{group}:");
        for command in commands {
            let _ = writeln!(listed, "  {command:<16}  {}", about(command));
        }
        listed.push('\n');
    }
    program.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{listed}Options:\n{{options}}{{after-help}}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_stands_in_one_group_and_no_former_one_is_a_command() {
        let program = super::super::program();
        let grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, commands)| commands.iter().copied()).collect();
        for command in program.get_subcommands().map(Command::get_name) {
            assert_eq!(grouped.iter().filter(|&&name| name == command).count(), 1, "{command}");
            assert_eq!(former(command), None);
        }
        let known = |name: &&str| *name == "help" || program.find_subcommand(name).is_some();
        assert!(grouped.iter().all(known), "{grouped:?}");
    }
}
