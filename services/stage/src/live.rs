//! What running programs are doing, told as it happens: lost where nobody listens, and never waited for.
//!
//! No part of any decision: whoever needs to know reads the chain.

use crate::bus::{Bus, BusError};
use async_nats::connection::State;
use futures::{Stream, StreamExt as _};
use interlock_domain::{RunId, Stage};
use interlock_proto::v1::Live;
use prost::Message as _;

impl Bus {
    /// Tells what a program of this stage is doing. Trouble with the broker is nobody's: the next message tells more.
    pub async fn tell(&self, run: RunId, live: &Live) {
        // Without a connection the client would keep the messages, and send all of them late.
        if self.client().connection_state() != State::Connected {
            return;
        }
        let subject = format!("live.{}.{run}.{}", self.stage(), live.attempt);
        if let Err(error) = self.client().publish(subject, live.encode_to_vec().into()).await {
            tracing::debug!(%run, %error, "nobody could be told");
        }
    }

    /// What the programs of `teller` are doing, from now on. What cannot be read is passed over.
    ///
    /// # Errors
    /// The connection has been closed for good.
    pub async fn hear(&self, teller: Stage) -> Result<impl Stream<Item = (RunId, Live)> + Send + use<>, BusError> {
        let subject = format!("live.{teller}.*.*");
        let heard = self.client().subscribe(subject.clone()).await;
        let heard = heard.map_err(|e| BusError::Refused {
            subject,
            why: e.to_string(),
        })?;
        Ok(heard.filter_map(async |message| {
            let live = Live::decode(message.payload).ok()?;
            let run = live.run_id.parse().ok()?;
            Some((run, live))
        }))
    }
}
