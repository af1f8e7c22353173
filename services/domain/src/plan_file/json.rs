//! JSON as it was written: fields in their order, and repeated fields kept, so that they can be
//! complained about.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool,
    /// Any number. No field of a plan is one.
    Number,
    /// A text.
    Text(String),
    /// A list.
    List(Vec<Json>),
    /// An object; names may repeat.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// What it is, in the words of an error message.
    pub const fn kind(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool => "true or false",
            Json::Number => "a number",
            Json::Text(_) => "a text",
            Json::List(_) => "a list",
            Json::Object(_) => "an object",
        }
    }

    /// Whether it is an object with this field.
    pub fn has(&self, name: &str) -> bool {
        match self {
            Json::Object(fields) => fields.iter().any(|(field, _)| field == name),
            Json::Null | Json::Bool | Json::Number | Json::Text(_) | Json::List(_) => false,
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Json, E> {
        Ok(Json::Bool)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Json, E> {
        Ok(Json::Number)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Json, E> {
        Ok(Json::Number)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Json, E> {
        Ok(Json::Number)
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Json, A::Error> {
        let mut object = Vec::new();
        while let Some(field) = fields.next_entry()? {
            object.push(field);
        }
        Ok(Json::Object(object))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn repeated_fields_and_their_order_are_kept() {
        let json: Json = serde_json::from_str(r#"{"b": [null, true, 1.5, -1], "a": "x", "b": {}}"#).unwrap();
        let Json::Object(fields) = &json else { unreachable!() };
        let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["b", "a", "b"]);
        assert!(json.has("a") && !json.has("c"));
    }

    #[test]
    fn nesting_has_a_limit() {
        let deep = "[".repeat(100_000);
        assert!(serde_json::from_str::<Json>(&deep).is_err());
    }
}
