//! `interlock doctor`: what is there, what is missing, and what to do about it. Tries things instead of guessing.

use crate::console::{Console, Tone};
use crate::error::CliError;
use crate::exit::Exit;
use crate::home::Home;
use crate::locate::{LocateError, Locator, real_env};
use crate::model::{ModelChoice, ModelError};
use crate::notice::Kind;
use crate::stack::{broker, process};
use interlock_domain::Stage;
use serde::Deserialize;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a tool may take to say what it is.
const ANSWER: Duration = Duration::from_secs(15);
/// How long trying both tiers may take.
const PROBE: Duration = Duration::from_secs(90);

/// What the sandbox's own probe says.
#[derive(Deserialize)]
struct Probe {
    tier: Option<String>,
    tried: Vec<Tried>,
}

#[derive(Deserialize)]
struct Tried {
    tier: String,
    ok: bool,
    reason: String,
}

/// What was looked at.
struct Examination<'a> {
    console: &'a Console,
    missing: u32,
}

impl Examination<'_> {
    fn good(&self, what: &str, said: &str) {
        self.console.toned(Tone::Good, &format!("ok       {what:<14}  {said}"));
    }

    fn note(&self, what: &str, said: &str) {
        self.console.toned(Tone::Warn, &format!("note     {what:<14}  {said}"));
    }

    fn bad(&mut self, what: &str, said: &str) {
        self.missing += 1;
        self.console.toned(Tone::Bad, &format!("MISSING  {what:<14}  {said}"));
    }

    /// A tool that says its version.
    async fn tool(&mut self, what: &str, found: Result<PathBuf, LocateError>, words: &[&str]) -> Option<PathBuf> {
        let path = match found {
            Ok(path) => path,
            Err(error) => {
                self.bad(what, &error.to_string());
                return None;
            }
        };
        match first_line(&path, words).await {
            Ok(said) => {
                self.good(what, &format!("{said} ({})", path.display()));
                Some(path)
            }
            Err(why) => {
                self.bad(what, &format!("{} does not work: {why}", path.display()));
                None
            }
        }
    }
}

/// Looks at everything that a run needs.
pub async fn doctor(console: &Console) -> Result<Exit, CliError> {
    let mut seen = Examination { console, missing: 0 };
    let locator = Locator::new(&real_env)?;
    programs(&mut seen, &locator);
    if let Some(path) = seen.tool("nats-server", locator.nats_server(), &["--version"]).await {
        let version = broker::version(&path).await?;
        if !broker::fit(&version) {
            seen.bad(
                "nats-server",
                &format!("version {version} does not sync what it acknowledges; 2.10 or newer is needed (make setup)"),
            );
        }
    }
    seen.tool("uv", locator.uv(), &["--version"]).await;
    let venv = "import sys, venv, ensurepip; print('Python', sys.version.split()[0], 'with venv')";
    seen.tool("python", locator.python(), &["-c", venv]).await;
    match locator.bwrap() {
        Ok(Some(path)) => {
            seen.tool("bubblewrap", Ok(path), &["--version"]).await;
        }
        Ok(None) => seen.note(
            "bubblewrap",
            "is not installed, so only the landlock tier is left (make setup installs it)",
        ),
        Err(error) => seen.bad("bubblewrap", &error.to_string()),
    }
    sandbox(&mut seen, &locator).await;
    model(&mut seen);
    state(&mut seen);
    if seen.missing == 0 {
        console.line("everything that a run needs is there");
        Ok(Exit::Done)
    } else {
        console.line(&format!(
            "{} missing or not working",
            crate::view::text::count(seen.missing as usize, "thing")
        ));
        Ok(Exit::Setup)
    }
}

fn programs(seen: &mut Examination<'_>, locator: &Locator<'_>) {
    let mut names: Vec<String> = Stage::ALL.iter().map(|stage| format!("interlock-{stage}")).collect();
    names.extend(
        [
            "interlock-bootstrap",
            "interlock-check",
            "interlock-exec",
            "interlock-launcher",
            "interlock-supervisor",
        ]
        .map(str::to_owned),
    );
    let missing: Vec<String> = names
        .iter()
        .filter_map(|name| locator.program(name).err().map(|error| error.to_string()))
        .collect();
    match missing.first() {
        None => seen.good("programs", &format!("all {} of them", names.len())),
        Some(first) => seen.bad("programs", first),
    }
}

/// Which tier holds, and why a stronger one does not.
async fn sandbox(seen: &mut Examination<'_>, locator: &Locator<'_>) {
    let path = match locator.program("interlock-sandbox-probe") {
        Ok(path) => path,
        Err(error) => return seen.bad("sandbox", &error.to_string()),
    };
    let answer = match process::ask(&path, &[] as &[OsString], PROBE).await {
        Ok(answer) => answer,
        Err(error) => return seen.bad("sandbox", &error.to_string()),
    };
    let probe: Probe = match serde_json::from_str(&answer.stdout) {
        Ok(probe) => probe,
        Err(_) => {
            return seen.bad(
                "sandbox",
                &format!("the probe did not answer: {}", answer.stderr.trim()),
            );
        }
    };
    for tried in probe.tried.iter().filter(|tried| !tried.ok) {
        seen.note(
            "sandbox",
            &format!("tier {} does not hold here: {}", tried.tier, tried.reason),
        );
    }
    match probe.tier {
        Some(tier) => seen.good("sandbox", &format!("tier {tier} holds (tried with canaries)")),
        None => seen.bad("sandbox", "no tier holds, so nothing can be run on this machine"),
    }
}

fn model(seen: &mut Examination<'_>) {
    match ModelChoice::choose(&real_env, None) {
        Ok(model) => seen.good("model", &model.to_string()),
        Err(ModelError::None) => {
            seen.note(
                "model",
                "INTERLOCK_MODEL_URL is not set: only tasks with scripted answers can be run",
            );
        }
        Err(error) => seen.bad("model", &error.to_string()),
    }
}

fn state(seen: &mut Examination<'_>) {
    let home = match Home::find(real_env) {
        Ok(home) => home,
        Err(error) => return seen.bad("state folder", &error.to_string()),
    };
    let root = home.root().display().to_string();
    match home.is_held() {
        Ok(true) => match home.notice().map(|notice| (notice.kind, notice.address)) {
            Some((Kind::Shared, address)) => seen.good("stack", &format!("is running, gateway at {address}")),
            Some((Kind::Private | Kind::View, _)) | None => seen.note("stack", "another command uses the state folder"),
        },
        Ok(false) => seen.good("state folder", &format!("{root} (no stack is running)")),
        Err(error) => seen.bad("state folder", &error.to_string()),
    }
}

async fn first_line(path: &Path, words: &[&str]) -> Result<String, String> {
    let words: Vec<OsString> = words.iter().map(Into::into).collect();
    let answer = process::ask(path, &words, ANSWER).await.map_err(|e| e.to_string())?;
    let first = |text: &str| text.lines().next().unwrap_or_default().trim().to_owned();
    if answer.status.success() {
        Ok(first(&answer.stdout))
    } else {
        Err(format!(
            "{}: {}",
            process::describe(answer.status),
            first(&answer.stderr)
        ))
    }
}
