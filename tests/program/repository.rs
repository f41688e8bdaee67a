//! A repository of games in the layout of ggp-base: games by the name `ggp:NAME`, and the same games over HTTP.
//!
//! The client over HTTP asks what that of ggp-base asks, in its words: the list, the METADATA, then files at the address of the
//! version.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use super::player_server::exchange;
use crate::common::program::{Folder, run, signal};

/// A folder with a repository in `lent`: nim in two versions, Kuhn poker, and a game whose METADATA is broken.
fn lent() -> Folder {
    let folder = Folder::new();
    let sheet = |name: &str| {
        let path = format!("{}/games/{name}.kif", env!("CARGO_MANIFEST_DIR"));
        std::fs::read_to_string(path).unwrap()
    };
    let put = |path: &str, text: &str| {
        let path = folder.path(&format!("lent/games/{path}"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    let metadata = |name: &str, file: &str| {
        json!({ "gameName": name, "rulesheet": file, "stylesheet": "x.xsl", "description": "x.txt" })
            .to_string()
    };
    put("nim/METADATA", &metadata("Nim", "nim.kif"));
    put("nim/nim.kif", &sheet("perfect/nim"));
    put("nim/x.txt", "Take the last.");
    put("nim/v1/nim.kif", &sheet("perfect/nim").replace("(heap_size d 7)", ""));
    put("kuhn/METADATA", &metadata("Kuhn poker", "kuhn.kif"));
    put("kuhn/kuhn.kif", &sheet("imperfect/kuhn_poker"));
    put("broken/METADATA", "{\"gameName\": ");
    folder.write(
        "short.toml",
        "schema = \"hyperplay.experiment/1\"\nseed = 1\ngames = [\"ggp:kuhn\"]\nrepetitions = 2\n\n\
         [[player]]\nname = \"a\"\nspec = \"random\"\n\n[[player]]\nname = \"b\"\nspec = \"legal\"\n",
    );
    folder
}

/// The program in the folder, with the repository in its environment.
fn with_repository(folder: &Folder, words: &str) -> Command {
    let mut command = folder.program(words);
    command.env("HYPERPLAY_REPOSITORY", "lent");
    command
}

fn json(command: &mut Command) -> Value {
    serde_json::from_str(&run(command, 0).0).unwrap()
}

#[test]
fn a_game_of_a_repository_is_played_checked_and_verified_by_its_name() {
    let folder = lent();
    let played = "match ggp:nim first=random second=legal -n 2 --seed 1 --transcript played.jsonl --json";
    let report = json(&mut with_repository(&folder, played));
    assert_eq!((&report["matches"], &report["game"]), (&json!(2), &json!("ggp:nim/v1")));
    run(&mut with_repository(&folder, "verify played.jsonl"), 0);
    // The versions are two games.
    let moves =
        |name: &str| json(&mut with_repository(&folder, &format!("perft {name} 1 --json")))["counts"].clone();
    assert_ne!(moves("ggp:nim"), moves("ggp:nim/v0"));
    assert_eq!(moves("ggp:nim/v0"), moves("nim"));
    for words in ["check ggp:nim ggp:kuhn", "solve ggp:kuhn --iterations 10", "convert ggp:nim/v0 --to infix"]
    {
        run(&mut with_repository(&folder, words), 0);
    }
}

#[test]
fn an_experiment_names_a_game_of_a_repository_and_keeps_its_version() {
    let folder = lent();
    run(&mut with_repository(&folder, "experiment run short.toml --out out"), 0);
    assert!(folder.read("out/plan.json").contains("\"ggp:kuhn/v0\""), "{}", folder.read("out/plan.json"));
    run(&mut with_repository(&folder, "experiment verify out"), 0);
    run(&mut with_repository(&folder, "experiment report out"), 0);
}

#[test]
fn a_wrong_name_is_told_its_cause_and_what_there_is() {
    let folder = lent();
    for (name, code, parts) in [
        (
            "ggp:num",
            2,
            &["'num' is no game of the repository", "did you mean 'nim'?", "there are broken, kuhn, nim"][..],
        ),
        ("ggp:nim/v7", 2, &["'nim' has no version v7", "there are v0, v1"]),
        ("ggp:../../short.toml", 2, &["has no version behind its slash"]),
        ("ggp:broken", 1, &["lent/games/broken/METADATA: no object of JSON"]),
        ("gpp:nim", 2, &["names 'gpp', which is no source of games", "ggp:"]),
        ("kuhn_poker:cards=13", 2, &["no built-in game takes any", "kuhn_poker or kuhn_poker_4"]),
    ] {
        let (_, said) = run(&mut with_repository(&folder, &format!("check {name}")), code);
        parts.iter().for_each(|part| assert!(said.contains(part), "{name}: {said}"));
    }
    let (_, said) = run(&mut folder.program("check ggp:nim"), 2);
    assert!(said.contains("none is named") && said.contains("HYPERPLAY_REPOSITORY"), "{said}");
    let (_, said) = run(&mut folder.program("host --repository nowhere"), 1);
    assert!(said.contains("nowhere/games"), "{said}");
    assert!(run(&mut folder.program("host"), 2).1.contains("GAME"));
}

/// A running `host --repository`, which is ended with SIGTERM.
struct ServedGames {
    child: Child,
    address: SocketAddr,
}

impl ServedGames {
    fn new(folder: &Folder) -> ServedGames {
        let mut command = folder.program("host --repository lent");
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap().parse().unwrap();
        ServedGames { child, address }
    }

    /// Asks as Java does.
    fn get(&self, path: &str) -> (u16, String) {
        let request = format!(
            "GET {path} HTTP/1.1\r\nUser-Agent: Java/1.8.0_402\r\nHost: {}\r\n\
             Accept: text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2\r\nConnection: keep-alive\r\n\r\n",
            self.address
        );
        let reply = exchange(self.address, request.as_bytes(), Duration::from_secs(60)).unwrap();
        let (head, body) = reply.split_once("\r\n\r\n").unwrap();
        let length =
            head.lines().find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
        assert_eq!(length, Some(body.len()), "{head}");
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }

    fn stop(mut self) {
        signal(&self.child, "TERM");
        assert_eq!(self.child.wait().unwrap().code(), Some(0));
    }
}

impl Drop for ServedGames {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

#[test]
fn a_client_of_ggp_base_reads_the_games_over_http() {
    let folder = lent();
    let served = ServedGames::new(&folder);
    let read = |path: &str| -> Value {
        let (status, body) = served.get(path);
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap()
    };
    assert_eq!(read("/games/"), json!(["broken", "kuhn", "nim"]));
    let bundled = read("/games/metadata");
    assert_eq!(bundled.as_object().unwrap().len(), 2);
    // As ggp-base loads a game: its METADATA, then its files at the address of the version.
    let metadata = read("/games/nim/");
    assert_eq!((&metadata, metadata["version"].as_u64()), (&bundled["nim"], Some(1)));
    assert_eq!(metadata["roleNames"], json!(["first", "second"]));
    let of_version = format!("/games/nim/v{}/", metadata["version"]);
    assert_eq!(read(&of_version), metadata);
    let file = |key: &str| served.get(&format!("{of_version}{}", metadata[key].as_str().unwrap()));
    assert_eq!(file("rulesheet"), (200, folder.read("lent/games/nim/v1/nim.kif")));
    assert_eq!(file("description"), (200, "Take the last.".to_owned()));
    assert_eq!(file("stylesheet").0, 404);
    assert_eq!(served.get("/games/nim/v0/nim.kif"), (200, folder.read("lent/games/nim/nim.kif")));
    assert_eq!(read("/games/nim/v0/METADATA")["version"], 0);
    for path in [
        "/",
        "/games/nothing/",
        "/games/broken/",
        "/games/nim/v7/",
        "/games/../short.toml",
        "/games/%2e%2e/%2e%2e/short.toml",
        "/games/nim/..%2f..%2f..%2fshort.toml",
        "/games/nim/v0/%2fetc%2fpasswd",
        "/short.toml",
    ] {
        let (status, body) = served.get(path);
        assert_eq!((status, body.contains("schema")), (404, false), "{path}: {body}");
    }
    served.stop();
}

#[test]
fn host_plays_a_game_of_the_repository_that_it_serves() {
    let folder = lent();
    let words = "host ggp:kuhn alice=legal bob=legal --repository lent --playclock 60 --seed 1 --json";
    let (printed, said) = run(&mut folder.program(words), 0);
    let report: Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(report["game"], "ggp:kuhn/v0");
    assert!(said.contains("http://127.0.0.1:"), "{said}");
    run(&mut folder.program("host short.toml --repository lent --out hosted"), 0);
}

#[test]
fn the_kiosk_lays_a_table_of_a_repository() {
    let folder = lent();
    let mut kiosk = with_repository(&folder, "kiosk ggp:kuhn bob=legal --port 0");
    let mut child = kiosk.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let lines =
        BufReader::new(child.stdout.take().unwrap()).lines().take(2).collect::<Result<Vec<_>, _>>().unwrap();
    signal(&child, "TERM");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(lines[1].starts_with("alice: http://"), "{lines:?}");
}
