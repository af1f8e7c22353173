//! Small runs, explored whole: workers that die and repeat their work, late and doubled records, and a cancel at every
//! step. `search` looks at what is legal in each state; this looks at what the ways through them have in common.

use crate::chain::{next_control, next_record, opened, opened_control};
use crate::moves::{TASK, automatic_task, choices, request};
use crate::samples::{planned, run_id};
use crate::search::{hold, shape};
use interlock_domain::payload::{Answer, Decision, Gate, Payload, PlanProposal};
use interlock_domain::state::{Event, Illegal, Phase, Status, apply};
use interlock_domain::{FailureClass, Finding, Opened, Plan, Record, RunState, Stage};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::rc::Rc;

/// A run that is small enough to be explored to the end of every way.
struct Small {
    levels: u32,
    automatic: bool,
}

/// A state, the way that led there, and every record that a worker could write next.
struct Node {
    state: RunState,
    key: String,
    next: Vec<Opened<Record>>,
    way: Option<Rc<Step>>,
    approvals: u32,
}

/// One step of a way: the record that was stored, and those that could have been in its place.
struct Step {
    before: Option<Rc<Step>>,
    taken: Opened<Record>,
    all: Vec<Opened<Record>>,
}

impl Small {
    fn task(&self) -> String {
        let task = if self.automatic {
            automatic_task()
        } else {
            TASK.to_owned()
        };
        task.replace("repairs = 4", "repairs = 1")
    }

    /// No plan is like the one before it, so that an answer to one cannot be taken for an answer to the other.
    fn plan(&self, attempt: u32) -> Plan {
        let needs: &[&str] = if self.levels == 1 { &[] } else { &["src/data.py"] };
        let mut files = vec![planned("src/data.py", &[]), planned("src/experiment.py", needs)];
        for file in &mut files {
            file.purpose = format!("what it is for, said for the {attempt}. time");
        }
        let plan = Plan::new(files).unwrap();
        assert_eq!(plan.level_count(), self.levels);
        plan
    }

    /// What the next actor could write. It is told nothing of a death before: who repeats its work may come to
    /// another result, so every result is possible every time.
    fn next(&self, state: &RunState) -> Vec<Opened<Record>> {
        let mut payloads = match state.phase {
            Phase::New => vec![request(&self.task())],
            _ => choices(state),
        };
        payloads.retain(|payload| !matches!(payload, Payload::StageFailure(f) if f.failure == FailureClass::Model));
        for payload in &mut payloads {
            if let Payload::PlanProposal(PlanProposal { plan, attempt, .. }) = payload {
                *plan = self.plan(*attempt);
            }
        }
        let by_policy = payloads.iter().filter_map(|payload| match payload {
            Payload::Answer(answer) if self.automatic && answers_itself(answer) => {
                let by = "policy".to_owned();
                let answer = answer.clone();
                Some(Payload::Answer(Answer {
                    automatic: true,
                    by,
                    ..answer
                }))
            }
            _ => None,
        });
        let by_policy: Vec<Payload> = by_policy.collect();
        payloads.extend(by_policy);
        let records = payloads.into_iter().map(|payload| opened(next_record(state, payload)));
        records.collect()
    }

    fn node(&self, state: RunState, way: Option<Rc<Step>>, approvals: u32) -> Node {
        let next = self.next(&state);
        let findings: BTreeSet<_> = state.findings.iter().map(Finding::fingerprint).collect();
        let faults: Vec<_> = state.faults.keys().collect();
        // A result of an earlier start can only be late where there was one.
        let started_again = state.executions > 1;
        let key = format!("{} {approvals} {started_again} {faults:?} {findings:?}", shape(&state));
        Node {
            state,
            key,
            next,
            way,
            approvals,
        }
    }
}

fn answers_itself(answer: &Answer) -> bool {
    match answer.gate {
        Gate::Plan => answer.decision == Decision::Approve,
        Gate::Guidance => answer.decision == Decision::Reject,
    }
}

impl Node {
    fn after(&self, record: &Opened<Record>) -> Result<RunState, Illegal> {
        apply(self.state.clone(), Event::Record(record))
    }

    fn steps(&self) -> impl Iterator<Item = &Step> {
        std::iter::successors(self.way.as_deref(), |step| step.before.as_deref())
    }

    /// Exactly one stage is to act, and can, or the run has ended and stays so.
    fn somebody_acts(&self) {
        hold(&self.state);
        assert_eq!(self.next.is_empty(), self.state.outcome.is_some(), "{}", self.key);
        for record in &self.next {
            assert_eq!(Some(record.value.stage), self.state.next_actor(), "{}", self.key);
        }
        let others = Stage::ALL
            .into_iter()
            .filter(|stage| Some(*stage) != self.state.next_actor());
        for (stage, record) in others.zip(self.next.iter().cycle()) {
            let mut record = record.value.clone();
            record.stage = stage;
            assert_eq!(
                self.after(&opened(record)).err(),
                Some(Illegal::Stage(stage)),
                "{}",
                self.key
            );
        }
    }

