//! Confused deputies: requests that a stage may make, with the answers diverted to where it may not write.
//!
//! The server sends the answer itself, and asks nobody whether it may: inside one account, all of
//! these store what the stage likes where it likes (see `weak`).

use super::act::{Act, Row, said};
use super::world::{FORGED, World};
use async_nats::HeaderMap;
use interlock_domain::Stage;
use interlock_domain::authority::{EDGES, blob_stream, consumer, record_stream, wakers};

/// A request of a stage, and how it is said.
type Route = fn(&mut World, Stage) -> (String, Vec<(&'static str, String)>, String);

const ROUTES: [(&str, Route); 10] = [
    ("the content of its own blob", |world, me| {
        let place = format!("core.API.DIRECT.GET.{}.blob.{me}.{}.0", blob_stream(me), world.digest);
        (place, vec![], String::new())
    }),
    ("the receipt of a new record", |world, me| {
        let place = format!("evt.{me}.{}.{}", world.run, world.fresh());
        (place, vec![], "own".to_owned())
    }),
    ("the refusal of a record", |world, me| {
        (format!("evt.{me}.{}.1", world.run), vec![], FORGED.to_owned())
    }),
    ("the state of its consumer", |_, me| {
        (
            format!("core.API.CONSUMER.INFO.{}", own_consumer(me)),
            vec![],
            String::new(),
        )
    }),
    ("a delivery", |_, me| {
        (next(me), vec![], r#"{"batch":1,"no_wait":true}"#.to_owned())
    }),
    ("many deliveries", |_, me| {
        (next(me), vec![], r#"{"batch":3,"no_wait":true}"#.to_owned())
    }),
    ("the heartbeats of a pull", |_, me| {
        let body = r#"{"batch":99,"max_bytes":1,"expires":200000000,"idle_heartbeat":90000000}"#;
        (next(me), vec![], body.to_owned())
    }),
    ("the delivery after an ack", |world, me| {
        (delivery(world, me), vec![], "+NXT".to_owned())
    }),
    ("the receipt of an ack", |world, me| {
        (delivery(world, me), vec![], "+ACK".to_owned())
    }),
    ("the trace of a message", |world, me| {
        let place = format!("evt.{me}.{}.{}", world.run, world.fresh());
        // The destination is put in with the target.
        (place, vec![("Nats-Trace-Dest", String::new())], "own".to_owned())
    }),
];

pub(super) fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = ROUTES.into_iter().map(|(what, route)| diverted(what, route)).collect();
    rows.push(diverted("what it reads by sequence", |_, me| {
        let body = r#"{"seq":1,"batch":3}"#.to_owned();
        (format!("core.API.DIRECT.GET.{}", record_stream(me)), vec![], body)
    }));
    rows
}

fn diverted(what: &str, route: Route) -> Row {
    let what = format!("divert {what} to another's subject");
    let mut row = Row::new("confuse the server", what, &[], move |world, me| {
        let mut acts = Vec::new();
        for target in targets(world, me) {
            let (subject, headers, payload) = route(world, me);
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.insert(name, if value.is_empty() { target.clone() } else { value });
            }
            acts.push(said(subject, map, payload, Some(target)));
        }
        acts.push(barrier(world, me, route));
        acts
    });
    row.own_is_beside = true;
    row
}

/// The same request with its answer in the own inbox: once that has come, the others have gone out.
fn barrier(world: &mut World, me: Stage, route: Route) -> Act {
    let (subject, _, payload) = route(world, me);
    said(subject, HeaderMap::new(), payload, None)
}

/// Where a stage would like to have something stored, acked, deleted or heard.
fn targets(world: &mut World, me: Stage) -> Vec<String> {
    let run = world.run;
    let mut all = vec![
        "outside.x".to_owned(),
        "work.executor.x".to_owned(),
        "core.API.STREAM.NAMES".to_owned(),
        format!("ctl.{run}.{}", world.fresh()),
        format!("sealed.gateway.{run}.{}", world.fresh()),
    ];
    for victim in Stage::ALL.into_iter().filter(|victim| *victim != me) {
        let n = world.fresh();
        all.push(format!("evt.{victim}.{run}.{n}"));
        all.push(format!("blob.{victim}.{run}.{n}"));
        all.push(format!("call.{victim}.{run}.{n}"));
        all.push(format!("_INBOX_{victim}.probe.{n}"));
        for prefix in ["$JS.API", "core.API"] {
            all.push(format!("{prefix}.STREAM.PURGE.{}", record_stream(victim)));
            all.push(format!("{prefix}.STREAM.DELETE.{}", blob_stream(victim)));
        }
    }
    for (from, to) in EDGES.into_iter().filter(|(_, to)| *to != me) {
        all.push(format!(
            "$JS.API.CONSUMER.DELETE.{}.{}",
            record_stream(from),
            consumer(to)
        ));
    }
    if let Some((from, to)) = EDGES.into_iter().find(|(_, to)| *to != me) {
        all.push(world.peek_delivery(from, to));
    }
    // The gateway may write controls and sealed truth: for it, these two are not another's.
    if me == Stage::Gateway {
        all.retain(|target| !target.starts_with("ctl.") && !target.starts_with("sealed."));
    }
    all
}

fn own_consumer(me: Stage) -> String {
    let from = wakers(me).next().expect("every stage is woken by somebody");
    format!("{}.{}", record_stream(from), consumer(me))
}

fn next(me: Stage) -> String {
    format!("core.API.CONSUMER.MSG.NEXT.{}", own_consumer(me))
}

fn delivery(world: &mut World, me: Stage) -> String {
    let from = wakers(me).next().expect("every stage is woken by somebody");
    world.peek_delivery(from, me)
}
