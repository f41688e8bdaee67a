//! See `policy_is_a_distribution_or_an_error` in the crate's `targets`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    hyperplay_fuzz::policy_is_a_distribution_or_an_error(input);
});
