//! The identities of a deployment: one nkey per stage and one for bootstrap.
//!
//! Seeds stand in files that only their owner can read; the keyring holds public keys alone.

use interlock_domain::Stage;
use nkeys::KeyPair;
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

/// File with all public keys, inside the folder of identities.
pub const KEYRING_FILE: &str = "keyring.toml";

/// Every identity of a deployment.
pub struct Identities {
    admin: (String, String),
    stages: BTreeMap<Stage, (String, String)>,
}

/// Why identities cannot be made or read.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// A file.
    #[error("cannot use {path}: {source}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A key.
    #[error("the key in {path} is not usable: {why}")]
    Key {
        /// Which file.
        path: PathBuf,
        /// Why.
        why: String,
    },
}

impl Identities {
    /// Reads the identities in `dir`, making those that are missing.
    pub fn ensure(dir: &Path) -> Result<Self, IdentityError> {
        fs::create_dir_all(dir).map_err(|source| IdentityError::File {
            path: dir.to_owned(),
            source,
        })?;
        let admin = ensure_key(dir, "admin")?;
        let mut stages = BTreeMap::new();
        for stage in Stage::ALL {
            stages.insert(stage, ensure_key(dir, stage.name())?);
        }
        let identities = Self { admin, stages };
        let ring: String = identities
            .stages
            .iter()
            .map(|(stage, (_, public))| format!("{stage} = \"{public}\"\n"))
            .collect();
        let path = dir.join(KEYRING_FILE);
        fs::write(&path, ring).map_err(|source| IdentityError::File { path, source })?;
        Ok(identities)
    }

    /// The seed file of a stage.
    pub fn seed_file(dir: &Path, stage: Stage) -> PathBuf {
        dir.join(format!("{stage}.nk"))
    }

    /// The public key of a stage.
    pub fn public(&self, stage: Stage) -> &str {
        self.stages.get(&stage).map_or("", |(_, public)| public)
    }

    /// The public key of the bootstrap identity.
    pub fn admin_public(&self) -> &str {
        &self.admin.1
    }

    /// The seed of the bootstrap identity.
    pub fn admin_seed(&self) -> &str {
        &self.admin.0
    }
}

fn ensure_key(dir: &Path, name: &str) -> Result<(String, String), IdentityError> {
    let path = dir.join(format!("{name}.nk"));
    let file_error = |source| IdentityError::File {
        path: path.clone(),
        source,
    };
    let key_error = |e: nkeys::error::Error| IdentityError::Key {
        path: path.clone(),
        why: e.to_string(),
    };
    let seed = match fs::read_to_string(&path) {
        Ok(text) => text.trim().to_owned(),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            let seed = KeyPair::new_user().seed().map_err(key_error)?;
            let mut file = OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&path)
                .map_err(file_error)?;
            file.write_all(seed.as_bytes()).map_err(file_error)?;
            seed
        }
        Err(e) => return Err(file_error(e)),
    };
    let public = KeyPair::from_seed(&seed).map_err(key_error)?.public_key();
    Ok((seed, public))
}
