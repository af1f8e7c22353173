//! What was asked for, and what was planned and approved.

use super::shown::Shown;
use crate::view::text::span;
use crate::view::{Run, line};
use interlock_domain::payload::{Gate, Payload};
use interlock_domain::task::{GuidanceGate, Limits, PlanGate};
use interlock_domain::{Plan, Task};

/// The task.
#[derive(Debug)]
pub struct Asked {
    /// What is wanted.
    pub goal: Shown,
    /// Who submitted it.
    pub by: Shown,
    /// What has to hold for the result to be accepted.
    pub criteria: Vec<Shown>,
    /// What the program may use, and other boundaries.
    pub boundaries: Vec<(&'static str, Shown)>,
    /// The program's configuration.
    pub config: Shown,
}

/// The plan in force.
#[derive(Debug)]
pub struct Planned {
    /// Its digest.
    pub digest: Shown,
    /// Its files in the order of their levels.
    pub files: Vec<PlannedRow>,
    /// How many levels.
    pub levels: u32,
    /// Every answer at the plan's gate.
    pub answers: Vec<Said>,
}

/// A planned file.
#[derive(Debug)]
pub struct PlannedRow {
    /// Level, from 1.
    pub level: u32,
    /// Where.
    pub path: Shown,
    /// What for.
    pub purpose: Shown,
    /// What others may import.
    pub exports: Shown,
    /// What it imports from the workspace.
    pub needs: Shown,
}

/// Something that a record says.
#[derive(Debug)]
pub struct Said {
    /// Number of the record.
    pub seq: u64,
    /// What it says.
    pub said: Shown,
}

/// What was asked for; `None` before the request is on record.
pub fn asked(run: &Run) -> Option<Asked> {
    let (request, task) = run.state.as_ref()?.request.as_ref()?;
    let mut boundaries = limits(&task.limits);
    let lock = task.lock.as_deref().unwrap_or("the standard library alone");
    boundaries.push(("environment", Shown::line(lock)));
    let inputs: Vec<&str> = request.inputs.iter().map(|named| named.name.as_str()).collect();
    boundaries.push(("read-only inputs", listed(&inputs)));
    let sealed = match &task.scoring {
        Some(scoring) => format!(
            "{}, compared with the predictions {:?}",
            scoring.truth, scoring.predictions
        ),
        None => "none".to_owned(),
    };
    boundaries.push(("sealed truth", Shown::line(&sealed)));
    boundaries.push(("gates", Shown::line(gates(task))));
    let checks: Vec<&str> = [("lint", task.checks.lint), ("types", task.checks.types)]
        .into_iter()
        .filter_map(|(name, wanted)| wanted.then_some(name))
        .chain(task.checks.custom.iter().map(String::as_str))
        .collect();
    boundaries.push(("additional checks", listed(&checks)));
    Some(Asked {
        goal: Shown::block(&task.goal),
        by: Shown::line(&request.submitted_by),
        criteria: task.criteria.iter().map(|one| Shown::line(&one.describe())).collect(),
        boundaries,
        config: Shown::block(&task.config_json),
    })
}

/// What a program may use, in the words of the task.
fn limits(limits: &Limits) -> Vec<(&'static str, Shown)> {
    let mb = |number: u64| Shown::line(&format!("{number} MiB"));
    let stall = match limits.stall_seconds {
        0 => Shown::line("no such limit"),
        seconds => Shown::line(&span(seconds.saturating_mul(1000))),
    };
    vec![
        (
            "wall-clock time",
            Shown::line(&span(limits.wall_seconds.saturating_mul(1000))),
        ),
        ("time without output", stall),
        ("memory", mb(limits.memory_mb)),
        ("processes", Shown::of(limits.processes)),
        ("disk", mb(limits.disk_mb)),
        ("one file", mb(limits.file_mb)),
        ("output", mb(limits.output_mb)),
        ("repairs", Shown::of(limits.repairs)),
    ]
}

fn gates(task: &Task) -> &'static str {
    match (task.gates.plan, task.gates.guidance) {
        (PlanGate::Human, GuidanceGate::Human) => "a human answers for the plan and for guidance",
        (PlanGate::Human, GuidanceGate::Stop) => {
            "a human answers for the plan; instead of asking for guidance it stops"
        }
        (PlanGate::Automatic, GuidanceGate::Human) => {
            "the plan is approved automatically; a human answers for guidance"
        }
        (PlanGate::Automatic, GuidanceGate::Stop) => {
            "the plan is approved automatically; instead of asking for guidance it stops"
        }
    }
}

fn listed(names: &[&str]) -> Shown {
    match names {
        [] => Shown::line("none"),
        _ => Shown::line(&names.join(", ")),
    }
}

/// The plan with its approval; `None` before there is one.
pub fn planned(run: &Run) -> Option<Planned> {
    let (plan, digest) = run.state.as_ref()?.plan.as_ref()?;
    let answers = run.records.iter().filter(|record| match &record.payload {
        Payload::Answer(answer) => answer.gate == Gate::Plan,
        Payload::Request(_)
        | Payload::PlanProposal(_)
        | Payload::Candidate(_)
        | Payload::Verdict(_)
        | Payload::ExecutionStarted(_)
        | Payload::Execution(_)
        | Payload::StageFailure(_)
        | Payload::Outcome(_) => false,
    });
    Some(Planned {
        digest: Shown::of(digest),
        files: rows(plan),
        levels: plan.level_count(),
        answers: answers
            .map(|record| Said {
                seq: record.seq,
                said: Shown::line(&line::line(record)),
            })
            .collect(),
    })
}

fn rows(plan: &Plan) -> Vec<PlannedRow> {
    let levels = 1..=plan.level_count();
    let in_order = levels.flat_map(|level| plan.level(level).iter().map(move |path| (level, path)));
    in_order
        .filter_map(|(level, path)| {
            let file = plan.file(path)?;
            let exports: Vec<&str> = file.exports.iter().map(|export| export.name.as_str()).collect();
            let needs: Vec<&str> = file.depends_on.iter().map(|path| path.as_str()).collect();
            Some(PlannedRow {
                level,
                path: Shown::of(path),
                purpose: Shown::line(&file.purpose),
                exports: Shown::line(&exports.join(", ")),
                needs: Shown::line(&needs.join(", ")),
            })
        })
        .collect()
}
