//! Python files as text, in whatever encoding they declare (PEP 263). The interpreter's own reading decides; here it is only
//! decided which files need it.

use super::AloneError;
use super::folder::Folder;
use crate::toolbox::ToolError;
use interlock_domain::{Finding, Location, WorkspacePath};
use interlock_sandbox::{Arg, Command, End, Environment, Limits, PYTHON_INSIDE, Profile, Sandbox, python_mounts};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use tokio_util::sync::CancellationToken;

const DECODE: &str = include_str!("../../python/decode.py");
/// Room for the texts.
const TEXT_BYTES: u64 = 100 << 20;

/// What was not UTF-8 as it stood.
#[derive(Debug, Default)]
pub(super) struct Decoded {
    /// Its text, with the encoding that it has from now on declared.
    pub(super) changed: BTreeMap<WorkspacePath, String>,
    /// What the interpreter would refuse, in paths of the workspace.
    pub(super) findings: Vec<Finding>,
}

#[derive(Serialize)]
struct Request<'a> {
    files: Vec<RequestFile<'a>>,
}

#[derive(Serialize)]
struct RequestFile<'a> {
    path: &'a str,
    /// Each byte as the character of its number.
    bytes: String,
}

#[derive(Deserialize)]
struct Answer {
    text: String,
    why: Option<String>,
    line: Option<u32>,
}

/// Has the interpreter read the files of a folder that are not plainly UTF-8.
pub(super) async fn decode(
    folder: &Folder,
    sandbox: &Sandbox,
    environment: &Environment,
    cancel: &CancellationToken,
) -> Result<Decoded, AloneError> {
    let strange: Vec<(&WorkspacePath, &[u8])> = folder
        .python()
        .map(|(path, content)| (path, content.as_ref()))
        .filter(|(_, bytes)| needs_reading(bytes))
        .collect();
    if strange.is_empty() {
        return Ok(Decoded::default());
    }
    let failed = |why: String| AloneError::Tool(ToolError::Answer { tool: "decode.py", why });
    let files = strange.iter().map(|(path, bytes)| RequestFile {
        path: path.as_str(),
        bytes: bytes.iter().map(|byte| char::from(*byte)).collect(),
    });
    let request = Request { files: files.collect() };
    let command = Command {
        program: Arg::inside(PYTHON_INSIDE),
        args: ["-I", "-B", "-c", DECODE].map(Arg::text).to_vec(),
        env: BTreeMap::new(),
        cwd: "/".to_owned(),
        mounts: python_mounts(&environment.path).map_err(ToolError::Python)?,
        profile: Profile::Strict,
        limits: Limits {
            output_bytes: TEXT_BYTES,
            ..Limits::default()
        },
        stdin: Some(serde_json::to_vec(&request).map_err(|error| failed(error.to_string()))?),
    };
    let seen = sandbox.run(command, cancel.clone()).await?;
    if seen.end != End::Exited(0) {
        return Err(failed(format!("{:?}: {}", seen.end, seen.stderr.to_text())));
    }
    let answers: Result<BTreeMap<String, Answer>, _> = serde_json::from_str(&seen.stdout.to_text());
    let mut answers = answers.map_err(|error| failed(error.to_string()))?;
    let mut decoded = Decoded::default();
    for (path, _) in strange {
        let answer = answers
            .remove(path.as_str())
            .ok_or_else(|| failed(format!("it says nothing of {path}")))?;
        if let Some(why) = answer.why {
            let at = Location {
                line: answer.line.unwrap_or(0),
                ..Location::file(path.as_str())
            };
            decoded.findings.push(Finding::new(crate::syntax::CHECK, at, why));
        }
        decoded.changed.insert(path.clone(), answer.text);
    }
    Ok(decoded)
}

/// Whether a file is not UTF-8, or may declare to be something else in its first two lines.
fn needs_reading(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return true;
    };
    let mut head = text.lines().take(2).filter(|line| line.trim_start().starts_with('#'));
    head.any(|line| {
        let line = line.to_ascii_lowercase();
        line.contains("coding") && !line.contains("utf-8") && !line.contains("utf8")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_not_plainly_utf_8_is_asked_about() {
        for plain in [
            "x = 'é'\n",
            "# -*- coding: utf-8 -*-\n",
            "#\n#\n# coding: latin-1\n",
            "coding = 'latin-1'\n",
            "",
        ] {
            assert!(!needs_reading(plain.as_bytes()), "{plain}");
        }
        assert!(needs_reading(b"x = '\xe9'\n"));
        assert!(needs_reading(b"#!/usr/bin/python\n# vim: set fileencoding=koi8-r :\n"));
    }
}
