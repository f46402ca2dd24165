//! Typed reading of one value: from TOML, by its key's kind, into its place in the model.
//!
//! It knows neither other keys nor where a value comes from. What it returns is the value's canonical text,
//! as TOML.

use std::ops::Range;
use std::path::Path;

use super::action;
use super::errors::ValueError;
use super::keys::{Kind, Word};
use super::quantity;
use super::tree::{Node, Value};
use crate::rules::machine::BootTime;
use crate::rules::matrix::Matrix;
use crate::rules::rmnode::RmNodeState;
use crate::rules::windows::ShutdownWindows;
use crate::time::{DurationError, SimSpan};
use crate::workload::{self, SlsRunner, WorkloadError};

/// A hundred years: what is longer is a slip of the pen.
const SPAN_MOST: SimSpan = SimSpan::from_hours(24 * 36_525);

/// A value that its key does not take.
pub(super) struct Fault {
    /// Where, in the text that the value stands in.
    pub span: Range<usize>,
    pub error: ValueError,
    pub notes: Vec<String>,
    pub remedy: Option<String>,
}

impl Fault {
    pub(super) fn new(value: &Node, error: impl Into<ValueError>) -> Self {
        Self { span: value.span.clone(), error: error.into(), notes: Vec::new(), remedy: None }
    }

    pub(super) fn unexpected(value: &Node, expected: impl Into<String>) -> Self {
        Self::new(value, ValueError::Unexpected { found: described(&value.value), expected: expected.into() })
    }

