//! The hostile clients of the player server against a kiosk, at which a good person plays all the while.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use super::hostile_clients::{SHORT, hostile_rules, idle_connections, long_bodies, odd_bytes, slow_loris};
use super::kiosk_client::ServedKiosk;

/// The most memory, in MiB.
const BOUND: u64 = 2048;

/// The longest time for a good match, which has some steps.
const GOOD: Duration = Duration::from_secs(30);

#[test]
fn hostile_clients_and_rules_do_no_harm_to_a_table() {
    let kiosk = ServedKiosk::new("--tables 40");
    let (address, is_over) = (kiosk.address, AtomicBool::new(false));
    let played = std::thread::scope(|scope| {
        let good = scope.spawn(|| {
            let mut played = 0;
            while !is_over.load(Ordering::Relaxed) || played == 0 {
                let order = json!({ "game": "kuhn_poker", "seats": { "bob": "random" }, "seed": played });
                let begun = Instant::now();
                let last = kiosk.lay(&order).play(&mut ChaCha8Rng::seed_from_u64(played), |_| ());
                assert_eq!(last["result"]["outcome"], "over");
                assert!(begun.elapsed() < GOOD, "{:?}", begun.elapsed());
                played += 1;
            }
            played
        });
        let rules = || {
            for text in hostile_rules() {
                for _ in 0..3 {
                    let order = json!({ "rules": text, "seats": {}, "name": "hostile" });
                    let (status, answer) = kiosk.post("/api/tables", &order);
                    assert!([200, 400, 413, 429].contains(&status), "{status}: {answer}");
                    for link in answer["links"].as_array().into_iter().flatten() {
                        let token = link["token"].as_str().unwrap();
                        kiosk
                            .get(&format!("/api/tables/{}?token={token}", answer["table"].as_str().unwrap()));
                    }
                }
                kiosk.post("/api/check", &json!({ "name": "hostile", "text": text }));
            }
            std::thread::sleep(Duration::from_secs(3));
        };
        for (what, attack) in [
            ("slow loris", &(|| slow_loris(address, &SHORT)) as &(dyn Fn() + Sync)),
            ("odd bytes", &|| odd_bytes(address, &SHORT)),
            ("long bodies", &|| long_bodies(address, &SHORT)),
            ("connections", &|| idle_connections(address, &SHORT)),
            ("hostile rules", &rules),
        ] {
            let begun = Instant::now();
            let attacked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(attack));
            let most = kiosk.memory("VmHWM");
            println!("{what}: {:?}, at most {most} MiB", begun.elapsed());
            if attacked.is_err() || most > BOUND {
                is_over.store(true, Ordering::Relaxed);
                panic!("{what}: {most} MiB of at most {BOUND}");
            }
        }
        is_over.store(true, Ordering::Relaxed);
        good.join().unwrap()
    });
    println!("{played} good matches");
    assert!(played > 5, "{played}");
    let log = kiosk.stop().read("log.txt");
    assert!(!log.contains("panic"), "{log}");
}
