//! The two published tables row by row, and what a CSV may and may not be.

use super::*;

const PAGE: &str = include_str!("../../../tests/data/policy_matrix_48.csv");

/// The table of node_manager.md 5 from its first to its fourth column of cells: state, window, boot grace, and the
/// page's and the last code's actions for not idle / idle wait / idle exceeded.
const TABLE_5: &str = include_str!("../../../tests/data/policy_matrix_page_and_last.txt");

fn cell(mark: &str) -> Option<Action> {
    match mark {
        "-" => Some(Action::None),
        "D" => Some(Action::StartDrain),
        "S" => Some(Action::StartShutdown),
        "absent" => None,
        _ => panic!("no mark of the table: {mark}"),
    }
}

fn find<W: Word>(word: &str) -> W {
    let found = W::VALUES.iter().copied().find(|value| value.word() == word);
    found.unwrap_or_else(|| panic!("no word of {}: {word}", W::COLUMN))
}

/// Each tuple of the table of section 5 with its action on the page and in the last code.
fn table_5() -> Vec<(Tuple, Option<Action>, Option<Action>)> {
    let mut cells = Vec::new();
    for line in TABLE_5.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<&str> = line.split('|').map(str::trim).collect();
        let [state, window, boot, page, last] = columns[..] else { panic!("five columns: {line}") };
        let boot = format!("boot {boot}");
        let marks = |cells: &str| match cells.split(" / ").collect::<Vec<_>>()[..] {
            [one] => [cell(one); 3],
            [not_idle, wait, exceeded] => [cell(not_idle), cell(wait), cell(exceeded)],
            _ => panic!("one or three marks: {cells}"),
        };
        for ((page, last), idle) in marks(page).into_iter().zip(marks(last)).zip(IdleGrace::ALL) {
            let tuple = Tuple { state: find(state), window: find(window), boot: find(&boot), idle: *idle };
            cells.push((tuple, page, last));
        }
    }
    cells
}

#[test]
fn the_page_is_its_published_csv_row_by_row() {
    let mut rows = 0;
    for line in PAGE.lines().skip(1) {
        let words: Vec<&str> = line.split(',').collect();
        let [state, window, boot, idle, action] = words[..] else { panic!("five words: {line}") };
        let tuple = Tuple { state: find(state), window: find(window), boot: find(boot), idle: find(idle) };
        assert_eq!(Matrix::page().action(tuple).name(), action, "{line}");
        rows += 1;
    }
    assert_eq!(rows, 48);
}

#[test]
fn both_matrices_are_the_table_of_section_5() {
    let table = table_5();
    assert_eq!(table.len(), 60);
    for (tuple, page, last) in table {
        assert_eq!(Some(Matrix::last().action(tuple)), last, "last code: {tuple}");
        let on_the_page = (tuple.state != NodeState::Fail).then(|| Matrix::page().action(tuple));
        assert_eq!(on_the_page, page, "page: {tuple}");
    }
}

#[test]
fn three_cells_and_twelve_rows_are_all_that_differs() {
    let (page, last) = (Matrix::page(), Matrix::last());
    let changed: Vec<String> = Tuple::all()
        .filter(|tuple| tuple.state != NodeState::Fail && page.action(*tuple) != last.action(*tuple))
        .map(|tuple| format!("{tuple}: {} -> \"{}\"", page.action(tuple).name(), last.action(tuple).name()))
        .collect();
    assert_eq!(
        changed,
        [
            "down,closed,boot wait,not idle: START_SHUTDOWN -> \"\"",
            "down,closed,boot wait,idle wait: START_SHUTDOWN -> \"\"",
            "down,closed,boot wait,idle exceeded: START_SHUTDOWN -> \"\"",
        ]
    );
    let added: Vec<Tuple> = Tuple::all().filter(|tuple| tuple.state == NodeState::Fail).collect();
    assert_eq!(added.len(), 12);
    assert!(added.iter().all(|tuple| last.action(*tuple) == Action::StartShutdown));
}

#[test]
fn a_matrix_without_fail_takes_it_for_down() {
    for matrix in [Matrix::page(), Matrix::from_csv(PAGE).expect("the page's CSV is good")] {
        for tuple in Tuple::all() {
            let down = Tuple { state: NodeState::Down, ..tuple };
            assert!(tuple.state != NodeState::Fail || matrix.action(tuple) == matrix.action(down));
        }
    }
}

#[test]
fn tuples_fill_the_table_without_a_gap() {
    let indices: Vec<usize> = Tuple::all().map(Tuple::index).collect();
    assert_eq!(indices, (0..Tuple::COUNT).collect::<Vec<_>>());
}

/// A matrix as CSV, rows as in [`Tuple::all`].
fn written(matrix: &Matrix, with_fail: bool) -> Vec<String> {
    let header = "node_state,billing_window,boot_grace,idle_grace,action".to_owned();
    let rows = Tuple::all().filter(|tuple| with_fail || tuple.state != NodeState::Fail);
    std::iter::once(header)
        .chain(rows.map(|tuple| format!("{tuple},{}", matrix.action(tuple).name())))
        .collect()
}

