//! The name that somebody meant: edit distance.

/// How many letters have to be put in, left out, changed, or swapped with their neighbour to make one text of the other
/// (optimal string alignment: Damerau 1964, Levenshtein 1966).
pub(crate) fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = vec![];
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = changed.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[b.len()]
}

/// The candidate with the least distance; the first of several. `None` when there is no candidate.
pub(crate) fn nearest<'a>(
    text: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    candidates
        .into_iter()
        .min_by_key(|candidate| distance(text, candidate))
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn distances_are_those_of_the_literature() {
        let cases = [
            ("kitten", "sitting", 3),
            ("waitstates", "wait-states", 1),
            ("clcok", "clock", 1),
            ("ca", "abc", 3),
            ("", "abc", 3),
            ("abc", "", 3),
            ("same", "same", 0),
        ];
        for (a, b, expected) in cases {
            assert_eq!(distance(a, b), expected, "{a} {b}");
            assert_eq!(distance(b, a), expected, "{b} {a}");
        }
    }

    #[test]
    fn the_nearest_of_several() {
        let known = ["socscope,bus-bits", "socscope,wait-states"];
        assert_eq!(nearest("socscope,waitstates", known), Some(known[1]));
        assert_eq!(nearest("x", []), None);
    }
}
