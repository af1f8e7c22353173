//! The only place that starts processes: each ends when this one does, and none becomes a zombie.
//!
//! The kernel ends a child when the *thread* that started it ends, so `start` has to be called on the main thread.

use rustix::process::{Pid, Signal};
use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::io::{self, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// How often a process is looked at while somebody waits for it.
const LOOK: Duration = Duration::from_millis(10);
/// How long a program that was asked to end may take to clear away.
const TO_CLEAR_AWAY: Duration = Duration::from_secs(10);
/// The last part of a log that an error quotes, in lines.
const QUOTED_LINES: usize = 15;

/// What to start, and where its words go.
#[derive(Clone, Debug)]
pub struct Program {
    /// Its name in logs and messages.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// Arguments.
    pub args: Vec<OsString>,
    /// Its whole environment: nothing is inherited.
    pub env: Vec<(OsString, OsString)>,
    /// File that stdout and stderr are appended to.
    pub log: PathBuf,
}

/// A process that is ended and reaped at the latest when this value goes.
#[derive(Debug)]
pub struct Running {
    child: Child,
    log: PathBuf,
    log_from: u64,
}

/// What a short program answered.
#[derive(Debug)]
pub struct Answer {
    /// How it ended.
    pub status: ExitStatus,
    /// What it wrote to stdout.
    pub stdout: String,
    /// What it wrote to stderr.
    pub stderr: String,
}

/// Starts a program in a process group of its own, so that Ctrl-C reaches us alone and we end it in order.
pub fn start(program: &Program) -> io::Result<Running> {
    let log = OpenOptions::new()
        .create(true)
        .append(true)
        .mode(0o600)
        .open(&program.log)?;
    let log_from = log.metadata()?.len();
    let mut command = command(&program.path, &program.args);
    command
        .env_clear()
        .envs(program.env.iter().map(|(name, value)| (name, value)))
        .process_group(0)
        .stdin(Stdio::null())
        .stdout(log.try_clone()?)
        .stderr(log);
    end_with_us(&mut command);
    Ok(Running {
        child: command.spawn()?,
        log: program.log.clone(),
        log_from,
    })
}

/// Starts a process of its own session that outlives this one; its stdout can be read here.
pub fn detach(path: &Path, args: &[OsString], log: &Path) -> io::Result<Child> {
    let log = OpenOptions::new().create(true).append(true).mode(0o600).open(log)?;
    let mut command = command(path, args);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(log);
    before_exec(&mut command, || {
        rustix::process::setsid()?;
        Ok(())
    });
    command.spawn()
}

/// Runs a short program to its end and answers what it said.
pub async fn ask(path: &Path, args: &[OsString], limit: Duration) -> io::Result<Answer> {
    let mut command = command(path, args);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    end_with_us(&mut command);
    let mut running = Running {
        child: command.spawn()?,
        log: PathBuf::new(),
        log_from: 0,
    };
    let Some(status) = running.wait_until(Instant::now() + limit).await? else {
        return Err(io::Error::new(
            io::ErrorKind::TimedOut,
            format!("{} gave no answer within {} s", path.display(), limit.as_secs()),
        ));
    };
    let mut answer = Answer {
        status,
        stdout: String::new(),
        stderr: String::new(),
    };
    if let Some(mut out) = running.child.stdout.take() {
        out.read_to_string(&mut answer.stdout)?;
    }
    if let Some(mut err) = running.child.stderr.take() {
        err.read_to_string(&mut answer.stderr)?;
    }
    Ok(answer)
}

/// Runs a program that speaks for itself, with our own stdout and stderr and the given stdin. `None` where `stop` came first: the program was
/// asked to end then, and is gone.
pub async fn hand_over(
    path: &Path,
    args: &[OsString],
    stdin: Stdio,
    stop: impl Future<Output = ()>,
) -> io::Result<Option<ExitStatus>> {
    let mut command = command(path, args);
    command.stdin(stdin);
    end_with_us(&mut command);
    let mut running = Running {
        child: command.spawn()?,
        log: PathBuf::new(),
        log_from: 0,
    };
    let mut stop = std::pin::pin!(stop);
    loop {
        tokio::select! {
            status = running.wait_until(Instant::now() + LOOK) => if let Some(status) = status? {
                return Ok(Some(status));
            },
            () = &mut stop => {
                running.terminate();
                running.wait_until(Instant::now() + TO_CLEAR_AWAY).await?;
                return Ok(None);
            }
        }
    }
}

/// Asks a process to stop. It may have ended by itself, which is as good.
pub fn terminate(pid: u32) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) {
        let _ = rustix::process::kill_process(pid, Signal::TERM);
    }
}

/// How a process ended, in words.
pub fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "an unknown end".to_owned(),
    }
}

impl Running {
    /// Its number.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// How it ended, if it has.
    pub fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }

    /// Waits for its end, at most until `deadline`.
    pub async fn wait_until(&mut self, deadline: Instant) -> io::Result<Option<ExitStatus>> {
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(Some(status));
            }
            if Instant::now() >= deadline {
                return Ok(None);
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Asks it to stop.
    pub fn terminate(&self) {
        terminate(self.pid());
    }

    /// The last lines that it wrote since it was started.
    pub fn last_words(&self) -> String {
        let written = std::fs::read(&self.log).unwrap_or_default();
        let ours = written
            .get(usize::try_from(self.log_from).unwrap_or(0)..)
            .unwrap_or_default();
        let text = String::from_utf8_lossy(ours);
        let lines: Vec<&str> = text.lines().collect();
        let first = lines.len().saturating_sub(QUOTED_LINES);
        lines.get(first..).unwrap_or_default().join("\n")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail only where the process was reaped before.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "a local stack is made of processes, and this is the one place that starts them"
)]
fn command(path: &Path, args: &[impl AsRef<OsStr>]) -> Command {
    let mut command = Command::new(path);
    command.args(args);
    command
}

/// The child is killed when this thread ends, even if that happens before the child could ask for it.
fn end_with_us(command: &mut Command) {
    let us = rustix::process::getpid();
    before_exec(command, move || {
        rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        if rustix::process::getppid() == Some(us) {
            Ok(())
        } else {
            Err(io::Error::from(io::ErrorKind::BrokenPipe))
        }
    });
}

#[expect(
    unsafe_code,
    reason = "pre_exec; the two closures above make raw system calls only and allocate nothing"
)]
fn before_exec(command: &mut Command, prepare: impl FnMut() -> io::Result<()> + Send + Sync + 'static) {
    // SAFETY: between fork and exec only async-signal-safe calls are made.
    unsafe {
        command.pre_exec(prepare);
    }
}