#[test]
fn good_texts_are_read_whatever_their_shape() {
    let page = written(&Matrix::page(), false);
    let last = written(&Matrix::last(), true);
    let mut reversed = last.clone();
    reversed[1..].reverse();
    let turned: Vec<String> = last
        .iter()
        .map(|line| {
            let mut words: Vec<&str> = line.split(',').collect();
            words.reverse();
            words.join(",")
        })
        .collect();
    for (what, text, matrix) in [
        ("as published", PAGE.to_owned(), Matrix::page()),
        ("48 rows", page.join("\n"), Matrix::page()),
        ("CR LF", page.join("\r\n"), Matrix::page()),
        ("CR LF at the end too", page.join("\r\n") + "\r\n", Matrix::page()),
        ("blank lines", page.join("\n\n"), Matrix::page()),
        ("spaces", page.join("\n").replace(',', " , "), Matrix::page()),
        ("byte order mark", format!("\u{feff}{}", page.join("\n")), Matrix::page()),
        ("60 rows", last.join("\n"), Matrix::last()),
        ("rows from last to first", reversed.join("\n"), Matrix::last()),
        ("columns from last to first", turned.join("\n"), Matrix::last()),
    ] {
        assert_eq!(Matrix::from_csv(&text), Ok(matrix), "{what}");
    }
}

fn first_tuple() -> Tuple {
    Tuple { state: NodeState::Busy, window: Window::Closed, boot: BootGrace::Wait, idle: IdleGrace::NotIdle }
}

#[test]
fn holes_are_listed() {
    let mut lines = written(&Matrix::page(), false);
    lines.remove(1);
    let second = Tuple { idle: IdleGrace::Wait, ..first_tuple() };
    lines.remove(1);
    let missing = [first_tuple(), second].map(MatrixError::Missing);
    assert_eq!(Matrix::from_csv(&lines.join("\n")), Err(missing.to_vec()));

    // One row for fail asks for the other eleven.
    let mut lines = written(&Matrix::last(), true);
    lines.truncate(50);
    let errors = Matrix::from_csv(&lines.join("\n")).expect_err("eleven rows are missing");
    assert_eq!(errors.len(), 11);
    assert_eq!(errors[0].to_string(), "no line decides fail,closed,boot wait,idle wait: add one");

    let errors =
        Matrix::from_csv("node_state,billing_window,boot_grace,idle_grace,action\n").expect_err("no rows");
    assert_eq!(errors.len(), 48);
}

#[test]
fn doubles_are_listed_with_both_lines() {
    for separator in ["\n", "\r\n", "\n\n"] {
        let mut lines = written(&Matrix::page(), false);
        // Twice the same, and a contradiction: both are one row too many.
        lines.push(lines[1].clone());
        lines.push(format!("{}START_DRAIN", lines[1]));
        let spread = if separator == "\n\n" { 2 } else { 1 };
        let double = |line: u64| MatrixError::Double {
            line: 1 + spread * (line - 1),
            first: 1 + spread,
            tuple: first_tuple(),
        };
        assert_eq!(
            Matrix::from_csv(&lines.join(separator)),
            Err(vec![double(50), double(51)]),
            "{separator:?}"
        );
    }
}

#[test]
fn unknown_words_are_listed_with_their_line() {
    let mut lines = written(&Matrix::page(), false);
    lines[1] = "busy,closed,boot wait,not idle,START_DRIAN".to_owned();
    lines[2] = "bsy,shut,boot wait,idle wait,".to_owned();
    lines[3] = "busy,closed,boot wait,idle exceeded".to_owned();
    let errors = Matrix::from_csv(&lines.join("\r\n")).expect_err("three lines are wrong");
    let texts: Vec<String> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "line 2: \"START_DRIAN\" is no action: the words are \"\", \"START_DRAIN\", \"START_SHUTDOWN\"",
            "line 3: \"bsy\" is no node_state: the words are \"busy\", \"down\", \"idle\", \"unpaired\", \"fail\"",
            "line 3: \"shut\" is no billing_window: the words are \"closed\", \"open\"",
            "line 4: 4 fields where the header has 5; an empty action keeps its comma",
            "no line decides busy,closed,boot wait,idle wait: add one",
            "no line decides busy,closed,boot wait,idle exceeded: add one",
        ]
    );
}

#[test]
fn a_wrong_header_is_the_only_thing_reported() {
    let columns = ["node_state", "billing_window", "boot_grace", "idle_grace", "action"];
    for text in ["", "\n\n", "  "] {
        let errors = Matrix::from_csv(text).expect_err("there is no header");
        let missing = |column| errors.contains(&MatrixError::Column(column));
        assert!(columns.into_iter().all(missing), "{text:?}");
    }
    let without = written(&Matrix::page(), false).join("\n").replace("idle_grace,", "");
    assert_eq!(Matrix::from_csv(&without), Err(vec![MatrixError::Column("idle_grace")]));
    let renamed = PAGE.replace("boot_grace", "bootgrace");
    assert_eq!(
        Matrix::from_csv(&renamed),
        Err(vec![MatrixError::UnknownColumn("bootgrace".to_owned()), MatrixError::Column("boot_grace")])
    );
    let twice = PAGE.replace("idle_grace,action", "action,action");
    assert_eq!(
        Matrix::from_csv(&twice),
        Err(vec![MatrixError::Column("idle_grace"), MatrixError::Column("action")])
    );
}
