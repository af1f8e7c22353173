//! `interlock logs --follow`: what the program writes while it writes it, and at its end what was not seen of it.

use super::logs::{artifacts, kept};
use crate::args::Stream;
use crate::client::{ClientError, Gateway};
use crate::console::Console;
use crate::error::CliError;
use crate::view::Run;
use interlock_proto::v1::{Chunk, Live};
use std::time::{Duration, Instant};

/// How long a gateway may be away before that is an error.
const AWAY: Duration = Duration::from_secs(60);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(200);

/// What was printed so far, by stream.
#[derive(Default)]
struct Printed {
    attempt: u32,
    stdout: u64,
    stderr: u64,
}

impl Printed {
    fn of(&mut self, stream: Stream) -> &mut u64 {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }
}

/// Prints the streams as they grow, until the program's end is on record.
pub(super) async fn follow(gateway: &Gateway, id: &str, streams: &[Stream], console: &Console) -> Result<(), CliError> {
    let mut printed = Printed::default();
    let mut heard = Instant::now();
    loop {
        match listen(gateway, id, streams, console, &mut printed, &mut heard).await {
            Ok(()) => break,
            Err(error) if error.is_passing() && heard.elapsed() < AWAY => {}
            Err(error) => return Err(error.into()),
        }
        tokio::time::sleep(PAUSE).await;
    }
    let run = Run::new(gateway.show(id).await?);
    let Some(artifacts) = artifacts(&run) else {
        console.note("the run has ended, and its program was never started");
        return Ok(());
    };
    // The whole streams are stored now. What came before this command, or too fast, is printed from there.
    for stream in streams {
        let whole = kept(gateway, id, &artifacts, *stream).await?;
        let from = usize::try_from(*printed.of(*stream)).unwrap_or(usize::MAX);
        console.bytes(whole.get(from..).unwrap_or_default());
    }
    Ok(())
}

async fn listen(
    gateway: &Gateway,
    id: &str,
    streams: &[Stream],
    console: &Console,
    printed: &mut Printed,
    heard: &mut Instant,
) -> Result<(), ClientError> {
    let mut news = gateway.follow(id).await?;
    while let Some(view) = news.next().await? {
        *heard = Instant::now();
        if let Some(live) = view.live {
            print(live, streams, console, printed);
        }
    }
    Ok(())
}

fn print(mut live: Live, streams: &[Stream], console: &Console, printed: &mut Printed) {
    if printed.attempt != live.attempt {
        if printed.attempt > 0 {
            console.note(&format!("the program is started again (execution {})", live.attempt));
        }
        *printed = Printed {
            attempt: live.attempt,
            ..Printed::default()
        };
    }
    for stream in streams {
        let chunk = match stream {
            Stream::Stdout => live.stdout.take(),
            Stream::Stderr => live.stderr.take(),
        };
        if let Some(chunk) = chunk {
            print_chunk(&chunk, *stream, console, printed.of(*stream));
        }
    }
}

fn print_chunk(chunk: &Chunk, stream: Stream, console: &Console, printed: &mut u64) {
    let missing = chunk.offset.saturating_sub(*printed);
    if missing > 0 {
        console.note(&format!(
            "{missing} bytes of {} are not shown here; `interlock logs` has them when the program has ended",
            stream.name()
        ));
    }
    // After the gateway was away it tells again what it kept.
    let known = usize::try_from(printed.saturating_sub(chunk.offset)).unwrap_or(usize::MAX);
    console.bytes(chunk.data.get(known..).unwrap_or_default());
    *printed = (*printed).max(chunk.offset + chunk.data.len() as u64);
}
