//! The service from its start to its end: configuration, view, calls and handler, drain.

use crate::address;
use crate::auth::{Guarded, Token};
use crate::gateway::Gateway;
use crate::settings::Settings;
use crate::submit::MAX_CALL_BYTES;
use crate::tail::Tail;
use crate::view::View;
use interlock_domain::Stage;
use interlock_proto::v1::gateway_server::GatewayServer;
use interlock_stage::{Config, ServiceError, connect};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tonic::transport::Server;
use tonic::transport::server::TcpIncoming;

/// How often a silent client is asked for a sign of life, and how long it may take to give one.
const KEEPALIVE: (Duration, Duration) = (Duration::from_secs(30), Duration::from_secs(10));
/// How long calls at hand may take once the service is to end.
const DRAIN: Duration = Duration::from_secs(5);

/// Runs the gateway until `shutdown`.
///
/// A broker that is not there yet is waited for: the address file appears when calls are answered.
pub async fn run(config: Config<Settings>, shutdown: CancellationToken) -> Result<(), ServiceError> {
    let Settings {
        listen,
        addr_file,
        token_file,
    } = &config.service;
    let token = Token::read(token_file).map_err(setup)?;
    address::clear(addr_file).map_err(|e| setup(format!("{}: {e}", addr_file.display())))?;
    let listener = TcpListener::bind(listen)
        .await
        .map_err(|e| setup(format!("cannot listen on {listen}: {e}")))?;
    let bound = listener.local_addr().map_err(setup)?;

    let service = connect(Stage::Gateway, &config.broker).await?;
    let bus = service.bus.clone();
    let view = View::new(bus.clone(), config.broker.keyring()?);
    let mut tail = Tail::new(bus.clone(), view.clone());
    tokio::select! {
        () = tail.rebuild() => {}
        reason = bus.fatal() => return Err(ServiceError::Forbidden(reason)),
        () = shutdown.cancelled() => return Ok(()),
    }

    let ending = shutdown.child_token();
    let gateway = Gateway::new(service.clone(), view, ending.clone());
    let calls = tokio::spawn(answer_calls(gateway.clone(), token, listener));
    let heard = tokio::spawn(gateway.lives.clone().listen(bus, ending.clone()));
    let followed = tokio::spawn(tail.follow(gateway.clone()));
    let announced =
        address::publish(addr_file, bound).map_err(|e| setup(format!("cannot write {}: {e}", addr_file.display())));
    tracing::info!(address = %bound, "calls are answered");
    let worked = match announced {
        Ok(()) => service.run(Arc::new(gateway), config.slots, ending.clone()).await,
        Err(error) => Err(error),
    };

    ending.cancel();
    if let Err(error) = address::clear(addr_file) {
        tracing::warn!(%error, "the address file stays");
    }
    let served = match tokio::time::timeout(DRAIN, calls).await {
        Ok(Ok(served)) => served,
        Ok(Err(e)) => Err(setup(format!("the server broke down: {e}"))),
        Err(_) => {
            tracing::warn!("calls were still going on after the time to drain");
            Ok(())
        }
    };
    followed.abort();
    heard.abort();
    worked.and(served)
}

/// Answers calls until the gateway ends; a server that ends by itself ends the gateway.
async fn answer_calls(gateway: Gateway, token: Token, listener: TcpListener) -> Result<(), ServiceError> {
    let ending = gateway.ending.clone();
    let _ends_with_us = ending.clone().drop_guard();
    let calls = GatewayServer::new(gateway).max_decoding_message_size(MAX_CALL_BYTES);
    let incoming = TcpIncoming::from(listener).with_nodelay(Some(true));
    Server::builder()
        .http2_keepalive_interval(Some(KEEPALIVE.0))
        .http2_keepalive_timeout(Some(KEEPALIVE.1))
        .add_service(Guarded::new(calls, token))
        .serve_with_incoming_shutdown(incoming, ending.cancelled())
        .await
        .map_err(|e| setup(format!("the server broke down: {e}")))
}

fn setup(why: impl ToString) -> ServiceError {
    ServiceError::Setup(why.to_string())
}
