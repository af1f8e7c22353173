//! Reports of runs that went well, badly, and of one in which everything that can be a text wants to be more than that.

use crate::chain::Chain;
use crate::moves::{self, TASK};
use crate::samples::{blob, finding, refused_answer};
use crate::standing::run;
use interlock_cli::report::files::Files;
use interlock_cli::report::render;
use interlock_cli::view::Run;
use interlock_domain::FailureClass;
use interlock_domain::check::{CheckAnswer, CheckResult};
use interlock_domain::criteria::{Evidence, Metric};
use interlock_domain::payload::{Decision, End, Execution, Judgement, Payload, Verdict};
use serde_json::json;

/// Markup that would load and run something, a way out of a style sheet and a title, an attribute's end, characters that
/// turn text around, a terminal's command, and a NUL.
pub(crate) const HOSTILE: &str = "<script src=\"http://127.0.0.1:9/x.js\">window.pwned=1</script></style></title></pre>\
    <img src=x onerror=\"window.pwned=1\">\"'><a href=javascript:alert(1)>&lt;{{7*7}} \u{202e}desrever\u{2069} \x1b[2J\0 \u{e0041}";

/// A program's drawing that would like to be a program.
const DRAWN: &str = "<?xml version=\"1.0\"?><svg xmlns=\"http://www.w3.org/2000/svg\" \
    xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"320\" height=\"200\" onload=\"parent.pwned=1\">\
    <script>parent.pwned=1</script><image xlink:href=\"http://127.0.0.1:9/x.png\" width=\"9\" height=\"9\"/>\
    <style>@import url(http://127.0.0.1:9/x.css);</style>\
    <rect width=\"320\" height=\"200\" fill=\"#eef\"/><path d=\"M20 180 L120 90 L220 60 L300 40\" stroke=\"#338\" fill=\"none\"/></svg>";

/// Planned, refused, repaired, and accepted.
pub(crate) fn mended() -> Chain {
    let mut chain = planned("ada");
    chain
        .then(|state| Payload::Candidate(moves::expected_candidate(state)))
        .then(|state| {
            let found = vec![finding("imports/relative", "src/data.py", 4)];
            Payload::Verdict(moves::fail(state, FailureClass::Code, found))
        });
    written(&mut chain);
    chain
        .then(|state| Payload::ExecutionStarted(moves::started(state)))
        .then(|state| {
            Payload::Execution(Execution {
                artifacts: artifacts(),
                ..moves::accepted(state)
            })
        })
        .then(|state| Payload::Outcome(moves::outcome(state)));
    chain
}

/// Up to the approved plan.
pub(crate) fn planned(by: &str) -> Chain {
    let mut chain = Chain::new();
    chain
        .push(moves::request(TASK))
        .then(|state| Payload::PlanProposal(moves::proposal(state)))
        .then(|state| {
            Payload::Answer(interlock_domain::payload::Answer {
                by: by.to_owned(),
                ..moves::answer(state, Decision::Approve)
            })
        });
    chain
}

/// Until the whole workspace has passed.
pub(crate) fn written(chain: &mut Chain) {
    while chain.state.next_actor() != Some(interlock_domain::Stage::Executor) {
        chain
            .then(|state| Payload::Candidate(moves::expected_candidate(state)))
            .then(|state| Payload::Verdict(moves::pass(state)));
    }
}

fn artifacts() -> Vec<interlock_domain::blob::NamedBlob> {
    let files = files();
    let kept = files.artifacts.iter().map(|(name, content)| blob(name, content, false));
    kept.chain([blob("out/huge.png", &vec![7; 3 << 20], false)]).collect()
}

/// What there is to be fetched of any of these runs.
pub(crate) fn files() -> Files {
    let steps = (0..40_u32).flat_map(|step| {
        let x = f64::from(step);
        ["train", "validation"].map(|split| {
            let value = (-x / 12.0).exp() + if split == "train" { 0.0 } else { 0.08 + x / 900.0 };
            json!({"name": "loss", "value": value, "unit": "none", "split": split, "step": step})
        })
    });
    let recorded = json!({"schema": 1, "metrics": steps.collect::<Vec<_>>()});
    let mut files = Files::default();
    let mut put = |name: &str, content: &[u8]| {
        files.artifacts.insert(name.to_owned(), content.to_vec());
    };
    put("out/recorded.json", recorded.to_string().as_bytes());
    put("out/curve.svg", DRAWN.as_bytes());
    put("out/fake.png", HOSTILE.as_bytes());
    put("result.json", b"{\"schema\": 1}");
    put("stdout.log", b"epoch 40: loss 0.04\n");
    put("stderr.log", b"loading all rows at once\n");
    let source = "import os\nfrom pathlib import Path\nfrom .config import RATE\nx = Path(1)\n";
    files.sources.insert("src/data.py".to_owned(), source.to_owned());
    files
}

