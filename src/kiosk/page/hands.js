// What is not on a board: hands of cards, dice, counters, marks and everything else as a table that shows what changed.
//
// Invariant: every value of a picture's hands and lines is in the page as text, with its probability where it is not
// certain; forms and colours only repeat it.

import { el, html, percent, svg } from './dom.js';
import { glyphOf } from './glyphs.js';
import { OPEN, isOpen, lineKey, thingKey } from './picture.js';

const KINDS = ['cards', 'dice', 'counter', 'marks', 'table'];
// Of more open things than this, only the likeliest few are drawn at once.
const MANY = 12;
const FEW = 8;
const SUITS = Object.entries({ heart: '♥', diamond: '♦', spade: '♠', club: '♣' });
const FACES = new Map(Object.entries({ jack: 'J', queen: 'Q', king: 'K', ace: 'A', j: 'J', q: 'Q', k: 'K', a: 'A' }));
// By the number on the face: column and row of each pip, from 1 to 3.
const PIPS = ['', '22', '11 33', '11 22 33', '11 13 31 33', '11 13 22 31 33', '11 12 13 31 32 33'].map(pips =>
  [...pips.matchAll(/\d\d/g)].map(([[x, y]]) => [x, y]),
);

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
  const drawn = suit ? html`<span class="suit">${`${suit}\ufe0e`}</span>` : null;
  return el('span', { class: kind.filter(Boolean).join(' ') }, glyph, drawn);
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
  return html`<span class="die-box">${die}<span class="unseen">${thing.text}</span></span>`;
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
    const pressed = html`
      <button type="button" class=${chosen ? 'pick chosen' : 'pick'} data-key=${key} title=${title}
        aria-pressed=${String(chosen)} onclick=${() => picks.pick(key)}>${drawn}</button>`;
    return el('li', { class: state }, pressed, share, note);
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
  const folded = html`
    <details class="rest"><summary>${rest.length} more</summary><ul class="things">${rest.map(draw)}</ul></details>`;
  return [list, folded];
}

/** The form of a relation: of the view file, else as the server found it. */
function kindOf(view, relation, found, things) {
  const texts = things.map(thing => thing.text);
  const told = view?.kinds && Object.hasOwn(view.kinds, relation) ? view.kinds[relation] : found;
  if (told !== found || !['table', 'marks'].includes(told)) return KINDS.includes(told) ? told : 'table';
  // What has a rank and a suit is a card, whatever its relation is called.
  return texts.length && texts.every(text => text === OPEN || cardParts(text).suit) ? 'cards' : told;
}

/** What roles hold. */
export function drawHands(shown, options) {
  const relations = shown.hands ?? [];
  if (!relations.length) return null;
  const hand = ({ relation, kind: found, owners }) => {
    const kind = kindOf(options.view, relation, found, owners.flatMap(owner => owner.things));
    const name = String(relation).replaceAll('_', ' ');
    const rows = owners.map(owner => {
      const list = thingList(kind, owner.things, options, item => thingKey(relation, owner.name, item.text));
      const you = owner.name === options.you ? ' (you)' : '';
      return html`<div class="owner"><dt>${`${owner.name}${you}`}</dt><dd>${list}</dd></div>`;
    });
    return html`
      <section class="hand kind-${kind}" aria-label=${name}><h3>${name}</h3><dl class="owners">${rows}</dl></section>`;
  };
  return el('div', { class: 'hands' }, relations.map(hand));
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
  const held = lines.map(line => {
    const values = line.values ?? [];
    const kind = kindOf(options.view, line.name, line.kind, values);
    const keyOf = item => lineKey(line.name, item.text);
    const isNew = values.some(item => options.changes.has(keyOf(item)));
    // A fact without arguments has its own name in place of a value.
    const isAlone = values.length === 1 && values[0].text === line.name;
    const list = values.length && !isAlone ? thingList(kind, values, options, keyOf) : holding(values[0]);
    const name = String(line.name).replaceAll('_', ' ');
    return html`<tr class=${isNew ? 'changed' : null}><th scope="row">${name}</th><td>${list}</td></tr>`;
  });
  const left = gone.map(fact => html`<tr class="gone"><th scope="row">no longer</th><td><del>${fact}</del></td></tr>`);
  return html`<table class="facts"><caption class="unseen">what else holds</caption><tbody>${held}${left}</tbody></table>`;
}
