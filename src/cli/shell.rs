//! `hyperplay completions` and `hyperplay man`: completions for a shell and pages of the manual, made from the
//! description of the arguments that the program itself uses.

use clap::{Args, Command};
use clap_complete::Shell;

use super::failure::CommandFailure;
use super::output::Output;

/// Arguments of `completions`.
#[derive(Args, Debug)]
pub struct CompletionsArguments {
    /// The shell to complete in
    shell: Shell,
}

/// Arguments of `man`.
#[derive(Args, Debug)]
pub struct ManArguments {
    /// The page of this command [default: the overview]
    command: Option<String>,
}

/// Writes the completions of a shell.
///
/// # Errors
/// If standard output cannot be written to.
pub fn completions(
    arguments: &CompletionsArguments,
    mut command: Command,
    out: &Output,
) -> Result<(), CommandFailure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "hyperplay", &mut script);
    out.text(&String::from_utf8_lossy(&script))
}

/// Writes a page of the manual in roff.
///
/// # Errors
/// If there is no such command or standard output cannot be written to.
pub fn man(arguments: &ManArguments, mut command: Command, out: &Output) -> Result<(), CommandFailure> {
    command.build();
    let page = match &arguments.command {
        None => command,
        Some(name) => command.find_subcommand(name).cloned().ok_or_else(|| {
            let names: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
            CommandFailure::usage(
                format!("there is no command '{name}'"),
                format!("there are {}", names.join(", ")),
            )
        })?,
    };
    let mut roff = Vec::new();
    clap_mangen::Man::new(page).render(&mut roff)?;
    out.text(&String::from_utf8_lossy(&roff))
}