/// A run in which every text is hostile, with files that are worse.
pub(crate) fn hostile() -> (Run, Files) {
    let task = TASK.replace("Be right.", &HOSTILE.escape_default().to_string().replace("\\'", "'"));
    let task = task
        .replace("\\u{202e}", "\\u202e")
        .replace("\\u{2069}", "\\u2069")
        .replace("\\u{1b}", "\\u001b");
    let task = task.replace("\\u{0}", "\\u0000").replace("\\u{e0041}", "\\U000e0041");
    let mut chain = Chain::new();
    chain
        .push(moves::request(&task))
        .then(|state| {
            let mut proposal = moves::proposal(state);
            proposal.refused = vec![];
            Payload::PlanProposal(proposal)
        })
        .then(|state| {
            let mut answer = moves::answer(state, Decision::Approve);
            answer.by = HOSTILE.to_owned();
            answer.text = format!("{HOSTILE}{}", "x".repeat(100_000));
            Payload::Answer(answer)
        })
        .then(|state| {
            let mut candidate = moves::expected_candidate(state);
            let mut refused = refused_answer("src/data.py", 1);
            refused.findings[0].message = HOSTILE.to_owned();
            for file in &mut candidate.written {
                file.attempt = 2;
                file.call.model = HOSTILE.to_owned();
            }
            candidate.refused = vec![refused, refused_answer("src/model.py", 1)];
            Payload::Candidate(candidate)
        })
        .then(|state| {
            let mut found = finding(HOSTILE, "src/data.py", 3);
            found.message = format!("{HOSTILE}\n{}", "y".repeat(1 << 15));
            let mut verdict = moves::fail(state, FailureClass::Code, vec![found]);
            verdict.checks.push(not_run());
            Payload::Verdict(Verdict {
                tier: HOSTILE.to_owned(),
                interpreter: HOSTILE.to_owned(),
                ..verdict
            })
        });
    written(&mut chain);
    chain
        .then(|state| Payload::ExecutionStarted(moves::started(state)))
        .then(|state| Payload::Execution(hostile_execution(moves::broken(state, FailureClass::Memory))));
    let mut run = run(&chain, "waiting");
    run.view.gate_reasons = vec![HOSTILE.to_owned()];
    run.unread = vec![HOSTILE.to_owned()];
    let mut files = files();
    let long = [
        HOSTILE.as_bytes(),
        &vec![b'z'; 1 << 20],
        b"\xff\xfe\0\r\x07\n",
        HOSTILE.as_bytes(),
    ]
    .concat();
    files.artifacts.insert("stderr.log".to_owned(), long);
    files.sources.insert(
        "src/data.py".to_owned(),
        format!("a\nb\n{HOSTILE}{}\n", "q".repeat(1 << 20)),
    );
    let recorded = json!({"metrics": [
        {"name": HOSTILE, "value": 1.0, "unit": HOSTILE, "split": HOSTILE, "step": 1},
        {"name": HOSTILE, "value": 1e308, "unit": HOSTILE, "split": HOSTILE, "step": u64::MAX},
        {"name": "flat", "value": -1e308, "unit": "", "split": null, "step": 0},
        {"name": "flat", "value": 1e308, "unit": "", "split": null, "step": 1},
    ]});
    let mut recorded = recorded;
    recorded["splits"] = json!([{"name": HOSTILE, "role": HOSTILE, "fold": 1, "rows": 1, "digest": HOSTILE}]);
    recorded["overlaps"] = json!([{"first": 0, "second": usize::MAX, "rows": 1}]);
    recorded["epochs"] = json!({HOSTILE: 1});
    recorded["config"] = json!({"received": {HOSTILE: HOSTILE}, "used": [{"name": HOSTILE, "value": [HOSTILE]}]});
    files
        .artifacts
        .insert("out/recorded.json".to_owned(), recorded.to_string().into_bytes());
    (run, files)
}

fn not_run() -> CheckResult {
    CheckResult {
        check: HOSTILE.to_owned(),
        version: 1,
        answer: CheckAnswer::NotRun {
            reason: HOSTILE.to_owned(),
        },
    }
}

fn hostile_execution(mut execution: Execution) -> Execution {
    let mut seen = execution.observed.take().unwrap();
    seen.end = End::Limit(HOSTILE.to_owned());
    seen.tier = HOSTILE.to_owned();
    execution.observed = Some(seen);
    execution.judgement = Judgement::Failed(FailureClass::Memory, vec![HOSTILE.to_owned()]);
    execution.testimony_json = json!({"best": HOSTILE, "more": HOSTILE.repeat(100)}).to_string();
    execution.artifacts = artifacts();
    execution
        .artifacts
        .push(blob(&format!("out/{HOSTILE}.png"), HOSTILE.as_bytes(), false));
    execution.tampered = vec![HOSTILE.to_owned()];
    execution.findings[0].message = HOSTILE.to_owned();
    execution.metrics.push(Metric {
        name: HOSTILE.to_owned(),
        value: f64::NAN,
        unit: HOSTILE.to_owned(),
        split: HOSTILE.to_owned(),
        evidence: Evidence::Claimed,
    });
    execution
}

/// A program that a limit ended, and a human who did not raise it.
fn failed() -> Run {
    let mut chain = planned("ada");
    written(&mut chain);
    chain
        .then(|state| Payload::ExecutionStarted(moves::started(state)))
        .then(|state| {
            let mut execution = moves::broken(state, FailureClass::Memory);
            execution.observed.as_mut().unwrap().end = End::Limit("memory".to_owned());
            execution.judgement = Judgement::Failed(
                FailureClass::Memory,
                vec!["the memory limit ended it after 1000 ms".to_owned()],
            );
            execution.findings.clear();
            execution.artifacts = artifacts();
            Payload::Execution(execution)
        })
        .then(|state| Payload::Answer(moves::answer(state, Decision::Reject)))
        .then(|state| Payload::Outcome(moves::outcome(state)));
    run(&chain, "failed")
}

/// Every page, by name.
pub(crate) fn all() -> Vec<(&'static str, String)> {
    let page = |run: &Run| render(run, &files()).unwrap();
    let (run_of_lies, lies) = hostile();
    vec![
        ("failed", page(&failed())),
        ("accepted", page(&run(&mended(), "accepted"))),
        ("planned", page(&run(&planned("ada"), "active"))),
        ("empty", page(&run(&Chain::new(), "stuck"))),
        ("hostile", render(&run_of_lies, &lies).unwrap()),
    ]
}
