//! Which key of which table a value belongs to, and how settings name it by a dotted path.

use super::errors::{Place, Problem, ScenarioError};
use super::file::ScenarioFile;
use super::keys::{
    SCENARIO_KEYS, SWEEP_KEYS, TABLE_LISTS, TableList, is_naming, leaves_of, list_of, not_yet, paths,
    variable_paths,
};
use super::suggest::nearest;
use super::tree::{Entry, Node, Table};

/// One key of one scenario: its path in the list of keys, and which of the tables it is in if there are several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub path: &'static str,
    pub item: Option<Item>,
}

/// A table of a list of tables, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// In a list of the whole scenario.
    Of(usize),
    /// In a list inside a table: the index of that table, and the index in the inner list.
    Inner(usize, usize),
}

impl Item {
    /// Its index in its own list.
    pub(super) fn index(self) -> usize {
        match self {
            Self::Of(index) | Self::Inner(_, index) => index,
        }
    }
}

impl Target {
    /// A key that stands in no list of tables.
    pub(super) fn whole(path: &'static str) -> Self {
        Self { path, item: None }
    }
}

impl ScenarioFile {
    /// The items of `list`; those of an inner list are the ones in the outer table `outer`.
    fn items(&self, list: &TableList, outer: Option<usize>) -> &[Node] {
        let table = match (list.parent(), outer) {
            (Some(parent), Some(outer)) => self.items(parent, None).get(outer).and_then(Node::as_table),
            (Some(_), None) => None,
            (None, _) => Some(self.root()),
        };
        table.and_then(|table| table.get(list.leaf())).and_then(|entry| entry.node.as_list()).unwrap_or(&[])
    }

    /// The tables of `list`; those of an inner list are the ones in the outer table `outer`.
    pub(super) fn tables(&self, list: &TableList, outer: Option<usize>) -> Vec<Item> {
        let tables = (0..).zip(self.items(list, outer)).filter(|(_, node)| node.as_table().is_some());
        tables.map(|(index, _)| outer.map_or(Item::Of(index), |outer| Item::Inner(outer, index))).collect()
    }

    fn item(&self, list: &TableList, item: Item) -> Option<&Node> {
        match item {
            Item::Of(index) => self.items(list, None).get(index),
            Item::Inner(outer, index) => self.items(list, Some(outer)).get(index),
        }
    }

    /// Where a table of `list` is.
    pub(super) fn item_place(&self, list: &TableList, item: Item) -> Place {
        self.item(list, item).map_or(Place::File, |node| Place::Span(node.span.clone()))
    }

    /// Whether a table of `list` has other keys than `leaf`.
    pub(super) fn is_more_than(&self, list: &TableList, item: Item, leaf: &str) -> bool {
        let table = self.item(list, item).and_then(Node::as_table);
        table.is_some_and(|table| table.entries().iter().any(|entry| entry.name != leaf))
    }

    /// How a table of `list` is called: by its name if tables of its list have one and it is there.
    pub(super) fn item_name(&self, list: &TableList, item: Item) -> Option<String> {
        let Some(naming) = list.named_by else { return Some((item.index() + 1).to_string()) };
        self.item(list, item)?.as_table()?.get(naming)?.node.as_text().map(str::to_owned)
    }

    /// What a table of `list` is called in dotted paths, as in `app.work.task.1`.
    pub(super) fn item_path(&self, list: &TableList, item: Item) -> Option<String> {
        let name = self.item_name(list, item)?;
        match (list.parent(), item) {
            (Some(parent), Item::Inner(outer, _)) => {
                Some(format!("{}.{}.{name}", self.item_path(parent, Item::Of(outer))?, list.leaf()))
            }
            _ => Some(format!("{}.{name}", list.path)),
        }
    }

    /// The entry of a key, if the file has it.
    pub(super) fn find(&self, target: Target) -> Option<&Entry> {
        let (table, leaf) = target.path.rsplit_once('.').unwrap_or(("", target.path));
        let table: &Table = match target.item {
            Some(item) => self.item(list_of(target.path)?, item)?.as_table()?,
            None if table.is_empty() => self.root(),
            None => self.root().get(table)?.node.as_table()?,
        };
        table.get(leaf)
    }

    /// The key that a setting's dotted path means. `place` is where the setting is.
    pub(super) fn target(&self, path: &str, place: &Place) -> Result<Target, ScenarioError> {
        let error = |problem| ScenarioError::new(problem, place.clone());
        for list in TABLE_LISTS.iter().filter(|list| list.parent().is_none()) {
            if let Some(rest) = path.strip_prefix(list.path).and_then(|rest| rest.strip_prefix('.')) {
                return self.item_target(list, path, rest, place);
            }
        }
        if path == "sweep.vary" || path == "sweep.baseline" {
            return Err(error(Problem::NotASetting(path.to_owned(), "set"))
                .remedy("write it in the file, or add an axis with --vary key=value,value"));
        }
        let whole = SCENARIO_KEYS.iter().map(|key| key.path).chain(SWEEP_KEYS.iter().map(|key| key.path));
        for known in whole {
            if known == path {
                return Ok(Target::whole(known));
            }
        }
        if let Some(what) = not_yet(path) {
            return Err(error(Problem::NotYet(what)).remedy("leave it out"));
        }
        let unknown = error(Problem::UnknownKey(path.to_owned()));
        let same_leaf = variable_paths().find(|known| known.rsplit('.').next() == Some(path));
        Err(match same_leaf.or_else(|| nearest(path, variable_paths())) {
            Some(known) => unknown.remedy(format!("did you mean `{known}`?")),
            None => unknown.remedy("a key is named by its table and its name, as in `policy.idle_grace`"),
        })
    }

