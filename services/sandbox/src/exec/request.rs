//! The words of the command line as types. Names the word that is wrong, and what would be right.

use super::ExecError;
use super::limits;
use crate::command::{Limits, Mount, Profile, Tier};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where `--out` is found.
pub(super) const OUT_INSIDE: &str = "/out";
/// Below it lies each `--mount`.
const IN_INSIDE: &str = "/in";

/// What is asked for.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) launcher: PathBuf,
    pub(super) supervisor: PathBuf,
    pub(super) bwrap: Option<PathBuf>,
    pub(super) scratch: PathBuf,
    pub(super) tier: Option<Tier>,
    pub(super) profile: Profile,
    pub(super) limits: Limits,
    pub(super) out: Option<PathBuf>,
    pub(super) mounts: Vec<Mount>,
    pub(super) stdin: bool,
    pub(super) program: OsString,
    pub(super) args: Vec<OsString>,
}

fn usage<T>(why: impl Into<String>) -> Result<T, ExecError> {
    Err(ExecError::Usage(why.into()))
}

impl Request {
    pub(super) fn parse(mut words: impl Iterator<Item = OsString>) -> Result<Request, ExecError> {
        let (mut launcher, mut supervisor, mut bwrap, mut scratch) = (None, None, None, None);
        let (mut tier, mut profile, mut limits) = (None, Profile::Work, limits::default());
        let (mut out, mut mounts, mut stdin) = (None, Vec::new(), false);
        let mut command = Vec::new();
        while let Some(word) = words.next() {
            let name = word.to_string_lossy().into_owned();
            let mut value = || words.next().map_or_else(|| usage(format!("{name} needs a value")), Ok);
            match name.as_str() {
                "--launcher" => launcher = Some(PathBuf::from(value()?)),
                "--supervisor" => supervisor = Some(PathBuf::from(value()?)),
                "--bwrap" => bwrap = Some(PathBuf::from(value()?)),
                "--scratch" => scratch = Some(PathBuf::from(value()?)),
                "--tier" => tier = Some(tier_of(&text(&name, value()?)?)?),
                "--profile" => profile = profile_of(&text(&name, value()?)?)?,
                "--limits" => limits::set(&mut limits, &text(&name, value()?)?)?,
                "--out" => out = Some(folder("--out", &PathBuf::from(value()?))?),
                "--mount" => mounts.push(mount(&text(&name, value()?)?)?),
                "--stdin" => stdin = true,
                "--" => command.extend(words.by_ref()),
                _ => return usage(format!("{name} is not known; put the command after `--`")),
            }
        }
        for (at, one) in mounts.iter().enumerate() {
            if mounts.iter().skip(at + 1).any(|other| other.inside == one.inside) {
                return usage(format!(
                    "--mount {}: two folders would be seen as {}; give one another name with --mount DIR:NAME",
                    one.host.display(),
                    one.inside
                ));
            }
        }
        let mut command = command.into_iter();
        let Some(program) = command.next() else {
            return usage("no command: put it after `--`, as in `interlock exec -- python3 -c 'print(1)'`");
        };
        let needed = |what: Option<PathBuf>, name: &str| what.map_or_else(|| usage(format!("{name} is needed")), Ok);
        Ok(Request {
            launcher: needed(launcher, "--launcher")?,
            supervisor: needed(supervisor, "--supervisor")?,
            bwrap,
            scratch: needed(scratch, "--scratch")?,
            tier,
            profile,
            limits,
            out,
            mounts,
            stdin,
            program,
            args: command.collect(),
        })
    }
}

fn text(name: &str, value: OsString) -> Result<String, ExecError> {
    value
        .into_string()
        .or_else(|value| usage(format!("{name} {}: is not UTF-8", value.display())))
}

fn tier_of(name: &str) -> Result<Tier, ExecError> {
    match Tier::from_name(name) {
        Some(tier) => Ok(tier),
        None => usage(format!("--tier {name}: is not known; namespaces or landlock")),
    }
}

fn profile_of(name: &str) -> Result<Profile, ExecError> {
    match name {
        "strict" => Ok(Profile::Strict),
        "work" => Ok(Profile::Work),
        _ => usage(format!("--profile {name}: is not known; strict or work")),
    }
}

fn folder(name: &str, path: &Path) -> Result<PathBuf, ExecError> {
    match std::path::absolute(path) {
        Ok(absolute) if !absolute.exists() || absolute.is_dir() => Ok(absolute),
        Ok(_) => usage(format!("{name} {}: is there and is no folder", path.display())),
        Err(error) => usage(format!("{name} {}: {error}", path.display())),
    }
}

/// `DIR`, seen as /in/ and its own name; `DIR:NAME`, seen as /in/NAME; `DIR:/PATH`, seen as /PATH.
fn mount(value: &str) -> Result<Mount, ExecError> {
    let whole = Path::new(value).exists();
    let (dir, name) = match value.rsplit_once(':').filter(|_| !whole) {
        Some((dir, name)) => (dir, Some(name)),
        None => (value, None),
    };
    let host = match std::fs::canonicalize(dir) {
        Ok(host) => host,
        Err(error) => return usage(format!("--mount {value}: {dir}: {error}")),
    };
    let own = host.file_name().and_then(|name| name.to_str());
    let inside = match name.or(own) {
        Some(path) if path.starts_with('/') => path.to_owned(),
        Some(name) if is_name(name) => format!("{IN_INSIDE}/{name}"),
        _ => {
            return usage(format!(
                "--mount {value}: needs a name of letters, digits, `.`, `_` and `-`, as in --mount {dir}:data"
            ));
        }
    };
    Ok(Mount {
        host,
        inside,
        writable: false,
    })
}

fn is_name(name: &str) -> bool {
    let fit = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    !name.is_empty() && name != "." && name != ".." && name.chars().all(fit)
}
