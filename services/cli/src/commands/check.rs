//! `interlock check`: the verifier on any folder. It speaks for itself; here it is told where its tools are.

use crate::args::Check;
use crate::error::CliError;
use crate::exit::Exit;
use crate::home::{Home, write_secret};
use crate::locate::{Locator, real_env};
use crate::stack::{process, runner};
use std::ffi::OsString;

/// Checks a folder.
pub(super) async fn check(args: &Check) -> Result<Exit, CliError> {
    let home = Home::find(real_env)?;
    let locator = Locator::new(&real_env)?;
    let program = locator.program("interlock-check")?;
    let scratch = home.folder(&format!("scratch/check-{}", std::process::id()))?;
    let tools = runner::runner(&locator, &real_env, scratch.clone()).map_err(crate::stack::StackError::from)?;
    let text = toml::to_string(&tools).map_err(|e| CliError::Usage(format!("the tools cannot be named: {e}")))?;
    let config = scratch.join("tools.toml");
    write_secret(&config, text.as_bytes())?;
    let mut words: Vec<OsString> = vec![config.into(), args.dir.clone().into()];
    for (name, value) in [("--root", &args.root), ("--lock", &args.lock)] {
        if let Some(value) = value {
            words.extend([name.into(), value.into()]);
        }
    }
    let flags = [
        ("--static", args.only_static),
        ("--json", args.json),
        ("--sarif", args.sarif),
    ];
    words.extend(
        flags
            .into_iter()
            .filter(|(_, is_set)| *is_set)
            .map(|(name, _)| name.into()),
    );
    let ended = process::hand_over(&program, &words).await;
    // What is left there is small, and lies in the state folder.
    let _ = std::fs::remove_dir_all(&scratch);
    let ended = ended.map_err(|source| CliError::Io {
        doing: format!("cannot run {}", program.display()),
        source,
    })?;
    Ok(match ended.code() {
        Some(0) => Exit::Done,
        Some(1) => Exit::NotAccepted,
        Some(_) | None => Exit::Setup,
    })
}
