//! What a program says of itself. It cannot make a success, but it can unmake one (fault I1).

use serde_json::Value;

const WORDS: &str = include_str!("../policy/says-failure.txt");

/// Whether what `run` returned says that the program did not succeed.
pub fn says_failure(testimony: &Value) -> bool {
    match testimony {
        Value::Bool(said) => !said,
        Value::Object(entries) => entries.iter().any(|(key, value)| is_failure(key, value)),
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => false,
    }
}

fn is_failure(key: &str, value: &Value) -> bool {
    let said = match value {
        Value::Bool(said) => said.to_string(),
        Value::Number(number) if number.as_f64() == Some(0.0) => "0".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().to_ascii_lowercase(),
        Value::Null | Value::Array(_) | Value::Object(_) => return false,
    };
    let any = |word: &str| word == "*" && value.is_string() && !said.is_empty();
    WORDS
        .lines()
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(':'))
        .filter(|(known, _)| known.eq_ignore_ascii_case(key.trim()))
        .any(|(_, words)| words.split_whitespace().any(|word| word == said || any(word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_way_to_say_that_it_failed_is_heard() {
        for said in [
            json!(false),
            json!({"success": false}),
            json!({"Success": "False"}),
            json!({"success": 0, "accuracy": 0.99}),
            json!({"ok": 0.0}),
            json!({"passed": "no"}),
            json!({"failed": true}),
            json!({"status": "FAILED"}),
            json!({"status": " error "}),
            json!({"error": "the data is missing"}),
        ] {
            assert!(says_failure(&said), "{said}");
        }
    }

    #[test]
    fn what_is_no_word_of_failure_is_none() {
        for said in [
            json!(null),
            json!(true),
            json!(0),
            json!("failed once, then went on"),
            json!([false]),
            json!({"success": true, "accuracy": 0.0}),
            json!({"status": "ok", "error": null}),
            json!({"error": ""}),
            json!({"error": 0.05}),
            json!({"failed": 0, "failure": false}),
            json!({"baseline": {"success": false}}),
            json!({"# what a program may return to say that it did not succeed": "a"}),
        ] {
            assert!(!says_failure(&said), "{said}");
        }
    }
}
