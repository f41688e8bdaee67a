//! Hash: the identity of a text, as records and plans name it.
//!
//! One text has one hash on every computer and in every version of the program: SHA-256 over its bytes, written
//! `sha256:` and 64 hexadecimal digits.

use sha2::{Digest, Sha256};

use super::symbol::fold;

/// The hash of rules in their canonical print; capitals do not matter.
pub fn rules_hash(canonical: &str) -> String {
    text_hash(&fold(canonical))
}

/// The hash of a text as it stands.
pub fn text_hash(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
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
