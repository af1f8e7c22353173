//! The target `path` under libFuzzer.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| interlock_fuzz::run("path", data));
