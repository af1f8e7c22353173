//! Follows a run until it has ended or waits for a human, through restarts of the gateway.

use crate::client::{ClientError, Gateway};
use crate::error::CliError;
use crate::view::{Run, gate};
use std::time::{Duration, Instant};

/// How long a gateway may be away before that is an error; one that died is back within seconds.
const AWAY: Duration = Duration::from_secs(60);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(200);

/// Shows every view through `show` and answers the last one.
///
/// # Errors
/// The gateway refuses, or stays away for too long.
pub async fn follow(gateway: &Gateway, run: &str, mut show: impl FnMut(&Run)) -> Result<Run, CliError> {
    let mut heard = Instant::now();
    loop {
        match stream(gateway, run, &mut show, &mut heard).await {
            Ok(Some(last)) => return Ok(last),
            Ok(None) => {}
            Err(error) if error.is_passing() && heard.elapsed() < AWAY => {}
            Err(error) => return Err(error.into()),
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// One stream of views; `None` when it ended before the run did.
async fn stream(
    gateway: &Gateway,
    run: &str,
    show: &mut impl FnMut(&Run),
    heard: &mut Instant,
) -> Result<Option<Run>, ClientError> {
    let mut views = gateway.watch(run).await?;
    while let Some(view) = views.next().await? {
        *heard = Instant::now();
        let seen = Run::new(view);
        show(&seen);
        if seen.ended() || gate::is_open(&seen) {
            return Ok(Some(seen));
        }
    }
    Ok(None)
}
