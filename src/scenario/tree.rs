//! A TOML text as a tree that owns its words and keeps the bytes of each key and value, in the order of the
//! text.
//!
//! The parser is the `toml` crate's, and no other file of the scenario knows it.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

/// A value and the bytes in which it stands.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub span: Range<usize>,
    pub value: Value,
}

/// A TOML value. Numbers stay the digits that they were written with.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Text(String),
    Integer { digits: String, radix: u32 },
    Float(String),
    Switch(bool),
    Date(String),
    List(Vec<Node>),
    Table(Table),
}

/// A table: its entries in the order of the text.
#[derive(Clone, Debug, Default)]
pub(super) struct Table(Vec<Entry>);

/// A key and its value.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub name: String,
    pub name_span: Range<usize>,
    pub node: Node,
}

impl Table {
    /// Parses a document; it is as complete as the errors allow.
    pub(super) fn parse(text: &str) -> (Self, Vec<Error>) {
        let (root, errors) = DeTable::parse_recoverable(text);
        (Self::from(root.get_ref()), errors)
    }

    pub(super) fn entries(&self) -> &[Entry] {
        &self.0
    }

    pub(super) fn get(&self, name: &str) -> Option<&Entry> {
        self.0.iter().find(|entry| entry.name == name)
    }
}

impl Node {
    /// Parses one value; `None` if `text` is none.
    pub(super) fn parse(text: &str) -> Option<Self> {
        DeValue::parse(text).ok().map(|value| Self::from(&value))
    }

    /// `text` as a text value.
    pub(super) fn text(text: &str) -> Self {
        Self { span: 0..text.len(), value: Value::Text(text.to_owned()) }
    }

    pub(super) fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn as_list(&self) -> Option<&[Self]> {
        match &self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    pub(super) fn as_table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }
}

impl From<&DeTable<'_>> for Table {
    fn from(table: &DeTable) -> Self {
        let mut entries: Vec<_> = table
            .iter()
            .map(|(key, value)| Entry {
                name: key.get_ref().to_string(),
                name_span: key.span(),
                node: Node::from(value),
            })
            .collect();
        entries.sort_by_key(|entry| entry.name_span.start);
        Self(entries)
    }
}

impl From<&Spanned<DeValue<'_>>> for Node {
    /// As deep as the parser allows values to be nested: 80 levels.
    fn from(spanned: &Spanned<DeValue>) -> Self {
        let value = match spanned.get_ref() {
            DeValue::String(text) => Value::Text(text.to_string()),
            DeValue::Integer(number) => {
                Value::Integer { digits: number.as_str().to_owned(), radix: number.radix() }
            }
            DeValue::Float(number) => Value::Float(number.as_str().to_owned()),
            DeValue::Boolean(on) => Value::Switch(*on),
            DeValue::Datetime(when) => Value::Date(when.to_string()),
            DeValue::Array(items) => Value::List(items.iter().map(Self::from).collect()),
            DeValue::Table(table) => Value::Table(Table::from(table)),
        };
        Self { span: spanned.span(), value }
    }
}
