//! The verifier's part of a run: every check over the whole workspace as it stands, in the run's environment.

use crate::files;
use crate::import::{self, Question};
use crate::static_rules::{self, Surroundings};
use crate::syntax;
use crate::toolbox::{Bench, ToolError};
use crate::verdict::failure;
use interlock_domain::check::{CheckAnswer, CheckResult};
use interlock_domain::payload::{Request, Verdict};
use interlock_domain::state::Phase;
use interlock_domain::{Digest, Disposition, FailureClass, Payload, Plan, Stage};
use interlock_sandbox::{Environment, EnvironmentError, Environments, Sandbox};
use interlock_stage::workspace::{self, WorkspaceError};
use interlock_stage::{Handler, Work, WorkError};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Checks candidates.
#[derive(Debug)]
pub struct Verifier {
    /// The sandbox, probed.
    pub sandbox: Sandbox,
    /// Where environments come from.
    pub environments: Environments,
    /// Folder for the files of running checks.
    pub scratch: PathBuf,
}

impl Handler for Verifier {
    const STAGE: Stage = Stage::Verifier;

    async fn handle(&self, work: &mut Work) -> Result<(), WorkError> {
        let Phase::Verifying { level } = work.state.phase else {
            return Ok(());
        };
        let checked = self.check(work, level).await?;
        work.append(Payload::Verdict(checked)).await
    }
}

impl Verifier {
    async fn check(&self, work: &Work, level: u32) -> Result<Verdict, WorkError> {
        let started = Instant::now();
        let (request, task) = work.state.request.as_ref().ok_or_else(|| broken("there is no request"))?;
        let (plan, _) = work.state.plan.as_ref().ok_or_else(|| broken("there is no plan"))?;
        let manifest = work.state.manifest().ok_or_else(|| broken("there is no workspace"))?;
        let sources = workspace::sources(&work.bus, manifest).await.map_err(not_ours)?;
        let environment = self.environment(work, request).await?;
        let digest: Digest = environment.digest.parse().map_err(|_| broken("the environment has no digest"))?;
        let bench = Bench::new(&self.scratch, &sources, &environment).map_err(|e| tool_failed(&e))?;
        let python = files::python_files(&sources).map_err(|path| broken(&format!("{path} is not UTF-8")))?;
        let mut checks = vec![files::ownership(manifest), files::formats(&sources)];
        let asked = syntax::run(&bench, &self.sandbox, &python, &work.cancel).await;
        let (syntax, interpreter) = asked.map_err(|e| interrupted(work, &e))?;
        checks.push(syntax);
        checks.extend(self.static_rules(plan, &python, &environment).await?);
        let mut import_class = None;
        if checks.iter().all(CheckResult::passed) {
            let question = Question {
                files: &files::import_order(plan, manifest),
                preload: &files::preload(&python, &environment),
                each: Duration::from_secs(task.limits.import_seconds),
                memory_bytes: task.limits.memory_mb << 20,
            };
            let asked = import::run(&bench, &self.sandbox, question, &work.cancel).await;
            let (imported, class) = asked.map_err(|e| interrupted(work, &e))?;
            checks.push(imported);
            import_class = class;
        } else {
            let reason = "what was found before has to be mended first".to_owned();
            let answer = CheckAnswer::NotRun { reason };
            checks.push(CheckResult { check: import::CHECK.to_owned(), version: import::VERSION, answer });
        }
        if work.cancel.is_cancelled() {
            return Err(WorkError::Cancelled);
        }
        Ok(Verdict {
            manifest: manifest.digest(),
            level,
            complete: level == plan.level_count(),
            failure: failure(&checks, import_class),
            checks,
            environment: digest,
            interpreter,
            tier: self.sandbox.tier().name().to_owned(),
            duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        })
    }

    async fn static_rules(
        &self,
        plan: &Plan,
        python: &BTreeMap<String, String>,
        environment: &Environment,
    ) -> Result<Vec<CheckResult>, WorkError> {
        let (plan, python) = (plan.clone(), python.clone());
        let (modules, standard) = (environment.modules.clone(), environment.standard_modules.clone());
        let rules = move || {
            let around = Surroundings { plan: &plan, modules: &modules, standard: &standard };
            static_rules::run(&python, around)
        };
        let ended = tokio::task::spawn_blocking(rules).await;
        ended.map_err(|e| broken(&format!("the static rules broke: {e}")))
    }

    async fn environment(&self, work: &Work, request: &Request) -> Result<Environment, WorkError> {
        let lock = match &request.lock {
            Some(lock) => work.bus.get_blob(&lock.blob).await?,
            None => bytes::Bytes::new(),
        };
        self.environments.ensure(&lock).await.map_err(environment_failed)
    }
}

fn not_ours(error: WorkspaceError) -> WorkError {
    match error {
        WorkspaceError::Bus(e) => WorkError::Bus(e),
        WorkspaceError::NotOurs(_) | WorkspaceError::Missing(_) => {
            WorkError::failed(FailureClass::Policy, error.to_string())
        }
        WorkspaceError::Write { .. } => WorkError::failed(FailureClass::Harness, error.to_string()),
    }
}

fn environment_failed(error: EnvironmentError) -> WorkError {
    match error.disposition() {
        Disposition::Retry => WorkError::Later(error.to_string()),
        Disposition::Refuse => WorkError::failed(FailureClass::Environment, error.to_string()),
        Disposition::Escalate => WorkError::failed(FailureClass::Harness, error.to_string()),
    }
}

/// A check that was ended because the run was cancelled has not failed.
fn interrupted(work: &Work, error: &ToolError) -> WorkError {
    if work.cancel.is_cancelled() { WorkError::Cancelled } else { tool_failed(error) }
}

fn tool_failed(error: &ToolError) -> WorkError {
    WorkError::failed(FailureClass::Harness, error.to_string())
}

fn broken(why: &str) -> WorkError {
    WorkError::failed(FailureClass::Harness, why)
}
