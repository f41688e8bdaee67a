// A picture as drawings: boards as SVG with labelled axes, then the legend, then what is not on a board (hands.js).
//
// Everything that a picture holds is drawn and is said: the title of a cell, which is its name for readers of the screen,
// tells its place, each sign in it with its probability, and whether it has changed. A sign is as solid as it is probable;
// several possible signs stand side by side; a certain one fills the cell. Cells that a legal move names can be chosen by
// mouse or keyboard; one cell of a board takes the focus of Tab, the arrows move it.

import { el, html, percent, quiet, refill, rove, svg } from './dom.js';
import { CELL, colourOf, drawSign, glyphOf, orderOf } from './glyphs.js';
import { drawHands, drawLines } from './hands.js';
import { CERTAIN, cellKey, changesOf, conceal } from './picture.js';

const AXIS = 20;

/**
 * Draws a picture of what is certain. `options`: `view`; `believed`, a picture with the probabilities of what is not, or none;
 * `isShaded`, whether these are drawn or a mark in place of them; `picks` with `open` and `chosen` (sets of keys) and
 * `pick(key)`; `large`, the set of panels that are drawn large; `roles`, without chance; `you`, the role that looks.
 */
export function drawPicture(picture, options) {
  const root = el('div', { class: 'picture', 'data-kind': picture.kind });
  const { believed, isShaded } = options;
  const shown = believed ? (isShaded ? believed : conceal(believed)) : picture;
  const order = orderOf(options.view, believed ?? picture, options.roles);
  const changes = changesOf(picture);
  const panelCount = shown.panels?.length ?? 0;
  const drawn = (shown.panels ?? []).map((panel, at) => {
    const isLarge = options.large.has(at);
    return [isLarge, drawPanel(panel, at, { ...options, order, changes, isLarge, panelCount })];
  });
  const [large, small] = [true, false].map(kind => drawn.filter(([isLarge]) => isLarge === kind).map(([, figure]) => figure));
  const sides = small.length ? el('div', { class: 'sides' }, small) : null;
  refill(
    root,
    panelCount ? el('div', { class: 'panels' }, large, sides) : null,
    drawLegend(shown, options.view, order),
    drawHands(shown, { ...options, changes }),
    drawLines(shown, picture.gone ?? [], { ...options, changes }),
  );
  if (!root.firstChild) root.append(quiet('This state has no facts.'));
  return root;
}

function signsOf(cell, view) {
  const signs = (cell.signs ?? []).filter(sign => sign.probability > 1e-9 && glyphOf(view, sign) !== '');
  return signs.sort((a, b) => b.probability - a.probability);
}

function labelOf(panel, row, column, cell, changed) {
  const place = [row.name ? `row ${row.name}` : '', column ? `column ${column}` : ''].filter(Boolean).join(', ');
  const signs = cell.signs ?? [];
  const said = signs.map(({ name, sign, probability }) =>
    probability >= CERTAIN ? `${name ?? sign}` : `${name ?? sign} ${percent(probability)}`,
  );
  const content = said.length ? said.join(', ') : cell.text === '' || cell.text === '.' ? 'empty' : cell.text;
  return `${place || panel.title}: ${content}${changed ? ', changed' : ''}`;
}

/** A title such as `(cell row column _)` without its brackets and placeholders. */
export function titleOf(title) {
  const words = String(title)
    .replace(/[()]/g, ' ')
    .split(/\s+/)
    .filter(word => word && word !== '_');
  const kept = words.filter(word => !/^(row|column)$/.test(word));
  return (kept.length ? kept : words).join(' ').replaceAll('_', ' ');
}

