//! `interlock check` on folders that no run ever saw.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::type_complexity
)]

use interlock_e2e::{Ended, Home, json};

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
    let cases: [(&[(&str, &str)], &[&str], &str); 4] = [
        (&[("README.md", "nothing")], &[], "no Python file"),
        (&[LIBRARY], &["--root", "lib"], "lib"),
        (&[LIBRARY], &["--lock", "no.lock"], "no.lock"),
        (&[LIBRARY, ("tests/test_m.py", test)], &[], "pytest"),
    ];
    for (files, args, named) in cases {
        let ended = checked(&home, files, args);
        assert_eq!(ended.code, Some(2), "{named}: {}{}", ended.stdout, ended.stderr);
        let said = format!("{}{}", ended.stdout, ended.stderr);
        assert!(said.contains(named), "{named}: {said}");
    }
}
