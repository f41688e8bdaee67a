//! Parquet file: rows as typed columns, as pyarrow, pandas, polars and DuckDB read them.
//!
//! A column holds whole numbers, numbers, truth values or texts, each of which may be missing, or lists of whole numbers,
//! numbers or texts, which may be empty. Rows are collected and written in groups of 16,384, so the memory does not grow with
//! the table. A row is a structure that derives `Serialize`; a number in a list that is not finite becomes NaN. The
//! bytes depend on the rows alone. Nothing is compressed; texts that come up again are stored once a group.
//!
//! Third-party: `parquet`, without Arrow and without compression.

use std::io;
use std::iter::repeat_n;
use std::path::PathBuf;
use std::slice::from_ref;
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
pub enum ParquetType {
    /// A whole number.
    Count,
    /// A number.
    Real,
    /// A truth value.
    Flag,
    /// A text.
    Text,
    /// A list of whole numbers.
    Counts,
    /// A list of numbers.
    Reals,
    /// A list of texts.
    Texts,
}

/// The columns of this table of definitions, whose fifth part is the type.
pub fn typed(definitions: &'static str, table: &str) -> Vec<(&'static str, ParquetType)> {
    let lines = definitions.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let of_line = |line: Vec<&'static str>| (line[1], line[4].parse().unwrap_or(ParquetType::Text));
    lines.filter(|line| line[0] == table).map(of_line).collect()
}

/// A table that is being written.
pub struct ParquetFile {
    path: PathBuf,
    columns: Vec<(&'static str, ParquetType)>,
    /// None before the first row.
    writer: Option<SerializedFileWriter<PartFile>>,
    /// The rows of a group, each as long as the columns.
    rows: Vec<Vec<Value>>,
}

impl ParquetType {
    fn is_list(self) -> bool {
        matches!(self, Self::Counts | Self::Reals | Self::Texts)
    }

    /// The declaration of a column in a schema.
    fn declared(self, name: &str) -> String {
        let (element, annotation) = match self {
            Self::Count | Self::Counts => ("int64", ""),
            Self::Real | Self::Reals => ("double", ""),
            Self::Flag => ("boolean", ""),
            Self::Text | Self::Texts => ("binary", " (STRING)"),
        };
        if self.is_list() {
            let list = format!("repeated group list {{ required {element} element{annotation}; }}");
            return format!("required group {name} (LIST) {{ {list} }}");
        }
        format!("optional {element} {name}{annotation};")
    }

    /// Writes what stands in a column.
    fn write<'a>(
        self,
        column: impl Iterator<Item = &'a Value>,
        group: &mut RowGroup<'_>,
    ) -> ParquetResult<()> {
        let is_list = self.is_list();
        let real = |value: &Value| value.as_f64().or(is_list.then_some(f64::NAN));
        let text = |value: &Value| value.as_str().map(ByteArray::from);
        match self {
            // The counts here are far below 2^63.
            Self::Count | Self::Counts => put::<Int64Type>(column, is_list, Value::as_i64, group),
            Self::Real | Self::Reals => put::<DoubleType>(column, is_list, real, group),
            Self::Flag => put::<BoolType>(column, is_list, Value::as_bool, group),
            Self::Text | Self::Texts => put::<ByteArrayType>(column, is_list, text, group),
        }
    }
}

/// A column with one value or a list a row. A row without a value has level 0; the values of a list but the first repeat
/// their row.
fn put<'a, T: DataType>(
    column: impl Iterator<Item = &'a Value>,
    is_list: bool,
    read: impl Fn(&Value) -> Option<T::T>,
    group: &mut RowGroup<'_>,
) -> ParquetResult<()> {
    let (mut values, mut levels, mut repeats) = (Vec::new(), Vec::new(), Vec::new());
    for entry in column {
        let before = values.len();
        let list = if is_list { entry.as_array().map_or(&[][..], Vec::as_slice) } else { from_ref(entry) };
        values.extend(list.iter().filter_map(&read));
        let count = values.len() - before;
        levels.extend(repeat_n(i16::from(count > 0), count.max(1)));
        repeats.extend((0..count.max(1)).map(|place| i16::from(place > 0)));
    }
    let mut writer =
        group.next_column()?.ok_or_else(|| ParquetError::General("no such column".to_owned()))?;
    writer.typed::<T>().write_batch(&values, Some(&levels), is_list.then_some(&repeats[..]))?;
    writer.close()
}

impl ParquetFile {
    /// A file that is begun with its first row.
    pub fn new(path: PathBuf, columns: Vec<(&'static str, ParquetType)>) -> ParquetFile {
        ParquetFile { path, columns, writer: None, rows: Vec::new() }
    }

    fn begin(&self) -> io::Result<SerializedFileWriter<PartFile>> {
        let declared: Vec<String> = self.columns.iter().map(|(name, column)| column.declared(name)).collect();
        let schema = parse_message_type(&format!("message hyperplay {{ {} }}", declared.join(" ")))?;
        let made_by = format!("hyperplay version {}", env!("CARGO_PKG_VERSION"));
        let properties = WriterProperties::builder().set_created_by(made_by.clone()).build();
        let file =
            WrittenFile::at(&self.path, FileContent::holding("table", "hyperplay version "))?.begin()?;
        let mut writer = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?;
        // Readers pass over it. By it a part that a kill left is known, because its end is not written.
        writer.write_all(made_by.as_bytes())?;
        Ok(writer)
    }

    /// Adds a row, which has fields of the names of the columns.
    ///
    /// # Errors
    /// If the file cannot be begun or written.
    pub fn push(&mut self, row: &impl Serialize) -> Result<(), FileError> {
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
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(mut self) -> Result<Option<PathBuf>, FileError> {
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

    /// Before, the mark was only at the end, and such a part stayed for ever. A table that something else wrote has no mark.
    #[test]
    fn a_part_that_a_kill_left_is_removed_and_no_other_table() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.parquet");
        write(&path, GROUP as u64 + 5);
        let bytes = std::fs::read(&path).unwrap();
        let (left, foreign) = (path.with_extension("parquet.1.part"), path.with_extension("parquet.2.part"));
        std::fs::write(&left, &bytes[..bytes.len() / 2]).unwrap();
        std::fs::write(&foreign, [b"PAR1", &bytes[64..bytes.len() / 2]].concat()).unwrap();
        write(&path, GROUP as u64 + 5);
        assert!(!left.exists() && foreign.exists() && std::fs::read(&path).unwrap() == bytes);
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
