//! See `transcript_reads_again_as_written` in the crate's `targets`.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    hyperplay_fuzz::transcript_reads_again_as_written(input);
});
