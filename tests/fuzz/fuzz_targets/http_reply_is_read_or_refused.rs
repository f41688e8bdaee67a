//! See `http_reply_is_read_or_refused` in the crate's `targets`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    hyperplay_fuzz::http_reply_is_read_or_refused(input);
});
