//! The files of the page. They are part of the program and need nothing from elsewhere.

use include_dir::{Dir, include_dir};

static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/page");

/// The file of a name: its type and its text.
pub(super) fn file(name: &str) -> Option<(&'static str, &'static str)> {
    let kind = match name.rsplit_once('.')?.1 {
        "css" => "text/css; charset=utf-8",
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        _ => return None,
    };
    Some((kind, FILES.get_file(name)?.contents_utf8()?))
}
