//! The program `hyperplay`; everything is in `hyperplay_cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    hyperplay_cli::run()
}
