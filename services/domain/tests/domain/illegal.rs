//! Records about plans, answers and files that may not come where they come.

use crate::chain::Chain;
use crate::moves::{self, answer, candidate, expected_candidate, fail};
use crate::samples::{blob, digest, entry, finding, path, planned, request};
use crate::stations;
use interlock_domain::manifest::Entry;
use interlock_domain::owned::{entry_of, harness_digest};
use interlock_domain::payload::{Answer, Candidate, Decision, Gate, Payload, PlanProposal, Request, WrittenFile};
use interlock_domain::state::{Illegal, Phase};
use interlock_domain::{FailureClass, Manifest, Owner, Plan, RunId, Stage, WorkspacePath};

/// That `payload` is refused with these words, and changes nothing.
pub(crate) fn refused(chain: &mut Chain, payload: Payload, why: &str) {
    let before = format!("{:?}", chain.state);
    let name = payload.name();
    let error = chain.attempt(payload).expect_err(why).to_string();
    assert!(
        error.contains(why),
        "{name} was refused for another reason than {why:?}: {error}"
    );
    assert_eq!(format!("{:?}", chain.state), before);
}

#[test]
fn a_record_stands_where_its_number_and_its_parent_say() {
    for station in stations::ALL.into_iter().filter(|s| *s != "finished") {
        let mut chain = stations::at(station);
        let good = chain.record(moves::choices(&chain.state).remove(0));
        let seq = chain.state.seq;
        for got in [seq, seq.saturating_sub(1), seq + 2, u64::MAX] {
            let mut record = good.clone();
            record.seq = got;
            if got > 0 {
                assert_eq!(
                    chain.try_record(&record),
                    Err(Illegal::Sequence { after: seq, got }),
                    "{station}"
                );
            }
        }
        for parent in [
            None,
            Some(digest("another")),
            good.parent.map(|d| digest(&d.to_string())),
        ] {
            let mut record = good.clone();
            record.parent = parent;
            if parent != good.parent {
                assert_eq!(chain.try_record(&record), Err(Illegal::Parent), "{station}");
            }
        }
        let mut record = good.clone();
        record.run = RunId::from_parts(5, 5);
        assert_eq!(chain.try_record(&record), Err(Illegal::Run));
        for stage in Stage::ALL.into_iter().filter(|stage| *stage != good.stage) {
            let mut record = good.clone();
            record.stage = stage;
            assert_eq!(chain.try_record(&record), Err(Illegal::Stage(stage)), "{station}");
        }
        assert_eq!(chain.try_record(&good), Ok(()), "{station}");
        // The same record once more is a duplicate.
        let after = seq + 1;
        assert_eq!(chain.try_record(&good), Err(Illegal::Sequence { after, got: after }));
    }
}

#[test]
fn a_request_that_nobody_could_carry_out_is_refused() {
    let mut chain = Chain::new();
    refused(&mut chain, moves::request("name = \"x\"\n"), "goal");
    let shown = |request: Request| {
        Payload::Request(Request {
            task_toml: moves::TASK.to_owned(),
            ..request
        })
    };
    let truth = || blob("other-name.csv", b"id,label\n", false);
    let as_input = Request {
        inputs: vec![truth()],
        ..request()
    };
    refused(&mut chain, shown(as_input), "truth is also among");
    let as_lock = Request {
        lock: Some(truth()),
        ..request()
    };
    refused(&mut chain, shown(as_lock), "truth is also among");
    chain.push(moves::request(moves::TASK));
}

#[test]
fn a_plans_answer_is_numbered_anew() {
    let mut chain = stations::at("plan gate");
    chain.then(|s| Payload::Answer(answer(s, Decision::Revise)));
    let again = PlanProposal {
        attempt: 1,
        ..moves::proposal(&chain.state)
    };
    refused(&mut chain, Payload::PlanProposal(again), "used before");
}

