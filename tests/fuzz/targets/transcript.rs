//! Records of matches: transcripts of a referee, and what a player server has perceived.

use std::fmt::Debug;
use std::sync::{Arc, OnceLock};

use hyperplay::engine::{Engine, EngineKind, Engines};
use hyperplay::gdl::{Source, load};
use hyperplay::referee::{
    EvidenceRecord, ExplainEffort, Transcript, verify, verify_commands, verify_evidence,
};
use hyperplay::sidl::InteractionMachine;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A record is read again as it is written. It agrees with the rules of Kuhn poker, and a transcript with those of an auction in SIDL,
/// or the first difference is told in a sentence.
pub fn transcript_reads_again_as_written(input: &[u8]) -> bool {
    let text = String::from_utf8_lossy(input);
    let (kuhn, auction) = machines();
    let transcript = read_again::<Transcript>(&text);
    if let Some(transcript) = &transcript {
        // So that the steps are looked at, the rules are those that the transcript names.
        if let Err(difference) = verify(&**kuhn, &transcript.rules, transcript) {
            assert!(!difference.to_string().is_empty());
        }
        if verify(auction, &transcript.rules, transcript).is_ok()
            && let Err(difference) = verify_commands(auction, transcript)
        {
            assert!(!difference.to_string().is_empty());
        }
    }
    let evidence = read_again::<EvidenceRecord>(&text);
    if let Some(record) = &evidence {
        let effort = ExplainEffort { nodes: 2000, ..ExplainEffort::default() };
        if let Err(difference) = verify_evidence(kuhn, &record.heading.rules, record, &effort) {
            assert!(!difference.to_string().is_empty());
        }
    }
    transcript.is_some() || evidence.is_some()
}

/// The record of a text; nothing if it is none.
fn read_again<T: Serialize + DeserializeOwned + PartialEq + Debug>(text: &str) -> Option<T> {
    let record: T = serde_json::from_str(text).ok()?;
    let line = serde_json::to_string(&record).expect("a record has words as keys");
    assert!(!line.contains('\n'), "a record is one line");
    assert_eq!(serde_json::from_str::<T>(&line).ok().as_ref(), Some(&record), "{line}");
    Some(record)
}

fn machines() -> &'static (Arc<Engine>, InteractionMachine) {
    static MACHINES: OnceLock<(Arc<Engine>, InteractionMachine)> = OnceLock::new();
    MACHINES.get_or_init(|| {
        let kuhn = include_str!("../../../games/imperfect/kuhn_poker.kif");
        let kuhn = load(Source::new("kuhn_poker", kuhn), None).game.expect("the rules are in order");
        let auction = include_str!("../../../games/sidl/dutch_auction.sidl");
        let auction = hyperplay::sidl::load(Source::new("dutch_auction.sidl", auction));
        let auction = InteractionMachine::new(&auction.game.expect("the rules are in order"));
        (Engines::new(&kuhn).get(EngineKind::Auto).expect("it can be evaluated"), auction)
    })
}
