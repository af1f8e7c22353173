//! The boot probe: what holds is used, what does not is refused, and a demanded tier never falls to the other.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods
)]

mod lab;

use interlock_domain::Disposition;
use interlock_sandbox::{Sandbox, SandboxError, Tier};
use lab::config;
use serde_json::{Value, json};
use std::process::{Command as Process, Output};

#[tokio::test]
async fn the_strongest_tier_is_taken_and_every_canary_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let sandbox = Sandbox::probe(config(None, folder.path())).await.unwrap();
    assert_eq!(sandbox.tier(), Tier::Namespaces);
    let report = sandbox.probe_report();
    assert_eq!(report.tiers.len(), 1);
    assert_eq!(report.tiers[0].canaries.len(), 20, "ten canaries in two profiles");
    assert!(report.tiers[0].holds() && report.tiers[0].canaries.iter().all(|canary| canary.ok));
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        0,
        "nothing is left of the probe"
    );
}

#[tokio::test]
async fn without_bubblewrap_only_the_landlock_tier_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let mut without = config(None, folder.path());
    without.bwrap = None;
    let sandbox = Sandbox::probe(without.clone()).await.unwrap();
    assert_eq!(sandbox.tier(), Tier::Landlock);
    assert!(!sandbox.probe_report().tiers[0].holds() && sandbox.probe_report().tiers[1].holds());

    without.tier = Some(Tier::Namespaces);
    let error = Sandbox::probe(without.clone()).await.unwrap_err();
    assert!(matches!(error, SandboxError::NoTier(_)), "{error:?}");
    assert_eq!(error.disposition(), Disposition::Escalate);
    let (sandbox, report) = Sandbox::try_tiers(without).await.unwrap();
    assert!(sandbox.is_none() && report.tiers.len() == 1 && report.tiers[0].why_not().contains("bubblewrap"));
}

/// Stands in for bubblewrap and puts up no wall at all: runs what comes after `--` as it is.
const NO_WALLS: &str = "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n";

#[tokio::test]
async fn walls_that_do_not_stand_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let fake = folder.path().join("bwrap");
    std::fs::write(&fake, NO_WALLS).unwrap();
    std::fs::set_permissions(&fake, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut broken = config(Some(Tier::Namespaces), &folder.path().join("scratch"));
    broken.bwrap = Some(fake);
    let (sandbox, report) = Sandbox::try_tiers(broken).await.unwrap();
    assert!(sandbox.is_none() && !report.tiers[0].holds(), "{report:?}");
}

#[tokio::test]
async fn missing_tools_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut missing = config(None, folder.path());
    missing.supervisor = "/no/such/supervisor".into();
    let error = Sandbox::probe(missing).await.unwrap_err();
    assert!(
        matches!(&error, SandboxError::Missing { path, .. } if path.ends_with("supervisor")),
        "{error:?}"
    );
}

/// The program for people, with these words and this search path.
fn probe_program(words: &[&str], path: &str) -> Output {
    let program = env!("CARGO_BIN_EXE_interlock-sandbox-probe");
    Process::new(program)
        .args(words)
        .env_clear()
        .env("PATH", path)
        .output()
        .unwrap()
}

#[test]
fn the_program_answers_with_one_object_and_its_status() {
    let answer = probe_program(&[], "/usr/bin");
    let said: Value = serde_json::from_slice(&answer.stdout).unwrap();
    let holds = json!({"tier": "namespaces", "ok": true, "reason": ""});
    assert_eq!(said, json!({"tier": "namespaces", "tried": [holds]}));
    assert!(answer.status.success());

    let launcher = env!("CARGO_BIN_EXE_interlock-launcher");
    let answer = probe_program(&["--launcher", launcher], "/no/bubblewrap/here");
    let said: Value = serde_json::from_slice(&answer.stdout).unwrap();
    assert_eq!(
        (&said["tier"], &said["tried"][1]["ok"]),
        (&json!("landlock"), &json!(true))
    );
    assert_eq!(said["tried"][0]["ok"], json!(false));
    assert!(
        said["tried"][0]["reason"].as_str().unwrap().contains("bubblewrap"),
        "{said}"
    );
    assert!(answer.status.success());

    // Something that is no launcher: no wall stands, so no tier holds.
    let answer = probe_program(&["--launcher", "/bin/true"], "/usr/bin");
    let said: Value = serde_json::from_slice(&answer.stdout).unwrap();
    assert_eq!(
        (&said["tier"], said["tried"].as_array().unwrap().len()),
        (&Value::Null, 2)
    );
    assert_eq!(answer.status.code(), Some(1));
}

#[test]
fn the_program_names_what_it_was_not_asked_rightly() {
    let cases: [(&[&str], &str); 3] = [
        (&["--supervisor"], "\"--supervisor\" needs a path"),
        (
            &["--tier", "x"],
            "\"--tier\" is not known; usage: interlock-sandbox-probe [--launcher PATH]",
        ),
        (&["--launcher", "/no/such/file"], "/no/such/file: No such file"),
    ];
    for (words, wanted) in cases {
        let answer = probe_program(words, "/usr/bin");
        let said = String::from_utf8(answer.stderr).unwrap();
        assert!(said.contains(wanted) && answer.stdout.is_empty(), "{said}");
        assert_eq!(answer.status.code(), Some(1));
    }
}
