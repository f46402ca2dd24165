//! Where in a text something stands.

use std::fmt;

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// From 1; a line ends with a line feed.
    pub line: usize,
    /// In characters, from 1.
    pub column: usize,
}

impl Place {
    /// The beginning of any text.
    pub const START: Self = Self { line: 1, column: 1 };
}

impl fmt::Display for Place {
    /// As compilers write it: `3:14`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Finds places; quick if each is behind the one asked for before, as readers ask.
pub(super) struct Places<'a> {
    text: &'a str,
    byte: usize,
    place: Place,
}

impl<'a> Places<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, byte: 0, place: Place::START }
    }

    /// The place of the character that begins at `byte`, or of the end.
    pub(super) fn at(&mut self, byte: usize) -> Place {
        if byte < self.byte {
            *self = Self::new(self.text);
        }
        for character in self.text[self.byte..byte].chars() {
            self.place = match (character, self.place) {
                ('\n', Place { line, .. }) => Place { line: line + 1, column: 1 },
                (_, Place { line, column }) => Place { line, column: column + 1 },
            };
        }
        self.byte = byte;
        self.place
    }
}
