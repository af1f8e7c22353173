//! What the README says of permissions is what the code says: its table is made from the one table in code.

#![allow(clippy::unwrap_used)]

use interlock_domain::Stage;
use interlock_domain::authority;
use std::path::Path;

const BEGIN: &str = "<!-- permissions: begin (checked by tests/e2e/tests/readme.rs) -->\n";
const END: &str = "<!-- permissions: end -->";

#[test]
fn the_permissions_table_is_the_one_in_code() {
    let readme = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md")).unwrap();
    let (_, rest) = readme.split_once(BEGIN).unwrap();
    let (table, _) = rest.split_once(END).unwrap();
    let expected = expected();
    assert!(
        table == expected,
        "the README has\n{table}\nand the code says\n{expected}"
    );
}

/// The table in Markdown, one row for each stage.
fn expected() -> String {
    let mut text = String::from(
        "| stage | writes | is woken by records of | reads records of | reads blobs of |\n|---|---|---|---|---|\n",
    );
    for stage in Stage::ALL {
        let mut writes = vec![format!("`evt.{stage}`"), format!("`blob.{stage}`")];
        if authority::calls_model(stage) {
            writes.push(format!("`call.{stage}`"));
        }
        if authority::writes_controls(stage) {
            writes.push("`ctl`".to_owned());
        }
        if authority::writes_sealed(stage) {
            writes.push("`sealed`".to_owned());
        }
        let mut blobs: Vec<String> = names(authority::reads_blobs_of(stage).iter().copied());
        if authority::reads_sealed(stage) {
            blobs.push("sealed truth".to_owned());
        }
        text.push_str(&format!(
            "| {stage} | {} | {} | {} | {} |\n",
            writes.join(", "),
            names(authority::wakers(stage)).join(", "),
            names(authority::reads_records_of(stage).iter().copied()).join(", "),
            blobs.join(", "),
        ));
    }
    text
}

fn names(stages: impl Iterator<Item = Stage>) -> Vec<String> {
    stages.map(|stage| stage.to_string()).collect()
}
