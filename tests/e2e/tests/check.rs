//! `interlock check` on folders that no run ever saw.

#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::type_complexity
)]

#[path = "check/schema.rs"]
mod schema;

use interlock_e2e::{Ended, Home, files_below, json};
use serde_json::Value;
use std::time::{Duration, Instant};

fn checked(home: &Home, files: &[(&str, &str)], args: &[&str]) -> Ended {
    let folder = home.path().join("folder");
    let _ = std::fs::remove_dir_all(&folder);
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    let mut words = vec!["check", "folder"];
    words.extend(args);
    home.interlock(&words).unwrap()
}

const LIBRARY: (&str, &str) = ("src/m.py", "def f(a):\n    return a\n");
const WRONG: (&str, &str) = ("src/n.py", "from m import f\n\n\ndef g():\n    return f(1, b=2)\n");

#[test]
fn findings_show_their_line_and_exit_with_1() {
    let home = Home::new().unwrap();
    let wrong = checked(&home, &[LIBRARY, WRONG], &[]);
    assert_eq!(wrong.code, Some(1), "{}{}", wrong.stdout, wrong.stderr);
    assert!(
        wrong.stdout.contains("src/n.py:5:12: contracts/call"),
        "{}",
        wrong.stdout
    );
    assert!(
        wrong.stdout.contains("| ") && wrong.stdout.contains("return f(1, b=2)"),
        "{}",
        wrong.stdout
    );
    let sarif = checked(&home, &[LIBRARY, WRONG], &["--sarif"]);
    let log: serde_json::Value = serde_json::from_str(&sarif.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(
        (&place["artifactLocation"]["uri"], &place["region"]["startLine"]),
        (&"src/n.py".into(), &5.into())
    );
    assert_eq!(home.leftovers(), []);
}

#[test]
fn right_folders_pass_wherever_their_source_root_is() {
    let home = Home::new().unwrap();
    let user = "from m import f\n\nVALUE = f(1)\n";
    for (library, caller, args) in [
        ("src/m.py", "src/n.py", &[][..]),
        ("m.py", "n.py", &[]),
        ("app/m.py", "app/n.py", &["--root", "app"]),
    ] {
        let right = checked(&home, &[(library, LIBRARY.1), (caller, user)], args);
        assert_eq!(right.code, Some(0), "{library}: {}{}", right.stdout, right.stderr);
    }
    let import = "raise ValueError('on import')\n";
    let raises = checked(&home, &[("app/m.py", import)], &["--root", "app", "--json"]);
    assert_eq!(raises.code, Some(1), "{}", raises.stdout);
    assert!(
        json::has(&raises.events, &[("rule", "import"), ("file", "app/m.py")]),
        "{}",
        raises.stdout
    );
    let unrun = checked(&home, &[("app/m.py", import)], &["--root", "app", "--static"]);
    assert_eq!(unrun.code, Some(0), "nothing is run: {}", unrun.stdout);
}

#[test]
fn what_cannot_be_checked_is_no_pass() {
    let home = Home::new().unwrap();
    let test =
        "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_x(self):\n        self.assertTrue(True)\n";
    let cases: [(&[(&str, &str)], &[&str], &str); 10] = [
        (&[("README.md", "nothing")], &[], "no Python file"),
        (&[LIBRARY], &["--root", "lib"], "lib"),
        (&[LIBRARY], &["--env", "no.lock"], "no.lock"),
        (&[LIBRARY], &["--entry", "src/no.py"], "src/no.py"),
        (
            &[LIBRARY, ("req.txt", "requests\n")],
            &["--env", "folder/req.txt"],
            "uv pip compile --generate-hashes",
        ),
        (
            &[LIBRARY, ("pyproject.toml", "")],
            &["--env", "folder/pyproject.toml"],
            "uv pip compile",
        ),
        (&[LIBRARY, ("tool", "x")], &["--plan", "folder/tool"], "no plan"),
        (&[LIBRARY, ("src/a b.py", "x = 1\n")], &[], "a b.py"),
        (&[("pkg.egg-info/x.py", "")], &[], "left out: pkg.egg-info"),
        (&[LIBRARY, ("tests/test_m.py", test)], &[], "pytest"),
    ];
    for (files, args, named) in cases {
        let ended = checked(&home, files, args);
        assert_eq!(ended.code, Some(2), "{named}: {}{}", ended.stdout, ended.stderr);
        let said = format!("{}{}", ended.stdout, ended.stderr);
        assert!(said.contains(named), "{named}: {said}");
    }
}

const SARIF: &str = include_str!("check/sarif-2.1.0-rtm.5.schema.json");
const REPORT: &str = include_str!("../../../services/verifier/docs/check.schema.json");

#[test]
fn what_programs_read_is_as_its_schemas_say() {
    let home = Home::new().unwrap();
    let (sarif, report): (Value, Value) = (
        serde_json::from_str(SARIF).unwrap(),
        serde_json::from_str(REPORT).unwrap(),
    );
    let unread = ("src/a b.py", "x = 1\n");
    for (files, args) in [
        (&[LIBRARY, WRONG][..], &[][..]),
        (&[LIBRARY, unread], &[]),
        (&[LIBRARY], &["--env", "/usr/bin/python3"]),
        (&[LIBRARY], &["--root", "nowhere"]),
    ] {
        for (form, schema) in [("--sarif", &sarif), ("--json", &report)] {
            let words: Vec<&str> = args.iter().copied().chain([form]).collect();
            let ended = checked(&home, files, &words);
            let value: Value = serde_json::from_str(&ended.stdout).unwrap();
            assert_eq!(schema::differences(schema, &value), [""; 0], "{}", ended.stdout);
        }
    }
    let log: Value = serde_json::from_str(&checked(&home, &[LIBRARY, WRONG], &["--sarif"]).stdout).unwrap();
    let run = &log["runs"][0];
    let related = &run["results"][0]["relatedLocations"][0]["physicalLocation"];
    assert_eq!(related["artifactLocation"]["uri"], "src/m.py");
    let index = usize::try_from(run["results"][0]["ruleIndex"].as_u64().unwrap()).unwrap();
    let rule = &run["tool"]["driver"]["rules"][index];
    assert_eq!(rule["id"], "contracts/call");
    assert!(
        rule["help"]["markdown"]
            .as_str()
            .unwrap()
            .starts_with("# contracts/call"),
        "{rule}"
    );
    let broken = serde_json::json!({"version": "2.1.0", "runs": [{"tool": {}}]});
    assert_ne!(
        schema::differences(&sarif, &broken),
        [""; 0],
        "the schema is really looked at"
    );
}

#[test]
fn both_sides_are_shown_and_the_entry_is_checked_too() {
    let home = Home::new().unwrap();
    let main = ("app/main.py", "from m import f\n\nf(1, b=2)\n");
    let ended = checked(&home, &[("app/m.py", LIBRARY.1), main], &["--entry", "app/main.py"]);
    assert_eq!(ended.code, Some(1), "{}{}", ended.stdout, ended.stderr);
    for shown in [
        "folder/app/main.py:3:1: contracts/call: ",
        "    3 | f(1, b=2)",
        "      | ^",
        "  folder/app/m.py:1:1: ",
        "    1 | def f(a):",
    ] {
        assert!(ended.stdout.contains(shown), "{shown}: {}", ended.stdout);
    }
    assert!(
        ended.stdout.trim_end().ends_with("not run") && ended.stdout.contains("2 files, 1 finding, "),
        "{}",
        ended.stdout
    );
    assert!(!ended.stdout.contains('\u{1b}'), "no terminal, no colour");
    let src = ("src/main.py", "from src.m import f\n");
    let ended = checked(&home, &[LIBRARY, src], &["--static"]);
    assert!(
        ended.stdout.contains("src/main.py:1:1: imports/src-prefix"),
        "{}",
        ended.stdout
    );
}

#[test]
fn the_folder_is_left_as_it_is_and_what_lies_about_does_not_count() {
    let home = Home::new().unwrap();
    let wrong = "import nothing_of_the_kind\n";
    let files = [
        LIBRARY,
        (".venv/x.py", wrong),
        ("node_modules/x.py", wrong),
        ("env/pyvenv.cfg", ""),
        ("env/x.py", wrong),
    ];
    let ended = checked(&home, &files, &[]);
    assert_eq!(ended.code, Some(0), "{}{}", ended.stdout, ended.stderr);
    assert!(
        ended.stdout.contains("left out: .venv, env, node_modules"),
        "{}",
        ended.stdout
    );
    let mut there: Vec<String> = std::fs::read_dir(home.path().join("folder/src"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    there.sort();
    assert_eq!(there, ["m.py"]);
    let folder = home.path().join("folder");
    std::fs::write(
        folder.join("src/latin.py"),
        b"# -*- coding: latin-1 -*-\nNAME = '\xe9'\nassert len(NAME) == 1\n",
    )
    .unwrap();
    assert_eq!(
        home.interlock(&["check", "folder"]).unwrap().code,
        Some(0),
        "a declared encoding is read"
    );
    std::fs::write(folder.join("src/latin.py"), b"NAME = '\xe9'\n").unwrap();
    let undeclared = home.interlock(&["check", "folder"]).unwrap();
    assert!(
        undeclared.stdout.contains("src/latin.py:1: syntax: "),
        "{}",
        undeclared.stdout
    );
    std::fs::remove_file(folder.join("src/latin.py")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", folder.join("src/out.py")).unwrap();
    let link = home.interlock(&["check", "folder"]).unwrap();
    assert_eq!(link.code, Some(2), "{}", link.stdout);
    assert!(link.stdout.contains("not read: src/out.py"), "{}", link.stdout);
    for (named, said) in [("nowhere", "no folder nowhere"), ("folder/src/m.py", "--entry")] {
        let ended = home.interlock(&["check", named]).unwrap();
        assert!(ended.code == Some(2) && ended.stderr.contains(said), "{}", ended.stderr);
    }
    assert_eq!(home.leftovers(), []);
}

const PLAN: (&str, &str) = (
    "plan.json",
    r#"{"files": [{"path": "src/experiment.py", "purpose": "runs", "exports": [{"name": "run", "kind": "function"}],
        "depends_on": ["src/m.py"]}, {"path": "src/m.py", "purpose": "helps", "exports": [{"name": "f", "kind": "function"}]}]}"#,
);
const EXPERIMENT: (&str, &str) = (
    "src/experiment.py",
    "from m import f\n\n\ndef run(config, recorder):\n    return f(config)\n",
);

#[test]
fn a_plan_is_held_to() {
    let home = Home::new().unwrap();
    let plan = ["--plan", "folder/plan.json"];
    let kept = checked(&home, &[PLAN, EXPERIMENT, LIBRARY], &plan);
    assert_eq!(kept.code, Some(0), "{}{}", kept.stdout, kept.stderr);
    let early = (
        "src/m.py",
        "import experiment\n\n\ndef f(a):\n    return experiment.run(a, a)\n",
    );
    let forged = ("src/recorder.py", "class Recorder:\n    pass\n");
    for (files, rule) in [
        (
            &[PLAN, EXPERIMENT, ("src/m.py", "def g(a):\n    return a\n")][..],
            "contracts/exports",
        ),
        (&[PLAN, EXPERIMENT], "plan/missing"),
        (&[PLAN, EXPERIMENT, LIBRARY, ("src/n.py", "x = 1\n")], "plan/unplanned"),
        (&[PLAN, EXPERIMENT, LIBRARY, forged], "ownership"),
        (&[PLAN, EXPERIMENT, early], "imports/missing-module"),
        (&[("plan.json", r#"{"files": []}"#), LIBRARY], "plan/empty"),
    ] {
        let ended = checked(&home, files, &plan);
        assert!(
            ended.code == Some(1) && ended.stdout.contains(&format!(": {rule}: ")),
            "{rule}: {}{}",
            ended.stdout,
            ended.stderr
        );
    }
}

#[test]
fn rules_are_explained() {
    let home = Home::new().unwrap();
    let page = home.interlock(&["explain", "imports/src-prefix"]).unwrap();
    assert!(
        page.code == Some(0) && page.stdout.starts_with("# imports/src-prefix"),
        "{}",
        page.stdout
    );
    assert!(home.interlock(&["explain"]).unwrap().stdout.contains("contracts/call"));
    let none = home.interlock(&["explain", "imports/nothing"]).unwrap();
    assert!(
        none.code == Some(2) && none.stderr.contains("no rule imports/nothing"),
        "{}",
        none.stderr
    );
}

#[test]
fn an_interrupted_check_leaves_nothing_behind() {
    let home = Home::new().unwrap();
    let folder = home.path().join("folder/src");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("slow.py"), "import time\ntime.sleep(600)\n").unwrap();
    let mut child = home.command(&["check", "folder"]).spawn().unwrap();
    let laid_out =
        || files_below(home.path()).is_ok_and(|files| files.iter().any(|file| file.ends_with("harness/preflight.py")));
    let until = Instant::now() + Duration::from_secs(60);
    while !laid_out() {
        assert!(Instant::now() < until, "no check was begun");
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = i32::try_from(child.id())
        .ok()
        .and_then(rustix::process::Pid::from_raw)
        .unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(home.leftovers(), []);
    let left = files_below(&home.path().join("home")).unwrap();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn what_the_base_version_has_as_well_does_not_count() {
    let home = Home::new().unwrap();
    let base = home.path().join("base/src");
    std::fs::create_dir_all(&base).unwrap();
    std::fs::write(base.join("m.py"), LIBRARY.1).unwrap();
    std::fs::write(base.join("n.py"), WRONG.1).unwrap();
    // The same fault further down, and nothing else: what was broken stays named.
    let moved = format!("# A comment.\n{}", WRONG.1);
    let same = checked(&home, &[LIBRARY, ("src/n.py", &moved)], &["--base", "base"]);
    assert_eq!(same.code, Some(0), "{}{}", same.stdout, same.stderr);
    assert!(
        same.stdout.contains("in the base version as well") && same.stdout.contains("src/n.py:6"),
        "{}",
        same.stdout
    );
    // A second one of the same kind is new.
    let twice = format!("{}\n\ndef h():\n    return f(1, b=2)\n", WRONG.1);
    let more = checked(&home, &[LIBRARY, ("src/n.py", &twice)], &["--base", "base"]);
    assert_eq!(more.code, Some(1), "{}{}", more.stdout, more.stderr);
    // What was wrong before does not hide what is wrong on import now.
    let breaks = ("src/o.py", "raise KeyError('now')\n");
    let now = checked(&home, &[LIBRARY, WRONG, breaks], &["--base", "base", "--json"]);
    assert_eq!(now.code, Some(1), "{}{}", now.stdout, now.stderr);
    assert!(
        now.stdout.contains("KeyError") && now.stdout.contains("already"),
        "{}",
        now.stdout
    );
    let nowhere = checked(&home, &[LIBRARY], &["--base", "nowhere"]);
    assert_eq!(nowhere.code, Some(2), "{}{}", nowhere.stdout, nowhere.stderr);
}

#[test]
fn deep_and_large_files_are_answered_and_break_nothing() {
    let home = Home::new().unwrap();
    let cases: [(&str, String, i32); 8] = [
        (
            "ten megabytes on one line",
            format!("x = 1{}\n", " + 1".repeat(2_500_000)),
            1,
        ),
        ("ten megabytes of lines", "x = 1\n".repeat(1_700_000), 1),
        (
            "brackets",
            format!("x = {}{}\n", "(".repeat(100_000), ")".repeat(100_000)),
            1,
        ),
        ("signs", format!("x = {}1\n", "-".repeat(200_000)), 1),
        ("attributes", format!("x = a{}\n", ".b".repeat(200_000)), 1),
        (
            "branches",
            format!("if 1:\n pass\n{}", "elif 1:\n pass\n".repeat(60_000)),
            1,
        ),
        ("f-strings", format!("x = {}\n", "f'{1}' ".repeat(60_000)), 0),
        ("statements", "x=1\n".repeat(250_000), 0),
    ];
    for (case, text, code) in cases {
        let answered = checked(&home, &[("src/m.py", &text)], &["--static", "--json"]);
        assert_eq!(answered.code, Some(code), "{case}: {}", answered.stderr);
        let found = answered.stdout.contains("\"file\":\"src/m.py\"");
        assert_eq!(found, code == 1, "{case}");
    }
}
