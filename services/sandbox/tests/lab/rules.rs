//! The rules of `policy/seccomp.json`: which calls keep to them, which break them, and what has to be answered.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic
)]

use std::collections::BTreeMap;

use serde_json::Value;

use super::calls::number;

/// What an argument has to be.
#[derive(Clone, Debug)]
struct Condition {
    index: usize,
    op: Op,
    value: i64,
    wide: bool,
}

#[derive(Clone, Copy, Debug)]
enum Op {
    Eq,
    Ne,
    Masked(i64),
}

impl Condition {
    fn holds(&self, argument: i64) -> bool {
        // The kernel and the filter look at the low half of what is 32 bits wide.
        let argument = if self.wide { argument } else { argument & 0xffff_ffff };
        match self.op {
            Op::Eq => argument == self.value,
            Op::Ne => argument != self.value,
            Op::Masked(mask) => argument & mask == self.value,
        }
    }

    /// Arguments that break it.
    fn broken_by(&self) -> Vec<i64> {
        match self.op {
            Op::Ne => vec![self.value],
            Op::Eq => vec![self.value + 1, self.value + 2, 1, 2, 10, 17, 40],
            Op::Masked(mask) if self.value == 0 => {
                // SIGCHLD in the low bits, so that what gets through is an ordinary child.
                (0..63)
                    .map(|bit| 1 << bit)
                    .filter(|bit| bit & mask != 0)
                    .map(|bit| bit | 17)
                    .collect()
            }
            Op::Masked(mask) => (0..=mask).collect(),
        }
    }

    /// An argument that keeps it.
    fn kept_by(&self) -> i64 {
        match self.op {
            Op::Eq => self.value,
            Op::Ne => 0,
            Op::Masked(_) if self.value == 0 => 17,
            Op::Masked(_) => self.value,
        }
    }
}

/// One call to make.
#[derive(Debug)]
pub struct Attempt {
    pub what: String,
    pub number: i64,
    pub arguments: Vec<i64>,
    /// What the filters have to say to it: an error, or nothing (whatever the kernel answers then).
    pub refused: Option<i32>,
}

/// The filters of a tier and a profile, in the order in which they are installed: of those that refuse, the last answers.
const LATER: [(&str, i32); 5] = [
    ("absent", libc::ENOSYS),
    ("strict", libc::EPERM),
    ("offline", libc::EPERM),
    ("unwatched", libc::EPERM),
    ("pretended", 0),
];

fn entries(policy: &Value, filter: &str) -> Vec<(String, Value)> {
    let all = policy[filter]["filter"].as_array().unwrap().iter();
    all.filter(|entry| entry.get("only").is_none_or(|only| only == std::env::consts::ARCH))
        .map(|entry| (entry["syscall"].as_str().unwrap().to_owned(), entry["args"].clone()))
        .collect()
}

fn conditions(args: &Value) -> Vec<Condition> {
    let all = args.as_array().map(Vec::as_slice).unwrap_or_default().iter();
    all.map(|arg| Condition {
        index: usize::try_from(arg["index"].as_u64().unwrap()).unwrap(),
        value: arg["val"].as_i64().unwrap(),
        wide: arg["type"] == "qword",
        op: match &arg["op"] {
            Value::String(op) if op == "eq" => Op::Eq,
            Value::String(op) if op == "ne" => Op::Ne,
            op => Op::Masked(op["masked_eq"].as_i64().unwrap_or_else(|| panic!("unknown: {op}"))),
        },
    })
    .collect()
}

/// Every rule kept once, and every condition of every rule broken in every way that no other rule of the call allows.
/// With `filters` beside the base.
pub fn attempts(filters: &[&str]) -> Vec<Attempt> {
    let policy: Value = serde_json::from_str(include_str!("../../policy/seccomp.json")).unwrap();
    let known: Vec<&String> = policy.as_object().unwrap().keys().collect();
    assert_eq!(
        known.len(),
        LATER.len() + 1,
        "a filter that no test knows of: {known:?}"
    );
    let mut base: BTreeMap<String, Vec<Vec<Condition>>> = BTreeMap::new();
    for (name, args) in entries(&policy, "base") {
        base.entry(name).or_default().push(conditions(&args));
    }
    let mut later: Vec<(String, Vec<Condition>, i32)> = Vec::new();
    for (filter, errno) in LATER.iter().filter(|(filter, _)| filters.contains(filter)) {
        for (name, args) in entries(&policy, filter) {
            later.push((name, conditions(&args), *errno));
        }
    }
    let answered = |name: &str, arguments: &[i64]| {
        let meant = |(call, rule, _): &&(String, Vec<Condition>, i32)| {
            call == name && rule.iter().all(|condition| condition.holds(arguments[condition.index]))
        };
        later.iter().rev().find(meant).map(|(.., errno)| *errno)
    };
    let mut all = Vec::new();
    for (name, rules) in &base {
        let mut add = |what: String, arguments: &[i64], refused: Option<i32>| {
            all.push(Attempt {
                what: format!("{name} {what}"),
                number: number(name),
                arguments: arguments.to_vec(),
                refused: answered(name, arguments).or(refused),
            });
        };
        for rule in rules {
            // What no rule speaks of makes no sense to the kernel: the call has no effect. Another stack for a child
            // would be its end.
            let fill = if name == "clone" { 0 } else { -1 };
            let mut kept = vec![fill; 6];
            rule.iter()
                .for_each(|condition| kept[condition.index] = condition.kept_by());
            add("as allowed".to_owned(), &kept, None);
            for condition in rule {
                let mut broken_once = false;
                for value in condition.broken_by() {
                    let mut broken = kept.clone();
                    broken[condition.index] = value;
                    let allowed = |rule: &Vec<Condition>| rule.iter().all(|c| c.holds(broken[c.index]));
                    if !rules.iter().any(allowed) {
                        add(
                            format!("with {value:#x} as argument {}", condition.index),
                            &broken,
                            Some(libc::EPERM),
                        );
                        broken_once = true;
                    }
                }
                assert!(broken_once, "{name}: nothing breaks {condition:?}");
            }
        }
    }
    all
}
