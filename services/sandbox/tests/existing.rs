//! An interpreter that is there is used as it is: seen from inside the sandbox, and nothing is written into it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod lab;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use interlock_domain::Disposition;
use interlock_sandbox::{EnvironmentError, Tier, existing};
use lab::Bench;

const PYTHON: &str = "/usr/bin/python3";

/// A virtual environment with one module, and a distribution that says so.
fn environment(folder: &Path) -> PathBuf {
    let place = folder.join("there");
    let version = fs::canonicalize(PYTHON)
        .unwrap()
        .file_name()
        .unwrap()
        .to_str()
        .unwrap()
        .to_owned();
    let site = place.join("lib").join(version).join("site-packages");
    fs::create_dir_all(place.join("bin")).unwrap();
    fs::create_dir_all(site.join("tiny-1.0.dist-info")).unwrap();
    fs::write(
        place.join("pyvenv.cfg"),
        "home = /usr/bin\ninclude-system-site-packages = false\n",
    )
    .unwrap();
    symlink(PYTHON, place.join("bin/python")).unwrap();
    fs::write(site.join("tiny.py"), "raise SystemExit('imported')\n").unwrap();
    fs::write(
        site.join("tiny-1.0.dist-info/METADATA"),
        "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n",
    )
    .unwrap();
    place
}

fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path.clone());
            }
            found.push(path);
        }
    }
    found.sort();
    found
}

#[tokio::test]
async fn a_virtual_environment_is_seen_as_it_is_and_stays_so() {
    let folder = tempfile::tempdir().unwrap();
    let place = environment(folder.path());
    let before = below(&place);
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let by_folder = existing(&place, &bench.sandbox, folder.path()).await.unwrap();
        assert_eq!(by_folder.packages, [("tiny".to_owned(), "1.0".to_owned())]);
        assert!(by_folder.modules.contains("tiny") && by_folder.standard_modules.contains("json"));
        let by_python = existing(&place.join("bin/python"), &bench.sandbox, folder.path())
            .await
            .unwrap();
        assert_eq!(by_python, by_folder, "its interpreter's link is not followed out of it");
    }
    assert_eq!(below(&place), before);
}

#[tokio::test]
async fn another_package_is_another_digest() {
    let folder = tempfile::tempdir().unwrap();
    let place = environment(folder.path());
    let bench = Bench::new(Tier::Namespaces).await;
    let first = existing(&place, &bench.sandbox, folder.path()).await.unwrap();
    let site = below(&place)
        .into_iter()
        .find(|path| path.ends_with("tiny.py"))
        .unwrap();
    fs::write(site.with_file_name("more.py"), "").unwrap();
    let second = existing(&place, &bench.sandbox, folder.path()).await.unwrap();
    assert!(second.modules.contains("more") && second.digest != first.digest);
}

#[tokio::test]
async fn an_interpreter_or_a_shim_of_one_brings_all_that_it_has() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::new(Tier::Namespaces).await;
    let shim = folder.path().join("shim");
    fs::write(&shim, format!("#!/bin/sh\nexec {PYTHON} \"$@\"\n")).unwrap();
    fs::set_permissions(&shim, fs::Permissions::from_mode(0o755)).unwrap();
    let mut digests = Vec::new();
    for (number, named) in [Path::new(PYTHON), &shim].into_iter().enumerate() {
        let scratch = folder.path().join(number.to_string());
        let seen = existing(named, &bench.sandbox, &scratch).await.unwrap();
        assert!(seen.standard_modules.contains("json"));
        digests.push(seen.digest);
    }
    assert_eq!(digests[0], digests[1]);
}

#[tokio::test]
async fn what_is_no_interpreter_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::new(Tier::Namespaces).await;
    let script = folder.path().join("script");
    fs::write(&script, "#!/bin/sh\necho no\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    for wrong in [folder.path().to_owned(), script, folder.path().join("none")] {
        let error = existing(&wrong, &bench.sandbox, &folder.path().join("s"))
            .await
            .unwrap_err();
        assert!(matches!(error, EnvironmentError::NotAnInterpreter { .. }), "{error}");
        assert!(error.to_string().contains(wrong.to_str().unwrap()), "{error}");
        assert_eq!(error.disposition(), Disposition::Refuse);
    }
}
