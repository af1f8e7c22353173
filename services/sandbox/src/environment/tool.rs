//! Runs the installer and the base interpreter: trusted programs, outside the sandbox, with an environment by
//! allow-list, a time limit, and bounded output.

use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::fs::MemfdFlags;
use rustix::process::{Pid, Signal};
use serde::Deserialize;

use super::error::EnvironmentError;
use crate::process;

/// How often a running tool is looked at.
const LOOK: Duration = Duration::from_millis(20);
/// How much of each stream is read: an inventory of thousands of packages is below it.
const KEPT: u64 = 16 << 20;

const VARIABLES: &str = include_str!("../../policy/installer.json");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Variables {
    variables: Vec<Variable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Variable {
    name: String,
    #[serde(rename = "reason")]
    _reason: String,
}

/// What a tool said before it ended.
#[derive(Debug)]
pub(super) struct Said {
    pub(super) ok: bool,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

/// Ends the tool and its children when nobody waits for them any more.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        if let Ok(None) = self.0.try_wait() {
            if let Some(pid) = i32::try_from(self.0.id()).ok().and_then(Pid::from_raw) {
                // Gone in the meantime: just as well.
                let _ = rustix::process::kill_process_group(pid, Signal::KILL);
            }
            let _ = self.0.wait();
        }
    }
}

/// Runs a tool to its end, or for at most `limit`. It holds `lock` open as its stdin, which it does not read: so a lock
/// on that file lasts until the tool is gone, even if this process is killed.
pub(super) async fn run(
    step: &'static str,
    program: &Path,
    args: &[OsString],
    limit: Duration,
    lock: Option<&File>,
) -> Result<Said, EnvironmentError> {
    let failed = |error: std::io::Error| EnvironmentError::Tool {
        step,
        reason: error.to_string(),
    };
    // Files in memory instead of pipes: nobody has to drain them, and a grandchild cannot keep them open for us.
    let stream = || {
        rustix::fs::memfd_create(step, MemfdFlags::CLOEXEC)
            .map(File::from)
            .map_err(|e| failed(e.into()))
    };
    let (stdout, stderr) = (stream()?, stream()?);
    let mut command = process::command(program);
    let stdin = lock.map(File::try_clone).transpose().map_err(failed)?;
    command
        .args(args)
        .current_dir("/")
        .process_group(0)
        .stdin(stdin.map_or_else(Stdio::null, Stdio::from));
    command
        .stdout(stdout.try_clone().map_err(failed)?)
        .stderr(stderr.try_clone().map_err(failed)?);
    command.envs(allowed(std::env::vars_os()).map_err(failed)?);
    let spawned = command.spawn();
    let missing = |error| failed(std::io::Error::other(format!("{}: {error}", program.display())));
    let mut group = Group(spawned.map_err(missing)?);
    let begun = Instant::now();
    let status = loop {
        if let Some(status) = group.0.try_wait().map_err(failed)? {
            break status;
        }
        if begun.elapsed() >= limit {
            return Err(EnvironmentError::TimedOut { step, limit });
        }
        tokio::time::sleep(LOOK).await;
    };
    let read = |mut file: File| -> std::io::Result<String> {
        let mut bytes = Vec::new();
        file.rewind()?;
        file.take(KEPT).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    };
    Ok(Said {
        ok: status.success(),
        stdout: read(stdout).map_err(failed)?,
        stderr: read(stderr).map_err(failed)?,
    })
}

/// Those of the variables that the installer may see.
fn allowed(all: impl Iterator<Item = (OsString, OsString)>) -> std::io::Result<Vec<(OsString, OsString)>> {
    let allowed: Variables = serde_json::from_str(VARIABLES)?;
    let fits = |name: &str| {
        allowed
            .variables
            .iter()
            .any(|variable| match variable.name.strip_suffix('*') {
                Some(prefix) => name.starts_with(prefix),
                None => name == variable.name,
            })
    };
    Ok(all.filter(|(name, _)| name.to_str().is_some_and(fits)).collect())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn every_variable_of_the_list_passes_and_no_other() {
        let list: serde_json::Value = serde_json::from_str(VARIABLES).unwrap();
        let names = list["variables"].as_array().unwrap().iter();
        let names: Vec<String> = names.map(|v| v["name"].as_str().unwrap().replace('*', "X")).collect();
        let others = [
            "INTERLOCK_KEY",
            "AWS_SECRET_ACCESS_KEY",
            "UV",
            "PATHS",
            "http_proxies",
            "LD_PRELOAD",
        ];
        let given = names.iter().map(String::as_str).chain(others);
        let passed = allowed(given.map(|name| (name.into(), "value".into()))).unwrap();
        let passed: Vec<&str> = passed.iter().map(|(name, _)| name.to_str().unwrap()).collect();
        assert_eq!(passed, names);
    }
}
