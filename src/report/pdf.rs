//! Pdf: a canvas as a PDF file of one page that is as large as the canvas.
//!
//! Invariant: the same canvas gives the same bytes: there is no date and no random id in the file. The glyphs that the
//! figure uses are embedded, with a table that says which characters they are, so that text can be searched and
//! copied. The content is that of the SVG, shape by shape.

use std::collections::BTreeMap;

use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Content, Finish as _, Name, Pdf, Rect, Ref, Str, TextStr};
use subsetter::GlyphRemapper;

use super::canvas::{Canvas, Colour, Label, Shape};
use super::font::{BYTES, FACE, SIZE, advance, glyph, units};

/// The name of the embedded font: six letters that stand for the subset, and its name.
const FONT: Name<'_> = Name(b"HYPLAY+DejaVuSansCondensed");

/// The name of the font on the page.
const ON_PAGE: Name<'_> = Name(b"F");

/// How characters are numbered in the embedded font.
const NUMBERING: SystemInfo<'_> =
    SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// The glyphs that a figure uses.
struct Glyphs {
    numbers: GlyphRemapper,
    /// A character of each, by its number in the file.
    characters: BTreeMap<u16, char>,
}

impl Glyphs {
    /// The number of a character in the file.
    fn number(&mut self, character: char) -> u16 {
        let number = self.numbers.remap(glyph(character));
        self.characters.entry(number).or_insert(character);
        number
    }
}

/// The canvas as a file.
pub(super) fn file(canvas: &Canvas, title: &str) -> Vec<u8> {
    let mut glyphs = Glyphs { numbers: GlyphRemapper::new(), characters: BTreeMap::new() };
    let content = content(canvas, &mut glyphs);
    let ids: [Ref; 10] = std::array::from_fn(|at| Ref::new(at as i32 + 1));
    let [catalog, pages, page, stream, font, descendant, descriptor, file, cmap, information] = ids;
    let mut pdf = Pdf::new();
    pdf.document_info(information).title(TextStr(title)).creator(TextStr("hyperplay"));
    pdf.catalog(catalog).pages(pages);
    pdf.pages(pages).kids([page]).count(1);
    let mut sheet = pdf.page(page);
    sheet
        .parent(pages)
        .media_box(Rect::new(0.0, 0.0, canvas.width as f32, canvas.height as f32))
        .contents(stream);
    sheet.resources().fonts().pair(ON_PAGE, font);
    sheet.finish();
    pdf.stream(stream, &content);
    pdf.type0_font(font)
        .base_font(FONT)
        .encoding_predefined(Name(b"Identity-H"))
        .descendant_font(descendant)
        .to_unicode(cmap);
    embed(&mut pdf, &glyphs, [descendant, descriptor, file, cmap]);
    pdf.finish()
}

/// The font: its widths, its file, and its characters.
fn embed(pdf: &mut Pdf, glyphs: &Glyphs, [descendant, descriptor, file, cmap]: [Ref; 4]) {
    let thousandths = |ems: f64| (1e3 * ems) as f32;
    let mut cid = pdf.cid_font(descendant);
    cid.subtype(CidFontType::Type2).base_font(FONT).system_info(NUMBERING).font_descriptor(descriptor);
    cid.default_width(0.0).cid_to_gid_map_predefined(Name(b"Identity"));
    let widths = glyphs.numbers.remapped_gids().map(|glyph| thousandths(advance(glyph)));
    cid.widths().consecutive(0, widths);
    cid.finish();
    let area = FACE.global_bounding_box();
    let [left, low, right, high] =
        [area.x_min, area.y_min, area.x_max, area.y_max].map(|unit| thousandths(f64::from(unit) / units()));
    pdf.font_descriptor(descriptor)
        .name(FONT)
        .flags(FontFlags::NON_SYMBOLIC)
        .bbox(Rect::new(left, low, right, high))
        .italic_angle(0.0)
        .ascent(thousandths(f64::from(FACE.ascender()) / units()))
        .descent(thousandths(f64::from(FACE.descender()) / units()))
        .cap_height(thousandths(f64::from(FACE.capital_height().unwrap_or(FACE.ascender())) / units()))
        .stem_v(80.0)
        .font_file2(file);
    let embedded =
        subsetter::subset(BYTES, 0, &glyphs.numbers).expect("the font is whole, and its glyphs are its own");
    let mut stream = pdf.stream(file, &embedded);
    stream.pair(Name(b"Length1"), embedded.len() as i32);
    stream.finish();
    let mut characters = UnicodeCmap::new(Name(b"Characters"), NUMBERING);
    glyphs.characters.iter().for_each(|(&number, &character)| characters.pair(number, character));
    pdf.cmap(cmap, &characters.finish());
}

/// The drawing operators of the page.
fn content(canvas: &Canvas, glyphs: &mut Glyphs) -> Vec<u8> {
    let mut content = Content::new();
    let height = canvas.height;
    let shares = |Colour(red, green, blue): Colour| [red, green, blue].map(|part| f32::from(part) / 255.0);
    let fill = |content: &mut Content, colour: Colour| {
        let [red, green, blue] = shares(colour);
        content.set_fill_rgb(red, green, blue);
    };
    fill(&mut content, Colour::WHITE);
    content.rect(0.0, 0.0, canvas.width as f32, height as f32).fill_nonzero();
    for (_, shape) in &canvas.shapes {
        match shape {
            Shape::Path { places, is_closed, fill: area, stroke } => {
                if let Some(colour) = area {
                    fill(&mut content, *colour);
                }
                if let Some(stroke) = stroke {
                    let [red, green, blue] = shares(stroke.colour);
                    content.set_stroke_rgb(red, green, blue).set_line_width(stroke.width as f32);
                    let dash: Vec<f32> =
                        stroke.dash.iter().flat_map(|&(dash, gap)| [dash as f32, gap as f32]).collect();
                    content.set_dash_pattern(dash, 0.0);
                }
                for (at, &(x, y)) in places.iter().enumerate() {
                    let (x, y) = (x as f32, (height - y) as f32);
                    let _ = if at == 0 { content.move_to(x, y) } else { content.line_to(x, y) };
                }
                if *is_closed {
                    content.close_path();
                }
                match (area, stroke) {
                    (Some(_), Some(_)) => content.fill_nonzero_and_stroke(),
                    (Some(_), None) => content.fill_nonzero(),
                    (None, Some(_)) => content.stroke(),
                    (None, None) => content.end_path(),
                };
            }
            Shape::Text(label) => {
                fill(&mut content, label.colour);
                write(&mut content, label, height, glyphs);
            }
        }
    }
    content.finish().to_vec()
}

fn write(content: &mut Content, label: &Label, height: f64, glyphs: &mut Glyphs) {
    let (x, y) = label.start();
    let (x, y) = (x as f32, (height - y) as f32);
    let bytes: Vec<u8> =
        label.text.chars().flat_map(|character| glyphs.number(character).to_be_bytes()).collect();
    let matrix = if label.is_upright { [0.0, 1.0, -1.0, 0.0, x, y] } else { [1.0, 0.0, 0.0, 1.0, x, y] };
    content.begin_text().set_font(ON_PAGE, SIZE as f32).set_text_matrix(matrix).show(Str(&bytes)).end_text();
}
