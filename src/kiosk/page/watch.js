// A running experiment: progress with an estimate, the score table with its intervals, the transcripts to open.

import { follow, get, post } from './api.js';
import { announce, bar, card, counted, duration, el, failure, number, refill } from './dom.js';

const PAGE = 50;

export async function openWatch(root) {
  const progress = await get('/api/watch');
  const watch = new Watch(root);
  watch.show(progress);
  await watch.more();
  return follow(
    '/api/watch/events',
    {},
    'progress',
    next => watch.show(next),
    error => watch.fail(error),
  );
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
    refill(
      root,
      this.title,
      this.said,
      card('progress', 'Progress', this.progress),
      card('scores', 'Scores', this.scores),
      card('matches', 'Matches', el('p', { class: 'quiet-text' }, 'Open one to see it step by step.'), this.list, this.button),
    );
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
    const meter = el(
      'div',
      {
        class: 'meter',
        role: 'progressbar',
        'aria-label': 'matches played',
        'aria-valuemin': 0,
        'aria-valuemax': of,
        'aria-valuenow': done,
      },
      bar(of ? done / of : 0),
    );
    refill(
      this.progress,
      el('p', { class: 'watch-count' }, el('strong', {}, `${done} of ${of}`), ` matches. ${estimate}`),
      meter,
      el(
        'p',
        { class: faults ? 'notice bad' : 'quiet-text' },
        faults ? `${counted(faults, 'fault')} of players.` : 'No player committed a fault.',
      ),
    );
    refill(this.scores, this.table(progress.table ?? []));
    if (isOver && !this.isOver) {
      announce('All matches are played.');
      this.more();
    }
    this.isOver = isOver;
  }

  table(rows) {
    if (!rows.length) return el('p', { class: 'quiet-text' }, 'No match has ended yet.');
    const sorted = [...rows].sort((a, b) => b.mean - a.mean);
    return el(
      'div',
      { class: 'wide', tabindex: '0', role: 'region', 'aria-label': 'table of scores' },
      el(
        'table',
        { class: 'score-table' },
        el('caption', { class: 'unseen' }, 'mean goal of each player with the interval of 95 %'),
        el(
          'thead',
          {},
          el(
            'tr',
            {},
            ['Player', 'Mean', 'From', 'To', '0 to 100', 'Matches'].map((name, at) =>
              el('th', { scope: 'col', class: at === 0 || at === 4 ? null : 'figure' }, name),
            ),
          ),
        ),
        el(
          'tbody',
          {},
          sorted.map(row =>
            el(
              'tr',
              { 'data-player': row.player },
              el('th', { scope: 'row' }, row.player),
              [row.mean, row.low, row.high].map(value =>
                el('td', { class: 'figure' }, value === null || value === undefined ? '' : value.toFixed(1)),
              ),
              el('td', {}, interval(row)),
              el('td', { class: 'figure' }, number(row.matches)),
            ),
          ),
        ),
      ),
    );
  }

  async more() {
    this.button.disabled = true;
    try {
      const answer = await get('/api/watch/transcripts', { from: this.next });
      const found = Array.isArray(answer) ? answer : (answer.transcripts ?? []);
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

  row(one) {
    const players = one.players ?? one.seats ?? null;
    const said = players
      ? Object.entries(players)
          .map(([role, player]) => `${role}: ${player}`)
          .join(', ')
      : '';
    const goals = one.goals
      ? Object.entries(one.goals)
          .map(([role, goal]) => `${role} ${typeof goal === 'object' ? goal.goal : goal}`)
          .join(', ')
      : '';
    return el(
      'li',
      {},
      el(
        'button',
        { type: 'button', class: 'transcript', 'data-index': one.index, onclick: () => this.open(one.index) },
        el('span', { class: 'transcript-number' }, `${one.index + 1}`),
        el('span', {}, [one.game, said, goals].filter(Boolean).join(' · ') || 'match'),
      ),
    );
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
