//! The only place that writes to the terminal: results to stdout, everything else to stderr.
//!
//! A reader that went away (`| head`) is no reason to fail, so write errors are ignored here and nowhere else.

use crate::view::text;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{self, IsTerminal as _, Write as _};
use std::time::Duration;

/// Where output goes, and how.
#[derive(Clone)]
pub struct Console {
    bar: Option<ProgressBar>,
    color: bool,
}

/// What a line is about, which decides its colour where there are colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Nothing special.
    Plain,
    /// As wished.
    Good,
    /// Worth a look.
    Warn,
    /// Not as wished.
    Bad,
}

impl Console {
    /// For this process's stdout and stderr.
    pub fn new() -> Self {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Self {
            bar: None,
            color: wanted && io::stdout().is_terminal(),
        }
    }

    /// The same with a live line at the bottom, if somebody is watching.
    pub fn live(&self) -> Self {
        if !(io::stdout().is_terminal() && io::stderr().is_terminal()) {
            return self.clone();
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} · {elapsed}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(120));
        Self {
            bar: Some(bar),
            color: self.color,
        }
    }

    /// A line of the result.
    pub fn line(&self, line: &str) {
        self.toned(Tone::Plain, line);
    }

    /// A line of the result with a colour where there are colours.
    pub fn toned(&self, tone: Tone, line: &str) {
        let code = match tone {
            Tone::Plain => None,
            Tone::Good => Some("32"),
            Tone::Warn => Some("33"),
            Tone::Bad => Some("31"),
        };
        self.aside(|| match code {
            Some(code) if self.color => {
                write_out(format!("\x1b[{code}m{line}\x1b[0m\n").as_bytes());
            }
            Some(_) | None => write_out(format!("{line}\n").as_bytes()),
        });
    }

    /// Bytes of the result as they are, or made harmless where a terminal would act on them.
    pub fn bytes(&self, bytes: &[u8]) {
        self.aside(|| {
            if io::stdout().is_terminal() {
                write_out(text::block(&String::from_utf8_lossy(bytes)).as_bytes());
            } else {
                write_out(bytes);
            }
        });
    }

    /// A remark that is no result.
    pub fn note(&self, note: &str) {
        self.aside(|| {
            let _ = writeln!(io::stderr(), "interlock: {note}");
        });
    }

    /// The live line; `anew` starts its clock again.
    pub fn status(&self, status: &str, anew: bool) {
        if let Some(bar) = &self.bar {
            if anew {
                bar.reset_elapsed();
            }
            bar.set_message(text::line(status));
        }
    }

    /// Runs something that uses the terminal by itself, such as a question.
    pub fn aside<T>(&self, f: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(f),
            None => f(),
        }
    }

    /// Ends the live line.
    pub fn settle(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Default for Console {
    fn default() -> Self {
        Self::new()
    }
}

fn write_out(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    let _ = out.write_all(bytes).and_then(|()| out.flush());
}
