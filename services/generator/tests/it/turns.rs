//! A whole turn, from a run's state to the files of its candidate.

use crate::scripted::{Scripted, brief, plan, wide_plan};
use interlock_domain::state::Phase;
use interlock_domain::{FailureClass, Finding, Location, RunId, RunState, WorkspacePath};
use interlock_generator::{Ask, Asked, MAX_ATTEMPTS, Turn, take};
use interlock_model::Prompt;
use interlock_stage::WorkError;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{Barrier, Notify};

const CONFIG: &str = "def settings():\n    return {'marker': 1}\n";
const DATA: &str = "from config import settings\n\n\ndef load():\n    return settings()\n";
const RUN: &str = "from data import load\n\n\ndef run(config, recorder):\n    return load()\n";

fn path(text: &str) -> WorkspacePath {
    text.parse().unwrap()
}

fn block(text: &str) -> String {
    format!("```python\n{text}```\n")
}

fn sources() -> BTreeMap<WorkspacePath, String> {
    [
        ("src/config.py", CONFIG),
        ("src/data.py", DATA),
        ("src/experiment.py", RUN),
    ]
    .map(|(name, text)| (path(name), text.to_owned()))
    .into()
}

fn state(phase: Phase) -> RunState {
    let mut state = RunState::new(RunId::from_parts(1, 1));
    state.phase = phase;
    state
}

/// A repair of the whole workspace, for something that was found so often.
fn repair(finding: Finding, times: u32) -> RunState {
    let mut state = state(Phase::Repairing { level: 3 });
    for file in sources().into_keys() {
        state.attempts.insert(file, 1);
    }
    state.faults.insert(finding.fingerprint(), times);
    state.findings = vec![finding];
    state
}

fn names(turn: &Turn) -> Vec<(&str, u32)> {
    let files = turn.written.iter().map(|(file, _)| (file.path.as_str(), file.attempt));
    files.collect()
}

#[tokio::test]
async fn a_level_is_written_from_what_stands_below_it() {
    let model = Scripted::answering(&[("src/data.py.1", &block(DATA))]).await;
    let below = BTreeMap::from([(path("src/config.py"), CONFIG.to_owned())]);
    let turn = take(&model, &brief(), &state(Phase::Writing { level: 2 }), &plan(), below)
        .await
        .unwrap();
    assert_eq!(names(&turn), [("src/data.py", 1)]);
    assert_eq!(turn.written[0].1.forms()[0].0, path("src/config.py"));
    assert!(model.asked()[0].contains("'marker': 1"));
}

/// Gives no answer before there are two questions.
struct Meeting {
    model: Scripted,
    both: Barrier,
}

impl Ask for Meeting {
    async fn ask(&self, purpose: &str, prompt: &Prompt) -> Result<Asked, WorkError> {
        self.both.wait().await;
        self.model.ask(purpose, prompt).await
    }
}

#[tokio::test]
async fn files_of_a_level_are_written_at_the_same_time() {
    let answers = [("src/config.py.1", block(CONFIG)), ("src/data.py.1", block(DATA))];
    let answers: Vec<(&str, &str)> = answers.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let model = Scripted::answering(&answers).await;
    let both = Barrier::new(2);
    let meeting = Meeting { model, both };
    let (brief, plan, state) = (brief(), wide_plan(), state(Phase::Writing { level: 1 }));
    let turn = take(&meeting, &brief, &state, &plan, BTreeMap::new());
    let turn = tokio::time::timeout(Duration::from_secs(30), turn).await;
    let turn = turn.expect("one waits for the other").unwrap();
    assert_eq!(names(&turn), [("src/config.py", 1), ("src/data.py", 1)]);
}

/// Answers for `src/data.py` only after another question has failed.
struct Late {
    model: Scripted,
    failed: Notify,
    answered: AtomicBool,
}

impl Ask for Late {
    async fn ask(&self, purpose: &str, prompt: &Prompt) -> Result<Asked, WorkError> {
        if purpose.contains("src/data.py") {
            self.failed.notified().await;
        }
        let answer = self.model.ask(purpose, prompt).await;
        match &answer {
            Ok(_) => self.answered.store(true, Ordering::Relaxed),
            Err(_) => self.failed.notify_one(),
        }
        answer
    }
}

