//! Table: rows and columns that can be shown as text, Markdown, CSV, JSON and HTML.
//!
//! A [`Column`] defines one figure: its name for machines, its heading for readers, its unit, its meaning and its
//! format. The figure itself is the field of that name of a row that derives `Serialize`
//! ([`fields`]), and [`Table::of`] puts the columns and the rows together. All forms of a table are
//! made of the same entries, so they cannot contradict each other. [`legend`] writes the definitions of the columns
//! themselves as a table.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::row::fields;
use super::statistics::rounded;

/// The sign for readers in place of an unknown figure.
pub(super) const MISSING: &str = "?";

/// The sign behind an interval that is not reliable.
const FEW_SIGN: &str = "*";

/// How the entries of a column are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// A word; readers find it to the left.
    Text,
    /// A whole number, yes or no.
    Number,
    /// A figure, shown with the given number of digits after the point; machines get all of it. A word in its place is
    /// for readers, who are told why there is no figure; machines get nothing. So for [`Rounded`](Format::Rounded).
    Digits(usize),
    /// A figure, shown with the given number of digits after the point; machines get six significant digits.
    Rounded(usize),
    /// Several figures in one: an object for JSON, a column each for CSV. Readers see the one with this name, with the
    /// given number of digits after the point.
    Parts(Parts, &'static str, usize),
}

impl Format {
    /// `text`, `number`, a number of digits, or `~` and a number of rounded digits.
    pub(super) fn named(name: &str) -> Format {
        let digits = |text: &str| text.parse().expect("a format is a word or a number of digits");
        match name {
            "text" => Format::Text,
            "number" => Format::Number,
            _ => name
                .strip_prefix('~')
                .map_or_else(|| Format::Digits(digits(name)), |text| Format::Rounded(digits(text))),
        }
    }
}

/// The names of what is nested in an entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Parts {
    /// An object with these keys.
    Object(&'static [&'static str]),
    /// An array of the given number of arrays, whose elements have these names in a CSV file.
    Arrays(usize, &'static [&'static str]),
}

/// The definition of one figure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Column {
    /// The name for machines: the key in JSON, the column in CSV, the field of a row.
    #[serde(rename = "column")]
    pub name: &'static str,
    /// The heading for readers.
    #[serde(skip)]
    pub head: &'static str,
    /// The unit; empty for names and counts.
    pub unit: &'static str,
    /// Its meaning.
    pub meaning: &'static str,
    /// How it is written.
    #[serde(skip)]
    pub format: Format,
}

impl Column {
    /// A column without a unit whose heading is its name.
    pub const fn plain(name: &'static str, format: Format) -> Self {
        Column { name, head: name, unit: "", meaning: "", format }
    }
}

/// Which rows have a mark at their intervals, and what it means.
#[derive(Clone, PartialEq, Debug)]
pub struct RowMark {
    /// The column that decides.
    pub column: &'static str,
    /// A row is marked if its number is between these two.
    pub between: (f64, f64),
    /// The mark.
    pub sign: &'static str,
    /// Its meaning.
    pub note: String,
}

