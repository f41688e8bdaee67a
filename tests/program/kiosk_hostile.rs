//! The hostile clients of the player server against a kiosk, at which a good person plays all the while.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;
use serde_json::json;

use super::hostile_clients::{
    SHORT, attack_beside, hostile_rules, idle_connections, long_bodies, odd_bytes, slow_loris,
};
use super::kiosk_client::ServedKiosk;

/// The most memory, in MiB.
const BOUND: u64 = 2048;

#[test]
fn hostile_clients_and_rules_do_no_harm_to_a_table() {
    let kiosk = ServedKiosk::new("--tables 40");
    let (address, is_over, played) = (kiosk.address, AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let good = scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                let seed = played.load(Ordering::Relaxed);
                let order = json!({ "game": "kuhn_poker", "seats": { "bob": "random" }, "seed": seed });
                let last = kiosk.lay(&order).play(&mut ChaCha8Rng::seed_from_u64(seed as u64), |_| ());
                assert_eq!(last["result"]["outcome"], "over");
                played.fetch_add(1, Ordering::Relaxed);
            }
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
        };
        for (what, attack) in [
            ("slow loris", &(|| slow_loris(address, &SHORT)) as &(dyn Fn() + Sync)),
            ("odd bytes", &|| odd_bytes(address, &SHORT)),
            ("long bodies", &|| long_bodies(address, &SHORT)),
            ("connections", &|| idle_connections(address, &SHORT)),
            ("hostile rules", &rules),
        ] {
            let begun = Instant::now();
            let attacked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                attack_beside(&played, 2, || good.is_finished(), attack);
            }));
            let most = kiosk.memory("VmHWM");
            println!("{what}: {:?}, at most {most} MiB", begun.elapsed());
            if attacked.is_err() || most > BOUND {
                is_over.store(true, Ordering::Relaxed);
                panic!("{what}: {most} MiB of at most {BOUND}");
            }
        }
        is_over.store(true, Ordering::Relaxed);
        good.join().unwrap();
    });
    let played = played.into_inner();
    println!("{played} good matches");
    assert!(played >= 10, "{played}");
    let log = kiosk.stop().read("log.txt");
    assert!(!log.contains("panic"), "{log}");
}
