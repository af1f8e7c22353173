//! What a prompt says, and when.

use crate::scripted::{GOOD, Scripted, material};
use interlock_planner::propose;

#[tokio::test]
async fn a_revision_shows_the_plan_and_what_was_said_of_it() {
    let model = Scripted::new(&[(1, GOOD), (2, GOOD)]).await;
    let plain = material();
    let proposal = propose(&model, &plain).await.unwrap();
    let mut revision = plain;
    revision.previous = Some(proposal.plan.clone());
    revision.feedback = "Split off the reading of data.".to_owned();
    revision.first_attempt = 2;
    propose(&model, &revision).await.unwrap();
    let prompts = model.prompts.lock().unwrap();
    let [first, second] = &prompts[..] else { panic!() };
    for part in ["THE TASK", "THE HARNESS"] {
        assert!(first.user.contains(part) && second.user.contains(part));
    }
    assert!(!first.user.contains("## The plan so far"));
    assert!(second.user.contains("## The plan so far"));
    assert!(second.user.contains(r#""path": "src/experiment.py""#));
    assert!(second.user.contains("Split off the reading of data."));
    assert!(!second.user.contains("was refused"));
}

#[tokio::test]
async fn the_rules_name_every_harness_file_s_owner_and_the_form_of_a_plan() {
    let model = Scripted::new(&[(1, GOOD)]).await;
    propose(&model, &material()).await.unwrap();
    let prompts = model.prompts.lock().unwrap();
    assert!(
        prompts[0]
            .system
            .starts_with("<!-- interlock prompt: plan, system, version ")
    );
    for part in ["depends_on", "exports", "purpose", "src/experiment.py", "`run`"] {
        assert!(prompts[0].system.contains(part), "{part}");
    }
    assert!(prompts[0].json);
}
