//! Fresh interpreters: every file in a child that has imported nothing before, in a sandbox of this workspace alone.

use super::report::{Outcome, Report};
use super::{Answer, CHECK, Question, parallel, result};
use crate::static_rules::contradiction;
use crate::toolbox::{Asked, Bench, REPORT, ToolError, WORK};
use crate::verdict::class_of;
use interlock_domain::check::{CheckAnswer, Findings};
use interlock_domain::{FailureClass, Finding, Location, owned};
use interlock_sandbox::{Arg, End, Limits, Profile, ResultFolder, Sandbox};
use std::path::Path;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const TOOL: &str = "preflight.py";
/// Room for the report in bytes.
const MAX_REPORT: u64 = 64 << 20;
/// SIGILL, SIGABRT, SIGBUS, SIGFPE and SIGSEGV: nobody sent them, the check's own process broke.
const CRASHES: [i32; 5] = [4, 6, 7, 8, 11];
/// Exit status of the check when it is told to end.
const TERMINATED: i32 = 143;
/// Start of the interpreter, and reading what it says.
const START: Duration = Duration::from_secs(60);

/// What fresh interpreters said.
pub(super) enum Fresh {
    /// About every file.
    Reports(Vec<Report>),
    /// About none: it ended otherwise, and that is the answer.
    Ended(Answer),
}

/// Asks fresh interpreters about every file.
pub(super) async fn ask(
    bench: &Bench,
    sandbox: &Sandbox,
    question: Question<'_>,
    cancel: &CancellationToken,
) -> Result<Fresh, ToolError> {
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
        return Ok(Fresh::Ended((
            result(CheckAnswer::TimedOut {
                reason,
                findings: Vec::new(),
            }),
            Some(class_of(limit)),
        )));
    }
    if let End::Signaled(signal) = seen.end
        && !CRASHES.contains(&signal)
    {
        return Ok(Fresh::Ended(disturbed(
            question,
            &format!("ended the check with signal {signal}"),
        )));
    }
    if seen.end == End::Exited(TERMINATED) {
        return Ok(Fresh::Ended(disturbed(question, "told the check to end")));
    }
    if seen.end != End::Exited(0) {
        return Err(failed(format!("{:?}: {}", seen.end, seen.stderr.to_text())));
    }
    let Some(reports) = read_report(bench, question.files) else {
        return Ok(Fresh::Ended(disturbed(question, "changed the check's own report")));
    };
    if let Some(report) = reports.iter().find(|report| report.outcome == Outcome::NotRun) {
        let why = report
            .exception
            .as_ref()
            .map(|e| e.message.as_str())
            .unwrap_or_default();
        return Err(failed(format!("{} was not imported: {why}", report.path)));
    }
    Ok(Fresh::Reports(reports))
}

fn arguments(question: Question<'_>) -> Vec<Arg> {
    let mut args = vec![
        Arg::text("--root"),
        Arg::inside(WORK),
        Arg::text("--timeout"),
        Arg::text(question.each.as_secs().to_string()),
        Arg::text("--max-parallel"),
        Arg::text(parallel().to_string()),
        Arg::text("--report"),
        Arg::inside(format!("{REPORT}/report.jsonl")),
    ];
    args.push(Arg::text("--files"));
    args.extend(question.files.iter().map(Arg::text));
    args
}

fn failed(why: String) -> ToolError {
    ToolError::Answer { tool: TOOL, why }
}

/// What the check wrote when it ended well; `None` where somebody else wrote there too.
fn read_report(bench: &Bench, files: &[String]) -> Option<Vec<Report>> {
    let read = ResultFolder::open(&bench.report()).and_then(|dir| dir.read(Path::new("report.jsonl"), MAX_REPORT));
    let bytes = read.ok()?;
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let lines: Vec<Report> = lines.map(serde_json::from_slice).collect::<Result<_, _>>().ok()?;
    lines.iter().map(|line| &line.path).eq(files).then_some(lines)
}

/// The check is the harness's and did not come to its end, and the only other code that ran was what it imported.
fn disturbed(question: Question<'_>, what: &str) -> Answer {
    let at = question.files.iter().rev().find(|path| *path == owned::CONTRACT_FILE);
    let at = at.or(question.files.last()).map(String::as_str).unwrap_or_default();
    let message = format!("a module {what} while it was imported; an import must leave other processes alone");
    let answer = Findings::new(vec![Finding::new(CHECK, Location::file(at), message)]);
    let answer = answer.map(CheckAnswer::Failed).unwrap_or_else(contradiction);
    (result(answer), Some(FailureClass::Code))
}
