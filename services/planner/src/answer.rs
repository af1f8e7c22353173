//! Finds the one JSON object that an answer means as its plan, or says why there is none.
//!
//! Tolerant of prose around it, and of nothing else: what is cut off, or could be meant in two ways,
//! is no plan.

use interlock_domain::plan_file::Json;
use interlock_domain::{Finding, Location};
use interlock_model::{Answer, Finish, fences};

/// Places at which JSON is looked for outside of fences; each costs a pass over the rest.
const MAX_STARTS: usize = 500;

/// The plan's JSON in an answer.
///
/// # Errors
/// What is wrong, for the model to read.
pub fn plan_in(answer: &Answer) -> Result<Json, Finding> {
    match &answer.finish {
        Finish::Complete => {}
        Finish::Truncated => {
            return Err(finding(
                "truncated",
                "the answer was cut off by the output limit; answer with the JSON alone, and with fewer files or shorter purposes",
            ));
        }
        Finish::Refused(why) => {
            let why: String = why.chars().take(300).collect();
            return Err(finding("refused", format!("the model declined: {why}")));
        }
    }
    let text = answer.text.trim();
    if text.is_empty() {
        return Err(finding("empty", "the answer was empty"));
    }
    if let Ok(json) = serde_json::from_str(text) {
        return Ok(json);
    }
    let fenced = fences::split(text);
    let mut found = Found::default();
    for block in &fenced.blocks {
        found.whole(&block.text, block.info.to_lowercase().starts_with("json"));
    }
    if found.values.is_empty() && found.error.is_none() {
        found.scattered(&fenced.outside.join("\n"));
    }
    found.the_plan()
}

fn finding(rule: &str, message: impl Into<String>) -> Finding {
    Finding::new(format!("answer/{rule}"), Location::file("plan"), message)
}

#[derive(Default)]
struct Found {
    values: Vec<Json>,
    /// Why something that was meant as JSON is none.
    error: Option<String>,
}

impl Found {
    /// A block that is JSON as a whole; `meant` where it says that it is.
    fn whole(&mut self, text: &str, meant: bool) {
        let meant = meant || text.trim_start().starts_with(['{', '[']);
        match serde_json::from_str(text) {
            Ok(json @ (Json::Object(_) | Json::List(_))) => self.values.push(json),
            Ok(_) => {}
            Err(e) if meant && self.error.is_none() => self.error = Some(e.to_string()),
            Err(_) => {}
        }
    }

    /// Objects in the midst of other text.
    fn scattered(&mut self, text: &str) {
        let mut rest = text;
        for _ in 0..MAX_STARTS {
            let Some(start) = rest.find('{') else { return };
            rest = rest.get(start..).unwrap_or_default();
            let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Json>();
            match stream.next() {
                Some(Ok(json)) => {
                    self.values.push(json);
                    rest = rest.get(stream.byte_offset()..).unwrap_or_default();
                }
                Some(Err(e)) => {
                    let meant = rest.get(1..).is_some_and(|inside| inside.trim_start().starts_with('"'));
                    if meant && self.error.is_none() {
                        self.error = Some(e.to_string());
                    }
                    rest = rest.get(1..).unwrap_or_default();
                }
                None => return,
            }
        }
    }

    fn the_plan(self) -> Result<Json, Finding> {
        let (mut plans, others): (Vec<Json>, Vec<Json>) = self.values.into_iter().partition(|json| json.has("files"));
        // The same plan twice is one plan.
        plans.dedup();
        match (plans.len(), self.error) {
            // Beside something unreadable that was meant as JSON, even a whole plan may not be the one.
            (_, Some(why)) => Err(finding("json", format!("the JSON cannot be read: {why}"))),
            (1, None) => plans.pop().ok_or_else(no_json),
            (0, None) => one(others),
            (many, None) => Err(finding(
                "several",
                format!("there are {many} plans in the answer, and only one can be meant; answer with one JSON object"),
            )),
        }
    }
}

/// The only value there is. That it is no plan, whoever reads it will say.
fn one(mut values: Vec<Json>) -> Result<Json, Finding> {
    match values.len() {
        1 => values.pop().ok_or_else(no_json),
        0 => Err(no_json()),
        _ => Err(finding(
            "several",
            "none of the JSON values in the answer has the field \"files\"; answer with one JSON object that has it",
        )),
    }
}

fn no_json() -> Finding {
    finding(
        "no-json",
        "there is no JSON object in the answer; answer with one, in one fenced block",
    )
}
