//! Finds the program, and says so where the sandbox does not show the place where it lies. Starts nothing.

use super::ExecError;
use crate::command::{Arg, Mount, Tier};
use crate::plan::SCRATCH_INSIDE;
use crate::policy;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The program that `name` stands for: a path, or a name that is looked for on the PATH.
pub(super) fn find(name: &OsStr, tier: Tier, mounts: &[Mount]) -> Result<Arg, ExecError> {
    let shown = name.display();
    if name.as_encoded_bytes().contains(&b'/') {
        if inside(name, mounts) {
            return Ok(word(name, mounts));
        }
        let path = real(Path::new(name))
            .filter(|path| is_program(path))
            .ok_or_else(|| ExecError::Usage(format!("{shown}: is not there, or nothing that can be executed")))?;
        return seen(&path, tier, mounts)?.ok_or_else(|| not_shown(&shown.to_string(), &path));
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut hidden = None;
    for file in std::env::split_paths(&path).map(|folder| folder.join(name)) {
        if let Some(file) = real(&file).filter(|file| is_program(file)) {
            match seen(&file, tier, mounts)? {
                Some(program) => return Ok(program),
                None => hidden = hidden.or(Some(file)),
            }
        }
    }
    Err(match hidden {
        Some(file) => not_shown(&shown.to_string(), &file),
        None => ExecError::Usage(format!(
            "{shown}: there is no such program on the PATH; name it by its path, or install it"
        )),
    })
}

/// A word of the command line: a path that the sandbox names is translated where the tier remaps nothing.
pub(super) fn word(word: &OsStr, mounts: &[Mount]) -> Arg {
    match word.to_str().filter(|_| inside(word, mounts)) {
        Some(path) => Arg::inside(path),
        None => Arg::text(word),
    }
}

/// Whether a word is a plain path in a mount or in the folder of temporary files, as the sandbox names them.
fn inside(word: &OsStr, mounts: &[Mount]) -> bool {
    let path = Path::new(word);
    let plain = !path
        .components()
        .any(|part| matches!(part.as_os_str().to_str(), Some("." | "..")));
    let places = mounts.iter().map(|mount| mount.inside.as_str()).chain([SCRATCH_INSIDE]);
    plain && word.to_str().is_some() && places.into_iter().any(|place| path.starts_with(place))
}

/// Where the sandbox shows a file of the host, if it does.
fn seen(file: &Path, tier: Tier, mounts: &[Mount]) -> Result<Option<Arg>, ExecError> {
    let policy = policy::filesystem().map_err(|error| ExecError::Usage(error.to_string()))?;
    let mut system = policy.system.iter().filter(|entry| entry.tiers.contains(&tier));
    if system.any(|entry| file.starts_with(&entry.path)) {
        return Ok(Some(Arg::text(file)));
    }
    Ok(mounts.iter().find_map(|mount| {
        let below = file.strip_prefix(&mount.host).ok()?.to_str()?;
        Some(Arg::inside(format!("{}/{below}", mount.inside)))
    }))
}

fn not_shown(name: &str, file: &Path) -> ExecError {
    let folder = file.parent().unwrap_or(file).display();
    ExecError::Usage(format!(
        "{name}: is {}, which the sandbox does not show; show it with --mount {folder}",
        file.display()
    ))
}

/// The file in its real folder, and under its own name: an environment's interpreter is a link, and means another thing
/// when it is called by the name of what the link leads to.
fn real(file: &Path) -> Option<PathBuf> {
    let parent = file.parent().filter(|parent| !parent.as_os_str().is_empty());
    let folder = std::fs::canonicalize(parent.unwrap_or(Path::new("."))).ok()?;
    let name: OsString = file.file_name()?.to_owned();
    Some(folder.join(name))
}

fn is_program(file: &Path) -> bool {
    file.metadata()
        .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
