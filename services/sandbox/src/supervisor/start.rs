//! Starts the program behind its walls: bubblewrap and launcher, or the launcher alone.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus, Stdio};

use rustix::fs::MemfdFlags;
use rustix::io::FdFlags;
use rustix::pipe::PipeFlags;

use crate::launcher::init::{ENDED, INIT};
use crate::launcher::{NO_WALL, NOT_STARTED, READY};
use crate::process;
use crate::wire::{Job, Start};

/// More than the launcher ever writes into the status pipe.
const STATUS: u64 = 1 << 16;

/// A program that was started, with this end of its pipes.
#[derive(Debug)]
pub(super) struct Started {
    pub(super) pid: i32,
    pub(super) stdin: Option<OwnedFd>,
    pub(super) stdout: Option<OwnedFd>,
    pub(super) stderr: Option<OwnedFd>,
    /// Where the launcher's listening socket comes in, if the program has a network.
    pub(super) proxy: Option<OwnedFd>,
    status: File,
}

impl Started {
    /// How far the start got, and how the program ended if something stood between it and this process. Ask when the
    /// first process has ended.
    pub(super) fn told(&mut self) -> (Start, Option<ExitStatus>) {
        let mut bytes = Vec::new();
        // Not blocking: whatever was written is here by now. Something else may still hold the pipe.
        let _ = (&self.status).take(STATUS).read_to_end(&mut bytes);
        read_status(&String::from_utf8_lossy(&bytes))
    }
}

fn read_status(text: &str) -> (Start, Option<ExitStatus>) {
    let (mut start, mut ended) = (Start::SetUpFailed(String::new()), None);
    for line in text.lines() {
        if line == READY.trim_end() {
            start = Start::Done;
        } else if let Some(why) = line.strip_prefix(NO_WALL) {
            start = Start::SetUpFailed(why.to_owned());
        } else if let Some(why) = line.strip_prefix(NOT_STARTED) {
            start = Start::NotStarted(why.to_owned());
        } else if let Some(status) = line.strip_prefix(ENDED) {
            ended = status.parse().ok().map(ExitStatus::from_raw);
        }
    }
    (start, ended)
}

/// Starts the job's program.
pub(super) fn start(job: &Job, with_stdin: bool) -> io::Result<Started> {
    let spec = handed_over("launch", &serde_json::to_vec(&job.launch)?)?;
    let (status, status_end) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
    // The launcher writes with ordinary blocking calls.
    rustix::fs::fcntl_setfl(&status_end, rustix::fs::OFlags::empty())?;
    inheritable(&status_end)?;
    let mut launcher_args = vec![spec.as_raw_fd().to_string(), status_end.as_raw_fd().to_string()];
    let channel = job.launch.proxy.map(|_| UnixStream::pair()).transpose()?;
    let (proxy, proxy_end) = channel.map(|(ours, theirs)| (OwnedFd::from(ours), theirs)).unzip();
    if let Some(end) = &proxy_end {
        inheritable(end)?;
        launcher_args.push(end.as_raw_fd().to_string());
    }

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
            command
                .arg("--args")
                .arg(file.as_raw_fd().to_string())
                .arg("--")
                .arg(&job.launcher)
                .arg(INIT);
            options = Some(file);
            command
        }
        None => process::command(&job.launcher),
    };
    command.args(launcher_args).current_dir("/");
    command.stdin(if with_stdin { Stdio::piped() } else { Stdio::null() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child: Child = command.spawn()?;
    drop((options, status_end, spec, proxy_end));
    Ok(Started {
        pid: i32::try_from(child.id()).unwrap_or(i32::MAX),
        stdin: child.stdin.take().map(OwnedFd::from),
        stdout: child.stdout.take().map(OwnedFd::from),
        stderr: child.stderr.take().map(OwnedFd::from),
        proxy,
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

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn the_status_pipe_tells_how_far_it_got() {
        assert_eq!(read_status(""), (Start::SetUpFailed(String::new()), None));
        assert_eq!(
            read_status("no wall landlock: x\n").0,
            Start::SetUpFailed("landlock: x".to_owned())
        );
        assert_eq!(
            read_status("ready\nnot started no such file\n").0,
            Start::NotStarted("no such file".to_owned())
        );
        let (start, ended) = read_status("ready\nended 35584\n");
        assert_eq!((start, ended.unwrap().code()), (Start::Done, Some(139)));
    }
}
