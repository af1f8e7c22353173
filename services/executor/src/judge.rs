//! From what was seen to what it amounts to. One pure function; nothing is a success by default.

use crate::classify;
use crate::recorded::{NoResult, ProgramError, Recorded};
use crate::score::Scored;
use crate::testimony::says_failure;
use interlock_domain::criteria::{Criterion, CriterionResult, CriterionStatus, Evidence, Metric};
use interlock_domain::doubt::Doubt;
use interlock_domain::payload::{End, Judgement, Observed};
use interlock_domain::{FailureClass, Finding, Location};

/// Exit status by which the entry point says that it was set up wrongly.
const EXIT_HARNESS: i32 = 70;
/// SIGKILL, SIGXCPU and SIGXFSZ, by which the kernel itself ends a program at a limit.
const SIGKILL: i32 = 9;
const SIGXCPU: i32 = 24;
const SIGXFSZ: i32 = 25;
/// Most numbers on a record; each has at most some 200 bytes.
const MAX_METRICS: usize = 1_000;

/// Everything that is known when a program has ended.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    /// What was seen from outside.
    pub observed: &'a Observed,
    /// Files of the workspace that are no longer what was laid out.
    pub tampered: &'a [String],
    /// What harness code recorded in the program's process.
    pub recorded: &'a Result<Recorded, NoResult>,
    /// What was scored, or why not; `None` when the task scores nothing.
    pub scored: Option<&'a Result<Scored, String>>,
    /// Times that the executor measured around the program.
    pub around: &'a [Metric],
    /// The task's criteria.
    pub criteria: &'a [Criterion],
    /// What speaks against the numbers.
    pub doubts: &'a [Doubt],
    /// The end of stderr, for a failure that left no record.
    pub stderr_tail: &'a str,
}

/// What it amounts to.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The judgement.
    pub judgement: Judgement,
    /// Each criterion's answer.
    pub criteria: Vec<CriterionResult>,
    /// Every number with its evidence, as far as a record can hold them.
    pub metrics: Vec<Metric>,
    /// Numbers that were recorded and do not fit.
    pub metrics_left_out: usize,
    /// What a repair needs to know.
    pub findings: Vec<Finding>,
}

/// Judges an execution.
pub fn judge(facts: &Facts<'_>) -> Judged {
    let mut metrics = facts.recorded.as_ref().map(|r| r.metrics.clone()).unwrap_or_default();
    if let Some(Ok(scored)) = facts.scored {
        metrics.extend(scored.metrics.iter().cloned());
    }
    metrics.extend(seen_from_outside(facts.observed));
    metrics.extend(facts.around.iter().cloned());
    let criteria: Vec<CriterionResult> = facts
        .criteria
        .iter()
        .map(|c| c.judge_despite(&metrics, facts.doubts))
        .collect();
    let all = metrics.len();
    let metrics = on_record(metrics, &criteria);
    let (judgement, findings) = match from_outside(facts).or_else(|| from_inside(facts)) {
        Some((class, reason, findings)) => (Judgement::Failed(class, vec![reason]), findings),
        None => (by_result(facts, &criteria), Vec::new()),
    };
    Judged {
        judgement,
        criteria,
        metrics_left_out: all - metrics.len(),
        metrics,
        findings,
    }
}

/// As many numbers as a record can hold: first those that a criterion rests on, so that everybody who judges the record
/// again comes to the same answer, then those that were not made in the program's process.
fn on_record(metrics: Vec<Metric>, criteria: &[CriterionResult]) -> Vec<Metric> {
    if metrics.len() <= MAX_METRICS {
        return metrics;
    }
    let mut kept: Vec<Metric> = Vec::new();
    for metric in criteria.iter().filter_map(|result| result.metric.as_ref()) {
        if !kept.contains(metric) {
            kept.push(metric.clone());
        }
    }
    let (recorded, others): (Vec<Metric>, Vec<Metric>) = metrics
        .into_iter()
        .filter(|metric| !kept.contains(metric))
        .partition(|metric| metric.evidence <= Evidence::Recorded);
    kept.extend(others);
    let room = MAX_METRICS.saturating_sub(kept.len());
    kept.extend(recorded.into_iter().take(room));
    kept
}

/// Numbers that a criterion may ask for and that nobody inside could have written.
fn seen_from_outside(seen: &Observed) -> [Metric; 2] {
    let metric = |name: &str, value: f64, unit: &str| Metric {
        name: name.to_owned(),
        value,
        unit: unit.to_owned(),
        split: String::new(),
        evidence: Evidence::Observed,
    };
    [
        metric("duration", seen.duration_ms as f64 / 1000.0, "seconds"),
        metric("peak_memory", seen.peak_memory_bytes as f64, "bytes"),
    ]
}

type Failure = (FailureClass, String, Vec<Finding>);

fn plain(class: FailureClass, reason: impl Into<String>) -> Option<Failure> {
    Some((class, reason.into(), Vec::new()))
}

