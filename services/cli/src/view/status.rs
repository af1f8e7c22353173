//! The live line below the records: what is going on right now.

use super::text::count;
use super::{Run, live, text};
use interlock_domain::RunState;
use interlock_domain::payload::Payload;
use interlock_domain::state::Phase;

/// The line.
pub fn status(run: &Run) -> String {
    let Some(state) = &run.state else {
        return "waiting for the first record".to_owned();
    };
    let mut parts = vec![phase(state)];
    if let Some((plan, _)) = &state.plan {
        let written = state.manifest().map_or(0, |manifest| {
            plan.files()
                .iter()
                .filter(|file| manifest.get(&file.path).is_some())
                .count()
        });
        parts.push(format!("{written}/{} files", plan.files().len()));
    }
    let checks = checks(run);
    if checks > 0 {
        parts.push(format!("{} passed", count(checks, "check")));
    }
    if state.repairs > 0 {
        parts.push(count(state.repairs as usize, "repair"));
    }
    parts.extend(live::doing(&state.phase, run.view.live.as_ref()).unwrap_or_default());
    parts.join(" · ")
}

fn phase(state: &RunState) -> String {
    let levels = state.plan.as_ref().map_or(0, |(plan, _)| plan.level_count());
    match &state.phase {
        Phase::New => "submitted".to_owned(),
        Phase::Planning => "planning".to_owned(),
        Phase::PlanGate => "the plan waits for an answer".to_owned(),
        Phase::Writing { level } => format!("writing level {level} of {levels}"),
        Phase::Repairing { level } => format!("repairing level {level} of {levels}"),
        Phase::Verifying { level } => format!("checking level {level} of {levels}"),
        Phase::Ready => "preparing the environment".to_owned(),
        Phase::Running => "the program runs".to_owned(),
        Phase::Guidance { class, .. } => format!("waits for guidance ({class})"),
        Phase::Concluding { .. } => "concluding".to_owned(),
        Phase::Finished => "finished".to_owned(),
    }
}

fn checks(run: &Run) -> usize {
    let verdicts = run.records.iter().filter_map(|record| match &record.payload {
        Payload::Verdict(verdict) => Some(verdict),
        Payload::Request(_)
        | Payload::PlanProposal(_)
        | Payload::Answer(_)
        | Payload::Candidate(_)
        | Payload::ExecutionStarted(_)
        | Payload::Execution(_)
        | Payload::StageFailure(_)
        | Payload::Outcome(_) => None,
    });
    verdicts
        .map(|verdict| verdict.checks.iter().filter(|check| check.passed()).count())
        .sum()
}

/// How long ago a time was.
pub fn ago(now_unix_ms: i64, then_unix_ms: i64) -> String {
    let passed = u64::try_from(now_unix_ms.saturating_sub(then_unix_ms)).unwrap_or(0);
    match passed {
        0..1_000 => "just now".to_owned(),
        _ if passed < 48 * 3_600_000 => format!("{} ago", text::span(passed)),
        _ => format!("{} days ago", passed / (24 * 3_600_000)),
    }
}
