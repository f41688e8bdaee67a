// Signs of a board as glyphs and colours: what the view file of a game says, and a choice of our own where it is silent.
//
// Invariant: a colour that reaches a style is one of the page's own, or was matched against a pattern of colours; a glyph is
// text and reaches the page as text.

import { svg } from './dom.js';

/** The side of a cell in the units of a drawing. */
export const CELL = 48;

const ACCENTS = 6;
const DISCS = new Set(['●', '⬤', '•']);
const RINGS = new Set(['○', '◯', '⭘']);

// Words of colours, each with a variable of the style sheet.
const PAINTS = new Map(
  ['black', 'white', 'red', 'blue', 'green', 'yellow', 'orange', 'purple', 'brown'].map(word => [word, `var(--paint-${word})`]),
);
const PIECES = new Map(Object.entries({ king: '♚', queen: '♛', rook: '♜', bishop: '♝', knight: '♞', pawn: '♟' }));
const MARKS = new Map(Object.entries({ x: '✕', o: '○' }));

/** What a table of the view file says of a sign. */
function told(table, sign) {
  if (!table) return null;
  for (const key of [sign.name, sign.sign]) {
    if (key !== null && key !== undefined && Object.hasOwn(table, key)) return String(table[key]);
  }
  return null;
}

/** The words of a name: `white` and `king` of `white king`. */
function wordsOf(sign) {
  return String(sign.name ?? '')
    .toLowerCase()
    .split(/[\s_]/);
}

/** The text of a sign; empty for a cell with nothing in it. Without a view file, colours are discs and chessmen chessmen. */
export function glyphOf(view, sign) {
  const glyph = told(view?.glyphs, sign);
  if (glyph !== null) return glyph;
  const text = String(sign.sign ?? sign.name ?? '');
  if (text === '.') return '';
  const words = wordsOf(sign);
  if (words.length === 1 && PAINTS.has(words[0])) return '●';
  if (words.length === 2 && PAINTS.has(words[0]) && PIECES.has(words[1])) return PIECES.get(words[1]);
  return (sign.name ?? text) === text && MARKS.has(text) ? MARKS.get(text) : text;
}

/** The colour of a sign: of the view file, else the one in its name, else by its place among the signs. */
export function colourOf(view, sign, order) {
  const colour = told(view?.colours, sign) ?? '';
  const accent = /^accent([1-9])$/.exec(colour);
  if (accent) return `var(--accent${((Number(accent[1]) - 1) % ACCENTS) + 1})`;
  if (colour === 'light' || colour === 'dark') return PAINTS.get(colour === 'light' ? 'white' : 'black');
  if (PAINTS.has(colour)) return PAINTS.get(colour);
  if (/^#[0-9a-fA-F]{3}([0-9a-fA-F]{3})?$/.test(colour) || /^[a-z]{3,20}$/.test(colour)) return colour;
  const paint = PAINTS.get(wordsOf(sign)[0]);
  if (paint) return paint;
  const at = order.get(sign.sign) ?? -1;
  return at < 0 || at >= ACCENTS ? 'var(--ink)' : `var(--accent${at + 1})`;
}

/**
 * The place of every sign of a picture among the colours: a role's sign has the place of the role, so that it is the same in
 * every picture; the others follow in the order of the legend and the cells. Numbers have none.
 */
export function orderOf(view, picture, roles) {
  const signs = (picture.legend ?? []).map(entry => ({ sign: entry.sign, name: entry.meaning }));
  for (const panel of picture.panels ?? []) {
    for (const row of panel.rows) for (const cell of row.cells) signs.push(...(cell.signs ?? []));
  }
  const order = new Map();
  for (const { sign, name } of signs) if (roles.includes(name)) order.set(sign, roles.indexOf(name));
  let next = order.size ? roles.length : 0;
  for (const sign of signs) {
    if (order.has(sign.sign) || glyphOf(view, sign) === '' || /^[\d?]+$/.test(sign.sign)) continue;
    order.set(sign.sign, next);
    next += 1;
  }
  return order;
}

/** Text without the coloured form that some fonts give to chess pieces and suits. */
function plain(glyph) {
  return /[\u2600-\u27bf]/u.test(glyph) ? `${glyph}\ufe0e` : glyph;
}

/** How large a text may be in a square of this side. */
function sizeFor(text, side) {
  const length = Math.max(1, [...text].length);
  return Math.max(7, Math.min(side * 0.62, (side * 0.98) / length));
}

/** A sign in a square whose middle is at (x, y): a disc, a ring or text. `opacity` is 1 for what is certain. */
export function drawSign(glyph, colour, x, y, side, opacity) {
  let drawn;
  if (DISCS.has(glyph) || RINGS.has(glyph)) {
    drawn = svg('circle', { cx: x, cy: y, r: side * 0.36, class: RINGS.has(glyph) ? 'ring-sign' : 'disc' });
  } else if (glyph === '#') {
    const half = side * 0.24;
    drawn = svg('rect', { x: x - half, y: y - half, width: 2 * half, height: 2 * half, rx: side * 0.08, class: 'disc' });
  } else if (glyph === '✕' || glyph === '×') {
    const r = side * 0.26;
    drawn = svg('path', {
      d: `M${x - r} ${y - r}L${x + r} ${y + r}M${x + r} ${y - r}L${x - r} ${y + r}`,
      class: 'stroke-sign',
    });
    drawn.style.strokeWidth = String(side * 0.11);
  } else {
    const letters = [...glyph];
    const text = letters.length > 7 ? `${letters.slice(0, 6).join('')}…` : glyph;
    const size = sizeFor(text, side);
    drawn = svg('text', { x, y: y + size * 0.35, 'text-anchor': 'middle', 'font-size': size, class: 'sign' }, plain(text));
  }
  if (colour.startsWith('var(--paint')) drawn.classList.add('stone');
  drawn.style.setProperty('--sign', colour);
  if (opacity < 1) drawn.style.opacity = String(Math.round(100 * opacity) / 100);
  return drawn;
}
