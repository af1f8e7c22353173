//! Where the programs lie that are measured: beside this one, and on the PATH. And a sandbox made of them.

use crate::BenchError;
use interlock_sandbox::{Sandbox, SandboxConfig, Tier};
use std::path::{Path, PathBuf};

/// A program of ours: beside this one, or one folder up where this is a test.
pub(crate) fn beside(name: &str) -> std::io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let folders = own.ancestors().skip(1).take(2);
    let found = folders.map(|folder| folder.join(name)).find(|file| file.exists());
    Ok(found.unwrap_or_else(|| own.with_file_name(name)))
}

pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// A sandbox that was seen to hold, of the strongest tier if none is named.
pub(crate) async fn sandbox(tier: Option<Tier>, scratch: &Path) -> Result<Sandbox, BenchError> {
    let sandbox = Sandbox::probe(SandboxConfig {
        launcher: beside("interlock-launcher")?,
        supervisor: beside("interlock-supervisor")?,
        bwrap: on_path("bwrap"),
        tier,
        scratch: scratch.to_owned(),
    });
    Ok(sandbox.await?)
}
