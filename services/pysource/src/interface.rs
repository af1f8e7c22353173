//! A file reduced to what its callers need: imports, constants, fields, signatures, decorators, and the first line
//! of each docstring. Bodies are left out. It judges nothing.

use crate::header;
use crate::source::{Source, Span, Unreadable};
use crate::tree::{ClassDef, Expr, ExprKind, FunctionDef, Handler, Stmt, StmtKind, Try, with_tree};

/// Longest value that is shown whole, in bytes; a longer one becomes `...`.
const LONGEST_VALUE: usize = 240;

/// The interface of a file, as Python that reads like the file.
///
/// # Errors
/// The file cannot be read; then its whole text is the only true account of it.
pub fn interface(text: &str) -> Result<String, Unreadable> {
    with_tree(text, |tree, source| {
        let mut writer = Writer {
            source,
            lines: Vec::new(),
        };
        writer.docstring(&tree.body, 0);
        writer.block(&tree.body, 0);
        let mut text = writer.lines.join("\n");
        text.push('\n');
        text
    })
}

struct Writer<'s, 't> {
    source: &'s Source<'t>,
    lines: Vec<String>,
}

impl Writer<'_, '_> {
    fn line(&mut self, indent: usize, text: &str) {
        self.lines.push(format!("{}{}", "    ".repeat(indent), text.trim_end()));
    }

    fn block(&mut self, body: &[Stmt], indent: usize) {
        for stmt in body {
            self.statement(stmt, indent);
        }
    }

    fn statement(&mut self, stmt: &Stmt, indent: usize) {
        match &stmt.kind {
            StmtKind::Function(def) => self.function(def, stmt.span, indent),
            StmtKind::Class(def) => self.class(def, stmt.span, indent),
            StmtKind::Import(_) | StmtKind::ImportFrom { .. } | StmtKind::TypeAlias { .. } => {
                self.line(indent, self.source.slice(stmt.span));
            }
            StmtKind::Assign { value, .. } => self.assignment(stmt.span, Some(value), indent),
            StmtKind::AugAssign { value, .. } => self.assignment(stmt.span, Some(value), indent),
            StmtKind::AnnAssign { value, .. } => self.assignment(stmt.span, value.as_ref(), indent),
            StmtKind::If { test, body, orelse } => {
                let head = format!("if {}:", self.source.slice(test.span));
                self.branch(&head, body, indent);
                if !orelse.is_empty() {
                    self.branch("else:", orelse, indent);
                }
            }
            StmtKind::Try(parts) => self.attempt(parts, indent),
            StmtKind::Return(_)
            | StmtKind::Delete(_)
            | StmtKind::For { .. }
            | StmtKind::While { .. }
            | StmtKind::With { .. }
            | StmtKind::Match { .. }
            | StmtKind::Raise { .. }
            | StmtKind::Assert { .. }
            | StmtKind::Global(_)
            | StmtKind::Nonlocal(_)
            | StmtKind::Expr(_)
            | StmtKind::Pass
            | StmtKind::Break
            | StmtKind::Continue => {}
        }
    }

    fn assignment(&mut self, span: Span, value: Option<&Expr>, indent: usize) {
        let whole = self.source.slice(span);
        match value {
            Some(value) if whole.len() > LONGEST_VALUE => {
                let before = self.source.slice(Span {
                    start: span.start,
                    end: value.span.start,
                });
                self.line(indent, &format!("{before}..."));
            }
            _ => self.line(indent, whole),
        }
    }

    fn branch(&mut self, head: &str, body: &[Stmt], indent: usize) {
        self.line(indent, head);
        let before = self.lines.len();
        self.block(body, indent + 1);
        if self.lines.len() == before {
            self.line(indent + 1, "...");
        }
    }

    fn attempt(&mut self, parts: &Try, indent: usize) {
        self.branch("try:", &parts.body, indent);
        for Handler { kind, name, body } in &parts.handlers {
            let kind = kind
                .as_ref()
                .map(|kind| format!(" {}", self.source.slice(kind.span)))
                .unwrap_or_default();
            let name = name.as_ref().map(|name| format!(" as {name}")).unwrap_or_default();
            self.branch(&format!("except{kind}{name}:"), body, indent);
        }
        for (head, body) in [("else:", &parts.orelse), ("finally:", &parts.finalbody)] {
            if !body.is_empty() {
                self.branch(head, body, indent);
            }
        }
    }

    fn decorators(&mut self, decorators: &[Expr], indent: usize) {
        for decorator in decorators {
            self.line(indent, &format!("@{}", self.source.slice(decorator.span)));
        }
    }

    fn header(&mut self, span: Span, end: usize, indent: usize) {
        let end = u32::try_from(end).unwrap_or(u32::MAX);
        self.line(indent, self.source.slice(Span { start: span.start, end }));
    }

    fn function(&mut self, def: &FunctionDef, span: Span, indent: usize) {
        self.decorators(&def.decorators, indent);
        self.header(span, header::function_end(def, span, self.source), indent);
        self.docstring(&def.body, indent + 1);
        self.line(indent + 1, "...");
    }

    fn class(&mut self, def: &ClassDef, span: Span, indent: usize) {
        self.decorators(&def.decorators, indent);
        self.header(span, header::class_end(def, span, self.source), indent);
        self.docstring(&def.body, indent + 1);
        let before = self.lines.len();
        self.block(&def.body, indent + 1);
        if self.lines.len() == before {
            self.line(indent + 1, "...");
        }
    }

    /// The first line of a docstring, where there is one.
    fn docstring(&mut self, body: &[Stmt], indent: usize) {
        let Some(Stmt {
            kind: StmtKind::Expr(Expr {
                kind: ExprKind::Str(text),
                ..
            }),
            ..
        }) = body.first()
        else {
            return;
        };
        let first = text
            .trim()
            .lines()
            .next()
            .unwrap_or_default()
            .replace('\\', "\\\\")
            .replace("\"\"\"", "'''");
        self.line(indent, &format!("\"\"\"{first}\"\"\""));
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::interface;

    const WHOLE: &str = include_str!("../tests/interface/whole.py");
    const REDUCED: &str = include_str!("../tests/interface/reduced.py");

    #[test]
    fn everything_that_callers_need_stays_and_bodies_go() {
        assert_eq!(interface(WHOLE).unwrap(), REDUCED);
    }

    #[test]
    fn an_interface_is_its_own_interface() {
        assert_eq!(interface(REDUCED).unwrap(), REDUCED);
    }

    #[test]
    fn what_cannot_be_read_has_no_interface() {
        assert!(interface("def f(:\n").is_err());
    }
}
