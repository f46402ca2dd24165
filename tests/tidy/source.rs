//! The sources as the fence sees them: found, and parted into code, comments and literals.

use std::fs;
use std::path::Path;

/// One source file, taken apart.
pub(crate) struct Source {
    /// Its path from the root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
    /// The text with all but comments blanked; lines stay lines.
    pub(crate) comments: String,
    /// The words and marks of the text without comments and literals, each with its line number.
    pub(crate) tokens: Vec<(usize, String)>,
}

impl Source {
    /// Takes `text` apart.
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let (code, comments) = split(text);
        Self { path: path.to_owned(), text: text.to_owned(), comments, tokens: tokens(&code) }
    }

    /// The top-level module that this is part of; `None` for the doors and for what is not in `src`.
    pub(crate) fn module(&self) -> Option<&str> {
        let inside = self.path.strip_prefix("src/")?;
        let first = inside.split('/').next().unwrap_or(inside);
        let module = first.strip_suffix(".rs").unwrap_or(first);
        (!["lib", "main"].contains(&module)).then_some(module)
    }

    /// Whether this is the root of a top-level module, so that its `super` is the crate.
    pub(crate) fn is_module_root(&self) -> bool {
        let inside = self.path.strip_prefix("src/").unwrap_or_default();
        !inside.contains('/') || (inside.ends_with("/mod.rs") && inside.matches('/').count() == 1)
    }

    /// What is named directly below `root`, as `b` and `c` in `root::{b, c::d}`, with line numbers.
    pub(crate) fn members(&self, root: &str) -> Vec<(usize, &str)> {
        let token = |at: usize| self.tokens.get(at).map_or((0, ""), |(line, word)| (*line, word.as_str()));
        let word = |at| token(at).1;
        let mut found = Vec::new();
        for at in 0..self.tokens.len() {
            if word(at) != root || word(at + 1) != ":" || word(at + 2) != ":" {
                continue;
            }
            if word(at + 3) != "{" {
                found.push(token(at + 3));
                continue;
            }
            let mut depth = 0;
            for place in at + 3..self.tokens.len() {
                let mark = word(place);
                depth += i32::from(mark == "{") - i32::from(mark == "}");
                if depth == 0 {
                    break;
                }
                if depth == 1 && (mark == "{" || mark == ",") && word(place + 1) != "}" {
                    found.push(token(place + 1));
                }
            }
        }
        found
    }
}

/// All sources of the project, by path.
pub(crate) fn sources() -> Vec<Source> {
    let mut found = Vec::new();
    // Cargo runs tests in the root of the package. (A path fixed at build time is wrong once a tree has moved.)
    for folder in ["src", "tests", "benches"] {
        collect(Path::new(folder), &mut found);
    }
    found.sort_by(|one: &Source, other| one.path.cmp(&other.path));
    assert!(found.len() >= 15, "only {} sources were found: the walk is broken", found.len());
    for known in ["src/lib.rs", "src/rules/mod.rs", "tests/tidy.rs"] {
        assert!(found.iter().any(|source| source.path == known), "{known} was not found: the walk is broken");
    }
    found
}

fn collect(folder: &Path, found: &mut Vec<Source>) {
    // `benches` need not exist.
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.expect("a folder that was opened can be read").path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text =
                fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            found.push(Source::new(&path.to_string_lossy().replace('\\', "/"), &text));
        }
    }
}

/// What a piece of source text is.
#[derive(PartialEq)]
enum Kind {
    Code,
    Comment,
    Literal,
}

/// The code and the comments of a text, each with everything else blanked; literals are in neither.
fn split(text: &str) -> (String, String) {
    let chars: Vec<char> = text.chars().collect();
    let (mut code, mut comments) = (String::new(), String::new());
    let mut at = 0;
    while at < chars.len() {
        let (kind, end) = piece(&chars, at);
        for &c in &chars[at..end] {
            let blank = if c == '\n' { '\n' } else { ' ' };
            code.push(if kind == Kind::Code { c } else { blank });
            comments.push(if kind == Kind::Comment { c } else { blank });
        }
        at = end;
    }
    (code, comments)
}

/// The kind and the end of the piece that begins at `at`.
fn piece(chars: &[char], at: usize) -> (Kind, usize) {
    let rest = &chars[at..];
    let in_word = at > 0 && (chars[at - 1].is_alphanumeric() || chars[at - 1] == '_');
    let length = match rest {
        ['/', '/', ..] => {
            let length = rest.iter().position(|&c| c == '\n').unwrap_or(rest.len());
            return (Kind::Comment, at + length);
        }
        ['/', '*', ..] => return (Kind::Comment, at + block_comment(rest)),
        ['"', ..] => quoted(rest, '"'),
        ['\'', '\\', ..] => quoted(rest, '\''),
        ['\'', _, '\'', ..] => 3,
        ['r', '"' | '#', ..] if !in_word => raw_string(rest, 1),
        ['b' | 'c', 'r', '"' | '#', ..] if !in_word => raw_string(rest, 2),
        _ => return (Kind::Code, at + 1),
    };
    (Kind::Literal, at + length)
}

/// The length of a block comment, which may hold others.
fn block_comment(rest: &[char]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match rest[at..] {
            ['/', '*', ..] => (depth, at) = (depth + 1, at + 2),
            ['*', '/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            break;
        }
    }
    at
}

/// The length of a literal with escapes, both quotes included.
fn quoted(rest: &[char], quote: char) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote {
        at += if rest[at] == '\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

/// The length of a raw string whose prefix has `prefix` letters; 1 for a raw name such as `r#type`.
fn raw_string(rest: &[char], prefix: usize) -> usize {
    let hashes = rest[prefix..].iter().take_while(|&&c| c == '#').count();
    if rest.get(prefix + hashes) != Some(&'"') {
        return 1;
    }
    let close: Vec<char> = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
    let body = prefix + hashes + 1;
    let length = rest[body..].windows(close.len()).position(|window| window == close);
    length.map_or(rest.len(), |length| body + length + close.len())
}

/// The words and marks of a code, each with its line number.
fn tokens(code: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    for (place, line) in (1..).zip(code.lines()) {
        let mut in_word = false;
        for c in line.chars() {
            let of_word = c.is_alphanumeric() || c == '_';
            match found.last_mut() {
                Some((_, word)) if of_word && in_word => word.push(c),
                _ if c.is_whitespace() => {}
                _ => found.push((place, c.to_string())),
            }
            in_word = of_word;
        }
    }
    found
}
