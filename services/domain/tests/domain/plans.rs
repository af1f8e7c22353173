//! No plan passes by without its checks, and the harness orders it (faults E2).

use crate::cases;
use crate::samples::{path, planned};
use interlock_domain::plan::{Export, ExportKind, MAX_FILES, PlannedFile};
use interlock_domain::{Finding, Plan, WorkspacePath};
use proptest::prelude::*;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// Rules that have to be broken, and no others.
    #[serde(default)]
    rules: BTreeSet<String>,
    /// Levels that have to come out.
    #[serde(default)]
    levels: Vec<Vec<String>>,
    #[serde(default)]
    files: Vec<FileCase>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileCase {
    path: String,
    /// `kind name`
    #[serde(default)]
    exports: Vec<String>,
    #[serde(default)]
    depends_on: Vec<String>,
}

impl Case {
    fn plan(&self) -> Result<Plan, Vec<Finding>> {
        let files = self.files.iter().map(|file| PlannedFile {
            path: path(&file.path),
            purpose: "a purpose".to_owned(),
            exports: file.exports.iter().map(|text| export(text)).collect(),
            depends_on: file.depends_on.iter().map(|p| path(p)).collect(),
        });
        Plan::new(files.collect())
    }
}

fn export(text: &str) -> Export {
    let (kind, name) = text.split_once(' ').unwrap();
    Export {
        name: name.to_owned(),
        kind: ExportKind::from_name(kind).unwrap(),
    }
}

#[test]
fn good_plans_get_their_levels() {
    for (name, text) in cases::files("plans/accept") {
        let case: Case = toml::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let plan = case.plan().unwrap_or_else(|findings| panic!("{name}: {findings:?}"));
        let levels: Vec<Vec<String>> = (1..=plan.level_count())
            .map(|level| plan.level(level).iter().map(ToString::to_string).collect())
            .collect();
        assert_eq!(levels, case.levels, "{name}");
    }
}

#[test]
fn bad_plans_are_refused_with_everything_that_is_wrong() {
    for (name, text) in cases::files("plans/reject") {
        let case: Case = toml::from_str(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        let findings = case.plan().expect_err(&name);
        let rules: BTreeSet<String> = findings.iter().map(|f| f.rule.clone()).collect();
        assert_eq!(rules, case.rules, "{name}: {findings:?}");
        assert!(
            findings.is_sorted() && findings.windows(2).all(|two| two[0] != two[1]),
            "{name}"
        );
    }
}

#[test]
fn an_empty_plan_is_never_a_plan() {
    let findings = Plan::new(vec![]).expect_err("empty");
    assert_eq!(findings[0].rule, "plan/empty");
}

#[test]
fn a_plan_has_at_most_so_many_files() {
    let files = |count: usize| {
        let others = (1..count).map(|n| planned(&format!("src/part{n}.py"), &[]));
        others.chain([planned("src/experiment.py", &[])]).collect::<Vec<_>>()
    };
    assert_eq!(Plan::new(files(MAX_FILES)).unwrap().files().len(), MAX_FILES);
    let findings = Plan::new(files(MAX_FILES + 1)).expect_err("too many");
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].rule, "plan/too-large");
    // However large it is, refusing it takes no time worth mentioning.
    let huge: Vec<_> = (0..50_000)
        .map(|n| planned(&format!("src/p{n}.py"), &["src/p0.py", "src/p49999.py"]))
        .collect();
    assert!(Plan::new(huge).is_err());
}

#[test]
fn the_digest_tells_every_plan_from_every_other() {
    let base = || {
        vec![
            planned("src/data.py", &[]),
            planned("src/experiment.py", &["src/data.py"]),
        ]
    };
    let with = |change: fn(&mut PlannedFile)| {
        let mut files = base();
        change(&mut files[0]);
        Plan::new(files).unwrap().digest()
    };
    let digests = [
        with(|_| {}),
        with(|file| file.purpose.push('.')),
        with(|file| file.exports.clear()),
        with(|file| file.exports[0].name.push('s')),
        with(|file| file.exports[0].kind = ExportKind::Class),
        with(|file| file.exports.push(export("value function"))),
        with(|file| file.exports.insert(0, export("value function"))),
        with(|file| file.depends_on.push(path("src/recorder.py"))),
        with(|file| file.depends_on.push(path("src/metrics.py"))),
    ];
    assert_eq!(digests.iter().collect::<BTreeSet<_>>().len(), digests.len());
    let mut turned = base();
    turned.reverse();
    assert_eq!(
        Plan::new(turned).unwrap().digest(),
        with(|_| {}),
        "the order of the answer does not count"
    );
}

