//! The fenced blocks of a Markdown text.

use std::path::Path;

/// A file of the project.
pub fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The fenced blocks of a text: the word behind the fence, and the lines.
pub fn blocks(markdown: &str) -> Vec<(&str, &str)> {
    assert_eq!(markdown.matches("\n```").count() % 2, 0, "every fence is closed");
    let blocks = markdown.split("\n```").skip(1).step_by(2);
    blocks.map(|block| block.split_once('\n').unwrap_or((block, ""))).collect()
}
