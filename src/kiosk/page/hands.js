// What is not on a board: hands of cards, dice, counters, marks and everything else as a table that shows what changed.
//
// Invariant: every value of a picture's hands and lines is in the page as text, with its probability where it is not
// certain; forms and colours only repeat it.

import { el, percent, svg } from './dom.js';
import { glyphOf } from './glyphs.js';
import { OPEN, isOpen, lineKey, thingKey } from './picture.js';

const KINDS = ['cards', 'dice', 'counter', 'marks', 'table'];
// Of more open things than this, only the likeliest few are drawn at once.
const MANY = 12;
const FEW = 8;
const SUITS = [
  ['heart', '♥'],
  ['diamond', '♦'],
  ['spade', '♠'],
  ['club', '♣'],
];
const FACES = new Map([
  ['jack', 'J'],
  ['queen', 'Q'],
  ['king', 'K'],
  ['ace', 'A'],
  ['j', 'J'],
  ['q', 'Q'],
  ['k', 'K'],
  ['a', 'A'],
]);
const PIPS = [
  [],
  [[2, 2]],
  [
    [1, 1],
    [3, 3],
  ],
  [
    [1, 1],
    [2, 2],
    [3, 3],
  ],
  [
    [1, 1],
    [1, 3],
    [3, 1],
    [3, 3],
  ],
  [
    [1, 1],
    [1, 3],
    [2, 2],
    [3, 1],
    [3, 3],
  ],
  [
    [1, 1],
    [1, 2],
    [1, 3],
    [3, 1],
    [3, 2],
    [3, 3],
  ],
];

/** Words of a card: `(card q hearts)` has the words q and hearts. */
function cardParts(text) {
  const words = text
    .replace(/[()]/g, ' ')
    .split(/[\s_]+/)
    .filter(Boolean);
  const suit = SUITS.find(([name]) => words.some(word => word.toLowerCase().startsWith(name)));
  const rest = words.filter(word => !suit || !(word === 'of' || word.toLowerCase().startsWith(suit[0])));
  const rank = rest.map(word => FACES.get(word.toLowerCase()) ?? word).join(' ');
  return { rank, suit: suit?.[1] ?? '' };
}

function drawCard(thing, view) {
  const { rank, suit } = cardParts(thing.text);
  const glyph = view?.glyphs && Object.hasOwn(view.glyphs, thing.text) ? glyphOf(view, { name: thing.text }) : rank;
  const kind = ['playing', suit === '♥' || suit === '♦' ? 'red' : '', [...glyph].length > 3 ? 'long' : ''];
  return el(
    'span',
    { class: kind.filter(Boolean).join(' ') },
    glyph,
    suit ? el('span', { class: 'suit' }, `${suit}\ufe0e`) : null,
  );
}

function drawDie(thing) {
  const face = Number(thing.text);
  if (!Number.isInteger(face) || face < 1 || face > 6) return el('span', { class: 'chip' }, thing.text);
  const die = svg(
    'svg',
    { viewBox: '0 0 40 40', class: 'die', 'aria-hidden': 'true' },
    svg('rect', { x: 1.5, y: 1.5, width: 37, height: 37, rx: 8 }),
    PIPS[face].map(([x, y]) => svg('circle', { cx: x * 10, cy: y * 10, r: 3.4 })),
  );
  return el('span', { class: 'die-box' }, die, el('span', { class: 'unseen' }, thing.text));
}

function drawThing(kind, thing, view) {
  if (kind === 'cards') return drawCard(thing, view);
  if (kind === 'dice') return drawDie(thing);
  if (kind === 'counter') return el('span', { class: 'chip' }, thing.text);
  return el('span', { class: 'mark' }, thing.text);
}

/** A thing with its probability under it; a button where a legal move names it. */
function drawItem(kind, item, options, key) {
  const { picks, view } = options;
  const changed = options.changes.has(key);
  const drawn = drawThing(kind, item, view);
  const share = isOpen(item) ? el('span', { class: 'under' }, percent(item.probability)) : null;
  if (share) drawn.style.opacity = String(Math.round(100 * (0.68 + 0.32 * item.probability)) / 100);
  const state = ['thing', changed ? 'changed' : '', isOpen(item) ? 'uncertain' : ''].filter(Boolean).join(' ');
  const note = changed ? el('span', { class: 'unseen' }, ' (new)') : null;
  const title = isOpen(item) ? `${item.text}: ${percent(item.probability)}` : item.text;
  const chosen = picks?.chosen.has(key) ?? false;
  if (chosen || picks?.open.has(key)) {
    return el(
      'li',
      { class: state },
      el(
        'button',
        {
          type: 'button',
          class: chosen ? 'pick chosen' : 'pick',
          'data-key': key,
          title,
          'aria-pressed': chosen ? 'true' : 'false',
          onclick: () => picks.pick(key),
        },
        drawn,
      ),
      share,
      note,
    );
  }
  return el('li', { class: state, title }, drawn, share, note);
}

