//! Functions that do nothing. Records what is there; whether that is allowed is for `rules::stub` to say.

use super::scope::{Bound, Kind};
use super::signature::Decorator;
use super::walker::Walker;
use super::words;
use crate::header;
use crate::source::{Pos, Source, Span};
use crate::tree::{Expr, ExprKind, FunctionDef, Node, Stmt, StmtKind, walk_expr, walk_stmt};

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
    /// Does nothing but raise `NotImplementedError`, and says why: "use … instead", "not supported".
    Refusal,
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
    /// One of several definitions, or only for some platform: the others have the substance.
    pub(crate) alternative: bool,
    /// Its docstring has examples, which are tests.
    pub(crate) has_examples: bool,
    /// Its text speaks to those who write classes below.
    pub(crate) for_subclasses: bool,
    /// Its text says that doing nothing is the point.
    pub(crate) idle_by_word: bool,
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
                never_runs: self.guards.in_decorated(&def.name, &def.decorators).never_runs,
                alternative: self.guards.environment || self.is_alternative(def),
                has_examples: def
                    .body
                    .first()
                    .and_then(Stmt::as_text)
                    .is_some_and(|text| text.contains(">>> ")),
                idle_by_word: words::idle(&texts(def, span, self.source)),
                for_subclasses: class.is_some() && words::template(&texts(def, span, self.source)),
                decorators: def.decorators.iter().map(|expr| self.decorator(expr)).collect(),
                hollow,
            };
            self.facts.bodies.push(body);
        }
        let found = super::metrics::constants(def, self.source, &self.numbers);
        self.facts.constants.extend(found);
    }

    /// Whether another statement of the scope that is being walked gives the name of `def` a better meaning.
    fn is_alternative(&self, def: &FunctionDef) -> bool {
        let bound = self.frames.last().and_then(|frame| frame.names.get(def.name.as_str()));
        let bound = bound.map_or(&[][..], Vec::as_slice);
        let is_this = |kind: &Kind<'_>| matches!(kind, Kind::Function(other) if std::ptr::eq(*other, def));
        // What stands last in a row is what the name means.
        let wins = !self.guards.conditional && bound.last().is_some_and(|last| is_this(&last.kind));
        let better = |bound: &Bound<'_>| match bound.kind {
            Kind::Function(other) => {
                let accessor = |expr: &Expr| expr.as_dotted().is_some_and(|parts| parts.first() == Some(&&*def.name));
                !is_this(&bound.kind)
                    && hollow(other, bound.span, self.source).is_none()
                    && !other.decorators.iter().any(accessor)
            }
            _ => true,
        };
        !wins && bound.iter().any(better)
    }
}

/// Everything that a function without substance says: its strings and its comments.
fn texts(def: &FunctionDef, span: Span, source: &Source<'_>) -> String {
    let mut text = comments(def, span, source);
    for stmt in &def.body {
        walk_stmt(stmt, &mut |node| {
            if let Node::Expr(expr) = node
                && let Some(string) = expr.as_str()
            {
                text.push('\n');
                text.push_str(string);
            }
            true
        });
    }
    text
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
        return Some(match gives_reason(exc) {
            true => Hollow::Refusal,
            false => Hollow::NotImplemented,
        });
    }
    if !rest.iter().all(is_idle) {
        return None;
    }
    let spoken = || rest.iter().any(speaks_of_unfinished);
    // A text that is returned is a result, whatever is still to be done about it.
    let written = || {
        words::unfinished(docstring)
            || (!rest.iter().any(returns_text) && words::unfinished(&comments(def, span, source)))
    };
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

fn returns_text(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(Some(value)) => value.as_str().is_some_and(|text| !text.is_empty()),
        _ => false,
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

/// Whether the message of an error says that it is raised on purpose.
fn gives_reason(exc: &Expr) -> bool {
    let mut said = String::new();
    walk_expr(exc, &mut |node| {
        if let Node::Expr(expr) = node
            && let Some(text) = expr.as_str()
        {
            said.push_str(text);
            said.push(' ');
        }
        true
    });
    words::refusal(&said) && !words::unfinished(&said)
}

/// The comments of a body that consists of idle statements only.
fn comments(def: &FunctionDef, span: Span, source: &Source<'_>) -> String {
    let start = header::function_end(def, span, source);
    let end = source.line_end(span.end as usize);
    let mut strings: Vec<Span> = Vec::new();
    for stmt in &def.body {
        walk_stmt(stmt, &mut |node| {
            if let Node::Expr(expr) = node
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
