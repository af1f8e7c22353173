//! Import: every file under its real name, in the run's environment, inside the sandbox.

mod report;

use report::Outcome;
pub(crate) use report::Report;

use crate::fork_servers::Request;
use crate::static_rules::contradiction;
use crate::toolbox::{Asked, Bench, REPORT, ToolError, WORK};
use crate::verdict::class_of;
use crate::workshop::Workshop;
use interlock_domain::check::{CheckAnswer, CheckResult, Findings, Ran};
use interlock_domain::{FailureClass, Finding, Location, owned};
use interlock_sandbox::{Arg, End, Environment, Limits, Profile, ResultFolder, Sandbox};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Identity of the check.
pub const CHECK: &str = "import";
/// Version of the check.
pub const VERSION: u32 = 2;
const TOOL: &str = "preflight.py";
/// Most files in flight at once, whatever the machine has: what `preflight.py` takes.
const MOST_PARALLEL: usize = 8;
/// Room for the report in bytes.
const MAX_REPORT: u64 = 64 << 20;
/// SIGILL, SIGABRT, SIGBUS, SIGFPE and SIGSEGV: nobody sent them, the check's own process broke.
const CRASHES: [i32; 5] = [4, 6, 7, 8, 11];
/// Exit status of the check when it is told to end.
const TERMINATED: i32 = 143;
/// Start of the interpreter, and reading what it says.
const START: Duration = Duration::from_secs(60);

/// The check's answer, with its failure class where it failed.
pub type Answer = (CheckResult, Option<FailureClass>);

/// What is to be imported.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The files, in the order of the plan's levels.
    pub files: &'a [String],
    /// Where they will run.
    pub environment: &'a Environment,
    /// Packages of the environment that are worth importing once for all.
    pub preload: &'a [String],
    /// Longest time for one file.
    pub each: Duration,
    /// Most memory of all of it in bytes.
    pub memory_bytes: u64,
}

/// The answer, with its failure class where it failed: what a warm interpreter does not pass, a fresh one decides.
pub async fn run(
    bench: &Bench,
    workshop: &Workshop,
    question: Question<'_>,
    cancel: &CancellationToken,
) -> Result<Answer, ToolError> {
    let request = Request {
        folder: bench.folder().to_owned(),
        files: question.files.to_vec(),
        timeout: question.each.as_secs(),
        memory: question.memory_bytes,
    };
    let servers = &workshop.servers;
    let said = servers
        .ask(question.environment, question.preload, request, cancel)
        .await;
    let sandbox = &workshop.sandbox;
    let Some(mut open) = said.and_then(|reports| doubtful(reports, question.files)) else {
        return cold(bench, sandbox, question, cancel).await;
    };
    let warm = question.files.len() - open.len();
    let mut judged = Vec::new();
    while !open.is_empty() {
        // One file stands for all that fail in the same place; if it passes, the others are asked as well.
        let (files, like_them) = first_of_each_cause(open);
        let some = Question {
            files: &files,
            ..question
        };
        match ask_cold(bench, sandbox, some, cancel).await? {
            Cold::Reports(reports) => {
                let failed = |report: &Report| reports.iter().any(|r| r.path == report.path && !r.passed());
                open = (like_them.into_iter().filter(|(_, first)| !failed(first)))
                    .map(|(report, _)| report)
                    .collect();
                judged.extend(reports);
            }
            Cold::Ended(answer) => return Ok(answer),
        }
    }
    Ok(judge(&judged, warm))
}

/// The answer of fresh interpreters alone.
pub async fn cold(
    bench: &Bench,
    sandbox: &Sandbox,
    question: Question<'_>,
    cancel: &CancellationToken,
) -> Result<Answer, ToolError> {
    match ask_cold(bench, sandbox, question, cancel).await? {
        Cold::Reports(reports) => Ok(judge(&reports, 0)),
        Cold::Ended(answer) => Ok(answer),
    }
}

/// The reports that are no pass, in the order of the files; `None` where they are not about exactly these files.
fn doubtful(reports: Vec<Report>, files: &[String]) -> Option<Vec<Report>> {
    let mut by_path: BTreeMap<String, Report> = BTreeMap::new();
    for report in reports {
        by_path.insert(report.path.clone(), report);
    }
    let ordered: Option<Vec<Report>> = files.iter().map(|path| by_path.remove(path)).collect();
    ordered.map(|all| all.into_iter().filter(|report| !report.passed()).collect())
}

/// The first file of each cause, and the others with the first one of theirs.
fn first_of_each_cause(reports: Vec<Report>) -> (Vec<String>, Vec<(Report, Report)>) {
    let (mut firsts, mut others): (Vec<Report>, Vec<(Report, Report)>) = Default::default();
    for report in reports {
        match firsts.iter().find(|first| first.same_cause(&report)) {
            Some(first) => others.push((report, first.clone())),
            None => firsts.push(report),
        }
    }
    (firsts.into_iter().map(|first| first.path).collect(), others)
}

/// What fresh interpreters said.
enum Cold {
    /// About every file.
    Reports(Vec<Report>),
    /// About none: it ended otherwise, and that is the answer.
    Ended(Answer),
}

async fn ask_cold(
    bench: &Bench,
    sandbox: &Sandbox,
    question: Question<'_>,
    cancel: &CancellationToken,
) -> Result<Cold, ToolError> {
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
        return Ok(Cold::Ended((
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
        return Ok(Cold::Ended(disturbed(
            question,
            &format!("ended the check with signal {signal}"),
        )));
    }
    if seen.end == End::Exited(TERMINATED) {
        return Ok(Cold::Ended(disturbed(question, "told the check to end")));
    }
    if seen.end != End::Exited(0) {
        return Err(failed(format!("{:?}: {}", seen.end, seen.stderr.to_text())));
    }
    let Some(reports) = read_report(bench, question.files) else {
        return Ok(Cold::Ended(disturbed(question, "changed the check's own report")));
    };
    if let Some(report) = reports.iter().find(|report| report.outcome == Outcome::NotRun) {
        let why = report
            .exception
            .as_ref()
            .map(|e| e.message.as_str())
            .unwrap_or_default();
        return Err(failed(format!("{} was not imported: {why}", report.path)));
    }
    Ok(Cold::Reports(reports))
}

/// Files in flight at once: one per processor (measured: two are 1.6 times as fast as one on two).
pub(crate) fn parallel() -> usize {
    std::thread::available_parallelism().map_or(1, |n| n.get().min(MOST_PARALLEL))
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

/// The answer, when so many files besides these have passed in a warm interpreter.
fn judge(reports: &[Report], warm: usize) -> Answer {
    let bad: Vec<&Report> = reports.iter().filter(|report| !report.passed()).collect();
    let mut findings: Vec<Finding> = bad.iter().map(|report| report.finding()).collect();
    findings.sort();
    findings.dedup();
    if findings.is_empty() {
        let files = reports.len() + warm;
        let ran = Ran::new(format!("import of {files} files, {warm} in a warm interpreter"), 0);
        let ran = ran.map(CheckAnswer::Passed);
        return (result(ran.unwrap_or_else(contradiction)), None);
    }
    let answer = if bad.iter().all(|report| report.outcome == Outcome::TimedOut) {
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

fn result(answer: CheckAnswer) -> CheckResult {
    CheckResult {
        check: CHECK.to_owned(),
        version: VERSION,
        answer,
    }
}
