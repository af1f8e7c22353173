//! Fork servers in the real sandbox: they are used, nothing that a file does to one decides about a file, and they end.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![allow(clippy::disallowed_methods)]

#[allow(dead_code)]
mod lab;

use interlock_domain::FailureClass;
use interlock_domain::check::{CheckAnswer, CheckResult};
use interlock_sandbox::Tier;
use interlock_verifier::checks::Checked;
use interlock_verifier::fork_servers::ForkLimits;
use lab::{Lab, with_contract};
use std::collections::BTreeMap;
use std::time::Duration;

/// A workspace with one file of interest beside the contract.
fn with(text: &str) -> BTreeMap<String, Vec<u8>> {
    with_contract(BTreeMap::from([("src/tried.py".to_owned(), text.as_bytes().to_vec())]))
}

async fn check(lab: &Lab, text: &str) -> Checked {
    lab.check(&with(text), &BTreeMap::new()).await
}

fn import(checked: &Checked) -> &CheckResult {
    checked.checks.iter().find(|check| check.check == "import").unwrap()
}

/// How many files passed, in a warm interpreter, and before.
fn counts(checked: &Checked) -> [usize; 3] {
    let CheckAnswer::Passed(ran) = &import(checked).answer else {
        panic!("{:?}", checked.checks);
    };
    let numbers = ran.what().split_whitespace().filter_map(|word| word.parse().ok());
    numbers.collect::<Vec<usize>>().try_into().unwrap()
}

/// How many files passed, and how many of them without a fresh interpreter.
fn passed(checked: &Checked) -> (usize, usize) {
    let [all, warm, known] = counts(checked);
    (all, warm + known)
}

#[tokio::test]
async fn a_right_workspace_passes_in_a_warm_interpreter() {
    let lab = Lab::new().await;
    let [all, warm, known] = counts(&check(&lab, "import json\n").await);
    assert_eq!((all, known), (warm, 0));
    assert!(all >= 5, "{all}");
    lab.workshop.close().await;
    assert!(lab.left().is_empty(), "{:?}", lab.left());
}

#[tokio::test]
async fn what_only_a_warm_interpreter_refuses_passes() {
    let lab = Lab::new().await;
    let text = "import tempfile\nwith tempfile.TemporaryFile() as file:\n    file.write(b'x')\n";
    let (all, warm) = passed(&check(&lab, text).await);
    assert_eq!(all - warm, 1, "the one that writes is asked again, and passes");
}

#[tokio::test]
async fn many_files_that_fail_for_one_reason_are_one_finding() {
    let lab = Lab::new().await;
    let mut files = with("raise RuntimeError('broken')\n");
    for name in ["a", "b", "c"] {
        files.insert(format!("src/{name}.py"), b"import tried\n".to_vec());
    }
    files.insert("src/own.py".to_owned(), b"raise ValueError('own')\n".to_vec());
    let checked = lab.check(&files, &BTreeMap::new()).await;
    let findings = import(&checked).findings();
    let at: Vec<&str> = findings.iter().map(|finding| finding.at.file.as_str()).collect();
    assert_eq!(at, ["src/own.py", "src/tried.py"], "{findings:?}");
}

#[tokio::test]
async fn a_file_reaches_neither_the_server_nor_its_pipes() {
    for tier in Tier::ALL {
        reaches_nothing(&Lab::with(Some(tier), ForkLimits::default()).await).await;
    }
}

async fn reaches_nothing(lab: &Lab) {
    let refused = r#"
import os, signal

def refused(act):
    try:
        act()
    except OSError:
        return
    raise AssertionError("it was not refused")

parent = os.getppid()
refused(lambda: os.kill(parent, signal.SIGKILL))
refused(lambda: os.kill(parent, 0))
refused(lambda: open(f"/proc/{parent}/environ", "rb").read())
refused(lambda: open(f"/proc/{parent}/mem", "r+b"))
refused(lambda: os.readlink(f"/proc/{parent}/fd/0"))
refused(lambda: os.sched_setaffinity(parent, {0}))
refused(lambda: os.setpriority(os.PRIO_PROCESS, parent, 19))
# The command line says where they lie, in either tier.
words = open(f"/proc/{parent}/cmdline").read().split("\0")
for option in ("--requests", "--answers", "--root"):
    path = words[words.index(option) + 1]
    refused(lambda: os.open(path, os.O_RDWR | os.O_NONBLOCK))
    refused(lambda: os.open(path, os.O_RDONLY | os.O_NONBLOCK))
    refused(lambda: os.listdir(os.path.dirname(path)) if option != "--root" else os.listdir(path))
import resource
refused(lambda: resource.prlimit(parent, resource.RLIMIT_CPU, (1, 1)))
"#;
    let (all, warm) = passed(&check(lab, refused).await);
    assert_eq!(all, warm, "every attempt is refused inside the server");
    let (all, warm) = passed(&check(lab, "").await);
    assert_eq!(all, warm, "and the server serves on");
    assert_eq!(lab.workshop.servers.started(), 1);
}

