//! Where the header of a definition ends. Neither tree has a node for it.

use crate::source::{Source, Span};
use crate::tree::{ClassDef, FunctionDef};

/// Offset just behind the colon that ends the header of a function.
pub(crate) fn function_end(def: &FunctionDef, span: Span, source: &Source<'_>) -> usize {
    let mut end = name_end(span, &def.name, source);
    for param in def.params.each() {
        end = end.max(param.span.end);
        end = param
            .annotation
            .iter()
            .chain(&param.default)
            .fold(end, |end, e| end.max(e.span.end));
    }
    end = def.returns.iter().fold(end, |end, expr| end.max(expr.span.end));
    end = def.type_params.iter().fold(end, |end, span| end.max(span.end));
    colon_after(end, source)
}

/// Offset just behind the colon that ends the header of a class.
pub(crate) fn class_end(def: &ClassDef, span: Span, source: &Source<'_>) -> usize {
    let mut end = name_end(span, &def.name, source);
    end = def.bases.iter().fold(end, |end, expr| end.max(expr.span.end));
    for keyword in &def.keywords {
        end = end.max(keyword.span.end).max(keyword.value.span.end);
    }
    end = def.type_params.iter().fold(end, |end, span| end.max(span.end));
    colon_after(end, source)
}

/// Offset behind the name that follows `def` or `class`; a lower bound is enough, for no colon comes before it.
fn name_end(span: Span, name: &str, source: &Source<'_>) -> u32 {
    match source.slice(span).find(name) {
        Some(at) => span.start.saturating_add(u32::try_from(at + name.len()).unwrap_or(0)),
        None => span.start,
    }
}

/// Offset just behind the first colon at or after `at` that is not in a comment.
fn colon_after(at: u32, source: &Source<'_>) -> usize {
    let at = at as usize;
    let rest = source.text().get(at..).unwrap_or("");
    let mut in_comment = false;
    for (offset, c) in rest.char_indices() {
        match c {
            '#' => in_comment = true,
            '\n' | '\r' => in_comment = false,
            ':' if !in_comment => return at + offset + 1,
            _ => {}
        }
    }
    source.text().len()
}
