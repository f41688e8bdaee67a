// A table: the place of a person at a seat, or of a spectator.
//
// The server sends whole scenes; each is drawn anew, and the focus stays where it was. A move is sent with the step that the
// scene names, so a late one is refused by the server and not taken for another step. The clock between two scenes is
// counted here from the seconds that the scene names; it is shown, and decides nothing.

import { follow, get, place, post } from './api.js';
import { beliefCard } from './belief.js';
import { diagramCard } from './diagram.js';
import { announce, counted, el, failure, html, keepFocus, quiet, refill } from './dom.js';
import { HintCard } from './hint.js';
import { Choice, MoveList } from './moves.js';
import { openReview } from './review.js';
import { boardCard, drawResult, drawScene, drawSeats, pastCard, shadeBox, spoken } from './scene.js';
import { switchesCard } from './switches.js';

export async function openTable(root, { id, token }) {
  const first = await get(place('tables', id), { token });
  const table = new Table(root, id, token);
  table.show(first);
  const show = scene => table.show(scene) ?? scene.phase === 'over';
  const end = follow(place('tables', id, '/events'), { token }, 'scene', show, error => table.fail(error));
  return () => {
    end();
    table.close();
  };
}

class Table {
  constructor(root, id, token) {
    Object.assign(this, { root, id, token, scene: null, choice: null, large: new Set([0]) });
    Object.assign(this, { review: null, sent: null, warned: null });
    this.parts = {};
    for (const name of ['head', 'turn', 'said', 'result', 'switches', 'board', 'belief', 'past', 'diagram'])
      this.parts[name] = el('div', { class: `part-${name}` });
    this.moves = new MoveList(move => this.play(move), () => this.drawBoard());
    this.hint = new HintCard(id, token);
    const { result, turn, said, switches, board, belief, past, diagram } = this.parts;
    this.live = html`
      <div class="table-columns">
        <div class="left">${[result, turn, said, switches, board, this.moves.element]}</div>
        <div class="right">${[belief, this.hint.element, past, diagram]}</div>
      </div>`;
    this.place = el('div', {}, this.live);
    refill(root, this.parts.head, this.place);
    this.onkey = event => this.key(event);
    addEventListener('keydown', this.onkey);
    this.ticker = setInterval(() => this.tick(), 200);
  }

  close() {
    clearInterval(this.ticker);
    removeEventListener('keydown', this.onkey);
    this.review?.close();
  }

  fail(error) {
    refill(this.parts.said, failure(error));
  }

  isTurn() {
    const { scene } = this;
    const hasChoice = (scene.legal ?? []).length > 0 && (scene.chosen ?? null) === null;
    return scene.phase === 'play' && hasChoice && this.sent !== scene.step;
  }

  show(scene) {
    const before = this.scene;
    const wasTurn = before ? this.isTurn() : false;
    const isNewStep = !before || before.step !== scene.step || before.phase !== scene.phase;
    this.scene = { ...scene, chosen: scene.chosen ?? null };
    this.received = performance.now();
    if (isNewStep || (before.legal ?? []).length !== (scene.legal ?? []).length) {
      this.sent = null;
      this.choice = new Choice(scene);
      refill(this.parts.said);
    }
    for (const target of (scene.legal ?? []).flatMap(move => move.targets ?? [])) {
      if (target.panel !== undefined) this.large.add(target.panel);
    }
    const lost = keepFocus(this.root, () => this.draw());
    if (lost) this.moves.title.focus({ preventScroll: true });
    if (isNewStep || this.isTurn() !== wasTurn) this.say(before);
    if (this.isTurn() && document.activeElement === this.moves.title)
      this.moves.list.querySelector('button')?.focus({ preventScroll: true });
  }

  say(before) {
    const { scene } = this;
    const isTurn = this.isTurn();
    document.title = `${isTurn ? '● Your turn · ' : ''}${spoken(scene.game.name)} · hyperplay`;
    if (scene.phase === 'over' && scene.result) {
      const own = scene.result.goals?.find(({ role }) => role === scene.sees);
      announce(`The match is over. ${own ? `You scored ${own.goal}.` : ''}`);
    } else if (isTurn) {
      const last = scene.past?.at(-1);
      const seen = before && last?.percepts?.length ? ` You see ${last.percepts.join(', ')}.` : '';
      announce(`Your turn, step ${scene.step + 1}.${seen} ${counted(scene.legal.length, 'legal move')}.`);
    }
  }

