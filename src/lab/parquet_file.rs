//! Parquet file: rows as typed columns, as pyarrow, pandas, polars and DuckDB read them.
//!
//! A column holds whole numbers, numbers, truth values or texts, each of which may be missing, or lists of whole numbers,
//! numbers or texts, which may be empty. Rows are collected and written in groups of [`GROUP`], so the memory does not grow with
//! the table. A row is a structure that derives `Serialize`; a number in a list that is not finite becomes NaN. The
//! bytes depend on the rows alone. Nothing is compressed; texts that come up again are stored once a group.
//!
//! Third-party: `parquet`, without Arrow and without compression.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use serde::Serialize;
use serde_json::Value;

use hyperplay_play::files::{FileContent, FileError, PartFile, WrittenFile};
use hyperplay_report::fields;

/// Rows of a group.
const GROUP: usize = 1 << 14;

/// The rows that are being written.
type RowGroup<'a> = SerializedRowGroupWriter<'a, PartFile>;

/// The type of the values of a column.
#[derive(Clone, Copy, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub(crate) enum ParquetType {
    Count,
    Real,
    Flag,
    Text,
    Counts,
    Reals,
    Texts,
}

/// The columns of this table of definitions, whose fifth part is the type.
pub(crate) fn typed(definitions: &'static str, table: &str) -> Vec<(&'static str, ParquetType)> {
    let lines = definitions.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let of_line = |line: Vec<&'static str>| (line[1], line[4].parse().unwrap_or(ParquetType::Text));
    lines.filter(|line| line[0] == table).map(of_line).collect()
}

/// A table that is being written.
pub(crate) struct ParquetFile {
    path: PathBuf,
    columns: Vec<(&'static str, ParquetType)>,
    /// None before the first row.
    writer: Option<SerializedFileWriter<PartFile>>,
    /// The rows of a group, each as long as the columns.
    rows: Vec<Vec<Value>>,
}

impl ParquetType {
    /// The declaration of a column in a schema.
    fn declared(self, name: &str) -> String {
        let list = |element: &str| {
            format!("required group {name} (LIST) {{ repeated group list {{ required {element}; }} }}")
        };
        match self {
            ParquetType::Count => format!("optional int64 {name};"),
            ParquetType::Real => format!("optional double {name};"),
            ParquetType::Flag => format!("optional boolean {name};"),
            ParquetType::Text => format!("optional binary {name} (STRING);"),
            ParquetType::Counts => list("int64 element"),
            ParquetType::Reals => list("double element"),
            ParquetType::Texts => list("binary element (STRING)"),
        }
    }

    /// Writes what stands in a column.
    fn write<'a>(
        self,
        column: impl Iterator<Item = &'a Value>,
        group: &mut RowGroup<'_>,
    ) -> ParquetResult<()> {
        let text = |value: &Value| value.as_str().map(ByteArray::from);
        let list = |value: &'a Value| value.as_array().into_iter().flatten();
        match self {
            // The counts here are far below 2^63.
            ParquetType::Count => {
                single::<Int64Type>(column.map(|value| value.as_u64().map(u64::cast_signed)), group)
            }
            ParquetType::Real => single::<DoubleType>(column.map(Value::as_f64), group),
            ParquetType::Flag => single::<BoolType>(column.map(Value::as_bool), group),
            ParquetType::Text => single::<ByteArrayType>(column.map(text), group),
            ParquetType::Counts => {
                let count = |value: &Value| value.as_i64();
                lists::<Int64Type>(column.map(|value| list(value).filter_map(count).collect()), group)
            }
            ParquetType::Reals => {
                let real = |value: &Value| value.as_f64().unwrap_or(f64::NAN);
                lists::<DoubleType>(column.map(|value| list(value).map(real).collect()), group)
            }
            ParquetType::Texts => {
                lists::<ByteArrayType>(column.map(|value| list(value).filter_map(text).collect()), group)
            }
        }
    }
}

/// A column with one value a row, or none: level 1 where there is one.
fn single<T: DataType>(
    values: impl Iterator<Item = Option<T::T>>,
    group: &mut RowGroup<'_>,
) -> ParquetResult<()> {
    let (mut present, mut levels) = (Vec::new(), Vec::new());
    for value in values {
        levels.push(i16::from(value.is_some()));
        present.extend(value);
    }
    put::<T>(&present, &levels, None, group)
}

/// A column with a list a row. An empty list has level 0 and no value; the values of a list but the first repeat its
/// row.
fn lists<T: DataType>(lists: impl Iterator<Item = Vec<T::T>>, group: &mut RowGroup<'_>) -> ParquetResult<()> {
    let (mut values, mut levels, mut repeats) = (Vec::new(), Vec::new(), Vec::new());
    for list in lists {
        if list.is_empty() {
            levels.push(0);
            repeats.push(0);
        }
        for (place, value) in list.into_iter().enumerate() {
            levels.push(1);
            repeats.push(i16::from(place > 0));
            values.push(value);
        }
    }
    put::<T>(&values, &levels, Some(&repeats), group)
}

