//! A broker with one run in it, all five stages connected to it, and eyes on everything that can change.

use super::act::{Act, Answer, Row, Say, Seen};
use super::actor::{Actor, heard};
use crate::server::Server;
use async_nats::jetstream::{self, consumer::PullConsumer, message::StreamMessage};
use async_nats::{HeaderMap, Subscriber};
use futures::StreamExt as _;
use interlock_domain::authority::{EDGES, SEALED_STREAM, blob_stream, record_stream};
use interlock_domain::{Digest, RunId, Stage};
use serde_json::{Value, json};
use std::cell::Cell;
use std::collections::BTreeMap;

/// Records that each stage has on the run.
const RECORDS: u64 = 60;
/// What every payload that a stage should not get stored or delivered begins with.
pub(super) const FORGED: &str = "forged";

pub(super) struct World {
    server: Server,
    admin: jetstream::Context,
    actors: BTreeMap<Stage, Actor>,
    /// The run that has records.
    pub(super) run: RunId,
    /// Content that every stage has stored.
    pub(super) digest: Digest,
    /// Deliveries that wait for an ack, by edge.
    pending: BTreeMap<(Stage, Stage), Vec<String>>,
    fresh: Cell<u64>,
    seeded: BTreeMap<String, String>,
    /// Hears in the core's account what should not get there.
    eyes: Vec<Subscriber>,
    last: BTreeMap<String, String>,
}

impl World {
    pub(super) async fn new() -> Self {
        Self::on(Server::ready().await).await
    }

    pub(super) async fn on(server: Server) -> Self {
        let admin = server.admin().await;
        let mut actors = BTreeMap::new();
        for stage in Stage::ALL {
            actors.insert(stage, Actor::connect(stage, &server.url, server.seed(stage)).await);
        }
        let mut eyes = Vec::new();
        for subject in ["outside.>", "_INBOX_*.probe.>", "$KV.>", "$O.>", "work.>"] {
            eyes.push(admin.client().subscribe(subject).await.unwrap());
        }
        let mut world = Self {
            server,
            admin,
            actors,
            run: RunId::from_parts(1_700_000_000_000, 7),
            digest: Digest::of(b"content"),
            pending: BTreeMap::new(),
            fresh: Cell::new(1000),
            seeded: BTreeMap::new(),
            eyes,
            last: BTreeMap::new(),
        };
        world.seed().await;
        world.deliver().await;
        world.last = world.snapshot().await;
        world
    }

    async fn seed(&mut self) {
        let (run, digest) = (self.run, self.digest);
        let mut subjects = vec![
            format!("ctl.{run}.1"),
            format!("sealed.gateway.{digest}.0"),
            format!("call.planner.{run}.{digest}"),
            format!("call.generator.{run}.{digest}"),
        ];
        for stage in Stage::ALL {
            subjects.push(format!("blob.{stage}.{digest}.0"));
            subjects.extend((1..=RECORDS).map(|n| format!("evt.{stage}.{run}.{n}")));
        }
        for subject in subjects {
            // A blob is what a deputy would be made to pass on: its payload is a stage's to choose.
            let payload = if subject.starts_with("blob") { "+TERM" } else { &subject };
            let stored = self.admin.publish(subject.clone(), payload.to_owned().into()).await;
            stored.unwrap().await.unwrap();
            self.seeded.insert(subject.clone(), payload.to_owned());
        }
    }

    /// Has the server deliver to every stage, so that there is something to ack. The others stay to be pulled.
    async fn deliver(&mut self) {
        for (from, to) in EDGES {
            let stream = self.admin.get_stream_no_info(record_stream(from)).await.unwrap();
            let consumer: PullConsumer = stream.get_consumer(to.name()).await.unwrap();
            let mut batch = consumer.fetch().max_messages(40).messages().await.unwrap();
            let waiting = self.pending.entry((from, to)).or_default();
            while let Some(message) = batch.next().await {
                waiting.push(message.unwrap().reply.as_ref().unwrap().to_string());
            }
        }
    }

    /// A number that nothing is stored under.
    pub(super) fn fresh(&self) -> u64 {
        self.fresh.set(self.fresh.get() + 1);
        self.fresh.get()
    }

    /// The ack subject of a delivery that still waits for its ack.
    pub(super) fn take_delivery(&mut self, from: Stage, to: Stage) -> String {
        self.pending.get_mut(&(from, to)).unwrap().pop().unwrap()
    }

    /// One that keeps waiting.
    pub(super) fn peek_delivery(&self, from: Stage, to: Stage) -> String {
        self.pending[&(from, to)].last().unwrap().clone()
    }

