//! Why a run is where it is: the same first sentence in every place where it is told, for every way to end.

use crate::chain::Chain;
use crate::moves::{self, TASK};
use crate::pages::{self, planned, written};
use crate::samples::finding;
use crate::standing::run;
use interlock_cli::commands::standing;
use interlock_cli::report::render;
use interlock_cli::view::{Run, cause, json, report, show};
use interlock_domain::payload::{Answer, Decision, End, Execution, Judgement, Payload};
use interlock_domain::state::Phase;
use interlock_domain::{FailureClass, Finding, Location};
use interlock_proto::v1::control::Action;
use interlock_proto::v1::{Cancel, Control};

/// What the page of a run says before anything else, after it was looked at that all tell the same.
fn told(run: &Run) -> (String, String) {
    let (_, sentence) = cause::sentence(run);
    let page = render(run, &pages::files()).unwrap();
    let result = json::result(run, standing(run).code());
    assert_eq!(result["sentence"], sentence);
    for text in [report::report(run).text(), show::show(run).text()] {
        let first = text.lines().next().unwrap().to_owned();
        assert!(first.ends_with(&format!("({}): {sentence}", run.task())), "{first}");
    }
    let escaped = sentence
        .replace('<', "&#60;")
        .replace('>', "&#62;")
        .replace('"', "&#34;")
        .replace('\'', "&#39;");
    assert!(
        page.contains(&format!("<p class=\"lead\">{escaped}</p>")),
        "{sentence}\n{page}"
    );
    let main = page.split_once("<main>").unwrap().1;
    let first = main.split_once("</section>").unwrap().0;
    (sentence, first.to_owned())
}

/// A run whose program ended like this.
fn ran(change: impl FnOnce(&mut Execution)) -> Chain {
    let mut chain = planned("ada");
    written(&mut chain);
    chain
        .then(|state| Payload::ExecutionStarted(moves::started(state)))
        .then(|state| {
            let mut execution = moves::broken(state, FailureClass::Memory);
            change(&mut execution);
            Payload::Execution(execution)
        });
    chain
}

/// The same, ended by whoever was asked.
fn stopped(mut chain: Chain) -> Run {
    chain
        .then(|state| Payload::Answer(moves::answer(state, Decision::Reject)))
        .then(|state| Payload::Outcome(moves::outcome(state)));
    run(&chain, "failed")
}

fn has(text: &str, all: &[&str]) {
    for part in all {
        assert!(text.contains(part), "{part}\nis not in\n{text}");
    }
}

#[test]
fn a_limit_is_named_with_what_was_measured() {
    for (limit, class, measured) in [
        ("memory", FailureClass::Memory, "measured: 8192 MiB; allowed: 2048 MiB"),
        ("wall", FailureClass::Timeout, "measured: 1.0 s; allowed: 10 min 0 s"),
        ("cpu", FailureClass::Timeout, "measured: 900 ms of CPU time"),
        (
            "processes",
            FailureClass::Processes,
            "measured: 4 processes; allowed: 64",
        ),
        ("output", FailureClass::Output, "measured: 10 B; allowed: 64 MiB"),
        ("stall", FailureClass::Stall, "measured: no output, after 1.0 s in all"),
        ("disk", FailureClass::Disk, "allowed: 2048 MiB in all"),
    ] {
        let chain = ran(|execution| {
            execution.observed.as_mut().unwrap().end = End::Limit(limit.to_owned());
            let reason = format!("the {limit} limit ended it after 1000 ms");
            execution.judgement = Judgement::Failed(class, vec![reason]);
            execution.findings.clear();
        });
        let (sentence, first) = told(&stopped(chain));
        assert_eq!(
            sentence,
            format!("failed ({class}): the {limit} limit ended it after 1000 ms")
        );
        has(
            &first,
            &[
                "id=\"cause\"",
                measured,
                &format!("<b>{class}</b>"),
                "needed to go on",
                "told to stop by ada",
            ],
        );
    }
}

#[test]
fn an_exception_is_told_with_its_line_and_what_was_printed() {
    let chain = ran(|execution| {
        let at = Location {
            file: "src/data.py".to_owned(),
            line: 4,
            column: 0,
        };
        let message = "MemoryError: no room\nTraceback (most recent call last):\n  File \"src/data.py\", line 4";
        execution.findings = vec![Finding::new("run/exception", at, message)];
        execution.judgement = Judgement::Failed(FailureClass::Memory, vec!["MemoryError: no room".to_owned()]);
    });
    let run = stopped(chain);
    let mut files = pages::files();
    files
        .artifacts
        .insert("stderr.log".to_owned(), b"said <b>at</b> the end\n".to_vec());
    assert_eq!(told(&run).0, "failed (memory): MemoryError: no room, at src/data.py:4");
    let page = render(&run, &files).unwrap();
    let first = page
        .split_once("<main>")
        .unwrap()
        .1
        .split_once("</section>")
        .unwrap()
        .0
        .to_owned();
    has(
        &first,
        &[
            "    4 | x = Path(1)",
            "Traceback (most recent call last)",
            "its own words, which prove nothing",
            "said &#60;b&#62;at",
            "raise limits.memory_mb (now 2048)",
        ],
    );
}

