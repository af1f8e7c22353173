//! `interlock check` and `interlock explain`: the verifier on any folder. It speaks for itself; here it is told where its
//! tools are.

use crate::args::{Check, Explain};
use crate::error::CliError;
use crate::exit::Exit;
use crate::home::{Home, write_secret};
use crate::locate::{Locator, real_env};
use crate::stack::runner;
use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::Path;
use std::process::Stdio;

const PROGRAM: &str = "interlock-check";

/// Checks a folder.
pub(super) async fn check(args: &Check) -> Result<Exit, CliError> {
    let home = Home::find(real_env)?;
    let locator = Locator::new(&real_env)?;
    let program = locator.program(PROGRAM)?;
    let scratch = home.folder(&format!("scratch/check-{}", std::process::id()))?;
    let ended = in_scratch(args, &locator, &program, &scratch).await;
    // What is left there is small, and lies in the state folder.
    let _ = std::fs::remove_dir_all(&scratch);
    ended
}

async fn in_scratch(args: &Check, locator: &Locator<'_>, program: &Path, scratch: &Path) -> Result<Exit, CliError> {
    let tools = runner::runner(locator, &real_env, scratch.to_owned()).map_err(crate::stack::StackError::from)?;
    let text = toml::to_string(&tools).map_err(|e| CliError::Usage(format!("the tools cannot be named: {e}")))?;
    let config = scratch.join("tools.toml");
    write_secret(&config, text.as_bytes())?;
    let mut words: Vec<OsString> = vec![config.into(), args.dir.clone().into()];
    let values = [
        ("--entry", &args.entry),
        ("--root", &args.root),
        ("--env", &args.env),
        ("--plan", &args.plan),
        ("--base", &args.base),
    ];
    for (name, value) in values {
        if let Some(value) = value {
            words.extend([name.into(), value.into()]);
        }
    }
    let flags = [
        ("--static", args.only_static),
        ("--json", args.json),
        ("--sarif", args.sarif),
        ("--colour", !args.json && !args.sarif && colour()),
    ];
    words.extend(
        flags
            .into_iter()
            .filter(|(_, is_set)| *is_set)
            .map(|(name, _)| name.into()),
    );
    super::spoken(program, &words, Stdio::null()).await
}

/// Explains a rule.
pub(super) async fn explain(args: &Explain) -> Result<Exit, CliError> {
    let program = Locator::new(&real_env)?.program(PROGRAM)?;
    let mut words: Vec<OsString> = vec!["explain".into()];
    words.extend(args.rule.as_ref().map(OsString::from));
    super::spoken(&program, &words, Stdio::null()).await
}

/// As everywhere: on a terminal, unless NO_COLOR says otherwise.
fn colour() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    std::io::stdout().is_terminal() && !refused
}
