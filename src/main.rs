//! The program `hyperplay`; everything is in [`hyperplay::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    hyperplay::cli::run()
}
