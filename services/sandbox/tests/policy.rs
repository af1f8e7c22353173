//! Every entry of the policy files is tried: each allowed call gets through and each refused one does not, with each of
//! its conditions broken; each path and device that is shown can be read, and nothing else of the machine; each variable
//! is there. The tests go by the files, so that an entry which they cannot try fails them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

#[path = "lab/calls.rs"]
mod calls;
mod lab;
#[path = "lab/rules.rs"]
mod rules;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use interlock_sandbox::{End, Profile, Tier};
use lab::Bench;
use serde_json::{Value, json};

fn filesystem() -> Value {
    serde_json::from_str(include_str!("../policy/filesystem.json")).unwrap()
}

/// The paths of a list of the file, those of one tier where they differ.
fn paths(list: &Value, tier: Tier) -> Vec<String> {
    (list.as_array().unwrap().iter())
        .filter(|entry| {
            entry
                .get("tiers")
                .is_none_or(|tiers| tiers.as_array().unwrap().contains(&json!(tier)))
        })
        .map(|entry| entry["path"].as_str().unwrap().to_owned())
        .collect()
}

/// Error numbers by path, 0 for those that open.
async fn opened(bench: &Bench, profile: Profile, paths: &[String], write: bool) -> BTreeMap<String, i32> {
    let mut command = bench.program("paths.py");
    command.profile = profile;
    command.stdin = Some(json!({"paths": paths, "write": write}).to_string().into_bytes());
    let seen = bench.run(command).await;
    assert_eq!(seen.end, End::Exited(0), "{seen:?}");
    serde_json::from_str(&seen.stdout.to_text()).unwrap()
}

#[tokio::test]
async fn every_call_and_every_condition_is_answered_as_the_policy_says() {
    for tier in Tier::ALL {
        for (profile, online) in [(Profile::Strict, false), (Profile::Work, false), (Profile::Work, true)] {
            if online && tier == Tier::Landlock {
                // `tests/network.rs` sees it refused.
                continue;
            }
            let mut filters = vec!["absent"];
            if !online {
                filters.push("offline");
            }
            match profile {
                Profile::Strict => filters.push("strict"),
                Profile::Work => {}
            }
            match tier {
                Tier::Namespaces => {}
                Tier::Landlock => filters.extend(["unwatched", "pretended"]),
            }
            let attempts = rules::attempts(&filters);
            let bench = Bench::new(tier).await;
            let mut command = bench.program("calls.py");
            command.profile = profile;
            if online {
                command.limits.network = vec!["127.0.0.1:9".parse().unwrap()];
            }
            let wishes: Vec<_> = attempts.iter().map(|one| json!([one.number, one.arguments])).collect();
            command.stdin = Some(json!(wishes).to_string().into_bytes());
            let seen = bench.run(command).await;
            assert_eq!(seen.end, End::Exited(0), "{seen:?}");
            let answers: Vec<Value> = serde_json::from_str(&seen.stdout.to_text()).unwrap();
            assert_eq!(answers.len(), attempts.len());
            let mut wrong = Vec::new();
            for (attempt, answer) in attempts.iter().zip(&answers) {
                let good = match attempt.refused {
                    Some(errno) => *answer == json!(errno),
                    // A kernel may be too old for it; what the filter refuses is not permitted.
                    None => *answer != json!(libc::EPERM),
                };
                if !good {
                    wrong.push(format!(
                        "{}: expected {:?}, seen {answer}",
                        attempt.what, attempt.refused
                    ));
                }
            }
            let ended = attempts
                .iter()
                .zip(&answers)
                .filter(|(_, answer)| **answer == json!("ended"));
            let ended: Vec<&str> = ended.map(|(attempt, _)| attempt.what.as_str()).collect();
            wrong.extend((ended.len() > 5).then(|| format!("{ended:?} did not return")));
            assert!(wrong.is_empty(), "{tier} {profile:?} {online}: {wrong:#?}");
        }
    }
}

#[tokio::test]
async fn every_path_that_is_shown_can_be_read_and_none_can_be_written() {
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let shown = paths(&filesystem()["system"], tier);
        let there: Vec<String> = shown.into_iter().filter(|path| Path::new(path).exists()).collect();
        assert!(there.len() > 5, "{there:?}");
        for (path, error) in opened(&bench, Profile::Strict, &there, false).await {
            assert_eq!(error, 0, "{path} in {tier}");
        }
        // Nothing of them can be written: folders by a new file in them, files by opening them.
        let planted = |path: &String| match Path::new(path).is_dir() {
            true => format!("{path}/planted"),
            false => path.clone(),
        };
        let targets: Vec<String> = there.iter().map(planted).collect();
        for (path, error) in opened(&bench, Profile::Work, &targets, true).await {
            assert_ne!(error, 0, "{path} in {tier} can be written");
        }
    }
}

