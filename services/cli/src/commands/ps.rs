//! `interlock ps`: every run, and whether a stack is there.

use crate::args::Json;
use crate::console::{Console, Tone};
use crate::error::CliError;
use crate::exit::Exit;
use crate::notice::{Kind, Notice};
use crate::session::Session;
use crate::view::{status, text};
use interlock_proto::v1::RunSummary;
use serde_json::json;
use std::time::{SystemTime, UNIX_EPOCH};

/// Lists the runs, newest first.
pub(super) async fn ps(args: &Json, console: &Console) -> Result<Exit, CliError> {
    let session = Session::open(console)?;
    let running = session.there().await?.map(|(notice, _)| notice);
    let runs = session.look(async |gateway| Ok(gateway.list().await?)).await?;
    if args.json {
        print_json(running.as_ref(), &runs, console);
    } else {
        print_table(running.as_ref(), &runs, console);
    }
    Ok(Exit::Done)
}

fn print_json(running: Option<&Notice>, runs: &[RunSummary], console: &Console) {
    for run in runs {
        let line = json!({
            "kind": "run",
            "run": run.run_id,
            "task": run.task,
            "status": run.status,
            "phase": run.phase,
            "failure": run.failure,
            "records": run.records,
            "started_unix_ms": run.started_unix_ms,
            "updated_unix_ms": run.updated_unix_ms,
        });
        console.line(&line.to_string());
    }
    let stack = json!({"kind": "stack", "running": running.is_some(), "stack": running});
    console.line(&stack.to_string());
}

fn print_table(running: Option<&Notice>, runs: &[RunSummary], console: &Console) {
    match running {
        Some(notice) => {
            let whose = match notice.kind {
                Kind::Shared => "a stack is running",
                Kind::Private | Kind::View => "a stack is running that belongs to another command and ends with it",
            };
            console.note(&format!("{whose}: gateway at {}", notice.address));
        }
        None => console.note("no stack is running; `interlock up` starts one"),
    }
    if runs.is_empty() {
        console.note("there is no run on record yet");
        return;
    }
    console.line(&format!(
        "{:<26}  {:<10}  {:<20}  {:<28}  CHANGED",
        "RUN", "STATUS", "TASK", "PHASE"
    ));
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| i64::try_from(d.as_millis()).unwrap_or(i64::MAX));
    for run in runs {
        let tone = match run.status.as_str() {
            "accepted" => Tone::Good,
            "waiting" => Tone::Warn,
            "active" => Tone::Plain,
            _ => Tone::Bad,
        };
        let [task, phase] = [&run.task, &run.phase].map(|text| text::clipped(text, 28));
        let changed = status::ago(now, run.updated_unix_ms);
        console.toned(
            tone,
            &format!(
                "{:<26}  {:<10}  {task:<20}  {phase:<28}  {changed}",
                run.run_id, run.status
            ),
        );
    }
}
