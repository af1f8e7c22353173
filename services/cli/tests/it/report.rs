//! The report as a text: what it says, and what hostile content of a run becomes in it. `tests/browser.rs` has a browser
//! read the same pages.

use crate::chain::Chain;
use crate::moves;
use crate::pages::{self, HOSTILE};
use crate::samples::finding;
use crate::standing::run;
use interlock_cli::report::files::{Files, wanted};
use interlock_cli::report::render;
use interlock_domain::payload::Payload;
use interlock_domain::{Digest, FailureClass};

fn contains(page: &str, all: &[&str]) {
    for told in all {
        assert!(page.contains(told), "{told}\nis not in\n{page}");
    }
}

#[test]
fn the_page_tells_the_whole_run() {
    let run = run(&pages::mended(), "accepted");
    let page = render(&run, &pages::files()).unwrap();
    contains(
        &page,
        &[
            "<h1>small <span class=\"mark good\">accepted</span></h1>",
            "Be right.",
            "test accuracy ≥ 0.9 fraction (scored evidence or stronger)",
            "<dt>memory</dt><dd>2048 MiB</dd>",
            "a human answers for the plan",
            "3 files in 2 levels",
            "what src/data.py is for",
            "plan approved by ada",
            "2 passed, 0 failed, 0 timed out, 0 not run; 2 times a check could not know",
            "<td><code>imports v3</code></td><td class=\"prose\">2 files</td><td class=\"number\">1</td>",
            "<td><code>src/data.py</code></td><td class=\"number\">2</td><td class=\"prose\">src/data.py:4:3: imports/relative",
            "<td>end</td><td>exit 0</td>",
            "<td>peak memory</td><td>8192 MiB</td><td>2048 MiB</td>",
            "<td>scored</td><td>test</td><td class=\"name\">accuracy</td><td class=\"number\">0.97 fraction</td>",
            "loss by step",
            "<polyline class=\"curve c1\" points=\"64.0,",
            "<img src=\"data:image/svg+xml;base64,",
            "not shown: it is no PNG, JPEG or SVG image, whatever its name says",
            "not shown: it has 3 MiB; at most 2 MiB of one image",
            "Only claimed",
            "epoch 40: loss 0.04",
        ],
    );
    let head = run.state.as_ref().unwrap().head.unwrap().to_string();
    assert_eq!(
        page.matches(&head).count(),
        2,
        "as the head, and as the last record's digest"
    );
    let claims = page.split_once("id=\"claims\"").unwrap().1;
    assert!(claims.contains("success") && !page.split("id=\"claims\"").next().unwrap().contains("&#34;success"));
}

#[test]
fn a_run_is_reported_at_every_station() {
    for station in crate::stations::ALL {
        let page = render(&run(&crate::stations::at(station), "active"), &Files::default()).unwrap();
        contains(
            &page,
            &[
                "id=\"task\"",
                "id=\"plan\"",
                "id=\"checks\"",
                "id=\"ran\"",
                "id=\"chain\"",
            ],
        );
    }
    let nothing = render(&run(&Chain::new(), "stuck"), &Files::default()).unwrap();
    contains(
        &nothing,
        &[
            "The request is not on record.",
            "Nothing was checked.",
            "No program was run",
        ],
    );
}

