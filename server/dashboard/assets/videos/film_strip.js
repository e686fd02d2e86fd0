/** The clip at a glance: pictures of its key moments, below them what was done and what followed, and a look ahead. */

import { aim, makeCrop } from "../shared/crop.js";
import { h } from "../shared/dom.js";
import { CROP_WIDTH, load, namePicture, picture, telling } from "./event_row.js";
import { clock } from "../shared/format.js";
import { before, doneIn, momentsOf, rowsByAction } from "./moments.js";

const STEP_MS = 20;
const LOOK_MS = 100;
const CELL = 104;
const [FEWEST, MOST] = [3, 12];
const MOODS = { pass: "good", fail: "bad", unclear: "warn" };

/** Its parts are made in `place`. */
export class FilmStrip {
  #jobId;
  #analysis;
  #stills;
  #seek;
  #length;
  #moments;
  #proofs;
  #hits = [];
  #film = h("div", { class: "film", role: "group", "aria-label": "Key moments" });
  #canvas = /** @type {HTMLCanvasElement} */ (h("canvas", { "aria-hidden": "true" }));
  #slider;
  #marks;
  #look = h("div", { class: "look", "aria-hidden": "true", hidden: true }, h("img", { alt: "" }), h("p", {}, h("strong", { class: "number" }), " ", h("span")));
  #ms = 0;

