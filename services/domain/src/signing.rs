//! Signatures over records and controls.
//!
//! A record is only ever read through [`Keyring::open_record`], so nothing unsigned reaches
//! the state machine. Keys are nkeys (ed25519), the same ones that a stage shows to the broker.

use crate::codec::{self, DecodeError};
use crate::ids::Digest;
use crate::record::{Control, Record};
use crate::stage::Stage;
use interlock_proto::v1::SignedRecord;
use nkeys::KeyPair;
use prost::Message as _;
use std::collections::BTreeMap;
use std::fmt;

/// What a signature covers besides the body, so that a record can never pass as a control.
const RECORD_CONTEXT: &[u8] = b"interlock.record.v1\0";
const CONTROL_CONTEXT: &[u8] = b"interlock.control.v1\0";
/// Largest signed record in bytes: below the broker's 1 MiB payload limit, headers included.
pub const MAX_SIGNED_BYTES: usize = 960 * 1024;

/// A value whose signature was checked, with the digest of the bytes that were signed.
#[derive(Clone, Debug, PartialEq)]
pub struct Opened<T> {
    /// The value.
    pub value: T,
    /// SHA-256 of its body: what the next record's parent names.
    pub digest: Digest,
}

/// Why bytes were not accepted as a record.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Not a signed message.
    #[error("not a signed record: {0}")]
    Malformed(String),
    /// Signed, but not understood.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// The stage that it names did not sign it.
    #[error("the signature is not {0}'s over these bytes")]
    Signature(Stage),
    /// Nobody told us this stage's key.
    #[error("no public key of {0} is known")]
    UnknownKey(Stage),
}

/// Why a record cannot be signed.
#[derive(Debug, thiserror::Error)]
pub enum SignError {
    /// The record names another stage than the key's.
    #[error("{holder} cannot sign a record of {named}")]
    NotOurs {
        /// Whose key it is.
        holder: Stage,
        /// Whom the record names.
        named: Stage,
    },
    /// Larger than a message may be.
    #[error("the record has {0} bytes; at most {MAX_SIGNED_BYTES} fit into a message")]
    TooLarge(usize),
    /// The key cannot sign.
    #[error("the key is not usable: {0}")]
    Key(String),
}

/// A stage's own key.
pub struct Signer {
    stage: Stage,
    key: KeyPair,
}

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Signer({}, {})", self.stage, self.key.public_key())
    }
}

impl Signer {
    /// From the seed text of an nkey.
    pub fn from_seed(stage: Stage, seed: &str) -> Result<Self, SignError> {
        let key = KeyPair::from_seed(seed.trim()).map_err(|e| SignError::Key(e.to_string()))?;
        Ok(Self { stage, key })
    }

    /// Whose key it is.
    pub const fn stage(&self) -> Stage {
        self.stage
    }

    /// The public half, as text.
    pub fn public_key(&self) -> String {
        self.key.public_key()
    }

    /// Signs a record of this stage; answers the bytes to store and the digest of its body.
    pub fn sign_record(&self, record: &Record) -> Result<(Vec<u8>, Digest), SignError> {
        if record.stage != self.stage {
            return Err(SignError::NotOurs {
                holder: self.stage,
                named: record.stage,
            });
        }
        self.sign(RECORD_CONTEXT, codec::encode_record(record))
    }

    /// Signs a control; only the gateway's key makes controls that anybody opens.
    pub fn sign_control(&self, control: &Control) -> Result<(Vec<u8>, Digest), SignError> {
        if self.stage != Stage::Gateway {
            return Err(SignError::NotOurs {
                holder: self.stage,
                named: Stage::Gateway,
            });
        }
        self.sign(CONTROL_CONTEXT, codec::encode_control(control))
    }

    fn sign(&self, context: &[u8], body: Vec<u8>) -> Result<(Vec<u8>, Digest), SignError> {
        let digest = Digest::of(&body);
        let signature = self
            .key
            .sign(&covered(context, &digest))
            .map_err(|e| SignError::Key(e.to_string()))?;
        let signed = SignedRecord { body, signature }.encode_to_vec();
        if signed.len() > MAX_SIGNED_BYTES {
            return Err(SignError::TooLarge(signed.len()));
        }
        Ok((signed, digest))
    }
}

/// The public keys of all stages.
pub struct Keyring {
    keys: BTreeMap<Stage, KeyPair>,
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.keys.keys()).finish()
    }
}

impl Keyring {
    /// From the public keys as text.
    pub fn new<'a>(keys: impl IntoIterator<Item = (Stage, &'a str)>) -> Result<Self, SignError> {
        let keys = keys.into_iter().map(|(stage, text)| {
            let key = KeyPair::from_public_key(text.trim()).map_err(|e| SignError::Key(e.to_string()))?;
            Ok((stage, key))
        });
        Ok(Self {
            keys: keys.collect::<Result<_, SignError>>()?,
        })
    }

    /// Checks and decodes a stored record. The stage that the record itself names has to have signed it.
    pub fn open_record(&self, bytes: &[u8]) -> Result<Opened<Record>, OpenError> {
        let (body, signature) = unwrap(bytes)?;
        let value = codec::decode_record(&body)?;
        let digest = self.check(RECORD_CONTEXT, value.stage, &body, &signature)?;
        Ok(Opened { value, digest })
    }

    /// Checks and decodes a stored control, which only the gateway signs.
    pub fn open_control(&self, bytes: &[u8]) -> Result<Opened<Control>, OpenError> {
        let (body, signature) = unwrap(bytes)?;
        let digest = self.check(CONTROL_CONTEXT, Stage::Gateway, &body, &signature)?;
        Ok(Opened {
            value: codec::decode_control(&body)?,
            digest,
        })
    }

    fn check(&self, context: &[u8], stage: Stage, body: &[u8], signature: &[u8]) -> Result<Digest, OpenError> {
        let key = self.keys.get(&stage).ok_or(OpenError::UnknownKey(stage))?;
        let digest = Digest::of(body);
        key.verify(&covered(context, &digest), signature)
            .map_err(|_| OpenError::Signature(stage))?;
        Ok(digest)
    }
}

fn unwrap(bytes: &[u8]) -> Result<(Vec<u8>, Vec<u8>), OpenError> {
    let signed = SignedRecord::decode(bytes).map_err(|e| OpenError::Malformed(e.to_string()))?;
    // Bytes that no signature covers could carry anything, and would go unnoticed.
    if signed.encode_to_vec() != bytes {
        return Err(OpenError::Malformed("it holds bytes that are not signed".to_owned()));
    }
    Ok((signed.body, signed.signature))
}

fn covered(context: &[u8], digest: &Digest) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(context.len() + 32);
    bytes.extend_from_slice(context);
    bytes.extend_from_slice(digest.as_bytes());
    bytes
}
