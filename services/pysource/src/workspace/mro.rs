//! The order in which a class asks its bases, as Python computes it.

use super::{Entity, Workspace};
use crate::facts::Class;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A class of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ClassId {
    pub(crate) file: String,
    /// Index into the classes of that file's facts.
    pub(crate) index: usize,
}

/// One entry of a resolution order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    Class(ClassId),
    /// Dotted name of a class outside the workspace.
    External(String),
    Unknown,
}

/// The classes that are asked for an attribute, in order, the class itself first.
pub(crate) type Mro = Vec<Base>;

/// Deepest hierarchy that is followed.
const MAX_DEPTH: u32 = 64;

/// Longest order that is worked out.
const MAX_LENGTH: usize = 96;

/// Most bases of one class that are followed.
const MAX_BASES: usize = 32;

impl Workspace {
    pub(crate) fn class(&self, id: &ClassId) -> Option<&Class> {
        self.facts(&id.file)?.classes.get(id.index)
    }

    /// The resolution order of a class; contains [`Base::Unknown`] where it cannot be told.
    pub(crate) fn mro(&self, id: &ClassId) -> Arc<Mro> {
        match self.orders.get(id) {
            Some(order) => Arc::clone(order),
            None => Arc::new(self.mro_below(id, MAX_DEPTH, &mut BTreeMap::new())),
        }
    }

    /// The resolution orders of all classes.
    pub(super) fn orders(&self) -> BTreeMap<ClassId, Arc<Mro>> {
        let mut known = BTreeMap::new();
        for (path, facts) in self.readable() {
            for index in 0..facts.classes.len() {
                let file = path.to_owned();
                self.mro_below(&ClassId { file, index }, MAX_DEPTH, &mut known);
            }
        }
        known.into_iter().map(|(id, order)| (id, Arc::new(order))).collect()
    }

    /// The classes below each class.
    pub(super) fn all_below(&self) -> BTreeMap<ClassId, Vec<ClassId>> {
        let mut below: BTreeMap<ClassId, Vec<ClassId>> = BTreeMap::new();
        for (id, order) in &self.orders {
            for base in order.iter().skip(1) {
                if let Base::Class(base) = base {
                    below.entry(base.clone()).or_default().push(id.clone());
                }
            }
        }
        below
    }

    /// The classes below a class, at any depth; `None` where there may be more.
    pub(crate) fn below(&self, class: &ClassId) -> Option<&[ClassId]> {
        let named = self.class(class)?;
        if self.shared.unclear_bases.contains(&named.name) {
            return None;
        }
        Some(self.below.get(class).map_or(&[][..], Vec::as_slice))
    }

    /// `known` has the orders that were worked out already: two ways up through the same classes are one.
    fn mro_below(&self, id: &ClassId, depth: u32, known: &mut BTreeMap<ClassId, Mro>) -> Mro {
        let own = Base::Class(id.clone());
        if let Some(order) = known.get(id) {
            return order.clone();
        }
        // A class above itself is no class.
        known.insert(id.clone(), vec![own.clone(), Base::Unknown]);
        let (Some(class), Some(depth)) = (self.class(id), depth.checked_sub(1)) else {
            return vec![own, Base::Unknown];
        };
        if class.bases.len() > MAX_BASES {
            return vec![own, Base::Unknown];
        }
        let bases: Vec<Base> = class
            .bases
            .iter()
            .map(|base| match base.as_ref().map(|base| self.resolve(&id.file, base)) {
                Some(Entity::Class(base)) => Base::Class(base),
                Some(Entity::External(name)) => Base::External(name),
                Some(Entity::Module(_) | Entity::Function(_) | Entity::Instance(_) | Entity::Unknown) | None => {
                    Base::Unknown
                }
            })
            .collect();
        let mut lists: Vec<Vec<Base>> = bases
            .iter()
            .map(|base| match base {
                Base::Class(base) => self.mro_below(base, depth, known),
                Base::External(_) | Base::Unknown => vec![base.clone()],
            })
            .collect();
        lists.push(bases);
        let mut order = vec![own];
        match merge(lists) {
            Some(rest) => order.extend(rest),
            None => order.push(Base::Unknown),
        }
        if order.len() > MAX_LENGTH {
            order.truncate(MAX_LENGTH);
            order.push(Base::Unknown);
        }
        known.insert(id.clone(), order.clone());
        order
    }
}

/// The merge of C3 linearisation; `None` where no order is consistent.
fn merge(mut lists: Vec<Vec<Base>>) -> Option<Vec<Base>> {
    let mut order = Vec::new();
    loop {
        lists.retain(|list| !list.is_empty());
        if lists.is_empty() {
            return Some(order);
        }
        let in_tail = |head: &Base| lists.iter().any(|list| list.iter().skip(1).any(|b| b == head));
        let head = lists
            .iter()
            .filter_map(|list| list.first())
            .find(|head| **head == Base::Unknown || !in_tail(head))?
            .clone();
        for list in &mut lists {
            if list.first() == Some(&head) {
                list.remove(0);
            }
        }
        order.push(head);
    }
}
