//! See `infix_reads_again_as_printed` in the crate's `targets`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    hyperplay_fuzz::infix_reads_again_as_printed(input);
});