#[tokio::test]
async fn checks_at_the_same_time_do_not_see_each_other() {
    for tier in Tier::ALL {
        let lab = Lab::with(Some(tier), ForkLimits::default()).await;
        let workspace = |name: &str| {
            let text = format!(
                "import os, time\nimport token_{name}\nroot = os.path.dirname(os.path.dirname(os.getcwd()))\n\
                 time.sleep(0.3)\nassert token_{name}.NAME == {name:?}\n\
                 try:\n    seen = os.listdir(root)\nexcept OSError:\n    seen = []\nassert not seen, seen\n"
            );
            let mut files = with(&text);
            files.insert(
                format!("src/token_{name}.py"),
                format!("NAME = {name:?}\n").into_bytes(),
            );
            files
        };
        let (a, b, c) = (workspace("a"), workspace("b"), workspace("c"));
        let none = BTreeMap::new();
        let (a, b, c) = tokio::join!(lab.check(&a, &none), lab.check(&b, &none), lab.check(&c, &none));
        for checked in [a, b, c] {
            let (all, warm) = passed(&checked);
            assert_eq!(all, warm);
        }
    }
}

#[tokio::test]
async fn a_server_that_is_brought_down_decides_nothing() {
    let lab = Lab::new().await;
    let bomb = "import os, time\nwhile True:\n    if os.fork() == 0:\n        time.sleep(20)\n        os._exit(0)\n";
    let (bad, good) = (with(bomb), with("import time\ntime.sleep(0.5)\n"));
    let none = BTreeMap::new();
    let (bad, good) = tokio::join!(lab.check(&bad, &none), lab.check(&good, &none));
    assert!(bad.failure.is_some(), "{:?}", bad.checks);
    assert_ne!(bad.failure, Some(FailureClass::Harness), "{:?}", bad.checks);
    assert!(passed(&good).0 >= 5);
    let (all, warm) = passed(&check(&lab, "").await);
    assert_eq!(all, warm, "a new one serves");
    lab.workshop.close().await;
    assert!(lab.left().is_empty(), "{:?}", lab.left());
}

#[tokio::test]
async fn memory_has_the_tasks_limit_in_a_warm_interpreter_too() {
    let lab = Lab::new().await;
    // The laboratory's tasks have 1 GiB.
    let checked = check(&lab, "held = bytearray(b'x') * (1600 << 20)\n").await;
    assert!(
        matches!(checked.failure, Some(FailureClass::Memory | FailureClass::Code)),
        "{:?}",
        checked.checks
    );
    assert!(passed(&check(&lab, "held = bytearray(200 << 20)\n").await).0 >= 5);
}

#[tokio::test]
async fn a_server_is_replaced_after_so_many_files() {
    let limits = ForkLimits {
        files: 1,
        ..ForkLimits::default()
    };
    let lab = Lab::with(None, limits).await;
    for number in 1..=3 {
        let (all, warm) = passed(&check(&lab, &format!("NUMBER = {number}\n")).await);
        assert_eq!(all, warm);
    }
    // One to compile and one to import, or the same where nothing had to be compiled.
    assert!(
        (3..=6).contains(&lab.workshop.servers.started()),
        "{}",
        lab.workshop.servers.started()
    );
    lab.workshop.close().await;
    assert!(lab.left().is_empty(), "{:?}", lab.left());
}

#[tokio::test]
async fn a_server_that_nobody_asks_ends() {
    let limits = ForkLimits {
        idle: Duration::from_millis(300),
        ..ForkLimits::default()
    };
    let lab = Lab::with(None, limits).await;
    check(&lab, "").await;
    while !lab.left().is_empty() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let (all, warm) = passed(&check(&lab, "NEW = 1\n").await);
    assert_eq!((all, lab.workshop.servers.started()), (warm, 2));
}

