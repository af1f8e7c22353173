//! `interlock run`: a task from its file to its result.

use super::export::{self, is_free};
use super::{standing, who};
use crate::args;
use crate::client::Gateway;
use crate::console::Console;
use crate::error::CliError;
use crate::exit::Exit;
use crate::follow::follow;
use crate::locate::real_env;
use crate::model::ModelChoice;
use crate::progress::Progress;
use crate::session::{Session, same_answers};
use crate::task::LoadedTask;
use crate::view::{Run, gate, json, report, text};
use interlock_proto::v1::SubmitRequest;
use std::cell::OnceCell;
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
    let own = session.running().await?.is_none();
    if own && !args.json {
        console.note("starting a private stack, which ends with this command");
    }
    let submitted = OnceCell::new();
    let ended = session
        .work(task.answers.as_deref(), async |gateway| {
            if own {
                unfinished(gateway, console).await?;
            }
            let id = gateway.submit(request(&task)).await?;
            let progress = Progress::new(console, args.json);
            progress.submitted(&id);
            let id = submitted.get_or_init(|| id);
            let ended = follow(gateway, id, |run| progress.show(run)).await?;
            progress.settle();
            let out = keep(gateway, &ended, args.out.clone(), &task.task.name).await?;
            Ok((ended, out))
        })
        .await;
    let carry_on = own.then(|| up(task.answers.as_deref()));
    if let (Err(_), Some(id)) = (&ended, submitted.get()) {
        left_behind(id, carry_on.as_deref(), console);
    }
    let (ended, out) = ended?;
    tell(&ended, out.as_deref(), carry_on.as_deref(), args, console);
    Ok(standing(&ended))
}

/// What a private stack finds on record it carries on too, and whoever started it should know that.
async fn unfinished(gateway: &Gateway, console: &Console) -> Result<(), CliError> {
    for run in gateway.list().await?.iter().filter(|run| run.status == "active") {
        let (id, task) = (&run.run_id, text::line(&run.task));
        console.note(&format!(
            "run {id} ({task}) is not finished and is carried on as well; end it with: interlock cancel {id}"
        ));
    }
    Ok(())
}

/// The command that starts a stack on which this task's run can go on.
fn up(answers: Option<&Path>) -> String {
    match ModelChoice::choose(&real_env, answers) {
        Ok(ModelChoice::Scripted(folder)) => format!("interlock up --answers {}", folder.display()),
        Ok(ModelChoice::Endpoint(_)) | Err(_) => "interlock up".to_owned(),
    }
}

/// Says what becomes of a run that nobody waits for any more.
fn left_behind(id: &str, carry_on: Option<&str>, console: &Console) {
    let how = match carry_on {
        Some(up) => format!("is on record; have it carried on ({up})"),
        None => format!("goes on; follow it (interlock watch {id})"),
    };
    console.note(&format!("run {id} {how}, or end it (interlock cancel {id})"));
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
    let Some((notice, gateway)) = session.running().await? else {
        return Err(CliError::Usage(
            "no stack is running that could carry the task out; start one: interlock up".to_owned(),
        ));
    };
    // Whoever hands a task over to a stack may have chosen its answers on purpose.
    if let Err(other) = same_answers(&notice, task.answers.as_deref()) {
        console.note(&other.to_string());
    }
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

/// `carry_on` starts a stack where the one that the run had has ended.
fn tell(run: &Run, out: Option<&Path>, carry_on: Option<&str>, args: &args::Run, console: &Console) {
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
        if let Some(up) = carry_on {
            console.line(&format!(
                "  The run waits on record. Answer it, then have it carried on: {up}"
            ));
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
