//! The architecture as a test: who may import whom, who may hold which power, how long a file may be.
//!
//! The rules stand in `tests/e2e/layout.toml`; no rule is written down here.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods
)]

mod doctored;
mod graph;
mod sources;
mod table;

use std::path::PathBuf;

fn root() -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the repository's root")
}

fn report(violations: &[String]) {
    assert!(violations.is_empty(), "\n{}", violations.join("\n"));
}

#[test]
fn crates_are_as_in_the_table() {
    report(&table::Table::read(&root()).violations(&graph::Graph::read(&root())));
}

#[test]
fn sources_are_as_in_the_table() {
    report(&table::Table::read(&root()).sources.violations(&root()));
}
