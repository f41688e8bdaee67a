//! Hashes: the identity of a text, as transcripts, records and plans name it.
//!
//! The hash of a text is SHA-256 of its bytes, written as `sha256:` and 64 hexadecimal digits. It is the same on every
//! computer and in every version of the program.

use sha2::{Digest, Sha256};

use hyperplay_machine::terms::fold;

/// The hash of rules in their canonical print. The case of letters does not matter.
///
/// ```
/// use hyperplay_logic::gdl::{rules_hash, text_hash};
///
/// assert_eq!(rules_hash("(ROLE x)"), rules_hash("(role X)"));
/// assert_ne!(text_hash("(ROLE x)"), text_hash("(role X)"));
/// assert!(text_hash("").starts_with("sha256:e3b0c442"));
/// ```
pub fn rules_hash(canonical: &str) -> String {
    text_hash(&fold(canonical))
}

/// The hash of a text as it is. The example is at [`rules_hash`].
pub fn text_hash(text: &str) -> String {
    let hex: String = sha256(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// The SHA-256 digest of bytes. O(bytes).
pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_the_rules_ignores_capitals_and_is_sha_256() {
        assert_eq!(rules_hash("(ROLE x)"), rules_hash("(role X)"));
        assert_ne!(text_hash("(ROLE x)"), text_hash("(role X)"));
        let empty = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(rules_hash(""), empty);
    }
}