#[test]
fn nothing_that_others_wrote_is_markup() {
    let (run, files) = pages::hostile();
    let page = render(&run, &files).unwrap();
    // The page's own elements, whatever the texts in it say.
    for (element, times) in [
        ("<script", 0),
        ("</style", 1),
        ("</title", 1),
        ("<a href=\"java", 0),
        ("javascript:alert(1)>", 0),
    ] {
        assert_eq!(page.matches(element).count(), times, "{element}");
    }
    for image in page.split("<img ").skip(1) {
        assert!(image.starts_with("src=\"data:image/"), "{image:.80}");
    }
    let unseen =
        |c: char| (c.is_control() && c != '\n' && c != '\t') || "\u{202e}\u{2069}\u{e0041}\u{feff}".contains(c);
    assert_eq!(page.chars().find(|c| unseen(*c)), None);
    contains(
        &page,
        &[
            "\\u{202e}desrever",
            "\\u{1b}[2J\\u{0}",
            "&#60;script",
            "more characters are left out",
            "characters before this are left out",
        ],
    );
    let longest = page.lines().map(str::len).max().unwrap();
    assert!(
        page.len() < 1 << 20 && longest < 200_000,
        "{} bytes, {longest} in a line",
        page.len()
    );
    // How often it is shown: a new place for such a text is a new place to look at.
    assert!(
        page.matches("desrever").count() > 20,
        "{}",
        page.matches("desrever").count()
    );
    assert!(HOSTILE.contains("desrever"));
}

#[test]
fn a_page_needs_nothing_from_elsewhere() {
    for (name, page) in pages::all() {
        contains(&page, &["default-src 'none'; style-src 'unsafe-inline'; img-src data:"]);
        for attribute in page.split(" src=\"").skip(1).chain(page.split(" href=\"").skip(1)) {
            assert!(
                attribute.starts_with("data:") || attribute.starts_with("#record-"),
                "{name}: {attribute:.60}"
            );
        }
        let style = page
            .split_once("<style>")
            .and_then(|(_, rest)| rest.split_once("</style>"))
            .unwrap()
            .0;
        assert!(!style.contains("url(") && !style.contains("@import"), "{name}");
    }
}

#[test]
fn the_same_records_make_the_same_page() {
    let chain = pages::mended();
    let page = || render(&run(&chain, "accepted"), &pages::files()).unwrap();
    assert_eq!(Digest::of(page().as_bytes()), Digest::of(page().as_bytes()));
}

#[test]
fn only_what_a_page_shows_is_fetched() {
    let names: Vec<String> = wanted(&run(&pages::mended(), "accepted"))
        .into_iter()
        .map(|named| named.name)
        .collect();
    assert_eq!(
        names,
        [
            "out/curve.svg",
            "out/fake.png",
            "out/recorded.json",
            "result.json",
            "stderr.log",
            "stdout.log"
        ]
    );
}

#[test]
fn what_is_too_much_to_read_is_counted() {
    let mut chain = pages::planned("ada");
    chain
        .then(|state| Payload::Candidate(moves::expected_candidate(state)))
        .then(|state| {
            let found = (0..3_000)
                .map(|line| finding("imports/relative", "src/data.py", line))
                .collect();
            Payload::Verdict(moves::fail(state, FailureClass::Policy, found))
        });
    let mut run = run(&chain, "waiting");
    run.view.gate = "guidance".to_owned();
    let page = render(&run, &Files::default()).unwrap();
    assert_eq!(
        page.matches("2950 more findings are left out").count(),
        2,
        "at its check, and as the cause"
    );
    contains(
        &page,
        &["2701 more are left out", "Everything that did not go straight (3001)"],
    );
    assert!(page.len() < 400_000, "{}", page.len());
}

#[test]
fn what_was_found_about_a_program_is_told_however_it_was_judged() {
    let mut chain = crate::stations::at("running");
    chain.then(|state| {
        let mut execution = moves::accepted(state);
        execution.findings = vec![finding("data/overlap", "src/data.py", 2)];
        Payload::Execution(execution)
    });
    let mut files = pages::files();
    let left = r#"{"schema": 2, "not_kept": ["out/big.bin: over the total", "out/<b>: its name"]}"#;
    files
        .artifacts
        .insert("result.json".to_owned(), left.as_bytes().to_vec());
    let page = render(&run(&chain, "active"), &files).unwrap();
    contains(
        &page,
        &[
            "What was found about it",
            "data/overlap",
            "    2 | from pathlib import Path",
            "Not kept, or kept otherwise (2)",
            "out/&#60;b&#62;: its name",
        ],
    );
}
