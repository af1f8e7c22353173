//! The report as a real browser reads it: no request leaves it, nothing in it runs, nothing is complained about, and it
//! fits a narrow window, in a light and in a dark scheme. `make test-browser` installs the browser and sets what is read
//! here: `INTERLOCK_BROWSER`, its program, and where they are wanted `INTERLOCK_SCREENSHOTS`, a folder for pictures.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::type_complexity,
    clippy::disallowed_methods
)]

mod devtools;

#[allow(dead_code, reason = "shared with the tests of the text")]
#[path = "../it/pages.rs"]
mod pages;
#[allow(dead_code, reason = "shared with the tests of the text")]
#[path = "../it/standing.rs"]
mod standing;

#[allow(dead_code, reason = "the domain's tests use all of it, these a part")]
#[path = "../../../domain/tests/domain/chain.rs"]
mod chain;
#[allow(dead_code, reason = "the domain's tests use all of it, these a part")]
#[path = "../../../domain/tests/domain/moves.rs"]
mod moves;
#[allow(dead_code, reason = "the domain's tests use all of it, these a part")]
#[path = "../../../domain/tests/domain/samples.rs"]
mod samples;

use devtools::{Browser, Seen};
use std::path::{Path, PathBuf};

fn browser() -> Browser {
    let program =
        std::env::var("INTERLOCK_BROWSER").expect("INTERLOCK_BROWSER names no browser; see `make test-browser`");
    Browser::start(&program)
}

fn put(dir: &Path, name: &str, page: &str) -> PathBuf {
    let path = dir.join(format!("{name}.html"));
    std::fs::write(&path, page).unwrap();
    path
}

fn looked_at(browser: &mut Browser, path: &Path, width: u32, scheme: &str) -> Seen {
    let seen = browser.look(path, width, scheme);
    if let Some(folder) = std::env::var_os("INTERLOCK_SCREENSHOTS") {
        let name = path.file_stem().unwrap().to_string_lossy();
        let picture = Path::new(&folder).join(format!("{name}-{width}-{scheme}.png"));
        std::fs::write(picture, browser.picture(width)).unwrap();
    }
    seen
}

#[test]
fn a_page_asks_for_nothing_runs_nothing_and_fits() {
    let dir = tempfile::tempdir().unwrap();
    let mut browser = browser();
    for (name, page) in pages::all() {
        let path = put(dir.path(), name, &page);
        for (width, scheme) in [(1100, "light"), (1100, "dark"), (400, "light"), (400, "dark")] {
            let seen = looked_at(&mut browser, &path, width, scheme);
            let about = format!("{name} at {width} in {scheme}: {seen:?}");
            assert_eq!(seen.requests, [format!("file://{}", path.display())], "{about}");
            assert_eq!(seen.complaints, Vec::<String>::new(), "{about}");
            assert_eq!((seen.scripts, seen.handlers, seen.pwned), (0, 0, false), "{about}");
            assert_eq!(seen.broken_images, 0, "{about}");
            assert!(seen.wide_by <= 0, "{about}");
            assert!(seen.contrast >= 4.5, "text and paper differ too little: {about}");
        }
    }
}

/// The test has to be able to fail: a page that does everything a report must not do.
#[test]
fn a_page_that_misbehaves_is_seen() {
    let dir = tempfile::tempdir().unwrap();
    let bad = "<!DOCTYPE html><title>x</title><body style='width:3000px;color:#ddd;background:#fff' onload='window.pwned=1'>\
        <main><p>x</p></main><img src='http://127.0.0.1:9/x.png'><script>console.error('x')</script>";
    let path = put(dir.path(), "bad", bad);
    let seen = browser().look(&path, 400, "light");
    assert!(
        seen.requests.iter().any(|url| url == "http://127.0.0.1:9/x.png"),
        "{seen:?}"
    );
    assert!(
        !seen.complaints.is_empty() && seen.pwned && seen.wide_by > 0,
        "{seen:?}"
    );
    assert_eq!((seen.scripts, seen.handlers, seen.broken_images), (1, 1, 1), "{seen:?}");
    assert!(seen.contrast < 4.5, "{seen:?}");
}

/// Without the policy, the same hostile texts are still nothing but texts.
#[test]
fn escaping_alone_is_enough() {
    let dir = tempfile::tempdir().unwrap();
    let (run, files) = pages::hostile();
    let page = interlock_cli::report::render(&run, &files).unwrap();
    let open = page.replace("Content-Security-Policy", "x-nothing");
    assert_ne!(page, open);
    let path = put(dir.path(), "open", &open);
    let seen = browser().look(&path, 1100, "light");
    assert_eq!(seen.requests, [format!("file://{}", path.display())]);
    assert_eq!((seen.scripts, seen.handlers, seen.pwned), (0, 0, false), "{seen:?}");
}
