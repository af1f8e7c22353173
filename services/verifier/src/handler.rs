//! The verifier's part of a run: every check over the whole workspace as it stands, in the run's environment.

use crate::checks::{self, Subject};
use crate::custom::Checker;
use crate::extra::Extra;
use crate::toolbox::ToolError;
use crate::workshop::Workshop;
use interlock_domain::payload::{Request, Verdict};
use interlock_domain::state::Phase;
use interlock_domain::task::Task;
use interlock_domain::{Digest, Disposition, FailureClass, Payload, Stage};
use interlock_sandbox::{Environment, EnvironmentError, Environments};
use interlock_stage::workspace::{self, WorkspaceError};
use interlock_stage::{Handler, Work, WorkError};
use std::sync::Arc;
use std::time::Instant;

/// Checks candidates.
#[derive(Debug)]
pub struct Verifier {
    /// What its checks work with.
    pub workshop: Arc<Workshop>,
    /// Where environments come from.
    pub environments: Environments,
    /// Checkers of the deployment.
    pub checkers: Vec<Checker>,
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
        let (request, task) = work
            .state
            .request
            .as_ref()
            .ok_or_else(|| broken("there is no request"))?;
        let (plan, _) = work.state.plan.as_ref().ok_or_else(|| broken("there is no plan"))?;
        let manifest = work.state.manifest().ok_or_else(|| broken("there is no workspace"))?;
        let sources = workspace::sources(&work.bus, manifest).await.map_err(not_ours)?;
        let environment = self.environment(work, request).await?;
        let digest: Digest = environment
            .digest
            .parse()
            .map_err(|_| broken("the environment has no digest"))?;
        let subject = Subject {
            plan,
            manifest,
            sources: &sources,
            environment: &environment,
            limits: &task.limits,
            complete: level == plan.level_count(),
            extra: &self.extra(work, request, task).await?,
        };
        let checked = checks::run(&self.workshop, subject, &work.cancel).await;
        let checked = checked.map_err(|e| interrupted(work, &e))?;
        let (asked, known) = self.workshop.known.rate();
        // `asked` and `known` count files since the start: the hit rate of what is remembered.
        tracing::info!(run = %work.state.run, level, asked, known, "checked");
        if work.cancel.is_cancelled() {
            return Err(WorkError::Cancelled);
        }
        Ok(Verdict {
            manifest: manifest.digest(),
            level,
            complete: level == plan.level_count(),
            failure: checked.failure,
            checks: checked.checks,
            environment: digest,
            interpreter: checked.interpreter,
            tier: self.workshop.sandbox.tier().name().to_owned(),
            duration_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        })
    }

    /// What the task and the deployment ask for.
    async fn extra(&self, work: &Work, request: &Request, task: &Task) -> Result<Extra, WorkError> {
        let mut checkers = Vec::new();
        for named in &request.checkers {
            let name = named.name.rsplit('/').next().unwrap_or(&named.name).to_owned();
            let content = work.bus.get_blob(&named.blob).await?;
            checkers.push(Checker { name, content });
        }
        checkers.extend(self.checkers.iter().cloned());
        Ok(Extra {
            checks: task.checks.clone(),
            checkers,
        })
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
        Disposition::Retry => WorkError::later(FailureClass::Environment, error.to_string()),
        Disposition::Refuse => WorkError::failed(FailureClass::Environment, error.to_string()),
        Disposition::Escalate => WorkError::failed(FailureClass::Harness, error.to_string()),
    }
}

/// A check that was ended because the run was cancelled has not failed.
fn interrupted(work: &Work, error: &ToolError) -> WorkError {
    if work.cancel.is_cancelled() {
        WorkError::Cancelled
    } else {
        tool_failed(error)
    }
}

fn tool_failed(error: &ToolError) -> WorkError {
    WorkError::failed(FailureClass::Harness, error.to_string())
}

fn broken(why: &str) -> WorkError {
    WorkError::failed(FailureClass::Harness, why)
}
