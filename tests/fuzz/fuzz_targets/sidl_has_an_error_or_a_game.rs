//! See `sidl_has_an_error_or_a_game` in the crate's `targets`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    hyperplay_fuzz::sidl_has_an_error_or_a_game(input);
});
