//! JSON as YARN's tools write it: objects one after another without separators, scalars as numbers or strings alike.
//!
//! Says where an object begins and what a value holds; what they mean is for the formats to say (yarn.md 11.1).

use std::borrow::Cow;
use std::ops::RangeInclusive;
use std::path::Path;

use serde_json::{Deserializer, Map, Value};

use super::error::{AppFault, WorkloadError, shortened};

const OBJECTS: &str = "JSON (objects in braces, one after another, nothing between them)";

/// Where something begins in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Counts from 1.
    pub line: u64,
    /// Counts bytes, from 1.
    pub column: u64,
}

impl Place {
    const START: Self = Self { line: 1, column: 1 };

    /// Where one is after `text` has been passed.
    fn after(self, text: &[u8]) -> Self {
        let lines = text.iter().filter(|b| **b == b'\n').count() as u64;
        match text.iter().rposition(|b| *b == b'\n') {
            Some(last) => Self { line: self.line + lines, column: (text.len() - last) as u64 },
            None => Self { line: self.line, column: self.column + text.len() as u64 },
        }
    }
}

/// An object at the top of the text.
#[derive(Debug)]
pub(super) struct Object {
    /// Where it begins.
    pub place: Place,
    /// What it holds.
    pub map: Map<String, Value>,
}

/// The objects of a text, one after another; nothing comes after an error.
#[derive(Clone, Debug)]
pub(super) struct Objects<'a> {
    path: &'a Path,
    rest: &'a [u8],
    place: Place,
}

impl<'a> Objects<'a> {
    /// The objects of `text`; `path` is for messages.
    pub(super) const fn new(path: &'a Path, text: &'a [u8]) -> Self {
        Self { path, rest: text, place: Place::START }
    }

    fn pass(&mut self, len: usize) {
        let (passed, rest) = self.rest.split_at(len);
        self.place = self.place.after(passed);
        self.rest = rest;
    }

    fn pass_blanks(&mut self) {
        self.pass(self.rest.len() - self.rest.trim_ascii_start().len());
    }

    /// Refuses whatever is left, if anything is.
    ///
    /// # Errors
    /// More than blanks is left; `message` says why it should not be.
    pub(super) fn expect_end(&mut self, message: &str) -> Result<(), WorkloadError> {
        self.pass_blanks();
        if self.rest.is_empty() { Ok(()) } else { Err(self.refuse(message)) }
    }

    /// Refuses what stands at the front of `rest`.
    fn refuse(&mut self, message: &str) -> WorkloadError {
        let line = self.rest.split(|b| *b == b'\n').next().unwrap_or_default();
        let error = WorkloadError::Syntax {
            path: self.path.to_owned(),
            line: self.place.line,
            column: self.place.column,
            message: message.to_owned(),
            found: shortened(line),
            expected: OBJECTS,
        };
        self.rest = &[];
        error
    }

    /// Refuses what the parser of JSON did not understand.
    fn refuse_syntax(&mut self, error: &serde_json::Error) -> WorkloadError {
        let lines = self.rest.split_inclusive(|b| *b == b'\n');
        let before: usize = lines.take(error.line().saturating_sub(1)).map(<[u8]>::len).sum();
        let offset = before + error.column().saturating_sub(1);
        self.pass(offset.min(self.rest.len()));
        let message = error.to_string();
        // The parser counts lines from where this object begins; the place is told by us.
        self.refuse(message.split(" at line ").next().unwrap_or_default())
    }
}

impl Iterator for Objects<'_> {
    type Item = Result<Object, WorkloadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.pass_blanks();
        match self.rest.first() {
            None => return None,
            Some(b'{') => {}
            Some(b'[') => return Some(Err(self.refuse("a list stands where an object should"))),
            Some(_) => return Some(Err(self.refuse("no object begins here"))),
        }
        let place = self.place;
        let mut parsed = Deserializer::from_slice(self.rest).into_iter::<Map<String, Value>>();
        let object = parsed.next()?;
        let len = parsed.byte_offset();
        Some(match object {
            Ok(map) => {
                self.pass(len);
                Ok(Object { place, map })
            }
            Err(e) => Err(self.refuse_syntax(&e)),
        })
    }
}

/// An object's values by key; a `null` is as good as absent.
#[derive(Clone, Debug)]
pub(super) struct Fields<'a> {
    /// The path to the object, to be put in front of a key.
    within: String,
    map: &'a Map<String, Value>,
}

