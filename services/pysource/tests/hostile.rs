//! Inputs that are made to break a reader: deep, long, and going in circles. Each ends with reports, and soon.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use interlock_pysource::{Declared, RuleReport, Status, Workspace, check};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

fn run(files: &[(&str, String)]) -> Vec<RuleReport> {
    let files: BTreeMap<String, String> = files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), text.clone()))
        .collect();
    let targets: Vec<String> = files.keys().cloned().collect();
    let workspace = Workspace::new(files, "src", BTreeSet::new(), BTreeSet::new());
    let reports = check(&workspace, &Declared::default(), &targets);
    assert!(!reports.is_empty());
    reports
}

/// Read and judged, or refused with a reason: never a crash.
fn survives(name: &str, text: String) {
    let reports = run(&[("src/main.py", text)]);
    let unread = |report: &RuleReport| matches!(&report.status, Status::NotRun { reason } if !reason.is_empty());
    let judged = |report: &RuleReport| !matches!(&report.status, Status::NotRun { .. });
    assert!(reports.iter().all(unread) || reports.iter().any(judged), "{name}");
}

#[test]
fn deep_code_is_read_or_refused() {
    let wrap = |open: &str, inside: &str, close: &str, depth: usize| {
        format!("x = {}{inside}{}\n", open.repeat(depth), close.repeat(depth))
    };
    for depth in [50, 3_000, 60_000] {
        survives("minus", wrap("-", "1", "", depth));
        survives("not", wrap("not ", "1", "", depth));
        survives("list", wrap("[", "1", "]", depth));
        survives("lambda", wrap("lambda: ", "1", "", depth));
        survives("call", wrap("", "f", "()", depth));
        survives("attribute", wrap("", "f", ".a", depth));
        survives("index", wrap("", "f", "[0]", depth));
        survives("sum", wrap("", "1", " + 1", depth));
        survives("power", wrap("", "1", " ** 1", depth));
        survives("choice", wrap("1 if a else ", "1", "", depth));
        survives("strings", wrap("", "'a'", " 'a'", depth));
        survives(
            "base",
            format!("class A({}): pass\n", "f(".repeat(depth) + &")".repeat(depth)),
        );
        survives(
            "annotation",
            format!("def f(x: {}1{}): pass\n", "a[".repeat(depth), "]".repeat(depth)),
        );
    }
    for depth in [90, 5_000] {
        let mut text = String::from("if a:\n    pass\n");
        text.push_str(&"elif b:\n    pass\n".repeat(depth));
        survives("elif", text);
    }
    let mut text = String::new();
    for depth in 0..95 {
        writeln!(text, "{}def f{depth}():", " ".repeat(depth)).unwrap();
    }
    writeln!(text, "{}pass", " ".repeat(95)).unwrap();
    survives("functions", text);
}

#[test]
fn long_code_is_read() {
    survives("lines", "x = f(1, a=2).b\n".repeat(20_000));
    survives("arguments", format!("f({})\n", "a, ".repeat(50_000)));
    survives(
        "names",
        format!(
            "from m import {}\n",
            (0..20_000).map(|n| format!("n{n}")).collect::<Vec<_>>().join(", ")
        ),
    );
    survives("text", format!("x = \"{}\"\n", "é".repeat(200_000)));
    survives("dots", format!("from {}m import x\n", ".".repeat(100_000)));
    survives("targets", format!("{}1\n", "x = ".repeat(50_000)));
    survives("comment", format!("def f():\n    pass  # {}\n", "# ".repeat(100_000)));
}

#[test]
fn circles_end() {
    let files = [
        (
            "src/a.py",
            "from b import *\nfrom b import x\nclass A(A): pass\nclass B(C): pass\nclass C(B): pass\nx.y.z(1)\n",
        ),
        (
            "src/b.py",
            "from a import *\nfrom a import x\nimport a\na.a.b.x()\nq = r()\nr = q()\nq(1).z\n",
        ),
        ("src/pkg/__init__.py", "from pkg import *\nfrom . import pkg\n"),
        (
            "src/main.py",
            "import a, b, pkg\nfrom main import main\nimport main.main\nmain.main.main()\n",
        ),
    ];
    run(&files.map(|(path, text)| (path, text.to_owned())));
}

#[test]
fn wide_hierarchies_end() {
    // Every class has both classes of the level above it: twice as many ways up with each level.
    let mut text = String::from("class A0: pass\nclass B0: pass\n");
    for level in 1..60 {
        let above = level - 1;
        writeln!(text, "class A{level}(A{above}, B{above}): pass").unwrap();
        writeln!(text, "class B{level}(A{above}, B{above}): pass").unwrap();
    }
    text.push_str("A59(1).x\nA59.X\n");
    let mut chain = String::from("class D0:\n    def f(self): pass\n");
    for level in 1..2_000 {
        writeln!(chain, "class D{level}(D{}): pass", level - 1).unwrap();
    }
    chain.push_str("D1999().f(1)\nD50().f(1)\n");
    let mut all = String::from("class E0: pass\n");
    for level in 1..150 {
        let above: Vec<String> = (0..level).rev().map(|n| format!("E{n}")).collect();
        writeln!(all, "class E{level}({}): pass", above.join(", ")).unwrap();
    }
    let mut some = String::from("class F0: pass\n");
    for level in 1..400 {
        let above: Vec<String> = (0..level).rev().take(25).map(|n| format!("F{n}")).collect();
        writeln!(some, "class F{level}({}): pass", above.join(", ")).unwrap();
    }
    run(&[
        ("src/wide.py", text),
        ("src/chain.py", chain),
        ("src/all.py", all),
        ("src/some.py", some),
    ]);
}

#[test]
fn many_modules_end() {
    let mut files = Vec::new();
    for n in 0..400 {
        let next = (n + 1) % 400;
        files.push((
            format!("src/m{n}.py"),
            format!("from m{next} import *\nimport m{next}\nx{n} = m{next}.x{next}\n"),
        ));
    }
    let files: Vec<(&str, String)> = files.iter().map(|(path, text)| (path.as_str(), text.clone())).collect();
    run(&files);
}
