//! Reads a lock file just far enough to know that every package is pinned and hashed, and that nothing in it redirects
//! the installer. Resolves nothing.

use super::error::EnvironmentError;

/// How many packages the lock file names.
pub(super) fn check(lock: &[u8]) -> Result<usize, EnvironmentError> {
    let text = std::str::from_utf8(lock).map_err(|_| EnvironmentError::BadLock {
        line: 1,
        reason: "not UTF-8".to_owned(),
    })?;
    let entries = entries(text);
    for (line, entry) in &entries {
        let line = *line;
        if let Some(reason) = wrong(entry) {
            return Err(EnvironmentError::BadLock { line, reason });
        }
    }
    Ok(entries.len())
}

/// Logical lines with the number of their first physical one: continued lines joined, comments and blanks left out.
fn entries(text: &str) -> Vec<(usize, String)> {
    let mut entries = Vec::new();
    let mut open: Option<(usize, String)> = None;
    for (index, line) in text.lines().enumerate() {
        let line = match line.find('#') {
            // As pip reads it: a comment starts at the line's beginning or after a blank.
            Some(at)
                if line
                    .get(..at)
                    .is_some_and(|before| before.is_empty() || before.ends_with([' ', '\t'])) =>
            {
                line.get(..at).unwrap_or_default()
            }
            _ => line,
        };
        let trimmed = line.trim_end();
        let (part, continued) = trimmed.strip_suffix('\\').map_or((trimmed, false), |part| (part, true));
        let (_, entry) = open.get_or_insert_with(|| (index + 1, String::new()));
        entry.push_str(part);
        entry.push(' ');
        if !continued {
            entries.extend(open.take());
        }
    }
    entries.extend(open);
    entries.retain(|(_, entry)| !entry.trim().is_empty());
    entries
}

fn wrong(entry: &str) -> Option<String> {
    let mut words = entry.split_ascii_whitespace();
    let first = words.next().unwrap_or_default();
    if first.starts_with('-') {
        return Some(format!("options are not taken from a lock file: {first}"));
    }
    if let Some(option) = words.find(|word| word.starts_with('-') && !word.starts_with("--hash=")) {
        return Some(format!("options are not taken from a lock file: {option}"));
    }
    if entry.contains(" @ ") || entry.contains("://") {
        return Some(format!("{first} comes from an address of its own"));
    }
    if !first.contains("==") && !entry.contains(" == ") {
        return Some(format!("{first} is not pinned with =="));
    }
    if !entry.contains("--hash=sha256:") {
        return Some(format!("{first} has no --hash=sha256"));
    }
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    /// Each file in `tests/locks/accept` and `tests/locks/reject` is a case; a rejected one is named for the line.
    #[test]
    fn cases() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/locks");
        let read = |kind: &str| -> Vec<_> {
            let files = fs::read_dir(folder.join(kind))
                .unwrap()
                .map(|file| file.unwrap().path());
            files.map(|path| (path.clone(), fs::read(&path).unwrap())).collect()
        };
        for (path, lock) in read("accept") {
            check(&lock).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
        for (path, lock) in read("reject") {
            let wanted: usize = path
                .file_stem()
                .unwrap()
                .to_str()
                .unwrap()
                .rsplit('.')
                .next()
                .unwrap()
                .parse()
                .unwrap();
            match check(&lock) {
                Err(EnvironmentError::BadLock { line, .. }) => assert_eq!(line, wanted, "{}", path.display()),
                other => panic!("{}: {other:?}", path.display()),
            }
        }
    }
}
