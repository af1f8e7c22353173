//! From the interpreter's own tree, as `python/tree.py` writes it, to ours: the list of nodes, checked.
//! The text comes from a sandbox, so nothing in it is believed: indices, depth and reuse are all checked.

use super::interpreter_nodes::Builder;
use super::reader::on_big_stack;
use super::{MAX_DEPTH, Tree};
use crate::source::{Source, Span, Unreadable};
use serde::Deserialize;
use serde_json::{Map, Value};

/// The script that writes what [`crate::Workspace::with_interpreter_tree`] reads: run it with the interpreter that
/// will run the file, the file's bytes on its standard input.
pub const TREE_SCRIPT: &str = include_str!("../../python/tree.py");

/// Longest answer that is read, in bytes: about 200 for each byte of the longest file.
const MAX_JSON_BYTES: usize = 100 * 1024 * 1024;

#[derive(Deserialize)]
struct Answer {
    schema: u32,
    bytes: usize,
    nodes: Vec<Node>,
}

/// `[type, start, end, fields]`
#[derive(Debug, Deserialize)]
pub(super) struct Node(pub(super) String, u32, u32, pub(super) Map<String, Value>);

impl Node {
    pub(super) fn span(&self) -> Span {
        Span {
            start: self.1,
            end: self.2.max(self.1),
        }
    }
}

/// Reads the tree in `json`, which belongs to `text`, and hands it to `then`.
///
/// # Errors
/// The text breaks the policy of [`Source`], or `json` is no tree of it.
pub(crate) fn with_tree<T: Send>(
    text: &str,
    json: &str,
    then: impl FnOnce(&Tree, &Source<'_>) -> T + Send,
) -> Result<T, Unreadable> {
    let source = Source::new(text)?;
    let work = || read(&source, json).map(|tree| then(&tree, &source));
    on_big_stack(work)?
}

fn read(source: &Source<'_>, json: &str) -> Result<Tree, Unreadable> {
    if json.len() > MAX_JSON_BYTES {
        return Err(Unreadable::new("the interpreter's tree is too long"));
    }
    let answer: Answer = serde_json::from_str(json)
        .map_err(|error| Unreadable::new(format!("the interpreter's tree is malformed: {error}")))?;
    if answer.schema != 1 || answer.bytes != source.text().len() {
        return Err(Unreadable::new("the interpreter's tree belongs to another text"));
    }
    check_shape(&answer.nodes)?;
    Builder::new(&answer.nodes).tree()
}

/// Children stand before their parent, nothing has two parents, and nothing is too deep.
fn check_shape(nodes: &[Node]) -> Result<(), Unreadable> {
    let malformed = || Unreadable::new("the interpreter's tree is malformed");
    let mut depths: Vec<u32> = Vec::with_capacity(nodes.len());
    let mut has_parent = vec![false; nodes.len()];
    for node in nodes {
        let mut depth = 0;
        let fields = node.3.iter().filter(|(name, _)| !is_plain(node, name));
        for child in fields.flat_map(children) {
            let child = usize::try_from(child).map_err(|_| malformed())?;
            // Not there yet: this node itself, or one behind it.
            depth = depth.max(*depths.get(child).ok_or_else(malformed)?);
            let seen = has_parent.get_mut(child).ok_or_else(malformed)?;
            if std::mem::replace(seen, true) {
                return Err(malformed());
            }
        }
        if depth >= MAX_DEPTH {
            return Err(Unreadable::new(format!(
                "the code is nested more than {MAX_DEPTH} levels deep"
            )));
        }
        depths.push(depth + 1);
    }
    Ok(())
}

/// Fields whose numbers are no indices.
fn is_plain(node: &Node, field: &str) -> bool {
    node.0 == "Constant" || matches!(field, "level" | "conversion" | "simple" | "is_async")
}

fn children<'n>((_, value): (&'n String, &'n Value)) -> Vec<u64> {
    match value {
        Value::Array(items) => items.iter().filter_map(Value::as_u64).collect(),
        _ => value.as_u64().into_iter().collect(),
    }
}
