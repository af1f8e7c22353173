//! What running programs are doing, as their executors tell it. Lost when the gateway is restarted, and no loss: nothing
//! is decided by it. Unknown whether a program lives is an answer of its own.

use futures::StreamExt as _;
use interlock_domain::{RunId, Stage};
use interlock_proto::v1::{Chunk, Live, LiveView, Liveness};
use interlock_stage::Bus;
use std::collections::{BTreeMap, VecDeque};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// So many periods without a message, and nobody knows.
const PATIENCE: u32 = 3;
/// Kept of each stream, from its end, in bytes.
const KEPT: usize = 256 << 10;
/// After so long a silence what was heard is forgotten.
const FORGOTTEN: Duration = Duration::from_secs(600);
/// Pause before the broker is asked again.
const AGAIN: Duration = Duration::from_secs(1);

/// What was heard of every running program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lives(Arc<Mutex<BTreeMap<RunId, Heard>>>);

/// What was heard of one.
#[derive(Debug)]
struct Heard {
    /// The last message, without its output.
    last: Live,
    at: Instant,
    stdout: Recent,
    stderr: Recent,
}

/// The end of a stream.
#[derive(Debug, Default)]
struct Recent {
    /// Of the first byte that is kept.
    offset: u64,
    bytes: VecDeque<u8>,
}

/// How far somebody has been told, by attempt and stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Told {
    attempt: u32,
    number: u64,
    stdout: u64,
    stderr: u64,
    liveness: i32,
}

impl Lives {
    /// Listens until the gateway ends.
    pub(crate) async fn listen(self, bus: Bus, ending: CancellationToken) {
        while !ending.is_cancelled() {
            match bus.hear(Stage::Executor).await {
                Ok(heard) => {
                    let mut heard = pin!(heard);
                    loop {
                        tokio::select! {
                            message = heard.next() => match message {
                                Some((run, live)) => self.take(run, live, Instant::now()),
                                None => break,
                            },
                            () = ending.cancelled() => return,
                        }
                    }
                }
                Err(error) => tracing::debug!(%error, "running programs cannot be heard"),
            }
            tokio::select! {
                () = tokio::time::sleep(AGAIN) => {}
                () = ending.cancelled() => {}
            }
        }
    }

    /// Takes in one message.
    fn take(&self, run: RunId, mut live: Live, now: Instant) {
        let mut lives = self.lock();
        lives.retain(|_, heard| now.duration_since(heard.at) < FORGOTTEN);
        let (stdout, stderr) = (live.stdout.take(), live.stderr.take());
        let known = lives.remove(&run);
        let mut heard = match known {
            // An executor that was thought dead and is not: its program is not the one that counts.
            Some(known) if known.last.attempt > live.attempt => known,
            Some(known) if known.last.attempt == live.attempt => Heard {
                last: live,
                at: now,
                ..known
            },
            Some(_) | None => Heard {
                last: live,
                at: now,
                stdout: Recent::default(),
                stderr: Recent::default(),
            },
        };
        if heard.at == now {
            heard.stdout.push(stdout);
            heard.stderr.push(stderr);
        }
        lives.insert(run, heard);
    }

    /// How a run's program is, without its output. `None`: nothing was heard of it.
    pub(crate) fn view(&self, run: RunId) -> Option<LiveView> {
        self.lock().get(&run).map(|heard| heard.view(Instant::now()))
    }

