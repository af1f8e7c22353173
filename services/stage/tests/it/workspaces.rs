//! From a manifest to files, with the harness's own byte for byte.

use crate::server::Server;
use bytes::Bytes;
use interlock_domain::manifest::Entry;
use interlock_domain::owned::{self, entry_of};
use interlock_domain::{Manifest, Owner, Stage, WorkspacePath};
use interlock_stage::workspace::{Sources, WorkspaceError, changed, check_ownership, lay_out, sources};
use std::os::unix::fs::PermissionsExt as _;

fn path(text: &str) -> WorkspacePath {
    text.parse().unwrap()
}

fn manifest(change: impl FnOnce(&mut Vec<(WorkspacePath, Entry)>)) -> Manifest {
    let mut entries: Vec<_> = owned::harness_entries().into_iter().collect();
    entries.push((path("src/experiment.py"), entry_of("x = 1\n", Owner::Model)));
    change(&mut entries);
    Manifest::new(entries).unwrap()
}

#[test]
fn the_harness_is_compared_in_both_directions() {
    check_ownership(&manifest(|_| {})).unwrap();
    let ours = path(owned::FILES[0].path);
    let replace = |entry: Entry| {
        let ours = ours.clone();
        manifest(move |entries| {
            entries.retain(|(path, _)| *path != ours);
            entries.push((ours, entry));
        })
    };
    let missing = manifest(|entries| entries.retain(|(path, _)| *path != ours));
    assert!(matches!(check_ownership(&missing), Err(WorkspaceError::Missing(p)) if p == ours.as_str()));
    let mut other_mode = entry_of(owned::FILES[0].content, Owner::Harness);
    other_mode.mode ^= 0o111;
    let cases = [
        replace(entry_of("other content", Owner::Harness)),
        replace(entry_of(owned::FILES[0].content, Owner::Model)),
        replace(entry_of(owned::FILES[0].content, Owner::User)),
        replace(other_mode),
        // Somebody's file that says it is ours.
        manifest(|entries| entries.push((path("src/ours.py"), entry_of("", Owner::Harness)))),
        // A name that a candidate may never create.
        manifest(|entries| entries.push((path("src/sitecustomize.py"), entry_of("", Owner::Model)))),
    ];
    for manifest in cases {
        let checked = check_ownership(&manifest);
        assert!(
            matches!(checked, Err(WorkspaceError::NotOurs(_))),
            "{checked:?} for {manifest:?}"
        );
    }
}

#[tokio::test]
async fn sources_are_read_and_laid_out_and_a_change_is_seen() {
    let server = Server::ready().await;
    let generator = server.stage(Stage::Generator).await.bus;
    generator.put_blob(b"x = 1\n").await.unwrap();
    let verifier = server.stage(Stage::Verifier).await.bus;
    let read = sources(&verifier, &manifest(|_| {})).await.unwrap();
    assert_eq!(read.len(), owned::FILES.len() + 1);
    assert_eq!(read[&path("src/experiment.py")], "x = 1\n");

    let dir = tempfile::tempdir().unwrap();
    lay_out(dir.path(), &read).unwrap();
    for (at, content) in &read {
        let file = dir.path().join(at.as_str());
        assert_eq!(std::fs::read(&file).unwrap(), content.to_vec());
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o444);
    }
    assert!(changed(dir.path(), &read).is_empty());
    let touch = |at: &str, act: &dyn Fn(&std::path::Path)| {
        let file = dir.path().join(at);
        let before = std::fs::read(&file).unwrap();
        act(&file);
        assert_eq!(changed(dir.path(), &read), [path(at)]);
        let _ = std::fs::remove_file(&file);
        std::fs::write(&file, before).unwrap();
    };
    let ours = owned::FILES[0].path;
    let rewrite = |bytes: &'static [u8]| {
        move |file: &std::path::Path| {
            std::fs::remove_file(file).unwrap();
            std::fs::write(file, bytes).unwrap();
        }
    };
    touch("src/experiment.py", &rewrite(b"x = 2\n"));
    touch(ours, &rewrite(b""));
    touch(ours, &|file| std::fs::remove_file(file).unwrap());
    // The same bytes through a link are not the same file.
    touch(ours, &|file| {
        let aside = file.with_extension("aside");
        std::fs::rename(file, &aside).unwrap();
        std::os::unix::fs::symlink(&aside, file).unwrap();
    });
    // What stands there already is not written over.
    let again = lay_out(dir.path(), &read);
    assert!(matches!(again, Err(WorkspaceError::Write { .. })), "{again:?}");
}

#[test]
fn a_link_in_the_way_is_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(outside.path().join("x"), dir.path().join("a.py")).unwrap();
    let read = Sources::from([(path("a.py"), Bytes::from_static(b"x"))]);
    assert!(matches!(lay_out(dir.path(), &read), Err(WorkspaceError::Write { .. })));
    assert!(std::fs::read_dir(outside.path()).unwrap().next().is_none());
}
