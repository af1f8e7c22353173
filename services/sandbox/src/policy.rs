//! The policy files, compiled in: what every program may see and call. The decisions stand in the files; this only
//! reads them.

use serde::Deserialize;

use crate::command::Tier;

/// System calls: what is allowed, and what an unlisted one gets (`policy/seccomp.json`).
pub(crate) const SECCOMP: &str = include_str!("../policy/seccomp.json");
const FILESYSTEM: &str = include_str!("../policy/filesystem.json");
const ENVIRONMENT: &str = include_str!("../policy/environment.json");
const CANARIES: &str = include_str!("../policy/canaries.json");

/// Stands in `environment.json` for the folder of temporary files, which differs between the tiers.
const SCRATCH: &str = "{scratch}";

/// The part of the file system that every program sees.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Filesystem {
    /// Read-only, where the host has it.
    pub(crate) system: Vec<SystemPath>,
    /// Readable and writable devices.
    pub(crate) devices: Vec<DevicePath>,
    /// The shared-memory folder.
    pub(crate) shared_memory: DevicePath,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SystemPath {
    pub(crate) path: String,
    pub(crate) tiers: Vec<Tier>,
    #[serde(rename = "reason")]
    _reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DevicePath {
    pub(crate) path: String,
    #[serde(rename = "reason")]
    _reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Environment {
    variables: Vec<Variable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Variable {
    name: String,
    value: String,
    #[serde(rename = "reason")]
    _reason: String,
}

/// What must happen to an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Expected {
    Allowed,
    Refused,
}

/// One attempt of the boot probe, and what must come of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Canary {
    pub(crate) name: String,
    pub(crate) expected: Expected,
    #[serde(rename = "reason")]
    _reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Canaries {
    canaries: Vec<Canary>,
}

/// What the boot probe expects.
pub(crate) fn canaries() -> Result<Vec<Canary>, serde_json::Error> {
    let parsed: Canaries = serde_json::from_str(CANARIES)?;
    Ok(parsed.canaries)
}

/// The file-system policy.
pub(crate) fn filesystem() -> Result<Filesystem, serde_json::Error> {
    serde_json::from_str(FILESYSTEM)
}

/// What every program may read of the system, whatever the tier; for a program that confines its own children further.
///
/// # Errors
/// Never for the files that are compiled in.
pub fn system_paths() -> Result<Vec<String>, serde_json::Error> {
    let system = filesystem()?.system.into_iter().map(|entry| entry.path);
    Ok(system.chain(["/dev".to_owned()]).collect())
}

/// The variables that every program gets, with `scratch` as its folder of temporary files.
pub(crate) fn environment(scratch: &str) -> Result<Vec<(String, String)>, serde_json::Error> {
    let parsed: Environment = serde_json::from_str(ENVIRONMENT)?;
    Ok(parsed
        .variables
        .into_iter()
        .map(|v| (v.name, v.value.replace(SCRATCH, scratch)))
        .collect())
}