#[tokio::test]
async fn the_server_that_was_not_used_for_longest_gives_way() {
    let limits = ForkLimits {
        servers: 1,
        ..ForkLimits::default()
    };
    let mut lab = Lab::with(None, limits).await;
    for (number, digest) in ["one", "two", "one"].into_iter().enumerate() {
        // The same under another name is another environment.
        lab.environment.digest = digest.repeat(8);
        let (all, warm) = passed(&check(&lab, &format!("NUMBER = {number}\n")).await);
        assert_eq!(all, warm);
    }
    assert_eq!(lab.workshop.servers.started(), 3);
    lab.workshop.close().await;
    assert!(lab.left().is_empty(), "{:?}", lab.left());
}

#[tokio::test]
async fn packages_that_cannot_be_served_are_imported_anew() {
    let mut lab = Lab::new().await;
    lab.package(
        "threaded",
        "import threading, time\nthreading.Thread(target=time.sleep, args=(9,), daemon=True).start()\n",
    );
    for number in 0..2 {
        let checked = check(&lab, &format!("import threaded\nNUMBER = {number}\n")).await;
        // The server imports everything but this package, which each child imports for itself.
        let (all, warm) = passed(&checked);
        assert_eq!(all, warm);
    }
    assert_eq!(
        lab.workshop.servers.started(),
        2,
        "the one that it spoilt, and one that serves"
    );
}

#[tokio::test]
async fn packages_that_do_not_come_to_an_end_are_imported_anew() {
    let limits = ForkLimits {
        start: Duration::from_millis(500),
        ..ForkLimits::default()
    };
    let mut lab = Lab::with(None, limits).await;
    lab.package(
        "endless",
        "import sys, time\nif 'tried' not in sys.modules:\n    time.sleep(60)\n",
    );
    let (all, warm) = passed(&check(&lab, "import endless\n").await);
    assert_eq!((all, lab.workshop.servers.started()), (warm, 2));
    lab.workshop.close().await;
    assert!(lab.left().is_empty(), "{:?}", lab.left());
}

#[tokio::test]
async fn a_server_that_hangs_decides_nothing() {
    let limits = ForkLimits {
        margin: Duration::from_millis(500),
        ..ForkLimits::default()
    };
    let lab = Lab::with(Some(Tier::Landlock), limits).await;
    check(&lab, "").await;
    lab.stop_server();
    let (all, warm) = passed(&check(&lab, "NEW = 1\n").await);
    assert_eq!(
        (all, lab.workshop.servers.started()),
        (warm, 2),
        "it is ended, and another one serves"
    );
    lab.workshop.close().await;
    assert!(lab.left().is_empty(), "{:?}", lab.left());
}

#[tokio::test]
async fn what_passed_is_checked_again_only_where_something_changed() {
    let lab = Lab::new().await;
    let none = BTreeMap::new();
    let mut files = with("import config\nRATE = config.RATE\n");
    files.insert("src/config.py".to_owned(), b"RATE = 1\n".to_vec());
    files.insert("src/other.py".to_owned(), b"import json\n".to_vec());
    let first = counts(&lab.check(&files, &none).await);
    assert_eq!(first, [first[0], first[0], 0]);
    let again = counts(&lab.check(&files, &none).await);
    assert_eq!(again, [first[0], 0, first[0]]);
    files.insert("src/tried.py".to_owned(), b"import config\n".to_vec());
    let [all, warm, known] = counts(&lab.check(&files, &none).await);
    assert_eq!((warm, known), (1, all - 1), "tried.py, which nothing mentions");
    files.insert("src/config.py".to_owned(), b"RATIO = 2\n".to_vec());
    let [all, warm, known] = counts(&lab.check(&files, &none).await);
    assert!(
        warm >= 2 && warm + known == all,
        "config.py and what mentions it: {warm}"
    );
    files.insert("src/config.py".to_owned(), b"raise KeyError\n".to_vec());
    assert!(lab.check(&files, &none).await.failure.is_some());
}

#[tokio::test]
async fn what_failed_is_never_known() {
    let lab = Lab::new().await;
    let mut files = with("raise RuntimeError('broken')\n");
    files.insert("src/alike.py".to_owned(), b"import tried\n".to_vec());
    for _ in 0..2 {
        let checked = lab.check(&files, &BTreeMap::new()).await;
        assert_eq!(checked.failure, Some(FailureClass::Code), "{:?}", checked.checks);
        assert_eq!(import(&checked).findings().len(), 1);
    }
    files.insert("src/tried.py".to_owned(), b"".to_vec());
    let [_, warm, _] = counts(&lab.check(&files, &BTreeMap::new()).await);
    assert_eq!(warm, 2, "neither of the two was known");
}
