//! What rests on the program's word alone: what it returned, what it printed, what it drew.

use super::files::{Files, STDERR, STDOUT};
use super::image::{self, DataUri};
use super::ran::{self, Numbered};
use super::shown::Shown;
use crate::view::Run;
use crate::view::text::size;
use interlock_domain::blob::NamedBlob;
use interlock_domain::criteria::Evidence;

/// Characters that are shown of each stream; `interlock logs` prints all that is kept.
const OUTPUT: usize = 12_000;

/// Everything that is only claimed.
#[derive(Debug)]
pub struct Claims {
    /// What `run` returned, as JSON.
    pub testimony: Shown,
    /// Numbers that nobody but the program has seen.
    pub numbers: Vec<Numbered>,
    /// What it drew.
    pub figures: Vec<Figure>,
    /// What it printed.
    pub output: Vec<Output>,
}

/// An image among the artifacts.
#[derive(Debug)]
pub struct Figure {
    /// Its name.
    pub name: Shown,
    /// The image, or why it is not here.
    pub image: Result<DataUri, Shown>,
}

/// The end of a stream.
#[derive(Debug)]
pub struct Output {
    /// Which.
    pub name: &'static str,
    /// Its end.
    pub text: Shown,
}

/// Everything that is only claimed; `None` where no program ended.
pub fn claims(run: &Run, files: &Files) -> Option<Claims> {
    let (_, execution) = ran::last(run)?;
    let images = execution
        .artifacts
        .iter()
        .filter(|named| image::is_named_like_one(&named.name));
    let streams = [("stdout", STDOUT), ("stderr", STDERR)];
    let output = streams.into_iter().filter_map(|(name, file)| {
        let text = Shown::tail(&files.text(file)?, OUTPUT);
        (!text.is_empty()).then_some(Output { name, text })
    });
    Some(Claims {
        testimony: match execution.testimony_json.trim() {
            "" | "null" => Shown::default(),
            said => Shown::block(&indented(said)),
        },
        numbers: ran::numbers(run, |evidence| evidence == Evidence::Claimed),
        figures: images.map(|named| figure(named, files)).collect(),
        output: output.collect(),
    })
}

/// With its values below each other, where it is the JSON that it should be.
fn indented(said: &str) -> String {
    let value: Option<serde_json::Value> = serde_json::from_str(said).ok();
    let text = value.and_then(|value| serde_json::to_string_pretty(&value).ok());
    text.unwrap_or_else(|| said.to_owned())
}

fn figure(named: &NamedBlob, files: &Files) -> Figure {
    let image = match files.artifacts.get(&named.name) {
        Some(bytes) => image::embed(bytes).map_err(|why| Shown::line(&format!("not shown: {why}"))),
        None if named.blob.size > image::MAX_BYTES => Err(Shown::line(&format!(
            "not shown: it has {}; at most {} of one image are taken into this page",
            size(named.blob.size),
            size(image::MAX_BYTES)
        ))),
        None => Err(Shown::line(&format!(
            "not shown: at most {} of all images together are taken into this page",
            size(image::MAX_TOTAL_BYTES)
        ))),
    };
    Figure {
        name: Shown::line(&named.name),
        image,
    }
}
