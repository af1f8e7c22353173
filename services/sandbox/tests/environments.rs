//! Environments are built once, whole or not at all, and what goes wrong is never blamed on the program.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods
)]

mod index;
mod lab;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command as Process;

use index::{Index, PYTHON};
use interlock_domain::Disposition;
use interlock_sandbox::{Arg, End, EnvironmentError, Environments, PYTHON_INSIDE, Tier, python_mounts};
use lab::Bench;
use rustix::fs::FlockOperation;

#[tokio::test]
async fn an_environment_is_built_once_and_used_in_the_sandbox() {
    let index = Index::start();
    let built = index.store("a").ensure(&index.lock()).await.unwrap();
    assert_eq!(built.packages, [("tiny".to_owned(), "1.0".to_owned())]);
    assert!(built.modules.contains("tiny") && built.standard_modules.contains("json"));
    assert_eq!(built.python, built.path.join("bin/python"));
    let compiled = std::fs::read_dir(site(&built.path).join("tiny/__pycache__")).unwrap();
    assert_eq!(compiled.count(), 1, "byte code is compiled");
    let asked = index.asked();
    assert_eq!(index.store("a").ensure(&index.lock()).await.unwrap(), built);
    assert_eq!(index.asked(), asked, "what is there is not built again");
    let elsewhere = index.store("b").ensure(&index.lock()).await.unwrap();
    assert_eq!(
        elsewhere.digest, built.digest,
        "the digest does not depend on the place"
    );
    assert_ne!(elsewhere.path, built.path);

    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let mut command = bench.python("import sys, tiny; print(tiny.ANSWER, sys.prefix != sys.base_prefix)");
        command.program = Arg::inside(PYTHON_INSIDE);
        command.mounts.extend(python_mounts(&built.path).unwrap());
        let seen = bench.run(command).await;
        assert_eq!(
            (seen.end, seen.stdout.to_text().as_str()),
            (End::Exited(0), "42 True\n"),
            "{seen:?}"
        );
    }
}

fn site(environment: &Path) -> PathBuf {
    let lib = std::fs::read_dir(environment.join("lib"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    lib.path().join("site-packages")
}

#[tokio::test]
async fn nothing_to_install_is_an_environment_too() {
    let index = Index::start();
    let built = index.store("a").ensure(b"").await.unwrap();
    assert!(built.packages.is_empty() && built.python.exists());
    assert_ne!(
        built.digest,
        index.store("a").ensure(b"# other\n").await.unwrap().digest
    );
}

#[tokio::test]
async fn two_builders_build_one_environment() {
    let index = Index::start();
    index.store("alone").ensure(&index.lock()).await.unwrap();
    let asked_by_one = index.asked();
    let (one, two, lock) = (index.store("a"), index.store("a"), index.lock());
    let (one, two) = tokio::join!(one.ensure(&lock), two.ensure(&lock));
    assert_eq!(one.unwrap(), two.unwrap());
    assert_eq!(index.asked(), 2 * asked_by_one);
}

#[tokio::test]
async fn a_builder_that_is_not_waited_for_stops_at_once() {
    let index = Index::start();
    index.close();
    let (store, lock) = (index.store("a"), index.lock());
    tokio::select! {
        built = store.ensure(&lock) => panic!("{built:?}"),
        () = index.until_asked() => {}
    }
    assert!(nobody_builds(&index), "the installer is gone, and its lock with it");
    index.open();
    store.ensure(&lock).await.unwrap();
}

/// Whether the lock of the store's one environment is free.
fn nobody_builds(index: &Index) -> bool {
    let names = index.names("a");
    let lock = names.iter().find(|name| name.ends_with(".lock")).unwrap();
    let file = File::options().write(true).open(index.root("a").join(lock)).unwrap();
    rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()
}

/// Starts itself again as the builder that is killed.
#[tokio::test]
async fn what_a_killed_builder_leaves_is_never_used() {
    if let Ok(words) = std::env::var("INTERLOCK_TEST_BUILDER") {
        let [root, uv, lock]: [String; 3] = serde_json::from_str(&words).unwrap();
        let store = Environments::new(root.into(), uv.into(), PYTHON.into());
        panic!("built all the same: {:?}", store.ensure(lock.as_bytes()).await);
    }
    let index = Index::start();
    index.close();
    let store = index.store("a");
    let uv = index
        .names("")
        .into_iter()
        .find(|name| name.starts_with("uv-a-"))
        .unwrap();
    let words = serde_json::json!([
        index.root("a"),
        index.root(&uv),
        String::from_utf8(index.lock()).unwrap()
    ]);
    let mut builder = Process::new(std::env::current_exe().unwrap())
        .args(["--exact", "what_a_killed_builder_leaves_is_never_used"])
        .env("INTERLOCK_TEST_BUILDER", words.to_string())
        .spawn()
        .unwrap();
    index.until_asked().await;
    builder.kill().unwrap();
    builder.wait().unwrap();
    assert!(index.names("a").iter().any(|name| name.ends_with(".building")));
    assert!(
        !nobody_builds(&index),
        "its installer still works on the folder, so nobody else may"
    );
    index.open();
    let built = store.ensure(&index.lock()).await.unwrap();
    assert!(site(&built.path).join("tiny/__init__.py").exists());
    assert!(!index.names("a").iter().any(|name| name.ends_with(".building")));
}

#[tokio::test]
async fn a_folder_without_a_description_is_built_anew() {
    let index = Index::start();
    let built = index.store("a").ensure(&index.lock()).await.unwrap();
    let planted = site(&built.path).join("tiny/planted.py");
    std::fs::write(&planted, "").unwrap();
    let names = index.names("a");
    let description = names.iter().find(|name| name.ends_with(".json")).unwrap();
    std::fs::write(index.root("a").join(description), "{\"digest\": \"cut o").unwrap();
    assert_eq!(index.store("a").ensure(&index.lock()).await.unwrap(), built);
    assert!(!planted.exists());
}

#[tokio::test]
async fn errors_say_who_is_to_blame() {
    let index = Index::start();
    let wrong_hash = format!("tiny==1.0 --hash=sha256:{}\n", "a".repeat(64));
    let unknown = format!("none==1.0 --hash=sha256:{}\n", index.hash);
    for lock in [wrong_hash, unknown] {
        let error = index.store("a").ensure(lock.as_bytes()).await.unwrap_err();
        assert!(matches!(error, EnvironmentError::NotInstallable(_)), "{lock}{error:?}");
        assert_eq!(error.disposition(), Disposition::Refuse);
    }
    let error = index.store("a").ensure(b"tiny==1.0\n").await.unwrap_err();
    assert!(matches!(error, EnvironmentError::BadLock { line: 1, .. }), "{error:?}");

    // Nobody listens there any more.
    let free = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let error = index.store_asking(free, "a").ensure(&index.lock()).await.unwrap_err();
    assert!(matches!(error, EnvironmentError::Network(_)), "{error:?}");
    assert_eq!(error.disposition(), Disposition::Retry);

    let none = Environments::new(index.root("a"), "/no/such/uv".into(), PYTHON.into());
    let error = none.ensure(&index.lock()).await.unwrap_err();
    assert!(matches!(error, EnvironmentError::Tool { .. }) && error.to_string().contains("/no/such/uv"));
    assert_eq!(error.disposition(), Disposition::Escalate);

    let left = index.names("a");
    assert!(
        left.iter().all(|name| name.ends_with(".lock")),
        "nothing is left half-built: {left:?}"
    );
    index.store("a").ensure(&index.lock()).await.unwrap();
}
