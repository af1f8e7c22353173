//! The store of environments: a folder each, with a description beside it that is written last. Two processes never
//! build the same one at once, and nobody ever sees a half-built one.

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::FlockOperation;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::error::EnvironmentError;
use super::{Environment, Interpreter, folder_name, tool};
use crate::results::remove_tree;

pub(super) const INTERPRETER: &str = include_str!("../../python/interpreter.py");
const INVENTORY: &str = include_str!("../../python/inventory.py");

/// A download of gigabytes on a slow line.
const INSTALL: Duration = Duration::from_secs(30 * 60);
/// Anything that only works locally.
const LOCAL: Duration = Duration::from_secs(120);
/// How often a lock that another process holds is tried again.
const TRY_AGAIN: Duration = Duration::from_millis(100);
/// How much of the installer's complaint is passed on.
const COMPLAINT: usize = 4 << 10;

#[derive(Debug)]
pub(super) struct Store {
    pub(super) root: PathBuf,
    pub(super) uv: PathBuf,
    pub(super) python: PathBuf,
}

#[derive(Deserialize)]
struct Inventory {
    packages: Vec<Package>,
    modules: Vec<String>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
    record: String,
}

impl Store {
    /// Asks the interpreter what it is.
    pub(super) async fn interpreter(&self) -> Result<Interpreter, EnvironmentError> {
        json_of(
            "describing the interpreter",
            &self.python,
            &words(&["-I", "-S", "-c", INTERPRETER]),
        )
        .await
    }

    /// The environment for this key, built if need be.
    pub(super) async fn ensure(
        &self,
        key: &str,
        interpreter: &Interpreter,
        lock: &[u8],
        packages: usize,
    ) -> Result<Environment, EnvironmentError> {
        let name = folder_name(key, &interpreter.executable);
        let description = self.root.join(format!("{name}.json"));
        if let Some(there) = described(&description) {
            return Ok(there);
        }
        fs::create_dir_all(&self.root).map_err(store(&self.root))?;
        let only_one = self.only_one(&name).await?;
        if let Some(there) = described(&description) {
            return Ok(there);
        }
        // Whoever held the lock before may have died half-way.
        let place = self.root.join(&name);
        let building = self.root.join(format!("{name}.building"));
        for left_over in [&place, &building] {
            remove_tree(left_over).map_err(store(left_over))?;
        }
        let built = self.build(&building, interpreter, lock, packages, &only_one).await;
        if built.is_err() {
            // The error at hand matters more; the next attempt removes what is left.
            let _ = remove_tree(&building);
        }
        let inventory = built?;
        fs::rename(&building, &place).map_err(store(&place))?;
        on_disk(&self.root).await.map_err(store(&place))?;
        let environment = environment(key, &place, interpreter, inventory);
        write(&description, &environment).map_err(store(&description))?;
        Ok(environment)
    }

    async fn build(
        &self,
        folder: &Path,
        interpreter: &Interpreter,
        lock: &[u8],
        packages: usize,
        only_one: &File,
    ) -> Result<Inventory, EnvironmentError> {
        let venv = [
            "venv",
            "--no-project",
            "--relocatable",
            "--no-python-downloads",
            "--python",
        ];
        let mut args = words(&venv);
        args.extend([interpreter.executable.clone().into(), folder.into()]);
        let said = tool::run("making the environment", &self.uv, &args, LOCAL, Some(only_one)).await?;
        if !said.ok {
            return Err(EnvironmentError::Tool {
                step: "making the environment",
                reason: brief(&said.stderr),
            });
        }
        let requirements = folder.join("requirements.lock");
        fs::write(&requirements, lock).map_err(store(&requirements))?;
        if packages > 0 {
            let install = [
                "pip",
                "install",
                "--require-hashes",
                "--only-binary",
                ":all:",
                "--compile-bytecode",
                "--python",
            ];
            let mut args = words(&install);
            args.extend([
                folder.join("bin/python").into(),
                "--requirement".into(),
                requirements.into(),
            ]);
            let said = tool::run("installing packages", &self.uv, &args, INSTALL, Some(only_one)).await?;
            if !said.ok {
                return Err(blame(&brief(&said.stderr)));
            }
        }
        let site = site_packages(folder).map_err(store(folder))?;
        let mut args = words(&["-I", "-S", "-c", INVENTORY]);
        args.push(site.into());
        json_of("listing packages", &interpreter.executable, &args).await
    }