#[tokio::test]
async fn a_file_that_fails_costs_the_others_of_its_level_nothing() {
    let late = Late {
        model: Scripted::answering(&[("src/data.py.1", &block(DATA))]).await,
        failed: Notify::new(),
        answered: AtomicBool::new(false),
    };
    let (brief, plan, state) = (brief(), wide_plan(), state(Phase::Writing { level: 1 }));
    let turn = take(&late, &brief, &state, &plan, BTreeMap::new());
    let turn = tokio::time::timeout(Duration::from_secs(30), turn).await;
    let refused = turn.expect("one waits for the other");
    assert!(matches!(refused, Err(WorkError::Failed(_))), "{refused:?}");
    assert!(late.answered.load(Ordering::Relaxed), "its answer was not heard out");
}

#[tokio::test]
async fn the_next_turn_counts_its_answers_on() {
    let model = Scripted::answering(&[("src/config.py.4", &block(CONFIG))]).await;
    let mut state = state(Phase::Writing { level: 1 });
    state.attempts.insert(path("src/config.py"), MAX_ATTEMPTS);
    let turn = take(&model, &brief(), &state, &plan(), BTreeMap::new()).await.unwrap();
    assert_eq!(names(&turn), [("src/config.py", MAX_ATTEMPTS + 1)]);
}

#[tokio::test]
async fn a_file_that_no_answer_holds_is_a_failure_that_names_it() {
    let promises: Vec<(String, &str)> = (1..=MAX_ATTEMPTS)
        .map(|n| (format!("src/config.py.{n}"), "Sure, here it is"))
        .collect();
    let promises: Vec<(&str, &str)> = promises.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let model = Scripted::answering(&promises).await;
    let state = state(Phase::Writing { level: 1 });
    let refused = take(&model, &brief(), &state, &plan(), BTreeMap::new()).await;
    let WorkError::Failed(failure) = refused.unwrap_err() else {
        panic!("not a failure")
    };
    assert_eq!(failure.failure, FailureClass::Model);
    assert!(failure.message.contains("src/config.py"), "{}", failure.message);
    assert_eq!(failure.refused.len(), MAX_ATTEMPTS as usize);
}

#[tokio::test]
async fn what_was_found_once_is_edited_where_it_was_found() {
    let model = Scripted::answering(&[("src/data.py.2", &block(DATA))]).await;
    let finding = Finding::new("imports/relative", Location::file("src/data.py"), "relative");
    let turn = take(&model, &brief(), &repair(finding, 1), &plan(), sources())
        .await
        .unwrap();
    assert_eq!(names(&turn), [("src/data.py", 2)]);
    let asked = model.asked();
    assert!(asked[0].contains("Change what is needed"), "{}", asked[0]);
    assert!(!asked[0].contains("## Files that import from yours"), "{}", asked[0]);
}

#[tokio::test]
async fn what_was_found_twice_is_written_afresh_on_both_sides_and_from_below() {
    let mended = CONFIG.replace("'marker': 1", "'mended': 2");
    let answers = [("src/config.py.2", block(&mended)), ("src/data.py.2", block(DATA))];
    let answers: Vec<(&str, &str)> = answers.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let model = Scripted::answering(&answers).await;
    let mut finding = Finding::new("contracts/call", Location::file("src/data.py"), "wrong keyword");
    finding.other = Some(Location::file("src/config.py"));
    let turn = take(&model, &brief(), &repair(finding, 2), &plan(), sources())
        .await
        .unwrap();
    assert_eq!(names(&turn), [("src/config.py", 2), ("src/data.py", 2)]);
    let asked = model.asked();
    assert!(
        asked.iter().all(|prompt| prompt.contains("write it afresh")),
        "{asked:?}"
    );
    assert!(asked[0].contains("## Files that import from yours"), "{}", asked[0]);
    assert!(
        asked[1].contains("'mended': 2"),
        "the second sees what the first became"
    );
}

#[tokio::test]
async fn in_any_other_phase_nothing_is_asked() {
    let model = Scripted::answering(&[]).await;
    for phase in [
        Phase::Planning,
        Phase::PlanGate,
        Phase::Ready,
        Phase::Running,
        Phase::Finished,
    ] {
        let turn = take(&model, &brief(), &state(phase), &plan(), sources()).await.unwrap();
        assert!(turn.written.is_empty());
    }
    assert!(model.asked().is_empty());
}
