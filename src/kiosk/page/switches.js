// The switches of a seat, in an interaction that runs in real time. A command is sent at once and may be sent again: the last
// one of a chronon counts. The setting that the switch has now is marked, and what was commanded for the end of the chronon.

import { card, el, html, quiet } from './dom.js';
import { spoken } from './scene.js';

/** One switch: a button for each of its settings. */
function switchRow({ switch: name, setting, commanded, aliases }, send) {
  const next = commanded ?? setting;
  const now = () => el('span', { class: 'quiet-text' }, ' now');
  const button = alias => html`
    <button type="button" class=${alias === next ? 'setting chosen' : 'setting'} data-switch=${name} data-alias=${alias}
      aria-pressed=${String(alias === next)} onclick=${() => send(name, alias)}>
      ${spoken(alias)}${alias === setting ? now() : null}
    </button>`;
  return html`
    <div class="switch row" role="group" aria-label="switch ${spoken(name)}">
      <strong class="switch-name">${spoken(name)}</strong><div class="row">${aliases.map(button)}</div>
    </div>`;
}

/** The card of all switches; nothing where there are none. */
export function switchesCard(scene, send) {
  if (!scene.switches || scene.phase !== 'play') return null;
  const rows = scene.switches.map(row => switchRow(row, send));
  const none = quiet('You own no switch: look on.');
  const note = quiet('A setting counts when the chronon is over; until then you may change it.');
  return card('switches', 'Your switches', rows.length ? [rows, note] : none);
}
