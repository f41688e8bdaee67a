//! `hyperplay completions` and `hyperplay man`: completions for a shell and pages of the manual, made from the
//! description of the arguments that the program itself uses.
//!
//! The scripts for bash, zsh and fish ask the program for games, roles and specs ([`complete`](super::complete)) and
//! fall back to the commands and options that they contain. Those for other shells have commands and options only.

use clap::{Args, Command};
use clap_complete::Shell;

use super::failure::{CommandFailure, CommandResult};
use super::output::Output;
use hyperplay_logic::gdl::did_you_mean;

/// Arguments of `completions`.
#[derive(Args, Debug)]
pub struct CompletionsArguments {
    /// The shell to complete in
    shell: Shell,
}

/// Arguments of `man`.
#[derive(Args, Debug)]
pub struct ManArguments {
    /// The page of this command, as in `experiment run` [default: the overview, which lists all pages]
    command: Vec<String>,
    /// List the commands of which there is a page
    #[arg(long, conflicts_with = "command")]
    list: bool,
}

/// Behind the script of bash. The word at the cursor is read from the line, because bash breaks words at `=` and `:`,
/// and what it has broken off is taken from the words found.
const BASH: &str = include_str!("shell/words.bash");

/// Before the end of the script of zsh, whose own function is renamed.
const ZSH: &str = include_str!("shell/words.zsh");

/// Behind the script of fish.
const FISH: &str = include_str!("shell/words.fish");

/// Writes the completions of a shell.
///
/// # Errors
/// If standard output cannot be written to.
pub fn completions(arguments: &CompletionsArguments, mut command: Command, out: &Output) -> CommandResult {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "hyperplay", &mut script);
    let script = String::from_utf8_lossy(&script);
    match arguments.shell {
        Shell::Bash => out.text(&format!("{script}{BASH}")),
        Shell::Fish => out.text(&format!("{script}{FISH}")),
        Shell::Zsh => {
            let script = script.replacen("\n_hyperplay() {", "\n_hyperplay_options() {", 1);
            let end = "if [ \"$funcstack[1]\" = \"_hyperplay\" ]; then";
            out.text(&script.replacen(end, &format!("{ZSH}{end}"), 1))
        }
        _ => out.text(&script),
    }
}

/// Writes a page of the manual in roff.
///
/// # Errors
/// If there is no such command or standard output cannot be written to.
pub fn man(arguments: &ManArguments, mut command: Command, out: &Output) -> CommandResult {
    command.build();
    let all = pages(&command, "");
    if arguments.list {
        return all.iter().try_for_each(|page| out.line(page));
    }
    let is_overview = arguments.command.is_empty();
    let mut page = &command;
    for (depth, name) in arguments.command.iter().enumerate() {
        page = page.find_subcommand(name).ok_or_else(|| no_page(page, &arguments.command[..=depth]))?;
    }
    let mut roff = Vec::new();
    clap_mangen::Man::new(page.clone()).render(&mut roff)?;
    let mut text = String::from_utf8_lossy(&roff).into_owned();
    if is_overview {
        text.push_str(".SH PAGES\nEach of these commands has a page of its own:\n");
        let lines: Vec<String> =
            all.iter().map(|page| format!(".br\nhyperplay man {}\n", page.replace('-', "\\-"))).collect();
        text.push_str(&lines.concat());
    }
    out.text(&text)
}

/// The commands with a page, as they are given to `man`.
fn pages(command: &Command, before: &str) -> Vec<String> {
    let inner = command.get_subcommands().filter(|inner| inner.get_name() != "help");
    inner
        .flat_map(|inner| {
            let name = format!("{before}{}", inner.get_name());
            let below = pages(inner, &format!("{name} "));
            std::iter::once(name).chain(below)
        })
        .collect()
}

fn no_page(command: &Command, named: &[String]) -> CommandFailure {
    let names = || command.get_subcommands().map(Command::get_name).filter(|name| *name != "help");
    let meant = did_you_mean(named.last().map_or("", String::as_str), names());
    let remedy = match names().collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "`hyperplay man --list` lists all pages".to_owned(),
        all => format!("there are {all}; `hyperplay man --list` lists all pages"),
    };
    CommandFailure::usage(format!("there is no command '{}'{meant}", named.join(" ")), remedy)
}
