//! What a stage publishes: records and blobs of its own and of others, changes of what is stored, acks,
//! and the broker's management.

use super::act::{Act, Row, api, say, with_headers};
use super::world::{FORGED, World};
use interlock_domain::Stage;
use interlock_domain::authority::{EDGES, SEALED_STREAM, blob_stream, consumer, record_stream};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = storing();
    rows.extend(changing());
    rows.extend(acking());
    rows.extend(managing());
    rows
}

/// What a stage may store is honest; the same thing from another stage is a forgery.
fn content(stage: Stage, owner: Stage) -> String {
    if stage == owner {
        "own".to_owned()
    } else {
        FORGED.to_owned()
    }
}

fn storing() -> Vec<Row> {
    let group = "store";
    let mut rows = Vec::new();
    for owner in Stage::ALL {
        let what = format!("store a record of the {owner}");
        rows.push(Row::new(group, what, &[owner], move |world, stage| {
            let subject = format!("evt.{owner}.{}.{}", world.run, world.fresh());
            vec![say(subject, content(stage, owner))]
        }));
        let what = format!("store a blob of the {owner}");
        rows.push(Row::new(group, what, &[owner], move |world, stage| {
            let subject = format!("blob.{owner}.{}.{}", world.digest, world.fresh());
            vec![say(subject, content(stage, owner))]
        }));
        let may: &[Stage] = match owner {
            Stage::Planner | Stage::Generator => &[owner],
            Stage::Verifier | Stage::Executor | Stage::Gateway => &[],
        };
        let what = format!("store a model call of the {owner}");
        rows.push(Row::new(group, what, may, move |world, stage| {
            let subject = format!("call.{owner}.{}.{}", world.run, world.fresh());
            vec![say(subject, content(stage, owner))]
        }));
        let what = format!("store a control or sealed truth as the {owner}");
        rows.push(Row::new(group, what, &[], move |world, _| {
            let (run, n) = (world.run, world.fresh());
            let subjects = [
                format!("ctl.{owner}.{run}.{n}"),
                format!("sealed.{owner}.{run}.{n}.x"),
                format!("ctl.{run}"),
            ];
            subjects.map(|subject| say(subject, FORGED)).into()
        }));
    }
    rows.push(Row::new(group, "store a control", &[Stage::Gateway], |world, stage| {
        let subject = format!("ctl.{}.{}", world.run, world.fresh());
        vec![say(subject, content(stage, Stage::Gateway))]
    }));
    rows.push(Row::new(
        group,
        "store sealed truth",
        &[Stage::Gateway],
        |world, stage| {
            let subject = format!("sealed.gateway.{}.{}", world.digest, world.fresh());
            vec![say(subject, content(stage, Stage::Gateway))]
        },
    ));
    let what = "publish on a subject outside the table";
    rows.push(Row::new(group, what, &[], |world, stage| {
        let run = world.run;
        let own = ["", ".1", ".x.1.more"].map(|rest| format!("evt.{stage}{rest}"));
        let others = [
            "outside.x",
            "work.executor.x",
            "$KV.RUNS.x",
            "$O.X.C.y",
            "_R_.abc.def",
            "core.x",
            "core.API.x",
            "$SYS.REQ.SERVER.PING",
            "$SYS.REQ.USER.INFO",
            "$SYS.REQ.ACCOUNT.PING.CONNZ",
            "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES.EVT_PLANNER.gateway",
            "$JS.FC.EVT_PLANNER.gateway.x",
        ];
        let inboxes = Stage::ALL.map(|victim| format!("_INBOX_{victim}.probe.{run}"));
        let all = own.into_iter().chain(others.map(str::to_owned)).chain(inboxes);
        all.map(|subject| say(subject, FORGED)).collect()
    }));
    rows
}

fn changing() -> Vec<Row> {
    let group = "change what is stored";
    // Records were stored in order, so the first one has sequence 1.
    let overwrites: [(&str, &[(&str, &str)]); 4] = [
        ("overwrite its own record", &[]),
        (
            "overwrite its own record, knowing its sequence",
            &[("Nats-Expected-Last-Subject-Sequence", "1")],
        ),
        ("roll up its own record", &[("Nats-Rollup", "sub")]),
        ("roll up its whole stream", &[("Nats-Rollup", "all")]),
    ];
    let mut rows = Vec::new();
    for (what, headers) in overwrites {
        rows.push(Row::new(group, what, &[], move |world, stage| {
            let subject = format!("evt.{stage}.{}.1", world.run);
            vec![with_headers(subject, headers, FORGED)]
        }));
    }
    rows.push(Row::new(
        group,
        "overwrite its own blob, call or control",
        &[],
        |world, stage| {
            let (run, digest) = (world.run, world.digest);
            let subjects = [
                format!("blob.{stage}.{digest}.0"),
                format!("call.{stage}.{run}.{digest}"),
                format!("ctl.{run}.1"),
                format!("sealed.gateway.{digest}.0"),
            ];
            // Without its subject's message in the stream, a call would be new: only callers have one.
            let stored = subjects.into_iter().filter(move |subject| match stage {
                Stage::Planner | Stage::Generator => !subject.starts_with("sealed"),
                Stage::Verifier | Stage::Executor | Stage::Gateway => true,
            });
            stored.map(|subject| say(subject, FORGED)).collect()
        },
    ));
    let specials: [(&str, &[(&str, &str)]); 6] = [
        ("store a record that rolls up all others", &[("Nats-Rollup", "all")]),
        ("store a record that expires", &[("Nats-TTL", "1s")]),
        ("store a record that counts", &[("Nats-Incr", "+1")]),
        (
            "store records as a batch",
            &[
                ("Nats-Batch-Id", "b"),
                ("Nats-Batch-Sequence", "1"),
                ("Nats-Batch-Commit", "1"),
            ],
        ),
        (
            "store a record in a stream of another name",
            &[("Nats-Expected-Stream", "EVT_NOBODY")],
        ),
        (
            "have another's record stored at a set time",
            &[
                ("Nats-Schedule", "@at 2020-01-01T00:00:00Z"),
                ("Nats-Schedule-Target", "evt.verifier.x.1"),
            ],
        ),
    ];
    for (what, headers) in specials {
        rows.push(Row::new(group, what, &[], move |world, stage| {
            let subject = format!("evt.{stage}.{}.{}", world.run, world.fresh());
            vec![with_headers(subject, headers, FORGED)]
        }));
    }
    rows
}