    /// What there is to tell beyond `told`, which is moved on; `None` where nothing is new.
    pub(crate) fn news(&self, run: RunId, told: &mut Told) -> Option<LiveView> {
        let lives = self.lock();
        let heard = lives.get(&run)?;
        let mut view = heard.view(Instant::now());
        if told.attempt != heard.last.attempt {
            *told = Told {
                attempt: heard.last.attempt,
                ..Told::default()
            };
        }
        let before = *told;
        told.number = heard.last.number;
        told.liveness = view.liveness;
        if let Some(live) = &mut view.live {
            live.stdout = heard.stdout.since(&mut told.stdout);
            live.stderr = heard.stderr.since(&mut told.stderr);
        }
        (before != *told).then_some(view)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<RunId, Heard>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Heard {
    fn view(&self, now: Instant) -> LiveView {
        let silent = now.duration_since(self.at);
        let patience = Duration::from_millis(u64::from(self.last.period_ms)) * PATIENCE;
        let liveness = match (self.last.ended, silent <= patience) {
            (true, _) => Liveness::Dead,
            (false, true) => Liveness::Alive,
            (false, false) => Liveness::Unknown,
        };
        LiveView {
            live: Some(self.last.clone()),
            liveness: liveness.into(),
            silent_ms: u64::try_from(silent.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

impl Recent {
    fn push(&mut self, chunk: Option<Chunk>) {
        let Some(chunk) = chunk else {
            return;
        };
        if chunk.offset != self.offset + self.bytes.len() as u64 {
            self.bytes.clear();
            self.offset = chunk.offset;
        }
        self.bytes.extend(chunk.data);
        let excess = self.bytes.len().saturating_sub(KEPT);
        self.bytes.drain(..excess);
        self.offset += excess as u64;
    }

    fn since(&self, told: &mut u64) -> Option<Chunk> {
        let end = self.offset + self.bytes.len() as u64;
        let offset = self.offset.max(*told);
        if offset >= end {
            return None;
        }
        *told = end;
        let skip = usize::try_from(offset - self.offset).unwrap_or(usize::MAX);
        let data = self.bytes.iter().skip(skip).copied().collect();
        Some(Chunk { offset, data })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests {
    use super::*;

    fn run() -> RunId {
        RunId::from_parts(1_700_000_000_000, 1)
    }

    fn live(attempt: u32, number: u64, stdout: Option<(u64, &[u8])>) -> Live {
        Live {
            run_id: run().to_string(),
            attempt,
            number,
            period_ms: 1000,
            stdout: stdout.map(|(offset, data)| Chunk {
                offset,
                data: data.to_vec(),
            }),
            ..Live::default()
        }
    }

    fn liveness(lives: &Lives, after: Duration) -> Liveness {
        let lock = lives.lock();
        let heard = &lock[&run()];
        heard.view(heard.at + after).liveness()
    }

    #[test]
    fn a_program_is_alive_dead_or_unknown() {
        let lives = Lives::default();
        assert_eq!(lives.view(run()), None, "nothing was heard");
        lives.take(run(), live(1, 1, None), Instant::now());
        assert_eq!(liveness(&lives, Duration::from_secs(3)), Liveness::Alive);
        assert_eq!(liveness(&lives, Duration::from_secs(4)), Liveness::Unknown);
        let ended = Live {
            ended: true,
            ..live(1, 2, None)
        };
        lives.take(run(), ended, Instant::now());
        assert_eq!(liveness(&lives, Duration::from_secs(60)), Liveness::Dead);
    }

    #[test]
    fn output_is_told_once_and_gaps_show_in_offsets() {
        let lives = Lives::default();
        let mut told = Told::default();
        let mut next = |lives: &Lives| {
            let view = lives.news(run(), &mut told)?;
            Some(view.live.unwrap().stdout.map(|chunk| (chunk.offset, chunk.data)))
        };
        assert_eq!(next(&lives), None);
        lives.take(run(), live(1, 1, Some((0, b"abc"))), Instant::now());
        lives.take(run(), live(1, 2, Some((3, b"def"))), Instant::now());
        assert_eq!(next(&lives), Some(Some((0, b"abcdef".to_vec()))));
        assert_eq!(next(&lives), None, "it was told");
        lives.take(run(), live(1, 3, None), Instant::now());
        assert_eq!(next(&lives), Some(None), "a sign of life without output");
        lives.take(run(), live(1, 4, Some((100, b"xyz"))), Instant::now());
        assert_eq!(next(&lives), Some(Some((100, b"xyz".to_vec()))));
        let long = vec![b'l'; KEPT + 7];
        lives.take(run(), live(1, 5, Some((103, &long))), Instant::now());
        let (offset, data) = next(&lives).unwrap().unwrap();
        assert_eq!((offset, data.len()), (110, KEPT));
    }

    #[test]
    fn a_new_attempt_begins_anew_and_an_old_one_is_not_heard() {
        let lives = Lives::default();
        let mut told = Told::default();
        lives.take(run(), live(1, 9, Some((0, b"first"))), Instant::now());
        lives.news(run(), &mut told).unwrap();
        lives.take(run(), live(2, 1, Some((0, b"second"))), Instant::now());
        lives.take(
            run(),
            live(1, 10, Some((5, b" and more"))),
            Instant::now() + Duration::from_millis(1),
        );
        let view = lives.news(run(), &mut told).unwrap().live.unwrap();
        assert_eq!((view.attempt, view.stdout.unwrap().data), (2, b"second".to_vec()));
    }

    #[test]
    fn what_fell_silent_long_ago_is_forgotten() {
        let lives = Lives::default();
        let now = Instant::now();
        lives.take(run(), live(1, 1, None), now);
        let other = RunId::from_parts(1_700_000_000_000, 2);
        lives.take(other, live(1, 1, None), now + FORGOTTEN);
        assert_eq!(lives.lock().keys().copied().collect::<Vec<_>>(), [other]);
    }
}
