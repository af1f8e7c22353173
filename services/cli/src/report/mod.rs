//! `report.html`: the account of a run as one file that needs no network and no script.
//!
//! Pure: from the run's records, and the files that somebody fetched for it, to a text. Everything that others wrote
//! goes through [`shown::Shown`] and then through the template's escaping; the template marks nothing as safe.

pub mod cause;
pub mod chain;
pub mod checks;
pub mod claims;
pub mod curve;
pub mod files;
pub mod image;
pub mod noted;
pub mod ran;
pub mod resources;
pub mod series;
pub mod shown;
pub mod task;

use crate::console::Tone;
use crate::view::cause::sentence;
use crate::view::{Run, report};
use askama::Template as _;
use files::Files;
use interlock_domain::criteria::Evidence;
use shown::{Listed, Shown};

/// Most lines of what did not go straight.
const MAX_WAY: usize = 300;

/// A page that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("the report could not be put together: {0}")]
pub struct ReportError(#[from] askama::Error);

/// The whole page.
#[derive(askama::Template)]
#[template(path = "report/page.html")]
struct Page {
    head: Head,
    cause: Option<cause::Cause>,
    asked: Option<task::Asked>,
    planned: Option<task::Planned>,
    checked: Option<checks::Checked>,
    repairs: Listed<checks::Repair>,
    way: Listed<(&'static str, Shown)>,
    ran: Option<ran::Ran>,
    judged: Vec<ran::Judged>,
    numbers: Vec<ran::Numbered>,
    curves: series::Curves,
    notes: Vec<Shown>,
    noted: Option<noted::Noted>,
    claims: Option<claims::Claims>,
    chain: chain::Chain,
}

/// What stands at the top.
struct Head {
    task: Shown,
    run: Shown,
    status: Shown,
    tone: &'static str,
    sentence: Shown,
    times: Shown,
}

/// The page of a run.
///
/// # Errors
/// The template cannot be written out, which no content of a run brings about.
pub fn render(run: &Run, files: &Files) -> Result<String, ReportError> {
    let curves = series::curves(files);
    let page = Page {
        head: head(run),
        cause: cause::cause(run, files),
        asked: task::asked(run),
        planned: task::planned(run),
        checked: checks::checked(run, files),
        repairs: checks::repairs(run),
        way: way(run),
        ran: ran::ran(run, files),
        judged: ran::judged(run),
        numbers: ran::numbers(run, |evidence| evidence > Evidence::Claimed),
        notes: curves.notes.iter().map(|note| Shown::line(note)).collect(),
        curves,
        noted: noted::noted(files),
        claims: claims::claims(run, files),
        chain: chain::chain(run),
    };
    Ok(page.render()?)
}

fn way(run: &Run) -> Listed<(&'static str, Shown)> {
    let all = report::on_the_way(&run.records).into_iter();
    let shown = all.map(|(tone, said)| (class(tone), Shown::line(&said)));
    Listed::first(shown.collect(), MAX_WAY)
}

fn head(run: &Run) -> Head {
    let (tone, sentence) = sentence(run);
    let times = run.records.first().zip(run.records.last()).map(|(first, last)| {
        format!(
            "{} to {}, {} records",
            chain::utc(first.time_unix_ms),
            chain::utc(last.time_unix_ms),
            run.records.len()
        )
    });
    Head {
        task: Shown::line(run.task()),
        run: Shown::line(run.id()),
        status: Shown::line(run.status()),
        tone: class(tone),
        sentence: Shown::line(&sentence),
        times: Shown::line(&times.unwrap_or_default()),
    }
}

/// The name that the style sheet has for a tone.
const fn class(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "plain",
        Tone::Good => "good",
        Tone::Warn => "warn",
        Tone::Bad => "bad",
    }
}