fn acking() -> Vec<Row> {
    let mut rows = Vec::new();
    for (from, to) in EDGES {
        let what = format!("ack what the {to} got from the {from}");
        rows.push(Row::new("ack", what, &[to], move |world, stage| {
            let mut kinds = vec!["+ACK", "+TERM", "+NXT"];
            if stage != to {
                kinds.extend(["-NAK", "+WPI", ""]);
            }
            let mut ack = |kind: &str| say(world.take_delivery(from, to), kind.to_owned());
            kinds.into_iter().map(&mut ack).collect()
        }));
    }
    rows
}

fn managing() -> Vec<Row> {
    let streams = || {
        let of_stages = Stage::ALL
            .into_iter()
            .flat_map(|stage| [record_stream(stage), blob_stream(stage)]);
        of_stages.chain([SEALED_STREAM.to_owned()])
    };
    let on_streams: [(&str, &[(&str, &str)]); 6] = [
        ("delete a stored message", &[("STREAM.MSG.DELETE", r#"{"seq":1}"#)]),
        ("purge a stream", &[("STREAM.PURGE", "")]),
        ("delete a stream", &[("STREAM.DELETE", "")]),
        (
            "copy, replace or move a stream",
            &[
                ("STREAM.SNAPSHOT", r#"{"deliver_subject":"outside.copy"}"#),
                ("STREAM.RESTORE", "{}"),
                ("STREAM.PEER.REMOVE", r#"{"peer":"x"}"#),
                ("STREAM.LEADER.STEPDOWN", ""),
            ],
        ),
        (
            "list a stream's consumers",
            &[("CONSUMER.NAMES", ""), ("CONSUMER.LIST", "{}")],
        ),
        ("ask how a stream is doing", &[("STREAM.INFO", "")]),
    ];
    let mut rows = Vec::new();
    for (what, calls) in on_streams {
        rows.push(Row::new("manage", what, &[], move |_, _| {
            let each =
                streams().flat_map(|stream| calls.iter().map(move |(call, body)| (format!("{call}.{stream}"), body)));
            each.flat_map(|(call, body)| api(&call, body)).collect()
        }));
    }
    rows.push(Row::new("manage", "create or change a stream", &[], move |_, stage| {
        let mut acts = api("STREAM.CREATE.SPY", r#"{"name":"SPY","subjects":["spy.>"]}"#);
        for stream in streams() {
            let body = format!(r#"{{"name":"{stream}","subjects":["evt.{stage}.*.*"],"storage":"file"}}"#);
            acts.extend(api(&format!("STREAM.UPDATE.{stream}"), &body));
            acts.extend(api(&format!("STREAM.CREATE.{stream}"), &body));
        }
        acts
    }));
    rows.push(Row::new("manage", "create or change a consumer", &[], move |_, stage| {
        let mut acts = Vec::new();
        for stream in streams() {
            for name in ["spy", consumer(stage)] {
                let body = format!(
                    r#"{{"stream_name":"{stream}","config":{{"durable_name":"{name}","name":"{name}","ack_policy":"explicit"}}}}"#
                );
                let push = body.replace("\"ack_policy\"", "\"deliver_subject\":\"evt.verifier.x.1\",\"ack_policy\"");
                for body in [&body, &push] {
                    acts.extend(api(&format!("CONSUMER.CREATE.{stream}.{name}"), body));
                    acts.extend(api(&format!("CONSUMER.CREATE.{stream}.{name}.evt.>"), body));
                    acts.extend(api(&format!("CONSUMER.DURABLE.CREATE.{stream}.{name}"), body));
                    acts.extend(api(&format!("CONSUMER.CREATE.{stream}"), body));
                }
            }
        }
        acts
    }));
    rows.push(Row::new("manage", "delete, pause or reset a consumer", &[], |_, _| {
        let calls = [
            ("DELETE", ""),
            ("PAUSE", r#"{"pause_until":"2099-01-01T00:00:00Z"}"#),
            ("RESET", "{}"),
            ("UNPIN", r#"{"group":"x"}"#),
            ("LEADER.STEPDOWN", ""),
        ];
        let each = EDGES.into_iter().flat_map(|(from, to)| {
            calls.map(|(call, body)| {
                (
                    format!("CONSUMER.{call}.{}.{}", record_stream(from), consumer(to)),
                    body,
                )
            })
        });
        each.flat_map(|(call, body)| api(&call, body)).collect()
    }));
    rows.push(Row::new(
        "manage",
        "ask about or manage the account",
        &[],
        |_: &mut World, _| {
            let calls = [
                "INFO",
                "STREAM.NAMES",
                "STREAM.LIST",
                "META.LEADER.STEPDOWN",
                "SERVER.REMOVE",
                "ACCOUNT.PURGE.CORE",
            ];
            calls.into_iter().flat_map(|call| api(call, "{}")).collect::<Vec<Act>>()
        },
    ));
    rows
}
