//! The browser table in a browser: `tests/browser/kiosk.py` plays at `hyperplay kiosk` with headless Chromium.
//!
//! The script needs Python 3 with selenium, Chromium and ChromeDriver. Where one of them is missing, the test says so and
//! passes. What the script asks of each page is in its head.

use std::process::Command;

use crate::common::program::Folder;

#[test]
fn people_play_replay_and_check_rules_in_a_browser() {
    let folder = Folder::new();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/browser/kiosk.py");
    let mut command = Command::new("python3");
    command.args([script, env!("CARGO_BIN_EXE_hyperplay")]).arg(folder.path("pictures"));
    let Ok(output) = command.output() else {
        println!("skipped: there is no python3");
        return;
    };
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    let (printed, said) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{printed}{said}");
    println!("{printed}{said}");
    if !printed.starts_with("skipped: ") {
        assert!(folder.path("pictures/lobby-360-dark.png").is_file(), "{printed}{said}");
    }
}
