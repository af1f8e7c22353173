//! Takes exactly one file out of an answer, or says why that cannot be done.
//!
//! Never guesses: what is cut off, declined, or could be meant in two ways is no file (faults E1).

use interlock_domain::{Finding, Location, WorkspacePath};
use interlock_model::fences::{self, Block};
use interlock_model::{Answer, Finish};

/// Largest file that is taken, in bytes: what the rules read at most.
const MAX_FILE_BYTES: usize = 512 * 1024;

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
            "a fenced block is not closed, so its end may be missing; close it",
        ));
    }
    let block = the_block(&fenced.blocks, path)?;
    if block.text.trim().is_empty() {
        return Err(finding(
            "empty",
            path,
            "the fenced block is empty; put the whole file into it",
        ));
    }
    if block.text.len() > MAX_FILE_BYTES {
        let why = format!(
            "the file has {} bytes; at most {MAX_FILE_BYTES} are taken",
            block.text.len()
        );
        return Err(finding("too-long", path, why));
    }
    if block.text.contains('\0') {
        return Err(finding("nul", path, "the file contains a NUL character; leave it out"));
    }
    Ok(block.text.clone())
}

/// The only block; else the only one that is named as the file; else the only one in the file's language.
fn the_block<'a>(blocks: &'a [Block], path: &WorkspacePath) -> Result<&'a Block, Finding> {
    if let [only] = blocks {
        return Ok(only);
    }
    if blocks.is_empty() {
        return Err(finding(
            "no-file",
            path,
            "there is no fenced block; answer with the whole file in one",
        ));
    }
    let named: Vec<&Block> = blocks.iter().filter(|block| names(block, path)).collect();
    if let [only] = named.as_slice() {
        return Ok(only);
    }
    let spoken: Vec<&Block> = blocks
        .iter()
        .filter(|block| path.is_python() && is_python(block))
        .collect();
    match (named.is_empty(), spoken.as_slice()) {
        (true, [only]) => Ok(only),
        (_, _) => {
            let why = format!(
                "there are {} fenced blocks, and which one is the file is not clear; give one",
                blocks.len()
            );
            Err(finding("ambiguous", path, why))
        }
    }
}

/// Whether the fence, or the line before it, names the file.
fn names(block: &Block, path: &WorkspacePath) -> bool {
    let is_end = |c: char| c.is_whitespace() || matches!(c, '`' | '*' | ':' | '"' | '\'' | '(' | ')' | ',' | '=' | '#');
    let mut words = block.info.split(is_end).chain(block.before.split(is_end));
    words.any(|word| word == path.as_str())
}

fn is_python(block: &Block) -> bool {
    let language = block.info.split_whitespace().next().unwrap_or_default().to_lowercase();
    matches!(language.as_str(), "python" | "py" | "python3")
}

fn finding(rule: &str, path: &WorkspacePath, message: impl Into<String>) -> Finding {
    Finding::new(format!("answer/{rule}"), Location::file(path.as_str()), message)
}
