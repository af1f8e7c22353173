//! The scripted model as a server of the test's own, so that its counts can be read after a run.

use crate::{binaries, tasks};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A running scripted model; ended when dropped.
pub struct Model {
    child: Child,
    url: String,
}

impl Model {
    /// Serves the answers of an example task.
    pub fn of_task(task: &str) -> std::io::Result<Self> {
        Self::of_answers(&tasks().join(task).join("answers"))
    }

    /// Serves the answers in a folder.
    pub fn of_answers(answers: &Path) -> std::io::Result<Self> {
        let mut child = Command::new(binaries().join("interlock-scripted-model"))
            .arg("--answers")
            .arg(answers)
            .arg("--die-with-parent")
            .stdout(Stdio::piped())
            .stdin(Stdio::null())
            .spawn()?;
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut line)?;
        }
        Ok(Self {
            child,
            url: line.trim().to_owned(),
        })
    }

    /// Its base URL.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What it counted, by `started`, `completed` and `abandoned`.
    pub fn stats(&self) -> std::io::Result<Value> {
        let address = self.url.trim_start_matches("http://").trim_end_matches("/v1");
        let mut stream = TcpStream::connect(address)?;
        write!(stream, "GET /stats HTTP/1.0\r\nHost: {address}\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let body = answer.split_once("\r\n\r\n").map(|(_, body)| body).unwrap_or_default();
        Ok(serde_json::from_str(body)?)
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // Already gone is as good as ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
