//! Every check over one workspace, in the order in which their answers help.
//!
//! Knows neither bus nor chain, and decides nothing but which check runs: a check that did not run says so.

use crate::extra::{self, Extra};
use crate::files;
use crate::import::{self, Question};
use crate::reach::Reach;
use crate::static_rules::{self, Surroundings, contradiction};
use crate::syntax;
use crate::testing;
use crate::toolbox::{Bench, ToolError};
use crate::tree;
use crate::verdict::failure;
use crate::workshop::Workshop;
use interlock_domain::check::{CheckAnswer, CheckResult, Findings};
use interlock_domain::finding::bounded;
use interlock_domain::task::Limits;
use interlock_domain::{FailureClass, Manifest, Plan};
use interlock_pysource::Declared;
use interlock_sandbox::{Environment, Sandbox};
use interlock_stage::workspace::Sources;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Room for the findings of all checks in a verdict, in bytes: two thirds of what a record may have.
const FINDINGS_BYTES: usize = 600 * 1024;

/// What is to be checked.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The plan that it follows.
    pub plan: &'a Plan,
    /// The workspace.
    pub manifest: &'a Manifest,
    /// Its content.
    pub sources: &'a Sources,
    /// Where it will run.
    pub environment: &'a Environment,
    /// The task's limits.
    pub limits: &'a Limits,
    /// Whether the whole planned workspace is there.
    pub complete: bool,
    /// What is asked for beyond the checks that always run.
    pub extra: &'a Extra,
}

/// What all checks said.
#[derive(Debug)]
pub struct Checked {
    /// Every check's answer.
    pub checks: Vec<CheckResult>,
    /// Version of the interpreter.
    pub interpreter: String,
    /// Class of the failure; `None` for a pass.
    pub failure: Option<FailureClass>,
}

/// Runs every check.
///
/// # Errors
/// A check could not be run, which is never the workspace's fault.
pub async fn run(workshop: &Workshop, subject: Subject<'_>, cancel: &CancellationToken) -> Result<Checked, ToolError> {
    let sandbox = &*workshop.sandbox;
    let bench = Bench::new(&workshop.scratch, subject.sources, subject.environment)?;
    let python = files::python_files(subject.sources).map_err(ToolError::NotText)?;
    let mut checks = vec![files::ownership(subject.manifest), files::formats(subject.sources)];
    let preload = files::preload(&python, subject.environment);
    let compile = syntax::Question {
        files: &python,
        environment: subject.environment,
        preload: &preload,
    };
    let (syntax, interpreter) = syntax::run(&bench, workshop, compile, cancel).await?;
    checks.push(syntax);
    checks.extend(
        rules(
            &bench,
            sandbox,
            subject.environment,
            static_rules::declared(subject.plan, &python),
            Texts::of(&python, subject.sources),
            cancel,
        )
        .await?,
    );
    let mut class = None;
    let tests = testing::test_files(subject.plan, subject.manifest);
    if checks.iter().all(CheckResult::passed) {
        let question = Question {
            files: &files::import_order(subject.plan, subject.manifest),
            environment: subject.environment,
            reach: &Reach::of(subject.sources),
            preload: &preload,
            each: Duration::from_secs(subject.limits.import_seconds),
            memory_bytes: subject.limits.memory_mb << 20,
        };
        let (imported, import_class) = import::run(&bench, workshop, question, cancel).await?;
        checks.push(imported);
        class = import_class;
    } else {
        checks.push(not_run(import::CHECK, import::VERSION));
    }
    // Tests need everything that they import, and so the whole workspace.
    if !tests.is_empty() && subject.complete {
        if checks.iter().all(CheckResult::passed) {
            let question = testing::Question {
                files: &tests,
                plan: Some(subject.plan),
                limits: subject.limits,
            };
            let (tested, test_class) = testing::run(&bench, sandbox, question, cancel).await?;
            checks.push(tested);
            class = test_class;
        } else {
            checks.push(not_run(testing::CHECK, testing::VERSION));
        }
    }
    if subject.complete {
        let answers = if checks.iter().all(CheckResult::passed) {
            subject.extra.run(&bench, sandbox, subject, cancel).await?
        } else {
            subject.extra.not_run()
        };
        class = class.or(extra::class_of(&answers));
        checks.extend(answers.into_iter().map(|(result, _)| result));
    }
    Ok(Checked {
        failure: failure(&checks, class),
        checks: on_record(checks),
        interpreter,
    })
}

