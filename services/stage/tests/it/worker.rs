//! The work loop: what it makes of each way in which a handler can end.

use crate::lab::{Does, Planner, Running, all_acked, planner_records, proposal, run_id, submit, until};
use crate::server::Server;
use async_nats::jetstream::AckKind;
use async_nats::jetstream::consumer::PullConsumer;
use futures::StreamExt as _;
use interlock_domain::payload::Gate;
use interlock_domain::record::Record;
use interlock_domain::state::Status;
use interlock_domain::{Disposition, FailureClass, RunState, Signer, Stage};
use interlock_stage::ServiceError;
use tokio_util::sync::CancellationToken;

#[tokio::test]
async fn a_request_leads_to_a_plan_and_is_acked() {
    let server = Server::ready().await;
    let (gateway, run) = (server.stage(Stage::Gateway).await, run_id(1));
    let planner = Planner::new(Does::Propose);
    let running = Running::start(&server, &planner).await;
    submit(&gateway, run).await;
    let state = until(&gateway, run, |state| state.seq == 2).await;
    assert!(matches!(state.status(), Status::Waiting(Gate::Plan)), "{state:?}");
    all_acked(&server).await;
    running.stop().await;
    assert_eq!((planner.calls(), planner_records(&server).await), (1, 1));
    // Before it acted, and after.
    assert_eq!(*planner.observed.lock().unwrap(), [1, 2]);
}

#[tokio::test]
async fn two_services_share_the_work_and_double_nothing() {
    let server = Server::ready().await;
    let gateway = server.stage(Stage::Gateway).await;
    let planners = [Planner::new(Does::Propose), Planner::new(Does::Propose)];
    let running = [
        Running::start(&server, &planners[0]).await,
        Running::start(&server, &planners[1]).await,
    ];
    for n in 0..20 {
        submit(&gateway, run_id(n)).await;
    }
    for n in 0..20 {
        until(&gateway, run_id(n), |state| state.seq == 2).await;
    }
    all_acked(&server).await;
    for service in running {
        service.stop().await;
    }
    assert_eq!(planner_records(&server).await, 20);
    assert_eq!(planners[0].calls() + planners[1].calls(), 20);
}

#[tokio::test]
async fn trouble_that_passes_is_tried_again() {
    let server = Server::ready().await;
    let (gateway, run) = (server.stage(Stage::Gateway).await, run_id(2));
    let planner = Planner::new(Does::LaterTimes(2));
    let running = Running::start(&server, &planner).await;
    submit(&gateway, run).await;
    until(&gateway, run, |state| state.seq == 2).await;
    all_acked(&server).await;
    running.stop().await;
    assert_eq!((planner.calls(), planner_records(&server).await), (3, 1));
}

#[tokio::test]
async fn trouble_that_stays_goes_to_a_human() {
    let server = Server::ready().await;
    let (gateway, run) = (server.stage(Stage::Gateway).await, run_id(3));
    submit(&gateway, run).await;
    // Seven workers before this one had it and gave it back.
    let admin = server.admin().await;
    let stream = admin.get_stream_no_info("EVT_GATEWAY").await.unwrap();
    let consumer: PullConsumer = stream.get_consumer("planner").await.unwrap();
    for _ in 0..7 {
        let mut batch = consumer.batch().max_messages(1).messages().await.unwrap();
        let message = batch.next().await.unwrap().unwrap();
        message.ack_with(AckKind::Nak(None)).await.unwrap();
    }
    let planner = Planner::new(Does::LaterTimes(u32::MAX));
    let running = Running::start(&server, &planner).await;
    let state = until(&gateway, run, |state| state.seq == 2).await;
    assert!(matches!(state.status(), Status::Waiting(Gate::Guidance)), "{state:?}");
    let said = format!("{:?}", state.phase);
    assert!(
        said.contains("Model") && said.contains("tried 8 times: the model is away"),
        "{said}"
    );
    all_acked(&server).await;
    running.stop().await;
    assert_eq!(planner.calls(), 1);
}