    /// Waits until no other process builds this environment. The lock is gone when the file is dropped and no installer
    /// that was given it is left.
    async fn only_one(&self, name: &str) -> Result<File, EnvironmentError> {
        let path = self.root.join(format!("{name}.lock"));
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(store(&path))?;
        let begun = Instant::now();
        loop {
            match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(file),
                Err(rustix::io::Errno::WOULDBLOCK) if begun.elapsed() < INSTALL => {
                    tokio::time::sleep(TRY_AGAIN).await;
                }
                Err(rustix::io::Errno::WOULDBLOCK) => {
                    return Err(EnvironmentError::TimedOut {
                        step: "waiting for another builder",
                        limit: INSTALL,
                    });
                }
                Err(error) => return Err(store(&path)(error.into())),
            }
        }
    }
}

pub(super) fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

fn store(path: &Path) -> impl FnOnce(io::Error) -> EnvironmentError {
    let path = path.to_owned();
    move |source| EnvironmentError::Store { path, source }
}

/// Runs a Python program of ours and reads its answer.
pub(super) async fn json_of<T: for<'de> Deserialize<'de>>(
    step: &'static str,
    python: &Path,
    args: &[OsString],
) -> Result<T, EnvironmentError> {
    let said = tool::run(step, python, args, LOCAL, None).await?;
    if !said.ok {
        return Err(EnvironmentError::Tool {
            step,
            reason: brief(&said.stderr),
        });
    }
    serde_json::from_str(&said.stdout).map_err(|error| EnvironmentError::Tool {
        step,
        reason: error.to_string(),
    })
}

/// Whether the lock file or the line to the index is at fault. The installer has one exit status for both.
fn blame(complaint: &str) -> EnvironmentError {
    let signs = [
        "error sending request",
        "Failed to fetch",
        "Failed to download",
        "Could not connect",
        "timed out",
        "dns error",
        "Temporary failure",
        "503 Service",
        "502 Bad",
        "429 Too Many",
    ];
    if signs.iter().any(|sign| complaint.contains(sign)) && !complaint.contains("ash mismatch") {
        EnvironmentError::Network(complaint.to_owned())
    } else {
        EnvironmentError::NotInstallable(complaint.to_owned())
    }
}

/// The end of a complaint, where the reason stands.
fn brief(complaint: &str) -> String {
    let trimmed = complaint.trim();
    let mut from = trimmed.len().saturating_sub(COMPLAINT);
    while !trimmed.is_char_boundary(from) {
        from += 1;
    }
    trimmed.get(from..).unwrap_or_default().to_owned()
}

/// The description of an environment that is really there.
fn described(description: &Path) -> Option<Environment> {
    let environment: Environment = serde_json::from_slice(&fs::read(description).ok()?).ok()?;
    environment.python.exists().then_some(environment)
}

/// Returns when everything that was written to the store would survive a loss of power: packages before the description
/// that vouches for them.
async fn on_disk(root: &Path) -> io::Result<()> {
    let root = File::open(root)?;
    let synced = tokio::task::spawn_blocking(move || rustix::fs::syncfs(&root)).await;
    Ok(synced.map_err(io::Error::other)??)
}

fn write(path: &Path, environment: &Environment) -> io::Result<()> {
    let new = path.with_extension("json.new");
    let mut file = File::create(&new)?;
    file.write_all(&serde_json::to_vec(environment)?)?;
    file.sync_all()?;
    fs::rename(&new, path)
}

fn site_packages(folder: &Path) -> io::Result<PathBuf> {
    for entry in fs::read_dir(folder.join("lib"))? {
        let site = entry?.path().join("site-packages");
        if site.is_dir() {
            return Ok(site);
        }
    }
    Err(io::Error::new(
        io::ErrorKind::NotFound,
        "no site-packages in the new environment",
    ))
}

fn environment(key: &str, path: &Path, interpreter: &Interpreter, mut inventory: Inventory) -> Environment {
    inventory
        .packages
        .sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    let mut hash = Sha256::new();
    hash.update(key.as_bytes());
    for package in &inventory.packages {
        hash.update(format!("\n{}=={} {}", package.name, package.version, package.record));
    }
    Environment {
        digest: hex::encode(hash.finalize()),
        path: path.to_owned(),
        python: path.join("bin/python"),
        packages: inventory
            .packages
            .into_iter()
            .map(|package| (package.name, package.version))
            .collect(),
        modules: inventory.modules.into_iter().collect(),
        standard_modules: interpreter.standard_modules.clone(),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
mod tests {
    use super::*;

    #[test]
    fn the_network_is_blamed_only_for_the_network() {
        let network = "error: Failed to fetch: `https://x/simple/six/`\n  Caused by: dns error";
        assert!(matches!(blame(network), EnvironmentError::Network(_)));
        let lock = "error: Failed to download `six`\n  Caused by: Hash mismatch for `six==1.17.0`";
        assert!(matches!(blame(lock), EnvironmentError::NotInstallable(_)));
        let none = "× No solution found: six==9 was not found in the package registry";
        assert!(matches!(blame(none), EnvironmentError::NotInstallable(_)));
    }
}
