//! The commands in groups, as the help lists them, and the commands of version 0.2 that are written in another way
//! today.

use std::fmt::Write as _;

use clap::Command;

/// Every command in one group, in the order of the help.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Play", &["match", "kiosk", "replay", "verify", "games", "players"]),
    ("Write", &["check", "inspect", "convert"]),
    ("Measure", &["experiment", "belief", "solve", "exploit", "learn"]),
    ("Network", &["host", "serve", "check-player"]),
    ("Seldom needed", &["perft", "crosscheck", "bench", "completions", "man", "help"]),
];

/// Commands of version 0.2, each with its words of today.
const FORMER: [(&str, &str); 6] = [
    ("samplers", "players samplers"),
    ("searches", "players searches"),
    ("models", "players models"),
    ("belief-benchmark", "belief --preset benchmark [GAME]..."),
    ("belief-cost", "belief GAME --preset cost"),
    ("experiment slurm", "experiment script FILE --to slurm --shards N"),
];

/// Options of version 0.2, each below its command and with its words of today.
const FORMER_OPTIONS: [(&str, &str, &str); 3] = [
    ("inspect", "--count-information-sets", "--tree"),
    ("experiment", "--log-positions", "--log positions"),
    ("experiment", "--log-particles", "--log particles"),
];

/// A word of version 0.2 among those of a command line, and how it is written today.
pub fn former(words: &[String]) -> Option<(String, String)> {
    let (command, line) = (words.first()?, words.join(" ") + " ");
    if let Some((former, today)) = FORMER.iter().find(|(former, _)| line.starts_with(&format!("{former} "))) {
        return Some((format!("command '{former}'"), format!("hyperplay {today}")));
    }
    let is_there = |of: &&str, option: &&str| of == command && words.iter().any(|word| word == option);
    let (_, former, today) = FORMER_OPTIONS.iter().find(|(of, option, _)| is_there(of, option))?;
    Some((format!("option '{former}'"), (*today).to_owned()))
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
            assert_eq!(former(&[command.to_owned()]), None);
        }
        let known = |name: &&str| *name == "help" || program.find_subcommand(name).is_some();
        assert!(grouped.iter().all(known), "{grouped:?}");
    }
}
