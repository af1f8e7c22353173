//! What is kept of an execution: the files that the program wrote, under names that can be files again.

use crate::folders::Folders;
use crate::recorded::Artifact;
use interlock_domain::WorkspacePath;
use interlock_domain::blob::NamedBlob;
use interlock_sandbox::{EntryKind, Listing, ResultError, ResultFolder};
use interlock_stage::{Bus, BusError};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Most files that are kept of what a program wrote.
const MAX_FILES: usize = 256;
/// Deepest folder that is looked into.
const MAX_DEPTH: usize = 8;
/// Largest file that is kept, in bytes.
const MAX_FILE_BYTES: u64 = 32 << 20;
/// Most bytes that are kept of all files together.
const MAX_TOTAL_BYTES: u64 = 128 << 20;

/// The result's name, in the export and for nobody else.
pub const RESULT: &str = "result.json";

/// Stores the files that the program wrote, first `evidence`: what the judgement rests on is kept, however many others
/// there are. What cannot be taken is named in the second list.
pub async fn store_files(
    bus: &Bus,
    folders: &Folders,
    evidence: &[PathBuf],
) -> Result<(Vec<NamedBlob>, Vec<String>), BusError> {
    let (mut kept, mut left) = (Vec::new(), Vec::new());
    let Ok(out) = ResultFolder::open(&folders.out()) else {
        return Ok((kept, vec!["the output folder cannot be opened".to_owned()]));
    };
    let listing = match out.list(MAX_FILES, MAX_DEPTH) {
        Ok(listing) => listing,
        Err(why) => return Ok((kept, vec![why.to_string()])),
    };
    let files = in_order(&listing, evidence);
    let mut taken: BTreeSet<String> = files
        .iter()
        .filter_map(|path| path.to_str().map(str::to_owned))
        .collect();
    let mut total = 0;
    for path in files {
        if path == Path::new(RESULT) {
            left.push(format!("{RESULT}: only the harness writes a file of that name"));
            continue;
        }
        let Some(name) = exportable(&path, &taken) else {
            left.push(format!(
                "{path:?}: its name does not work on every system; use letters, digits, '.', '_' and '-'"
            ));
            continue;
        };
        match out.read(&path, MAX_FILE_BYTES) {
            Ok(bytes) if total + bytes.len() as u64 <= MAX_TOTAL_BYTES => {
                total += bytes.len() as u64;
                if path.as_os_str() != name.as_str() {
                    left.push(format!("{path:?}: kept, but under the name {name:?}"));
                }
                kept.push(NamedBlob {
                    name: format!("out/{name}"),
                    blob: bus.put_blob(&bytes).await?,
                });
                taken.insert(name);
            }
            Ok(_) => left.push(format!("{name}: over the total of {MAX_TOTAL_BYTES} bytes")),
            // A task may score, and a program may have recorded nothing: no file of the program's is missing.
            Err(ResultError::Missing { .. }) => {}
            Err(why) => left.push(format!("{name}: {why}")),
        }
    }
    if listing.truncated {
        left.push(format!(
            "more than {MAX_FILES} files, or deeper than {MAX_DEPTH} folders"
        ));
    }
    Ok((kept, left))
}

/// Files that are not what they were when the program named them.
pub fn changed(named: &[Artifact], kept: &[NamedBlob]) -> Vec<String> {
    let files = named.iter().filter_map(|artifact| {
        let file = kept.iter().find(|file| is_named(file, artifact))?;
        let (then, now) = (artifact.bytes, file.blob.size);
        let path = &artifact.path;
        (then != now).then(|| format!("{path}: it had {then} bytes when it was recorded; {now} are kept"))
    });
    files.collect()
}

/// Whether it is the file that the program named.
pub fn is_named(file: &NamedBlob, artifact: &Artifact) -> bool {
    file.name.strip_prefix("out/") == Some(&artifact.path)
}

/// The evidence, and then what was listed besides it by name: which files are kept must not be the file system's choice.
fn in_order(listing: &Listing, evidence: &[PathBuf]) -> Vec<PathBuf> {
    let files = listing.entries.iter().filter(|entry| entry.kind != EntryKind::Folder);
    let mut others: Vec<PathBuf> = files.map(|entry| entry.path.clone()).collect();
    others.retain(|path| !evidence.contains(path));
    others.sort();
    let room = MAX_FILES.saturating_sub(evidence.len());
    evidence.iter().cloned().chain(others.into_iter().take(room)).collect()
}

/// The name under which a file is kept: its own, where an export can give it to a file again; otherwise with `_` for what
/// cannot be. An artifact of any other name would make the whole run impossible to export. `None`: there is no such name,
/// or it is another file's.
fn exportable(path: &Path, taken: &BTreeSet<String>) -> Option<String> {
    let own = path.to_string_lossy();
    if own.as_ref() == path.as_os_str() && fits(&own) {
        return Some(own.into_owned());
    }
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@".contains(c);
    let name: String = own.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    (fits(&name) && !taken.contains(&name)).then_some(name)
}

fn fits(name: &str) -> bool {
    format!("out/{name}").parse::<WorkspacePath>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    #[test]
    fn every_file_has_a_name_that_an_export_can_write() {
        let cases: [(&[u8], Option<&str>); 10] = [
            (b"model/weights.bin", Some("model/weights.bin")),
            (b"confusion matrix (test).png", Some("confusion_matrix__test_.png")),
            (b"new\nline", Some("new_line")),
            (b"\xff\xfe", Some("__")),
            (b"\x1b[2J", Some("__2J")),
            (b"a b", None),
            (b"-rf", None),
            (b"con", None),
            (b"__pycache__/x", None),
            (&[b'n'; 255], None),
        ];
        let taken = BTreeSet::from(["a_b".to_owned()]);
        for (name, expected) in cases {
            let path = Path::new(OsStr::from_bytes(name));
            assert_eq!(exportable(path, &taken).as_deref(), expected, "{path:?}");
        }
    }
}
