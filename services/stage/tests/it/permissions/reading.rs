//! What a stage reads: records, blobs, model calls, sealed truth, and what the broker would deliver to it.

use super::act::{Row, api, say};
use interlock_domain::Stage::{self, Executor, Gateway, Generator, Planner, Verifier};
use interlock_domain::authority::{SEALED_STREAM, blob_stream, record_stream};

const GROUP: &str = "read";

/// Who wakes whom, written out by hand.
const WAKES: [(Stage, &[Stage]); 5] = [
    (Planner, &[Gateway]),
    (Generator, &[Verifier, Gateway]),
    (Verifier, &[Generator, Executor, Gateway]),
    (Executor, &[Generator, Gateway]),
    (Gateway, &[Planner, Generator, Verifier, Executor]),
];

pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for writer in Stage::ALL {
        rows.extend(of(writer));
    }
    rows.push(get("a control", &Stage::ALL, record_stream(Gateway), |run, _| {
        format!("ctl.{run}.1")
    }));
    rows.push(get(
        "sealed truth",
        &[Executor],
        SEALED_STREAM.to_owned(),
        |_, digest| format!("sealed.gateway.{digest}.0"),
    ));
    rows.push(by_sequence("sealed truth", &[], SEALED_STREAM.to_owned()));
    for (from, woken) in WAKES {
        for to in Stage::ALL {
            rows.extend(deliveries(from, to, woken.contains(&to)));
        }
    }
    rows.push(Row::new(
        GROUP,
        "read any message through the stream's own interface",
        &[],
        |_, _| {
            let streams = Stage::ALL
                .into_iter()
                .flat_map(|stage| [record_stream(stage), blob_stream(stage)]);
            let all = streams.chain([SEALED_STREAM.to_owned()]);
            all.flat_map(|stream| api(&format!("STREAM.MSG.GET.{stream}"), r#"{"seq":1}"#))
                .collect()
        },
    ));
    rows.push(Row::new(
        GROUP,
        "read with a body that asks for something else",
        &[],
        |world, _| {
            // No such content is stored: an answer with content can only be what the body asks for.
            let nothing = "0".repeat(64);
            let run = world.run;
            let bodies = [
                format!(r#"{{"last_by_subj":"call.generator.{run}.{}"}}"#, world.digest),
                r#"{"next_by_subj":"call.>"}"#.to_owned(),
                r#"{"seq":1}"#.to_owned(),
                r#"{"multi_last":[">"]}"#.to_owned(),
                r#"{"seq":1,"batch":9}"#.to_owned(),
            ];
            let places = Stage::ALL.map(|stage| {
                [
                    format!("{}.blob.{stage}.{nothing}.0", blob_stream(stage)),
                    format!("{}.call.{stage}.{run}.{nothing}", blob_stream(stage)),
                    format!("{}.evt.{stage}.{run}.999999", record_stream(stage)),
                ]
            });
            let sealed = format!("{SEALED_STREAM}.sealed.gateway.{nothing}.0");
            let places: Vec<String> = places.into_iter().flatten().chain([sealed]).collect();
            let each = places
                .iter()
                .flat_map(|place| bodies.iter().map(move |body| (place, body)));
            each.flat_map(|(place, body)| api(&format!("DIRECT.GET.{place}"), body))
                .collect()
        },
    ));
    rows
}

/// What one stage has written.
fn of(writer: Stage) -> Vec<Row> {
    let records: &[Stage] = match writer {
        Gateway | Planner => &Stage::ALL,
        Generator | Verifier | Executor => &[Generator, Verifier, Executor, Gateway],
    };
    let blobs: &[Stage] = match writer {
        Planner => &[Planner, Gateway],
        Generator => &[Generator, Verifier, Executor, Gateway],
        Verifier => &[Verifier, Gateway],
        Executor => &[Executor, Gateway],
        Gateway => &Stage::ALL,
    };
    let calls: &[Stage] = match writer {
        Planner => &[Planner],
        Generator => &[Generator],
        Verifier | Executor | Gateway => &[],
    };
    vec![
        get(
            &format!("a record of the {writer}"),
            records,
            record_stream(writer),
            move |run, _| format!("evt.{writer}.{run}.1"),
        ),
        get(
            &format!("a blob of the {writer}"),
            blobs,
            blob_stream(writer),
            move |_, digest| format!("blob.{writer}.{digest}.0"),
        ),
        get(
            &format!("a model call of the {writer}"),
            calls,
            blob_stream(writer),
            move |run, digest| format!("call.{writer}.{run}.{digest}"),
        ),
        by_sequence(
            &format!("the records of the {writer}"),
            &[Gateway],
            record_stream(writer),
        ),
        by_sequence(&format!("the blobs of the {writer}"), &[], blob_stream(writer)),
    ]
}

fn get(
    what: &str,
    may: &[Stage],
    stream: String,
    subject: impl Fn(interlock_domain::RunId, interlock_domain::Digest) -> String + 'static,
) -> Row {
    Row::new(GROUP, format!("read {what}"), may, move |world, _| {
        let subject = subject(world.run, world.digest);
        api(&format!("DIRECT.GET.{stream}.{subject}"), "")
    })
}

fn by_sequence(what: &str, may: &[Stage], stream: String) -> Row {
    Row::new(GROUP, format!("walk through {what}"), may, move |_, _| {
        api(&format!("DIRECT.GET.{stream}"), r#"{"seq":1}"#)
    })
}

fn deliveries(from: Stage, to: Stage, edge: bool) -> [Row; 2] {
    let may = if edge { vec![to] } else { vec![] };
    let name = format!("{}.{to}", record_stream(from));
    let next = format!("CONSUMER.MSG.NEXT.{name}");
    let pull = Row::new(
        GROUP,
        format!("pull what the {from} has for the {to}"),
        &may,
        move |_, _| api(&next, r#"{"batch":1,"no_wait":true}"#),
    );
    let info = format!("CONSUMER.INFO.{name}");
    let look = Row::new(
        GROUP,
        format!("ask how far the {to} is with the {from}"),
        &may,
        move |_, _| vec![say(format!("core.API.{info}"), ""), say(format!("$JS.API.{info}"), "")],
    );
    [pull, look]
}