    /// What was stored comes again; workers that were late, or died and did their work again, come with all that they
    /// could have written in its place.
    fn nothing_old_counts(&self) {
        for (back, step) in self.steps().enumerate() {
            let others = if back < 2 { step.all.as_slice() } else { &[] };
            for record in others.iter().chain([&step.taken]) {
                assert!(self.after(record).is_err(), "an old record in {}", self.key);
                let mut again = record.value.clone();
                again.time_unix_ms += 1;
                assert!(self.after(&opened(again)).is_err(), "work done twice in {}", self.key);
            }
            // The old words at the new place: only a check may be made again of the same thing, with the same result.
            let payload = &step.taken.value.payload;
            if !matches!(payload, Payload::Verdict(_) | Payload::StageFailure(_)) {
                let record = opened(next_record(&self.state, payload.clone()));
                assert!(
                    self.after(&record).is_err(),
                    "{} used twice in {}",
                    payload.name(),
                    self.key
                );
            }
        }
    }

    /// A cancel here ends the run, once and for all, unless its outcome is on record first.
    fn can_be_cancelled(&self) {
        let control = opened_control(next_control(&self.state, "ada"));
        let cancelled = apply(self.state.clone(), Event::Control(&control)).unwrap();
        if self.state.outcome.is_some() {
            assert_eq!(cancelled.status(), self.state.status());
        } else {
            assert_eq!(cancelled.status(), Status::Cancelled);
        }
        assert_eq!(cancelled.next_actor(), None, "{}", self.key);
        assert!(
            apply(cancelled.clone(), Event::Control(&control)).is_err(),
            "a cancel comes twice"
        );
        let second = opened_control(next_control(&cancelled, "bob"));
        let second = apply(cancelled.clone(), Event::Control(&second)).unwrap();
        assert_eq!(second.cancel, cancelled.cancel, "the first one stands");
        // Who had not yet heard of it may store one more record; it wakes nobody, and does not race with the cancel.
        for record in &self.next {
            let one = apply(cancelled.clone(), Event::Record(record)).unwrap();
            let other = apply(self.after(record).unwrap(), Event::Control(&control)).unwrap();
            assert_eq!(format!("{one:?}"), format!("{other:?}"));
            assert_eq!(one.next_actor(), None);
            let ended = matches!(record.value.payload, Payload::Outcome(_));
            assert_eq!(one.is_cancelled(), !ended);
        }
    }

    /// Where this leads to, with what every way has to keep to.
    fn followed(&self, small: &Small) -> Vec<Node> {
        let follow = |record: &Opened<Record>| {
            let state = self.after(record).unwrap_or_else(|e| panic!("{e} in {}", self.key));
            let payload = &record.value.payload;
            let approves =
                matches!(payload, Payload::Answer(a) if (a.gate, a.decision) == (Gate::Plan, Decision::Approve));
            let approvals = self.approvals + u32::from(approves);
            assert!(approvals <= 1, "approved twice: {}", self.key);
            assert!(
                payload.name() != "candidate" || approvals == 1,
                "written without approval: {}",
                self.key
            );
            let step = Step {
                before: self.way.clone(),
                taken: record.clone(),
                all: self.next.clone(),
            };
            small.node(state, Some(Rc::new(step)), approvals)
        };
        let nodes: Vec<Node> = self.next.iter().map(follow).collect();
        for (node, other) in nodes.iter().zip(nodes.iter().skip(1)) {
            for record in &node.next {
                assert!(self.after(record).is_err(), "a record before its turn in {}", self.key);
                assert_eq!(
                    other.after(record).err(),
                    Some(Illegal::Parent),
                    "a record of another way"
                );
            }
        }
        nodes
    }
}

/// Explores every way; answers how many states there are.
fn explore(small: &Small) -> usize {
    let mut leads_from: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let (mut seen, mut ends) = (BTreeSet::new(), Vec::new());
    let mut open = VecDeque::from([small.node(RunState::new(run_id()), None, 0)]);
    seen.extend(open.front().map(|node| node.key.clone()));
    while let Some(node) = open.pop_front() {
        node.somebody_acts();
        node.nothing_old_counts();
        node.can_be_cancelled();
        if node.state.outcome.is_some() {
            ends.push(node.key.clone());
        }
        for after in node.followed(small) {
            leads_from
                .entry(after.key.clone())
                .or_default()
                .insert(node.key.clone());
            if seen.insert(after.key.clone()) {
                open.push_back(after);
            }
        }
    }
    // No run is lost: from everywhere some way leads to an end.
    let mut saved = BTreeSet::new();
    while let Some(key) = ends.pop() {
        if saved.insert(key.clone()) {
            ends.extend(leads_from.get(&key).into_iter().flatten().cloned());
        }
    }
    let lost: Vec<_> = seen.difference(&saved).collect();
    assert!(lost.is_empty(), "no way leads to an end from {lost:?}");
    seen.len()
}

#[test]
fn every_way_of_a_small_run_is_sound() {
    for (levels, automatic) in [(1, false), (1, true), (2, false), (2, true)] {
        let states = explore(&Small { levels, automatic });
        assert!(states > 100, "only {states} states of {levels} levels were seen");
    }
}