  draw() {
    const { scene, parts } = this;
    refill(parts.head, this.drawHead());
    refill(parts.turn, this.drawTurn());
    const result = drawResult(scene);
    refill(parts.result, result, result ? this.drawAfter() : null);
    this.drawBoard();
    if (scene.switches) this.drawDiagram();
    refill(parts.switches, switchesCard(scene, (name, alias) => this.command(name, alias)));
    const isPlayer = scene.seats?.some(seat => seat.is_you) ?? false;
    this.moves.show(
      this.isTurn() ? this.choice : null,
      this.sent === scene.step ? (scene.chosen ?? this.sentMove) : scene.chosen,
      isPlayer && scene.phase === 'play' && !scene.switches,
    );
    const believer = isPlayer ? undefined : `What ${spoken(scene.sees)} believes`;
    refill(parts.belief, scene.belief ? beliefCard(scene.belief, scene.game.hidden, believer) : null);
    this.hint.show({ ...scene, legal: isPlayer ? scene.legal : [] });
    if (!isPlayer || scene.phase === 'waiting' || scene.switches) this.hint.element.hidden = true;
    refill(parts.past, scene.phase === 'waiting' ? null : pastCard(scene));
    this.tick();
  }

  drawHead() {
    const { scene } = this;
    const isPlayer = scene.seats?.some(seat => seat.is_you);
    const seen = scene.sees === 'truth' ? 'You watch and see everything.' : `You watch and see what ${spoken(scene.sees)} sees.`;
    return html`
      <div class="table-head">
        <div><h1>${spoken(scene.game.name)}</h1>${isPlayer ? null : quiet(seen)}</div>
        ${drawSeats(scene)}
        ${isPlayer && scene.phase !== 'over' ? this.leaveButton() : null}
      </div>`;
  }

  leaveButton() {
    let isAsked = false;
    const leave = async () => {
      if (!isAsked) {
        isAsked = true;
        button.textContent = 'Leave: click again';
        setTimeout(() => {
          isAsked = false;
          button.textContent = 'Leave the table';
        }, 4000);
        return;
      }
      try {
        await post(place('tables', this.id, '/leave'), { token: this.token });
        location.hash = '';
      } catch (error) {
        this.fail(error);
      }
    };
    const button = html`<button type="button" class="quiet" id="leave" onclick=${leave}>Leave the table</button>`;
    return button;
  }

  drawTurn() {
    const { scene } = this;
    if (scene.phase === 'over') return null;
    const isPlayer = scene.seats?.some(seat => seat.is_you);
    const others = scene.switches ? 'The chronon runs' : 'The others move';
    const playing = this.isTurn() ? 'Your turn' : isPlayer ? others : 'The match goes on';
    const text = scene.phase === 'waiting' ? 'The match starts when everyone is here' : playing;
    this.clockText = el('span', { class: 'clock-text' });
    this.clockBar = el('span', { class: 'clock-part' });
    const hasClock = (scene.clock?.left ?? null) !== null;
    const clock = html`<span class="clock" id="clock" role="timer" aria-label="time left">${this.clockText}</span>`;
    const step = `${scene.switches ? 'chronon' : 'step'} ${scene.step + 1}`;
    const isTurn = this.isTurn();
    return html`
      <div class=${isTurn ? 'turn yours' : 'turn'} id="turn" data-phase=${scene.phase} data-step=${scene.step}
        data-turn=${String(isTurn)}>
        <strong>${text}</strong>
        ${scene.phase === 'waiting' ? null : el('span', { class: 'turn-step' }, step)}
        ${hasClock ? [clock, html`<span class="clock-bar" aria-hidden="true">${this.clockBar}</span>`] : null}
      </div>`;
  }

  /** Asks once for the diagram of an interaction. */
  async drawDiagram() {
    if (this.hasDiagram) return;
    this.hasDiagram = true;
    try {
      refill(this.parts.diagram, diagramCard(await get(place('tables', this.id, '/diagram'), { token: this.token })));
    } catch (error) {
      this.fail(error);
    }
  }

