//! The checks that a task or a deployment asks for beyond those that every workspace has to pass.
//!
//! They look at a complete workspace that has passed everything else, and each of them at the same one.

use crate::checks::{Subject, not_run};
use crate::custom::Checker;
use crate::lint::{self, Question};
use crate::toolbox::{Bench, ToolError};
use crate::types;
use interlock_domain::check::CheckResult;
use interlock_domain::manifest::Owner;
use interlock_domain::task::Checks;
use interlock_domain::{FailureClass, Manifest};
use interlock_sandbox::Sandbox;
use std::collections::BTreeSet;
use tokio_util::sync::CancellationToken;

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct Extra {
    /// By the task's words.
    pub checks: Checks,
    /// By executables, the task's and the deployment's.
    pub checkers: Vec<Checker>,
}

/// A check's answer with the class of its failure.
type Answer = (CheckResult, Option<FailureClass>);

impl Extra {
    /// Runs all of them.
    pub(crate) async fn run(
        &self,
        bench: &Bench,
        sandbox: &Sandbox,
        subject: Subject<'_>,
        cancel: &CancellationToken,
    ) -> Result<Vec<Answer>, ToolError> {
        let files = theirs(subject.manifest);
        let mut answers = Vec::new();
        if self.checks.lint && !files.is_empty() {
            let configured = is_configured(subject.manifest, &["ruff.toml", ".ruff.toml", "pyproject.toml"]);
            let question = Question {
                files: &files,
                configured,
            };
            answers.push(lint::run(bench, sandbox, question, cancel).await?);
        }
        if self.checks.types && !files.is_empty() {
            let configured = is_configured(
                subject.manifest,
                &["mypy.ini", ".mypy.ini", "pyproject.toml", "setup.cfg"],
            );
            let question = Question {
                files: &files,
                configured,
            };
            answers.push(types::run(bench, sandbox, question, cancel).await?);
        }
        for checker in &self.checkers {
            let answer = checker.run(bench, sandbox, subject.manifest, subject.limits, cancel);
            answers.push(answer.await?);
        }
        Ok(answers)
    }

    /// What is said of each where something else has to be mended first.
    pub(crate) fn not_run(&self) -> Vec<Answer> {
        let lint = self.checks.lint.then(|| not_run(lint::CHECK, lint::VERSION));
        let types = self.checks.types.then(|| not_run(types::CHECK, types::VERSION));
        let custom = self.checkers.iter().map(Checker::not_run);
        let all = lint.into_iter().chain(types).chain(custom);
        all.map(|result| (result, None)).collect()
    }
}

/// The class of all of them together: what the model can mend comes before what it cannot.
pub(crate) fn class_of(answers: &[Answer]) -> Option<FailureClass> {
    let mut classes = answers.iter().filter_map(|(_, class)| *class);
    let first = classes.clone().next();
    classes.find(|class| *class == FailureClass::Code).or(first)
}

/// The model's Python files.
fn theirs(manifest: &Manifest) -> BTreeSet<String> {
    let python = manifest.iter().filter(|(path, _)| path.is_python());
    let model = python.filter(|(_, entry)| entry.owner == Owner::Model);
    model.map(|(path, _)| path.to_string()).collect()
}

/// Whether the user's own configuration lies in the workspace; the model's would be a way out.
fn is_configured(manifest: &Manifest, names: &[&str]) -> bool {
    let users = manifest.iter().filter(|(_, entry)| entry.owner == Owner::User);
    users.map(|(path, _)| path.as_str()).any(|path| names.contains(&path))
}
