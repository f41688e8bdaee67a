// A running experiment: progress with an estimate, the score table with its intervals, the transcripts to open.

import { follow, get, post } from './api.js';
import { announce, bar, card, counted, duration, el, failure, html, number, quiet, refill } from './dom.js';

const PAGE = 50;

export async function openWatch(root) {
  const progress = await get('/api/watch');
  const watch = new Watch(root);
  watch.show(progress);
  await watch.more();
  return follow('/api/watch/events', {}, 'progress', next => watch.show(next), error => watch.fail(error));
}

class Watch {
  constructor(root) {
    this.title = el('h1', {}, 'Experiment');
    this.said = el('div', {});
    this.progress = el('div', { id: 'watch-progress' });
    this.scores = el('div', { id: 'watch-scores' });
    this.list = el('ul', { class: 'transcripts', id: 'transcripts' });
    this.button = el('button', { type: 'button', id: 'more-transcripts', onclick: () => this.more() }, 'Show more');
    this.next = 0;
    this.isOver = false;
    const said = quiet('Open one to see it step by step.');
    refill(root, this.title, this.said);
    root.append(card('progress', 'Progress', this.progress), card('scores', 'Scores', this.scores));
    root.append(card('matches', 'Matches', said, this.list, this.button));
  }

  fail(error) {
    refill(this.said, failure(error));
  }

  show(progress) {
    this.title.textContent = progress.name || 'Experiment';
    document.title = `${progress.name || 'Experiment'} · hyperplay`;
    const { done, of, faults } = progress;
    const left = progress.seconds_left;
    const isOver = done >= of;
    const estimate = isOver
      ? 'All matches are played.'
      : left === null || left === undefined
        ? 'The time left is not known yet.'
        : `About ${duration(left)} left.`;
    const shown = html`
      <p class="watch-count"><strong>${`${done} of ${of}`}</strong> matches. ${estimate}</p>
      <div class="meter" role="progressbar" aria-label="matches played" aria-valuemin="0" aria-valuemax=${of}
        aria-valuenow=${done}>${bar(of ? done / of : 0)}</div>
      <p class=${faults ? 'notice bad' : 'quiet-text'}>
        ${faults ? `${counted(faults, 'fault')} of players.` : 'No player committed a fault.'}
      </p>`;
    refill(this.progress, shown);
    refill(this.scores, this.table(progress.table));
    if (isOver && !this.isOver) {
      announce('All matches are played.');
      this.more();
    }
    this.isOver = isOver;
  }

  table(rows) {
    if (!rows.length) return quiet('No match has ended yet.');
    const sorted = [...rows].sort((a, b) => b.mean - a.mean);
    const head = (name, at) => el('th', { scope: 'col', class: at === 0 || at === 4 ? null : 'figure' }, name);
    const figure = text => el('td', { class: 'figure' }, text);
    const row = ({ player, mean, low, high, matches }) => html`
      <tr data-player=${player}>
        <th scope="row">${player}</th>
        ${[mean, low, high].map(value => figure(value === null ? '' : value.toFixed(1)))}
        <td>${interval({ low, high, mean })}</td>
        ${figure(number(matches))}
      </tr>`;
    return html`
      <div class="wide" tabindex="0" role="region" aria-label="table of scores">
        <table class="score-table">
          <caption class="unseen">mean goal of each player with the interval of 95 %</caption>
          <thead><tr>${['Player', 'Mean', 'From', 'To', '0 to 100', 'Matches'].map(head)}</tr></thead>
          <tbody>${sorted.map(row)}</tbody>
        </table>
      </div>`;
  }

  async more() {
    this.button.disabled = true;
    try {
      const { transcripts: found } = await get('/api/watch/transcripts', { from: this.next });
      for (const one of found) this.list.append(this.row(one));
      if (found.length) this.next = Math.max(...found.map(({ index }) => index)) + 1;
      this.button.hidden = found.length === 0 && this.isOver;
      this.button.textContent = found.length < PAGE ? 'Look for more' : 'Show more';
      if (!this.list.firstChild) this.list.append(el('li', { class: 'quiet-text' }, 'No transcript is written yet.'));
      else if (found.length) this.list.querySelector('li.quiet-text')?.remove();
    } catch (error) {
      this.fail(error);
    } finally {
      this.button.disabled = false;
    }
  }

  row({ index, game, players, goals }) {
    const listed = (all, mark) => Object.entries(all).map(([role, of]) => `${role}${mark} ${of}`).join(', ');
    const said = [game, listed(players, ':'), listed(goals, '')].filter(Boolean).join(' · ');
    return html`
      <li>
        <button type="button" class="transcript" data-index=${index} onclick=${() => this.open(index)}>
          <span class="transcript-number">${index + 1}</span><span>${said}</span>
        </button>
      </li>`;
  }

  async open(index) {
    try {
      const replay = await post('/api/watch/open', { index });
      location.hash = `#replay=${encodeURIComponent(replay.replay)}`;
    } catch (error) {
      this.fail(error);
    }
  }
}

/** The interval as a line from low to high with a point at the mean, on a scale from 0 to 100. */
function interval({ low, high, mean }) {
  const line = el('span', { class: 'interval', 'aria-hidden': 'true' });
  const range = el('span', { class: 'interval-range' });
  const point = el('span', { class: 'interval-mean' });
  const from = Math.max(0, low ?? mean);
  range.style.left = `${from}%`;
  range.style.width = `${Math.max(0, Math.min(100, high ?? mean) - from)}%`;
  point.style.left = `${Math.min(100, Math.max(0, mean))}%`;
  line.append(range, point);
  return line;
}
