//! Finds things in JSON wherever they stand, so that tests say what has to be there and not where.

use serde_json::Value;

/// Every object in `value`, at any depth.
pub fn objects(value: &Value) -> Vec<&Value> {
    let mut found = Vec::new();
    let mut open = vec![value];
    while let Some(next) = open.pop() {
        match next {
            Value::Object(fields) => {
                found.push(next);
                open.extend(fields.values());
            }
            Value::Array(items) => open.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    found
}

/// Whether some object in `values` has all of these fields with these texts.
pub fn has(values: &[Value], fields: &[(&str, &str)]) -> bool {
    let fits = |object: &&Value| {
        fields
            .iter()
            .all(|(name, text)| object.get(name).and_then(Value::as_str) == Some(text))
    };
    values.iter().flat_map(objects).any(|object| fits(&object))
}

/// The number in the field `wanted` of the first object with all of these fields.
pub fn number(values: &[Value], fields: &[(&str, &str)], wanted: &str) -> Option<f64> {
    let fits = |object: &&Value| {
        fields
            .iter()
            .all(|(name, text)| object.get(name).and_then(Value::as_str) == Some(text))
    };
    let mut all = values.iter().flat_map(objects).filter(|object| fits(object));
    all.find_map(|object| object.get(wanted).and_then(Value::as_f64))
}
