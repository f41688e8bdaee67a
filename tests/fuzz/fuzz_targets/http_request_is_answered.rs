//! See `http_request_is_answered` in the crate's `targets`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    hyperplay_fuzz::http_request_is_answered(input);
});
