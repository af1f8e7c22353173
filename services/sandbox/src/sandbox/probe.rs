//! Finds out whether a tier holds, by doing: the production command line against canaries. Nothing is concluded from
//! version numbers.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::net::{TcpListener, UdpSocket};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::Sandbox;
use crate::command::{Arg, Command, Limits, Mount, Profile, Tier};
use crate::error::SandboxError;
use crate::launcher::CANARY;
use crate::launcher::canary::{Attempt, Targets};
use crate::observed::End;
use crate::policy::{self, Expected};

/// What was tried at boot, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProbeReport {
    /// Every tier that was tried, in that order.
    pub tiers: Vec<TierReport>,
}

/// What came of one tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TierReport {
    /// The tier.
    pub tier: Tier,
    /// Every canary, for each profile. Empty if none could be run.
    pub canaries: Vec<CanaryReport>,
    /// Why the canaries could not be run, if so.
    pub error: Option<String>,
}

/// What came of one canary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CanaryReport {
    /// The profile it ran under.
    pub profile: Profile,
    /// What was tried; see `policy/canaries.json`.
    pub name: String,
    /// What must happen: `allowed` or `refused`.
    pub expected: &'static str,
    /// What happened: `allowed`, `refused: …` with the system's words, or `not tried`.
    pub seen: String,
    /// Whether the two agree.
    pub ok: bool,
}

impl TierReport {
    /// Whether every canary went as it must.
    pub fn holds(&self) -> bool {
        self.error.is_none() && !self.canaries.is_empty() && self.canaries.iter().all(|canary| canary.ok)
    }

    /// Why it does not hold, in one line.
    pub fn why_not(&self) -> String {
        let wrong = self.canaries.iter().filter(|canary| !canary.ok);
        let wrong = wrong.map(|canary| format!("{} must be {} but was {}", canary.name, canary.expected, canary.seen));
        let parts: Vec<String> = self.error.iter().cloned().chain(wrong).collect();
        format!("{}: {}", self.tier, parts.join("; "))
    }
}

/// Tries the sandbox's current tier.
pub(super) async fn probe(sandbox: &Sandbox) -> TierReport {
    let mut report = TierReport {
        tier: sandbox.tier,
        canaries: Vec::new(),
        error: None,
    };
    for profile in [Profile::Strict, Profile::Work] {
        match canaries(sandbox, profile).await {
            Ok(canaries) => report.canaries.extend(canaries),
            Err(error) => report.error = Some(error.to_string()),
        }
    }
    report
}

/// Files and ports that belong to nobody but the probe.
struct Bait {
    folder: PathBuf,
    udp: UdpSocket,
    tcp: TcpListener,
}

impl Bait {
    fn lay(scratch: &Path) -> io::Result<Bait> {
        let folder = scratch.join(format!("probe-{}", std::process::id()));
        for part in ["secret", "mounted", "writable"] {
            fs::create_dir_all(folder.join(part))?;
            fs::write(folder.join(part).join("file"), "bait")?;
        }
        let (udp, tcp) = (UdpSocket::bind(("127.0.0.1", 0))?, TcpListener::bind(("127.0.0.1", 0))?);
        udp.set_nonblocking(true)?;
        tcp.set_nonblocking(true)?;
        Ok(Bait { folder, udp, tcp })
    }

    /// What got out, seen from this side.
    fn taken(&self) -> Vec<&'static str> {
        let planted = self.folder.join("secret/planted").exists() || self.folder.join("mounted/planted").exists();
        let seen = [
            (self.udp.recv_from(&mut [0; 16]).is_ok(), "udp"),
            (self.tcp.accept().is_ok(), "tcp"),
            (planted, "write_outside"),
        ];
        seen.into_iter()
            .filter(|(taken, _)| *taken)
            .map(|(_, name)| name)
            .collect()
    }
}

