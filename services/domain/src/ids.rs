//! Identities: runs (ULID) and content (SHA-256).
//!
//! Both can only be made from well-formed input, so holding one means that it is valid.

use sha2::{Digest as _, Sha256};
use std::fmt;
use std::str::FromStr;

/// Identity of a run: a ULID in its canonical upper-case form, safe inside a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunId(ulid::Ulid);

/// A text that is no identity of the kind that was expected.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum IdError {
    /// Not a canonical ULID.
    #[error("{0:?} is no run id; expected a ULID of 26 characters such as 01ARZ3NDEKTSV4RRFFQ69G5FAV")]
    Run(String),
    /// Not 64 hexadecimal digits.
    #[error("{0:?} is no digest; expected 64 hexadecimal digits")]
    Digest(String),
    /// Not 32 bytes.
    #[error("a digest has 32 bytes, got {0}")]
    DigestLength(usize),
}

impl RunId {
    /// A new identity from a time (Unix milliseconds) and 80 bits of randomness.
    pub fn from_parts(unix_ms: u64, random: u128) -> Self {
        Self(ulid::Ulid::from_parts(unix_ms, random))
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl FromStr for RunId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = || IdError::Run(text.chars().take(64).collect());
        let id = ulid::Ulid::from_string(text).map_err(|_| refused())?;
        // Only the canonical spelling: two spellings of one run would be two subjects.
        if id.to_string() == text {
            Ok(Self(id))
        } else {
            Err(refused())
        }
    }
}

/// SHA-256 of some bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest of several parts, each preceded by its length so that no two lists collide.
    pub fn of_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hasher = Sha256::new();
        for part in parts {
            hasher.update((part.len() as u64).to_be_bytes());
            hasher.update(part);
        }
        Self(hasher.finalize().into())
    }

    /// From 32 raw bytes, as records carry them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, IdError> {
        bytes
            .try_into()
            .map(Self)
            .map_err(|_| IdError::DigestLength(bytes.len()))
    }

    /// The raw bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The first 12 hexadecimal digits, for people.
    pub fn short(&self) -> String {
        self.to_string().chars().take(12).collect()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({})", self.short())
    }
}

impl FromStr for Digest {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let refused = || IdError::Digest(text.chars().take(80).collect());
        let bytes = hex::decode(text).map_err(|_| refused())?;
        Self::from_bytes(&bytes).map_err(|_| refused())
    }
}