  /** Sets a switch. */
  async command(name, alias) {
    try {
      await post(place('tables', this.id, '/command'), { token: this.token, switch: name, alias });
      refill(this.parts.said);
    } catch (error) {
      this.fail(error);
    }
  }

  tick() {
    const clock = this.scene?.clock;
    if (!clock || !this.clockText || clock.left === null || clock.left === undefined) return;
    const left = Math.max(0, clock.left - (performance.now() - this.received) / 1000);
    const minutes = `${Math.floor(left / 60)}:${String(Math.floor(left % 60)).padStart(2, '0')}`;
    const text = left >= 60 ? minutes : `${left < 10 ? left.toFixed(1) : Math.floor(left)} s`;
    if (this.clockText.textContent !== text) this.clockText.textContent = text;
    this.clockBar.style.transform = `scaleX(${clock.total > 0 ? Math.min(1, left / clock.total) : 0})`;
    this.clockBar.classList.toggle('short', left < 10);
    if (left < 10 && left > 8 && this.isTurn() && clock.total > 20 && this.warned !== this.scene.step) {
      this.warned = this.scene.step;
      announce('Ten seconds are left.');
    }
  }

  drawBoard() {
    const { scene } = this;
    const isTurn = this.isTurn();
    const picks = isTurn
      ? { open: this.choice.open(), chosen: new Set(this.choice.selection), pick: key => this.pick(key) }
      : null;
    const draw = () => {
      const board = drawScene(scene, this.large, picks);
      board.classList.toggle('choosing', Boolean(picks?.chosen.size));
      const shade = shadeBox(scene, 'Show my belief on the board', () => this.drawBoard());
      refill(this.parts.board, boardCard(shade, board));
    };
    keepFocus(this.parts.board, draw);
  }

  pick(key) {
    const move = this.choice.pick(key);
    if (move === 'none') return announce('No legal move names this place.');
    if (move !== null) return this.play(move);
    this.moves.draw();
    this.drawBoard();
    const left = this.choice.candidates();
    announce(left.length === 1 ? `${left[0].text}: press Enter to play it.` : `${counted(left.length, 'move')} left.`);
  }

  async play(move) {
    if (!this.isTurn()) return;
    const { step } = this.scene;
    this.sent = step;
    this.sentMove = move;
    const lost = keepFocus(this.root, () => this.draw());
    if (lost) this.moves.title.focus({ preventScroll: true });
    refill(this.parts.said);
    try {
      await post(place('tables', this.id, '/move'), { token: this.token, step, move });
    } catch (error) {
      if (this.scene.step !== step) return;
      this.sent = null;
      this.draw();
      this.fail(error);
    }
  }

  key(event) {
    if (this.review || event.ctrlKey || event.altKey || event.metaKey) return;
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName ?? '');
    if (event.key === 'Escape' && this.isTurn() && this.choice.selection.length) this.moves.clear();
    else if (event.key === '/' && !isTyping && !this.moves.search.hidden && this.isTurn()) {
      event.preventDefault();
      this.moves.search.focus();
    } else if (event.key === 'Enter' && event.target === document.body && this.isTurn()) {
      const left = this.choice.candidates();
      if (left.length === 1 && this.choice.selection.length) this.play(left[0].text);
    }
  }

  drawAfter() {
    const again = `#game=${encodeURIComponent(this.scene.game.name)}`;
    return html`
      <p class="after">
        <button type="button" id="look-back" class="primary" onclick=${() => this.lookBack()}>Look back step by step</button>
        ${' '}<a href=${again} class="button" id="play-again">Play again</a>
      </p>`;
  }

  async lookBack() {
    const { scene } = this;
    const source = {
      you: scene.seats.find(seat => seat.is_you)?.role ?? null,
      roles: scene.game.roles.filter(role => role !== scene.game.random),
      ask: (step, as) => get(place('tables', this.id, '/review'), { token: this.token, step, as }),
    };
    const box = el('div', {});
    refill(this.place, box);
    const back = () => {
      this.review?.close();
      this.review = null;
      refill(this.place, this.live);
      document.getElementById('look-back')?.focus();
    };
    this.review = await openReview(box, source, back);
  }
}
