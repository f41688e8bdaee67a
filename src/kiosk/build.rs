//! Makes Cargo build the program again when a file of the page, which is part of the program, has changed.

fn main() {
    println!("cargo::rerun-if-changed=page");
}
