//! Facts about Python source and the static rules over them. The only user of `rustpython-parser`.
//! It must not run anything, read files, or decide what a finding leads to.

mod facts;
mod finding;
mod header;
mod source;
mod tree;

pub use finding::{Finding, Location, RuleReport, Status};
pub use source::{MAX_BYTES, Unreadable};
