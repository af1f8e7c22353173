//! `interlock up` and `down`: a stack that stays.

use crate::args::Up;
use crate::console::Console;
use crate::error::CliError;
use crate::exit::Exit;
use crate::locate::real_env;
use crate::model::ModelChoice;
use crate::session::Session;
use crate::stack::{process, supervisor};
use std::ffi::OsString;
use std::io::{BufRead as _, BufReader};
use std::time::{Duration, Instant};

/// How long a stack may take to stop: every service has its drain.
const STOP: Duration = Duration::from_secs(45);

/// Starts a stack and waits until it is ready.
pub(super) async fn up(args: &Up, console: &Console) -> Result<Exit, CliError> {
    let session = Session::open(console)?;
    if let Some((notice, _)) = session.running().await? {
        console.line(&format!(
            "a stack is already running (process {}), gateway at {}",
            notice.pid, notice.address
        ));
        return Ok(Exit::Done);
    }
    // What the holder would refuse is better said here.
    ModelChoice::choose(&real_env, args.answers.as_deref())?;
    session.home().folder("logs")?;
    let log = session.home().log("supervisor");
    let failed = |doing: &str| {
        let doing = format!("{doing}; see {}", log.display());
        move |source| CliError::Io { doing, source }
    };
    let own = std::env::current_exe().map_err(failed("cannot tell where this program lies"))?;
    let mut words: Vec<OsString> = vec!["supervise".into()];
    if let Some(answers) = &args.answers {
        let answers = answers.canonicalize().unwrap_or_else(|_| answers.clone());
        words.extend(["--answers".into(), answers.into()]);
    }
    words.extend(["--verifiers".into(), args.verifiers.to_string().into()]);
    let from = std::fs::metadata(&log).map_or(0, |meta| meta.len());
    let mut child = process::detach(&own, &words, &log).map_err(failed("cannot start the stack"))?;
    let mut said = String::new();
    if let Some(out) = child.stdout.take() {
        BufReader::new(out)
            .read_line(&mut said)
            .map_err(failed("the stack did not answer"))?;
    }
    if said.trim() != supervisor::READY {
        let _ = child.wait();
        let words = std::fs::read(&log).unwrap_or_default();
        let ours = words.get(usize::try_from(from).unwrap_or(0)..).unwrap_or_default();
        let why = String::from_utf8_lossy(ours).trim().replace("interlock: ", "");
        return Err(CliError::Usage(format!("the stack did not start: {why}")));
    }
    match session.running().await? {
        Some((notice, _)) => console.line(&format!(
            "stack is ready: gateway at {}, model: {}. Stop it with: interlock down",
            notice.address,
            notice.model.unwrap_or_default()
        )),
        None => {
            return Err(CliError::Usage(format!(
                "the stack ended at once; see {}",
                log.display()
            )));
        }
    }
    Ok(Exit::Done)
}

/// Stops the stack that `up` started, and waits until nothing of it is left.
pub(super) async fn down(console: &Console) -> Result<Exit, CliError> {
    let session = Session::open(console)?;
    let Some((notice, _)) = session.running().await? else {
        console.line("no stack is running");
        return Ok(Exit::Done);
    };
    process::terminate(notice.pid);
    let deadline = Instant::now() + STOP;
    while session.home().is_held()? {
        if Instant::now() >= deadline {
            return Err(CliError::Usage(format!(
                "process {} has not stopped within {} s; look at {}",
                notice.pid,
                STOP.as_secs(),
                session.home().log("supervisor").display()
            )));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    console.line("stopped");
    Ok(Exit::Done)
}

/// Holds the stack; started by [`up`] and nobody else.
pub(super) async fn supervise(args: &Up, console: &Console) -> Result<Exit, CliError> {
    let session = Session::open(console)?;
    supervisor::hold(session.home(), args.answers.as_deref(), args.verifiers, console).await?;
    Ok(Exit::Done)
}