#[test]
fn an_answer_names_the_gate_and_what_it_answers() {
    let mut chain = stations::at("plan gate");
    let old = answer(&chain.state, Decision::Approve);
    chain.then(|s| Payload::Answer(answer(s, Decision::Revise)));
    let files = vec![planned("src/experiment.py", &[])];
    let other = PlanProposal {
        plan: Plan::new(files).unwrap(),
        ..moves::proposal(&chain.state)
    };
    chain.push(Payload::PlanProposal(other));
    refused(&mut chain, Payload::Answer(old), "another plan");
    let good = || answer(&chain.state, Decision::Approve);
    let guidance = Answer {
        gate: Gate::Guidance,
        ..good()
    };
    let nobody = Answer {
        by: " \t".to_owned(),
        ..good()
    };
    let silent = Answer {
        text: " ".to_owned(),
        ..answer(&chain.state, Decision::Revise)
    };
    let automatic = Answer {
        automatic: true,
        ..good()
    };
    let second = good();
    refused(&mut chain, Payload::Answer(guidance), "another gate");
    refused(&mut chain, Payload::Answer(nobody), "who gave it");
    refused(&mut chain, Payload::Answer(silent), "what to change");
    refused(&mut chain, Payload::Answer(automatic), "no policy");
    chain.push(Payload::Answer(second.clone()));
    // The first answer stands.
    refused(&mut chain, Payload::Answer(second), "may not write");
    assert_eq!(chain.phase(), &Phase::Writing { level: 1 });
}

#[test]
fn an_answer_to_an_older_question_is_refused() {
    let mut chain = stations::at("verifying 1");
    let timeout = |chain: &mut Chain| {
        let wrong = vec![finding("slow", "src/data.py", 1)];
        chain.then(|s| Payload::Verdict(fail(s, FailureClass::Timeout, wrong)));
    };
    timeout(&mut chain);
    let first = answer(&chain.state, Decision::Approve);
    let revise = answer(&chain.state, Decision::Revise);
    refused(&mut chain, Payload::Answer(revise), "at the guidance gate");
    let of_plan = Answer {
        gate: Gate::Plan,
        about: moves::plan().digest(),
        ..first.clone()
    };
    refused(&mut chain, Payload::Answer(of_plan), "another gate");
    chain.push(Payload::Answer(first.clone()));
    timeout(&mut chain);
    // The very same question, asked by another record.
    refused(&mut chain, Payload::Answer(first), "another plan or question");
}

/// The expected candidate of this state with changes made to it.
fn changed(chain: &Chain, change: impl FnOnce(&mut Candidate)) -> Payload {
    let mut candidate = expected_candidate(&chain.state);
    change(&mut candidate);
    Payload::Candidate(candidate)
}

fn put(candidate: &mut Candidate, at: &str, entry: Entry) {
    candidate.manifest = candidate.manifest.with([(path(at), entry)]).unwrap();
}

fn without(manifest: &Manifest, at: &str) -> Manifest {
    let kept = manifest.iter().filter(|(path, _)| path.as_str() != at);
    Manifest::new(kept.map(|(path, entry)| (path.clone(), *entry))).unwrap()
}

fn write(candidate: &mut Candidate, at: &str, content: &str) {
    let path: WorkspacePath = path(at);
    put(candidate, at, entry(content));
    let file = candidate.written[0].clone();
    candidate.written.push(WrittenFile {
        path,
        digest: digest(content),
        attempt: 50,
        ..file
    });
}

#[test]
fn a_candidate_writes_its_level_and_nothing_else() {
    let mut chain = stations::at("writing 1");
    let cases: [(&str, fn(&mut Candidate)); 11] = [
        ("another level", |c| c.level = 2),
        ("write something", |c| c.written.clear()),
        ("each file once", |c| c.written.push(c.written[0].clone())),
        ("exactly the files of level 1", |c| drop(c.written.pop())),
        ("exactly the files of level 1", |c| write(c, "src/extra.py", "x")),
        ("exactly the files of level 1", |c| write(c, "src/experiment.py", "x")),
        ("missing", |c| c.manifest = without(&c.manifest, "src/data.py")),
        ("src/data.py changed", |c| {
            put(c, "src/data.py", entry("something else"))
        }),
        ("src/data.py changed", |c| {
            put(c, "src/data.py", entry_of("# src/data.py 1\n", Owner::User))
        }),
        ("src/data.py changed", |c| {
            let loose = Entry {
                mode: 0o755,
                ..entry("# src/data.py 1\n")
            };
            put(c, "src/data.py", loose);
        }),
        ("src/sly.py changed", |c| put(c, "src/sly.py", entry("not mentioned"))),
    ];
    for (why, change) in cases {
        let payload = changed(&chain, change);
        refused(&mut chain, payload, why);
    }
    chain.then(|s| Payload::Candidate(expected_candidate(s)));
}

