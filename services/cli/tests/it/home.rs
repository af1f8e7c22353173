//! The state folder: one stack at a time, secrets for their owner only.

use interlock_cli::home::{Home, HomeError, write_secret};
use interlock_cli::notice::{Kind, Member, Notice};
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

fn at(root: &Path) -> Home {
    let root = OsString::from(root);
    Home::find(|name| (name == "INTERLOCK_HOME").then(|| root.clone())).unwrap()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn notice(kind: Kind) -> Notice {
    Notice {
        kind,
        pid: 4711,
        address: "127.0.0.1:1".to_owned(),
        broker: "nats://127.0.0.1:2".to_owned(),
        model: None,
        model_url: None,
        members: vec![Member {
            name: "planner".to_owned(),
            pid: Some(4712),
            restarts: 3,
        }],
    }
}

#[test]
fn the_environment_says_where_it_is() {
    let find = |pairs: &[(&str, &str)]| {
        Home::find(|name| {
            pairs
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| value.into())
        })
        .map(|home| home.root().to_owned())
    };
    let all = [("INTERLOCK_HOME", "/a"), ("XDG_STATE_HOME", "/b"), ("HOME", "/c")];
    assert_eq!(find(&all).unwrap(), PathBuf::from("/a"));
    assert_eq!(find(&all[1..]).unwrap(), PathBuf::from("/b/interlock"));
    assert_eq!(find(&all[2..]).unwrap(), PathBuf::from("/c/.local/state/interlock"));
    assert_eq!(
        find(&[("INTERLOCK_HOME", ""), ("HOME", "/c")]).unwrap(),
        PathBuf::from("/c/.local/state/interlock")
    );
    assert!(find(&[("INTERLOCK_HOME", "here")]).unwrap().is_absolute());
    assert!(matches!(find(&[]), Err(HomeError::Nowhere)));
}

#[tokio::test]
async fn one_stack_holds_it_at_a_time() {
    let dir = tempfile::tempdir().unwrap();
    let home = at(&dir.path().join("state"));
    assert!(!home.is_held().unwrap(), "a folder that does not exist yet");
    let lock = home.lock().await.unwrap();
    assert!(home.is_held().unwrap());
    home.write_notice(&notice(Kind::Private)).unwrap();
    let taken = home.lock().await.unwrap_err();
    let text = taken.to_string();
    assert!(text.contains("process 4711") && text.contains("interlock up"), "{text}");
    drop(lock);
    assert!(!home.is_held().unwrap());
    assert!(home.notice().is_some(), "a stale notice is no stack");
    assert!(home.lock().await.is_ok());
}

#[tokio::test]
async fn whoever_only_asks_takes_nothing_from_whoever_starts() {
    let dir = tempfile::tempdir().unwrap();
    let home = at(dir.path());
    drop(home.lock().await.unwrap());
    // Held as a question holds it: shared, and for less than a moment.
    let asked = fs::File::open(home.path("lock")).unwrap();
    asked.try_lock_shared().unwrap();
    assert!(!home.is_held().unwrap(), "two questions do not disturb each other");
    let (lock, ()) = tokio::join!(home.lock(), async {
        tokio::task::yield_now().await;
        drop(asked);
    });
    assert!(lock.is_ok(), "{lock:?}");
}

#[test]
fn a_notice_is_read_as_it_was_written() {
    let dir = tempfile::tempdir().unwrap();
    let home = at(dir.path());
    assert_eq!(home.notice(), None);
    home.write_notice(&notice(Kind::Shared)).unwrap();
    assert_eq!(home.notice(), Some(notice(Kind::Shared)));
    fs::write(home.path("stack.json"), "{").unwrap();
    assert_eq!(home.notice(), None, "half a notice is none");
    home.remove_notice();
    home.remove_notice();
}

#[test]
fn only_the_owner_reads_what_is_secret() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("state");
    let home = at(&root);
    home.folder("").unwrap();
    let token = home.ensure_token().unwrap();
    assert_eq!(token.len(), 64);
    assert_eq!(home.ensure_token().unwrap(), token, "it stays the same");
    assert_eq!(mode(&home.token_file()), 0o600);
    assert_eq!(mode(&root), 0o700);
    fs::set_permissions(&root, fs::Permissions::from_mode(0o755)).unwrap();
    let logs = home.folder("logs").unwrap();
    assert_eq!(mode(&logs), 0o700);

    // A file of the same name that others may read does not stay one.
    let path = root.join("key");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    write_secret(&path, b"new").unwrap();
    assert_eq!((mode(&path), fs::read(&path).unwrap()), (0o600, b"new".to_vec()));
    let other = at(dir.path()).ensure_token().unwrap();
    assert_ne!(other, token);
}

#[test]
fn a_folder_that_cannot_be_used_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "").unwrap();
    let text = at(&file).folder("").unwrap_err().to_string();
    assert!(text.contains("file") && text.contains("INTERLOCK_HOME"), "{text}");
}
