//! The private broker: loopback only, records synced to disk, and the same port after a restart.

use super::error::StackError;
use super::member::Member;
use super::process::{self, Program};
use super::{Setting, wait};
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Its name in logs.
pub const NAME: &str = "broker";
/// Oldest version that syncs what it acknowledges.
const OLDEST: (u32, u32) = (2, 10);
/// Reading back a large store takes a while.
const READY: Duration = Duration::from_secs(60);
/// Making and checking every stream and consumer.
const BOOTSTRAP: Duration = Duration::from_secs(60);
const VERSION: Duration = Duration::from_secs(10);

/// Starts it, makes its streams and consumers, and answers it with its address.
pub async fn start(setting: &Setting<'_>) -> Result<(Member, String), StackError> {
    let path = setting.locator.nats_server()?;
    let version = version(&path).await?;
    if !fit(&version) {
        return Err(StackError::OldBroker { program: path, version });
    }
    let identities = setting.home.folder("identities")?;
    let ports = setting.home.folder("ports")?;
    // An old file of a process that had the same number would name a dead port.
    for entry in fs::read_dir(&ports).into_iter().flatten().flatten() {
        let _ = fs::remove_file(entry.path());
    }
    configure(setting, "-1").await?;
    let mut member = Member::start(Program {
        name: NAME.to_owned(),
        path: path.clone(),
        args: vec!["--config".into(), identities.join("nats.conf").into()],
        env: setting.passed_on.clone(),
        log: setting.home.log(NAME),
    })
    .map_err(|source| StackError::Run { program: path, source })?;
    let url = wait(&mut member, READY, async |pid| announced(&ports, pid)).await?;
    // From now on a restarted broker has to be where its clients look for it.
    if let Some((_, port)) = url.rsplit_once(':') {
        configure(setting, port).await?;
    }
    bootstrap(setting, &["apply", &text(&identities), &url]).await?;
    Ok((member, url))
}

/// What a server of this file says about its version.
pub async fn version(path: &Path) -> Result<String, StackError> {
    let answer = process::ask(path, &["--version".into()], VERSION)
        .await
        .map_err(|source| StackError::Run {
            program: path.to_owned(),
            source,
        })?;
    let said = answer.stdout.split_whitespace().last().unwrap_or("unknown");
    Ok(said.trim_start_matches('v').to_owned())
}

/// Whether a version keeps what it acknowledged.
pub fn fit(version: &str) -> bool {
    let mut parts = version.split('.').map(str::parse::<u32>);
    match (parts.next(), parts.next()) {
        (Some(Ok(major)), Some(Ok(minor))) => (major, minor) >= OLDEST,
        (_, _) => false,
    }
}

async fn configure(setting: &Setting<'_>, port: &str) -> Result<(), StackError> {
    let store = setting.home.folder("js")?;
    let [dir, ports] = ["identities", "ports"].map(|name| text(&setting.home.path(name)));
    bootstrap(setting, &["config", &dir, port, &text(&store), &ports]).await
}

async fn bootstrap(setting: &Setting<'_>, args: &[&str]) -> Result<(), StackError> {
    let path = setting.locator.program("interlock-bootstrap")?;
    let args: Vec<_> = args.iter().map(Into::into).collect();
    let answer = process::ask(&path, &args, BOOTSTRAP)
        .await
        .map_err(|source| StackError::Run { program: path, source })?;
    if answer.status.success() {
        return Ok(());
    }
    let said = answer.stderr.trim();
    Err(StackError::Bootstrap(if said.is_empty() {
        process::describe(answer.status)
    } else {
        said.to_owned()
    }))
}

/// The address that the server with this number wrote into its ports file.
fn announced(ports: &Path, pid: u32) -> Option<String> {
    let ending = format!("_{pid}.ports");
    let file = fs::read_dir(ports)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .find(|path| path.to_string_lossy().ends_with(&ending))?;
    // Half written: it is read again in a moment.
    let said: serde_json::Value = serde_json::from_slice(&fs::read(file).ok()?).ok()?;
    said.get("nats")?.get(0)?.as_str().map(str::to_owned)
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::fit;

    #[test]
    fn old_and_unreadable_versions_are_not_fit() {
        for version in ["2.10.0", "2.14.0", "3.0.1-beta"] {
            assert!(fit(version), "{version}");
        }
        for version in ["2.9.10", "1.4.1", "", "unknown"] {
            assert!(!fit(version), "{version}");
        }
    }
}
