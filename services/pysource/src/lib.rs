//! Facts about Python source and the static rules over them. The only user of `rustpython-parser`.
//! It must not run anything, read files, or decide what a finding leads to.

mod canary;
mod facts;
mod finding;
mod header;
mod interface;
mod pages;
mod rules;
mod shape;
mod source;
mod tree;
mod workspace;

pub use canary::{CanaryFailure, canaries};
pub use finding::{Finding, Location, RuleReport, Status};
pub use interface::interface;
pub use pages::pages;
pub use rules::{Declared, check, check_rule, rule_ids, rule_versions};
pub use shape::shape_of_repair;
pub use source::{MAX_BYTES, Unreadable};
pub use tree::interpreter::TREE_SCRIPT;
pub use workspace::Workspace;