impl<'a> Fields<'a> {
    /// The values of an object at the top.
    pub(super) const fn new(map: &'a Map<String, Value>) -> Self {
        Self { within: String::new(), map }
    }

    /// Where `key` stands, for messages.
    pub(super) fn at(&self, key: &str) -> String {
        format!("{}{key}", self.within)
    }

    /// Where the object itself stands; `whole` at the top.
    pub(super) fn here(&self, whole: &str) -> String {
        self.within.strip_suffix('.').unwrap_or(whole).to_owned()
    }

    /// Whether there is a value.
    pub(super) fn has(&self, key: &str) -> bool {
        self.value(key).is_some()
    }

    fn value(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    /// The fault of a value that is not what is expected, or not there.
    pub(super) fn fault(&self, key: &str, expected: &'static str) -> AppFault {
        let key_path = self.at(key);
        match self.value(key) {
            Some(value) => AppFault::Value { key: key_path, found: shown(value), expected },
            None => AppFault::Missing { key: key_path, expected },
        }
    }

    /// A scalar as text.
    ///
    /// # Errors
    /// It is a list or an object.
    pub(super) fn text(&self, key: &str, expected: &'static str) -> Result<Option<Cow<'a, str>>, AppFault> {
        let Some(value) = self.value(key) else { return Ok(None) };
        scalar(value).map(Some).ok_or_else(|| self.fault(key, expected))
    }

    /// A whole number within `range`.
    ///
    /// # Errors
    /// It is something else.
    pub(super) fn whole(
        &self,
        key: &str,
        range: RangeInclusive<i64>,
        expected: &'static str,
    ) -> Result<Option<i64>, AppFault> {
        let Some(text) = self.text(key, expected)? else { return Ok(None) };
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.map(Some).ok_or_else(|| self.fault(key, expected))
    }

    /// A whole number from 1 to the largest of 32 bits.
    ///
    /// # Errors
    /// It is something else.
    pub(super) fn positive(&self, key: &str, expected: &'static str) -> Result<Option<u32>, AppFault> {
        let number = self.whole(key, 1..=i64::from(u32::MAX), expected)?;
        Ok(number.map(|number| u32::try_from(number).expect("it fits because its range is that of 32 bits")))
    }

    /// A finite number.
    ///
    /// # Errors
    /// It is something else.
    pub(super) fn real(&self, key: &str, expected: &'static str) -> Result<Option<f64>, AppFault> {
        let Some(text) = self.text(key, expected)? else { return Ok(None) };
        finite(&text).map(Some).ok_or_else(|| self.fault(key, expected))
    }

    /// The values of a list.
    ///
    /// # Errors
    /// It is no list.
    pub(super) fn list(&self, key: &str, expected: &'static str) -> Result<Option<&'a [Value]>, AppFault> {
        let Some(value) = self.value(key) else { return Ok(None) };
        value.as_array().map(|list| Some(list.as_slice())).ok_or_else(|| self.fault(key, expected))
    }

    /// The objects of a list.
    ///
    /// # Errors
    /// It is no list, or not all that it holds are objects.
    pub(super) fn objects(&self, key: &str, expected: &'static str) -> Result<Option<Vec<Self>>, AppFault> {
        let Some(list) = self.list(key, expected)? else { return Ok(None) };
        let object = |(number, value): (usize, &'a Value)| {
            let within = format!("{}{key}[{number}]", self.within);
            match value {
                Value::Object(map) => Ok(Self { within: within + ".", map }),
                other => Err(AppFault::Value { key: within, found: shown(other), expected: "an object" }),
            }
        };
        list.iter().enumerate().map(object).collect::<Result<_, _>>().map(Some)
    }

    /// The values of an object within this one.
    ///
    /// # Errors
    /// It is no object.
    pub(super) fn object(&self, key: &str, expected: &'static str) -> Result<Option<Self>, AppFault> {
        match self.value(key) {
            None => Ok(None),
            Some(Value::Object(map)) => Ok(Some(Self { within: format!("{}{key}.", self.within), map })),
            Some(_) => Err(self.fault(key, expected)),
        }
    }
}

/// A scalar as text.
pub(super) fn scalar(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(Cow::Borrowed(text)),
        Value::Number(number) => Some(Cow::Owned(number.to_string())),
        Value::Bool(flag) => Some(Cow::Borrowed(if *flag { "true" } else { "false" })),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The finite number that `text` is.
pub(super) fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// A value, fit for a message.
fn shown(value: &Value) -> String {
    match value {
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) => format!("\"{}\"", shortened(text.as_bytes())),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects(text: &str) -> Vec<Result<(u64, u64, usize), String>> {
        let found = |object: Result<Object, WorkloadError>| match object {
            Ok(object) => Ok((object.place.line, object.place.column, object.map.len())),
            Err(e) => Err(e.to_string()),
        };
        Objects::new(Path::new("a.json"), text.as_bytes()).map(found).collect()
    }

    #[test]
    fn objects_need_nothing_between_them_and_have_places() {
        assert_eq!(objects(""), []);
        assert_eq!(objects(" \r\n "), []);
        assert_eq!(
            objects("{}{\"a\": 1}\n\n  {\n\"b\":\n{}}{}"),
            [Ok((1, 1, 0)), Ok((1, 3, 1)), Ok((3, 3, 1)), Ok((5, 4, 0))]
        );
    }

    #[test]
    fn what_is_no_object_is_shown_with_its_place() {
        let expected = "and JSON (objects in braces, one after another, nothing between them) is expected; correct it \
                        there, or get the file again";
        for (text, place, what) in [
            ("{}\n, {}", "2:1", "no object begins here: found \", {}\""),
            ("[{}]", "1:1", "a list stands where an object should: found \"[{}]\""),
            ("{}\n {\"a\": 1,\n  \"b\" 2}", "3:7", "expected `:`: found \"2}\""),
            ("{\"a\": nan}", "1:8", "expected ident: found \"an}\""),
            ("{\"a\": 1e999}", "1:11", "number out of range: found \"9}\""),
            ("{\"a\": 1", "1:7", "EOF while parsing an object: found \"1\""),
            ("{} {\"a\": \"x\ny\"}", "2:1", "control character"),
        ] {
            let found = objects(text);
            let message = found.last().expect("an error").clone().expect_err(text);
            assert!(message.starts_with(&format!("a.json:{place}: {what}")), "{text}: {message}");
            assert!(message.ends_with(expected), "{message}");
        }
        let deep = "{\"a\":".repeat(1000);
        assert!(objects(&deep)[0].clone().expect_err("deep").contains("recursion limit exceeded"));
    }

    #[test]
    fn scalars_are_read_as_text() {
        let text = r#"{"n": 5, "q": "5", "null": null, "f": 1.5, "l": [{"x": [1, "b"]}], "o": {"k": true}, "t": "x"}"#;
        let map: Map<String, Value> = serde_json::from_str(text).expect("JSON");
        let fields = Fields::new(&map);
        for key in ["n", "q"] {
            assert_eq!(fields.whole(key, 0..=5, "a number"), Ok(Some(5)));
            assert_eq!(fields.positive(key, "a number"), Ok(Some(5)));
            assert_eq!(fields.real(key, "a number"), Ok(Some(5.0)));
        }
        assert_eq!(fields.whole("null", 0..=5, "a number"), Ok(None));
        assert!(!fields.has("null") && !fields.has("absent") && fields.has("o"));
        let message = |fault: AppFault| fault.to_string();
        assert_eq!(
            fields.whole("q", 0..=4, "a small number").map_err(message),
            Err("q is \"5\", and a small number is expected".to_owned())
        );
        assert_eq!(
            fields.whole("f", 0..=4, "a whole number").map_err(message),
            Err("f is 1.5, and a whole number is expected".to_owned())
        );
        assert_eq!(
            fields.real("l", "a number").map_err(message),
            Err("l is a list, and a number is expected".to_owned())
        );
        let list = fields.objects("l", "a list").expect("a list").expect("there");
        assert_eq!(list[0].at("x"), "l[0].x");
        assert_eq!(list[0].here("job"), "l[0]");
        assert_eq!(
            list[0].objects("x", "a list").map(|_| ()).map_err(message),
            Err("l[0].x[0] is 1, and an object is expected".to_owned())
        );
        assert_eq!(list[0].list("x", "a list").expect("a list").map(<[_]>::len), Some(2));
        let object = fields.object("o", "an object").expect("an object").expect("there");
        assert_eq!(object.text("k", "a text"), Ok(Some(Cow::Borrowed("true"))));
        assert_eq!(object.fault("z", "a text").to_string(), "o.z is missing, and a text is expected");
        assert!(fields.object("n", "an object").is_err() && fields.objects("t", "a list").is_err());
        for text in ["NaN", "inf", "-Infinity", "1e999", "", " 1", "0x10", "1_000"] {
            assert_eq!(finite(text), None, "{text}");
        }
    }
}
