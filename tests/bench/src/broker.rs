//! What one synced append costs on the broker that runs use: the floor under every record.

use crate::BenchError;
use bytes::Bytes;
use interlock_domain::{RunId, Stage};
use interlock_e2e::stack::Up;
use interlock_e2e::{Home, tasks};
use interlock_stage::config::Broker;
use interlock_stage::connect;
use std::time::{Duration, Instant};

/// Appends that are measured.
const APPENDS: u32 = 300;
/// Size of each, that of a usual record.
const BYTES: usize = 2048;

/// The median time of one append, one after the other, each synced to disk before it is acknowledged.
pub async fn synced_append(home: &Home) -> Result<Duration, BenchError> {
    let stack = Up::start(home, &tasks().join("tiny/answers"));
    let root = home.path().join("home");
    let broker = Broker {
        url: stack.broker(),
        seed_file: root.join("identities/planner.nk"),
        keyring_file: root.join("identities/keyring.toml"),
    };
    let service = connect(Stage::Planner, &broker).await?;
    // Model calls of a run that is nobody's: no stage is woken by them.
    let run = RunId::from_parts(1, 1);
    let mut times = Vec::new();
    for n in 0..APPENDS {
        let key = interlock_domain::Digest::of(&n.to_be_bytes());
        let started = Instant::now();
        service.bus.put_call(run, &key, Bytes::from(vec![b'x'; BYTES])).await?;
        times.push(started.elapsed());
    }
    times.sort_unstable();
    stack.down()?;
    Ok(times.get(times.len() / 2).copied().unwrap_or_default())
}
