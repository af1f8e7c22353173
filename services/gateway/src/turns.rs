//! Whose turn it is: at most one act at a time per run in this process.
//!
//! Spares callers a lost race. Who wins is still decided by the stream alone: other gateways take
//! turns of their own.

use interlock_domain::RunId;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

/// The runs at which somebody is acting or waiting to.
#[derive(Debug, Default)]
pub(crate) struct Turns {
    busy: Mutex<BTreeMap<RunId, Weak<AsyncMutex<()>>>>,
}

/// A turn, until it is dropped.
pub(crate) type Turn = OwnedMutexGuard<()>;

impl Turns {
    /// Waits for the turn at `run`.
    pub(crate) async fn at(&self, run: RunId) -> Turn {
        self.lock_of(run).lock_owned().await
    }

    fn lock_of(&self, run: RunId) -> Arc<AsyncMutex<()>> {
        let mut busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lock) = busy.get(&run).and_then(Weak::upgrade) {
            return lock;
        }
        busy.retain(|_, lock| lock.strong_count() > 0);
        let lock = Arc::new(AsyncMutex::new(()));
        busy.insert(run, Arc::downgrade(&lock));
        lock
    }
}

#[cfg(test)]
mod tests {
    use super::Turns;
    use futures::FutureExt as _;
    use interlock_domain::RunId;

    #[tokio::test]
    async fn one_at_a_time_per_run_and_nothing_is_kept() {
        let turns = Turns::default();
        let (one, other) = (RunId::from_parts(1, 1), RunId::from_parts(2, 2));
        let first = turns.at(one).await;
        assert!(turns.at(one).now_or_never().is_none(), "it is taken");
        assert!(turns.at(other).now_or_never().is_some(), "another run is free");
        drop(first);
        assert!(turns.at(one).now_or_never().is_some());
        let _last = turns.at(other).await;
        assert_eq!(turns.busy.lock().unwrap().len(), 1);
    }
}
