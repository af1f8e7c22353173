//! What the constructor of a class takes: `__init__`, a dataclass's fields, a named tuple's fields.
//! Anything else that may decide about it (metaclasses, `__new__`, unknown bases or decorators) means no answer.

use super::bind::{Slot, Slots};
use crate::facts::{Class, Decorator, Field, Function, MemberKind, Wrapping, entries};
use crate::source::Pos;
use crate::workspace::{Base, ClassId, Entity, Mro, Workspace};

const CLASS_DECORATORS: &str = include_str!("../../policy/transparent-class-decorators.txt");
const FUNCTION_DECORATORS: &str = include_str!("../../policy/transparent-decorators.txt");
const PLAIN_BASES: &str = include_str!("../../policy/plain-bases.txt");
const ENUM_BASES: &str = include_str!("../../policy/enum-bases.txt");
const EMPTY_BASES: &str = include_str!("../../policy/empty-bases.txt");

/// What a class takes when it is called.
pub(super) struct Constructor {
    pub(super) slots: Slots,
    /// The class or function that says so.
    pub(super) file: String,
    pub(super) pos: Pos,
    /// The slots are fields of a dataclass.
    pub(super) is_dataclass: bool,
}

/// How a class is decorated as a dataclass.
struct Dataclass {
    init: bool,
    kw_only: bool,
}

enum Decoration {
    None,
    Dataclass(Dataclass),
    Unknown,
}

/// Whether `name` stands in a list of dotted names.
pub(super) fn listed(list: &'static str, name: &str) -> bool {
    entries(list).any(|entry| entry == name)
}

/// Whether a decorator leaves the signature as it is.
pub(super) fn is_transparent(ws: &Workspace, file: &str, decorator: &Decorator) -> bool {
    let Some(target) = &decorator.target else {
        return false;
    };
    match ws.resolve(file, target) {
        Entity::External(name) => listed(FUNCTION_DECORATORS, &name),
        Entity::Function(id) => ws.function(&id).is_some_and(|function| match function.wrapping {
            Wrapping::Unknown => false,
            Wrapping::Bare => !decorator.called,
            Wrapping::Called => decorator.called,
        }),
        Entity::Module(_) | Entity::Class(_) | Entity::Instance(_) | Entity::Unknown => false,
    }
}

/// The dotted name of a decorator from outside the workspace.
pub(super) fn decorator_name(ws: &Workspace, file: &str, decorator: &Decorator) -> Option<String> {
    match ws.resolve(file, decorator.target.as_ref()?) {
        Entity::External(name) => Some(name),
        Entity::Module(_) | Entity::Function(_) | Entity::Class(_) | Entity::Instance(_) | Entity::Unknown => None,
    }
}

pub(super) fn has_decorator(ws: &Workspace, file: &str, function: &Function, name: &str) -> bool {
    let is = |decorator| decorator_name(ws, file, decorator).as_deref() == Some(name);
    function.decorators.iter().any(is)
}

fn decoration(ws: &Workspace, file: &str, class: &Class) -> Decoration {
    let mut found = Decoration::None;
    for decorator in &class.decorators {
        let Some(name) = decorator_name(ws, file, decorator) else {
            return Decoration::Unknown;
        };
        let switch = |wanted: &str, default| {
            let given = decorator.switches.iter().find(|(name, _)| name == wanted);
            given.map_or(default, |(_, value)| *value)
        };
        if name == "dataclasses.dataclass" && !decorator.other_arguments {
            found = Decoration::Dataclass(Dataclass {
                init: switch("init", true),
                kw_only: switch("kw_only", false),
            });
        } else if !listed(CLASS_DECORATORS, &name) {
            return Decoration::Unknown;
        }
    }
    found
}

/// Whether every class in the order is of the workspace or known to add nothing, no metaclass and no decorator
/// interferes, and nothing adds attributes behind the text's back. `true` also for dataclasses.
pub(super) fn is_closed(ws: &Workspace, mro: &Mro) -> bool {
    mro.iter().all(|base| match base {
        Base::Class(id) => ws.class(id).is_some_and(|class| {
            let dynamic = ["__getattr__", "__getattribute__", "__new__", "__setattr__"];
            !class.open
                && !class.conditional
                && is_called_plainly(ws, id, class)
                && !dynamic.iter().any(|name| class.members.contains_key(*name))
        }),
        Base::External(name) => listed(EMPTY_BASES, name),
        Base::Unknown => false,
    })
}

/// Whether the class itself is a dataclass.
pub(super) fn is_dataclass(ws: &Workspace, id: &ClassId) -> bool {
    let decoration = ws.class(id).map(|class| decoration(ws, &id.file, class));
    matches!(decoration, Some(Decoration::Dataclass(_)))
}

/// Whether the attributes of the class itself are those that its text shows, as far as its own text goes.
pub(super) fn is_plain_class(ws: &Workspace, id: &ClassId, class: &Class) -> bool {
    is_called_plainly(ws, id, class)
}

/// Whether a base from outside gives the class no attribute at all.
pub(super) fn is_empty_base(name: &str) -> bool {
    listed(EMPTY_BASES, name)
}

/// Whether a base from outside gives the class no attribute in capitals.
pub(super) fn is_plain_base(name: &str) -> bool {
    listed(PLAIN_BASES, name) || listed(EMPTY_BASES, name) || listed(ENUM_BASES, name)
}

