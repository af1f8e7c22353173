//! The commands. Each does one thing, says what it did, and answers its exit code.

pub mod answer;
pub mod audit;
mod check;
pub mod doctor;
mod exec;
pub mod export;
mod follow_logs;
mod logs;
mod ps;
pub mod report;
mod run;
mod show;
mod up;

use crate::args::Command;
use crate::console::Console;
use crate::error::CliError;
use crate::exit::Exit;
use crate::signals::Interrupts;
use crate::stack::process;
use crate::view::{Run, gate};
use interlock_proto::v1::Decision;
use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;

/// Runs one command.
///
/// # Errors
/// Whatever kept it from doing what was asked.
pub async fn run(command: Command) -> Result<Exit, CliError> {
    let console = Console::new();
    match command {
        Command::Run(args) => run::run(&args, &console).await,
        Command::Up(args) => up::up(&args, &console).await,
        Command::Down => up::down(&console).await,
        Command::Supervise(args) => up::supervise(&args, &console).await,
        Command::Ps(args) => ps::ps(&args, &console).await,
        Command::Show(args) => show::show(&args, &console).await,
        Command::Watch(args) => show::watch(&args, &console).await,
        Command::Approve(args) => answer::answer(&args.run, Decision::Approve, &args.text, &console).await,
        Command::Revise(args) => answer::answer(&args.run, Decision::Revise, &args.text, &console).await,
        Command::Reject(args) => answer::answer(&args.run, Decision::Reject, &args.text, &console).await,
        Command::Cancel(args) => answer::cancel(&args, &console).await,
        Command::Logs(args) => logs::logs(&args, &console).await,
        Command::Export(args) => export::export(&args, &console).await,
        Command::Report(args) => report::report(&args, &console).await,
        Command::Audit(args) => audit::audit(&args, &console).await,
        Command::Check(args) => check::check(&args).await,
        Command::Exec(args) => exec::exec(&args).await,
        Command::Explain(args) => check::explain(&args).await,
        Command::Doctor => doctor::doctor(&console).await,
        Command::Version => {
            console.line(concat!("interlock ", env!("CARGO_PKG_VERSION")));
            Ok(Exit::Done)
        }
    }
}

/// The exit code that says how a run stands.
pub fn standing(run: &Run) -> Exit {
    match run.status() {
        "accepted" | "active" => Exit::Done,
        _ if gate::is_open(run) => Exit::Waiting,
        _ => Exit::NotAccepted,
    }
}

/// Has a program of ours that speaks for itself do the work: its exit codes are 0, 1 and 2 as everywhere.
async fn spoken(program: &Path, words: &[OsString], stdin: Stdio) -> Result<Exit, CliError> {
    let mut interrupts = Interrupts::listen()?;
    let ended = process::hand_over(program, words, stdin, interrupts.next()).await;
    let ended = ended.map_err(|source| CliError::Io {
        doing: format!("cannot run {}", program.display()),
        source,
    })?;
    Ok(match ended.map(|status| status.code()) {
        None => Exit::Interrupted,
        Some(Some(0)) => Exit::Done,
        Some(Some(1)) => Exit::NotAccepted,
        Some(Some(_) | None) => Exit::Setup,
    })
}

/// Who gives an answer, as far as this machine can tell.
fn who() -> String {
    let named = ["INTERLOCK_USER", "USER", "LOGNAME"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok());
    named
        .filter(|name| !name.trim().is_empty())
        .unwrap_or_else(|| format!("user {}", rustix::process::getuid().as_raw()))
}
