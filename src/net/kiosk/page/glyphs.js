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

function told(table, sign) {
  if (!table) return null;
  for (const key of [sign.name, sign.sign]) {
    if (key !== null && key !== undefined && Object.hasOwn(table, key)) return String(table[key]);
  }
  return null;
}

/** The text of a sign; empty for a cell with nothing in it. */
export function glyphOf(view, sign) {
  const glyph = told(view?.glyphs, sign);
  if (glyph !== null) return glyph;
  const text = sign.sign ?? sign.name ?? '';
  return text === '.' ? '' : String(text);
}

/** The colour of a sign: of the view file, else by its place in the legend. */
export function colourOf(view, sign, order) {
  const colour = told(view?.colours, sign) ?? '';
  const accent = /^accent([1-9])$/.exec(colour);
  if (accent) return `var(--accent${((Number(accent[1]) - 1) % ACCENTS) + 1})`;
  if (colour === 'light' || colour === 'white') return 'var(--stone-light)';
  if (colour === 'dark' || colour === 'black') return 'var(--stone-dark)';
  if (/^#[0-9a-fA-F]{3}([0-9a-fA-F]{3})?$/.test(colour) || /^[a-z]{3,20}$/.test(colour)) return colour;
  const at = order.get(sign.sign) ?? order.get(firstWord(sign)) ?? -1;
  return at < 0 || at >= ACCENTS ? 'var(--ink)' : `var(--accent${at + 1})`;
}

/** The first word of a name: `white` of `white king`. */
function firstWord(sign) {
  return String(sign.name ?? '').split(/[\s_]/)[0];
}

/**
 * The place of every sign of a picture, without those that mean an empty cell. Where there are more signs than colours, the
 * first words of their names are counted, if they are few: the pieces of one side then have one colour.
 */
export function orderOf(view, picture) {
  const order = new Map();
  const signs = (picture.legend ?? []).map(entry => ({ sign: entry.sign, name: entry.meaning }));
  for (const panel of picture.panels ?? []) {
    for (const row of panel.rows) for (const cell of row.cells) signs.push(...(cell.signs ?? []));
  }
  for (const sign of signs) {
    if (glyphOf(view, sign) !== '' && !order.has(sign.sign)) order.set(sign.sign, order.size);
  }
  if (order.size <= ACCENTS) return order;
  const sides = [...new Set(signs.filter(sign => order.has(sign.sign)).map(firstWord))];
  return new Map(sides.length <= ACCENTS ? sides.map((word, at) => [word, at]) : []);
}

/** Text without the coloured form that some fonts give to chess pieces and suits. */
function plain(glyph) {
  return /[\u2600-\u27bf]/u.test(glyph) ? `${glyph}\ufe0e` : glyph;
}

/** How large a text may be in a square of this side. */
function sizeFor(text, side) {
  const length = Math.max(1, [...text].length);
  return Math.max(7, Math.min(side * 0.62, (side * 1.5) / length));
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
  if (colour.startsWith('var(--stone')) drawn.classList.add('stone');
  drawn.style.setProperty('--sign', colour);
  if (opacity < 1) drawn.style.opacity = String(Math.round(100 * opacity) / 100);
  return drawn;
}