#[tokio::test]
async fn a_failure_is_put_on_the_chain_with_its_class() {
    let server = Server::ready().await;
    let (gateway, run) = (server.stage(Stage::Gateway).await, run_id(4));
    let planner = Planner::new(Does::Fail);
    let running = Running::start(&server, &planner).await;
    submit(&gateway, run).await;
    let state = until(&gateway, run, |state| state.seq == 2).await;
    let said = format!("{:?}", state.phase);
    assert!(said.contains("Model") && said.contains("no usable answer"), "{said}");
    all_acked(&server).await;
    running.stop().await;
    assert_eq!((planner.calls(), planner_records(&server).await), (1, 1));
}

#[tokio::test]
async fn a_failure_that_quotes_too_much_is_heard_of_all_the_same() {
    let server = Server::ready().await;
    let (gateway, run) = (server.stage(Stage::Gateway).await, run_id(14));
    let planner = Planner::new(Does::FailAtLength);
    let running = Running::start(&server, &planner).await;
    submit(&gateway, run).await;
    let state = until(&gateway, run, |state| state.seq == 2).await;
    assert!(format!("{:?}", state.phase).contains("<cut>"));
    all_acked(&server).await;
    running.stop().await;
    assert_eq!((planner.calls(), planner_records(&server).await), (1, 1));
}

#[tokio::test]
async fn an_illegal_record_is_not_stored_and_is_our_fault() {
    let server = Server::ready().await;
    let (gateway, run) = (server.stage(Stage::Gateway).await, run_id(5));
    // The plan itself is legal and stands; the second one has no place, and no failure can be written then.
    let planner = Planner::new(Does::WriteTwice);
    let running = Running::start(&server, &planner).await;
    submit(&gateway, run).await;
    let state = until(&gateway, run, |state| state.seq == 2).await;
    assert!(matches!(state.status(), Status::Waiting(Gate::Plan)), "{state:?}");
    all_acked(&server).await;
    running.stop().await;
    assert_eq!(planner_records(&server).await, 1);
}

#[tokio::test]
async fn a_handler_that_panics_is_a_failure_of_ours_and_ends_nothing_else() {
    let server = Server::ready().await;
    let (gateway, run) = (server.stage(Stage::Gateway).await, run_id(6));
    let planner = Planner::new(Does::Panic);
    let running = Running::start(&server, &planner).await;
    // More than there are slots: a slot that were lost to each panic would be missed.
    for n in 0..5 {
        submit(&gateway, run_id(60 + n)).await;
    }
    submit(&gateway, run).await;
    let state = until(&gateway, run, |state| state.seq == 2).await;
    let said = format!("{:?}", state.phase);
    assert!(
        said.contains("Harness") && said.contains("a defect of the handler"),
        "{said}"
    );
    all_acked(&server).await;
    running.stop().await;
}

#[tokio::test]
async fn a_stage_that_waits_is_not_asked_again_and_again() {
    let server = Server::ready().await;
    let (gateway, run) = (server.stage(Stage::Gateway).await, run_id(7));
    let planner = Planner::new(Does::Wait);
    let running = Running::start(&server, &planner).await;
    submit(&gateway, run).await;
    until(&gateway, run, |_| planner.calls() > 0).await;
    all_acked(&server).await;
    running.stop().await;
    assert_eq!((planner.calls(), planner_records(&server).await), (1, 0));
}

#[tokio::test]
async fn who_comes_second_drops_what_it_has() {
    let server = Server::ready().await;
    let (gateway, run) = (server.stage(Stage::Gateway).await, run_id(8));
    let planner = Planner::with_purpose(Does::WaitAndPropose, "the second");
    let running = Running::start(&server, &planner).await;
    submit(&gateway, run).await;
    planner.started().await;
    let other = server.stage(Stage::Planner).await;
    let state = other.chain.replay(run).await.unwrap();
    let mut first = other.work(state, CancellationToken::new());
    first.append(proposal("the first")).await.unwrap();
    planner.go_on();
    all_acked(&server).await;
    running.stop().await;
    let state = until(&gateway, run, |state| state.seq == 2).await;
    let (plan, _) = state.plan.unwrap();
    let purpose = &plan.file(&"src/experiment.py".parse().unwrap()).unwrap().purpose;
    assert_eq!((purpose.as_str(), planner_records(&server).await), ("the first", 1));
}

