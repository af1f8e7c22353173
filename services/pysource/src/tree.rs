//! Python's syntax tree, reduced to what rules ask about. Two readers build it: one from `rustpython-parser`,
//! one from the running interpreter's own tree, so that every rule is written once and works on both.
//! It must not contain anything that only one of the two can tell.

mod expr_reader;
pub(crate) mod interpreter;
mod interpreter_exprs;
mod interpreter_nodes;
mod reader;
mod walk;

pub(crate) use reader::with_tree;
pub(crate) use walk::{Node, walk_expr, walk_stmt};

use crate::source::Span;

/// Deepest nesting of nodes that is read. CPython 3.11's own parser gives up at about 2,990 levels.
pub(crate) const MAX_DEPTH: u32 = 2_000;

/// One module.
#[derive(Debug, PartialEq)]
pub(crate) struct Tree {
    pub(crate) body: Vec<Stmt>,
}

/// One statement. The span of a definition starts at `def` or `class`, not at its decorators.
#[derive(Debug, PartialEq)]
pub(crate) struct Stmt {
    pub(crate) span: Span,
    pub(crate) kind: StmtKind,
}

#[derive(Debug, PartialEq)]
pub(crate) enum StmtKind {
    Function(Box<FunctionDef>),
    Class(Box<ClassDef>),
    Return(Option<Expr>),
    Delete(Vec<Expr>),
    Assign {
        targets: Vec<Expr>,
        value: Expr,
    },
    AugAssign {
        target: Expr,
        value: Expr,
    },
    AnnAssign {
        target: Expr,
        annotation: Expr,
        value: Option<Expr>,
    },
    TypeAlias {
        name: Expr,
        value: Expr,
    },
    For {
        target: Expr,
        iter: Expr,
        body: Vec<Stmt>,
        orelse: Vec<Stmt>,
    },
    While {
        test: Expr,
        body: Vec<Stmt>,
        orelse: Vec<Stmt>,
    },
    If {
        test: Expr,
        body: Vec<Stmt>,
        orelse: Vec<Stmt>,
    },
    With {
        items: Vec<WithItem>,
        body: Vec<Stmt>,
    },
    Match {
        subject: Expr,
        cases: Vec<MatchCase>,
    },
    Raise {
        exc: Option<Expr>,
        cause: Option<Expr>,
    },
    Try(Box<Try>),
    Assert {
        test: Expr,
        message: Option<Expr>,
    },
    Import(Vec<Alias>),
    ImportFrom {
        module: Option<String>,
        names: Vec<Alias>,
        level: u32,
    },
    Global(Vec<String>),
    Nonlocal(Vec<String>),
    Expr(Expr),
    Pass,
    Break,
    Continue,
}

