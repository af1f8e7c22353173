//! From `rustpython-parser`'s tree to ours: expressions, parameters and patterns.

use super::reader::{Reader, span};
use super::{BinaryOp, Clause, Expr, ExprKind, Keyword, MAX_DEPTH, Param, Params, Sequence, UnaryOp};
use rustpython_parser::ast;

fn number(value: &ast::bigint::BigInt) -> f64 {
    // A float holds integers up to 1,024 bits; turning longer ones into text would take quadratic time.
    if value.bits() > 1_024 {
        return f64::INFINITY;
    }
    value.to_string().parse().unwrap_or(f64::INFINITY)
}

fn constant(value: &ast::Constant) -> ExprKind {
    match value {
        ast::Constant::None => ExprKind::None,
        ast::Constant::Bool(value) => ExprKind::Bool(*value),
        ast::Constant::Str(text) => ExprKind::Str(text.clone()),
        ast::Constant::Int(value) => ExprKind::Number(number(value)),
        ast::Constant::Float(value) => ExprKind::Number(*value),
        ast::Constant::Ellipsis => ExprKind::Ellipsis,
        ast::Constant::Bytes(_) | ast::Constant::Complex { .. } | ast::Constant::Tuple(_) => ExprKind::OtherConstant,
    }
}

fn binary(op: ast::Operator) -> BinaryOp {
    match op {
        ast::Operator::Add => BinaryOp::Add,
        ast::Operator::BitOr => BinaryOp::BitOr,
        ast::Operator::Sub
        | ast::Operator::Mult
        | ast::Operator::MatMult
        | ast::Operator::Div
        | ast::Operator::Mod
        | ast::Operator::Pow
        | ast::Operator::LShift
        | ast::Operator::RShift
        | ast::Operator::BitXor
        | ast::Operator::BitAnd
        | ast::Operator::FloorDiv => BinaryOp::Other,
    }
}

fn unary(op: ast::UnaryOp) -> UnaryOp {
    match op {
        ast::UnaryOp::Not => UnaryOp::Not,
        ast::UnaryOp::USub => UnaryOp::Minus,
        ast::UnaryOp::Invert | ast::UnaryOp::UAdd => UnaryOp::Other,
    }
}

impl Reader {
    pub(super) fn exprs(&mut self, list: &[ast::Expr]) -> Vec<Expr> {
        list.iter().map(|expr| self.expr(expr)).collect()
    }

    pub(super) fn optional(&mut self, expr: &Option<Box<ast::Expr>>) -> Option<Expr> {
        expr.as_ref().map(|expr| self.expr(expr))
    }

    fn boxed(&mut self, expr: &ast::Expr) -> Box<Expr> {
        Box::new(self.expr(expr))
    }

    pub(super) fn expr(&mut self, expr: &ast::Expr) -> Expr {
        let span = span(expr);
        if self.depth >= MAX_DEPTH {
            self.too_deep.get_or_insert(span);
            let kind = ExprKind::OtherConstant;
            return Expr { span, kind };
        }
        self.depth += 1;
        let kind = self.expr_kind(expr);
        self.depth -= 1;
        Expr { span, kind }
    }

    fn expr_kind(&mut self, expr: &ast::Expr) -> ExprKind {
        match expr {
            ast::Expr::Name(expr) => ExprKind::Name(expr.id.to_string()),
            ast::Expr::Attribute(expr) => ExprKind::Attribute {
                value: self.boxed(&expr.value),
                attr: expr.attr.to_string(),
            },
            ast::Expr::Call(expr) => ExprKind::Call {
                func: self.boxed(&expr.func),
                args: self.exprs(&expr.args),
                keywords: self.keywords(&expr.keywords),
            },
            ast::Expr::Constant(expr) => constant(&expr.value),
            ast::Expr::Lambda(expr) => ExprKind::Lambda {
                params: Box::new(self.params(&expr.args)),
                body: self.boxed(&expr.body),
            },
            ast::Expr::NamedExpr(expr) => ExprKind::Walrus {
                target: self.boxed(&expr.target),
                value: self.boxed(&expr.value),
            },
            ast::Expr::ListComp(expr) => self.comprehension(&[&expr.elt], &expr.generators),
            ast::Expr::SetComp(expr) => self.comprehension(&[&expr.elt], &expr.generators),
            ast::Expr::GeneratorExp(expr) => self.comprehension(&[&expr.elt], &expr.generators),
            ast::Expr::DictComp(expr) => self.comprehension(&[&expr.key, &expr.value], &expr.generators),
            ast::Expr::Starred(expr) => ExprKind::Starred(self.boxed(&expr.value)),
            ast::Expr::Tuple(expr) => self.sequence(Sequence::Tuple, &expr.elts),
            ast::Expr::List(expr) => self.sequence(Sequence::List, &expr.elts),
            ast::Expr::Set(expr) => self.sequence(Sequence::Set, &expr.elts),
            ast::Expr::Dict(expr) => ExprKind::Dict(
                expr.keys
                    .iter()
                    .zip(&expr.values)
                    .map(|(key, value)| (key.as_ref().map(|key| self.expr(key)), self.expr(value)))
                    .collect(),
            ),
            ast::Expr::BinOp(expr) => ExprKind::Binary {
                op: binary(expr.op),
                left: self.boxed(&expr.left),
                right: self.boxed(&expr.right),
            },
            ast::Expr::UnaryOp(expr) => ExprKind::Unary {
                op: unary(expr.op),
                operand: self.boxed(&expr.operand),
            },
            ast::Expr::Compare(expr) => ExprKind::Compare {
                left: self.boxed(&expr.left),
                comparators: self.exprs(&expr.comparators),
            },
            ast::Expr::IfExp(expr) => ExprKind::Conditional {
                test: self.boxed(&expr.test),
                body: self.boxed(&expr.body),
                orelse: self.boxed(&expr.orelse),
            },
            ast::Expr::Subscript(expr) => ExprKind::Subscript {
                value: self.boxed(&expr.value),
                index: self.boxed(&expr.slice),
            },
            ast::Expr::JoinedStr(expr) => ExprKind::Joined(self.exprs(&expr.values)),
            ast::Expr::FormattedValue(expr) => {
                let mut parts = vec![self.expr(&expr.value)];
                parts.extend(self.optional(&expr.format_spec));
                ExprKind::Joined(parts)
            }
            ast::Expr::BoolOp(expr) => ExprKind::Other(self.exprs(&expr.values)),
            ast::Expr::Await(expr) => ExprKind::Other(vec![self.expr(&expr.value)]),
            ast::Expr::YieldFrom(expr) => ExprKind::Other(vec![self.expr(&expr.value)]),
            ast::Expr::Yield(expr) => ExprKind::Other(self.optional(&expr.value).into_iter().collect()),
            ast::Expr::Slice(expr) => {
                let parts = [&expr.lower, &expr.upper, &expr.step];
                ExprKind::Other(parts.iter().filter_map(|part| self.optional(part)).collect())
            }
        }
    }

