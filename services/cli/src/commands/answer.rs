//! `interlock approve`, `revise`, `reject` and `cancel`: a human's word, about exactly what that human was shown.

use super::who;
use crate::args::Cancel;
use crate::client::Gateway;
use crate::console::Console;
use crate::error::CliError;
use crate::exit::Exit;
use crate::runs;
use crate::session::Session;
use crate::view::{Run, text};
use interlock_proto::v1::{AnswerGateRequest, CancelRunRequest, Decision, Gate, RunView};

/// Answers the gate that is open now.
pub async fn answer(given: &str, decision: Decision, words: &str, console: &Console) -> Result<Exit, CliError> {
    let session = Session::open(console)?;
    let carried_on = session.there().await?.is_some();
    let view = session
        .look(async |gateway| answer_open_gate(gateway, given, decision, words).await)
        .await?;
    let run = told(view, console);
    let said = match decision {
        Decision::Approve => "approved",
        Decision::Revise => "sent back",
        Decision::Reject => "rejected",
        Decision::Unspecified => "answered",
    };
    console.line(&format!("run {}: {said}; it is now {}", run.id(), run.status()));
    if !run.ended() && !carried_on {
        console.note("no stack is running; have the run carried on: interlock up (with --answers DIR if its answers are scripted)");
    }
    Ok(Exit::Done)
}

async fn answer_open_gate(
    gateway: &Gateway,
    given: &str,
    decision: Decision,
    words: &str,
) -> Result<RunView, CliError> {
    let id = runs::find(gateway, given).await?;
    let view = gateway.show(&id).await?;
    let gate = match view.gate.as_str() {
        "plan" => Gate::Plan,
        "guidance" => Gate::Guidance,
        _ => {
            let run = Run::new(view);
            let phase = run
                .view
                .summary
                .as_ref()
                .map(|summary| summary.phase.clone())
                .unwrap_or_default();
            let (status, phase) = (text::line(run.status()), text::line(&phase));
            return Err(CliError::NotNow(format!(
                "run {id} is {status} ({phase}) and waits for no answer; `interlock show {id}` says more"
            )));
        }
    };
    let request = AnswerGateRequest {
        run_id: id,
        gate: gate.into(),
        about: view.gate_about,
        decision: decision.into(),
        by: who(),
        text: words.to_owned(),
    };
    Ok(gateway.answer(request).await?)
}

/// Ends a run, whatever it is doing.
pub async fn cancel(args: &Cancel, console: &Console) -> Result<Exit, CliError> {
    let session = Session::open(console)?;
    let view = session
        .look(async |gateway| {
            let run_id = runs::find(gateway, &args.run).await?;
            let request = CancelRunRequest {
                run_id,
                by: who(),
                reason: args.reason.clone(),
            };
            Ok(gateway.cancel(request).await?)
        })
        .await?;
    let run = told(view, console);
    console.line(&format!("run {}: {}", run.id(), run.status()));
    Ok(Exit::Done)
}

/// The run, with what its gateway has to say about the call.
fn told(view: RunView, console: &Console) -> Run {
    if !view.notice.is_empty() {
        console.note(&text::line(&view.notice));
    }
    Run::new(view)
}