impl Drop for Bait {
    fn drop(&mut self) {
        // Left-overs only waste a few bytes of scratch.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

async fn canaries(sandbox: &Sandbox, profile: Profile) -> Result<Vec<CanaryReport>, SandboxError> {
    let set_up = |error: io::Error| SandboxError::SetUp(format!("canaries: {error}"));
    let bait = Bait::lay(&sandbox.scratch).map_err(set_up)?;
    let inside = |part: &str| match sandbox.tier {
        Tier::Namespaces => PathBuf::from("/canary").join(part),
        Tier::Landlock => bait.folder.join(part),
    };
    let targets = Targets {
        mounted: inside("mounted").join("file"),
        writable: inside("writable"),
        secret: bait.folder.join("secret/file"),
        outside: bait.folder.join("secret"),
        service: i32::try_from(std::process::id()).unwrap_or(i32::MAX),
        udp: bait.udp.local_addr().map_err(set_up)?.port(),
        tcp: bait.tcp.local_addr().map_err(set_up)?.port(),
    };
    let mount = |part: &str, writable| Mount {
        host: bait.folder.join(part),
        inside: format!("/canary/{part}"),
        writable,
    };
    let program = Mount {
        host: sandbox.tools.launcher.clone(),
        inside: "/canary/program".to_owned(),
        writable: false,
    };
    let command = Command {
        program: Arg::inside(program.inside.clone()),
        args: vec![Arg::text(CANARY)],
        env: BTreeMap::new(),
        cwd: "/".to_owned(),
        mounts: vec![program, mount("mounted", false), mount("writable", true)],
        profile,
        limits: Limits {
            wall: Duration::from_secs(20),
            ..Limits::default()
        },
        stdin: Some(serde_json::to_vec(&targets).map_err(|e| set_up(e.into()))?),
    };
    let seen = sandbox.run(command, CancellationToken::new()).await?;
    if seen.end != End::Exited(0) || seen.survivors != 0 {
        let said = seen.stderr.to_text();
        return Err(SandboxError::SetUp(format!(
            "canaries ended with {:?}: {}",
            seen.end,
            said.trim()
        )));
    }
    let attempts: Vec<Attempt> = serde_json::from_slice(&seen.stdout.head).map_err(|e| set_up(e.into()))?;
    let expected = policy::canaries().map_err(|e| set_up(e.into()))?;
    let taken = bait.taken();
    Ok(expected
        .iter()
        .map(|canary| judge(profile, canary, &attempts, &taken))
        .collect())
}

/// Compares what must happen with what the canary says and with what arrived on this side.
fn judge(profile: Profile, canary: &policy::Canary, attempts: &[Attempt], taken: &[&str]) -> CanaryReport {
    let attempt = attempts.iter().find(|attempt| attempt.name == canary.name);
    let allowed = taken.contains(&canary.name.as_str()) || matches!(attempt, Some(Attempt { refused: None, .. }));
    let seen = match attempt {
        _ if allowed => "allowed".to_owned(),
        Some(Attempt { refused, .. }) => format!("refused: {}", refused.as_deref().unwrap_or_default()),
        None => "not tried".to_owned(),
    };
    let (expected, ok) = match canary.expected {
        Expected::Allowed => ("allowed", allowed),
        Expected::Refused => ("refused", !allowed && attempt.is_some()),
    };
    CanaryReport {
        profile,
        name: canary.name.clone(),
        expected,
        seen,
        ok,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
mod tests {
    use super::*;

    fn attempt(name: &str, refused: Option<&str>) -> Attempt {
        Attempt {
            name: name.to_owned(),
            refused: refused.map(str::to_owned),
        }
    }

    #[test]
    fn only_the_expected_answer_is_right() {
        let canaries = policy::canaries().unwrap();
        let secret = canaries.iter().find(|canary| canary.name == "udp").unwrap();
        let judged = |attempts: &[Attempt], taken: &[&str]| judge(Profile::Work, secret, attempts, taken).ok;
        assert!(judged(&[attempt("udp", Some("no"))], &[]));
        assert!(!judged(&[attempt("udp", None)], &[]), "it got through");
        assert!(
            !judged(&[attempt("udp", Some("no"))], &["udp"]),
            "it says no, but something arrived"
        );
        assert!(!judged(&[], &[]), "not tried is not refused");
        let control = canaries.iter().find(|canary| canary.name == "read_mounted").unwrap();
        assert!(!judge(Profile::Work, control, &[attempt("read_mounted", Some("no"))], &[]).ok);
    }
}
