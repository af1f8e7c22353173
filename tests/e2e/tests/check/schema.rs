//! As much of JSON schema as the two schemas use that outputs are tested against. A keyword that is not known here fails.

use serde_json::Value;

/// Everything in which `value` differs from `schema`, with its place.
pub(crate) fn differences(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, schema, value, "$", &mut found);
    found
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    if let Some(name) = schema["$ref"].as_str() {
        let target = root.pointer(name.trim_start_matches('#'));
        return check(root, target.unwrap(), value, at, found);
    }
    for (keyword, wanted) in schema.as_object().unwrap() {
        let mut wrong = |is_wrong: bool| {
            if is_wrong {
                found.push(format!("{at}: {keyword} {wanted} is not so of {value}"));
            }
        };
        match keyword.as_str() {
            "$schema" | "title" | "id" | "$id" | "description" | "default" | "definitions" | "format" | "pattern" => {}
            "additionalProperties" | "properties" if !value.is_object() => {}
            "type" => {
                let names = wanted.as_array().cloned().unwrap_or_else(|| vec![wanted.clone()]);
                wrong(!names.iter().any(|name| is_of(name.as_str().unwrap(), value)));
            }
            "enum" => wrong(!wanted.as_array().unwrap().contains(value)),
            "const" => wrong(wanted != value),
            "minimum" => wrong(value.as_f64().is_some_and(|number| number < wanted.as_f64().unwrap())),
            "maximum" => wrong(value.as_f64().is_some_and(|number| number > wanted.as_f64().unwrap())),
            "minItems" => wrong(
                value
                    .as_array()
                    .is_some_and(|items| (items.len() as u64) < wanted.as_u64().unwrap()),
            ),
            "uniqueItems" => wrong(value.as_array().is_some_and(|items| {
                wanted == true && (1..items.len()).any(|index| items[..index].contains(&items[index]))
            })),
            "required" if value.is_object() => {
                wrong(
                    wanted
                        .as_array()
                        .unwrap()
                        .iter()
                        .any(|name| value.get(name.as_str().unwrap()).is_none()),
                );
            }
            "required" => {}
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, wanted, item, &format!("{at}[{index}]"), found);
                }
            }
            "properties" => {
                for (name, property) in wanted.as_object().unwrap() {
                    if let Some(inner) = value.get(name) {
                        check(root, property, inner, &format!("{at}.{name}"), found);
                    }
                }
            }
            "additionalProperties" => {
                let others = value.as_object().unwrap().iter();
                for (name, inner) in others.filter(|(name, _)| schema["properties"].get(name).is_none()) {
                    if wanted.is_object() {
                        check(root, wanted, inner, &format!("{at}.{name}"), found);
                    } else if wanted == false {
                        found.push(format!("{at}: {name} is unknown"));
                    }
                }
            }
            "anyOf" | "oneOf" => {
                let fits = |one: &&Value| {
                    let mut inner = Vec::new();
                    check(root, one, value, at, &mut inner);
                    inner.is_empty()
                };
                let fitting = wanted.as_array().unwrap().iter().filter(fits).count();
                wrong(fitting == 0 || keyword == "oneOf" && fitting > 1);
            }
            unknown => panic!("{at}: the keyword {unknown} is not known here"),
        }
    }
}

fn is_of(name: &str, value: &Value) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("no type {other}"),
    }
}
