//! The soak in short, and that what it looks for would be seen.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::disallowed_methods)]

use interlock_soak::{Holdings, Kind, soak};
use std::path::Path;
use std::process::Command;

#[tokio::test]
async fn nothing_is_left_of_forty_programs() {
    let runs = 44;
    // Tests lie one folder below the programs.
    let own = std::env::current_exe().unwrap();
    let report = soak(runs, own.parent().and_then(Path::parent).unwrap()).await.unwrap();
    assert!(report.good(), "{report:?}");
    assert_eq!(report.counts.values().sum::<usize>(), runs);
    assert_eq!(report.counts.len(), Kind::ALL.len());
}

#[test]
fn what_is_left_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let scratch = folder.path().join("scratch");
    std::fs::create_dir_all(scratch.join("landlock")).unwrap();
    let before = Holdings::now("no-such-word", &scratch).unwrap();
    std::fs::write(scratch.join("landlock/run-1"), "").unwrap();
    let _open = std::fs::File::open("/dev/null").unwrap();
    let mut child = Command::new("sleep").arg("60").spawn().unwrap();
    let now = Holdings::now("no-such-word", &scratch).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let more = now.more_than(&before).join("; ");
    for told in ["descriptors", "process", "file", "run-1"] {
        assert!(more.contains(told), "{told}: {more}");
    }
    assert_eq!(before.more_than(&before), Vec::<String>::new());
}
