//! Signs of life: told by the executor, heard by the gateway, and nobody can speak in the executor's place.

use crate::server::{SOON, Server};
use futures::StreamExt as _;
use interlock_domain::{RunId, Stage};
use interlock_proto::v1::Live;
use interlock_stage::Bus;
use std::pin::pin;
use std::time::Duration;

fn live(run: RunId, number: u64) -> Live {
    Live {
        run_id: run.to_string(),
        attempt: 1,
        number,
        ..Live::default()
    }
}

/// Waits until the bus has its connection, and all that was sent before has been dealt with.
async fn settled(bus: &Bus) {
    bus.read("EVT_GATEWAY", "ctl.none.1").await.unwrap();
}

#[tokio::test]
async fn only_the_executor_is_heard() {
    let server = Server::ready().await;
    let run = RunId::from_parts(1_700_000_000_000, 3);
    let gateway = server.stage(Stage::Gateway).await.bus;
    let executor = server.stage(Stage::Executor).await.bus;
    let mut heard = pin!(gateway.hear(Stage::Executor).await.unwrap());
    // A subscription is there when the server has answered something that was sent after it.
    settled(&gateway).await;
    settled(&executor).await;

    for stage in [Stage::Planner, Stage::Generator, Stage::Verifier] {
        let bus = server.stage(stage).await.bus;
        settled(&bus).await;
        bus.tell(run, &live(run, 99)).await;
        let refused = tokio::time::timeout(SOON, bus.fatal()).await.unwrap();
        assert!(
            refused.contains("violation") || refused.contains("Violation"),
            "{refused}"
        );
        let client = async_nats::ConnectOptions::with_nkey(server.seed(stage))
            .custom_inbox_prefix(format!("_INBOX_{stage}"))
            .connect(&server.url)
            .await
            .unwrap();
        client
            .publish(format!("live.executor.{run}.1"), "".into())
            .await
            .unwrap();
        client.flush().await.unwrap();
    }
    executor.tell(run, &live(run, 1)).await;
    let (from, told) = tokio::time::timeout(SOON, heard.next()).await.unwrap().unwrap();
    assert_eq!((from, told.number), (run, 1), "what the others said did not arrive");
    let more = tokio::time::timeout(Duration::from_millis(300), heard.next()).await;
    assert!(more.is_err(), "{more:?}");
}

#[tokio::test]
async fn what_cannot_be_read_is_passed_over_and_a_broker_that_is_away_is_not_waited_for() {
    let mut server = Server::ready().await;
    let run = RunId::from_parts(1_700_000_000_000, 3);
    let gateway = server.stage(Stage::Gateway).await.bus;
    let executor = server.stage(Stage::Executor).await.bus;
    let mut heard = pin!(gateway.hear(Stage::Executor).await.unwrap());
    settled(&gateway).await;
    settled(&executor).await;
    let nameless = Live {
        run_id: "nobody".to_owned(),
        ..live(run, 1)
    };
    executor.tell(run, &nameless).await;
    executor.tell(run, &live(run, 2)).await;
    let (_, told) = tokio::time::timeout(SOON, heard.next()).await.unwrap().unwrap();
    assert_eq!(told.number, 2);

    server.kill();
    for number in 3..5000 {
        executor.tell(run, &live(run, number)).await;
    }
    server.start_again().await;
    // Heard again without being asked for again.
    let told = async {
        loop {
            executor.tell(run, &live(run, 5000)).await;
            let next = tokio::time::timeout(Duration::from_millis(200), heard.next()).await;
            if let Ok(Some((_, told))) = next
                && told.number == 5000
            {
                return;
            }
        }
    };
    tokio::time::timeout(SOON, told).await.unwrap();
}