/// What fits into a record, whatever was found: a file can bring a finding for each of its lines.
fn on_record(mut checks: Vec<CheckResult>) -> Vec<CheckResult> {
    let with_findings = checks.iter().filter(|check| !check.findings().is_empty()).count();
    let room = FINDINGS_BYTES / with_findings.max(1);
    for check in &mut checks {
        match &mut check.answer {
            CheckAnswer::Failed(found) => {
                let no_opinion = found.no_opinion;
                check.answer = Findings::new(bounded(found.as_slice().to_vec(), room))
                    .map(|found| CheckAnswer::Failed(found.with_no_opinion(no_opinion)))
                    .unwrap_or_else(contradiction);
            }
            CheckAnswer::TimedOut { findings, .. } => *findings = bounded(std::mem::take(findings), room),
            CheckAnswer::Passed(_) | CheckAnswer::NotRun { .. } => {}
        }
    }
    checks
}

pub(crate) fn not_run(check: &str, version: u32) -> CheckResult {
    let reason = "what was found before has to be mended first".to_owned();
    CheckResult {
        check: check.to_owned(),
        version,
        answer: CheckAnswer::NotRun { reason },
    }
}

/// What static rules read.
pub(crate) struct Texts<'a> {
    /// The Python files.
    python: &'a BTreeMap<String, String>,
    /// All files: an extension module is a module as well, and what counts of it is its name.
    sources: &'a Sources,
}

impl<'a> Texts<'a> {
    pub(crate) const fn of(python: &'a BTreeMap<String, String>, sources: &'a Sources) -> Self {
        Self { python, sources }
    }

    fn all(&self) -> BTreeMap<String, String> {
        let others = self.sources.keys().filter(|path| !path.is_python());
        let named = others.map(|path| (path.to_string(), String::new()));
        named.chain(self.python.clone()).collect()
    }
}

/// The static rules; where our parser cannot read what the interpreter accepts, on the interpreter's own tree.
pub(crate) async fn rules(
    bench: &Bench,
    sandbox: &Sandbox,
    environment: &Environment,
    declared: Declared,
    texts: Texts<'_>,
    cancel: &CancellationToken,
) -> Result<Vec<CheckResult>, ToolError> {
    let around = Surroundings {
        modules: environment.modules.clone(),
        standard: environment.standard_modules.clone(),
    };
    let files = texts.all();
    let mut workspace = blocking(move || static_rules::read(files, around)).await?;
    let unread: Vec<String> = workspace.unreadable().map(|(path, _)| path.to_owned()).collect();
    for path in unread {
        let text = texts.python.get(&path).map(String::as_str).unwrap_or_default();
        // The syntax check has a finding about it, and no tree of it would be of use.
        if text.len() > interlock_pysource::MAX_BYTES {
            continue;
        }
        if let Some(json) = tree::of_file(bench, sandbox, text, cancel).await? {
            let (mut with_tree, name) = (workspace, path.clone());
            workspace = blocking(move || {
                // A tree that does not fit leaves the file unread, and then no rule passes.
                if let Err(why) = with_tree.with_interpreter_tree(&name, &json) {
                    tracing::warn!(path = name, %why, "the interpreter's tree cannot be used");
                }
                with_tree
            })
            .await?;
        }
    }
    blocking(move || static_rules::judge(&workspace, &declared)).await
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ToolError> {
    let ended = tokio::task::spawn_blocking(work).await;
    ended.map_err(|e| ToolError::Rules(e.to_string()))
}
