//! Functions that do nothing. Records what is there; whether that is allowed is for `rules::stub` to say.

use super::signature::Decorator;
use super::walker::Walker;
use super::words;
use crate::header;
use crate::source::{Pos, Source, Span};
use crate::tree::{Expr, ExprKind, FunctionDef, Stmt, StmtKind};

/// Why a body is without substance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hollow {
    /// `pass`, or a docstring alone.
    Pass,
    /// `...`
    Ellipsis,
    /// Does nothing but raise `NotImplementedError`, or an error that says as much.
    NotImplemented,
    /// Does nothing, and says that it is unfinished.
    Unfinished,
}

/// A function without substance.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub(crate) name: String,
    pub(crate) pos: Pos,
    /// Index into `Facts::classes`, for a method.
    pub(crate) class: Option<usize>,
    /// Defined inside another function.
    pub(crate) nested: bool,
    /// Under `if TYPE_CHECKING:`.
    pub(crate) never_runs: bool,
    pub(crate) decorators: Vec<Decorator>,
    pub(crate) hollow: Hollow,
}

impl<'t> Walker<'t, '_> {
    /// Looks at the body of one function.
    pub(super) fn body(&mut self, def: &'t FunctionDef, span: Span, class: Option<usize>) {
        self.facts.body_count += 1;
        if let Some(hollow) = hollow(def, span, self.source) {
            let body = Body {
                name: def.name.clone(),
                pos: self.pos(span),
                class,
                nested: self.guards.function,
                never_runs: self.guards.never_runs,
                decorators: def.decorators.iter().map(|expr| self.decorator(expr)).collect(),
                hollow,
            };
            self.facts.bodies.push(body);
        }
        let found = super::metrics::constants(def, self.source);
        self.facts.constants.extend(found);
    }
}

/// Counts the statements that are more than docstrings, imports and `pass`.
pub(super) fn substance(body: &[Stmt]) -> u64 {
    let idle = |stmt: &&Stmt| {
        stmt.as_text().is_some()
            || is_nothing(stmt)
            || matches!(stmt.kind, StmtKind::Import(_) | StmtKind::ImportFrom { .. })
    };
    let count = body.iter().filter(|stmt| !idle(stmt)).count();
    u64::try_from(count).unwrap_or(u64::MAX)
}

fn is_nothing(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Pass => true,
        StmtKind::Expr(value) => matches!(value.kind, ExprKind::Ellipsis | ExprKind::Str(_)),
        _ => false,
    }
}

pub(crate) fn hollow(def: &FunctionDef, span: Span, source: &Source<'_>) -> Option<Hollow> {
    let first = def.body.first()?;
    let (docstring, rest) = match first.as_text() {
        Some(text) => (text, def.body.get(1..).unwrap_or(&[])),
        None => ("", def.body.as_slice()),
    };
    let last = rest.last();
    if let Some(StmtKind::Raise { exc: Some(exc), .. }) = last.map(|stmt| &stmt.kind)
        && says_unfinished(exc)
        && rest.iter().rev().skip(1).all(is_idle)
    {
        return Some(Hollow::NotImplemented);
    }
    if !rest.iter().all(is_idle) {
        return None;
    }
    let spoken = || rest.iter().any(speaks_of_unfinished);
    let written = || words::unfinished(docstring) || words::unfinished(&comments(def, span, source));
    if spoken() || written() {
        return Some(Hollow::Unfinished);
    }
    if !rest.iter().all(is_nothing) {
        return None;
    }
    let ellipsis = |stmt: &Stmt| matches!(&stmt.kind, StmtKind::Expr(value) if value.kind == ExprKind::Ellipsis);
    match rest.iter().any(ellipsis) {
        true => Some(Hollow::Ellipsis),
        false => Some(Hollow::Pass),
    }
}

/// A statement that leaves everything as it was: nothing, a constant returned, a line printed or logged.
fn is_idle(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(None) => true,
        StmtKind::Return(Some(value)) => is_constant(value),
        StmtKind::Delete(targets) => targets.iter().all(|target| target.as_name().is_some()),
        StmtKind::Expr(value) => is_constant(value) || is_talk(value),
        _ => is_nothing(stmt),
    }
}

fn is_constant(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Str(_)
        | ExprKind::Number(_)
        | ExprKind::Bool(_)
        | ExprKind::None
        | ExprKind::Ellipsis
        | ExprKind::OtherConstant => true,
        ExprKind::Sequence { items, .. } => items.is_empty(),
        ExprKind::Dict(items) => items.is_empty(),
        _ => value.as_number().is_some(),
    }
}

fn is_talk(value: &Expr) -> bool {
    let ExprKind::Call { func, .. } = &value.kind else {
        return false;
    };
    match func.as_dotted().as_deref() {
        Some(["print"]) => true,
        Some([.., "debug" | "info" | "warning" | "warn" | "error" | "critical"]) => true,
        Some(_) | None => false,
    }
}

fn speaks_of_unfinished(stmt: &Stmt) -> bool {
    let value = match &stmt.kind {
        StmtKind::Return(Some(value)) | StmtKind::Expr(value) => value,
        _ => return false,
    };
    let text = match &value.kind {
        ExprKind::Call { args, .. } => args.first().and_then(Expr::as_str),
        _ => value.as_str(),
    };
    text.is_some_and(words::unfinished)
}

fn says_unfinished(exc: &Expr) -> bool {
    let (callee, args): (_, &[Expr]) = match &exc.kind {
        ExprKind::Call { func, args, .. } => (&**func, args),
        _ => (exc, &[]),
    };
    callee.last_part() == Some("NotImplementedError")
        || args.first().and_then(Expr::as_str).is_some_and(words::unfinished)
}

/// The comments of a body that consists of idle statements only.
fn comments(def: &FunctionDef, span: Span, source: &Source<'_>) -> String {
    let start = header::function_end(def, span, source);
    let end = source.line_end(span.end as usize);
    let mut strings: Vec<Span> = Vec::new();
    for stmt in &def.body {
        crate::tree::walk_stmt(stmt, &mut |node| {
            if let crate::tree::Node::Expr(expr) = node
                && matches!(expr.kind, ExprKind::Str(_) | ExprKind::Joined(_))
            {
                strings.push(expr.span);
            }
            true
        });
    }
    let mut text = String::new();
    let mut at = start;
    strings.push(Span {
        start: u32::try_from(end).unwrap_or(u32::MAX),
        end: u32::try_from(end).unwrap_or(u32::MAX),
    });
    for string in strings {
        let between = Span {
            start: u32::try_from(at).unwrap_or(u32::MAX),
            end: string.start,
        };
        for line in source.slice(between).split(['\n', '\r']) {
            if let Some((_, comment)) = line.split_once('#') {
                text.push_str(comment);
                text.push('\n');
            }
        }
        at = at.max(string.end as usize);
    }
    text
}
