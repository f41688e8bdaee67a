//! The files of the page. They are part of the program and need nothing from elsewhere.

/// A file of the page: its name, its type, its text.
pub(super) type PageFile = (&'static str, &'static str, &'static str);

macro_rules! files {
    ($($name:literal as $kind:literal),+ $(,)?) => {
        [$(($name, $kind, include_str!(concat!("page/", $name)))),+]
    };
}

/// All files.
const FILES: &[PageFile] = &files![
    "api.js" as "text/javascript; charset=utf-8",
    "belief.js" as "text/javascript; charset=utf-8",
    "board.css" as "text/css; charset=utf-8",
    "board.js" as "text/javascript; charset=utf-8",
    "diagram.js" as "text/javascript; charset=utf-8",
    "dom.js" as "text/javascript; charset=utf-8",
    "favicon.svg" as "image/svg+xml",
    "form.js" as "text/javascript; charset=utf-8",
    "glyphs.js" as "text/javascript; charset=utf-8",
    "hands.js" as "text/javascript; charset=utf-8",
    "hint.js" as "text/javascript; charset=utf-8",
    "index.html" as "text/html; charset=utf-8",
    "lobby.js" as "text/javascript; charset=utf-8",
    "main.js" as "text/javascript; charset=utf-8",
    "moves.js" as "text/javascript; charset=utf-8",
    "picture.js" as "text/javascript; charset=utf-8",
    "review.js" as "text/javascript; charset=utf-8",
    "rulesheet.js" as "text/javascript; charset=utf-8",
    "scene.js" as "text/javascript; charset=utf-8",
    "styles.css" as "text/css; charset=utf-8",
    "switches.js" as "text/javascript; charset=utf-8",
    "table.js" as "text/javascript; charset=utf-8",
    "watch.js" as "text/javascript; charset=utf-8",
];

/// The file of a name.
pub(super) fn file(name: &str) -> Option<PageFile> {
    FILES.iter().find(|(own, ..)| *own == name).copied()
}
