//! The attempts: what was wrong is said, and the number of answers is bounded.

use crate::scripted::{GOOD, Scripted, material};
use interlock_domain::FailureClass;
use interlock_planner::{MAX_ATTEMPTS, propose};
use interlock_stage::WorkError;

const OWNED: &str = r#"{"files": [
  {"path": "src/metrics.py", "purpose": "Mine."},
  {"path": "src/experiment.py", "purpose": "All.", "exports": [{"name": "run", "kind": "function"}]}
]}"#;

#[tokio::test]
async fn a_refused_answer_is_followed_by_one_that_knows_why() {
    let model = Scripted::new(&[(1, OWNED), (2, GOOD)]).await;
    let proposal = propose(&model, &material()).await.unwrap();
    assert_eq!((proposal.attempt, proposal.plan.files().len()), (2, 1));
    assert_eq!((proposal.refused.len(), proposal.refused[0].attempt), (1, 1));
    assert_eq!(proposal.refused[0].findings[0].rule, "plan/owner");
    let prompts = model.prompts.lock().unwrap();
    let first = &prompts[0].user;
    let second = &prompts[1].user;
    assert!(!first.contains("refused"));
    assert!(second.starts_with("# interlock request: plan attempt 2\n"));
    assert!(second.contains("- src/metrics.py: plan/owner: src/metrics.py is written by the harness itself"));
    assert!(second.contains(OWNED), "the refused answer is there to be corrected");
    assert_eq!(proposal.call.prompt, prompts[1].digest());
}

#[tokio::test]
async fn after_the_last_attempt_a_human_is_asked() {
    let cut = format!("---\nfinish: length\n---\n{GOOD}");
    let model = Scripted::new(&[(4, "Sure!"), (5, &cut), (6, OWNED), (7, GOOD)]).await;
    let mut material = material();
    material.first_attempt = 4;
    let WorkError::Failed(failure) = propose(&model, &material).await.unwrap_err() else {
        panic!("not a failure of the stage");
    };
    assert_eq!(failure.failure, FailureClass::Model);
    let attempts: Vec<u32> = failure.refused.iter().map(|r| r.attempt).collect();
    assert_eq!(attempts, [4, 5, 6]);
    assert!(failure.message.contains("src/metrics.py"), "{}", failure.message);
    let prompts = model.prompts.lock().unwrap();
    assert_eq!(prompts.len(), MAX_ATTEMPTS as usize);
    assert!(
        !prompts[2].user.contains("Here it is"),
        "what was cut off is not quoted"
    );
}

#[tokio::test]
async fn without_a_model_there_is_neither_a_plan_nor_an_endless_loop() {
    let model = Scripted::new(&[]).await;
    assert!(matches!(
        propose(&model, &material()).await,
        Err(WorkError::Later { .. })
    ));
    assert_eq!(model.server.stats().started("plan.1"), 1);
}

#[tokio::test]
async fn the_same_material_gives_the_same_prompt() {
    let model = Scripted::new(&[(1, GOOD)]).await;
    let first = propose(&model, &material()).await.unwrap();
    let second = propose(&model, &material()).await.unwrap();
    assert_eq!(first.call.key, second.call.key);
}
