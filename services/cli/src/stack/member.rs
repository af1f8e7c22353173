//! One process of a stack, and the decision what happens when it ends although it should not.

use super::process::{self, Program, Running};
use crate::notice;
use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

/// Deaths within [`WINDOW`] after which starting again is given up: the cause will not go away by itself.
const GIVE_UP: usize = 5;
const WINDOW: Duration = Duration::from_secs(10);
/// Doubled with each recent death, so never more than 800 ms before it is given up.
const FIRST_WAIT: Duration = Duration::from_millis(100);

/// Remembers when a process died.
#[derive(Debug, Default)]
pub(super) struct Deaths {
    recent: VecDeque<Instant>,
    total: u32,
}

impl Deaths {
    /// Counts one; answers how long to wait before the next start, or `None` when there should be none.
    pub(super) fn count(&mut self, now: Instant) -> Option<Duration> {
        self.total += 1;
        self.recent.push_back(now);
        while self
            .recent
            .front()
            .is_some_and(|first| now.duration_since(*first) > WINDOW)
        {
            self.recent.pop_front();
        }
        if self.recent.len() >= GIVE_UP {
            return None;
        }
        let wait = (1..self.recent.len()).fold(FIRST_WAIT, |wait, _| wait * 2);
        Some(wait)
    }
}

/// A process that is to run as long as the stack does.
#[derive(Debug)]
pub struct Member {
    /// What it is.
    pub program: Program,
    running: Option<Running>,
    deaths: Deaths,
    due: Option<Instant>,
}

/// What a look at a member showed.
#[derive(Debug, PartialEq, Eq)]
pub enum Seen {
    /// Nothing new.
    Same,
    /// It had ended, how, and will be started again.
    Died(String),
    /// It runs again.
    Again,
    /// It ends again and again: how, and its last words.
    Hopeless(String, String),
}

impl Member {
    /// Starts it.
    pub fn start(program: Program) -> io::Result<Self> {
        let running = process::start(&program)?;
        Ok(Self {
            program,
            running: Some(running),
            deaths: Deaths::default(),
            due: None,
        })
    }

    /// Looks whether it still runs, and starts it again when its time has come.
    pub fn look(&mut self, now: Instant) -> io::Result<Seen> {
        if let Some(running) = &mut self.running {
            let Some(status) = running.ended()? else {
                return Ok(Seen::Same);
            };
            let how = process::describe(status);
            let seen = match self.deaths.count(now) {
                Some(wait) => {
                    self.due = Some(now + wait);
                    Seen::Died(how)
                }
                None => Seen::Hopeless(how, running.last_words()),
            };
            self.running = None;
            return Ok(seen);
        }
        if self.due.is_some_and(|due| now >= due) {
            self.due = None;
            self.running = Some(process::start(&self.program)?);
            return Ok(Seen::Again);
        }
        Ok(Seen::Same)
    }

    /// Its number, while it runs.
    pub fn pid(&self) -> Option<u32> {
        self.running.as_ref().map(Running::pid)
    }

    /// The process, while it runs.
    pub fn running(&mut self) -> Option<&mut Running> {
        self.running.as_mut()
    }

    /// What others may know of it.
    pub fn notice(&self) -> notice::Member {
        notice::Member {
            name: self.program.name.clone(),
            pid: self.pid(),
            restarts: self.deaths.total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_longer_each_time_then_gives_up() {
        let mut deaths = Deaths::default();
        let start = Instant::now();
        let waits: Vec<_> = (0..5)
            .map(|n| deaths.count(start + Duration::from_secs(n)).map(|w| w.as_millis()))
            .collect();
        assert_eq!(waits, [Some(100), Some(200), Some(400), Some(800), None]);
    }

    #[test]
    fn rare_deaths_are_forgiven_and_still_counted() {
        let mut deaths = Deaths::default();
        let start = Instant::now();
        for n in 0..20 {
            assert_eq!(deaths.count(start + Duration::from_secs(n * 11)), Some(FIRST_WAIT));
        }
        assert_eq!(deaths.total, 20);
    }
}