#[tokio::test]
async fn a_refused_permission_ends_the_service() {
    let server = Server::ready().await;
    let gateway = server.stage(Stage::Gateway).await;
    let running = Running::start(&server, &Planner::new(Does::WriteAsGateway)).await;
    submit(&gateway, run_id(9)).await;
    let error = running.ended().await.unwrap_err();
    assert!(matches!(error, ServiceError::Forbidden(_)), "{error}");
    assert_eq!(error.disposition(), Disposition::Escalate);
    assert!(error.to_string().contains("evt.gateway."), "{error}");
    assert_eq!(server.stored("EVT_GATEWAY").await.len(), 1);
}

#[tokio::test]
async fn a_key_that_the_broker_does_not_know_ends_the_service() {
    let server = Server::ready().await;
    let elsewhere = Server::bare().await;
    let mut broker = elsewhere.broker(Stage::Planner);
    broker.url.clone_from(&server.url);
    let service = interlock_stage::connect(Stage::Planner, &broker).await.unwrap();
    let run = service.run(Planner::new(Does::Propose), 1, CancellationToken::new());
    let ended = tokio::time::timeout(crate::server::SOON, run).await;
    let error = ended.expect("the service ends").unwrap_err();
    assert!(matches!(error, ServiceError::Forbidden(_)), "{error}");
    assert!(error.to_string().contains("does not know this stage's key"), "{error}");
}

#[tokio::test]
async fn what_cannot_be_believed_is_not_acted_on() {
    let server = Server::ready().await;
    let (gateway, run) = (server.stage(Stage::Gateway).await, run_id(10));
    let admin = server.admin().await;
    let record = Record {
        run,
        seq: 1,
        stage: Stage::Gateway,
        parent: None,
        time_unix_ms: 0,
        payload: crate::lab::request(),
    };
    // Signed by somebody who says to be the gateway and is not.
    let liar = Signer::from_seed(Stage::Gateway, &server.seed(Stage::Executor)).unwrap();
    let (forged, _) = liar.sign_record(&record).unwrap();
    let store = async |subject: String, bytes: Vec<u8>| {
        let stored = admin.publish(subject, bytes.into()).await.unwrap();
        stored.await.unwrap();
    };
    store(record.subject(), forged).await;
    store("evt.gateway.no-run.1".to_owned(), b"{}".to_vec()).await;
    let signer = Signer::from_seed(Stage::Gateway, &server.seed(Stage::Gateway)).unwrap();
    // Signed well, and lying where another run's record should.
    let (misplaced, _) = signer.sign_record(&record).unwrap();
    store(format!("evt.gateway.{}.1", run_id(11)), misplaced).await;
    store(format!("evt.gateway.{}.1", run_id(12)), b"\xff\xff".to_vec()).await;
    let planner = Planner::new(Does::Propose);
    let running = Running::start(&server, &planner).await;
    submit(&gateway, run_id(13)).await;
    until(&gateway, run_id(13), |state| state.seq == 2).await;
    all_acked(&server).await;
    running.stop().await;
    assert_eq!((planner.calls(), planner_records(&server).await), (1, 1));
    let error = gateway.chain.replay(run).await.unwrap_err();
    assert_eq!(error.disposition(), Disposition::Escalate);
    assert!(error.to_string().contains(&record.subject()), "{error}");
}

#[tokio::test]
async fn a_record_too_large_for_a_message_is_a_failure_and_no_endless_loop() {
    let server = Server::ready().await;
    let (gateway, run) = (server.stage(Stage::Gateway).await, run_id(14));
    let purpose: &'static str = "x".repeat(1_200_000).leak();
    let planner = Planner::with_purpose(Does::Propose, purpose);
    let running = Running::start(&server, &planner).await;
    submit(&gateway, run).await;
    let state: RunState = until(&gateway, run, |state| state.seq == 2).await;
    let said = format!("{:?}", state.phase);
    assert!(said.contains(&format!("{:?}", FailureClass::Harness)), "{said}");
    assert!(said.contains("bytes; at most"), "{said}");
    all_acked(&server).await;
    running.stop().await;
}
