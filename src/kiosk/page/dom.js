// Building blocks of the page: elements, numbers as text, announcements.
//
// Rules, names and moves come from strangers. They reach the page as text nodes and attribute values only: no function of
// this page gives a string to a parser of HTML, and `html` reads tags in the literal text of these files alone. Styles are
// set by classes, or by a property of `element.style` whose value is a number that was computed here or a colour that
// `colourOf` in glyphs.js has checked.

const SVG = 'http://www.w3.org/2000/svg';

/** An element: `el('p', { class: 'note', onclick: f }, 'text', child)`. Absent children and attributes are left out. */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

const TOKEN = /<\/\w+>|<(\w+)((?:\s+[\w-]+(?:="[^"]*"|=\0)?)*)\s*(\/?)>|\0|[^<\0]+/g;
const ATTRIBUTE = /([\w-]+)(?:="([^"]*)"|=(\0))?/g;

/**
 * The element, or the list of nodes, of a template: html`<p class="note" onclick=${f}>text ${child}</p>`. Values become
 * children, attributes and listeners as in `el`, whatever they contain. An element without children ends with `/>`; line
 * ends with the blanks around them are left out.
 */
export function html(strings, ...values) {
  const open = [{ children: [] }];
  for (const [token, tag, attributes, isEmpty] of strings.join('\0').matchAll(TOKEN)) {
    if (tag) {
      const read = [...attributes.matchAll(ATTRIBUTE)].map(([, name, text, value]) => {
        if (value) return [name, values.shift()];
        return [name, text?.replace(/\0/g, () => values.shift()) ?? true];
      });
      open.push({ tag, attributes: Object.fromEntries(read), children: [] });
    } else if (!token.startsWith('</')) {
      open.at(-1).children.push(token === '\0' ? values.shift() : token.replace(/\s*\n\s*/g, ''));
    }
    if (isEmpty || token.startsWith('</')) {
      const one = open.pop();
      open.at(-1).children.push(el(one.tag, one.attributes, one.children));
    }
  }
  const nodes = open[0].children.filter(child => child !== '');
  return nodes.length === 1 ? nodes[0] : nodes;
}

/** The same as `el` for a drawing. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name === 'value' || name === 'checked') element[name] = value;
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  add(element, children);
  return element;
}

function add(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Gives an element these children and no others. */
export function refill(element, ...children) {
  element.replaceChildren();
  add(element, children);
  return element;
}

const ICONS = {
  first: 'M4 4v12M16 4l-9 6 9 6z',
  back: 'M14 4l-9 6 9 6z',
  play: 'M6 4l10 6-10 6z',
  pause: 'M7 4v12M13 4v12',
  next: 'M6 4l9 6-9 6z',
  last: 'M16 4v12M4 4l9 6-9 6z',
};

/** A small drawing on a button whose label says what it does. */
export function icon(name) {
  const kind = name === 'play' ? 'icon filled' : 'icon';
  return svg('svg', { viewBox: '0 0 20 20', class: kind, 'aria-hidden': 'true' }, svg('path', { d: ICONS[name] }));
}

/** A probability in percent: no more digits than can be read, and never 0 or 100 for what is merely close to it. */
export function percent(probability) {
  if (probability <= 0) return '0 %';
  if (probability >= 1) return '100 %';
  if (probability < 0.001) return '< 0.1 %';
  if (probability > 0.999) return '> 99.9 %';
  const digits = probability < 0.1 || probability > 0.9 ? 1 : 0;
  return `${(100 * probability).toFixed(digits)} %`;
}

/** A number with at most two digits behind the point. */
export function number(value) {
  return Number.isInteger(value) ? String(value) : String(Number(value.toFixed(2)));
}

/** `1 match`, `2 matches`. */
export function counted(count, noun, plural = `${noun}s`) {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** Seconds as a person says them. */
export function duration(seconds) {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 120) return counted(whole, 'second');
  if (whole < 7200) return counted(Math.round(whole / 60), 'minute');
  return counted(Math.round(whole / 3600), 'hour');
}

/** A horizontal bar with a share of 0 to 1; the number beside it is the text, so the bar itself is decoration. */
export function bar(share, kind = '') {
  const part = el('span', { class: `bar-part ${kind}` });
  part.style.width = `${Math.round(1000 * Math.min(1, Math.max(0, share))) / 10}%`;
  return el('span', { class: 'bar', 'aria-hidden': 'true' }, part);
}

/**
 * A table of bars, one for each of `rows`: `name`, `share` of 0 to 1 and `text` beside it; `isBest` marks a row, `kind` is that
 * of the bar, and `data` are further attributes of the row.
 */
export function barTable(caption, rows, kind = 'bars') {
  const row = ({ name, share, text, isBest, kind: of = '', data = {} }) =>
    el('tr', { class: isBest ? 'best' : null, ...data }, html`
      <th scope="row">${name}</th><td class="bar-cell">${bar(share, of)}</td><td class="value">${text}</td>`);
  return html`<table class=${kind}>${caption}<tbody>${rows.map(row)}</tbody></table>`;
}

/** A sentence beside the matter. */
export function quiet(...children) {
  return el('p', { class: 'quiet-text' }, ...children);
}

/** Moves the focus among elements of which only one can be reached by Tab. */
export function rove(elements, next) {
  elements.forEach(one => one.setAttribute('tabindex', one === next ? '0' : '-1'));
  next.focus();
}

/** Tells a reader of the screen. */
export function announce(text) {
  const place = document.getElementById('announcer');
  // The same sentence twice is two events.
  place.textContent = place.textContent === text ? `${text} ` : text;
}

/** A box with a heading. */
export function card(id, title, ...children) {
  const heading = el('h2', { id: `${id}-title` }, title);
  return el('section', { class: 'card', id, 'aria-labelledby': `${id}-title` }, heading, ...children);
}

/** A box that can be closed; whether it is open is remembered for the page's life. */
const open = new Map();
export function fold(id, title, isOpen, ...children) {
  const details = el('details', { class: 'card fold', id }, el('summary', {}, el('h2', {}, title)), ...children);
  details.open = open.get(id) ?? isOpen;
  details.addEventListener('toggle', () => open.set(id, details.open));
  return details;
}

/** What went wrong and what to do. */
export function failure(error) {
  const remedy = error.remedy ? ` ${sentence(error.remedy)}` : '';
  return el('p', { class: 'notice bad', role: 'alert' }, sentence(error.message || String(error)), remedy);
}

/** A sentence: with a capital letter and an end. */
export function sentence(text) {
  const trimmed = String(text).trim();
  if (!trimmed) return '';
  const end = /[.!?]$/.test(trimmed) ? '' : '.';
  return trimmed[0].toUpperCase() + trimmed.slice(1) + end;
}

/** Fills the clipboard; where the browser refuses, the text is selected so that it can be copied by hand. */
export async function copy(field, button) {
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    field.focus();
    field.select();
    document.execCommand('copy');
  }
  button.textContent = 'Copied';
  announce('The link is copied.');
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 2000);
}

/**
 * Draws again what is in `root` and gives the focus back to the element that had it: the one with the same `id`,
 * `data-key`, `data-move` or `data-game`. Answers whether the focus was inside and could not be given back.
 */
export function keepFocus(root, draw) {
  const before = document.activeElement;
  const wasInside = before && before !== document.body && root.contains(before);
  const names = wasInside ? ['id', 'data-key', 'data-move', 'data-game'].map(name => [name, before.getAttribute(name)]) : [];
  draw();
  if (!wasInside || root.contains(document.activeElement)) return false;
  for (const [name, value] of names) {
    if (value === null) continue;
    const same = [...root.querySelectorAll(`[${name}]`)].find(one => one.getAttribute(name) === value);
    if (!same) continue;
    if (name === 'data-key') {
      same.closest('svg')?.querySelectorAll('.cell[tabindex="0"]').forEach(cell => cell.setAttribute('tabindex', '-1'));
      same.setAttribute('tabindex', '0');
    }
    same.focus({ preventScroll: true });
    return false;
  }
  return true;
}
