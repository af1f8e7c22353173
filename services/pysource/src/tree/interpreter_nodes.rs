//! From the interpreter's nodes to ours, one kind at a time: access to fields, and statements.

use super::interpreter::Node;
use super::{
    Alias, ClassDef, Expr, FunctionDef, Handler, Keyword, MatchCase, Param, Params, Stmt, StmtKind, Tree, Try, WithItem,
};
use crate::source::Unreadable;
use serde_json::Value;

pub(super) type Read<T> = Result<T, Unreadable>;

/// Builds a tree from a list of nodes that was checked before.
pub(super) struct Builder<'n> {
    nodes: &'n [Node],
}

pub(super) fn malformed(node: &Node, field: &str) -> Unreadable {
    let kind: String = node.0.chars().take(40).collect();
    Unreadable::new(format!(
        "the interpreter's tree has a `{kind}` with a strange `{field}`"
    ))
}

/// A field that is text.
pub(super) fn text(of: &Node, field: &str) -> Read<String> {
    maybe_text(of, field).ok_or_else(|| malformed(of, field))
}

/// A field that may be text.
pub(super) fn maybe_text(of: &Node, field: &str) -> Option<String> {
    of.3.get(field).and_then(Value::as_str).map(str::to_owned)
}

fn texts(of: &Node, field: &str) -> Vec<String> {
    let items = of.3.get(field).and_then(Value::as_array);
    let texts = items.into_iter().flatten().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

impl<'n> Builder<'n> {
    pub(super) fn new(nodes: &'n [Node]) -> Self {
        Self { nodes }
    }

    pub(super) fn tree(&self) -> Read<Tree> {
        match self.nodes.last() {
            Some(module) if module.0 == "Module" => Ok(Tree {
                body: self.block(module, "body")?,
            }),
            Some(_) | None => Err(Unreadable::new("the interpreter's tree has no module")),
        }
    }

    fn at(&self, of: &Node, field: &str, value: &Value) -> Read<&'n Node> {
        let index = value.as_u64().and_then(|index| usize::try_from(index).ok());
        let node = index.and_then(|index| self.nodes.get(index));
        node.ok_or_else(|| malformed(of, field))
    }

    pub(super) fn one(&self, of: &Node, field: &str) -> Read<&'n Node> {
        let value = of.3.get(field).ok_or_else(|| malformed(of, field))?;
        self.at(of, field, value)
    }

    /// `None` for an absent node.
    pub(super) fn maybe(&self, of: &Node, field: &str) -> Read<Option<&'n Node>> {
        match of.3.get(field) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => self.at(of, field, value).map(Some),
        }
    }

    /// The nodes of a list, with `None` for its absent members. A field that the interpreter's version does not
    /// have is an empty list.
    pub(super) fn list(&self, of: &Node, field: &str) -> Read<Vec<Option<&'n Node>>> {
        let items = of.3.get(field).and_then(Value::as_array);
        let nodes = items.into_iter().flatten().map(|item| match item {
            Value::Null => Ok(None),
            value => self.at(of, field, value).map(Some),
        });
        nodes.collect()
    }

    pub(super) fn each<T>(&self, of: &Node, field: &str, read: impl Fn(&Self, &Node) -> Read<T>) -> Read<Vec<T>> {
        let nodes = self.list(of, field)?;
        nodes.into_iter().flatten().map(|node| read(self, node)).collect()
    }

    pub(super) fn expr_at(&self, of: &Node, field: &str) -> Read<Expr> {
        self.expr(self.one(of, field)?)
    }

    pub(super) fn maybe_expr(&self, of: &Node, field: &str) -> Read<Option<Expr>> {
        let node = self.maybe(of, field)?;
        node.map(|node| self.expr(node)).transpose()
    }

    pub(super) fn exprs(&self, of: &Node, field: &str) -> Read<Vec<Expr>> {
        self.each(of, field, Self::expr)
    }

    fn block(&self, of: &Node, field: &str) -> Read<Vec<Stmt>> {
        self.each(of, field, Self::stmt)
    }

    fn stmt(&self, node: &Node) -> Read<Stmt> {
        Ok(Stmt {
            span: node.span(),
            kind: self.stmt_kind(node)?,
        })
    }

    fn stmt_kind(&self, node: &Node) -> Read<StmtKind> {
        Ok(match node.0.as_str() {
            "FunctionDef" | "AsyncFunctionDef" => StmtKind::Function(Box::new(FunctionDef {
                name: text(node, "name")?,
                params: self.params(self.one(node, "args")?)?,
                body: self.block(node, "body")?,
                decorators: self.exprs(node, "decorator_list")?,
                returns: self.maybe_expr(node, "returns")?,
                is_async: node.0 == "AsyncFunctionDef",
                type_params: self.each(node, "type_params", |_, node| Ok(node.span()))?,
            })),
            "ClassDef" => StmtKind::Class(Box::new(ClassDef {
                name: text(node, "name")?,
                bases: self.exprs(node, "bases")?,
                keywords: self.each(node, "keywords", Self::keyword)?,
                body: self.block(node, "body")?,
                decorators: self.exprs(node, "decorator_list")?,
                type_params: self.each(node, "type_params", |_, node| Ok(node.span()))?,
            })),
            "Return" => StmtKind::Return(self.maybe_expr(node, "value")?),
            "Delete" => StmtKind::Delete(self.exprs(node, "targets")?),
            "Assign" => StmtKind::Assign {
                targets: self.exprs(node, "targets")?,
                value: self.expr_at(node, "value")?,
            },
            "TypeAlias" => StmtKind::TypeAlias {
                name: self.expr_at(node, "name")?,
                value: self.expr_at(node, "value")?,
            },
            "AugAssign" => StmtKind::AugAssign {
                target: self.expr_at(node, "target")?,
                value: self.expr_at(node, "value")?,
            },
            "AnnAssign" => StmtKind::AnnAssign {
                target: self.expr_at(node, "target")?,
                annotation: self.expr_at(node, "annotation")?,
                value: self.maybe_expr(node, "value")?,
            },
            "For" | "AsyncFor" => StmtKind::For {
                target: self.expr_at(node, "target")?,
                iter: self.expr_at(node, "iter")?,
                body: self.block(node, "body")?,
                orelse: self.block(node, "orelse")?,
            },
            "While" => StmtKind::While {
                test: self.expr_at(node, "test")?,
                body: self.block(node, "body")?,
                orelse: self.block(node, "orelse")?,
            },
            "If" => StmtKind::If {
                test: self.expr_at(node, "test")?,
                body: self.block(node, "body")?,
                orelse: self.block(node, "orelse")?,
            },
            "With" | "AsyncWith" => StmtKind::With {
                items: self.each(node, "items", Self::with_item)?,
                body: self.block(node, "body")?,
            },
            "Match" => StmtKind::Match {
                subject: self.expr_at(node, "subject")?,
                cases: self.each(node, "cases", Self::case)?,
            },
            "Raise" => StmtKind::Raise {
                exc: self.maybe_expr(node, "exc")?,
                cause: self.maybe_expr(node, "cause")?,
            },
            "Try" | "TryStar" => StmtKind::Try(Box::new(Try {
                body: self.block(node, "body")?,
                handlers: self.each(node, "handlers", Self::handler)?,
                orelse: self.block(node, "orelse")?,
                finalbody: self.block(node, "finalbody")?,
            })),
            "Assert" => StmtKind::Assert {
                test: self.expr_at(node, "test")?,
                message: self.maybe_expr(node, "msg")?,
            },
            "Import" => StmtKind::Import(self.each(node, "names", Self::alias)?),
            "ImportFrom" => StmtKind::ImportFrom {
                module: maybe_text(node, "module"),
                names: self.each(node, "names", Self::alias)?,
                level: match node.3.get("level").and_then(Value::as_u64) {
                    Some(level) => u32::try_from(level).unwrap_or(u32::MAX),
                    None => 0,
                },
            },
            "Global" => StmtKind::Global(texts(node, "names")),
            "Nonlocal" => StmtKind::Nonlocal(texts(node, "names")),
            "Expr" => StmtKind::Expr(self.expr_at(node, "value")?),
            "Pass" => StmtKind::Pass,
            "Break" => StmtKind::Break,
            "Continue" => StmtKind::Continue,
            _ => return Err(malformed(node, "type")),
        })
    }

    fn with_item(&self, node: &Node) -> Read<WithItem> {
        Ok(WithItem {
            context: self.expr_at(node, "context_expr")?,
            target: self.maybe_expr(node, "optional_vars")?,
        })
    }

    fn handler(&self, node: &Node) -> Read<Handler> {
        Ok(Handler {
            kind: self.maybe_expr(node, "type")?,
            name: maybe_text(node, "name"),
            body: self.block(node, "body")?,
        })
    }

    fn alias(&self, node: &Node) -> Read<Alias> {
        Ok(Alias {
            span: node.span(),
            name: text(node, "name")?,
            asname: maybe_text(node, "asname"),
        })
    }

    pub(super) fn keyword(&self, node: &Node) -> Read<Keyword> {
        Ok(Keyword {
            span: node.span(),
            name: maybe_text(node, "arg"),
            value: self.expr_at(node, "value")?,
        })
    }

    fn case(&self, node: &Node) -> Read<MatchCase> {
        let (mut binds, mut exprs) = (Vec::new(), Vec::new());
        self.pattern(self.one(node, "pattern")?, &mut binds, &mut exprs)?;
        Ok(MatchCase {
            binds,
            exprs,
            guard: self.maybe_expr(node, "guard")?,
            body: self.block(node, "body")?,
        })
    }

    fn pattern(&self, node: &Node, binds: &mut Vec<String>, exprs: &mut Vec<Expr>) -> Read<()> {
        match node.0.as_str() {
            "MatchValue" => exprs.push(self.expr_at(node, "value")?),
            "MatchClass" => exprs.push(self.expr_at(node, "cls")?),
            "MatchMapping" => exprs.extend(self.exprs(node, "keys")?),
            "MatchSingleton" | "MatchSequence" | "MatchStar" | "MatchAs" | "MatchOr" => {}
            _ => return Err(malformed(node, "type")),
        }
        let mut below = self.list(node, "patterns")?;
        below.extend(self.list(node, "kwd_patterns")?);
        below.push(self.maybe(node, "pattern")?);
        for inner in below.into_iter().flatten() {
            self.pattern(inner, binds, exprs)?;
        }
        binds.extend(maybe_text(node, "name"));
        binds.extend(maybe_text(node, "rest"));
        Ok(())
    }

    pub(super) fn params(&self, node: &Node) -> Read<Params> {
        let mut posonly = self.each(node, "posonlyargs", Self::param)?;
        let mut args = self.each(node, "args", Self::param)?;
        let mut kwonly = self.each(node, "kwonlyargs", Self::param)?;
        // Defaults belong to the last positional parameters; keyword-only ones have theirs in parallel.
        let defaults = self.exprs(node, "defaults")?;
        let last = posonly.iter_mut().chain(&mut args).rev();
        for (param, default) in last.zip(defaults.into_iter().rev()) {
            param.default = Some(default);
        }
        let defaults = self.list(node, "kw_defaults")?;
        for (param, default) in kwonly.iter_mut().zip(defaults) {
            param.default = default.map(|node| self.expr(node)).transpose()?;
        }
        let single = |field: &str| {
            let node = self.maybe(node, field)?;
            node.map(|node| self.param(node)).transpose()
        };
        Ok(Params {
            posonly,
            args,
            vararg: single("vararg")?,
            kwonly,
            kwarg: single("kwarg")?,
        })
    }

    fn param(&self, node: &Node) -> Read<Param> {
        Ok(Param {
            span: node.span(),
            name: text(node, "arg")?,
            annotation: self.maybe_expr(node, "annotation")?,
            default: None,
        })
    }
}