    pub(super) fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

/// A value as the command line says it: TOML where the kind needs a number or a switch, or where quotes or
/// brackets say that it is; text otherwise.
pub(super) fn from_argument<T>(kind: &Kind<T>, text: &str) -> Node {
    let text = text.trim();
    let is_toml = match kind {
        Kind::Switch(_) | Kind::Count { .. } | Kind::CountOrNever { .. } => true,
        Kind::Number { .. } | Kind::Money(_) => true,
        Kind::Action(action::Form::True(_), _) => true,
        Kind::Boot(_)
        | Kind::Windows(_)
        | Kind::Names(_)
        | Kind::RemovalStates(_)
        | Kind::Master(_)
        | Kind::Action(..) => text.starts_with(['{', '[', '"', '\'']),
        _ => text.starts_with(['"', '\'']),
    };
    let toml = if is_toml { Node::parse(text) } else { None };
    toml.unwrap_or_else(|| Node::text(text))
}

/// Reads `value` as `kind` says, puts it into `target`, and returns its canonical text. `folder` is what
/// paths are relative to.
pub(super) fn read<T>(kind: &Kind<T>, value: &Node, folder: &Path, target: &mut T) -> Result<String, Fault> {
    Ok(match kind {
        Kind::Text(set) => put(target, *set, label(value)?.to_owned(), |text| quoted(text)),
        Kind::NodeName(set) => put(target, *set, node_name(value)?.to_owned(), |name| quoted(name)),
        Kind::AppName(set) => put(target, *set, app_name(value)?.to_owned(), |name| quoted(name)),
        Kind::Path(set) => {
            let text = label(value)?;
            put(target, *set, folder.join(text), |_| quoted(text))
        }
        Kind::Switch(set) => put(target, *set, switch(value)?, bool::to_string),
        Kind::Choice(options) => choice(value, options, target)?,
        Kind::Count { low, high, set } => put(target, *set, count(value, *low, *high)?, u64::to_string),
        Kind::CountOrNever { high, set } => put(target, *set, count_or_never(value, *high)?, |count| {
            count.map_or_else(|| quoted("never"), |count| count.to_string())
        }),
        Kind::Number { low, high, set } => put(target, *set, number(value, *low, *high)?, f64::to_string),
        Kind::Span { least, set } => put(target, *set, span(value, *least)?, |span| quoted(span)),
        Kind::SpanOrNever { least, set } => put(target, *set, span_or_never(value, *least)?, |span| {
            span.map_or_else(|| quoted("never"), quoted)
        }),
        Kind::Memory(set) => put(target, *set, memory(value)?, |&bytes| quoted(quantity::memory_text(bytes))),
        Kind::Money(set) => put(target, *set, money(value)?, |&micros| quantity::money_text(micros)),
        Kind::Boot(set) => put(target, *set, boot(value)?, |&boot| boot_text(boot)),
        Kind::Windows(set) => put_with_text(target, *set, windows(value)?),
        Kind::Matrix(set) => {
            let text = label(value)?;
            put(target, *set, matrix(value, text, folder)?, |_| quoted(text))
        }
        Kind::NodeFile(set) => {
            let text = label(value)?;
            let loaded =
                workload::load_nodes(&folder.join(text)).map_err(|error| input_fault(value, &error))?;
            put(target, *set, loaded, |_| quoted(text))
        }
        Kind::Runner(set) => {
            let text = label(value)?;
            let loaded = SlsRunner::load(&folder.join(text)).map_err(|error| input_fault(value, &error))?;
            put(target, *set, loaded, |_| quoted(text))
        }
        Kind::HostsFile(set) => put_with_text(target, *set, action::hosts_file(value, folder)?),
        Kind::Master(set) => put_with_text(target, *set, action::master(value)?),
        Kind::Action(form, set) => put_with_text(target, *set, action::action(*form, value, folder)?),
        Kind::Names(set) => put(target, *set, names(value)?, |names| list(names.iter().map(quoted))),
        Kind::RemovalStates(set) => put(target, *set, removal_states(value)?, |states| {
            list(states.iter().map(|state| quoted(state.name())))
        }),
        Kind::Settings => return Err(Fault::unexpected(value, "a table of [sweep]")),
    })
}

/// A file that the workload's readers do not take. What they say has its own place and remedy.
fn input_fault(value: &Node, error: &WorkloadError) -> Fault {
    Fault::new(value, ValueError::Input(error.to_string()))
}

/// Puts a value that was read into its place and returns its text.
fn put<T, V>(target: &mut T, set: fn(&mut T, V), value: V, text: impl FnOnce(&V) -> String) -> String {
    let text = text(&value);
    set(target, value);
    text
}

/// Puts a value that was read with its text into its place and returns the text.
fn put_with_text<T, V>(target: &mut T, set: fn(&mut T, V), (value, text): (V, String)) -> String {
    set(target, value);
    text
}

/// What stands there, in words.
fn described(value: &Value) -> String {
    match value {
        Value::Text(text) if text.chars().count() > 60 => {
            format!("\"{}…\"", text.chars().take(60).collect::<String>())
        }
        Value::Text(text) => format!("\"{text}\""),
        Value::Integer { digits, .. } | Value::Float(digits) => format!("the number {digits}"),
        Value::Switch(on) => on.to_string(),
        Value::Date(when) => format!("the date {when}"),
        Value::List(_) => "a list".to_owned(),
        Value::Table(_) => "a table".to_owned(),
    }
}

/// `text` as a TOML string.
pub(super) fn quoted(text: impl ToString) -> String {
    toml::Value::String(text.to_string()).to_string()
}

fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(", "))
}

/// Text that is fit to be printed on one line.
pub(super) fn label(value: &Node) -> Result<&str, Fault> {
    match value.as_text() {
        Some(text) if !text.trim().is_empty() && !text.contains(char::is_control) => Ok(text),
        _ => Err(Fault::unexpected(value, "text in quotes, on one line and not empty")),
    }
}