function drawPanel(panel, at, options) {
  const { view, order, picks, changes } = options;
  const rows = panel.rows.map((row, number) => ({ row, number }));
  const columns = panel.columns ?? [];
  const wide = Math.max(columns.length, ...rows.map(({ row }) => row.cells.length), 1);
  const longest = Math.max(0, ...rows.map(({ row }) => String(row.name ?? '').length));
  const left = longest ? Math.max(AXIS, longest * 8 + 10) : 4;
  const top = columns.length ? AXIS : 4;
  const width = left + wide * CELL + 4;
  const height = top + rows.length * CELL + 4;
  const { isLarge } = options;
  const several = options.large.size > 1 ? 300 : 560;
  const cell = isLarge ? Math.min(wide > 4 ? 76 : 92, Math.max(40, several / wide)) : Math.min(34, Math.max(22, 170 / wide));
  const title = titleOf(panel.title);
  const board = svg('svg', {
    viewBox: `0 0 ${width} ${height}`,
    width: Math.round((width * cell) / CELL),
    class: 'board',
    role: 'grid',
    'aria-label': `board ${title}`,
    'data-panel': at,
  });
  const axis = svg('g', { class: 'axis', 'aria-hidden': 'true' });
  columns.forEach((name, column) => {
    const text = String(name).length > 6 ? `${String(name).slice(0, 5)}…` : name;
    axis.append(svg('text', { x: left + (column + 0.5) * CELL, y: top - 6, 'text-anchor': 'middle' }, text));
  });
  board.append(axis);
  board.append(svg('rect', { x: left, y: top, width: wide * CELL, height: rows.length * CELL, rx: 3, class: 'ground' }));
  let first = true;
  for (const { row, number } of rows) {
    const line = svg('g', { role: 'row' });
    const y = top + number * CELL;
    if (row.name) {
      axis.append(svg('text', { x: left - 7, y: y + CELL / 2 + 4, 'text-anchor': 'end' }, row.name));
    }
    row.cells.forEach((content, column) => {
      const key = cellKey(at, row.name, columns[column]);
      const changed = changes.has(key);
      const isOpen = picks?.open.has(key) ?? false;
      const state = [isOpen ? 'open' : '', picks?.chosen.has(key) ? 'chosen' : '', changed ? 'changed' : ''];
      const label = labelOf(panel, row, columns[column], content, changed);
      const group = svg('g', {
        role: 'gridcell',
        class: `cell ${state.filter(Boolean).join(' ')}`,
        'data-key': key,
        'data-row': row.name ?? '',
        'data-column': columns[column] ?? '',
        tabindex: first ? 0 : -1,
        'aria-selected': picks?.chosen.has(key) ? 'true' : null,
      });
      first = false;
      const x = left + column * CELL;
      const frame = (inset, rx, kind) => {
        const side = CELL - 2 * inset;
        return svg('rect', { x: x + inset, y: y + inset, width: side, height: side, rx, class: kind });
      };
      const inside = svg('g', { 'aria-hidden': 'true' });
      drawContent(inside, content, x, y, { view, order, isSmall: cell < 35, wide });
      const choice = picks?.chosen.has(key) ? frame(2, 4, 'pick-ring') : isOpen ? frame(3, 5, 'way') : null;
      const square = frame(0, null, `square ${(number + column) % 2 ? 'odd' : 'even'}`);
      refill(group, svg('title', {}, label), square, inside, changed ? frame(2, 4, 'change') : null, choice, frame(2, 4, 'focus'));
      line.append(group);
    });
    board.append(line);
  }
  board.addEventListener('click', event => {
    const target = event.target.closest('.cell');
    if (target) picks?.pick(target.dataset.key);
  });
  board.addEventListener('keydown', event => keyOnBoard(event, board, picks));
  const caption = options.panelCount > 1 ? el('figcaption', {}, title) : null;
  return el('figure', { class: isLarge ? 'panel large' : 'panel' }, caption, board);
}

const ARROWS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

