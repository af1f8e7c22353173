//! Import: every file under its real name, in the run's environment, inside the sandbox.

use crate::static_rules::contradiction;
use crate::toolbox::{Asked, Bench, REPORT, ToolError, WORK};
use crate::verdict::class_of;
use interlock_domain::check::{CheckAnswer, CheckResult, Findings, Ran};
use interlock_domain::{FailureClass, Finding, Location, owned};
use interlock_sandbox::{Arg, End, Limits, Profile, ResultFolder, Sandbox};
use serde::Deserialize;
use std::path::Path;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Identity of the check.
pub const CHECK: &str = "import";
/// Version of the check.
pub const VERSION: u32 = 1;
const TOOL: &str = "preflight.py";
/// Files in flight at once; measured: two are 1.6 times as fast as one on two cores.
const PARALLEL: u32 = 2;
/// Room for the report in bytes.
const MAX_REPORT: u64 = 64 << 20;
/// SIGILL, SIGABRT, SIGBUS, SIGFPE and SIGSEGV: nobody sent them, the check's own process broke.
const CRASHES: [i32; 5] = [4, 6, 7, 8, 11];
/// Exit status of the check when it is told to end.
const TERMINATED: i32 = 143;
/// Start of the interpreter and of what is imported once for all files.
const START: Duration = Duration::from_secs(60);

/// What is to be imported.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The files, in the order of the plan's levels.
    pub files: &'a [String],
    /// Packages of the environment that are worth importing once for all.
    pub preload: &'a [String],
    /// Longest time for one file.
    pub each: Duration,
    /// Most memory of all of it in bytes.
    pub memory_bytes: u64,
}

#[derive(Deserialize)]
struct Line {
    path: String,
    outcome: Outcome,
    exception: Option<Exception>,
    #[serde(default)]
    traceback: Vec<Frame>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    Passed,
    Failed,
    Exited,
    TimedOut,
    Killed,
    /// The file was not imported, and that is not its fault.
    NotRun,
}

#[derive(Deserialize)]
struct Exception {
    #[serde(rename = "type")]
    kind: String,
    message: String,
    file: Option<String>,
    line: Option<u32>,
}

#[derive(Deserialize)]
struct Frame {
    file: String,
    line: Option<u32>,
    function: String,
}

/// The answer, with its failure class where it failed.
pub async fn run(
    bench: &Bench,
    sandbox: &Sandbox,
    question: Question<'_>,
    cancel: &CancellationToken,
) -> Result<(CheckResult, Option<FailureClass>), ToolError> {
    let files = u32::try_from(question.files.len()).unwrap_or(u32::MAX);
    let wall = START + question.each.saturating_mul(files);
    let limits = Limits {
        wall,
        memory_bytes: question.memory_bytes,
        ..Limits::default()
    };
    let asked = Asked {
        tool: TOOL,
        args: arguments(question),
        stdin: None,
        limits,
        profile: Profile::Strict,
    };
    let seen = bench.run(sandbox, asked, cancel).await?;
    if let End::Limit(limit) = seen.end {
        let reason = format!("importing reached the {} limit", limit.name());
        return Ok((
            result(CheckAnswer::TimedOut {
                reason,
                findings: Vec::new(),
            }),
            Some(class_of(limit)),
        ));
    }
    if let End::Signaled(signal) = seen.end
        && !CRASHES.contains(&signal)
    {
        return Ok(disturbed(question, &format!("ended the check with signal {signal}")));
    }
    if seen.end == End::Exited(TERMINATED) {
        return Ok(disturbed(question, "told the check to end"));
    }
    if seen.end != End::Exited(0) {
        return Err(failed(format!("{:?}: {}", seen.end, seen.stderr.to_text())));
    }
    let Some(lines) = read_report(bench, question.files) else {
        return Ok(disturbed(question, "changed the check's own report"));
    };
    if let Some(line) = lines.iter().find(|line| line.outcome == Outcome::NotRun) {
        let why = line.exception.as_ref().map(|e| e.message.as_str()).unwrap_or_default();
        return Err(failed(format!("{} was not imported: {why}", line.path)));
    }
    Ok(judge(&lines))
}

