//! Which of an answer's blocks is the file.
//!
//! Goes by what the answer calls its blocks, by name and by language, and never by what they hold.

use interlock_domain::WorkspacePath;
use interlock_model::fences::Block;

/// Characters of a tag that a message repeats.
const SHOWN_OF_TAG: usize = 40;
/// Tags that say no more than "text".
const NEUTRAL: [&str; 5] = ["", "text", "txt", "plain", "plaintext"];

/// Why no block is certain to be the file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NotClear {
    /// There is none.
    NoBlock,
    /// The only one is called by another file's name.
    OtherFile(WorkspacePath),
    /// The only one is in another language.
    OtherLanguage(String),
    /// So many could be meant.
    Several(usize),
}

/// The only block that can be meant; of several the only one that is called by the file's name; where none is, the
/// only one in the file's language.
pub(crate) fn block_of<'a>(blocks: &'a [Block], path: &WorkspacePath) -> Result<&'a Block, NotClear> {
    let mut different: Vec<&Block> = Vec::new();
    for block in blocks {
        // The same text twice is one file.
        if !different.iter().any(|seen| seen.text == block.text) {
            different.push(block);
        }
    }
    // Markdown holds fences itself: of two blocks, the first may end where only a fence inside the file began.
    if path.file_name().ends_with(".md") && different.len() > 1 {
        return Err(NotClear::Several(different.len()));
    }
    let possible = |block: &&&Block| language(block, path) != Language::Other && other_file(block, path).is_none();
    let possible: Vec<&Block> = different.iter().filter(possible).copied().collect();
    let named: Vec<&Block> = possible.iter().filter(|block| names(block, path)).copied().collect();
    let spoken = possible
        .iter()
        .filter(|block| language(block, path) == Language::Files)
        .copied();
    let spoken: Vec<&Block> = spoken.collect();
    match (possible.as_slice(), named.as_slice(), spoken.as_slice()) {
        ([only], _, _) | (_, [only], _) | (_, [], [only]) => Ok(only),
        ([], _, _) => Err(none_possible(&different, path)),
        (_, _, _) => Err(NotClear::Several(different.len())),
    }
}

fn none_possible(blocks: &[&Block], path: &WorkspacePath) -> NotClear {
    match blocks {
        [] => NotClear::NoBlock,
        [only] => match other_file(only, path) {
            Some(other) => NotClear::OtherFile(other),
            None => NotClear::OtherLanguage(tag(only).chars().take(SHOWN_OF_TAG).collect()),
        },
        several => NotClear::Several(several.len()),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    /// The file's own.
    Files,
    /// It is not said.
    Unsaid,
    /// One that the file cannot be in.
    Other,
}

fn language(block: &Block, path: &WorkspacePath) -> Language {
    let tag = tag(block);
    let ending = path.file_name().rsplit_once('.').map_or("", |(_, ending)| ending);
    let own = match ending {
        "py" => matches!(tag.as_str(), "python" | "py" | "python3" | "py3"),
        "md" => matches!(tag.as_str(), "markdown" | "md"),
        "yml" | "yaml" => matches!(tag.as_str(), "yaml" | "yml"),
        other => tag == other,
    };
    match own {
        true => Language::Files,
        false if NEUTRAL.contains(&tag.as_str()) => Language::Unsaid,
        // There are too many ways to tag text that is not Python for a stranger to be told from a synonym.
        false if !path.is_python() && !tag.starts_with("py") => Language::Unsaid,
        false => Language::Other,
    }
}

/// The language that the fence names, such as `python` of `{.Python}` or of `python:src/data.py`.
fn tag(block: &Block) -> String {
    let first = block.info.split(is_end).find(|word| !word.is_empty());
    let first = first.map(|word| word.trim_start_matches('.')).unwrap_or_default();
    if path_in(first).is_some() {
        return String::new();
    }
    first.to_lowercase()
}

/// Whether the fence, the line before it, or its first line names the file.
fn names(block: &Block, path: &WorkspacePath) -> bool {
    let said = words(&block.info).chain(words(&block.before));
    said.into_iter().any(|word| word == path.as_str()) || title(&block.text).as_ref() == Some(path)
}

/// Another file, where the block is called by its name and not by this one's.
fn other_file(block: &Block, path: &WorkspacePath) -> Option<WorkspacePath> {
    if names(block, path) {
        return None;
    }
    let heading = only_path(&block.before);
    words(&block.info).find_map(path_in).or(heading).or(title(&block.text))
}

/// The path that the first line is, as a comment.
fn title(text: &str) -> Option<WorkspacePath> {
    let first = text.lines().next()?.trim();
    only_path(first.strip_prefix('#').or(first.strip_prefix("//"))?)
}

/// The path that a line consists of, but for marks and a word such as "File:".
fn only_path(line: &str) -> Option<WorkspacePath> {
    let mut words = words(line).filter(|word| !word.eq_ignore_ascii_case("file"));
    match (words.next(), words.next()) {
        (Some(only), None) => path_in(only),
        (None | Some(_), _) => None,
    }
}

/// A word that can only be the path of a file.
fn path_in(word: &str) -> Option<WorkspacePath> {
    let path: WorkspacePath = word.parse().ok()?;
    let is_file = path.as_str().contains('/') && path.file_name().contains('.');
    is_file.then_some(path)
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(is_end).filter(|word| !word.is_empty())
}

fn is_end(c: char) -> bool {
    c.is_whitespace() || "`*:\"'(),=#{}[]<>".contains(c)
}
