//! Prompt templates: files in which `{{name}}` stands for a value, and lines from `{{#name}}` to
//! `{{/name}}` are there only if the value is not empty. Values are put in as they are: a template
//! mark inside a value is text.

use std::collections::BTreeMap;

use thiserror::Error;

/// Why a template cannot be filled. A defect of ours: templates are part of the program.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("prompt template, line {line}: {why}")]
pub struct TemplateError {
    line: usize,
    why: String,
}

/// The template with its values. Every mark needs a value, and every value a mark.
///
/// # Errors
/// A mark without a value, a value without a mark, or a section that does not begin or end.
pub fn fill(template: &str, values: &[(&str, &str)]) -> Result<String, TemplateError> {
    let mut unused: BTreeMap<&str, &str> = values.iter().copied().collect();
    let known = unused.clone();
    let mut section: Option<&str> = None;
    let mut filled = String::new();
    for (index, line) in template.lines().enumerate() {
        let error = |why: String| TemplateError { line: index + 1, why };
        let mark = line.trim().strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
        if let Some(name) = mark.and_then(|mark| mark.strip_prefix('#')) {
            if section.is_some() {
                return Err(error("sections do not nest".to_owned()));
            }
            unused.remove(name);
            section = Some(name);
            if !known.contains_key(name) {
                return Err(error(format!("there is no value {name}")));
            }
            continue;
        }
        if let Some(name) = mark.and_then(|mark| mark.strip_prefix('/')) {
            if section != Some(name) {
                return Err(error(format!("section {name} is not open")));
            }
            section = None;
            continue;
        }
        let shown = section.is_none_or(|name| known.get(name).is_some_and(|v| !v.is_empty()));
        let text = line_with(line, &known, &mut unused).map_err(error)?;
        if shown {
            filled.push_str(&text);
            filled.push('\n');
        }
    }
    if let Some(name) = section.or_else(|| unused.keys().next().copied()) {
        return Err(TemplateError {
            line: template.lines().count(),
            why: format!("{name} has a section without an end, or no mark at all"),
        });
    }
    Ok(filled)
}

fn line_with(line: &str, known: &BTreeMap<&str, &str>, unused: &mut BTreeMap<&str, &str>) -> Result<String, String> {
    let mut text = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("{{") {
        let (name, behind) = after
            .split_once("}}")
            .ok_or_else(|| "a mark is not closed".to_owned())?;
        let value = known.get(name).ok_or_else(|| format!("there is no value {name}"))?;
        unused.remove(name);
        text.push_str(before);
        text.push_str(value);
        rest = behind;
    }
    text.push_str(rest);
    Ok(text)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn values_are_put_in_as_they_are_and_empty_sections_left_out() {
        let template = "{{a}}: {{a}}\n{{#b}}\n## B\n{{b}}\n{{/b}}\nend\n";
        let with = fill(template, &[("a", "{{b}}"), ("b", "x\ny")]).unwrap();
        assert_eq!(with, "{{b}}: {{b}}\n## B\nx\ny\nend\n");
        let without = fill(template, &[("a", ""), ("b", "")]).unwrap();
        assert_eq!(without, ": \nend\n");
    }

    #[test]
    fn a_template_and_its_values_have_to_fit() {
        let refused = |template: &str, values: &[(&str, &str)]| fill(template, values).unwrap_err();
        assert_eq!(refused("x\n{{a}}", &[]).line, 2);
        assert!(refused("x", &[("a", "1")]).why.contains("no mark"));
        assert!(refused("{{#a}}\n{{a}}", &[("a", "1")]).why.contains("end"));
        assert!(refused("{{/a}}", &[("a", "1")]).why.contains("not open"));
        assert!(refused("{{a", &[("a", "1")]).why.contains("not closed"));
        assert!(refused("{{#a}}\n{{#b}}", &[("a", ""), ("b", "")]).why.contains("nest"));
        assert!(refused("{{#c}}\n{{/c}}", &[]).why.contains("no value"));
    }
}