/// Whether `name` is, or looks like, the name of a granted instance: `node-` and a number.
pub(super) fn is_reserved(name: &str) -> bool {
    let number = name.strip_prefix("node-");
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Whether `name` is that of an instance that may be granted: `node-1`, `node-2` …
pub(super) fn is_granted(name: &str) -> bool {
    is_reserved(name) && !name.starts_with("node-0")
}

fn node_name(value: &Node) -> Result<&str, Fault> {
    let name = label(value)?;
    if name.contains(char::is_whitespace) {
        return Err(Fault::unexpected(value, "a host name, without blanks").remedy("write it as one word"));
    }
    if is_reserved(name) {
        let fault = Fault::new(value, ValueError::ReservedName(name.to_owned()));
        return Err(fault.remedy("node-1, node-2 … are the instances that are granted: choose another name"));
    }
    Ok(name)
}

fn app_name(value: &Node) -> Result<&str, Fault> {
    let name = label(value)?;
    if name.contains('/') {
        let fault = Fault::unexpected(value, "a name without /");
        return Err(
            fault.remedy("its containers are called name/1, name/2 …: use another letter, - for instance")
        );
    }
    Ok(name)
}

fn choice<T>(value: &Node, options: &[Word<T>], target: &mut T) -> Result<String, Fault> {
    let word = value.as_text();
    if let Some((name, set)) = options.iter().find(|&&(name, _)| Some(name) == word) {
        set(target);
        return Ok(quoted(name));
    }
    let names = || options.iter().map(|&(name, _)| name);
    let expected = names().map(quoted).collect::<Vec<_>>().join(" or ");
    let fault = Fault::unexpected(value, expected);
    Err(match super::suggest::nearest(word.unwrap_or_default(), names()) {
        Some(name) => fault.remedy(format!("did you mean \"{name}\"?")),
        None => fault,
    })
}

pub(super) fn switch(value: &Node) -> Result<bool, Fault> {
    match value.value {
        Value::Switch(on) => Ok(on),
        _ => Err(Fault::unexpected(value, "true or false")),
    }
}

pub(super) fn count(value: &Node, low: u64, high: u64) -> Result<u64, Fault> {
    let expected = || format!("a whole number from {low} to {high}");
    whole(value, low, high).ok_or_else(|| Fault::unexpected(value, expected()))
}

fn whole(value: &Node, low: u64, high: u64) -> Option<u64> {
    let Value::Integer { digits, radix } = &value.value else { return None };
    let count = u64::from_str_radix(digits, *radix).ok()?;
    (low..=high).contains(&count).then_some(count)
}

fn count_or_never(value: &Node, high: u64) -> Result<Option<u64>, Fault> {
    if value.as_text() == Some("never") {
        return Ok(None);
    }
    let expected = || format!("a whole number from 0 to {high}, or \"never\" for no limit");
    whole(value, 0, high).map(Some).ok_or_else(|| Fault::unexpected(value, expected()))
}

fn number(value: &Node, low: f64, high: f64) -> Result<f64, Fault> {
    let number = match &value.value {
        Value::Float(digits) | Value::Integer { digits, radix: 10 } => digits.parse().ok(),
        _ => None,
    };
    match number {
        // Adding zero makes -0.0 the zero that it is meant to be.
        Some(number) if (low..=high).contains(&number) => Ok(number + 0.0),
        _ => Err(Fault::unexpected(value, format!("a number from {low} to {high}"))),
    }
}

pub(super) fn span(value: &Node, least: SimSpan) -> Result<SimSpan, Fault> {
    match &value.value {
        Value::Text(text) if text == "never" => Err(Fault::unexpected(value, "a duration such as \"15m\"")
            .remedy("this cannot be switched off: write how long, with a unit")),
        Value::Text(text) => bounded_span(value, text, least),
        Value::Integer { digits, .. } | Value::Float(digits) => Err(bare_number(value, digits)),
        _ => Err(Fault::unexpected(value, "a duration in quotes, such as \"15m\"")),
    }
}

pub(super) fn span_or_never(value: &Node, least: SimSpan) -> Result<Option<SimSpan>, Fault> {
    if value.as_text() == Some("never") {
        return Ok(None);
    }
    let number = matches!(value.value, Value::Integer { .. } | Value::Float(_));
    span(value, least).map(Some).map_err(|fault| match fault.remedy {
        // In other systems 0 or -1 means never, in yet others at once: say which is which here.
        Some(remedy) if number => Fault {
            remedy: Some(format!("{remedy}; \"0s\" is at once, \"never\" is without limit")),
            ..fault
        },
        _ => fault,
    })
}

/// A duration that stands there as `text`, within the bounds of its key.
fn bounded_span(value: &Node, text: &str, least: SimSpan) -> Result<SimSpan, Fault> {
    let span = SimSpan::parse(text).map_err(|error| match error {
        DurationError::BareNumber(number) => bare_number(value, &number),
        error => Fault::new(value, error)
            .remedy("durations are written like \"500ms\", \"90s\", \"1h30m\", \"7d\""),
    })?;
    if span < least {
        let needed = format!("a duration of at least \"{least}\"");
        return Err(
            Fault::unexpected(value, needed).remedy(format!("the shortest that makes sense is \"{least}\""))
        );
    }
    if span > SPAN_MOST {
        let fault = Fault::unexpected(value, "a duration of at most a hundred years");
        return Err(fault.remedy("check the unit: m is minutes, d is days"));
    }
    Ok(span)
}

/// A duration without a unit, with what it could have been.
fn bare_number(value: &Node, number: &str) -> Fault {
    let fault = Fault::unexpected(value, "a duration in quotes, with a unit");
    if SimSpan::parse(&format!("{number}s")).is_ok() {
        fault.remedy(format!("write \"{number}s\" for seconds, \"{number}m\" for minutes"))
    } else {
        fault.remedy("write digits and a unit, as in \"90s\"")
    }
}

pub(super) fn memory(value: &Node) -> Result<u64, Fault> {
    match &value.value {
        Value::Text(text) => quantity::memory_bytes(text).map_err(|error| Fault::new(value, error)),
        Value::Integer { digits, .. } => Err(Fault::unexpected(value, "a size in quotes, with a unit")
            .remedy(format!("write \"{digits}GiB\" or \"{digits}MiB\""))),
        _ => Err(Fault::unexpected(value, "a size in quotes, such as \"64GiB\"")),
    }
}

fn money(value: &Node) -> Result<u64, Fault> {
    let (Value::Float(digits) | Value::Integer { digits, radix: 10 }) = &value.value else {
        return Err(Fault::unexpected(value, "a number such as 0.8, without quotes or currency"));
    };
    quantity::money_micros(digits).map_err(|error| Fault::new(value, error))
}

const BOOT_FORMS: &str = "\"90s\", { median = \"90s\", p95 = \"4m\" } or { uniform = [\"60s\", \"2m\"] }";

fn boot(value: &Node) -> Result<BootTime, Fault> {
    let Value::Table(table) = &value.value else {
        return span(value, SimSpan::ZERO).map(BootTime::Fixed).map_err(|fault| Fault {
            remedy: fault.remedy.or_else(|| Some(format!("the forms are {BOOT_FORMS}"))),
            ..fault
        });
    };
    let part = |name| table.get(name).map(|entry| &entry.node);
    match (table.entries().len(), part("uniform"), part("median"), part("p95")) {
        (1, Some(range), ..) => uniform_boot(range),
        (2, None, Some(median), Some(p95)) => log_normal_boot(median, p95),
        _ => Err(Fault::unexpected(value, "a boot time").remedy(format!("the forms are {BOOT_FORMS}"))),
    }
}

fn uniform_boot(range: &Node) -> Result<BootTime, Fault> {
    let Some([low, high]) = range.as_list() else {
        return Err(Fault::unexpected(range, "two durations, the shortest and the longest boot"));
    };
    let (low, high) = (span(low, SimSpan::ZERO)?, span(high, SimSpan::ZERO)?);
    if low > high {
        let error = ValueError::RangeReversed { low: low.to_string(), high: high.to_string() };
        return Err(Fault::new(range, error).remedy("write the shorter duration first"));
    }
    Ok(BootTime::Uniform(low, high))
}

fn log_normal_boot(median: &Node, p95: &Node) -> Result<BootTime, Fault> {
    let (median, p95_span) = (span(median, SimSpan::MILLISECOND)?, span(p95, SimSpan::MILLISECOND)?);
    if p95_span < median {
        let error =
            ValueError::PercentileBelowMedian { median: median.to_string(), p95: p95_span.to_string() };
        return Err(
            Fault::new(p95, error).remedy("95 of 100 boots take no longer than p95, so it is the longer one")
        );
    }
    Ok(BootTime::LogNormal { median, p95: p95_span })
}

fn boot_text(boot: BootTime) -> String {
    match boot {
        BootTime::Fixed(span) => quoted(span),
        BootTime::Uniform(low, high) => {
            format!("{{ uniform = {} }}", list([low, high].into_iter().map(quoted)))
        }
        BootTime::LogNormal { median, p95 } => {
            format!("{{ median = {}, p95 = {} }}", quoted(median), quoted(p95))
        }
    }
}

fn windows(value: &Node) -> Result<(ShutdownWindows, String), Fault> {
    const REMEDY: &str =
        "closed and open parts of a paid hour in turn, closed first, as in [\"54m\", \"5m\", \"1m\"]";
    let parts = match &value.value {
        Value::Text(text) if text == "always" => {
            return Ok((ShutdownWindows::always(), quoted("always")));
        }
        Value::List(parts) => parts,
        _ => return Err(Fault::unexpected(value, "\"always\" or a list of durations").remedy(REMEDY)),
    };
    let spans = parts.iter().map(|part| span(part, SimSpan::ZERO)).collect::<Result<Vec<_>, _>>()?;
    let windows = ShutdownWindows::new(&spans).map_err(|error| Fault::new(value, error).remedy(REMEDY))?;
    Ok((windows, list(spans.into_iter().map(quoted))))
}

fn matrix(value: &Node, text: &str, folder: &Path) -> Result<Matrix, Fault> {
    const REMEDY: &str =
        "a matrix is \"page\", \"final\", or the path of a CSV relative to the scenario's folder";
    match text {
        "page" => return Ok(Matrix::page()),
        "final" => return Ok(Matrix::last()),
        _ => {}
    }
    let csv = std::fs::read_to_string(folder.join(text)).map_err(|error| {
        Fault::new(value, ValueError::MatrixUnreadable(text.to_owned(), error.to_string())).remedy(REMEDY)
    })?;
    Matrix::from_csv(&csv).map_err(|defects| {
        let count =
            if defects.len() == 1 { "a defect".to_owned() } else { format!("{} defects", defects.len()) };
        let fault = Fault::new(value, ValueError::MatrixDefective(text.to_owned(), count));
        Fault { notes: defects.iter().map(ToString::to_string).collect(), ..fault }
            .remedy("give each tuple of the table its row, once")
    })
}

fn names(value: &Node) -> Result<Vec<String>, Fault> {
    let items = value.as_list().filter(|items| !items.is_empty());
    let items = items.ok_or_else(|| Fault::unexpected(value, "a list of names in quotes"))?;
    let mut names: Vec<String> = Vec::new();
    for item in items {
        let name = label(item)?;
        if names.iter().any(|known| known == name) {
            return Err(Fault::unexpected(item, "each name once"));
        }
        names.push(name.to_owned());
    }
    Ok(names)
}

/// States of nodes that are out of service, each once.
fn removal_states(value: &Node) -> Result<Vec<RmNodeState>, Fault> {
    let inactive = || RmNodeState::ALL.iter().copied().filter(|state| !state.is_active());
    let names = || inactive().map(RmNodeState::name).collect::<Vec<_>>().join(", ");
    let state_of = |(name, item): (String, &Node)| {
        let state = inactive().find(|state| state.name() == name);
        state.ok_or_else(|| Fault::unexpected(item, format!("one of {}", names())))
    };
    self::names(value)?.into_iter().zip(value.as_list().unwrap_or_default()).map(state_of).collect()
}
