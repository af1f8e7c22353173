//! Checks that a task asks for: custom checkers, lint and types. What does not answer is no pass.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(clippy::disallowed_methods)]

#[allow(dead_code)]
mod lab;

use bytes::Bytes;
use interlock_domain::FailureClass;
use interlock_domain::check::{CheckAnswer, CheckResult};
use interlock_domain::task::Checks;
use interlock_sandbox::Tier;
use interlock_verifier::checks::Checked;
use interlock_verifier::custom::Checker;
use interlock_verifier::extra::Extra;
use interlock_verifier::fork_servers::ForkLimits;
use lab::{Lab, with_contract};
use std::collections::BTreeMap;

fn workspace(text: &str) -> BTreeMap<String, Vec<u8>> {
    with_contract(BTreeMap::from([("src/tried.py".to_owned(), text.as_bytes().to_vec())]))
}

async fn check(lab: &Lab, text: &str) -> Checked {
    lab.check(&workspace(text), &BTreeMap::new()).await
}

fn answer<'a>(checked: &'a Checked, check: &str) -> &'a CheckResult {
    let found = checked.checks.iter().find(|result| result.check == check);
    found.unwrap_or_else(|| panic!("{check} is missing: {:?}", checked.checks))
}

/// A checker by this text, asked about a right workspace.
async fn asked(lab: &mut Lab, name: &str, text: &str) -> Checked {
    lab.extra = Extra {
        checkers: vec![Checker {
            name: name.to_owned(),
            content: Bytes::copy_from_slice(text.as_bytes()),
        }],
        ..Extra::default()
    };
    check(lab, "VALUE = 1\n").await
}

const HEAD: &str = "import json, sys\nasked = json.load(sys.stdin)\n";

#[tokio::test]
async fn a_checker_sees_the_workspace_and_may_find_something() {
    for tier in Tier::ALL {
        sees_the_workspace(Lab::with(Some(tier), ForkLimits::default()).await).await;
    }
}

async fn sees_the_workspace(mut lab: Lab) {
    let passes = format!(
        "{HEAD}import hashlib, os\nfor file in asked['files']:\n    path = os.path.join(asked['workspace'], file['path'])\n    \
         content = open(path, 'rb').read()\n    assert len(content) == file['size']\n    \
         assert file['sha256'].endswith(hashlib.sha256(content).hexdigest()), file\n\
         assert {{f['owner'] for f in asked['files']}} == {{'model', 'harness'}}\n\
         print(json.dumps({{'version': asked['version'], 'findings': []}}))\n"
    );
    let checked = asked(&mut lab, "passes.py", &passes).await;
    assert_eq!(checked.failure, None, "{:?}", answer(&checked, "custom/passes"));
    let finds = format!(
        "{HEAD}print(json.dumps({{'version': 1, 'findings': [\n    \
         {{'file': 'src/tried.py', 'line': 1, 'column': 3, 'message': 'a value needs a unit'}}]}}))\n"
    );
    let checked = asked(&mut lab, "units.py", &finds).await;
    assert_eq!(checked.failure, Some(FailureClass::Code));
    let found = answer(&checked, "custom/units").findings();
    assert_eq!(found.len(), 1);
    assert_eq!(
        (
            found[0].at.file.as_str(),
            found[0].at.line,
            found[0].at.column,
            found[0].rule.as_str()
        ),
        ("src/tried.py", 1, 3, "custom/units")
    );
    let shell = "#!/bin/sh\ncat > /dev/null\necho '{\"version\": 1, \"findings\": []}'\n";
    assert_eq!(asked(&mut lab, "shell", shell).await.failure, None);
}

#[tokio::test]
async fn a_checker_that_does_not_answer_is_no_pass_and_costs_no_repair() {
    let mut lab = Lab::new().await;
    let say = |text: &str| format!("{HEAD}print({text:?})\n");
    let cases = [
        ("silence", HEAD.to_owned()),
        ("no JSON", say("fine")),
        ("a list", say("[]")),
        ("no findings", say("{\"version\": 1}")),
        ("another version", say("{\"version\": 2, \"findings\": []}")),
        (
            "a file that is not there",
            say("{\"version\": 1, \"findings\": [{\"file\": \"src/x.py\", \"message\": \"m\"}]}"),
        ),
        (
            "no message",
            say("{\"version\": 1, \"findings\": [{\"file\": \"src/tried.py\", \"message\": \" \"}]}"),
        ),
        ("no file", say("{\"version\": 1, \"findings\": [{\"message\": \"m\"}]}")),
        ("a crash", format!("{HEAD}raise RuntimeError('broken')\n")),
        (
            "a pass and a crash",
            say("{\"version\": 1, \"findings\": []}") + "sys.exit(1)\n",
        ),
        ("a signal", format!("{HEAD}import os\nos.kill(os.getpid(), 9)\n")),
        ("too much", format!("{HEAD}sys.stdout.write('x' * (8 << 20))\n")),
        ("memory", format!("{HEAD}held = b'x' * (2 << 30)\n")),
        (
            "two answers",
            say("{\"version\": 1, \"findings\": []}\n{\"version\": 1, \"findings\": []}"),
        ),
    ];
    for (case, text) in cases {
        let checked = asked(&mut lab, "checker.py", &text).await;
        let result = answer(&checked, "custom/checker");
        assert!(
            matches!(result.answer, CheckAnswer::NotRun { .. }),
            "{case}: {result:?}"
        );
        assert_eq!(checked.failure, Some(FailureClass::Environment), "{case}");
    }
    for (name, text) in [("none", "no program"), ("lost", "#!/no/such/program\n")] {
        let checked = asked(&mut lab, name, text).await;
        let result = answer(&checked, &format!("custom/{name}"));
        assert!(
            matches!(result.answer, CheckAnswer::NotRun { .. }),
            "{name}: {result:?}"
        );
    }
}

