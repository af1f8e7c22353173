//! From the interpreter's nodes to ours: expressions.

use super::interpreter::Node;
use super::interpreter_nodes::{Builder, Read, malformed, text};
use super::{BinaryOp, Clause, Expr, ExprKind, Sequence, UnaryOp};
use serde_json::Value;

impl Builder<'_> {
    pub(super) fn expr(&self, node: &Node) -> Read<Expr> {
        Ok(Expr {
            span: node.span(),
            kind: self.expr_kind(node)?,
        })
    }

    fn boxed(&self, of: &Node, field: &str) -> Read<Box<Expr>> {
        self.expr_at(of, field).map(Box::new)
    }

    fn expr_kind(&self, node: &Node) -> Read<ExprKind> {
        Ok(match node.0.as_str() {
            "Name" => ExprKind::Name(text(node, "id")?),
            "Attribute" => ExprKind::Attribute {
                value: self.boxed(node, "value")?,
                attr: text(node, "attr")?,
            },
            "Call" => ExprKind::Call {
                func: self.boxed(node, "func")?,
                args: self.exprs(node, "args")?,
                keywords: self.each(node, "keywords", Self::keyword)?,
            },
            "Constant" => constant(node)?,
            "Lambda" => ExprKind::Lambda {
                params: Box::new(self.params(self.one(node, "args")?)?),
                body: self.boxed(node, "body")?,
            },
            "NamedExpr" => ExprKind::Walrus {
                target: self.boxed(node, "target")?,
                value: self.boxed(node, "value")?,
            },
            "ListComp" | "SetComp" | "GeneratorExp" => ExprKind::Comprehension {
                elements: vec![self.expr_at(node, "elt")?],
                clauses: self.each(node, "generators", Self::clause)?,
            },
            "DictComp" => ExprKind::Comprehension {
                elements: vec![self.expr_at(node, "key")?, self.expr_at(node, "value")?],
                clauses: self.each(node, "generators", Self::clause)?,
            },
            "Starred" => ExprKind::Starred(self.boxed(node, "value")?),
            "Tuple" => self.sequence(Sequence::Tuple, node)?,
            "List" => self.sequence(Sequence::List, node)?,
            "Set" => self.sequence(Sequence::Set, node)?,
            "Dict" => self.dict(node)?,
            "BinOp" => ExprKind::Binary {
                op: match text(node, "op")?.as_str() {
                    "Add" => BinaryOp::Add,
                    "BitOr" => BinaryOp::BitOr,
                    _ => BinaryOp::Other,
                },
                left: self.boxed(node, "left")?,
                right: self.boxed(node, "right")?,
            },
            "UnaryOp" => ExprKind::Unary {
                op: match text(node, "op")?.as_str() {
                    "Not" => UnaryOp::Not,
                    "USub" => UnaryOp::Minus,
                    _ => UnaryOp::Other,
                },
                operand: self.boxed(node, "operand")?,
            },
            "Compare" => ExprKind::Compare {
                left: self.boxed(node, "left")?,
                comparators: self.exprs(node, "comparators")?,
            },
            "IfExp" => ExprKind::Conditional {
                test: self.boxed(node, "test")?,
                body: self.boxed(node, "body")?,
                orelse: self.boxed(node, "orelse")?,
            },
            "Subscript" => ExprKind::Subscript {
                value: self.boxed(node, "value")?,
                index: self.boxed(node, "slice")?,
            },
            "JoinedStr" | "TemplateStr" => ExprKind::Joined(self.exprs(node, "values")?),
            "FormattedValue" | "Interpolation" => ExprKind::Joined(self.present(node, &["value", "format_spec"])?),
            "BoolOp" => ExprKind::Other(self.exprs(node, "values")?),
            "Await" | "Yield" | "YieldFrom" => ExprKind::Other(self.present(node, &["value"])?),
            "Slice" => ExprKind::Other(self.present(node, &["lower", "upper", "step"])?),
            _ => return Err(malformed(node, "type")),
        })
    }

    /// Those of the fields that are there.
    fn present(&self, node: &Node, fields: &[&str]) -> Read<Vec<Expr>> {
        let mut parts = Vec::new();
        for field in fields {
            parts.extend(self.maybe_expr(node, field)?);
        }
        Ok(parts)
    }

    fn sequence(&self, kind: Sequence, node: &Node) -> Read<ExprKind> {
        let items = self.exprs(node, "elts")?;
        Ok(ExprKind::Sequence { kind, items })
    }

    fn dict(&self, node: &Node) -> Read<ExprKind> {
        let keys = self.list(node, "keys")?;
        let values = self.exprs(node, "values")?;
        let mut pairs = Vec::new();
        for (key, value) in keys.into_iter().zip(values) {
            pairs.push((key.map(|key| self.expr(key)).transpose()?, value));
        }
        Ok(ExprKind::Dict(pairs))
    }

    fn clause(&self, node: &Node) -> Read<Clause> {
        Ok(Clause {
            target: self.expr_at(node, "target")?,
            iter: self.expr_at(node, "iter")?,
            conditions: self.exprs(node, "ifs")?,
        })
    }
}

fn constant(node: &Node) -> Read<ExprKind> {
    let value = node.3.get("value");
    Ok(match node.3.get("kind").and_then(Value::as_str) {
        Some("none") => ExprKind::None,
        Some("ellipsis") => ExprKind::Ellipsis,
        Some("bool") => ExprKind::Bool(value.and_then(Value::as_bool).unwrap_or_default()),
        Some("str") => ExprKind::Str(text(node, "value")?),
        Some("number") => ExprKind::Number(value.and_then(Value::as_f64).unwrap_or(f64::INFINITY)),
        Some("other") => ExprKind::OtherConstant,
        Some(_) | None => return Err(malformed(node, "kind")),
    })
}