/** What somebody has or what a relation holds: what is certain, then the likeliest; many unlikely things can be folded out. */
function thingList(kind, items, options, keyOf) {
  const sure = items.filter(item => !isOpen(item));
  const open = items.filter(isOpen).sort((a, b) => b.probability - a.probability);
  const draw = item => drawItem(kind, item, options, keyOf(item));
  const first = open.length > MANY ? open.slice(0, FEW) : open;
  const rest = open.slice(first.length);
  const list = el('ul', { class: 'things' }, [...sure, ...first].map(draw));
  if (!rest.length) return list;
  return [
    list,
    el('details', { class: 'rest' }, el('summary', {}, `${rest.length} more`), el('ul', { class: 'things' }, rest.map(draw))),
  ];
}

/** The form of a relation: of the view file, else as the server found it. */
function kindOf(view, relation, found, texts) {
  const told = view?.kinds && Object.hasOwn(view.kinds, relation) ? view.kinds[relation] : found;
  if (told !== found || !['table', 'marks'].includes(told)) return KINDS.includes(told) ? told : 'table';
  // What has a rank and a suit is a card, whatever its relation is called.
  return texts.length && texts.every(text => text === OPEN || cardParts(text).suit) ? 'cards' : told;
}

/** What roles hold. */
export function drawHands(shown, options) {
  const relations = shown.hands ?? [];
  if (!relations.length) return null;
  const root = el('div', { class: 'hands' });
  relations.forEach(hand => {
    const kind = kindOf(
      options.view,
      hand.relation,
      hand.kind,
      hand.owners.flatMap(owner => owner.things.map(item => item.text)),
    );
    const name = String(hand.relation).replaceAll('_', ' ');
    const box = el('section', { class: `hand kind-${kind}`, 'aria-label': name }, el('h3', {}, name));
    const owners = el('dl', { class: 'owners' });
    for (const owner of hand.owners) {
      const keyOf = item => thingKey(hand.relation, owner.name, item.text);
      const list = thingList(kind, owner.things ?? [], options, keyOf);
      const you = owner.name === options.you ? ' (you)' : '';
      owners.append(el('div', { class: 'owner' }, el('dt', {}, `${owner.name}${you}`), el('dd', {}, list)));
    }
    box.append(owners);
    root.append(box);
  });
  return root;
}

/** That a fact without arguments holds, or how probably. */
function holding(fact) {
  const text = fact && isOpen(fact) ? `holds with ${percent(fact.probability)}` : 'holds';
  return el('span', { class: 'holds' }, text);
}

/** Relations with one argument, single facts, and what has gone: a table. */
export function drawLines(shown, gone, options) {
  const lines = shown.lines ?? [];
  if (!lines.length && !gone.length) return null;
  const body = el('tbody');
  lines.forEach(line => {
    const kind = kindOf(
      options.view,
      line.name,
      line.kind,
      (line.values ?? []).map(item => item.text),
    );
    const values = line.values ?? [];
    const keyOf = item => lineKey(line.name, item.text);
    const isNew = values.some(item => options.changes.has(keyOf(item)));
    // A fact without arguments has its own name in place of a value.
    const isAlone = values.length === 1 && values[0].text === line.name;
    const list = values.length && !isAlone ? thingList(kind, values, options, keyOf) : holding(values[0]);
    const row = el(
      'tr',
      { class: isNew ? 'changed' : null },
      el('th', { scope: 'row' }, String(line.name).replaceAll('_', ' ')),
      el('td', {}, list),
    );
    body.append(row);
  });
  for (const fact of gone) {
    body.append(el('tr', { class: 'gone' }, el('th', { scope: 'row' }, 'no longer'), el('td', {}, el('del', {}, fact))));
  }
  return el('table', { class: 'facts' }, el('caption', { class: 'unseen' }, 'what else holds'), body);
}