#[test]
fn a_candidate_never_touches_what_is_ours() {
    for station in ["writing 1", "writing 2"] {
        let mut chain = stations::at(station);
        let ours = |content: &str| entry_of(content, Owner::Harness);
        let mine = changed(&chain, |c| put(c, "src/main.py", entry("mine now")));
        refused(&mut chain, mine, "src/main.py changed");
        let forged = changed(&chain, |c| put(c, "src/recorder.py", ours("records what I like")));
        refused(&mut chain, forged, "src/recorder.py changed");
        let planted = changed(&chain, |c| put(c, "src/random.py", ours("x")));
        refused(&mut chain, planted, "src/random.py changed");
    }
    // A chain of another build's harness cannot be compared with this one's files, and is replayed.
    let mut chain = Chain::new();
    let older = Request {
        task_toml: moves::TASK.to_owned(),
        ..request()
    };
    assert_ne!(older.harness, harness_digest());
    chain.push(Payload::Request(older));
    chain.then(|s| Payload::PlanProposal(moves::proposal(s)));
    chain.then(|s| Payload::Answer(answer(s, Decision::Approve)));
    let other = entry_of("an older recorder", Owner::Harness);
    let payload = changed(&chain, |c| put(c, "src/recorder.py", other));
    chain.push(payload);
}

#[test]
fn a_candidate_keeps_what_is_there() {
    let mut chain = stations::at("writing 2");
    let cases: [(&str, fn(&mut Candidate)); 4] = [
        ("src/data.py of level 1 is missing", |c| {
            c.manifest = without(&c.manifest, "src/data.py")
        }),
        ("src/main.py disappeared", |c| {
            c.manifest = without(&c.manifest, "src/main.py")
        }),
        ("src/data.py changed", |c| put(c, "src/data.py", entry("quietly other"))),
        ("exactly the files of level 2", |c| {
            write(c, "src/data.py", "openly other")
        }),
    ];
    for (why, change) in cases {
        let payload = changed(&chain, change);
        refused(&mut chain, payload, why);
    }
}

#[test]
fn a_repair_obeys_every_rule_that_writing_obeys() {
    let mut chain = stations::at("verifying 1");
    chain.then(|s| Payload::Verdict(fail(s, FailureClass::Code, vec![finding("x", "src/data.py", 1)])));
    assert_eq!(chain.phase(), &Phase::Repairing { level: 1 });
    let cases: [(&str, fn(&mut Candidate)); 10] = [
        ("another level", |c| c.level = 2),
        ("write something", |c| c.written.clear()),
        ("each file once", |c| c.written.push(c.written[0].clone())),
        ("not planned", |c| write(c, "src/extra.py", "x")),
        ("not of a level that is reached", |c| write(c, "src/experiment.py", "x")),
        ("would run before", |c| write(c, "src/sitecustomize.py", "x")),
        ("written by the harness itself", |c| {
            let file = c.written[0].clone();
            c.written.push(WrittenFile {
                path: path("src/main.py"),
                ..file
            });
        }),
        ("used before", |c| c.written[0].attempt = 1),
        ("src/model.py changed", |c| {
            put(c, "src/model.py", entry("quietly other"))
        }),
        ("src/model.py of level 1 is missing", |c| {
            c.manifest = without(&c.manifest, "src/model.py")
        }),
    ];
    for (why, change) in cases {
        let payload = changed(&chain, change);
        refused(&mut chain, payload, why);
    }
    chain.then(|s| Payload::Candidate(candidate(s, &["src/data.py", "src/model.py"])));
}