#[tokio::test]
async fn a_checker_has_the_walls_of_every_check() {
    let mut lab = Lab::new().await;
    let tries = format!(
        "{HEAD}import os, socket\nfound = []\n\
         def refused(act):\n    try:\n        act()\n    except OSError:\n        return\n    \
         found.append({{'file': 'src/tried.py', 'message': 'it was not refused'}})\n\
         refused(lambda: open('/work/src/tried.py', 'a'))\nrefused(lambda: open('/work/src/new.py', 'w'))\n\
         refused(lambda: open('/checkers/other', 'w'))\nrefused(lambda: open('/harness/preflight.py', 'a'))\n\
         refused(lambda: socket.create_connection(('127.0.0.1', 1), 1))\nrefused(lambda: os.listdir('/root'))\n\
         print(json.dumps({{'version': 1, 'findings': found}}))\n"
    );
    let checked = asked(&mut lab, "tries.py", &tries).await;
    assert_eq!(checked.failure, None, "{:?}", answer(&checked, "custom/tries"));
}

#[tokio::test]
async fn nothing_is_asked_about_a_workspace_that_is_wrong() {
    let mut lab = Lab::new().await;
    lab.extra = Extra {
        checks: Checks {
            lint: true,
            types: true,
            custom: Vec::new(),
        },
        checkers: vec![Checker {
            name: "own.py".to_owned(),
            content: Bytes::from_static(b"raise SystemExit(1)"),
        }],
    };
    let checked = check(&lab, "import absent\n").await;
    for name in ["lint", "types", "custom/own"] {
        let result = answer(&checked, name);
        assert!(matches!(&result.answer, CheckAnswer::NotRun { reason } if reason.contains("mended first")));
    }
    assert_eq!(checked.failure, Some(FailureClass::Code));
}

#[tokio::test]
async fn a_tool_that_the_environment_lacks_is_no_pass() {
    let mut lab = Lab::new().await;
    for (checks, name, tool) in [
        (
            Checks {
                lint: true,
                ..Checks::default()
            },
            "lint",
            "ruff",
        ),
        (
            Checks {
                types: true,
                ..Checks::default()
            },
            "types",
            "mypy",
        ),
    ] {
        lab.extra = Extra {
            checks,
            checkers: Vec::new(),
        };
        let checked = check(&lab, "VALUE = 1\n").await;
        let result = answer(&checked, name);
        assert!(
            matches!(&result.answer, CheckAnswer::NotRun { reason } if reason.contains("add it to the lock") && reason.contains(tool)),
            "{result:?}"
        );
        assert_eq!(checked.failure, Some(FailureClass::Environment));
    }
}

#[tokio::test]
async fn lint_and_types_find_mistakes_and_let_the_rest_pass() {
    let lock = include_bytes!("tools/requirements.lock");
    for tier in Tier::ALL {
        finds_mistakes(Lab::with_lock(lock, tier).await).await;
    }
}

async fn finds_mistakes(mut lab: Lab) {
    lab.extra.checks = Checks {
        lint: true,
        types: true,
        custom: Vec::new(),
    };
    let right = "def double(value: int) -> int:\n    \"\"\"Twice.\"\"\"\n    return value * 2\n\n\nTEN = double(5)\n";
    let checked = check(&lab, right).await;
    assert_eq!(checked.failure, None, "{:?}", checked.checks);
    let wrong = "import json\n\n\ndef double(value: int) -> str:\n    return value * 2\n\n\ndouble('x')\n";
    let checked = check(&lab, wrong).await;
    assert_eq!(checked.failure, Some(FailureClass::Code));
    let rules = |name: &str| -> Vec<(String, u32)> {
        let found = answer(&checked, name).findings().iter();
        found.map(|finding| (finding.rule.clone(), finding.at.line)).collect()
    };
    assert_eq!(rules("lint"), [("lint/F401".to_owned(), 1)]);
    assert_eq!(
        rules("types"),
        [("types/return-value".to_owned(), 5), ("types/arg-type".to_owned(), 8)]
    );
    let all = checked.checks.iter().flat_map(CheckResult::findings);
    assert!(
        all.clone().all(|finding| finding.at.file == "src/tried.py"),
        "{:?}",
        all.collect::<Vec<_>>()
    );
}
