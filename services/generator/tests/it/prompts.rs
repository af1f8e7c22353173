//! What the model is shown, and what follows from what it answers.

use crate::scripted::{Scripted, brief, job, plan};
use interlock_domain::payload::DependencyForm;
use interlock_domain::{FailureClass, Finding, Location, WorkspacePath};
use interlock_generator::{Context, MAX_ATTEMPTS, PROMPT_SOURCE_BYTES, dependencies_of, write_file};
use interlock_stage::WorkError;
use std::collections::BTreeMap;

const GOOD: &str = "```python\ndef load():\n    return [1]\n```\n";

fn path(text: &str) -> WorkspacePath {
    text.parse().unwrap()
}

#[tokio::test]
async fn the_prompt_shows_the_real_source_of_every_dependency() {
    let plan = plan();
    let sources = BTreeMap::from([
        (
            path("src/config.py"),
            "def settings():\n    return {'marker': 1}\n".to_owned(),
        ),
        (path("src/data.py"), "def load():\n    return settings()\n".to_owned()),
    ]);
    let needed = dependencies_of(&plan, &path("src/experiment.py"));
    assert_eq!(
        needed.iter().map(|p| p.as_str()).collect::<Vec<_>>(),
        ["src/config.py", "src/data.py"]
    );
    let context = Context::new(&sources, &needed, &[path("src/data.py")], PROMPT_SOURCE_BYTES);
    let model = Scripted::new(&[GOOD]).await;
    let mut job = job("src/data.py");
    job.dependencies = context;
    let (file, refused) = write_file(&model, &brief(), &plan, &job).await.unwrap();
    assert_eq!(file.unwrap().content, "def load():\n    return [1]\n");
    assert!(refused.is_empty());
    let prompt = model.asked().remove(0);
    assert!(prompt.starts_with("# interlock request: write src/data.py attempt 1\n"));
    for part in [
        "THE TASK",
        "THE HARNESS",
        "{'marker': 1}",
        "purpose of src/experiment.py",
        "the function `load`",
    ] {
        assert!(prompt.contains(part), "{part} is missing in\n{prompt}");
    }
}

#[test]
fn without_room_a_dependency_becomes_its_interface_and_none_is_dropped() {
    let body = "    total = 0\n".repeat(2_000);
    let names = ["a", "b", "c", "d", "e", "f"];
    let sources: BTreeMap<WorkspacePath, String> = names
        .iter()
        .map(|name| {
            (
                path(&format!("src/{name}.py")),
                format!("def {name}(x: int) -> int:\n{body}    return x\n"),
            )
        })
        .collect();
    let all = sources.keys().cloned().collect();
    let direct = [path("src/f.py")];
    let context = Context::new(&sources, &all, &direct, 40_000);
    assert_eq!(context.files.len(), 6, "none is dropped");
    let form = |name: &str| context.forms().into_iter().find(|(p, _)| p.as_str() == name).unwrap().1;
    assert_eq!(
        form("src/f.py"),
        DependencyForm::Source,
        "what is imported directly is reduced last"
    );
    assert_eq!(form("src/a.py"), DependencyForm::Interface);
    let text = context.text();
    for name in names {
        assert!(text.contains(&format!("def {name}(x: int) -> int:")), "{name}");
    }
    assert!(text.len() < 60_000, "{}", text.len());
}

#[tokio::test]
async fn a_refused_answer_is_followed_by_one_that_knows_why() {
    let model = Scripted::new(&["Sure, here it is", GOOD]).await;
    let (file, refused) = write_file(&model, &brief(), &plan(), &job("src/data.py"))
        .await
        .unwrap();
    assert_eq!((file.unwrap().attempt, refused.len()), (2, 1));
    let asked = model.asked();
    assert!(asked[1].starts_with("# interlock request: write src/data.py attempt 2\n"));
    assert!(asked[1].contains("answer/no-file"), "{}", asked[1]);
}

#[tokio::test]
async fn there_is_a_last_answer() {
    let model = Scripted::new(&["no", "no", "no", GOOD]).await;
    let (file, refused) = write_file(&model, &brief(), &plan(), &job("src/data.py"))
        .await
        .unwrap();
    assert!(file.is_none(), "never a stub instead of a file");
    assert_eq!(refused.len(), MAX_ATTEMPTS as usize);
}

#[tokio::test]
async fn what_is_not_the_models_is_never_asked_for() {
    let model = Scripted::new(&[GOOD]).await;
    for name in ["src/metrics.py", "src/main.py", "src/conftest.py", "src/unplanned.py"] {
        let refused = write_file(&model, &brief(), &plan(), &job(name)).await.unwrap_err();
        let WorkError::Failed(failure) = refused else {
            panic!("{name}")
        };
        assert_eq!(failure.failure, FailureClass::Policy, "{name}");
    }
    assert!(model.asked().is_empty());
}

#[tokio::test]
async fn a_repair_shows_the_file_and_the_line_and_may_lose_no_name() {
    let hollow = "```python\ndef other():\n    return 1\n```\n";
    let model = Scripted::new(&[hollow, GOOD]).await;
    let mut repair = job("src/data.py");
    repair.current = Some("import x\n\n\ndef load():\n    return x.y\n".to_owned());
    let at = Location {
        file: "src/data.py".to_owned(),
        line: 5,
        column: 12,
    };
    repair.findings = vec![Finding::new("contracts/attribute", at, "there is no `y`")];
    let (file, refused) = write_file(&model, &brief(), &plan(), &repair).await.unwrap();
    assert_eq!(refused[0].findings[0].rule, "repair/shape");
    assert_eq!(file.unwrap().attempt, 2);
    let asked = model.asked();
    assert!(asked[0].contains("the line is: `return x.y`"), "{}", asked[0]);
    assert!(asked[0].contains("Change what is needed"), "{}", asked[0]);
    repair.rewrite = true;
    let model = Scripted::new(&[GOOD]).await;
    write_file(&model, &brief(), &plan(), &repair).await.unwrap();
    assert!(model.asked()[0].contains("write it afresh"));
}
