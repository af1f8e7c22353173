//! What a repair may and may not do to a file, from directories of pairs.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use interlock_pysource::shape_of_repair;
use std::path::{Path, PathBuf};

fn pairs(kind: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/repairs").join(kind);
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    found.sort();
    assert!(found.len() >= 3, "{kind}: the pairs are missing");
    found
}

fn lost(pair: &Path) -> Vec<String> {
    let read = |name: &str| std::fs::read_to_string(pair.join(name)).unwrap();
    let findings = shape_of_repair("src/x.py", &read("before.py"), &read("after.py")).unwrap();
    findings
        .into_iter()
        .map(|finding| {
            assert_eq!((finding.rule, finding.file.as_str()), ("repair/shape", "src/x.py"));
            let name = finding.message.split('`').nth(1).unwrap().to_owned();
            let how = if finding.message.contains("disappeared") {
                "disappeared"
            } else {
                "lost its body"
            };
            format!("{name} {how}")
        })
        .collect()
}

#[test]
fn legal_refactors_pass() {
    for pair in pairs("accept") {
        assert_eq!(lost(&pair), Vec::<String>::new(), "{}", pair.display());
    }
}

#[test]
fn what_is_lost_is_named() {
    for pair in pairs("reject") {
        let expected = std::fs::read_to_string(pair.join("expected.txt")).unwrap();
        assert_eq!(lost(&pair), expected.lines().collect::<Vec<_>>(), "{}", pair.display());
    }
}