  /**
   * @param {HTMLElement} place
   * @param {string} jobId
   * @param {any} analysis
   * @param {import("../shared/stills.js").Stills} stills
   * @param {(ms: number) => void} seek
   */
  constructor(place, jobId, analysis, stills, seek) {
    [this.#jobId, this.#analysis, this.#stills, this.#seek] = [jobId, analysis, stills, seek];
    this.#length = Math.max(1, analysis.video.duration_ms);
    this.#moments = momentsOf(rowsByAction(analysis));
    this.#proofs = analysis.verdicts.flatMap(({ verdict, evidence }) => evidence.map((each) => ({ ...each, mood: MOODS[verdict] ?? "warn" })));
    this.#slider = /** @type {HTMLInputElement} */ (h("input", { type: "range", min: 0, max: this.#length, step: STEP_MS, value: 0, "aria-label": "Place in the clip" }));
    this.#marks = h("div", { class: "strip" }, this.#canvas, this.#slider);
    place.replaceChildren(this.#film, this.#marks, this.#look);
    new ResizeObserver(() => this.#draw()).observe(place);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#draw());
    this.#slider.addEventListener("input", () => seek(Number(this.#slider.value)));
    this.#slider.addEventListener("pointermove", (event) => event.pointerType === "mouse" && this.#lookAt(event));
    this.#slider.addEventListener("pointerleave", () => (this.#look.hidden = true));
  }

  /** Move the playhead. */
  at(ms) {
    this.#ms = ms;
    this.#slider.value = String(ms);
    this.#slider.setAttribute("aria-valuetext", clock(ms));
    const now = Math.min(this.#film.childElementCount - 1, Math.floor((ms / this.#length) * this.#film.childElementCount));
    [...this.#film.children].forEach((cell, index) => cell.classList.toggle("is-now", index === now));
  }

  /** Mark what was searched for. @param {{t_ms: number, what: any}[]} hits */
  mark(hits) {
    this.#hits = hits;
    this.#draw();
  }

  #draw() {
    const { width } = this.#marks.getBoundingClientRect();
    if (width === 0) return;
    this.#drawFilm(Math.max(FEWEST, Math.min(MOST, Math.floor(width / CELL))));
    this.#drawMarks();
    this.at(this.#ms);
  }

  /** Of each part of the clip the moment that tells most; what is searched for and what proves a verdict before all else. */
  #drawFilm(count) {
    const part = this.#length / count;
    const hits = new Set(this.#hits.map((each) => each.what));
    const cells = Array.from({ length: count }, () => null);
    for (const event of this.#analysis.timeline) {
      const index = Math.min(count - 1, Math.floor(event.t_ms / part));
      const proof = this.#proofs.find((each) => each.frame === event.frame && Math.abs(each.t_ms - event.t_ms) < part);
      const weight = telling(event) + (hits.has(event) ? 20 : 0) + (proof ? 10 : 0);
      if (weight > (cells[index]?.weight ?? 0)) cells[index] = { event, weight, isHit: hits.has(event), mood: proof?.mood ?? "" };
    }
    this.#film.replaceChildren(...cells.map((cell, index) => this.#cell(cell, index * part)));
  }

  #cell(cell, from) {
    const place = makeCrop();
    const { event, mood = "", isHit = false } = cell ?? {};
    const at = event?.t_ms ?? from;
    // Where nothing happened, the screen stood as it was.
    const earlier = this.#analysis.timeline[before(this.#analysis.timeline, from)];
    const image = place.firstElementChild;
    namePicture(image, event ?? { t_ms: from, frame: earlier?.frame ?? null }, this.#analysis.timeline);
    aim(place, event?.region ?? null, this.#analysis.video);
    const button = h(
      "button",
      { class: `film-cell ${mood}${event ? "" : " is-still"}${isHit ? " is-hit" : ""}`, type: "button", tabindex: -1, title: event?.description, "aria-label": `${clock(at)} ${event?.description ?? "nothing new"}`, on: { click: () => this.#seek(at) } },
      place,
      h("span", { class: "film-clock number" }, clock(at)),
    );
    load(image, this.#jobId, this.#stills);
    return button;
  }

  /** What was done stands above, as a wedge; what followed below it, as a line; what kept on as a bar. */
  #drawMarks() {
    const { width, height } = this.#marks.getBoundingClientRect();
    const scale = devicePixelRatio || 1;
    [this.#canvas.width, this.#canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
    const pen = this.#canvas.getContext("2d");
    if (!pen) return;
    const colours = getComputedStyle(this.#marks);
    const x = (ms) => Math.round((ms / this.#length) * (width - 2));
    const colour = (name) => (pen.fillStyle = colours.getPropertyValue(name));
    pen.scale(scale, scale);
    colour("--strong-line");
    const drawn = new Set();
    for (const event of this.#analysis.timeline) {
      if (event.kind === "busy") pen.fillRect(x(event.t_ms), height - 3, Math.max(2, x(event.until_ms ?? event.t_ms) - x(event.t_ms)), 3);
      else if (!drawn.has(x(event.t_ms))) pen.fillRect(x(event.t_ms), height * 0.5, 2, height * 0.5);
      drawn.add(x(event.t_ms));
    }
    colour("--accent");
    for (const action of doneIn(this.#analysis)) wedge(pen, x(action.t_ms) + 1, height * 0.45);
    for (const { t_ms: ms, mood } of this.#proofs) {
      colour(`--${mood}`);
      pen.fillRect(x(ms) - 1, 0, 4, height);
    }
    colour("--box");
    for (const { t_ms: ms } of this.#hits) pen.fillRect(x(ms) - 1, 0, 4, height);
  }

  async #lookAt({ clientX }) {
    const { left, width } = this.#marks.getBoundingClientRect();
    const share = Math.max(0, Math.min(1, (clientX - left) / width));
    const ms = Math.round((share * this.#length) / LOOK_MS) * LOOK_MS;
    const what = this.#moments[before(this.#moments, ms)]?.what;
    const [image, words] = this.#look.children;
    this.#look.hidden = false;
    this.#look.style.setProperty("left", `${share * width}px`);
    this.#look.classList.toggle("is-left", share > 0.5);
    words.firstElementChild.textContent = clock(ms);
    words.lastElementChild.textContent = what?.description ?? "Nothing has happened yet.";
    this.#look.dataset.at = String(ms);
    const shown = (await this.#stills.take(ms, true)) ?? (image.src ? null : picture(this.#jobId, what?.frame, CROP_WIDTH));
    if (shown && this.#look.dataset.at === String(ms)) image.src = shown;
    image.hidden = !image.src;
  }
}

function wedge(pen, x, height) {
  pen.beginPath();
  pen.moveTo(x - 5, 0);
  pen.lineTo(x + 5, 0);
  pen.lineTo(x, height);
  pen.fill();
}
