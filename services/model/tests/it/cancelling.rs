//! Ends that do not come from the server: cancel, a dropped future, the time for the whole call.

use std::time::{Duration, Instant};

use interlock_model::{Client, ModelError};
use tokio_util::sync::CancellationToken;

use crate::scripts::{BOTH, Scripted, ask, prompt};

const STALLING: &str = "---\nstall: true\n---\nhalf and half";

/// Waits until the server has the request.
async fn asked(scripted: &Scripted) {
    while scripted.started() == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

#[tokio::test]
async fn cancel_drops_the_connection_in_the_middle() {
    for protocol in BOTH {
        let scripted = Scripted::new(STALLING).await;
        let client = Client::new(scripted.config(protocol)).unwrap();
        let (prompt, cancel) = (prompt(), CancellationToken::new());
        let (outcome, ()) = tokio::join!(async { client.complete(&prompt, &cancel).await }, async {
            asked(&scripted).await;
            cancel.cancel();
        });
        assert!(matches!(outcome, Err(ModelError::Cancelled)), "{outcome:?}");
        drop(client);
        scripted.abandoned(1).await;
        assert_eq!(scripted.started(), 1);
    }
}

#[tokio::test]
async fn cancel_ends_a_wait_between_attempts() {
    let scripted = Scripted::new("---\nstatus: 429\nretry_after: 5\n---\n").await;
    let client = Client::new(scripted.config(BOTH[0])).unwrap();
    let (prompt, cancel) = (prompt(), CancellationToken::new());
    let begun = Instant::now();
    let (outcome, ()) = tokio::join!(client.complete(&prompt, &cancel), async {
        asked(&scripted).await;
        cancel.cancel();
    });
    assert!(matches!(outcome, Err(ModelError::Cancelled)), "{outcome:?}");
    assert!(begun.elapsed() < Duration::from_secs(4));
}

#[tokio::test]
async fn a_call_that_is_cancelled_already_asks_nobody() {
    let scripted = Scripted::new("fine").await;
    let client = Client::new(scripted.config(BOTH[0])).unwrap();
    let (prompt, cancel) = (prompt(), CancellationToken::new());
    cancel.cancel();
    let outcome = client.complete(&prompt, &cancel).await;
    assert!(matches!(outcome, Err(ModelError::Cancelled)), "{outcome:?}");
    assert_eq!(scripted.started(), 0);
}

#[tokio::test]
async fn a_dropped_call_drops_the_connection() {
    let scripted = Scripted::new(STALLING).await;
    let client = Client::new(scripted.config(BOTH[0])).unwrap();
    let (prompt, cancel) = (prompt(), CancellationToken::new());
    tokio::select! {
        outcome = client.complete(&prompt, &cancel) => panic!("{outcome:?}"),
        () = asked(&scripted) => {}
    }
    scripted.abandoned(1).await;
}

#[tokio::test]
async fn the_time_for_the_whole_call_is_a_bound() {
    for protocol in BOTH {
        let scripted = Scripted::new(STALLING).await;
        let mut config = scripted.config(protocol);
        config.total_timeout = Duration::from_millis(300);
        let error = ask(config).await.unwrap_err();
        assert!(matches!(error, ModelError::TimedOut { .. }), "{error:?}");
        assert_eq!(scripted.started(), 1);
    }
}

#[tokio::test]
async fn no_wait_goes_beyond_the_time_for_the_whole_call() {
    let scripted = Scripted::new("---\nstatus: 503\nretry_after: 4\n---\n").await;
    let mut config = scripted.config(BOTH[0]);
    config.total_timeout = Duration::from_secs(3);
    let begun = Instant::now();
    let error = ask(config).await.unwrap_err();
    assert!(matches!(error, ModelError::Exhausted { attempts: 1, .. }), "{error:?}");
    assert!(begun.elapsed() < Duration::from_secs(3));
}
