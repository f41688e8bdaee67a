//! Builds the program again when a game is added to `games/`, which it carries with it.

fn main() {
    println!("cargo::rerun-if-changed=../../games");
}
