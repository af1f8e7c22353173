//! What a hostile program leaves behind is read, listed and removed without following it anywhere.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod lab;

use std::collections::BTreeMap;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use interlock_domain::Disposition;
use interlock_sandbox::{EntryKind, ResultError, ResultFolder, Tier, remove_tree};
use lab::Bench;
use rustix::fs::{CWD, FileType, Mode};

#[tokio::test]
async fn a_hostile_tree_is_read_and_removed() {
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        // What it makes counts as too much where a folder cannot be read; it is there all the same.
        let seen = bench.run(bench.program("hostile_tree.py")).await;
        assert_eq!(seen.survivors, 0, "{seen:?}");
        let out = bench.out();
        rustix::fs::mknodat(CWD, out.join("pipe.json"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(out.join("socket")).unwrap();

        let folder = ResultFolder::open(&out).unwrap();
        let read = |name: &str| folder.read(Path::new(name), 4096);
        assert_eq!(read("plain.json").unwrap(), b"{}");
        assert_eq!(read("sub/inner.txt").unwrap(), b"inner");
        assert!(matches!(read("link"), Err(ResultError::Escapes(_))));
        assert!(matches!(read("loop"), Err(ResultError::Escapes(_))));
        assert!(matches!(read("folder_link/passwd"), Err(ResultError::Escapes(_))));
        assert!(matches!(read("../src/main.py"), Err(ResultError::Escapes(_))));
        assert!(matches!(read("/etc/passwd"), Err(ResultError::Escapes(_))));
        assert!(matches!(read("sub"), Err(ResultError::NotAFile(_))));
        assert!(matches!(read("pipe.json"), Err(ResultError::NotAFile(_))));
        assert!(matches!(read("socket"), Err(ResultError::NotAFile(_))));
        assert!(matches!(read("none"), Err(ResultError::Missing(_))));
        let large = read("large.bin").unwrap_err();
        assert!(matches!(large, ResultError::TooLarge { limit: 4096, .. }));
        assert_eq!(large.disposition(), Disposition::Refuse);

        let listing = folder.list(1000, 10).unwrap();
        let kinds: BTreeMap<&[u8], EntryKind> = listing
            .entries
            .iter()
            .map(|entry| (entry.path.as_os_str().as_bytes(), entry.kind))
            .collect();
        assert_eq!(kinds[&b"bad\xff\nname"[..]], EntryKind::File);
        assert_eq!(kinds[&b"link"[..]], EntryKind::Link);
        assert_eq!(kinds[&b"sub/inner.txt"[..]], EntryKind::File);
        assert_eq!(kinds[&b"pipe.json"[..]], EntryKind::Other);
        assert!(kinds.keys().all(|name| !name.starts_with(b"folder_link/")));
        let short = folder.list(3, 10).unwrap();
        assert!(short.truncated && short.entries.len() == 3);
        assert!(folder.list(1000, 1).unwrap().truncated);

        remove_tree(&out).unwrap();
        assert!(!out.exists() && Path::new("/etc/passwd").exists());
    }
}

#[test]
fn a_tree_deeper_than_any_path_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("root");
    std::fs::create_dir(&root).unwrap();
    let mut at = rustix::fs::open(&root, rustix::fs::OFlags::DIRECTORY, Mode::empty()).unwrap();
    for depth in 0..2500 {
        let name = format!("{depth}-{}", "d".repeat(200));
        rustix::fs::mkdirat(&at, &name, Mode::RWXU).unwrap();
        let next = rustix::fs::openat(&at, &name, rustix::fs::OFlags::DIRECTORY, Mode::empty()).unwrap();
        if depth % 7 == 0 {
            rustix::fs::fchmod(&next, Mode::RUSR | Mode::XUSR | Mode::WUSR).unwrap();
        }
        at = next;
    }
    remove_tree(&root).unwrap();
    assert!(!root.exists());
}

#[test]
fn only_folders_are_removed_and_links_are_no_folders() {
    let folder = tempfile::tempdir().unwrap();
    let (kept, link) = (folder.path().join("kept"), folder.path().join("link"));
    std::fs::create_dir(&kept).unwrap();
    std::fs::write(kept.join("file"), "x").unwrap();
    std::os::unix::fs::symlink(&kept, &link).unwrap();
    assert!(remove_tree(&link).is_err());
    assert!(kept.join("file").exists());
    remove_tree(&folder.path().join("not/there")).unwrap();
    remove_tree(&folder.path().join("not-there")).unwrap();
    std::fs::set_permissions(&kept, std::fs::Permissions::from_mode(0o000)).unwrap();
    remove_tree(&kept).unwrap();
    assert!(!kept.exists());
}
