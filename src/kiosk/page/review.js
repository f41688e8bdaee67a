// A match looked at afterwards: a slider over its steps, as the truth or as one role, with what each machine believed and
// why it moved.
//
// Every step is asked from the server once and kept. Answers may come in another order than they were asked for; only
// the one for the step that the slider names is drawn.

import { get, place } from './api.js';
import { beliefCard, drawBelief } from './belief.js';
import { announce, card, el, failure, html, icon, keepFocus, refill } from './dom.js';
import { drawDecision } from './hint.js';
import { drawMove } from './moves.js';
import { boardCard, drawResult, drawScene, drawSeats, pastCard, shadeBox, spoken } from './scene.js';

/** The place of a replay. */
export async function openReplay(root, { id }) {
  const source = { you: null, roles: null, ask: (step, as) => get(place('replays', id), { step, as }) };
  const head = el('div', { class: 'part-head' });
  const box = el('div', {});
  refill(root, head, box);
  source.onScene = scene => {
    document.title = `Replay of ${spoken(scene.game.name)} · hyperplay`;
    refill(head, html`<div class="table-head"><h1>Replay of ${spoken(scene.game.name)}</h1>${drawSeats(scene)}</div>`);
  };
  const review = await openReview(box, source, null);
  return () => review.close();
}

/** Opens a review in an element; `back` ends it, or is absent. */
export async function openReview(root, source, back) {
  const review = new Review(root, source, back);
  await review.go(0, 'truth');
  return review;
}

class Review {
  constructor(root, source, back) {
    Object.assign(this, { root, source, step: 0, as: 'truth', steps: 0, scenes: new Map(), asked: 0, timer: 0 });
    this.slider = html`<input type="range" id="review-slider" min="0" max="0" step="1" value="0" aria-label="Step"
      oninput=${() => this.go(Number(this.slider.value), this.as)}/>`;
    this.output = el('output', { for: 'review-slider', id: 'review-step', class: 'review-step' });
    const button = (name, label, action) =>
      el('button', { type: 'button', id: `review-${name}`, 'aria-label': label, onclick: action }, icon(name));
    this.playing = button('play', 'Play the steps one after the other', () => this.toggle());
    this.role = el('select', { id: 'review-as', onchange: () => this.go(this.step, this.role.value) });
    const close = html`<button type="button" id="review-close" class="quiet" onclick=${back}>Back to the result</button>`;
    this.controls = html`
      <section class="card review-controls" aria-label="steps">
        <div class="review-buttons">
          ${button('first', 'First step', () => this.go(0, this.as))}
          ${button('back', 'One step back', () => this.go(this.step - 1, this.as))}
          ${this.playing}
          ${button('next', 'One step on', () => this.go(this.step + 1, this.as))}
          ${button('last', 'Last step', () => this.go(this.steps, this.as))}
        </div>
        ${this.slider}${this.output}
        <span class="row"><label for="review-as">Seen by</label>${this.role}</span>
        ${back ? close : null}
      </section>`;
    this.body = el('div', { id: 'review' });
    refill(root, this.controls, this.body);
  }

  close() {
    clearInterval(this.timer);
    this.asked = Infinity;
  }

  toggle() {
    if (this.timer) {
      this.stop();
      return;
    }
    if (this.step >= this.steps) this.go(0, this.as);
    refill(this.playing, icon('pause'));
    this.playing.setAttribute('aria-label', 'Stop');
    this.timer = setInterval(() => {
      if (this.step >= this.steps) this.stop();
      else this.go(this.step + 1, this.as);
    }, 1200);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    refill(this.playing, icon('play'));
    this.playing.setAttribute('aria-label', 'Play the steps one after the other');
  }

  async go(step, as) {
    this.step = Math.max(0, this.steps ? Math.min(step, this.steps) : step);
    this.as = as;
    const asked = ++this.asked;
    this.slider.value = this.step;
    const key = `${this.step} ${as}`;
    try {
      let scene = this.scenes.get(key);
      if (!scene) {
        scene = await this.source.ask(this.step, as);
        // Only who played is `you`, whoever's eyes are borrowed.
        scene.seats = scene.seats.map(seat => ({ ...seat, is_you: seat.role === this.source.you }));
        this.scenes.set(key, scene);
      }
      if (asked === this.asked) this.show(scene);
    } catch (error) {
      if (asked === this.asked) refill(this.body, failure(error));
    }
  }

  show(scene) {
    const { review } = scene;
    this.steps = review?.steps ?? this.steps;
    this.slider.max = this.steps;
    this.slider.value = this.step;
    this.slider.setAttribute('aria-valuetext', `step ${this.step} of ${this.steps}`);
    this.output.textContent = `Step ${this.step} of ${this.steps}`;
    if (!this.role.options.length) {
      const roles = this.source.roles ?? scene.game.roles.filter(role => role !== scene.game.random);
      const option = role => el('option', { value: role }, spoken(role));
      refill(this.role, html`<option value="truth">everything (the truth)</option>`, roles.map(option));
    }
    this.role.value = this.as;
    this.source.onScene?.(scene);
    keepFocus(this.body, () => this.draw(scene));
    announce(`Step ${this.step} of ${this.steps}.`);
  }

  /** What each program chose, those with a choice first; of the others only what they believed. */
  drawDecisions(scene) {
    const programs = new Set(scene.seats.filter(({ kind }) => kind === 'program').map(({ role }) => role));
    const decisions = (scene.review?.decisions ?? []).filter(({ role }) => programs.has(role));
    const hadChoice = ({ policy, values }) => (policy?.length ?? 0) > 1 || (values?.length ?? 0) > 1;
    const drawn = decision => {
      const { role, belief } = decision;
      const isChoice = hadChoice(decision);
      const summary = html`<summary>What ${spoken(role)} believed</summary>`;
      const believed = belief ? html`<details class="why">${summary}${drawBelief(belief)}</details>` : null;
      if (!isChoice && !believed) return null;
      const title = isChoice ? `${spoken(role)} decides` : `${spoken(role)} has one legal move`;
      return card(`decision-${role}`, title, isChoice ? drawDecision(decision) : null, believed);
    };
    return [...decisions.filter(hadChoice), ...decisions.filter(one => !hadChoice(one))].map(drawn);
  }

  draw(scene) {
    const shade = shadeBox(scene, 'Show the belief on the board', () => this.show(scene));
    const { joint } = scene.review ?? {};
    const row = (move, at) =>
      html`<li><span class="seat-role">${spoken(scene.game.roles[at])}</span> ${drawMove(move)}</li>`;
    const believer = scene.sees === 'truth' ? 'Belief' : `What ${spoken(scene.sees)} believes`;
    const columns = html`
      <div class="table-columns" data-step=${this.step} data-as=${this.as}>
        <div class="left">
          ${this.step >= this.steps ? drawResult(scene) : null}
          ${boardCard(shade, drawScene(scene, new Set([0]), null))}
        </div>
        <div class="right">
          ${joint ? card('joint', 'What happens next', html`<ul class="joint">${joint.map(row)}</ul>`) : null}
          ${this.drawDecisions(scene)}
          ${scene.belief ? beliefCard(scene.belief, scene.game.hidden, believer) : null}
          ${pastCard(scene)}
        </div>
      </div>`;
    refill(this.body, columns);
  }
}