#[tokio::test]
async fn every_device_opens_and_shared_memory_is_for_work_alone() {
    let policy = filesystem();
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let devices = paths(&policy["devices"], tier);
        for profile in [Profile::Strict, Profile::Work] {
            for (path, error) in opened(&bench, profile, &devices, true).await {
                assert_eq!(error, 0, "{path} in {tier}");
            }
            let shared = policy["shared_memory"]["path"].as_str().unwrap();
            let script = format!("import os\np = '{shared}/' + str(os.getpid())\nopen(p, 'w').close()\nos.unlink(p)");
            let mut command = bench.python(&script);
            command.profile = profile;
            let expected = match profile {
                Profile::Strict => End::Exited(1),
                Profile::Work => End::Exited(0),
            };
            assert_eq!(bench.run(command).await.end, expected, "{tier} {profile:?}");
        }
    }
}

/// What the namespaces make themselves in /dev, whatever the host has: bubblewrap's own terminal and links.
const MADE_IN_DEV: [&str; 9] = [
    "console", "core", "fd", "ptmx", "pts", "shm", "stderr", "stdin", "stdout",
];

/// Everything in the folders that hold shown paths, except these and what leads to them.
#[tokio::test]
async fn nothing_else_of_the_machine_can_be_read() {
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let policy = filesystem();
        let mut shown = paths(&policy["system"], tier);
        shown.extend(paths(&policy["devices"], tier));
        shown.push(policy["shared_memory"]["path"].as_str().unwrap().to_owned());
        // The sandbox's own: the process table of the namespaces, and temporary files.
        shown.extend(["/proc", "/tmp"].map(str::to_owned));
        let mut hidden = BTreeSet::new();
        for folder in [
            "/",
            "/etc",
            "/dev",
            "/sys",
            "/sys/devices",
            "/sys/devices/system",
            "/sys/fs",
            "/var",
            "/run",
        ] {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                let leads = shown.iter().any(|shown| Path::new(shown).starts_with(&path));
                let made = folder == "/dev" && MADE_IN_DEV.contains(&entry.file_name().to_str().unwrap());
                let link =
                    std::fs::canonicalize(&path).is_ok_and(|real| shown.iter().any(|shown| real.starts_with(shown)));
                if !leads && !made && !link && !bench.folder.path().starts_with(&path) {
                    hidden.insert(path.to_string_lossy().into_owned());
                }
            }
        }
        // In the namespaces folders above a mount are empty ones of the sandbox's own.
        hidden.retain(|path| tier == Tier::Landlock || !shown.iter().any(|shown| Path::new(shown).starts_with(path)));
        assert!(hidden.contains("/etc/passwd") && hidden.len() > 20, "{hidden:?}");
        let hidden: Vec<String> = hidden.into_iter().collect();
        for profile in [Profile::Strict, Profile::Work] {
            let open = opened(&bench, profile, &hidden, false).await;
            let open: Vec<_> = open.into_iter().filter(|(_, error)| *error == 0).collect();
            assert!(open.is_empty(), "{tier} {profile:?}: {open:?}");
        }
    }
}

#[tokio::test]
async fn every_variable_is_there_with_its_value() {
    let policy: Value = serde_json::from_str(include_str!("../policy/environment.json")).unwrap();
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let seen = bench
            .run(
                bench.python("import json, os, tempfile; print(json.dumps([dict(os.environ), tempfile.gettempdir()]))"),
            )
            .await;
        let (env, scratch): (BTreeMap<String, String>, String) = serde_json::from_str(&seen.stdout.to_text()).unwrap();
        for variable in policy["variables"].as_array().unwrap() {
            let name = variable["name"].as_str().unwrap();
            let value = variable["value"].as_str().unwrap().replace("{scratch}", &scratch);
            assert_eq!(env.get(name), Some(&value), "{name} in {tier}");
        }
        assert_eq!(scratch == "/tmp", tier == Tier::Namespaces, "{scratch}");
    }
}

/// The canaries of the boot probe are those of the file, in both profiles.
#[tokio::test]
async fn every_canary_is_tried() {
    let policy: Value = serde_json::from_str(include_str!("../policy/canaries.json")).unwrap();
    let names: BTreeSet<&str> = (policy["canaries"].as_array().unwrap().iter())
        .map(|canary| canary["name"].as_str().unwrap())
        .collect();
    for tier in Tier::ALL {
        let bench = Bench::new(tier).await;
        let report = &bench.sandbox.probe_report().tiers[0];
        let tried: BTreeSet<&str> = report.canaries.iter().map(|canary| canary.name.as_str()).collect();
        assert!(
            names.iter().all(|name| tried.iter().any(|tried| tried.contains(name))),
            "{tried:?}"
        );
        assert_eq!(report.canaries.len(), names.len() * 2, "{tried:?}");
    }
}