function keyOnBoard(event, board, picks) {
  const current = event.target.closest('.cell');
  if (!current || event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === 'Enter' || event.key === ' ') {
    event.preventDefault();
    picks?.pick(current.dataset.key);
    return;
  }
  const lines = [...board.querySelectorAll('[role=row]')].map(line => [...line.querySelectorAll('.cell')]);
  const row = lines.findIndex(line => line.includes(current));
  const column = lines[row].indexOf(current);
  let next = null;
  if (ARROWS[event.key]) next = lines[row + ARROWS[event.key][0]]?.[column + ARROWS[event.key][1]];
  else if (event.key === 'Home') next = lines[row][0];
  else if (event.key === 'End') next = lines[row].at(-1);
  else return;
  event.preventDefault();
  if (next) rove(lines.flat(), next);
}

/** What stands in a cell: one sign large, several side by side, each as solid as it is probable. */
function drawContent(group, content, x, y, { view, order, isSmall, wide }) {
  const signs = signsOf(content, view);
  if (!signs.length) {
    // A cell without signs has its text: an open cell's mark, or nothing.
    const text = (content.signs ?? []).length ? '' : (content.text ?? '');
    if (text && text !== '.')
      group.append(drawSign(text, 'var(--ink)', x + CELL / 2, y + CELL / 2, CELL, text === '?' ? 0.6 : 1));
    return;
  }
  const likeliest = signs[0];
  const isOpen = signs.some(sign => sign.probability < CERTAIN);
  if (isOpen) {
    const shade = svg('rect', { x, y, width: CELL, height: CELL, class: 'shade' });
    shade.style.setProperty('--sign', colourOf(view, likeliest, order));
    shade.style.opacity = String(Math.round(36 * likeliest.probability) / 100);
    group.append(shade);
  }
  const few = signs.length > 4 ? signs.slice(0, 3) : signs;
  const places = few.length + (signs.length > few.length ? 1 : 0);
  const across = places === 1 ? 1 : 2;
  const down = Math.ceil(places / across);
  const side = CELL / Math.max(across, down === 1 ? across : down);
  // Numbers only where they can be read; elsewhere they are in the name of the cell.
  const hasNumbers = isOpen && !isSmall && wide <= 6 && places <= 4;
  few.forEach((sign, at) => {
    const cx = x + ((at % across) + 0.5) * (CELL / across);
    const cy = y + (Math.floor(at / across) + 0.5) * (CELL / down);
    const room = hasNumbers ? side * 0.72 : side;
    const opacity = sign.probability >= CERTAIN ? 1 : 0.3 + 0.7 * sign.probability;
    const lift = hasNumbers ? (places === 1 ? 6 : 4) : 0;
    group.append(drawSign(glyphOf(view, sign), colourOf(view, sign, order), cx, cy - lift, room, opacity));
    if (hasNumbers && sign.probability < CERTAIN) {
      const size = places === 1 ? 11 : 8;
      const share = Math.round(100 * sign.probability);
      const text = share === 0 ? '<1' : share === 100 ? '>99' : share;
      const base = places === 1 ? y + CELL - 5 : cy + (down === 1 ? 18 : 10.5);
      group.append(svg('text', { x: cx, y: base, 'text-anchor': 'middle', 'font-size': size, class: 'share' }, text));
    }
  });
  if (signs.length > few.length) {
    const cx = x + 0.75 * CELL;
    group.append(svg('text', { x: cx, y: y + 0.75 * CELL + 4, 'text-anchor': 'middle', 'font-size': 11, class: 'share' }, '…'));
  }
}

function drawLegend(picture, view, order) {
  const entries = (picture.legend ?? []).filter(({ sign, meaning }) => {
    const glyph = glyphOf(view, { sign, name: meaning });
    return glyph !== '' && glyph !== meaning;
  });
  if (!entries.length) return null;
  const row = ({ sign, meaning }) => {
    const one = { sign, name: meaning };
    const drawn = drawSign(glyphOf(view, one), colourOf(view, one, order), CELL / 2, CELL / 2, CELL, 1);
    const small = svg('svg', { viewBox: `0 0 ${CELL} ${CELL}`, class: 'legend-sign', 'aria-hidden': 'true' }, drawn);
    return el('li', {}, small, ' ', meaning);
  };
  return html`<ul class="legend" aria-label="what the signs mean">${entries.map(row)}</ul>`;
}