    fn sequence(&mut self, kind: Sequence, items: &[ast::Expr]) -> ExprKind {
        let items = self.exprs(items);
        ExprKind::Sequence { kind, items }
    }

    fn comprehension(&mut self, elements: &[&ast::Expr], clauses: &[ast::Comprehension]) -> ExprKind {
        ExprKind::Comprehension {
            elements: elements.iter().map(|expr| self.expr(expr)).collect(),
            clauses: clauses
                .iter()
                .map(|clause| Clause {
                    target: self.expr(&clause.target),
                    iter: self.expr(&clause.iter),
                    conditions: self.exprs(&clause.ifs),
                })
                .collect(),
        }
    }

    pub(super) fn keywords(&mut self, list: &[ast::Keyword]) -> Vec<Keyword> {
        list.iter()
            .map(|keyword| Keyword {
                span: span(keyword),
                name: keyword.arg.as_ref().map(ast::Identifier::to_string),
                value: self.expr(&keyword.value),
            })
            .collect()
    }

    pub(super) fn params(&mut self, params: &ast::Arguments) -> Params {
        Params {
            posonly: self.param_list(&params.posonlyargs),
            args: self.param_list(&params.args),
            vararg: params.vararg.as_ref().map(|arg| self.param(arg, &None)),
            kwonly: self.param_list(&params.kwonlyargs),
            kwarg: params.kwarg.as_ref().map(|arg| self.param(arg, &None)),
        }
    }

    fn param_list(&mut self, list: &[ast::ArgWithDefault]) -> Vec<Param> {
        list.iter().map(|arg| self.param(&arg.def, &arg.default)).collect()
    }

    fn param(&mut self, arg: &ast::Arg, default: &Option<Box<ast::Expr>>) -> Param {
        Param {
            span: span(arg),
            name: arg.arg.to_string(),
            annotation: self.optional(&arg.annotation),
            default: self.optional(default),
        }
    }

    pub(super) fn pattern(&mut self, pattern: &ast::Pattern, binds: &mut Vec<String>, exprs: &mut Vec<Expr>) {
        if self.depth >= MAX_DEPTH {
            self.too_deep.get_or_insert(span(pattern));
            return;
        }
        self.depth += 1;
        let (below, name) = match pattern {
            ast::Pattern::MatchValue(part) => {
                exprs.push(self.expr(&part.value));
                (Vec::new(), None)
            }
            ast::Pattern::MatchSingleton(_) => (Vec::new(), None),
            ast::Pattern::MatchSequence(part) => (part.patterns.iter().collect(), None),
            ast::Pattern::MatchMapping(part) => {
                exprs.extend(self.exprs(&part.keys));
                (part.patterns.iter().collect(), part.rest.as_ref())
            }
            ast::Pattern::MatchClass(part) => {
                exprs.push(self.expr(&part.cls));
                (part.patterns.iter().chain(&part.kwd_patterns).collect(), None)
            }
            ast::Pattern::MatchStar(part) => (Vec::new(), part.name.as_ref()),
            ast::Pattern::MatchAs(part) => (part.pattern.iter().map(|inner| &**inner).collect(), part.name.as_ref()),
            ast::Pattern::MatchOr(part) => (part.patterns.iter().collect(), None),
        };
        for inner in below {
            self.pattern(inner, binds, exprs);
        }
        binds.extend(name.map(ast::Identifier::to_string));
        self.depth -= 1;
    }
}
