// The switches of a seat, in an interaction that runs in real time. A command is sent at once and may be sent again: the last
// one of a chronon counts. The setting that the switch has now is marked, and what was commanded for the end of the chronon.

import { card, el } from './dom.js';

const spoken = text => text.replaceAll('_', ' ');

/** One switch: a button for each of its settings. */
function switchRow({ switch: name, setting, commanded, aliases }, send) {
  const next = commanded ?? setting;
  const button = alias =>
    el(
      'button',
      {
        type: 'button',
        class: alias === next ? 'setting chosen' : 'setting',
        'data-switch': name,
        'data-alias': alias,
        'aria-pressed': String(alias === next),
        onclick: () => send(name, alias),
      },
      spoken(alias),
      alias === setting ? el('span', { class: 'quiet-text' }, ' now') : null,
    );
  return el(
    'div',
    { class: 'switch', role: 'group', 'aria-label': `switch ${spoken(name)}` },
    el('strong', { class: 'switch-name' }, spoken(name)),
    el('div', { class: 'settings' }, aliases.map(button)),
  );
}

/** The card of all switches; nothing where there are none. */
export function switchesCard(scene, send) {
  if (!scene.switches || scene.phase !== 'play') return null;
  const rows = scene.switches.map(row => switchRow(row, send));
  const none = el('p', { class: 'quiet-text' }, 'You own no switch: look on.');
  const note = el('p', { class: 'quiet-text' }, 'A setting counts when the chronon is over; until then you may change it.');
  return card('switches', 'Your switches', rows.length ? [rows, note] : none);
}
