//! Seccomp: compiles the policy file for this processor and installs it. Which calls are allowed stands in
//! `policy/seccomp.json`, with a reason for each.

use std::collections::HashMap;

use seccompiler::BpfProgram;
use serde_json::Value;

use super::LaunchError;
use crate::command::{Profile, Tier};
use crate::policy;
use crate::wire::Launch;

/// Installs the filters for this profile and tier. The strongest answer of all filters wins; among refusals, that
/// of the filter installed last.
pub(super) fn install(launch: &Launch) -> Result<(), LaunchError> {
    let fail = |e: Box<dyn std::error::Error + Send + Sync>| LaunchError::wall("seccomp")(e);
    let programs = compile(policy::SECCOMP, std::env::consts::ARCH).map_err(fail)?;
    let mut names = vec!["base", "absent"];
    match launch.profile {
        Profile::Strict => names.push("strict"),
        Profile::Work => {}
    }
    if launch.proxy.is_none() {
        names.push("offline");
    }
    match launch.tier {
        Tier::Namespaces => {}
        Tier::Landlock => names.extend(["unwatched", "pretended"]),
    }
    for name in names {
        let program = programs
            .get(name)
            .ok_or_else(|| fail(format!("no filter `{name}`").into()))?;
        seccompiler::apply_filter(program).map_err(|e| fail(e.into()))?;
    }
    Ok(())
}

/// Compiles all filters of a policy, without the calls that this processor does not have.
fn compile(policy: &str, arch: &str) -> Result<HashMap<String, BpfProgram>, Box<dyn std::error::Error + Send + Sync>> {
    let mut policy: Value = serde_json::from_str(policy)?;
    let filters = policy
        .as_object_mut()
        .into_iter()
        .flat_map(|filters| filters.values_mut());
    for rules in filters.filter_map(|filter| filter.get_mut("filter").and_then(Value::as_array_mut)) {
        rules.retain(|rule| rule.get("only").is_none_or(|only| only == arch));
        for rule in rules.iter_mut().filter_map(Value::as_object_mut) {
            rule.remove("only");
        }
    }
    Ok(seccompiler::compile_from_json(
        serde_json::to_vec(&policy)?.as_slice(),
        arch.try_into()?,
    )?)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
mod tests {
    use super::*;

    fn rules(policy: &str) -> Vec<Value> {
        let policy: Value = serde_json::from_str(policy).unwrap();
        policy
            .as_object()
            .unwrap()
            .values()
            .flat_map(|f| f["filter"].as_array().unwrap().clone())
            .collect()
    }

    #[test]
    fn every_entry_says_why() {
        for rule in rules(policy::SECCOMP) {
            assert!(rule["comment"].as_str().is_some_and(|why| why.len() > 3), "{rule}");
        }
    }

    #[test]
    fn both_processors_compile() {
        for arch in ["x86_64", "aarch64"] {
            let programs = compile(policy::SECCOMP, arch).unwrap();
            assert_eq!(programs.len(), 6, "{arch}");
        }
    }
}