    /// Tries a row's acts as `stage`, and sees what comes of it.
    pub(super) async fn attempt(&mut self, stage: Stage, row: &Row) -> Seen {
        let mut seen = Seen::default();
        for act in (row.acts)(self, stage) {
            match act {
                Act::Say(say) => self.say(stage, &say, &mut seen).await,
                Act::Listen { subject, queue } => self.listen(stage, &subject, queue, &mut seen).await,
            }
        }
        for actor in self.actors.values_mut() {
            seen.arrived.extend(actor.probed());
        }
        for eye in &mut self.eyes {
            seen.arrived.extend(heard(eye));
        }
        seen.changed = self.changes().await;
        if row.own_is_beside {
            seen.given.clear();
            let own = [record_stream(stage), blob_stream(stage)].map(|stream| format!("stream {stream}"));
            let consumer = format!("/{stage}");
            seen.changed
                .retain(|what| !own.contains(what) && !what.ends_with(&consumer));
        }
        seen
    }

    async fn say(&mut self, stage: Stage, say: &Say, seen: &mut Seen) {
        let actor = self.actors.get_mut(&stage).unwrap();
        if let Some(elsewhere) = &say.divert {
            actor.divert(say, elsewhere).await;
            return;
        }
        match actor.ask(say).await {
            Answer::Yes(text) => seen
                .given
                .push(format!("{}: {:.80}", say.subject, text.replace('\n', " "))),
            Answer::Violation | Answer::No(_) => seen.refusals += 1,
            Answer::Silence => {}
        }
    }

    async fn listen(&mut self, stage: Stage, subject: &str, queue: bool, seen: &mut Seen) {
        // Something that every stage may read, with its answer where only that stage can hear it.
        let harmless = Say {
            subject: format!("core.API.DIRECT.GET.EVT_GATEWAY.ctl.{}.1", self.run),
            headers: HeaderMap::new(),
            payload: "".into(),
            divert: None,
        };
        let actor = self.actors.get_mut(&stage).unwrap();
        let (mut subscriber, refused) = actor.listen(subject, queue, &harmless).await;
        if refused {
            seen.refusals += 1;
        } else {
            seen.given.push(format!("the server let it subscribe to {subject}"));
        }
        for actor in self.actors.values_mut() {
            let inbox = format!("_INBOX_{}.probe.noise", actor.stage);
            actor.divert(&harmless, &inbox).await;
            actor.ask(&harmless).await;
            // This one is meant to arrive.
            actor.probed();
        }
        seen.given.extend(heard(&mut subscriber));
    }

    /// Which streams and consumers are not as they were at the last look.
    pub(super) async fn changes(&mut self) -> Vec<String> {
        let now = self.snapshot().await;
        let before = std::mem::replace(&mut self.last, now);
        let both = before.keys().chain(self.last.keys());
        let mut changed: Vec<String> = both
            .filter(|key| before.get(*key) != self.last.get(*key))
            .cloned()
            .collect();
        changed.sort();
        changed.dedup();
        changed
    }

    async fn snapshot(&self) -> BTreeMap<String, String> {
        let mut all = BTreeMap::new();
        let streams: Value = self.admin.request("STREAM.LIST", &json!({})).await.unwrap();
        for stream in streams["streams"].as_array().unwrap() {
            let name = stream["config"]["name"].as_str().unwrap();
            let mut state = stream["state"].clone();
            state.as_object_mut().unwrap().remove("consumer_count");
            all.insert(format!("stream {name}"), format!("{} {state}", stream["config"]));
            let call = format!("CONSUMER.LIST.{name}");
            let consumers: Value = self.admin.request(call, &json!({})).await.unwrap();
            for consumer in consumers["consumers"].as_array().unwrap() {
                let durable = consumer["name"].as_str().unwrap();
                let at = [
                    &consumer["config"],
                    &consumer["delivered"]["stream_seq"],
                    &consumer["ack_floor"]["stream_seq"],
                    &consumer["num_ack_pending"],
                ];
                all.insert(format!("consumer {name}/{durable}"), json!(at).to_string());
            }
        }
        all
    }

    /// At the end of it all: what was there is there, and what stands in a stream is its writer's.
    pub(super) async fn assert_nothing_lost_or_forged(&mut self) {
        let names = Stage::ALL.map(|stage| [record_stream(stage), blob_stream(stage)]);
        let mut streams: Vec<String> = names.into_iter().flatten().collect();
        streams.push(SEALED_STREAM.to_owned());
        for name in streams {
            for StreamMessage { subject, payload, .. } in self.server.stored(&name).await {
                let text = String::from_utf8_lossy(&payload);
                match self.seeded.remove(subject.as_str()) {
                    Some(seeded) => assert_eq!(seeded, text, "{subject}"),
                    None => assert!(text.starts_with("own"), "{subject}: {text}"),
                }
            }
        }
        assert!(self.seeded.is_empty(), "lost: {:?}", self.seeded);
    }
}
