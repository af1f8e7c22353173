//! `interlock run`: a task from its file to its result.

use super::export::{self, is_free};
use super::{standing, who};
use crate::args;
use crate::client::Gateway;
use crate::console::Console;
use crate::error::CliError;
use crate::exit::Exit;
use crate::follow::follow;
use crate::progress::Progress;
use crate::session::Session;
use crate::task::LoadedTask;
use crate::view::{Run, gate, json, report};
use interlock_proto::v1::SubmitRequest;
use std::path::{Path, PathBuf};

/// Runs a task to its end, or to the gate where it waits.
pub(super) async fn run(args: &args::Run, console: &Console) -> Result<Exit, CliError> {
    let task = LoadedTask::load(&args.task)?;
    if let Some(out) = &args.out {
        is_free(out)?;
    }
    let session = Session::open(console)?;
    if args.detach {
        return detached(&session, task, console).await;
    }
    let mut own = session.running().await?.is_none();
    if own && !args.json {
        console.note("starting a private stack, which ends with this command");
    }
    let answers = task.answers.clone();
    let name = task.task.name.clone();
    let ended = session
        .work(answers.as_deref(), async |gateway| {
            let id = gateway.submit(request(&task)).await?;
            let progress = Progress::new(console, args.json);
            progress.submitted(&id);
            let ended = follow(gateway, &id, |run| progress.show(run)).await;
            progress.settle();
            let ended = ended?;
            let out = keep(gateway, &ended, args.out.clone(), &name).await?;
            Ok((ended, out))
        })
        .await;
    let (ended, out) = ended?;
    own &= gate::is_open(&ended);
    tell(&ended, out.as_deref(), own, args, console);
    Ok(standing(&ended))
}

fn request(task: &LoadedTask) -> SubmitRequest {
    SubmitRequest {
        task_toml: task.text.clone(),
        files: task.files.clone(),
        submitted_by: who(),
    }
}

/// Submits to the running stack and does not wait.
async fn detached(session: &Session, task: LoadedTask, console: &Console) -> Result<Exit, CliError> {
    let Some((_, gateway)) = session.running().await? else {
        return Err(CliError::Usage(
            "no stack is running that could carry the task out; start one: interlock up".to_owned(),
        ));
    };
    console.line(&gateway.submit(request(&task)).await?);
    Ok(Exit::Done)
}

/// What an ended run leaves is exported unasked; one that waits is not at its end yet.
async fn keep(gateway: &Gateway, run: &Run, out: Option<PathBuf>, name: &str) -> Result<Option<PathBuf>, CliError> {
    if !run.ended() {
        return Ok(None);
    }
    let out = out.unwrap_or_else(|| Path::new("interlock-runs").join(format!("{name}-{}", run.id())));
    export::write(gateway, run, &out).await?;
    Ok(Some(out))
}

fn tell(run: &Run, out: Option<&Path>, own_stack: bool, args: &args::Run, console: &Console) {
    if args.json {
        let mut result = json::result(run, standing(run).code());
        if let (Some(out), Some(fields)) = (out, result.as_object_mut()) {
            fields.insert("out".to_owned(), out.display().to_string().into());
        }
        console.line(&result.to_string());
        return;
    }
    console.line("");
    if gate::is_open(run) {
        gate::question(run).print(console);
        if own_stack {
            console.line("  The run waits on record. Answer it, then have it carried on: interlock up");
        }
    } else {
        report::report(run).print(console);
    }
    if let Some(out) = out {
        console.line("");
        console.line(&format!("The result lies in {}", out.display()));
    }
    console.line(&format!(
        "Look again: interlock show {}   Check the chain: interlock audit {}",
        run.id(),
        run.id()
    ));
}
