//! "Did you mean …?": the nearest of some known words. It knows nothing of what the words stand for.

/// The candidate that `word` is most likely a misspelling of, if any is near enough.
pub(super) fn nearest<'a>(word: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    // A third of the letters may be wrong, and in short words two: enough for a slip, too little for a
    // coincidence.
    let most = (word.chars().count() / 3).clamp(2, 6);
    candidates
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|&(edits, candidate)| edits <= most && edits < candidate.chars().count())
        .min_by_key(|&(edits, _)| edits)
        .map(|(_, candidate)| candidate)
}

/// How many letters must be inserted, removed or replaced to make `left` into `right` (Levenshtein).
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &b) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_by_hand() {
        for (left, right, edits) in
            [("", "", 0), ("", "abc", 3), ("fifi", "fifo", 1), ("kitten", "sitting", 3)]
        {
            assert_eq!(distance(left, right), edits, "{left} {right}");
            assert_eq!(distance(right, left), edits, "{right} {left}");
        }
    }

    #[test]
    fn slips_are_recognised_and_other_words_are_not() {
        let known = ["discipline", "placement"];
        assert_eq!(nearest("disciplin", known.into_iter()), Some("discipline"));
        assert_eq!(nearest("colour", known.into_iter()), None);
        assert_eq!(nearest("", ["on"].into_iter()), None);
    }
}
