//! What the sandbox can do on this machine, for people and their tools: every tier tried, and why one does not hold.

use crate::error::SandboxError;
use crate::results::remove_tree;
use crate::sandbox::{Sandbox, SandboxConfig, TierReport};
use serde_json::json;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// How the probe is called.
const USAGE: &str = "usage: interlock-sandbox-probe [--launcher PATH] [--supervisor PATH]";

/// The answer for this machine.
#[derive(Clone, Debug)]
pub struct MachineAnswer {
    /// Whether any tier holds.
    pub holds: bool,
    /// `{"tier": name or null, "tried": [{"tier": name, "ok": bool, "reason": text}]}`
    pub json: String,
}

/// Tries every tier with the launcher and the supervisor that the words of the command line name; without words, with
/// those that lie beside this program.
///
/// # Errors
/// The words are not understood, the programs are not there, or nothing can be tried.
pub async fn probe_this_machine(words: impl Iterator<Item = OsString>) -> Result<MachineAnswer, SandboxError> {
    let (launcher, supervisor) = programs(words)?;
    let scratch = std::env::temp_dir().join(format!("interlock-probe-{}", std::process::id()));
    let config = SandboxConfig {
        launcher,
        supervisor,
        bwrap: bwrap(),
        tier: None,
        scratch: scratch.clone(),
    };
    let tried = Sandbox::try_tiers(config).await;
    // What cannot be removed is small and lies in the folder for temporary files.
    let _ = remove_tree(&scratch);
    let (sandbox, report) = tried?;
    let reports = report
        .tiers
        .iter()
        .map(|tier| json!({"tier": tier.tier.name(), "ok": tier.holds(), "reason": reason(tier)}));
    let answer = json!({
        "tier": sandbox.as_ref().map(|sandbox| sandbox.tier().name()),
        "tried": reports.collect::<Vec<_>>(),
    });
    Ok(MachineAnswer {
        holds: sandbox.is_some(),
        json: answer.to_string(),
    })
}

/// Launcher and supervisor.
fn programs(mut words: impl Iterator<Item = OsString>) -> Result<(PathBuf, PathBuf), SandboxError> {
    let own = std::env::current_exe().unwrap_or_default();
    let beside = |name: &str| own.parent().unwrap_or(Path::new(".")).join(name);
    let (mut launcher, mut supervisor) = (beside("interlock-launcher"), beside("interlock-supervisor"));
    while let Some(word) = words.next() {
        let named = match word.to_str() {
            Some("--launcher") => &mut launcher,
            Some("--supervisor") => &mut supervisor,
            _ => return Err(SandboxError::BadCommand(format!("{word:?} is not known; {USAGE}"))),
        };
        let path = words.next();
        *named =
            PathBuf::from(path.ok_or_else(|| SandboxError::BadCommand(format!("{word:?} needs a path; {USAGE}")))?);
    }
    Ok((launcher, supervisor))
}

fn reason(tier: &TierReport) -> String {
    if tier.holds() { String::new() } else { tier.why_not() }
}

fn bwrap() -> Option<PathBuf> {
    let chosen = std::env::var_os("INTERLOCK_BWRAP").map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    chosen.or_else(|| {
        std::env::split_paths(&path)
            .map(|folder| folder.join("bwrap"))
            .find(|file| file.is_file())
    })
}
