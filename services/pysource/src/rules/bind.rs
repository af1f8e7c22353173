//! Whether arguments fit parameters, by the interpreter's own rules. Knows no workspace.

use crate::facts::{Call, Param, Params};

/// A parameter that takes one argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Slot {
    pub(super) name: String,
    pub(super) required: bool,
    pub(super) positional_only: bool,
}

/// What a callable takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Slots {
    pub(super) positional: Vec<Slot>,
    pub(super) vararg: bool,
    pub(super) kwonly: Vec<Slot>,
    pub(super) kwarg: bool,
}

/// One way in which a call does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    TooMany { most: usize, given: usize },
    Missing(String),
    UnknownKeyword(String),
    Twice(String),
    PositionalOnly(String),
}

impl Problem {
    pub(super) fn sentence(&self) -> String {
        match self {
            Self::TooMany { most: 0, .. } => "it takes no positional arguments".to_owned(),
            Self::TooMany { most: 1, given } => {
                format!("it takes at most 1 positional argument, and gets {given}")
            }
            Self::TooMany { most, given } => {
                format!("it takes at most {most} positional arguments, and gets {given}")
            }
            Self::Missing(name) => format!("the argument `{name}` is missing"),
            Self::UnknownKeyword(name) => format!("it has no parameter `{name}`"),
            Self::Twice(name) => format!("`{name}` is given twice"),
            Self::PositionalOnly(name) => format!("`{name}` can only be given by position"),
        }
    }
}

impl Slots {
    /// The slots of a signature; `bound` where its first parameter is filled in already.
    /// `None` where nothing could be filled in.
    pub(super) fn of(params: &Params, bound: bool) -> Option<Self> {
        let slot = |param: &Param, positional_only| Slot {
            name: param.name.clone(),
            required: !param.has_default,
            positional_only,
        };
        let mut positional: Vec<Slot> = params.posonly.iter().map(|p| slot(p, true)).collect();
        positional.extend(params.args.iter().map(|p| slot(p, false)));
        if bound && positional.is_empty() && !params.vararg {
            return None;
        }
        Some(Self {
            positional: positional.into_iter().skip(usize::from(bound)).collect(),
            vararg: params.vararg,
            kwonly: params.kwonly.iter().map(|p| slot(p, false)).collect(),
            kwarg: params.kwarg,
        })
    }

    /// Everything that is wrong with a call.
    pub(super) fn bind(&self, call: &Call) -> Vec<Problem> {
        let mut problems = Vec::new();
        if call.positional > self.positional.len() && !self.vararg {
            problems.push(Problem::TooMany {
                most: self.positional.len(),
                given: call.positional,
            });
        }
        for keyword in &call.keywords {
            let at = self.positional.iter().position(|slot| slot.name == *keyword);
            let slot = at.and_then(|at| self.positional.get(at));
            match (at, slot) {
                (Some(_), Some(slot)) if slot.positional_only => {
                    if !self.kwarg {
                        problems.push(Problem::PositionalOnly(keyword.clone()));
                    }
                }
                (Some(at), _) if at < call.positional => {
                    problems.push(Problem::Twice(keyword.clone()));
                }
                (Some(_), _) => {}
                (None, _) => {
                    if !self.kwarg && !self.kwonly.iter().any(|slot| slot.name == *keyword) {
                        problems.push(Problem::UnknownKeyword(keyword.clone()));
                    }
                }
            }
        }
        let given = |slot: &Slot| call.keywords.contains(&slot.name) && !slot.positional_only;
        let missing = |slot: &&Slot| slot.required && !given(slot) && !call.double_star;
        if !call.star {
            let rest = self.positional.iter().skip(call.positional);
            problems.extend(rest.filter(missing).map(|slot| Problem::Missing(slot.name.clone())));
        }
        let kwonly = self.kwonly.iter().filter(missing);
        problems.extend(kwonly.map(|slot| Problem::Missing(slot.name.clone())));
        problems
    }

    /// The slots as a signature.
    pub(super) fn shown(&self, name: &str) -> String {
        let one = |slot: &Slot| match slot.required {
            true => slot.name.clone(),
            false => format!("{}=…", slot.name),
        };
        let mut parts: Vec<String> = self.positional.iter().map(one).collect();
        if let Some(last) = self.positional.iter().rposition(|slot| slot.positional_only) {
            parts.insert(last + 1, "/".to_owned());
        }
        match (self.vararg, self.kwonly.is_empty()) {
            (true, _) => parts.push("*args".to_owned()),
            (false, false) => parts.push("*".to_owned()),
            (false, true) => {}
        }
        parts.extend(self.kwonly.iter().map(one));
        if self.kwarg {
            parts.push("**kwargs".to_owned());
        }
        format!("{name}({})", parts.join(", "))
    }
}