/// One column of what a reader is shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// The column of this name.
    One(&'static str),
    /// Below this heading, in this form, the columns of these names: as many as the form has places.
    Joined(&'static str, &'static str, [&'static str; 3]),
}

impl Reading {
    /// The ends of an interval.
    pub const INTERVAL: &str = "{}..{}";
    /// A figure and half the width of its interval.
    pub const PLUS_MINUS: &str = "{} +- {}";
    /// A figure and its interval.
    pub const WITH_INTERVAL: &str = "{} [{}, {}]";
    /// A part and all.
    pub const OF: &str = "{}/{}";
    /// All forms; the last one is a figure and another one beside it.
    pub(super) const FORMS: [&str; 5] =
        [Self::INTERVAL, Self::PLUS_MINUS, Self::WITH_INTERVAL, Self::OF, "{} ({})"];
}

/// Rows and columns.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Table {
    /// Its name in files and keys.
    pub name: &'static str,
    /// The content of the table, in some words; empty for a table that needs no heading.
    pub title: &'static str,
    /// How to read it, in sentences; may be empty.
    pub note: String,
    /// The readings that readers are shown; empty for all columns.
    pub view: Vec<Reading>,
    /// Which rows are marked, if the table has intervals.
    pub marks: Vec<RowMark>,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows, each as long as the columns. Nothing is null; so is a figure that is not finite.
    pub rows: Vec<Vec<Value>>,
}

impl Table {
    /// The table of these columns over these rows, each of which is a structure with fields of these names. A field
    /// that a row leaves out is nothing.
    pub fn of<'a, R: Serialize + 'a>(columns: &[Column], rows: impl IntoIterator<Item = &'a R>) -> Table {
        let read = |row: &R| {
            let mut fields = fields(row);
            columns.iter().map(|column| fields.remove(column.name).unwrap_or_default()).collect()
        };
        Table { columns: columns.to_vec(), rows: rows.into_iter().map(read).collect(), ..Table::default() }
    }

    /// The table of these columns whose rows are there already. Each is a name, and behind `: ` the format as in a list of
    /// columns ([`defined`](super::defined())); a number if none is given.
    pub fn plain<const N: usize>(
        columns: [&'static str; N],
        rows: impl IntoIterator<Item = [Value; N]>,
    ) -> Table {
        let columns = columns.map(|column| {
            let (name, format) = column.split_once(": ").unwrap_or((column, "number"));
            Column::plain(name, Format::named(format))
        });
        Table { columns: columns.into(), rows: rows.into_iter().map(Vec::from).collect(), ..Table::default() }
    }

    /// The table with its name, and the title and note that a list of tables gives to it: lines of three words, with tabs
    /// between them.
    ///
    /// # Panics
    /// If the list has no such table.
    #[must_use]
    pub fn named(self, titles: &'static str, name: &'static str) -> Self {
        let mut lines =
            titles.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix('\t')?.split_once('\t'));
        let (title, note) = lines.next().expect("the list has a line for every table");
        Table { name, title, note: note.to_owned(), ..self }
    }

    /// The same table, showing readers these columns.
    #[must_use]
    pub fn viewed(self, view: Vec<Reading>) -> Self {
        Table { view, ..self }
    }

    /// The same table with the intervals of rows marked that rest on few measurements, which this column counts.
    #[must_use]
    pub fn with_few(self, column: &'static str, least: u64, what: &'static str) -> Self {
        let note = format!("fewer than {least} {what}: the interval is not reliable");
        self.marked(RowMark { column, between: (-1.0, least as f64), sign: FEW_SIGN, note })
    }

    /// The same table with rows marked.
    #[must_use]
    pub fn marked(mut self, mark: RowMark) -> Self {
        self.marks.push(mark);
        self
    }

    /// Whether a row has a mark.
    pub fn has_mark(&self, row: &[Value], mark: &RowMark) -> bool {
        let place = self.columns.iter().position(|column| column.name == mark.column);
        let number = place.and_then(|at| row[at].as_f64());
        number.is_some_and(|number| mark.between.0 < number && number < mark.between.1)
    }

    /// The rows that have this text in this column.
    #[must_use]
    pub fn only(&self, column: &str, text: &str) -> Table {
        let place = self.columns.iter().position(|known| known.name == column);
        let is_meant = |row: &&Vec<Value>| place.is_some_and(|at| row[at] == text);
        Table { rows: self.rows.iter().filter(is_meant).cloned().collect(), ..self.clone() }
    }

    /// One object for each row.
    pub fn as_json(&self) -> Value {
        self.json_rows().collect()
    }

    /// The rows as objects, one after the other.
    pub fn json_rows(&self) -> impl Iterator<Item = Value> + '_ {
        self.rows.iter().map(|row| {
            let pairs = self.columns.iter().zip(row);
            let pairs = pairs.map(|(column, entry)| (column.name.to_owned(), column.format.value(entry)));
            Value::Object(pairs.collect::<Map<_, _>>())
        })
    }

    /// Comma-separated values with a first line of names; a missing entry is empty.
    pub fn as_csv(&self) -> String {
        self.csv_head() + &self.csv_lines()
    }

    /// The first line of [`as_csv`](Table::as_csv), with its end.
    pub fn csv_head(&self) -> String {
        csv_text(std::iter::once(self.columns.iter().flat_map(Column::csv_names).collect()))
    }

    /// The rows as lines of [`as_csv`](Table::as_csv), each with its end.
    pub fn csv_lines(&self) -> String {
        csv_text(self.rows.iter().map(|row| {
            let cells = self.columns.iter().zip(row).flat_map(|(column, entry)| column.format.csv(entry));
            cells.map(csv_field).collect()
        }))
    }
}

impl Column {
    /// The columns that it becomes in a CSV file.
    fn csv_names(&self) -> Vec<String> {
        match self.format {
            Format::Parts(Parts::Object(names), ..) => {
                names.iter().map(|name| format!("{}_{name}", self.name)).collect()
            }
            Format::Parts(Parts::Arrays(count, names), ..) => (0..count)
                .flat_map(|at| names.iter().map(move |name| (at, name)))
                .map(|(at, name)| format!("{}_{at}_{name}", self.name))
                .collect(),
            _ => vec![self.name.to_owned()],
        }
    }
}

