//! The gateway's own settings. Holds no secret: the token stands in a file that they name.

use serde::Deserialize;
use std::net::SocketAddr;
use std::path::PathBuf;

/// The `[service]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Where to listen; port 0 takes any free one.
    pub listen: SocketAddr,
    /// Where the address that was really taken is written once calls are answered. Removed at a clean end.
    pub addr_file: PathBuf,
    /// File with the token that every call but Health has to bring.
    pub token_file: PathBuf,
}
