//! A stack that `interlock up` started, and its gateway as a client sees it.

use crate::{Ended, Home, files_below};
use std::path::{Path, PathBuf};

/// Ends the stack when dropped, whatever the test does.
pub struct Up<'a> {
    home: &'a Home,
}

impl<'a> Up<'a> {
    /// Starts a stack with these scripted answers.
    ///
    /// # Panics
    /// It does not start.
    pub fn start(home: &'a Home, answers: &Path) -> Self {
        Self::start_with(home, answers, &[])
    }

    /// The same, with further words for `interlock up`.
    ///
    /// # Panics
    /// It does not start.
    pub fn start_with(home: &'a Home, answers: &Path, words: &[&str]) -> Self {
        let answers = answers.to_string_lossy();
        let up = home.interlock(&[&["up", "--answers", &*answers], words].concat());
        let up = up.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(up.code, Some(0), "{}{}", up.stdout, up.stderr);
        Self { home }
    }

    /// The gateway's address.
    pub fn address(&self) -> String {
        self.notice("address")
    }

    /// The broker's address.
    pub fn broker(&self) -> String {
        self.notice("broker")
    }

    fn notice(&self, field: &str) -> String {
        let notice = std::fs::read(self.state("stack.json")).unwrap_or_default();
        let notice: serde_json::Value = serde_json::from_slice(&notice).unwrap_or_default();
        let value = notice.get(field).and_then(serde_json::Value::as_str);
        value.unwrap_or_default().to_owned()
    }

    /// The gateway's token.
    pub fn token(&self) -> String {
        std::fs::read_to_string(self.state("token"))
            .unwrap_or_default()
            .trim()
            .to_owned()
    }

    /// Stops it.
    pub fn down(self) -> std::io::Result<Ended> {
        self.home.interlock(&["down"])
    }

    fn state(&self, name: &str) -> PathBuf {
        self.home.path().join("home").join(name)
    }
}

impl Drop for Up<'_> {
    fn drop(&mut self) {
        // Without a stack there is nothing to stop.
        let _ = self.home.interlock(&["down"]);
    }
}

/// Copies a folder.
pub fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    for file in files_below(from)? {
        let target = to.join(file.strip_prefix(from).unwrap_or(&file));
        if let Some(folder) = target.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::copy(&file, &target)?;
    }
    Ok(())
}
