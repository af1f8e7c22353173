//! Starts the program behind its walls: bubblewrap and launcher, or the launcher alone.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::process::{Child, Stdio};

use rustix::fs::MemfdFlags;
use rustix::io::FdFlags;
use rustix::pipe::PipeFlags;

use crate::launcher::READY;
use crate::wire::{Job, Start};
use crate::process;

/// A program that was started, with this end of its pipes.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) pid: i32,
    pub(super) stdin: Option<OwnedFd>,
    pub(super) stdout: Option<OwnedFd>,
    pub(super) stderr: Option<OwnedFd>,
    status: File,
}

impl Started {
    /// How far the start got. Ask when the first process has ended.
    pub(super) fn outcome(&mut self) -> Start {
        let mut text = Vec::new();
        // Not blocking: whatever the launcher wrote is here by now. Something else may still hold the pipe.
        let _ = (&self.status).take(1 << 16).read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        match text.strip_prefix(READY) {
            Some("") => Start::Done,
            Some(error) => Start::NotStarted(error.trim_start_matches("exec ").to_owned()),
            None if text.is_empty() => Start::SetUpFailed(String::new()),
            None => Start::SetUpFailed(text.trim_start_matches("wall ").to_owned()),
        }
    }
}

/// Starts the job's program.
pub(super) fn start(job: &Job, with_stdin: bool) -> io::Result<Started> {
    let spec = handed_over("launch", &serde_json::to_vec(&job.launch)?)?;
    let (status, status_end) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
    // The launcher writes with ordinary blocking calls.
    rustix::fs::fcntl_setfl(&status_end, rustix::fs::OFlags::empty())?;
    inheritable(&status_end)?;
    let launcher_args = [spec.as_raw_fd().to_string(), status_end.as_raw_fd().to_string()];

    let mut options = None;
    let mut command = match &job.wrap {
        Some(wrap) => {
            let mut bytes = Vec::new();
            for word in &wrap.options {
                bytes.extend_from_slice(std::os::unix::ffi::OsStrExt::as_bytes(
                    std::ffi::OsString::from(word.clone()).as_os_str(),
                ));
                bytes.push(0);
            }
            let file = handed_over("walls", &bytes)?;
            let mut command = process::command(&wrap.program);
            command.arg("--args").arg(file.as_raw_fd().to_string()).arg("--").arg(&job.launcher);
            options = Some(file);
            command
        }
        None => process::command(&job.launcher),
    };
    command.args(launcher_args).current_dir("/");
    command.stdin(if with_stdin { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child: Child = command.spawn()?;
    drop((options, status_end, spec));
    Ok(Started {
        pid: i32::try_from(child.id()).unwrap_or(i32::MAX),
        stdin: child.stdin.take().map(OwnedFd::from),
        stdout: child.stdout.take().map(OwnedFd::from),
        stderr: child.stderr.take().map(OwnedFd::from),
        status: status.into(),
    })
}

/// A file in memory that the started process inherits and reads from its beginning.
fn handed_over(name: &str, bytes: &[u8]) -> io::Result<File> {
    let mut file = File::from(rustix::fs::memfd_create(name, MemfdFlags::CLOEXEC)?);
    file.write_all(bytes)?;
    file.rewind()?;
    inheritable(&file)?;
    Ok(file)
}

fn inheritable(fd: &impl AsFd) -> io::Result<()> {
    Ok(rustix::io::fcntl_setfd(fd, FdFlags::empty())?)
}
