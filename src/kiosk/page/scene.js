// The parts of a scene that a table and a review share: who sits where, the board, the past, the result.

import { drawPicture } from './board.js';
import { bar, card, el, number, percent, sentence } from './dom.js';
import { drawMove } from './moves.js';
import { isOpen } from './picture.js';

/** Whether boards are shaded by the belief; remembered for the page's life. */
const shading = { isOn: true };

/** `kuhn_poker` as `kuhn poker`. */
export function spoken(name) {
  return String(name).replaceAll('_', ' ');
}

export function drawSeats(scene) {
  return el(
    'ul',
    { class: 'seats', id: 'seats', 'aria-label': 'seats' },
    (scene.seats ?? []).map(seat => {
      const kinds = { person: 'person', program: seat.player ?? 'program', random: 'chance' };
      const state = ['seat', seat.is_you ? 'you' : '', `is-${seat.kind}`].filter(Boolean).join(' ');
      return el(
        'li',
        { class: state, 'data-role': seat.role },
        el('span', { class: 'seat-role' }, spoken(seat.role)),
        ' ',
        el('span', { class: 'seat-player' }, seat.is_you ? 'you' : (kinds[seat.kind] ?? seat.kind)),
      );
    }),
  );
}

/** The board of a scene. `picks` as in board.js, or absent where nothing can be chosen. */
export function drawScene(scene, large, picks) {
  if (!scene.picture) {
    return el(
      'p',
      { class: 'quiet-text' },
      scene.phase === 'waiting'
        ? 'The board is drawn when the match starts.'
        : (scene.belief?.sentence ?? 'There is nothing to draw.'),
    );
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

/** Whether there is something that the belief could shade. */
function canShade(scene) {
  return Boolean(scene.belief?.picture) && scene.belief.facts.some(isOpen);
}

/** The box that turns the shading on and off, and draws again; null where nothing could be shaded. */
export function shadeBox(scene, text, redraw) {
  if (!canShade(scene)) return null;
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
  return el(
    'div',
    { class: 'equilibrium' },
    el('p', { class: 'quiet-text' }, 'Equilibrium'),
    el(
      'table',
      { class: 'bars' },
      el('caption', { class: 'unseen' }, 'the mix of the equilibrium'),
      el(
        'tbody',
        {},
        mix.map(({ move, probability }) =>
          el(
            'tr',
            { class: move === entry.own ? 'best' : null },
            el('th', { scope: 'row' }, drawMove(move)),
            el('td', { class: 'bar-cell' }, bar(probability, 'second')),
            el('td', { class: 'value' }, percent(probability)),
          ),
        ),
      ),
    ),
    cost ? el('p', { class: isCostly ? 'cost some' : 'cost' }, cost) : null,
  );
}

/** What one did and was told, the latest step on top. */
export function pastCard(scene) {
  const past = [...(scene.past ?? [])].reverse();
  const mixes = new Map((scene.equilibrium ?? []).map(entry => [entry.step, entry]));
  const isYou = scene.seats?.some(seat => seat.is_you && seat.role === scene.sees);
  const title = scene.sees === 'truth' ? 'The moves' : isYou ? 'Your past' : `The past of ${spoken(scene.sees)}`;
  if (!past.length) return card('past', title, el('p', { class: 'quiet-text' }, 'Nothing has happened yet.'));
  const who = isYou ? 'You see' : scene.sees === 'truth' ? 'Seen:' : `${spoken(scene.sees)} sees`;
  const isTold = past.some(({ percepts }) => percepts?.length);
  const entries = past.map(({ step, own, percepts, note }) =>
    el(
      'li',
      { 'data-step': step },
      el(
        'div',
        { class: 'past-head' },
        el('span', { class: 'past-step' }, `Step ${step}`),
        own === null || own === undefined ? null : el('span', { class: 'past-move' }, drawMove(own)),
      ),
      percepts?.length
        ? el(
            'p',
            { class: 'past-percepts' },
            `${who} `,
            percepts.map(percept => [el('code', {}, percept), ' ']),
          )
        : isTold
          ? el('p', { class: 'past-percepts none' }, `${who} nothing`)
          : null,
      note ? el('p', { class: 'past-note' }, sentence(note)) : null,
      mixes.has(step) ? drawEquilibrium(mixes.get(step)) : null,
    ),
  );
  return card(
    'past',
    title,
    el(
      'div',
      { class: 'past-box', tabindex: '0', role: 'group', 'aria-label': 'steps, the latest first' },
      el('ol', { class: 'past', reversed: true }, entries),
    ),
  );
}

/** How the match ended; nothing before. */
export function drawResult(scene) {
  if (!scene.result) return null;
  const own = scene.result.goals?.find(({ role }) => role === scene.sees);
  const ended = scene.result.outcome === 'over' ? 'The match is over.' : `The match ended: ${scene.result.outcome}.`;
  const title = own ? `You scored ${own.goal} of 100` : 'The match is over';
  return el(
    'section',
    { class: 'result', id: 'result', 'aria-label': 'result' },
    el('h2', {}, title),
    own ? el('p', {}, ended) : null,
    el(
      'table',
      { class: 'bars goals' },
      el('caption', { class: 'unseen' }, 'goals'),
      el(
        'tbody',
        {},
        (scene.result.goals ?? []).map(({ role, goal }) =>
          el(
            'tr',
            { class: role === scene.sees ? 'best' : null, 'data-role': role, 'data-goal': goal },
            el('th', { scope: 'row' }, spoken(role)),
            el('td', { class: 'bar-cell' }, bar(goal / 100)),
            el('td', { class: 'value' }, goal),
          ),
        ),
      ),
    ),
  );
}
