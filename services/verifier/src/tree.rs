//! The interpreter's own syntax tree, for files that it accepts and our parser cannot read.

use crate::toolbox::{Asked, Bench, ToolError};
use interlock_sandbox::{End, Limits, Profile, Sandbox};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// File name of the program that writes the tree.
pub const TOOL: &str = "tree.py";
/// Longest time for one file.
const WALL: Duration = Duration::from_secs(60);
/// Room for a tree: some 200 bytes for each byte of the file.
const TREE_BYTES: u64 = 100 << 20;

/// The tree as JSON; `None` where the interpreter refuses the file too, so that the syntax check has the word.
pub async fn of_file(
    bench: &Bench,
    sandbox: &Sandbox,
    text: &str,
    cancel: &CancellationToken,
) -> Result<Option<String>, ToolError> {
    let limits = Limits {
        wall: WALL,
        output_bytes: TREE_BYTES,
        output_total: TREE_BYTES,
        ..Limits::default()
    };
    let asked = Asked {
        tool: TOOL,
        args: Vec::new(),
        stdin: Some(text.as_bytes().to_vec()),
        limits,
        profile: Profile::Strict,
    };
    let seen = bench.run(sandbox, asked, cancel).await?;
    Ok((seen.end == End::Exited(0)).then(|| seen.stdout.to_text().to_string()))
}
