//! What a crash may cost: of the service, of the broker, of the line between them. Never a record, and never two.

use crate::lab::{Does, Planner, Running, all_acked, planner_consumer, planner_records, run_id, submit, until};
use crate::proxy::Proxy;
use crate::server::{SOON, Server};
use interlock_domain::Stage;
use interlock_stage::broker::ACK_WAIT;
use std::sync::Arc;
use std::time::Instant;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

/// A service in a runtime of its own, which can be torn down as a process is by kill -9.
struct Mortal {
    runtime: Runtime,
}

impl Mortal {
    async fn start(server: &Server, planner: &Arc<Planner>) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let (broker, planner) = (server.broker(Stage::Planner), Arc::clone(planner));
        runtime.spawn(async move {
            let service = interlock_stage::connect(Stage::Planner, &broker).await.unwrap();
            service.run(planner, 2, CancellationToken::new()).await
        });
        Self { runtime }
    }

    fn kill(self) {
        self.runtime.shutdown_background();
    }
}

#[tokio::test]
async fn a_crash_between_the_record_and_its_ack_doubles_nothing() {
    let server = Server::ready().await;
    let (gateway, run) = (server.stage(Stage::Gateway).await, run_id(1));
    let dying = Planner::new(Does::ProposeAndHang);
    let service = Mortal::start(&server, &dying).await;
    submit(&gateway, run).await;
    dying.started().await;
    assert_eq!(planner_consumer(&server).await.num_ack_pending, 1);
    service.kill();

    let next = Planner::new(Does::Propose);
    let running = Running::start(&server, &next).await;
    all_acked(&server).await;
    running.stop().await;
    // It was delivered again, and found done.
    assert_eq!((next.calls(), planner_records(&server).await), (0, 1));
    assert_eq!(*next.observed.lock().unwrap(), [2]);
}

#[tokio::test]
async fn a_crash_before_the_record_has_the_work_done_by_another() {
    let server = Server::ready().await;
    let (gateway, run) = (server.stage(Stage::Gateway).await, run_id(2));
    let dying = Planner::new(Does::WaitAndPropose);
    let service = Mortal::start(&server, &dying).await;
    submit(&gateway, run).await;
    dying.started().await;
    service.kill();
    let next = Planner::new(Does::Propose);
    let running = Running::start(&server, &next).await;
    until(&gateway, run, |state| state.seq == 2).await;
    all_acked(&server).await;
    running.stop().await;
    assert_eq!((next.calls(), planner_records(&server).await), (1, 1));
}

#[tokio::test]
async fn slow_work_stays_with_its_worker() {
    let server = Server::ready().await;
    let (gateway, run) = (server.stage(Stage::Gateway).await, run_id(3));
    let slow = Planner::new(Does::WaitAndPropose);
    let first = Running::start(&server, &slow).await;
    submit(&gateway, run).await;
    slow.started().await;
    // Somebody who would take it, were it delivered again.
    let eager = Planner::new(Does::Propose);
    let second = Running::start(&server, &eager).await;
    let since = Instant::now();
    while since.elapsed() < ACK_WAIT + ACK_WAIT / 4 {
        assert_eq!((slow.calls(), eager.calls()), (1, 0));
        tokio::time::sleep(ACK_WAIT / 20).await;
    }
    assert_eq!(planner_consumer(&server).await.num_redelivered, 0);
    slow.go_on();
    until(&gateway, run, |state| state.seq == 2).await;
    all_acked(&server).await;
    first.stop().await;
    second.stop().await;
    assert_eq!((slow.calls(), eager.calls()), (1, 0));
}

#[tokio::test]
async fn an_answer_that_is_lost_is_not_taken_for_a_loss() {
    let server = Server::ready().await;
    let (gateway, run) = (server.stage(Stage::Gateway).await, run_id(4));
    let proxy = Proxy::to(&server.url).await;
    let mut broker = server.broker(Stage::Planner);
    broker.url.clone_from(&proxy.url);
    let planner = Planner::new(Does::WaitAndPropose);
    let service = interlock_stage::connect(Stage::Planner, &broker).await.unwrap();
    let shutdown = CancellationToken::new();
    let ended = tokio::spawn(service.run(Arc::clone(&planner), 1, shutdown.clone()));
    submit(&gateway, run).await;
    planner.started().await;
    proxy.swallow_answers();
    planner.go_on();
    // The record is stored, and its writer does not know.
    until(&gateway, run, |state| state.seq == 2).await;
    proxy.hang_up();
    all_acked(&server).await;
    shutdown.cancel();
    ended.await.unwrap().unwrap();
    // Asked once: the record that it found stored was recognised as its own.
    assert_eq!((planner.calls(), planner_records(&server).await), (1, 1));
    assert_eq!(*planner.observed.lock().unwrap(), [1, 2]);
}

#[tokio::test]
async fn the_broker_may_be_killed_while_nothing_and_while_something_happens() {
    let mut server = Server::ready().await;
    let gateway = server.stage(Stage::Gateway).await;
    let planner = Planner::new(Does::WaitAndPropose);
    let running = Running::start(&server, &planner).await;
    // While a pull waits.
    server.kill();
    server.start_again().await;
    let since = Instant::now();
    submit(&gateway, run_id(5)).await;
    planner.started().await;
    assert!(since.elapsed() < SOON);
    // While work is being done: what it says comes when nobody listens.
    server.kill();
    planner.go_on();
    server.start_again().await;
    until(&gateway, run_id(5), |state| state.seq == 2).await;
    // And the loop goes on.
    submit(&gateway, run_id(6)).await;
    planner.started().await;
    planner.go_on();
    until(&gateway, run_id(6), |state| state.seq == 2).await;
    running.stop().await;
    assert_eq!(
        (planner_records(&server).await, server.stored("EVT_GATEWAY").await.len()),
        (2, 2)
    );
}

#[tokio::test]
async fn a_service_may_be_there_before_its_broker() {
    let mut server = Server::ready().await;
    server.kill();
    let (broker, planner) = (server.broker(Stage::Planner), Planner::new(Does::Propose));
    let service = interlock_stage::connect(Stage::Planner, &broker).await.unwrap();
    let shutdown = CancellationToken::new();
    let ended = tokio::spawn(service.run(Arc::clone(&planner), 1, shutdown.clone()));
    server.start_again().await;
    let gateway = server.stage(Stage::Gateway).await;
    submit(&gateway, run_id(7)).await;
    until(&gateway, run_id(7), |state| state.seq == 2).await;
    shutdown.cancel();
    ended.await.unwrap().unwrap();
}
