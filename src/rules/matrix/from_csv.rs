//! Reads a policy matrix from a CSV, and says everything that is wrong with it at once.

use csv::StringRecord;

use super::{Action, BootGrace, IdleGrace, Matrix, NodeState, Tuple, Window, Word};

/// The columns of the CSV, which may stand in any order.
const COLUMNS: [&str; 5] =
    [NodeState::COLUMN, Window::COLUMN, BootGrace::COLUMN, IdleGrace::COLUMN, Action::COLUMN];

/// What is wrong with a policy matrix. Lines count from 1, the header's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatrixError {
    /// No column of this name, or more than one.
    #[error(
        "the header must name the column {0} exactly once: write \
         \"node_state,billing_window,boot_grace,idle_grace,action\""
    )]
    Column(&'static str),
    /// A column that means nothing.
    #[error("the header names a column \"{0}\" that a policy matrix does not have")]
    UnknownColumn(String),
    /// A row that is too short or too long.
    #[error("line {line}: {found} fields where the header has 5; an empty action keeps its comma")]
    Fields {
        /// Where.
        line: u64,
        /// How many there are.
        found: usize,
    },
    /// A word that its column does not know.
    #[error("line {line}: \"{word}\" is no {column}: the words are {known}")]
    UnknownWord {
        /// Where.
        line: u64,
        /// The column's name.
        column: &'static str,
        /// What stands there.
        word: String,
        /// The column's words.
        known: String,
    },
    /// The tuple stands on an earlier line already.
    #[error("line {line}: {tuple} has been decided on line {first} already: keep one of them")]
    Double {
        /// Where.
        line: u64,
        /// Where it stands first.
        first: u64,
        /// What stands twice.
        tuple: Tuple,
    },
    /// No row decides this tuple.
    #[error("no line decides {0}: add one")]
    Missing(Tuple),
}

impl Matrix {
    /// Reads a matrix with the columns and words of policy_matrix_48.csv, rows and columns in any order, each tuple
    /// exactly once. An empty action is nothing.
    ///
    /// Rows for `fail` may be left out all together: it is then taken for `down`.
    ///
    /// # Errors
    /// Everything that is wrong, in the order of the lines; then what is missing. Only a wrong header ends the search.
    pub fn from_csv(text: &str) -> Result<Self, Vec<MatrixError>> {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let mut records = reader.records().map(|record| {
            let record =
                record.expect("it is read because the text is UTF-8, in memory, and may have any width");
            (line_of(&record, text), record)
        });
        let header = records.next().map_or_else(StringRecord::new, |(_, header)| header);
        let columns = columns(&header)?;

        let mut errors = Vec::new();
        let mut decided: [Option<(u64, Action)>; Tuple::COUNT] = [None; Tuple::COUNT];
        for (line, record) in records {
            let Some(row) = read_row(&record, line, &columns, &mut errors) else { continue };
            let cell = &mut decided[row.tuple.index()];
            match *cell {
                Some((first, _)) => errors.push(MatrixError::Double { line, first, tuple: row.tuple }),
                // A row whose action cannot be read has been reported; its tuple is not missing.
                None => *cell = Some((line, row.action.unwrap_or(Action::None))),
            }
        }
        let knows_fail =
            Tuple::all().any(|tuple| tuple.state == NodeState::Fail && decided[tuple.index()].is_some());
        let matrix = Self::from_rule(|tuple| {
            let row = match tuple.state {
                NodeState::Fail if !knows_fail => Tuple { state: NodeState::Down, ..tuple },
                _ => tuple,
            };
            decided[row.index()].map_or(Action::None, |(_, action)| action)
        });
        let expected = Tuple::all().filter(|tuple| knows_fail || tuple.state != NodeState::Fail);
        errors.extend(expected.filter(|tuple| decided[tuple.index()].is_none()).map(MatrixError::Missing));
        if errors.is_empty() { Ok(matrix) } else { Err(errors) }
    }
}

/// One row as far as it can be read.
struct Row {
    tuple: Tuple,
    action: Option<Action>,
}

/// Finds where each of [`COLUMNS`] stands.
fn columns(header: &StringRecord) -> Result<[usize; 5], Vec<MatrixError>> {
    let mut errors: Vec<MatrixError> = header
        .iter()
        .filter(|name| !COLUMNS.contains(name))
        .map(|name| MatrixError::UnknownColumn(name.to_owned()))
        .collect();
    let places = COLUMNS.map(|column| {
        let mut places =
            header.iter().enumerate().filter(|(_, name)| *name == column).map(|(place, _)| place);
        match (places.next(), places.next()) {
            (Some(place), None) => place,
            (None, _) | (Some(_), Some(_)) => {
                errors.push(MatrixError::Column(column));
                0
            }
        }
    });
    if errors.is_empty() { Ok(places) } else { Err(errors) }
}

/// Reads a row; adds to `errors` what is wrong with it. `None` if its tuple is unknown.
fn read_row(
    record: &StringRecord,
    line: u64,
    columns: &[usize; 5],
    errors: &mut Vec<MatrixError>,
) -> Option<Row> {
    if record.len() != COLUMNS.len() {
        errors.push(MatrixError::Fields { line, found: record.len() });
        return None;
    }
    let [state, window, boot, idle, action] = columns.map(|place| &record[place]);
    let state = read_word(state, line, errors);
    let window = read_word(window, line, errors);
    let boot = read_word(boot, line, errors);
    let idle = read_word(idle, line, errors);
    let action = read_word(action, line, errors);
    Some(Row { tuple: Tuple { state: state?, window: window?, boot: boot?, idle: idle? }, action })
}

fn read_word<W: Word>(text: &str, line: u64, errors: &mut Vec<MatrixError>) -> Option<W> {
    let value = W::VALUES.iter().copied().find(|value| value.word() == text);
    if value.is_none() {
        let known: Vec<String> = W::VALUES.iter().map(|value| format!("\"{}\"", value.word())).collect();
        errors.push(MatrixError::UnknownWord {
            line,
            column: W::COLUMN,
            word: text.to_owned(),
            known: known.join(", "),
        });
    }
    value
}

/// The line a record starts on.
///
/// Counted here because the reader's own count and byte place are those of the end of the record before: it has not
/// yet passed the second half of that one's CR LF, nor blank lines in between.
fn line_of(record: &StringRecord, text: &str) -> u64 {
    let byte = record.position().map_or(0, |position| usize::try_from(position.byte()).unwrap_or(usize::MAX));
    let (before, rest) = text.as_bytes().split_at(byte.min(text.len()));
    let skipped = rest.iter().take_while(|byte| byte.is_ascii_whitespace());
    1 + before.iter().chain(skipped).map(|byte| u64::from(*byte == b'\n')).sum::<u64>()
}