#[test]
fn dependents_are_found_through_others() {
    let plan = Plan::new(vec![
        planned("src/a.py", &[]),
        planned("src/b.py", &["src/a.py"]),
        planned("src/c.py", &[]),
        planned("src/experiment.py", &["src/b.py", "src/c.py"]),
    ])
    .unwrap();
    let dependents = |of: &str| {
        plan.dependents(&path(of))
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    assert_eq!(dependents("src/a.py"), ["src/b.py", "src/experiment.py"]);
    assert_eq!(dependents("src/c.py"), ["src/experiment.py"]);
    assert!(dependents("src/experiment.py").is_empty());
    assert!(dependents("src/nowhere.py").is_empty());
}

/// Files 0..n with any edges between them, in any order; the last one is the contract's.
fn graph(acyclic: bool) -> impl Strategy<Value = Vec<PlannedFile>> {
    let name = |n: usize, of: usize| {
        if n + 1 == of {
            "src/experiment.py".to_owned()
        } else {
            format!("src/f{n:02}.py")
        }
    };
    (1usize..14)
        .prop_flat_map(|n| (Just(n), proptest::collection::vec((0..n, 0..n), 0..3 * n)))
        .prop_map(move |(n, edges)| {
            let mut needs: Vec<Vec<String>> = vec![vec![]; n];
            for (from, to) in edges {
                let (from, to) = if acyclic {
                    (from.max(to), from.min(to))
                } else {
                    (from, to)
                };
                if from != to || !acyclic {
                    needs[from].push(name(to, n));
                }
            }
            let files = needs
                .iter()
                .enumerate()
                .map(|(at, needs)| planned(&name(at, n), &needs.iter().map(String::as_str).collect::<Vec<_>>()));
            files.collect::<Vec<_>>()
        })
        .prop_shuffle()
}

/// The length of the longest way down from each file, or nothing where a way leads in a circle.
fn depths(files: &[PlannedFile]) -> Option<BTreeMap<WorkspacePath, u32>> {
    let mut depths = BTreeMap::new();
    for _ in 0..=files.len() {
        for file in files {
            let needs: Option<Vec<u32>> = file.depends_on.iter().map(|p| depths.get(p).copied()).collect();
            if let Some(needs) = needs {
                depths.insert(file.path.clone(), needs.into_iter().max().unwrap_or(0) + 1);
            }
        }
    }
    (depths.len() == files.len()).then_some(depths)
}

proptest! {
    #[test]
    fn every_file_stands_once_right_after_what_it_needs(files in graph(true)) {
        let depths = depths(&files).expect("acyclic by construction");
        let plan = Plan::new(files.clone()).unwrap();
        let mut seen = BTreeSet::new();
        for level in 1..=plan.level_count() {
            prop_assert!(!plan.level(level).is_empty());
            prop_assert!(plan.level(level).is_sorted());
            for path in plan.level(level) {
                prop_assert!(seen.insert(path.clone()), "{} stands twice", path);
                // The longest way down is the least level there can be.
                prop_assert_eq!(depths[path], level);
            }
        }
        prop_assert_eq!(seen.len(), files.len());
        prop_assert!(plan.level(0).is_empty() && plan.level(plan.level_count() + 1).is_empty());
    }

    #[test]
    fn a_plan_is_refused_exactly_when_it_goes_in_a_circle(files in graph(false)) {
        let acyclic = depths(&files).is_some();
        match Plan::new(files) {
            Ok(_) => prop_assert!(acyclic),
            Err(findings) => {
                prop_assert!(!acyclic);
                prop_assert!(findings.iter().all(|f| f.rule == "plan/cycle"));
            }
        }
    }
}
