//! `interlock exec`: any command in the sandbox. The sandbox's own program does it and speaks for itself; here it is told
//! where its tools are.

use crate::args::Exec;
use crate::error::CliError;
use crate::exit::Exit;
use crate::home::Home;
use crate::locate::{Locator, real_env};
use std::ffi::OsString;
use std::process::Stdio;

/// Runs the command.
pub(super) async fn exec(args: &Exec) -> Result<Exit, CliError> {
    let locator = Locator::new(&real_env)?;
    let program = locator.program("interlock-exec")?;
    let (launcher, supervisor) = (
        locator.program("interlock-launcher")?,
        locator.program("interlock-supervisor")?,
    );
    let bwrap = locator.bwrap()?;
    let home = Home::find(real_env)?;
    let scratch = home.folder(&format!("scratch/exec-{}", std::process::id()))?;
    let mut words: Vec<OsString> = Vec::new();
    let mut say = |name: &str, value: OsString| words.extend([name.into(), value]);
    say("--launcher", launcher.into());
    say("--supervisor", supervisor.into());
    if let Some(bwrap) = bwrap {
        say("--bwrap", bwrap.into());
    }
    say("--scratch", scratch.clone().into());
    say("--profile", args.profile.clone().into());
    let tier = args.tier.clone().map(OsString::from);
    if let Some(tier) = tier.or_else(|| real_env("INTERLOCK_SANDBOX_TIER").filter(|tier| !tier.is_empty())) {
        say("--tier", tier);
    }
    if let Some(out) = &args.out {
        say("--out", out.clone().into());
    }
    args.limits.iter().for_each(|limits| say("--limits", limits.into()));
    args.mount.iter().for_each(|mount| say("--mount", mount.clone()));
    words.extend(args.stdin.then(|| "--stdin".into()));
    words.push("--".into());
    words.extend(args.command.iter().cloned());
    let stdin = if args.stdin { Stdio::inherit() } else { Stdio::null() };
    let ended = super::spoken(&program, &words, stdin).await;
    // What is left there is small, and lies in the state folder.
    let _ = std::fs::remove_dir_all(&scratch);
    ended
}
