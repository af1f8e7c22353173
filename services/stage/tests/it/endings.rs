//! How work ends before it is done: the service is told to stop, or a human cancels the run.

use crate::lab::{Does, Planner, Running, all_acked, planner_consumer, planner_records, run_id, submit, until};
use crate::server::Server;
use async_nats::HeaderMap;
use interlock_domain::record::{Control, ControlAction, control_subject};
use interlock_domain::state::Status;
use interlock_domain::{RunId, Stage};
use interlock_stage::Service;

#[tokio::test]
async fn work_at_hand_is_finished_before_the_service_ends() {
    let server = Server::ready().await;
    let (gateway, run) = (server.stage(Stage::Gateway).await, run_id(1));
    let planner = Planner::new(Does::WaitAndPropose);
    let running = Running::start(&server, &planner).await;
    submit(&gateway, run).await;
    planner.started().await;
    running.ask_to_stop();
    planner.go_on();
    running.ended().await.unwrap();
    // Stored and acked before the end: nobody has to do it again.
    assert_eq!(planner_records(&server).await, 1);
    assert_eq!(planner_consumer(&server).await.num_ack_pending, 0);
}

#[tokio::test]
async fn work_that_is_given_up_at_the_end_is_handed_to_the_next() {
    let server = Server::ready().await;
    let (gateway, run) = (server.stage(Stage::Gateway).await, run_id(2));
    let leaving = Planner::new(Does::WorkUntilCancelled);
    let running = Running::start(&server, &leaving).await;
    submit(&gateway, run).await;
    leaving.started().await;
    running.stop().await;
    assert_eq!(*leaving.cancelled_by_human.lock().unwrap(), Some(false));
    assert_eq!(planner_records(&server).await, 0);
    let next = Planner::new(Does::Propose);
    let running = Running::start(&server, &next).await;
    until(&gateway, run, |state| state.seq == 2).await;
    all_acked(&server).await;
    running.stop().await;
    assert_eq!(next.calls(), 1);
}

#[tokio::test]
async fn work_that_waited_for_a_service_is_taken_at_once() {
    let server = Server::ready().await;
    let gateway = server.stage(Stage::Gateway).await;
    let planner = Planner::new(Does::Propose);
    for n in 1..=8 {
        while planner_consumer(&server).await.num_waiting > 0 {
            tokio::task::yield_now().await;
        }
        submit(&gateway, run_id(n)).await;
        let running = Running::start(&server, &planner).await;
        until(&gateway, run_id(n), |state| state.seq == 2).await;
        all_acked(&server).await;
        running.stop().await;
    }
    // No delivery went to a pull that somebody had given up.
    assert_eq!(planner_consumer(&server).await.delivered.consumer_sequence, 8);
}

#[tokio::test]
async fn a_human_cancels_work_that_is_going_on() {
    let server = Server::ready().await;
    let (gateway, run) = (server.stage(Stage::Gateway).await, run_id(4));
    let planner = Planner::new(Does::WorkUntilCancelled);
    let running = Running::start(&server, &planner).await;
    submit(&gateway, run).await;
    planner.started().await;
    cancel(&gateway, run).await;
    all_acked(&server).await;
    assert_eq!(*planner.cancelled_by_human.lock().unwrap(), Some(true));
    let state = until(&gateway, run, |state| state.is_cancelled()).await;
    assert!(matches!(state.status(), Status::Cancelled));
    // Other runs are none of its business.
    submit(&gateway, run_id(5)).await;
    planner.started().await;
    running.stop().await;
    assert_eq!((planner.calls(), planner_records(&server).await), (2, 0));
}

#[tokio::test]
async fn a_run_that_is_cancelled_is_not_started() {
    let server = Server::ready().await;
    let (gateway, run) = (server.stage(Stage::Gateway).await, run_id(6));
    submit(&gateway, run).await;
    cancel(&gateway, run).await;
    let planner = Planner::new(Does::Propose);
    let running = Running::start(&server, &planner).await;
    all_acked(&server).await;
    running.stop().await;
    assert_eq!((planner.calls(), planner_records(&server).await), (0, 0));
}

async fn cancel(gateway: &Service, run: RunId) {
    let control = Control {
        run,
        k: 1,
        time_unix_ms: 0,
        action: ControlAction::Cancel {
            by: "ada".to_owned(),
            reason: "wrong data".to_owned(),
        },
    };
    let (bytes, _) = gateway.signer().sign_control(&control).unwrap();
    gateway
        .bus
        .append(&control_subject(run, 1), HeaderMap::new(), bytes.into())
        .await
        .unwrap();
}
