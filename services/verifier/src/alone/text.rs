//! The report for people, as compilers print theirs: place, rule and message, the source line with a caret, the other side's
//! line below it, and a summary at the end.

use super::report::{Report, count};
use interlock_domain::check::CheckResult;
use interlock_domain::shown::{block, line, source_line};
use interlock_domain::{Finding, Location};
use std::fmt::Write as _;
use std::path::Path;

/// Names that are listed before the rest is only counted.
const NAMED: usize = 6;

/// Finds the text of a place's line.
type Line<'a> = dyn Fn(&Location) -> Option<&'a str> + 'a;

/// The whole page.
pub(super) fn page(report: &Report, text_of: &Line<'_>, colour: bool) -> String {
    let paint = Paint(colour);
    let mut page = String::new();
    // Writing into a String cannot fail.
    for finding in report.findings() {
        show(&mut page, finding, &report.folder, text_of, paint);
    }
    for (path, why) in &report.unread {
        let _ = writeln!(page, "{} {}: {}", paint.warn("not read:"), line(path), line(why));
    }
    for (check, how, reason) in report.unfinished() {
        let _ = writeln!(
            page,
            "{} {}: {}",
            paint.warn(&format!("{how}:")),
            check.check,
            line(reason)
        );
    }
    if !page.is_empty() {
        page.push('\n');
    }
    notes(&mut page, report);
    let _ = writeln!(page, "{}", summary(report, paint));
    page
}

fn show(page: &mut String, finding: &Finding, folder: &Path, text_of: &Line<'_>, paint: Paint) {
    let message = block(&finding.message);
    let mut lines = message.lines();
    let first = lines.next().unwrap_or_default();
    let place = paint.place(&line(&place(folder, &finding.at)));
    let _ = writeln!(page, "{place}: {}: {first}", paint.bad(&finding.rule));
    excerpt(page, &finding.at, text_of, paint);
    for more in lines {
        let _ = writeln!(page, "      {more}");
    }
    if let Some(other) = &finding.other {
        let _ = writeln!(
            page,
            "  {}: the other side",
            paint.place(&line(&self::place(folder, other)))
        );
        excerpt(page, other, text_of, paint);
    }
}

fn excerpt(page: &mut String, at: &Location, text_of: &Line<'_>, paint: Paint) {
    let Some(source) = text_of(at) else { return };
    for (index, shown) in source_line(at.line, at.column, source).into_iter().enumerate() {
        let shown = if index == 0 { shown } else { paint.bad(&shown) };
        let _ = writeln!(page, "{shown}");
    }
}

/// The place as it can be opened from where the command was started.
fn place(folder: &Path, at: &Location) -> String {
    if folder == Path::new(".") || Path::new(&at.file).is_absolute() || !folder.join(&at.file).exists() {
        return at.to_string();
    }
    let at = Location {
        file: folder.join(&at.file).display().to_string(),
        ..at.clone()
    };
    at.to_string()
}

fn notes(page: &mut String, report: &Report) {
    let silent: Vec<String> = report.checks.iter().filter_map(no_opinion).collect();
    if !silent.is_empty() {
        let _ = writeln!(page, "no opinion: {}", silent.join(", "));
    }
    if !report.not_imported.is_empty() {
        let _ = writeln!(
            page,
            "not imported: {}",
            some(report.not_imported.keys().map(String::as_str))
        );
    }
    if !report.left_out.is_empty() {
        let _ = writeln!(page, "left out: {}", some(report.left_out.iter().map(String::as_str)));
    }
    let root = if report.root.is_empty() { "." } else { &report.root };
    let entry = report
        .entry
        .as_ref()
        .map(|entry| format!(", run as {}", line(entry)))
        .unwrap_or_default();
    let _ = writeln!(page, "module path: {} ({}){entry}", line(root), report.because);
    let named = report
        .environment
        .as_ref()
        .map(|path| format!(" {}", line(&path.display().to_string())));
    let packages = count(report.packages.len(), "package");
    let python = if report.interpreter.is_empty() {
        String::new()
    } else {
        format!("Python {}, ", report.interpreter)
    };
    let ours = if report.origin == super::Origin::Existing {
        "; it was there before, and is used as it is"
    } else {
        ""
    };
    let _ = writeln!(
        page,
        "environment: {python}{}{}, {packages}{ours}",
        report.origin.name(),
        named.unwrap_or_default()
    );
    for finding in &report.already {
        let first = block(&finding.message).lines().next().unwrap_or_default().to_owned();
        let place = line(&finding.at.to_string());
        let _ = writeln!(page, "in the base version as well: {place}: {}: {first}", finding.rule);
    }
    if let Some(hint) = &report.hint {
        let _ = writeln!(page, "hint: {}", line(hint));
    }
}

fn no_opinion(check: &CheckResult) -> Option<String> {
    let times = check.no_opinion().filter(|times| *times > 0)?;
    Some(format!("{} {times}", check.check))
}

fn some<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let more = names.len().saturating_sub(NAMED);
    let mut shown: Vec<String> = names.take(NAMED).map(line).collect();
    if more > 0 {
        shown.push(format!("and {more} more"));
    }
    shown.join(", ")
}

fn summary(report: &Report, paint: Paint) -> String {
    let (found, unfinished) = (report.findings().count(), report.unfinished().count());
    let passed = report.checks.iter().filter(|check| check.passed()).count();
    let said = format!(
        "{}, {}, {} passed, {} not run",
        count(report.files, "file"),
        count(found, "finding"),
        count(passed, "check"),
        count(unfinished, "check"),
    );
    match report.exit() {
        0 => paint.good(&said),
        1 => paint.bad(&said),
        _ => paint.warn(&said),
    }
}

/// Colours, where a terminal shows them.
#[derive(Clone, Copy)]
struct Paint(bool);

impl Paint {
    fn with(self, code: &str, text: &str) -> String {
        if self.0 {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    fn bad(self, text: &str) -> String {
        self.with("31", text)
    }

    fn good(self, text: &str) -> String {
        self.with("32", text)
    }

    fn warn(self, text: &str) -> String {
        self.with("33", text)
    }

    fn place(self, text: &str) -> String {
        self.with("1", text)
    }
}
