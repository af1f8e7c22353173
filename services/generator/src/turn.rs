//! One turn: every file that has to be written now, files of a level at the same time, and the candidate they make.

use crate::ask::Ask;
use crate::attempts::{Accepted, Job, write_file};
use crate::context::{Context, PROMPT_SOURCE_BYTES, Sources, dependencies_of};
use crate::mend::{REWRITE_FROM, at_fault, findings_about, in_levels};
use crate::prompt::Brief;
use futures::StreamExt as _;
use interlock_domain::payload::{RefusedAnswer, StageFailure};
use interlock_domain::state::Phase;
use interlock_domain::{FailureClass, Finding, Plan, RunState, WorkspacePath};
use interlock_stage::WorkError;
use std::collections::BTreeSet;

/// Model calls of one run in flight at once.
const IN_FLIGHT: usize = 4;

/// What a turn brought.
#[derive(Debug, Default)]
pub struct Turn {
    /// The files, each with the forms in which its dependencies were shown.
    pub written: Vec<(Accepted, Context)>,
    /// Answers that could not be used.
    pub refused: Vec<RefusedAnswer>,
}

/// The files to write now, in groups: each group after the one before.
fn groups(state: &RunState, plan: &Plan) -> Vec<Vec<WorkspacePath>> {
    match &state.phase {
        Phase::Writing { level } => vec![plan.level(*level).to_vec()],
        Phase::Repairing { level } => {
            let files = at_fault(plan, *level, &state.findings, state.worst_repetition());
            in_levels(plan, &files)
        }
        Phase::New
        | Phase::Planning
        | Phase::PlanGate
        | Phase::Verifying { .. }
        | Phase::Ready
        | Phase::Running
        | Phase::Guidance { .. }
        | Phase::Concluding { .. }
        | Phase::Finished => Vec::new(),
    }
}

/// Has everything written. What an earlier group wrote is shown to the next one.
///
/// # Errors
/// A file that no answer held, or a model that is not to be had. Calls that completed are stored all the same.
pub async fn take(
    ask: &impl Ask,
    brief: &Brief,
    state: &RunState,
    plan: &Plan,
    mut sources: Sources,
) -> Result<Turn, WorkError> {
    let mut turn = Turn::default();
    for group in groups(state, plan) {
        let jobs: Vec<Job> = group.iter().map(|path| job(state, plan, path, &sources)).collect();
        let mut asked = Vec::with_capacity(jobs.len());
        for (place, job) in jobs.iter().enumerate() {
            asked.push(async move { (place, write_file(ask, brief, plan, job).await) });
        }
        // All of them are heard out, so that one that fails costs none of the others; and none waits for a slow one.
        let mut answers: Vec<_> = futures::stream::iter(asked).buffer_unordered(IN_FLIGHT).collect().await;
        answers.sort_by_key(|(place, _)| *place);
        let mut missing = None;
        let mut failed = None;
        for (job, (_, answer)) in jobs.into_iter().zip(answers) {
            match answer {
                Ok((accepted, refused)) => {
                    turn.refused.extend(refused);
                    match accepted {
                        Some(file) => {
                            sources.insert(file.path.clone(), file.content.clone());
                            turn.written.push((file, job.dependencies));
                        }
                        None => missing = missing.or(Some(job.path)),
                    }
                }
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        if let Some(error) = failed {
            return Err(error);
        }
        if let Some(path) = missing {
            return Err(no_file(&path, turn.refused));
        }
    }
    Ok(turn)
}

fn no_file(path: &WorkspacePath, refused: Vec<RefusedAnswer>) -> WorkError {
    let mut about = refused.iter().filter(|answer| answer.subject == path.as_str());
    let last = about.next_back().and_then(|answer| answer.findings.first());
    let why = last.map(Finding::to_string).unwrap_or_default();
    WorkError::Failed(StageFailure {
        failure: FailureClass::Model,
        message: format!("no answer held {path}; the last one: {why}"),
        refused,
    })
}

fn job(state: &RunState, plan: &Plan, path: &WorkspacePath, sources: &Sources) -> Job {
    let repairing = matches!(state.phase, Phase::Repairing { .. });
    let rewrite = repairing && state.worst_repetition() >= REWRITE_FROM;
    let direct = plan
        .file(path)
        .map(|file| file.depends_on.as_slice())
        .unwrap_or_default();
    let findings = if repairing {
        findings_about(path, &state.findings)
    } else {
        Vec::new()
    };
    let dependents = if rewrite {
        plan.dependents(path)
    } else {
        BTreeSet::new()
    };
    Job {
        path: path.clone(),
        first_attempt: state.attempts.get(path).copied().unwrap_or(0) + 1,
        current: sources.get(path).filter(|_| repairing).cloned(),
        findings: findings.into_iter().cloned().collect(),
        rewrite,
        dependencies: Context::new(sources, &dependencies_of(plan, path), direct, PROMPT_SOURCE_BYTES),
        dependents: Context::new(sources, &dependents, &[], PROMPT_SOURCE_BYTES),
    }
}
