// The parts of a scene that a table and a review share: who sits where, the board, the past, the result.

import { drawPicture } from './board.js';
import { barTable, card, el, html, number, percent, quiet, sentence } from './dom.js';
import { drawMove } from './moves.js';
import { isOpen } from './picture.js';

/** Whether boards are shaded by the belief; remembered for the page's life. */
const shading = { isOn: true };

/** `kuhn_poker` as `kuhn poker`. */
export function spoken(name) {
  return String(name).replaceAll('_', ' ');
}

export function drawSeats(scene) {
  const row = seat => {
    const kinds = { person: 'person', program: seat.player ?? 'program', random: 'chance' };
    const player = seat.is_you ? 'you' : (kinds[seat.kind] ?? seat.kind);
    return html`
      <li class="seat ${seat.is_you ? 'you ' : ''}is-${seat.kind}" data-role=${seat.role}>
        <span class="seat-role">${spoken(seat.role)}</span> <span class="seat-player">${player}</span>
      </li>`;
  };
  return html`<ul class="seats" id="seats" aria-label="seats">${(scene.seats ?? []).map(row)}</ul>`;
}

/** The box of a board, with what turns its shading on. */
export function boardCard(shade, board) {
  return html`
    <section class="card board-card" id="board" aria-labelledby="board-title">
      <h2 id="board-title" class="unseen">Board</h2>${shade}${board}
    </section>`;
}

/** The board of a scene. `picks` as in board.js, or absent where nothing can be chosen. */
export function drawScene(scene, large, picks) {
  if (!scene.picture) {
    const waiting = scene.phase === 'waiting';
    return quiet(waiting ? 'The board is drawn when the match starts.' : (scene.belief?.sentence ?? 'There is nothing to draw.'));
  }
  return drawPicture(scene.picture, {
    view: scene.view ?? {},
    believed: scene.belief?.picture ?? null,
    isShaded: shading.isOn,
    large,
    picks,
    roles: scene.game.roles.filter(role => role !== scene.game.random),
    you: scene.seats?.find(seat => seat.is_you)?.role ?? null,
  });
}

/** The box that turns the shading on and off, and draws again; null where nothing could be shaded. */
export function shadeBox(scene, text, redraw) {
  if (!scene.belief?.picture || !scene.belief.facts.some(isOpen)) return null;
  const onchange = event => {
    shading.isOn = event.target.checked;
    redraw();
  };
  const box = el('input', { type: 'checkbox', id: 'shade', checked: shading.isOn, onchange });
  return el('label', { class: 'check' }, box, ` ${text}`);
}

function drawEquilibrium(entry) {
  const mix = [...entry.mix].sort((a, b) => b.probability - a.probability);
  const loss = entry.loss ?? null;
  const isCostly = loss !== null && loss > 0.005;
  const cost = isCostly ? `This move cost ${number(loss)} of expected goal.` : loss === null ? null : 'This move cost nothing.';
  const rows = mix.map(({ move, probability }) => {
    const isBest = move === entry.own;
    return { name: drawMove(move), share: probability, text: percent(probability), isBest, kind: 'second' };
  });
  return html`
    <div class="equilibrium">
      ${quiet('Equilibrium')}
      ${barTable(html`<caption class="unseen">the mix of the equilibrium</caption>`, rows)}
      ${cost ? el('p', { class: isCostly ? 'cost some' : 'cost' }, cost) : null}
    </div>`;
}

/** What one did and was told, the latest step on top. */
export function pastCard(scene) {
  const past = [...(scene.past ?? [])].reverse();
  const mixes = new Map((scene.equilibrium ?? []).map(entry => [entry.step, entry]));
  const isYou = scene.seats?.some(seat => seat.is_you && seat.role === scene.sees);
  const title = scene.sees === 'truth' ? 'The moves' : isYou ? 'Your past' : `The past of ${spoken(scene.sees)}`;
  if (!past.length) return card('past', title, quiet('Nothing has happened yet.'));
  const who = isYou ? 'You see' : scene.sees === 'truth' ? 'Seen:' : `${spoken(scene.sees)} sees`;
  const isTold = past.some(({ percepts }) => percepts?.length);
  const told = percepts => {
    if (percepts?.length) {
      const codes = percepts.map(percept => html`<code>${percept}</code> `);
      return html`<p class="past-percepts">${who} ${codes}</p>`;
    }
    return isTold ? html`<p class="past-percepts none">${who} nothing</p>` : null;
  };
  const row = ({ step, own, percepts, note }) => html`
    <li data-step=${step}>
      <div class="past-head">
        <span class="past-step">Step ${step}</span>
        ${own === null || own === undefined ? null : html`<span class="past-move">${drawMove(own)}</span>`}
      </div>
      ${told(percepts)}
      ${note ? html`<p class="past-note">${sentence(note)}</p>` : null}
      ${mixes.has(step) ? drawEquilibrium(mixes.get(step)) : null}
    </li>`;
  const box = html`
    <div class="past-box" tabindex="0" role="group" aria-label="steps, the latest first">
      <ol class="past" reversed>${past.map(row)}</ol>
    </div>`;
  return card('past', title, box);
}

/** How the match ended; nothing before. */
export function drawResult(scene) {
  if (!scene.result) return null;
  const own = scene.result.goals?.find(({ role }) => role === scene.sees);
  const ended = scene.result.outcome === 'over' ? 'The match is over.' : `The match ended: ${scene.result.outcome}.`;
  const title = own ? `You scored ${own.goal} of 100` : 'The match is over';
  const rows = (scene.result.goals ?? []).map(({ role, goal }) => {
    const data = { 'data-role': role, 'data-goal': goal };
    return { name: spoken(role), share: goal / 100, text: goal, isBest: role === scene.sees, data };
  });
  return html`
    <section class="result" id="result" aria-label="result">
      <h2>${title}</h2>
      ${own ? el('p', {}, ended) : null}
      ${barTable(html`<caption class="unseen">goals</caption>`, rows, 'bars goals')}
    </section>`;
}
