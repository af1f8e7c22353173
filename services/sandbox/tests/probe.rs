//! The boot probe: what holds is used, what does not is refused, and a demanded tier never falls to the other.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod lab;

use interlock_domain::Disposition;
use interlock_sandbox::{Sandbox, SandboxError, Tier};
use lab::config;

#[tokio::test]
async fn the_strongest_tier_is_taken_and_every_canary_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let sandbox = Sandbox::probe(config(None, folder.path())).await.unwrap();
    assert_eq!(sandbox.tier(), Tier::Namespaces);
    let report = sandbox.probe_report();
    assert_eq!(report.tiers.len(), 1);
    assert_eq!(report.tiers[0].canaries.len(), 20, "ten canaries in two profiles");
    assert!(report.tiers[0].holds() && report.tiers[0].canaries.iter().all(|canary| canary.ok));
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        0,
        "nothing is left of the probe"
    );
}

#[tokio::test]
async fn without_bubblewrap_only_the_landlock_tier_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let mut without = config(None, folder.path());
    without.bwrap = None;
    let sandbox = Sandbox::probe(without.clone()).await.unwrap();
    assert_eq!(sandbox.tier(), Tier::Landlock);
    assert!(!sandbox.probe_report().tiers[0].holds() && sandbox.probe_report().tiers[1].holds());

    without.tier = Some(Tier::Namespaces);
    let error = Sandbox::probe(without.clone()).await.unwrap_err();
    assert!(matches!(error, SandboxError::NoTier(_)), "{error:?}");
    assert_eq!(error.disposition(), Disposition::Escalate);
    let (sandbox, report) = Sandbox::try_tiers(without).await.unwrap();
    assert!(sandbox.is_none() && report.tiers.len() == 1 && report.tiers[0].why_not().contains("bubblewrap"));
}

/// Stands in for bubblewrap and puts up no wall at all: runs what comes after `--` as it is.
const NO_WALLS: &str = "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n";

#[tokio::test]
async fn walls_that_do_not_stand_are_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let fake = folder.path().join("bwrap");
    std::fs::write(&fake, NO_WALLS).unwrap();
    std::fs::set_permissions(&fake, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let mut broken = config(Some(Tier::Namespaces), &folder.path().join("scratch"));
    broken.bwrap = Some(fake);
    let (sandbox, report) = Sandbox::try_tiers(broken).await.unwrap();
    assert!(sandbox.is_none() && !report.tiers[0].holds(), "{report:?}");
}

#[tokio::test]
async fn missing_tools_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut missing = config(None, folder.path());
    missing.supervisor = "/no/such/supervisor".into();
    let error = Sandbox::probe(missing).await.unwrap_err();
    assert!(
        matches!(&error, SandboxError::Missing { path, .. } if path.ends_with("supervisor")),
        "{error:?}"
    );
}