#[test]
fn an_end_without_a_record_quotes_the_last_words() {
    let chain = ran(|execution| {
        let message = "it exited with status 3\nwarning\nfatal: no such thing";
        execution.findings = vec![Finding::new("run/ended", Location::file("src/experiment.py"), message)];
        let reason = "it exited with status 3: warning\nfatal: no such thing".to_owned();
        execution.judgement = Judgement::Failed(FailureClass::Memory, vec![reason]);
    });
    let (sentence, _) = told(&stopped(chain));
    assert_eq!(
        sentence,
        "failed (memory): it exited with status 3; the last it printed is \"fatal: no such thing\""
    );
}

#[test]
fn checks_that_are_not_passed_are_told_with_why_nobody_goes_on() {
    let mut chain = planned("ada");
    while !matches!(chain.state.phase, Phase::Guidance { .. }) {
        chain
            .then(|state| Payload::Candidate(moves::expected_candidate(state)))
            .then(|state| {
                let found = vec![finding("imports/relative", "src/data.py", 4)];
                Payload::Verdict(moves::fail(state, FailureClass::Code, found))
            });
    }
    let mut waiting = run(&chain, "waiting");
    waiting.view.gate = "guidance".to_owned();
    let (sentence, first) = told(&waiting);
    assert!(
        sentence.starts_with("waits for guidance (code): src/data.py:4:3: imports/relative: imports/relative does"),
        "{sentence}"
    );
    assert!(sentence.ends_with("; the same fault was found 3 times"), "{sentence}");
    has(
        &first,
        &[
            "repair of src/data.py (answer 2)",
            "repair of src/data.py (answer 3)",
            "    4 | x = Path(1)",
        ],
    );
    let (sentence, _) = told(&stopped(chain));
    assert!(sentence.starts_with("failed (code): src/data.py:4:3"), "{sentence}");
}

#[test]
fn a_stage_that_gave_up_is_told_in_its_own_words() {
    let mut chain = Chain::new();
    chain
        .push(moves::request(TASK))
        .then(|_| Payload::StageFailure(moves::stage_failure(FailureClass::Model, "plan", 3)));
    let (sentence, first) = told(&stopped(chain));
    assert_eq!(sentence, "failed (model): it cannot go on");
    has(
        &first,
        &["answer/cut", "check the model&#39;s address", "plan answer 3 refused"],
    );
}

#[test]
fn a_refusal_says_which_criterion_does_not_hold() {
    let mut chain = crate::stations::at("running");
    chain
        .then(|state| Payload::Execution(moves::poor(state)))
        .then(|state| Payload::Outcome(moves::outcome(state)));
    let (sentence, first) = told(&run(&chain, "refused"));
    assert_eq!(sentence, "refused: accuracy 0.5 is less than 0.9");
    has(
        &first,
        &[
            "missed: test accuracy ≥ 0.9",
            "a result for which it holds that test accuracy ≥ 0.9",
        ],
    );
}

#[test]
fn a_rejected_plan_is_a_human_s_word_and_no_fault() {
    let mut chain = Chain::new();
    chain
        .push(moves::request(TASK))
        .then(|state| Payload::PlanProposal(moves::proposal(state)))
        .then(|state| {
            Payload::Answer(Answer {
                text: "too <large>".to_owned(),
                ..moves::answer(state, Decision::Reject)
            })
        })
        .then(|state| Payload::Outcome(moves::outcome(state)));
    let (sentence, first) = told(&run(&chain, "refused"));
    assert_eq!(sentence, "refused: the plan was rejected by ada: too <large>");
    has(&first, &["plan, answer 1", "a task, or a plan, that nobody rejects"]);
}

#[test]
fn a_cancellation_is_told_with_what_it_met() {
    let mut chain = ran(|_| {});
    chain.cancel("grace");
    let mut cancelled = run(&chain, "cancelled");
    cancelled.view.cancelled_by = "grace".to_owned();
    cancelled.view.controls = vec![Control {
        action: Some(Action::Cancel(Cancel {
            by: "grace".to_owned(),
            reason: "enough".to_owned(),
        })),
        ..Control::default()
    }];
    let (sentence, first) = told(&cancelled);
    assert_eq!(sentence, "cancelled by grace: enough");
    has(
        &first,
        &[
            "when it was cancelled, the last record was: [executor] program",
            "submit the task again",
        ],
    );
}

#[test]
fn a_run_that_went_well_or_goes_on_has_no_cause() {
    let (sentence, first) = told(&run(&pages::mended(), "accepted"));
    assert_eq!(sentence, "accepted: its one criterion is met");
    assert!(!first.contains("id=\"cause\""));
    for station in ["planning", "plan gate"] {
        let mut run = run(&crate::stations::at(station), "active");
        run.view.gate = if station == "plan gate" {
            "plan".to_owned()
        } else {
            String::new()
        };
        assert!(!told(&run).1.contains("id=\"cause\""), "{station}");
    }
}

#[test]
fn a_run_whose_chain_cannot_be_read_says_so() {
    let mut stuck = run(&crate::stations::at("plan gate"), "stuck");
    stuck.unread = vec!["evt.planner.x.2: its signature is not the planner's".to_owned()];
    let (sentence, _) = told(&stuck);
    assert_eq!(sentence, "stuck: evt.planner.x.2: its signature is not the planner's");
}
