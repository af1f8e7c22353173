//! Takes exactly one file out of an answer, or says why that cannot be done.
//!
//! Never guesses: what is cut off, declined, or could be meant in two ways is no file (faults E1).

use crate::which::{NotClear, block_of};
use interlock_domain::{Finding, Location, WorkspacePath};
use interlock_model::{Answer, Finish, fences};
use interlock_pysource::MAX_BYTES;

/// The content of `path` in an answer, ended by a line feed.
///
/// # Errors
/// What is wrong with the answer, for the model to read.
pub fn file_in(answer: &Answer, path: &WorkspacePath) -> Result<String, Finding> {
    match &answer.finish {
        Finish::Complete => {}
        Finish::Truncated => {
            let why = "the answer was cut off by the output limit; write the whole file in fewer lines";
            return Err(finding("truncated", path, why));
        }
        Finish::Refused(why) => {
            let why: String = why.chars().take(300).collect();
            return Err(finding("refused", path, format!("the model declined: {why}")));
        }
    }
    if answer.text.trim().is_empty() {
        return Err(finding(
            "empty",
            path,
            "the answer was empty; answer with the whole file in one fenced block",
        ));
    }
    let fenced = fences::split(&answer.text);
    if fenced.blocks.iter().any(|block| !block.closed) {
        return Err(finding(
            "unclosed",
            path,
            "a fenced block is not closed, so its end may be missing; close it, and use more backticks for it than any line of the file begins with",
        ));
    }
    let block = block_of(&fenced.blocks, path).map_err(|why| not_clear(path, &why))?;
    // A package's marker is the one file that is whole with nothing in it.
    if block.text.trim().is_empty() && path.file_name() != "__init__.py" {
        return Err(finding(
            "empty",
            path,
            "the fenced block is empty; put the whole file into it",
        ));
    }
    if block.text.len() > MAX_BYTES {
        let why = format!("the file has {} bytes; at most {MAX_BYTES} are taken", block.text.len());
        return Err(finding("too-long", path, why));
    }
    if block.text.contains('\0') {
        return Err(finding("nul", path, "the file contains a NUL character; leave it out"));
    }
    Ok(block.text.clone())
}

fn not_clear(path: &WorkspacePath, why: &NotClear) -> Finding {
    let (rule, message) = match why {
        NotClear::NoBlock => (
            "no-file",
            "there is no fenced block; answer with the whole file in one".to_owned(),
        ),
        NotClear::OtherFile(other) => (
            "other-file",
            format!("the fenced block is called {other}; answer with {path} alone"),
        ),
        NotClear::OtherLanguage(tag) => (
            "language",
            format!("the fenced block is tagged {tag:?}, and {path} is something else; answer with the whole file"),
        ),
        NotClear::Several(count) => (
            "ambiguous",
            format!("there are {count} fenced blocks, and which one is the file is not clear; give one"),
        ),
    };
    finding(rule, path, message)
}

fn finding(rule: &str, path: &WorkspacePath, message: impl Into<String>) -> Finding {
    Finding::new(format!("answer/{rule}"), Location::file(path.as_str()), message)
}