fn arguments(question: Question<'_>) -> Vec<Arg> {
    let mut args = vec![
        Arg::text("--root"),
        Arg::inside(WORK),
        Arg::text("--timeout"),
        Arg::text(question.each.as_secs().to_string()),
        Arg::text("--max-parallel"),
        Arg::text(PARALLEL.to_string()),
        Arg::text("--report"),
        Arg::inside(format!("{REPORT}/report.jsonl")),
    ];
    if !question.preload.is_empty() {
        args.push(Arg::text("--preload"));
        args.extend(question.preload.iter().map(Arg::text));
    }
    args.push(Arg::text("--files"));
    args.extend(question.files.iter().map(Arg::text));
    args
}

fn failed(why: String) -> ToolError {
    ToolError::Answer { tool: TOOL, why }
}

/// What the check wrote when it ended well; `None` where somebody else wrote there too.
fn read_report(bench: &Bench, files: &[String]) -> Option<Vec<Line>> {
    let read = ResultFolder::open(&bench.report()).and_then(|dir| dir.read(Path::new("report.jsonl"), MAX_REPORT));
    let bytes = read.ok()?;
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let lines: Vec<Line> = lines.map(serde_json::from_slice).collect::<Result<_, _>>().ok()?;
    lines.iter().map(|line| &line.path).eq(files).then_some(lines)
}

/// The check is the harness's and did not come to its end, and the only other code that ran was what it imported.
fn disturbed(question: Question<'_>, what: &str) -> (CheckResult, Option<FailureClass>) {
    let at = question.files.iter().rev().find(|path| *path == owned::CONTRACT_FILE);
    let at = at.or(question.files.last()).map(String::as_str).unwrap_or_default();
    let message = format!("a module {what} while it was imported; an import must leave other processes alone");
    let answer = Findings::new(vec![Finding::new(CHECK, Location::file(at), message)]);
    let answer = answer.map(CheckAnswer::Failed).unwrap_or_else(contradiction);
    (result(answer), Some(FailureClass::Code))
}

fn judge(lines: &[Line]) -> (CheckResult, Option<FailureClass>) {
    let mut findings: Vec<Finding> = lines
        .iter()
        .filter(|l| l.outcome != Outcome::Passed)
        .map(finding)
        .collect();
    findings.sort();
    findings.dedup();
    if findings.is_empty() {
        let ran = Ran::new(format!("import of {} files", lines.len()), 0).map(CheckAnswer::Passed);
        return (result(ran.unwrap_or_else(contradiction)), None);
    }
    let only_time = lines
        .iter()
        .all(|line| matches!(line.outcome, Outcome::Passed | Outcome::TimedOut));
    let answer = if only_time {
        CheckAnswer::TimedOut {
            reason: "an import did not end in time".to_owned(),
            findings,
        }
    } else {
        Findings::new(findings)
            .map(CheckAnswer::Failed)
            .unwrap_or_else(contradiction)
    };
    (result(answer), Some(FailureClass::Code))
}

/// The finding points at the file that is really at fault, which need not be the one that was imported.
fn finding(line: &Line) -> Finding {
    let Some(exception) = &line.exception else {
        return Finding::new(
            CHECK,
            Location::file(&line.path),
            "its import did not end as an import has to",
        );
    };
    let file = exception.file.clone().unwrap_or_else(|| line.path.clone());
    let at = Location {
        file,
        line: exception.line.unwrap_or(0),
        column: 0,
    };
    let said = &exception.message;
    let mut message = match line.outcome {
        Outcome::Exited => {
            format!("importing it ended the process ({said}); a module must not exit when it is imported")
        }
        Outcome::TimedOut => format!("{said}; do the work in a function, not at import"),
        Outcome::Killed | Outcome::Failed | Outcome::Passed | Outcome::NotRun => {
            format!("importing it raises {}: {said}", exception.kind)
        }
    };
    for frame in line.traceback.iter().rev().take(3) {
        message.push_str(&format!(
            "\n  at {}:{} in {}",
            frame.file,
            frame.line.unwrap_or(0),
            frame.function
        ));
    }
    Finding::new(CHECK, at, message)
}

fn result(answer: CheckAnswer) -> CheckResult {
    CheckResult {
        check: CHECK.to_owned(),
        version: VERSION,
        answer,
    }
}
