//! The gateway as a client sees it: what it refuses, and that a word once given stands (faults G).

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use interlock_cli::client::{ClientError, Gateway};
use interlock_cli::task::LoadedTask;
use interlock_e2e::stack::{Up, copy};
use interlock_e2e::{Home, tasks};
use interlock_proto::v1::{AnswerGateRequest, CancelRunRequest, Decision, Gate, RunView, SubmitRequest, TaskFile};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Answers for two plans, the second one for a revision.
fn answers(home: &Home) -> PathBuf {
    let folder = home.path().join("answers");
    copy(&tasks().join("human-gate/answers"), &folder).unwrap();
    let plan = std::fs::read_to_string(folder.join("plan.1.md")).unwrap();
    let changed = plan.replacen("\"purpose\": \"", "\"purpose\": \"As was asked: ", 1);
    assert_ne!(changed, plan);
    std::fs::write(folder.join("plan.2.md"), changed).unwrap();
    folder
}

fn request() -> SubmitRequest {
    let task = LoadedTask::load(&tasks().join("human-gate")).unwrap();
    SubmitRequest {
        task_toml: task.text,
        files: task.files,
        submitted_by: "test".to_owned(),
    }
}

async fn at_gate(gateway: &Gateway, run: &str) -> RunView {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let view = gateway.show(run).await.unwrap();
        if !view.gate.is_empty() {
            return view;
        }
        assert!(Instant::now() < deadline, "the gate does not open: {:?}", view.summary);
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
}

fn answer(run: &str, about: &str, decision: Decision) -> AnswerGateRequest {
    AnswerGateRequest {
        run_id: run.to_owned(),
        gate: Gate::Plan.into(),
        about: about.to_owned(),
        decision: decision.into(),
        by: "somebody".to_owned(),
        text: "as I say".to_owned(),
    }
}

fn words(refused: Result<RunView, ClientError>) -> String {
    refused.map(|view| view.summary).unwrap_err().to_string()
}

#[tokio::test]
async fn an_answer_names_what_it_answers_and_the_first_one_stands() {
    let home = Home::new().unwrap();
    let stack = Up::start(&home, &answers(&home));
    let gateway = Gateway::at(&stack.address(), &stack.token()).unwrap();
    let run = gateway.submit(request()).await.unwrap();
    let first = at_gate(&gateway, &run).await;
    assert_eq!((first.gate.as_str(), first.next_actor.as_str()), ("plan", "human"));

    gateway
        .answer(answer(&run, &first.gate_about, Decision::Revise))
        .await
        .unwrap();
    let second = at_gate(&gateway, &run).await;
    assert_ne!(second.gate_about, first.gate_about, "a revision brings another plan");

    let stale = words(gateway.answer(answer(&run, &first.gate_about, Decision::Approve)).await);
    assert!(stale.contains("the first answer stands"), "{stale}");
    let nonsense = gateway.answer(answer(&run, "not a digest", Decision::Approve)).await;
    assert!(nonsense.unwrap_err().is_refusal());
    let undecided = gateway
        .answer(answer(&run, &second.gate_about, Decision::Unspecified))
        .await;
    assert!(undecided.unwrap_err().is_refusal(), "silence is no consent");
    assert_eq!(
        at_gate(&gateway, &run).await.gate_about,
        second.gate_about,
        "the gate is still open"
    );

    gateway
        .answer(answer(&run, &second.gate_about, Decision::Approve))
        .await
        .unwrap();
    let late = words(gateway.answer(answer(&run, &second.gate_about, Decision::Reject)).await);
    assert!(
        late.contains("approve") && late.contains("the first answer stands"),
        "{late}"
    );
    let shown = gateway.show(&run).await.unwrap();
    assert_eq!(shown.gate, "");

    // Who answered, and to what, is on record; a finished run stays finished.
    let deadline = Instant::now() + Duration::from_secs(60);
    while gateway.show(&run).await.unwrap().summary.unwrap().status != "accepted" {
        assert!(
            Instant::now() < deadline,
            "{:?}",
            gateway.show(&run).await.unwrap().summary
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let cancel = CancelRunRequest {
        run_id: run.clone(),
        by: "late".to_owned(),
        reason: String::new(),
    };
    let cancelled = gateway.cancel(cancel).await;
    assert!(cancelled.is_err() || cancelled.unwrap().summary.unwrap().status == "accepted");
    assert_eq!(gateway.show(&run).await.unwrap().summary.unwrap().status, "accepted");
    assert_eq!(stack.down().unwrap().code, Some(0));
    assert_eq!(home.leftovers(), []);
}

#[tokio::test]
async fn a_run_that_waits_can_be_cancelled_for_good() {
    let home = Home::new().unwrap();
    let stack = Up::start(&home, &answers(&home));
    let gateway = Gateway::at(&stack.address(), &stack.token()).unwrap();
    let run = gateway.submit(request()).await.unwrap();
    let waiting = at_gate(&gateway, &run).await;
    let cancel = || CancelRunRequest {
        run_id: run.clone(),
        by: "me".to_owned(),
        reason: "enough".to_owned(),
    };
    let cancelled = gateway.cancel(cancel()).await.unwrap();
    assert_eq!(cancelled.summary.unwrap().status, "cancelled");
    assert_eq!(cancelled.cancelled_by, "me");
    assert!(
        gateway
            .answer(answer(&run, &waiting.gate_about, Decision::Approve))
            .await
            .is_err(),
        "cancel is final"
    );
    let other = CancelRunRequest {
        by: "other".to_owned(),
        ..cancel()
    };
    if let Ok(again) = gateway.cancel(other).await {
        assert_eq!(again.cancelled_by, "me", "the first cancellation stands");
        assert!(!again.notice.is_empty(), "and whoever comes second is told so");
    }
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_by_name() {
    let home = Home::new().unwrap();
    let stack = Up::start(&home, &answers(&home));
    let stranger = Gateway::at(&stack.address(), "0000").unwrap();
    assert!(stranger.list().await.is_err(), "a wrong token lists nothing");
    assert!(stranger.submit(request()).await.is_err());

    let gateway = Gateway::at(&stack.address(), &stack.token()).unwrap();
    let unknown = gateway.show("01ARZ3NDEKTSV4RRFFQ69G5FAV").await.unwrap_err();
    assert!(
        unknown.is_refusal() && unknown.to_string().contains("01ARZ3NDEKTSV4RRFFQ69G5FAV"),
        "{unknown}"
    );
    assert!(gateway.show("no run").await.unwrap_err().is_refusal());

    let broken = |change: &dyn Fn(&mut SubmitRequest)| {
        let mut request = request();
        change(&mut request);
        request
    };
    let file = |name: &str| TaskFile {
        name: name.to_owned(),
        content: vec![1],
    };
    let cases: [(&str, SubmitRequest); 5] = [
        ("misspelt", broken(&|r| r.task_toml.push_str("\n[misspelt]\nx = 1\n"))),
        ("TOML", broken(&|r| r.task_toml = "name = ".to_owned())),
        (
            "train.csv",
            broken(&|r| r.files.retain(|file| !file.name.contains("train.csv"))),
        ),
        ("uninvited", broken(&|r| r.files.push(file("uninvited")))),
        ("twice", broken(&|r| r.files.push(r.files[0].clone()))),
    ];
    for (what, request) in cases {
        let refused = gateway.submit(request).await.unwrap_err();
        assert!(refused.is_refusal(), "{what}: {refused}");
        assert!(refused.to_string().contains(what), "{what} is not named: {refused}");
    }
    assert!(gateway.list().await.unwrap().is_empty(), "nothing of it became a run");
}