#[derive(Debug, PartialEq)]
pub(crate) struct FunctionDef {
    pub(crate) name: String,
    pub(crate) params: Params,
    pub(crate) body: Vec<Stmt>,
    pub(crate) decorators: Vec<Expr>,
    pub(crate) returns: Option<Expr>,
    pub(crate) is_async: bool,
    /// Ends of the `[T: bound]` list's members, which a header has before its parameters.
    pub(crate) type_params: Vec<Span>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct ClassDef {
    pub(crate) name: String,
    pub(crate) bases: Vec<Expr>,
    pub(crate) keywords: Vec<Keyword>,
    pub(crate) body: Vec<Stmt>,
    pub(crate) decorators: Vec<Expr>,
    /// Spans of the `[T: bound]` list's members.
    pub(crate) type_params: Vec<Span>,
}

#[derive(Debug, Default, PartialEq)]
pub(crate) struct Params {
    pub(crate) posonly: Vec<Param>,
    pub(crate) args: Vec<Param>,
    pub(crate) vararg: Option<Param>,
    pub(crate) kwonly: Vec<Param>,
    pub(crate) kwarg: Option<Param>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Param {
    pub(crate) span: Span,
    pub(crate) name: String,
    pub(crate) annotation: Option<Expr>,
    pub(crate) default: Option<Expr>,
}

impl Params {
    /// Every parameter, in the order of the text.
    pub(crate) fn each(&self) -> impl Iterator<Item = &Param> {
        self.posonly
            .iter()
            .chain(&self.args)
            .chain(&self.vararg)
            .chain(&self.kwonly)
            .chain(&self.kwarg)
    }
}

#[derive(Debug, PartialEq)]
pub(crate) struct Try {
    pub(crate) body: Vec<Stmt>,
    pub(crate) handlers: Vec<Handler>,
    pub(crate) orelse: Vec<Stmt>,
    pub(crate) finalbody: Vec<Stmt>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Handler {
    pub(crate) kind: Option<Expr>,
    pub(crate) name: Option<String>,
    pub(crate) body: Vec<Stmt>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct WithItem {
    pub(crate) context: Expr,
    pub(crate) target: Option<Expr>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct MatchCase {
    /// Names that the pattern binds.
    pub(crate) binds: Vec<String>,
    /// Values and classes that the pattern names.
    pub(crate) exprs: Vec<Expr>,
    pub(crate) guard: Option<Expr>,
    pub(crate) body: Vec<Stmt>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Alias {
    pub(crate) span: Span,
    pub(crate) name: String,
    pub(crate) asname: Option<String>,
}

#[derive(Debug, PartialEq)]
pub(crate) struct Keyword {
    pub(crate) span: Span,
    /// `None` for `**mapping`.
    pub(crate) name: Option<String>,
    pub(crate) value: Expr,
}

/// One expression.
#[derive(Debug, PartialEq)]
pub(crate) struct Expr {
    pub(crate) span: Span,
    pub(crate) kind: ExprKind,
}

#[derive(Debug, PartialEq)]
pub(crate) enum ExprKind {
    Name(String),
    Attribute {
        value: Box<Expr>,
        attr: String,
    },
    Call {
        func: Box<Expr>,
        args: Vec<Expr>,
        keywords: Vec<Keyword>,
    },
    Str(String),
    Number(f64),
    Bool(bool),
    None,
    Ellipsis,
    /// Bytes and imaginary numbers, which no rule asks about.
    OtherConstant,
    Lambda {
        params: Box<Params>,
        body: Box<Expr>,
    },
    Walrus {
        target: Box<Expr>,
        value: Box<Expr>,
    },
    Comprehension {
        elements: Vec<Expr>,
        clauses: Vec<Clause>,
    },
    Starred(Box<Expr>),
    Sequence {
        kind: Sequence,
        items: Vec<Expr>,
    },
    Dict(Vec<(Option<Expr>, Expr)>),
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
    },
    Unary {
        op: UnaryOp,
        operand: Box<Expr>,
    },
    Compare {
        left: Box<Expr>,
        comparators: Vec<Expr>,
    },
    Conditional {
        test: Box<Expr>,
        body: Box<Expr>,
        orelse: Box<Expr>,
    },
    Subscript {
        value: Box<Expr>,
        index: Box<Expr>,
    },
    Joined(Vec<Expr>),
    /// `and`, `or`, `await`, `yield`, slices: only their parts matter.
    Other(Vec<Expr>),
}

/// One `for … in … if …` of a comprehension.
#[derive(Debug, PartialEq)]
pub(crate) struct Clause {
    pub(crate) target: Expr,
    pub(crate) iter: Expr,
    pub(crate) conditions: Vec<Expr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sequence {
    Tuple,
    List,
    Set,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Add,
    BitOr,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Not,
    Minus,
    Other,
}

impl Expr {
    /// The name, where the expression is one.
    pub(crate) fn as_name(&self) -> Option<&str> {
        match &self.kind {
            ExprKind::Name(name) => Some(name),
            _ => None,
        }
    }

    /// The text, where the expression is a plain string.
    pub(crate) fn as_str(&self) -> Option<&str> {
        match &self.kind {
            ExprKind::Str(text) => Some(text),
            _ => None,
        }
    }

    /// `a.b.c` as its parts, where the expression is a chain of attributes on a name.
    pub(crate) fn as_dotted(&self) -> Option<Vec<&str>> {
        let mut parts = Vec::new();
        let mut at = self;
        loop {
            match &at.kind {
                ExprKind::Attribute { value, attr } => {
                    parts.push(attr.as_str());
                    at = value;
                }
                ExprKind::Name(name) => {
                    parts.push(name);
                    parts.reverse();
                    return Some(parts);
                }
                _ => return None,
            }
        }
    }

    /// The last part of a dotted name: `c` of `a.b.c`.
    pub(crate) fn last_part(&self) -> Option<&str> {
        match &self.kind {
            ExprKind::Attribute { attr, .. } => Some(attr),
            ExprKind::Name(name) => Some(name),
            _ => None,
        }
    }

    /// A literal number, a leading minus included.
    pub(crate) fn as_number(&self) -> Option<f64> {
        match &self.kind {
            ExprKind::Number(value) => Some(*value),
            ExprKind::Unary {
                op: UnaryOp::Minus,
                operand,
            } => match operand.kind {
                ExprKind::Number(value) => Some(-value),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Stmt {
    /// The text, where the statement is a string alone, as a docstring is.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match &self.kind {
            StmtKind::Expr(value) => value.as_str(),
            _ => None,
        }
    }
}