fn put<T: DataType>(
    values: &[T::T],
    levels: &[i16],
    repeats: Option<&[i16]>,
    group: &mut RowGroup<'_>,
) -> ParquetResult<()> {
    let mut column =
        group.next_column()?.ok_or_else(|| ParquetError::General("no such column".to_owned()))?;
    column.typed::<T>().write_batch(values, Some(levels), repeats)?;
    column.close()
}

impl ParquetFile {
    /// A file that is begun with its first row.
    pub(crate) fn new(path: PathBuf, columns: Vec<(&'static str, ParquetType)>) -> ParquetFile {
        ParquetFile { path, columns, writer: None, rows: Vec::new() }
    }

    fn begin(&self) -> io::Result<SerializedFileWriter<PartFile>> {
        let declared: Vec<String> = self.columns.iter().map(|(name, column)| column.declared(name)).collect();
        let schema = parse_message_type(&format!("message hyperplay {{ {} }}", declared.join(" ")))?;
        let made_by = format!("hyperplay version {}", env!("CARGO_PKG_VERSION"));
        let properties = WriterProperties::builder().set_created_by(made_by).build();
        let file =
            WrittenFile::at(&self.path, FileContent::holding("table", "hyperplay version "))?.begin()?;
        Ok(SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?)
    }

    /// Adds a row, which has fields of the names of the columns.
    pub(crate) fn push(&mut self, row: &impl Serialize) -> Result<(), FileError> {
        if self.writer.is_none() {
            self.writer = Some(FileError::at(&self.path, self.begin())?);
        }
        let mut fields = fields(row);
        let row = self.columns.iter().map(|&(name, _)| fields.remove(name).unwrap_or_default());
        self.rows.push(row.collect());
        if self.rows.len() == GROUP { self.write_group() } else { Ok(()) }
    }

    fn write_group(&mut self) -> Result<(), FileError> {
        let Some(writer) = self.writer.as_mut().filter(|_| !self.rows.is_empty()) else { return Ok(()) };
        let mut write = || -> io::Result<()> {
            let mut group = writer.next_row_group()?;
            for (at, (_, of)) in self.columns.iter().enumerate() {
                of.write(self.rows.iter().map(|row| &row[at]), &mut group)?;
            }
            Ok(group.close().map(drop)?)
        };
        FileError::at(&self.path, write())?;
        self.rows.clear();
        Ok(())
    }

    /// Writes what is left; returns the path, if there was a row.
    pub(crate) fn finish(mut self) -> Result<Option<PathBuf>, FileError> {
        self.write_group()?;
        let Some(writer) = self.writer else { return Ok(None) };
        FileError::at(&self.path, writer.into_inner().map_err(io::Error::from))?.finish()?;
        Ok(Some(self.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Row;
    use std::fs::File;
    use std::path::Path;

    #[derive(Serialize)]
    struct Item {
        number: u64,
        third: Option<f64>,
        even: bool,
        last: Option<String>,
        lengths: Vec<f64>,
        words: Vec<String>,
    }

    impl Item {
        fn new(number: u64) -> Item {
            let words: Vec<String> = (0..number % 3).map(|place| "ab".repeat(place as usize + 1)).collect();
            Item {
                number,
                third: number.is_multiple_of(3).then_some(number as f64 / 3.0),
                even: number.is_multiple_of(2),
                last: words.last().cloned(),
                lengths: words.iter().map(|word| word.len() as f64).collect(),
                words,
            }
        }
    }

    const COLUMNS: [(&str, ParquetType); 6] = [
        ("number", ParquetType::Count),
        ("third", ParquetType::Real),
        ("even", ParquetType::Flag),
        ("last", ParquetType::Text),
        ("lengths", ParquetType::Reals),
        ("words", ParquetType::Texts),
    ];

    fn write(path: &Path, count: u64) {
        let mut file = ParquetFile::new(path.to_owned(), COLUMNS.to_vec());
        for number in 0..count {
            file.push(&Item::new(number)).unwrap();
        }
        assert_eq!(file.finish().unwrap().as_deref(), Some(path));
    }

    #[test]
    fn what_was_written_is_read_with_its_gaps_and_empty_lists_over_several_groups() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.parquet");
        let count = GROUP as u64 + 5;
        write(&path, count);
        let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
        assert_eq!(reader.metadata().num_row_groups(), 2);
        let rows: Vec<Row> = reader.get_row_iter(None).unwrap().map(Result::unwrap).collect();
        assert_eq!(rows.len() as u64, count);
        let shown: Vec<String> = rows[3..6].iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            [
                "{number: 3, third: 1.0, even: false, last: null, lengths: [], words: []}",
                "{number: 4, third: null, even: true, last: \"ab\", lengths: [2.0], words: [\"ab\"]}",
                "{number: 5, third: null, even: false, last: \"abab\", lengths: [2.0, 4.0], words: [\"ab\", \"abab\"]}",
            ]
        );
    }

    #[test]
    fn the_bytes_depend_on_the_rows_alone() {
        let folder = tempfile::tempdir().unwrap();
        let bytes = ["a", "b"].map(|name| {
            let path = folder.path().join(name);
            write(&path, 100);
            std::fs::read(path).unwrap()
        });
        assert!(bytes[0] == bytes[1]);
    }
}
