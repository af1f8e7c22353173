//! Fenced blocks of Markdown: as answers hold them, and as prompts need them.
//!
//! The rules are CommonMark's, which decide most doubtful cases: a fence is closed only by one that
//! is at least as long, has nothing behind it and is indented by at most three spaces, so fences
//! inside an indented docstring are content. Says nothing about which block is meant.

/// A fenced block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// What stands behind the opening fence, such as `python`.
    pub info: String,
    /// The last line before it that is not blank; empty if there is none, or another block.
    pub before: String,
    /// The lines inside, each ended by a line feed.
    pub text: String,
    /// Whether the closing fence is there.
    pub closed: bool,
}

/// A text taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fenced {
    /// The blocks, in order.
    pub blocks: Vec<Block>,
    /// The lines that are in no block.
    pub outside: Vec<String>,
}

struct Open {
    mark: char,
    length: usize,
    indent: usize,
}

/// Takes a text apart. Line ends become line feeds.
pub fn split(text: &str) -> Fenced {
    let mut fenced = Fenced::default();
    let mut open: Option<Open> = None;
    let mut before = String::new();
    for line in text.lines() {
        match (&open, fenced.blocks.last_mut()) {
            (Some(fence), Some(block)) => {
                if closes(line, fence) {
                    block.closed = true;
                    open = None;
                    before.clear();
                } else {
                    // What the fence was indented by is no part of the content.
                    let spaces = line.len() - line.trim_start_matches(' ').len();
                    let content = line.get(spaces.min(fence.indent)..).unwrap_or(line);
                    block.text.push_str(content);
                    block.text.push('\n');
                }
            }
            (_, _) => match opens(line) {
                Some((fence, info)) => {
                    open = Some(fence);
                    fenced.blocks.push(Block {
                        info,
                        before: std::mem::take(&mut before),
                        text: String::new(),
                        closed: false,
                    });
                }
                None => {
                    if !line.trim().is_empty() {
                        before = line.trim().to_owned();
                    }
                    fenced.outside.push(line.to_owned());
                }
            },
        }
    }
    fenced
}

fn opens(line: &str) -> Option<(Open, String)> {
    let (mark, length, indent, rest) = fence(line)?;
    if mark == '`' && rest.contains('`') {
        return None;
    }
    let fence = Open { mark, length, indent };
    Some((fence, rest.trim().to_owned()))
}

fn closes(line: &str, open: &Open) -> bool {
    fence(line)
        .is_some_and(|(mark, length, _, rest)| mark == open.mark && length >= open.length && rest.trim().is_empty())
}

/// Mark, length, indentation and the rest of the line, if it begins with a fence.
fn fence(line: &str) -> Option<(char, usize, usize, &str)> {
    let inner = line.trim_start_matches(' ');
    let indent = line.len() - inner.len();
    let mark = inner.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = inner.trim_start_matches(mark);
    let length = inner.len() - rest.len();
    (indent <= 3 && length >= 3).then_some((mark, length, indent, rest))
}

/// `text` as a fenced block, in a fence that is longer than any in it.
pub fn fenced(info: &str, text: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat((longest + 1).max(3));
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    format!("{fence}{info}\n{text}{end}{fence}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_told_apart_from_what_is_around_them() {
        let text = "Here:\r\n\r\n```python  \r\nx = 1\r\n```\r\nAnd\n~~~\ny\n```\n~~~\n";
        let fenced = split(text);
        let [first, second] = &fenced.blocks[..] else {
            unreachable!("{fenced:?}")
        };
        assert_eq!((first.info.as_str(), first.text.as_str()), ("python", "x = 1\n"));
        assert_eq!((first.before.as_str(), first.closed), ("Here:", true));
        assert_eq!((second.info.as_str(), second.text.as_str()), ("", "y\n```\n"));
        assert_eq!(fenced.outside, ["Here:", "", "And"]);
    }

    #[test]
    fn a_block_ends_only_where_it_is_closed() {
        for (text, inside) in [
            ("```\na", "a\n"),
            ("````\na\n```", "a\n```\n"),
            ("```\na\n    ```", "a\n    ```\n"),
            ("```\na\n```x", "a\n```x\n"),
            ("```\na\n~~~", "a\n~~~\n"),
        ] {
            let fenced = split(text);
            assert_eq!(fenced.blocks.len(), 1, "{text}");
            assert_eq!(
                (fenced.blocks[0].text.as_str(), fenced.blocks[0].closed),
                (inside, false)
            );
        }
    }

    #[test]
    fn what_looks_like_a_fence_and_is_none() {
        for text in ["``x``", "```x``` is code", "    ```\n    x\n    ```", "a ```"] {
            assert!(split(text).blocks.is_empty(), "{text}");
        }
    }

    #[test]
    fn the_indentation_of_the_fence_is_not_content() {
        let fenced = split("1. x\n   ```py\n   if a:\n       b\n  c\n   ```");
        assert_eq!(fenced.blocks[0].text, "if a:\n    b\nc\n");
    }

    #[test]
    fn what_is_fenced_is_found_again() {
        for text in ["x\n", "", "```\nx\n```\n", "a ```` b\n"] {
            let found = split(&fenced("python", text));
            assert_eq!(found.blocks.len(), 1);
            assert_eq!(found.blocks[0].text, text);
            assert!(found.blocks[0].closed && found.outside.is_empty());
        }
    }
}
