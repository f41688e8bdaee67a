//! Makes Cargo build the program again when a game is added to `games/`, which is part of the program.

fn main() {
    println!("cargo::rerun-if-changed=sheets");
}