/// What the executor saw itself outweighs everything that was written inside.
fn from_outside(facts: &Facts<'_>) -> Option<Failure> {
    let seen = facts.observed;
    if seen.survivors > 0 {
        return plain(
            FailureClass::Processes,
            format!("{} processes outlived the run", seen.survivors),
        );
    }
    match &seen.end {
        End::Cancelled => return plain(FailureClass::Policy, "it was stopped because the run was cancelled"),
        End::Limit(limit) => {
            return plain(
                class_of_limit(limit),
                format!("the {limit} limit ended it after {} ms", seen.duration_ms),
            );
        }
        End::Signaled(SIGKILL) => return plain(FailureClass::Memory, "the kernel killed it, most likely for memory"),
        End::Signaled(SIGXCPU) => return plain(FailureClass::Timeout, "the CPU limit ended it"),
        End::Signaled(SIGXFSZ) => return plain(FailureClass::Disk, "the file size limit ended it"),
        End::Signaled(_) | End::Exited(_) => {}
    }
    if let Some(first) = facts.tampered.first() {
        return plain(
            FailureClass::Policy,
            format!("{first} was changed while the program ran"),
        );
    }
    None
}

fn class_of_limit(limit: &str) -> FailureClass {
    match limit {
        "wall" | "cpu" => FailureClass::Timeout,
        "memory" => FailureClass::Memory,
        "processes" => FailureClass::Processes,
        "output" => FailureClass::Output,
        "stall" => FailureClass::Stall,
        "disk" => FailureClass::Disk,
        _ => FailureClass::Harness,
    }
}

/// A program that did not come to its end.
fn from_inside(facts: &Facts<'_>) -> Option<Failure> {
    let error = facts.recorded.as_ref().ok().and_then(|r| r.error.as_ref());
    match (&facts.observed.end, error) {
        // With this execution's result on the disk, the entry point was set up rightly: the status is the program's.
        (End::Exited(EXIT_HARNESS), _) if facts.recorded.is_err() => plain(
            FailureClass::Harness,
            format!("the entry point was set up wrongly: {}", facts.stderr_tail.trim()),
        ),
        (End::Exited(0), _) => match facts.recorded {
            Ok(recorded) if !recorded.finished => unfinished(facts, "it exited with status 0 before run() returned"),
            Err(NoResult::Missing) => unfinished(facts, "it exited with status 0 and left no result"),
            Ok(_) | Err(NoResult::Unsafe(_) | NoResult::Invalid(_) | NoResult::Stale) => None,
        },
        (End::Exited(_) | End::Signaled(_), Some(error)) => Some(from_error(error)),
        (End::Exited(code), None) => unfinished(facts, &format!("it exited with status {code}")),
        (End::Signaled(signal), None) => unfinished(facts, &format!("signal {signal} ended it")),
        (End::Limit(_) | End::Cancelled, _) => None,
    }
}

fn unfinished(facts: &Facts<'_>, what: &str) -> Option<Failure> {
    let tail = facts.stderr_tail.trim();
    let reason = if tail.is_empty() {
        what.to_owned()
    } else {
        format!("{what}: {tail}")
    };
    // What was printed differs from time to time; the first line has to stay the same for the same fault.
    let message = format!("{what}\n{tail}");
    let finding = Finding::new("run/ended", Location::file("src/experiment.py"), message.trim_end());
    let class = match facts.observed.end {
        End::Signaled(signal) => classify::of_signal(signal, tail),
        End::Exited(_) | End::Limit(_) | End::Cancelled => classify::of_unwritten(tail),
    };
    Some((class, reason, vec![finding]))
}

/// What the environment lacks is nothing that the model can mend (F2).
fn from_error(error: &ProgramError) -> Failure {
    let (class, reason) = classify::of_error(error);
    let at = Location {
        file: error.file.clone().unwrap_or_else(|| "src/experiment.py".to_owned()),
        line: error.line.unwrap_or(0),
        column: 0,
    };
    let finding = Finding::new("run/exception", at, format!("{reason}\n{}", error.traceback.trim()));
    (class, reason, vec![finding])
}

/// A program that came to its end: every criterion has to be met, and nothing may speak against it.
fn by_result(facts: &Facts<'_>, criteria: &[CriterionResult]) -> Judgement {
    let mut reasons = Vec::new();
    match facts.recorded {
        Err(why) => reasons.push(why.to_string()),
        Ok(recorded) if says_failure(&recorded.testimony) => {
            reasons.push("the program says of itself that it did not succeed".to_owned())
        }
        Ok(_) => {}
    }
    if let Some(Err(why)) = facts.scored {
        reasons.push(format!("nothing could be scored: {why}"));
    }
    for result in criteria {
        match result.status {
            CriterionStatus::Met => {}
            CriterionStatus::Missed => reasons.push(format!("missed: {}: {}", result.criterion, result.reason)),
            CriterionStatus::NotJudged => reasons.push(format!("not judged: {}: {}", result.criterion, result.reason)),
        }
    }
    if criteria.is_empty() {
        reasons.push("the task has no criterion".to_owned());
    }
    if reasons.is_empty() {
        Judgement::Accepted
    } else {
        Judgement::Refused(reasons)
    }
}
