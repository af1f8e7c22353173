//! One tiny program for each way to fail, run by the real interpreter in the real sandbox, in both tiers: expected class
//! against seen. A case is a folder below `classes`; adding one needs no Rust.
//!
//! `expect.json`: `class` and a part of the reason (`says`); `limits` as a task writes them; `in_the_way` puts a folder
//! where the result is written, before anything of the model's is started.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use interlock_domain::payload::Judgement;
use interlock_domain::task::Limits;
use interlock_domain::{FailureClass, owned};
use interlock_executor::folders::{Folders, write_input};
use interlock_executor::judge::{Facts, Judged, judge};
use interlock_executor::program;
use interlock_executor::recorded::{self, MAX_RECORDED_BYTES, NoResult};
use interlock_sandbox::{Environments, Mount, ResultError, ResultFolder, Sandbox, SandboxConfig, Tier, python_mounts};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use tokio_util::sync::CancellationToken;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    class: String,
    says: String,
    #[serde(default)]
    limits: Limits,
    #[serde(default)]
    in_the_way: bool,
}

struct Case {
    name: String,
    folder: PathBuf,
    expected: Expected,
}

fn cases() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/classes");
    let mut cases: Vec<Case> = std::fs::read_dir(root)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let text = std::fs::read(entry.path().join("expect.json")).unwrap();
            Case {
                name: entry.file_name().into_string().unwrap(),
                folder: entry.path(),
                expected: serde_json::from_slice(&text).unwrap(),
            }
        })
        .collect();
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}

fn built(name: &str) -> PathBuf {
    std::env::current_exe().unwrap().ancestors().nth(2).unwrap().join(name)
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// As the executor does it: folders, harness files, the command of an execution, the result beneath its folder.
async fn judged(sandbox: &Sandbox, mounts: Vec<Mount>, scratch: &Path, case: &Case) -> Judged {
    let folders = Folders::make(scratch, &case.name).unwrap();
    for file in &owned::FILES {
        write_input(&folders.work().join(file.path), file.content.as_bytes()).unwrap();
    }
    for entry in std::fs::read_dir(&case.folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "py") {
            let place = folders.work().join("src").join(path.file_name().unwrap());
            write_input(&place, &std::fs::read(&path).unwrap()).unwrap();
        }
    }
    write_input(&folders.task().join("config.json"), b"{}").unwrap();
    write_input(&folders.inputs().join("train.csv"), b"id,label\n").unwrap();
    if case.expected.in_the_way {
        std::fs::create_dir(folders.out().join("recorded.json")).unwrap();
    }
    let command = program::command(&folders, mounts, &case.expected.limits, "nonce");
    let seen = sandbox.run(command, CancellationToken::new()).await.unwrap();
    let bytes =
        ResultFolder::open(&folders.out()).and_then(|out| out.read(Path::new("recorded.json"), MAX_RECORDED_BYTES));
    let recorded = match bytes {
        Ok(bytes) => recorded::read(&bytes, "nonce"),
        Err(ResultError::Missing { .. }) => Err(NoResult::Missing),
        Err(why) => Err(NoResult::Unsafe(why.to_string())),
    };
    judge(&Facts {
        observed: &program::observed(&seen),
        tampered: &[],
        doubts: &[],
        recorded: &recorded,
        scored: None,
        around: &[],
        criteria: &[],
        stderr_tail: &seen.stderr.to_text(),
    })
}

async fn all_in(tier: Tier) {
    let folder = tempfile::tempdir().unwrap();
    let sandbox = Sandbox::probe(SandboxConfig {
        launcher: built("interlock-launcher"),
        supervisor: built("interlock-supervisor"),
        bwrap: on_path("bwrap"),
        tier: Some(tier),
        scratch: folder.path().join("sandbox"),
    });
    let sandbox = sandbox.await.unwrap();
    let uv = on_path("uv").expect("uv, which `make setup` fetches");
    let environments = Environments::new(
        folder.path().join("environments"),
        uv,
        PathBuf::from("/usr/bin/python3"),
    );
    let environment = environments.ensure(b"").await.unwrap();
    let mounts = python_mounts(&environment.path).unwrap();
    let mut wrong = Vec::new();
    for case in cases() {
        let judged = judged(&sandbox, mounts.clone(), &folder.path().join("executions"), &case).await;
        let (class, reason) = match judged.judgement {
            Judgement::Failed(class, reasons) => (class.name(), reasons.join("; ")),
            other @ (Judgement::Accepted | Judgement::Refused(_)) => ("none", format!("{other:?}")),
        };
        if class != case.expected.class || !reason.contains(&case.expected.says) {
            let (name, expected) = (&case.name, &case.expected);
            wrong.push(format!(
                "{name}: expected {} ({}), seen {class}: {reason}",
                expected.class, expected.says
            ));
        }
    }
    assert!(wrong.is_empty(), "in tier {tier}:\n{}", wrong.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_end_has_its_class_in_namespaces() {
    all_in(Tier::Namespaces).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_end_has_its_class_behind_landlock() {
    all_in(Tier::Landlock).await;
}

#[test]
fn every_class_that_a_program_can_bring_about_has_a_case() {
    let mut named: BTreeSet<String> = cases().into_iter().map(|case| case.expected.class).collect();
    assert!(
        named.remove("none"),
        "a program that copes with all of it has not failed"
    );
    let all = FailureClass::ALL.into_iter();
    // What the model did not answer never gets as far as a program.
    let expected: BTreeSet<String> = all
        .filter(|class| *class != FailureClass::Model)
        .map(|class| class.name().to_owned())
        .collect();
    assert_eq!(named, expected);
}
