//! The executor's part of a run: only what the chain proves to be approved and verified is run.

use crate::checkpoints::Checkpoints;
use crate::execute::{Order, execute};
use interlock_domain::payload::{Execution, ExecutionStarted, Request};
use interlock_domain::state::Phase;
use interlock_domain::task::Interrupted;
use interlock_domain::{Digest, Disposition, FailureClass, Payload, Stage};
use interlock_sandbox::{Environment, EnvironmentError, Environments, Sandbox, Tier, python_mounts};
use interlock_stage::workspace;
use interlock_stage::{Handler, Work, WorkError};
use std::path::PathBuf;

/// Runs verified workspaces.
#[derive(Debug)]
pub struct Executor {
    /// The sandbox, probed.
    pub sandbox: Sandbox,
    /// Where environments come from.
    pub environments: Environments,
    /// Folder for the files of running programs.
    pub scratch: PathBuf,
    /// What lost programs left for those that go on for them.
    pub checkpoints: Checkpoints,
}

impl Handler for Executor {
    const STAGE: Stage = Stage::Executor;

    async fn handle(&self, work: &mut Work) -> Result<(), WorkError> {
        match work.state.phase {
            Phase::Ready => self.run_program(work).await,
            // At this point the executor which started it is gone, and with it the program: the sandbox dies with its
            // executor.
            Phase::Running => match interrupted(work) {
                Interrupted::Rerun | Interrupted::Resume => self.run_program(work).await,
                Interrupted::Ask => Err(WorkError::failed(
                    FailureClass::Harness,
                    format!(
                        "execution {} was lost with its executor, and the task wants to be asked (program.interrupted): \
                         approve to run the program again from its beginning",
                        work.state.executions
                    ),
                )),
            },
            Phase::New
            | Phase::Planning
            | Phase::PlanGate
            | Phase::Writing { .. }
            | Phase::Repairing { .. }
            | Phase::Verifying { .. }
            | Phase::Guidance { .. }
            | Phase::Concluding { .. }
            | Phase::Finished => Ok(()),
        }
    }
}

impl Executor {
    async fn run_program(&self, work: &mut Work) -> Result<(), WorkError> {
        let (request, task) = work
            .state
            .request
            .clone()
            .ok_or_else(|| broken("there is no request"))?;
        let manifest = work
            .state
            .manifest()
            .cloned()
            .ok_or_else(|| broken("there is no workspace"))?;
        let verdict = work
            .state
            .verdict
            .as_ref()
            .ok_or_else(|| broken("there is no verdict"))?;
        // Replay has proven it already; an execution is worth a second look.
        if !verdict.passed() || !verdict.complete || verdict.manifest != manifest.digest() {
            return Err(broken("the verdict in force does not pass this workspace"));
        }
        let tier = self.sandbox.tier();
        if !task.network.is_empty() && tier != Tier::Namespaces {
            return Err(WorkError::failed(
                FailureClass::Environment,
                format!(
                    "program.network needs the tier {}, and this executor has {tier}, which cannot tell hosts apart: give it a \
                     machine whose `interlock doctor` shows that tier, or leave program.network out",
                    Tier::Namespaces
                ),
            ));
        }
        let verified_in = verdict.environment;
        let environment = self.environment(work, &request).await?;
        let digest: Digest = environment
            .digest
            .parse()
            .map_err(|_| broken("the environment has no digest"))?;
        if digest != verified_in {
            return Err(WorkError::failed(
                FailureClass::Environment,
                format!(
                    "the workspace was verified in environment {}, and here is {}; build one image or folder for both",
                    verified_in.short(),
                    digest.short()
                ),
            ));
        }
        let mounts = python_mounts(&environment.path)
            .map_err(|e| WorkError::failed(FailureClass::Environment, e.to_string()))?;
        let sources = workspace::sources(&work.bus, &manifest).await.map_err(|e| match e {
            workspace::WorkspaceError::Bus(e) => WorkError::Bus(e),
            other @ (workspace::WorkspaceError::NotOurs(_)
            | workspace::WorkspaceError::Missing(_)
            | workspace::WorkspaceError::Write { .. }) => WorkError::failed(FailureClass::Policy, other.to_string()),
        })?;
        let attempt = work.state.executions + 1;
        work.append(Payload::ExecutionStarted(ExecutionStarted {
            manifest: manifest.digest(),
            attempt,
        }))
        .await?;
        let checkpoint = match task.interrupted {
            Interrupted::Resume => {
                let prepared = self.checkpoints.prepare(work.state.run, attempt);
                Some(prepared.map_err(|e| WorkError::failed(e.class(), e.to_string()))?)
            }
            Interrupted::Rerun | Interrupted::Ask => None,
        };
        let order = Order {
            request: &request,
            task: &task,
            sources: &sources,
            manifest: manifest.digest(),
            attempt,
            environment: digest,
            mounts,
            checkpoint,
        };
        let execution: Execution = execute(&self.sandbox, &self.scratch, work, order).await?;
        work.append(Payload::Execution(execution)).await?;
        self.checkpoints.forget(work.state.run);
        Ok(())
    }

    async fn environment(&self, work: &Work, request: &Request) -> Result<Environment, WorkError> {
        let lock = match &request.lock {
            Some(lock) => work.bus.get_blob(&lock.blob).await?,
            None => Default::default(),
        };
        self.environments
            .ensure(&lock)
            .await
            .map_err(|e| environment_failed(&e))
    }
}

fn interrupted(work: &Work) -> Interrupted {
    let task = work.state.request.as_ref().map(|(_, task)| task);
    task.map(|task| task.interrupted).unwrap_or_default()
}

fn environment_failed(error: &EnvironmentError) -> WorkError {
    match error.disposition() {
        Disposition::Retry => WorkError::later(FailureClass::Environment, error.to_string()),
        Disposition::Refuse => WorkError::failed(FailureClass::Environment, error.to_string()),
        Disposition::Escalate => WorkError::failed(FailureClass::Harness, error.to_string()),
    }
}

fn broken(why: &str) -> WorkError {
    WorkError::failed(FailureClass::Harness, why)
}