impl Format {
    /// An entry for machines.
    fn value(self, entry: &Value) -> Value {
        match (entry, self) {
            (Value::String(_), Format::Digits(_) | Format::Rounded(_)) => Value::Null,
            (Value::Number(number), Format::Rounded(_)) if number.is_f64() => {
                json!(number.as_f64().map(rounded))
            }
            (entry, _) => entry.clone(),
        }
    }

    /// An entry as the fields of a CSV file.
    fn csv(self, entry: &Value) -> Vec<Value> {
        match self {
            Format::Parts(Parts::Object(names), ..) => {
                names.iter().map(|name| entry.get(name).cloned().unwrap_or_default()).collect()
            }
            Format::Parts(Parts::Arrays(count, names), ..) => {
                let places = (0..count * names.len()).map(|at| (at / names.len(), at % names.len()));
                let part = |(array, at)| entry.get(array).and_then(|array: &Value| array.get(at));
                places.map(|place| part(place).cloned().unwrap_or_default()).collect()
            }
            _ => vec![self.value(entry)],
        }
    }

    /// An entry for readers.
    pub(super) fn shown(self, entry: &Value) -> String {
        match (entry, self) {
            (Value::String(text), _) => text.clone(),
            // A word that is missing is not unknown: there is nothing to say.
            (Value::Null, Format::Text) => String::new(),
            (Value::Bool(flag), _) => if *flag { "yes" } else { "no" }.to_owned(),
            (Value::Number(number), Format::Digits(digits) | Format::Rounded(digits))
                if let (true, Some(figure)) = (number.is_f64(), number.as_f64()) =>
            {
                // What rounds to zero has no sign.
                let (text, zero) = (format!("{figure:.digits$}"), format!("-{:.digits$}", 0.0));
                if text == zero { zero.replace('-', "") } else { text }
            }
            (Value::Number(number), _) => number.to_string().trim_end_matches(".0").to_owned(),
            (Value::Object(parts), Format::Parts(Parts::Object(_), name, digits)) => {
                parts.get(name).map_or_else(|| MISSING.to_owned(), |part| Format::Digits(digits).shown(part))
            }
            _ => MISSING.to_owned(),
        }
    }
}