/// No metaclass and no decorator changes what calling the class means.
fn is_called_plainly(ws: &Workspace, id: &ClassId, class: &Class) -> bool {
    let plain_meta = class.metaclass.as_ref().is_none_or(|metaclass| {
        let entity = metaclass.as_ref().map(|target| ws.resolve(&id.file, target));
        entity == Some(Entity::External("abc.ABCMeta".to_owned()))
    });
    plain_meta && !class.keywords && !matches!(decoration(ws, &id.file, class), Decoration::Unknown)
}

/// What the class takes; `None` where the text does not tell.
pub(super) fn constructor(ws: &Workspace, id: &ClassId) -> Option<Constructor> {
    let mro = ws.mro(id);
    let mut found = None;
    for (at, base) in mro.iter().enumerate() {
        match base {
            Base::Class(id) => {
                let class = ws.class(id)?;
                if !is_called_plainly(ws, id, class) || class.members.contains_key("__new__") {
                    return None;
                }
                if found.is_none() {
                    found = of_class(ws, id, class, mro.get(at..)?)?;
                }
            }
            // A named tuple brings its own `__new__`, which its fields describe.
            Base::External(name) if name == "typing.NamedTuple" => {
                return found
                    .filter(|found| found.is_named_tuple)
                    .map(|found| found.constructor);
            }
            Base::External(name) => {
                let silent = listed(EMPTY_BASES, name);
                if !silent && (found.is_none() || !listed(PLAIN_BASES, name)) {
                    return None;
                }
            }
            Base::Unknown => return None,
        }
    }
    match found {
        Some(found) => Some(found.constructor),
        None => {
            let class = ws.class(id)?;
            Some(Constructor {
                slots: Slots::default(),
                file: id.file.clone(),
                pos: class.pos,
                is_dataclass: false,
            })
        }
    }
}

struct Found {
    constructor: Constructor,
    is_named_tuple: bool,
}

/// What this class itself says about the constructor. The outer `None` means that it cannot be told.
#[expect(clippy::option_option, reason = "unknown and unsaid are two answers")]
fn of_class(ws: &Workspace, id: &ClassId, class: &Class, mro: &[Base]) -> Option<Option<Found>> {
    let found = |slots, pos, is_dataclass, is_named_tuple| {
        Some(Some(Found {
            constructor: Constructor {
                slots,
                file: id.file.clone(),
                pos,
                is_dataclass,
            },
            is_named_tuple,
        }))
    };
    if class.own_attributes.contains("__init__") {
        return None;
    }
    if let Some(members) = class.members.get("__init__") {
        let [member] = members.as_slice() else {
            return None;
        };
        let MemberKind::Method(index) = member.kind else {
            return None;
        };
        let init = ws.facts(&id.file)?.functions.get(index)?;
        if !init.decorators.iter().all(|d| is_transparent(ws, &id.file, d)) {
            return None;
        }
        return found(Slots::of(&init.params, true)?, init.pos, false, false);
    }
    if class.conditional {
        return None;
    }
    let is_named_tuple = class
        .bases
        .iter()
        .flatten()
        .any(|base| ws.resolve(&id.file, base) == Entity::External("typing.NamedTuple".to_owned()));
    if is_named_tuple {
        let slots = Slots {
            positional: class.fields.iter().map(slot).collect(),
            ..Slots::default()
        };
        return found(slots, class.pos, false, true);
    }
    match decoration(ws, &id.file, class) {
        Decoration::Dataclass(dataclass) if dataclass.init => found(dataclass_slots(ws, mro)?, class.pos, true, false),
        Decoration::Dataclass(_) | Decoration::None => Some(None),
        Decoration::Unknown => None,
    }
}

fn slot(field: &Field) -> Slot {
    Slot {
        name: field.name.clone(),
        required: !field.has_default,
        positional_only: false,
    }
}

/// The fields of a dataclass and of the dataclasses it is derived from, in the order of `__init__`.
fn dataclass_slots(ws: &Workspace, mro: &[Base]) -> Option<Slots> {
    let mut fields: Vec<(Field, bool)> = Vec::new();
    for base in mro.iter().rev() {
        let Base::Class(id) = base else {
            continue;
        };
        let class = ws.class(id)?;
        let Decoration::Dataclass(dataclass) = decoration(ws, &id.file, class) else {
            continue;
        };
        if class.conditional {
            return None;
        }
        let mut kw_only = dataclass.kw_only;
        for field in &class.fields {
            if field.unclear {
                return None;
            }
            if field.keyword_marker {
                kw_only = true;
                continue;
            }
            if field.class_variable {
                continue;
            }
            let mut field = field.clone();
            // Bound again in the class body: then that is the default.
            field.has_default |= class.members.get(&field.name).is_some_and(|m| m.len() > 1);
            let keyword = field.kw_only.unwrap_or(kw_only);
            match fields.iter_mut().find(|(old, _)| old.name == field.name) {
                Some(old) => *old = (field, keyword),
                None => fields.push((field, keyword)),
            }
        }
    }
    fields.retain(|(field, _)| field.init != Some(false));
    let of = |wanted| {
        let matching = fields.iter().filter(move |(_, keyword)| *keyword == wanted);
        matching.map(|(field, _)| slot(field)).collect()
    };
    Some(Slots {
        positional: of(false),
        kwonly: of(true),
        ..Slots::default()
    })
}