    /// The key of a table of `list`, or of a list inside it, that `rest` means: the path without the list's own.
    fn item_target(
        &self,
        list: &'static TableList,
        path: &str,
        rest: &str,
        place: &Place,
    ) -> Result<Target, ScenarioError> {
        let error = |problem| ScenarioError::new(problem, place.clone());
        let (names, leaf) = rest.rsplit_once('.').map_or((None, rest), |(names, leaf)| (Some(names), leaf));
        let inner = TABLE_LISTS.into_iter().filter(|inner| inner.parent() == Some(list));
        let inner = inner.filter_map(|inner| Some((inner, split_inner(names?, inner.leaf())?))).next();
        let (keys_of, outer_name, name) = match inner {
            Some((inner, (outer, name))) => (inner, outer, name),
            None => (list, None, names),
        };
        let known = paths()
            .map(|(known, _)| known)
            .find(|known| list_of(known) == Some(keys_of) && known.rsplit('.').next() == Some(leaf));
        let Some(known) = known else {
            let unknown = error(Problem::UnknownKey(path.to_owned()));
            let settable = || leaves_of(keys_of).filter(|&leaf| Some(leaf) != keys_of.named_by);
            let names = || settable().collect::<Vec<_>>().join(", ");
            return Err(unknown.remedy(match nearest(leaf, settable()) {
                Some(near) => format!("did you mean `{}{near}`?", &path[..path.len() - leaf.len()]),
                None => format!("the keys of {} are {}", keys_of.header(), names()),
            }));
        };
        if is_naming(known) {
            let what = "set: it tells the tables apart";
            return Err(error(Problem::NotASetting(path.to_owned(), what)).remedy("change it in the file"));
        }
        let item = if inner.is_some() {
            let outer = self.index_of(list, None, outer_name, path, place)?;
            Item::Inner(outer, self.index_of(keys_of, Some(outer), name, path, place)?)
        } else {
            Item::Of(self.index_of(list, None, name, path, place)?)
        };
        Ok(Target { path: known, item: Some(item) })
    }

    /// The index of the table of `list` that is called `name`, which may be left out if there is only one.
    fn index_of(
        &self,
        list: &'static TableList,
        outer: Option<usize>,
        name: Option<&str>,
        path: &str,
        place: &Place,
    ) -> Result<usize, ScenarioError> {
        let tables = self.tables(list, outer);
        let found = match (name, &tables[..]) {
            (None, [only]) => Some(only),
            (None, _) => None,
            (Some(name), tables) => {
                tables.iter().find(|&&item| self.item_name(list, item).is_some_and(|known| known == name))
            }
        };
        found.map(|item| item.index()).ok_or_else(|| {
            let problem = match name {
                _ if tables.is_empty() => Problem::NoSuchTable(path.to_owned(), list.header()),
                None => Problem::WhichTable(path.to_owned(), list.what),
                Some(_) => Problem::UnknownKey(path.to_owned()),
            };
            let names: Vec<_> = tables.iter().filter_map(|&item| self.item_name(list, item)).collect();
            let (naming, leaf) = (list.named_by.unwrap_or("number"), path.rsplit('.').next().unwrap_or(path));
            let prefix = outer.and_then(|outer| self.item_path(list.parent()?, Item::Of(outer)));
            let prefix =
                prefix.map_or_else(|| list.leaf().to_owned(), |prefix| format!("{prefix}.{}", list.leaf()));
            let error = ScenarioError::new(problem, place.clone());
            error.remedy(if tables.is_empty() {
                format!("write {} into the file", list.header())
            } else {
                let naming_upper = naming.to_uppercase();
                format!(
                    "write {prefix}.{naming_upper}.{leaf} with one of the {naming}s: {}",
                    names.join(", ")
                )
            })
        })
    }
}

/// Parts `work.task.2` at the name `inner` of a list inside the table `work`: what stands before it and behind it.
/// `None` if `inner` is not named there.
fn split_inner<'n>(names: &'n str, inner: &str) -> Option<(Option<&'n str>, Option<&'n str>)> {
    let outer_of = |names: &'n str| {
        let outer = names.strip_suffix(inner)?;
        if outer.is_empty() { Some(None) } else { outer.strip_suffix('.').map(Some) }
    };
    if let Some(outer) = outer_of(names) {
        return Some((outer, None));
    }
    let (before, number) = names.rsplit_once('.')?;
    outer_of(before).map(|outer| (outer, Some(number)))
}