/// A value as a field of CSV.
fn csv_field(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// The records as lines of CSV.
fn csv_text(records: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in records {
        writer
            .write_record(record)
            .expect("all records of a table have as many fields, and memory takes them");
    }
    String::from_utf8(writer.into_inner().expect("memory takes what is left")).expect("fields are text")
}

/// The meaning of the columns: a table of their names, units and meanings.
pub fn legend(columns: &[Column]) -> Table {
    Table::of(&["column", "unit", "meaning"].map(|name| Column::plain(name, Format::Text)), columns)
}

#[cfg(test)]
mod tests {
    use super::super::defined::reading;
    use super::*;

    #[derive(Serialize)]
    struct Fit {
        who: &'static str,
        bias: f64,
        fit: Option<Probability>,
    }

    #[derive(Serialize)]
    struct Probability {
        p: f64,
        draws: usize,
    }

    const COLUMNS: [Column; 3] = [
        Column::plain("who", Format::Text),
        Column {
            name: "bias",
            head: "bias TV",
            unit: "probability",
            meaning: "a distance",
            format: Format::Digits(2),
        },
        Column::plain("fit", Format::Parts(Parts::Object(&["p", "draws"]), "p", 3)),
    ];

    fn table() -> Table {
        let known = Fit { who: "a,b", bias: 0.123_456_789, fit: Some(Probability { p: 0.5, draws: 8 }) };
        Table::of(&COLUMNS, &[known, Fit { who: "c|d", bias: f64::NAN, fit: None }])
    }

    #[test]
    fn one_table_is_json_csv_markdown_and_text() {
        let table = table().named("fits\tFits\tThey fit.", "fits");
        assert_eq!(
            table.as_json().to_string(),
            r#"[{"who":"a,b","bias":0.123456789,"fit":{"p":0.5,"draws":8}},{"who":"c|d","bias":null,"fit":null}]"#
        );
        assert_eq!(table.as_csv(), "who,bias,fit_p,fit_draws\n\"a,b\",0.123456789,0.5,8\nc|d,,,\n");
        let markdown =
            "| who | bias TV | fit |\n| --- | ---: | ---: |\n| a,b | 0.12 | 0.500 |\n| c\\|d | ? | ? |\n";
        assert_eq!((table.title, &*table.note), ("Fits", "They fit."));
        assert_eq!(table.shown().as_markdown(), markdown);
        assert_eq!(
            table.shown().as_text(),
            "who  bias TV    fit\na,b     0.12  0.500\nc|d        ?      ?\n"
        );
    }

    /// The commas of a long specification are where it is broken; a column that does not fit even then is left out.
    #[test]
    fn names_are_broken_before_columns_are_left_out() {
        let fits = ["sampler:one=1,two=2,three=3", "short"].map(|who| Fit { who, bias: 0.5, fit: None });
        let shown = |width: usize| Table::of(&COLUMNS, &fits).shown().within(width).as_text();
        assert!(shown(100).contains("sampler:one=1,two=2,three=3     0.50    ?\n"), "{}", shown(100));
        let broken = "who              bias TV  fit\nsampler:one=1,      0.50    ?\n  two=2,three=3\nshort               0.50    ?\n";
        assert_eq!(shown(39), broken);
        assert!(shown(20).ends_with("not shown: 2 more columns\n"), "{}", shown(20));
    }

    #[test]
    fn a_reader_may_see_two_columns_as_one() {
        let readings = [
            Reading::One("who"),
            reading("95 %", "bias..bias"),
            reading("bias (p)", "bias (fit)"),
            reading("ratio", "bias [fit, bias]"),
            reading("of", "bias/fit"),
        ];
        let shown = table().read(&readings);
        assert_eq!(shown.heads, ["who", "95 %", "bias (p)", "ratio", "of"]);
        assert_eq!(shown.rows[0], ["a,b", "0.12..0.12", "0.12 (0.500)", "0.12 [0.500, 0.12]", "0.12/0.500"]);
        assert_eq!(shown.rows[1], ["c|d", "?", "? (?)", "?", "?/?"]);
    }

    #[test]
    fn words_stand_to_the_left_and_numbers_to_the_right_in_every_column() {
        let swapped = [COLUMNS[1], COLUMNS[0]];
        let of = |who, bias| Fit { who, bias, fit: None };
        let text = Table::of(&swapped, &[of("long name", 0.5), of("b", f64::INFINITY)]).shown().as_text();
        assert_eq!(text, "bias TV  who\n   0.50  long name\n      ?  b\n");
        let text = Table::of(&COLUMNS, &[of("x".repeat(70_000).leak(), 0.5), of("b", 0.5)]).shown().as_text();
        assert!(text.lines().all(|line| line.len() > 70_000));
    }

    #[test]
    fn intervals_of_few_measurements_are_marked_and_a_footnote_says_why() {
        #[derive(Serialize)]
        struct Mean {
            deals: usize,
            score: f64,
            half: Option<f64>,
        }
        let columns = [("deals", Format::Number), ("score", Format::Digits(2)), ("half", Format::Digits(2))]
            .map(|(name, format)| Column::plain(name, format));
        let mean = |deals, score, half| Mean { deals, score, half };
        let rows = [
            mean(1, 50.0, None),
            mean(3, 58.33, Some(71.71)),
            mean(10, 50.0, Some(1.0)),
            mean(0, f64::NAN, None),
        ];
        let view = vec![Reading::One("deals"), reading("score", "score +- half")];
        let shown = |rows: &[Mean]| {
            Table::of(&columns, rows).viewed(view.clone()).with_few("deals", 10, "deals").shown()
        };
        let all = shown(&rows);
        let scores: Vec<&str> = all.rows.iter().map(|row| row[1].as_str()).collect();
        assert_eq!(scores, ["50.00 +- ? *", "58.33 +- 71.71 *", "50.00 +- 1.00", "?"]);
        assert_eq!(all.footnote.as_deref(), Some("* fewer than 10 deals: the interval is not reliable"));
        assert!(all.as_text().ends_with("the interval is not reliable\n"));
        assert_eq!(shown(&rows[2..]).footnote, None);
        // The mark is in the column that is left out.
        assert_eq!(shown(&rows).within(5).footnote.as_deref(), Some("not shown: 1 more columns"));
        assert_eq!(shown(&rows[3..]).without_unknown().footnote, None);
        let zeros = [-1e-9, -0.0, -0.004, -0.006].map(|bias| Format::Digits(2).shown(&json!(bias)));
        assert_eq!(zeros, ["0.00", "0.00", "0.00", "-0.01"]);
    }

    #[test]
    fn a_legend_says_what_every_column_means() {
        let shown = legend(&COLUMNS).shown();
        assert_eq!(shown.rows[1], ["bias", "probability", "a distance"]);
    }
}
