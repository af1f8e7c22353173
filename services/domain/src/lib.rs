//! The pure core: records, the run's state machine, paths, owners, manifests and policy.
//!
//! Nothing here reads a clock, a file, the network or randomness; everything can be replayed.

pub mod authority;
pub mod blob;
pub mod check;
pub mod codec;
pub mod criteria;
pub mod destination;
pub mod doubt;
pub mod failure;
pub mod finding;
pub mod ids;
mod judging;
pub mod manifest;
pub mod owned;
pub mod path;
pub mod payload;
pub mod plan;
pub mod plan_file;
pub mod record;
pub mod scored;
pub mod shadow;
pub mod shown;
pub mod signing;
pub mod stage;
pub mod state;
pub mod task;

pub use check::{CheckAnswer, CheckResult};
pub use failure::{CallError, FailureClass};
pub use finding::{Finding, Location};
pub use ids::{Digest, RunId};
pub use manifest::{Manifest, Owner};
pub use path::WorkspacePath;
pub use payload::Payload;
pub use plan::Plan;
pub use record::{Control, Record};
pub use shadow::{Shadow, shadowed_by};
pub use signing::{Keyring, Opened, Signer};
pub use stage::{Disposition, Stage};
pub use state::RunState;
pub use task::Task;
