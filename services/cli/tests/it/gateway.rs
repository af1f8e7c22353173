//! What the commands make of a gateway that breaks off, lies, or refuses.

use crate::fake::Script;
use crate::moves;
use crate::samples::{blob, digest};
use crate::standing::{run, view};
use crate::stations;
use interlock_cli::client::{ClientError, Gateway};
use interlock_cli::commands::export;
use interlock_cli::error::CliError;
use interlock_cli::exit::Exit;
use interlock_cli::follow::follow;
use interlock_domain::Digest;
use interlock_domain::payload::{Execution, Payload};
use interlock_proto::v1::{RunSummary, RunView};
use std::sync::Mutex;
use tonic::Status;

fn at(station: &str, status: &str) -> RunView {
    view(&stations::at(station), status)
}

fn script(watches: impl IntoIterator<Item = (Vec<RunView>, Option<Status>)>) -> Script {
    Script {
        watches: Mutex::new(watches.into_iter().collect()),
        ..Script::default()
    }
}

#[tokio::test]
async fn a_run_is_followed_through_streams_that_break_off() {
    let broken = || Some(Status::unavailable("the gateway is being started again"));
    let (gateway, script) = script([
        (vec![at("planning", "active"), at("writing 1", "active")], broken()),
        (vec![at("writing 1", "active")], None),
        (vec![], Some(Status::unknown("stream was reset"))),
        (vec![at("running", "active"), at("finished", "accepted")], None),
    ])
    .serve()
    .await;
    let mut seen = Vec::new();
    let last = follow(&gateway, "X", |run| seen.push(run.records.len())).await.unwrap();
    assert!(last.ended());
    assert_eq!(seen, [1, 3, 3, 8, 10]);
    assert!(script.watches.lock().unwrap().is_empty());
}

#[tokio::test]
async fn following_ends_where_a_human_has_to_answer() {
    let mut waiting = at("plan gate", "waiting");
    waiting.gate = "plan".to_owned();
    let (gateway, _) = script([(vec![waiting, at("finished", "accepted")], None)])
        .serve()
        .await;
    let last = follow(&gateway, "X", |_| {}).await.unwrap();
    assert_eq!(last.status(), "waiting");
}

#[tokio::test]
async fn a_refusal_is_not_asked_for_again() {
    let (gateway, _) = script([]).serve().await;
    let error = follow(&gateway, "X", |_| {}).await.unwrap_err();
    assert_eq!(error.to_string(), "following the run: nothing is written for this");
    assert_eq!(error.exit(), Exit::NotAccepted);
}

#[tokio::test]
async fn the_token_goes_with_every_call_and_is_shown_to_nobody() {
    let (gateway, _) = Script::default().serve().await;
    gateway.health().await.unwrap();
    assert!(!format!("{gateway:?}").contains("let me in"));
    let unusable = Gateway::at("127.0.0.1:1", "a\nb").unwrap_err();
    assert!(
        matches!(unusable, ClientError::Unusable { what: "token", .. }),
        "{unusable:?}"
    );
    let nobody = Gateway::at("127.0.0.1:1", "x").unwrap().health().await.unwrap_err();
    assert!(nobody.is_passing() && !nobody.is_refusal(), "{nobody}");
    assert_eq!(CliError::from(nobody).exit(), Exit::Setup);
}

#[tokio::test]
async fn a_list_has_every_page() {
    let runs: Vec<_> = ["5", "4", "3", "2", "1"]
        .map(|id| RunSummary {
            run_id: id.to_owned(),
            ..RunSummary::default()
        })
        .into();
    let (gateway, _) = Script {
        runs: runs.clone(),
        ..Script::default()
    }
    .serve()
    .await;
    assert_eq!(gateway.list().await.unwrap(), runs);
}

#[tokio::test]
async fn content_is_believed_only_if_its_digest_says_so() {
    let content = || vec![b"id,la".to_vec(), b"bel\n".to_vec()];
    let (gateway, _) = Script {
        blob: content(),
        ..Script::default()
    }
    .serve()
    .await;
    assert_eq!(
        gateway.blob("X", Digest::of(b"id,label\n")).await.unwrap(),
        b"id,label\n"
    );
    let other = gateway.blob("X", digest("other")).await.unwrap_err();
    assert!(matches!(other, ClientError::Content(_)), "{other:?}");
    assert_eq!(CliError::from(other).exit(), Exit::Setup);
}

/// A run whose execution left one artifact of this name.
fn with_artifact(name: &str) -> interlock_cli::view::Run {
    let mut chain = stations::at("running");
    chain.then(|state| {
        Payload::Execution(Execution {
            artifacts: vec![blob(name, b"hello", false)],
            ..moves::accepted(state)
        })
    });
    run(&chain, "active")
}

#[tokio::test]
async fn an_export_stays_below_its_folder() {
    let dir = tempfile::tempdir().unwrap();
    let (gateway, _) = Script {
        blob: vec![b"hello".to_vec()],
        ..Script::default()
    }
    .serve()
    .await;
    for name in ["../escaped", "/tmp/escaped", "a/../../escaped"] {
        let out = dir.path().join("out");
        let error = export::write(&gateway, &with_artifact(name), &out).await.unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
        assert!(!out.exists(), "nothing is written of a run that names such a file");
        assert!(!dir.path().join("escaped").exists());
    }
}

#[tokio::test]
async fn an_export_writes_over_nothing() {
    let dir = tempfile::tempdir().unwrap();
    assert!(export::is_free(dir.path()).is_ok());
    assert!(export::is_free(&dir.path().join("new")).is_ok());
    let file = dir.path().join("file");
    std::fs::write(&file, "mine").unwrap();
    for taken in [dir.path(), &file] {
        let error = export::is_free(taken).unwrap_err().to_string();
        assert!(error.contains("new or empty"), "{error}");
    }
    let (gateway, _) = Script::default().serve().await;
    let taken = export::write(&gateway, &with_artifact("stdout.log"), dir.path()).await;
    assert!(taken.is_err());
    assert_eq!(std::fs::read_to_string(file).unwrap(), "mine");
}

#[tokio::test]
async fn an_export_has_the_harness_files_from_its_own_table() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let (gateway, _) = Script::default().serve().await;
    let chain = stations::at("plan gate");
    export::write(&gateway, &run(&chain, "waiting"), &out).await.unwrap();
    let records = std::fs::read_to_string(out.join("records.jsonl")).unwrap();
    assert_eq!(records.lines().count(), 2);
    let result: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(out.join("result.json")).unwrap()).unwrap();
    assert_eq!(result["status"], "waiting");
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(
        page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>"),
        "{page}"
    );
}
