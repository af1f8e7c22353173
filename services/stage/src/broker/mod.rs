//! Everything that the project asks of a broker: its configuration, its streams and consumers.
//!
//! All of it follows from the one table in `interlock_domain::authority`. Stages never use this
//! module at run time; only the bootstrap identity does.

mod bootstrap;
mod echo;
mod identities;
mod permissions;

pub use bootstrap::{BootstrapError, apply, oldest_supported, unsupported};
pub use identities::{Identities, IdentityError, KEYRING_FILE};
pub use permissions::{API_PREFIX, Import, Rights, inbox, rights, server_config};

/// How long a delivered message may stay without a sign of life before another worker gets it.
pub const ACK_WAIT: std::time::Duration = std::time::Duration::from_secs(10);
