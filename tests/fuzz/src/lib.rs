//! What is fuzzed: one function per target, which takes any bytes and panics where something does not hold.
//!
//! The same functions run under libFuzzer (`driver/`) and, over the kept cases, as ordinary tests, so that a target
//! stays true and a crash that was found once is found again.
#![allow(clippy::panic, reason = "a panic is how a target says that something does not hold")]

mod extract;
mod path;
mod record;
mod rules;

/// Takes any bytes, and panics where something does not hold.
pub type Target = fn(&[u8]);

/// Every target by its name.
pub const TARGETS: [(&str, Target); 5] = [
    ("record", record::record),
    ("path", path::path),
    ("extract", extract::extract),
    ("rules", rules::rules),
    ("tree", rules::tree),
];

/// Runs one target.
///
/// # Panics
/// Something does not hold, or there is no such target.
pub fn run(name: &str, data: &[u8]) {
    match TARGETS.iter().find(|(target, _)| *target == name) {
        Some((_, target)) => target(data),
        None => panic!("there is no target {name}"),
    }
}
