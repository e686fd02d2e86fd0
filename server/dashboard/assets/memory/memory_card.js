/** One thing that was done and is remembered: its steps, its clip, and what can be made of it. */

import { api } from "../shared/api.js";
import { clip } from "./clip.js";
import { ask } from "../shared/dialog.js";
import { fill, h, link } from "../shared/dom.js";
import { ago, lasting, moment, percent, plural } from "../shared/format.js";
import { lesson } from "./lesson.js";
import { failure, notice } from "../shared/notice.js";
import { poster } from "./poster.js";
import { quoted } from "./quoted.js";

const SURE = 0.9;
const LIKELY = 0.5;

/**
 * @typedef {object} Remembered
 * @property {string} id
 * @property {string} at when it began
 * @property {number} ms how long it took
 * @property {string} summary
 * @property {string[]} steps
 * @property {string[]} windows
 * @property {string[]} applications
 * @property {"recorder"|"video"|"run"} source
 * @property {string} video
 * @property {boolean} inferred
 * @property {boolean} playable
 * @property {number} [confidence]
 */

/** An answer of `GET /memory`. @returns {Remembered} */
export function recalled(found) {
  const { id, timestamp, duration_seconds, summary, steps, windows, applications, source, video, inferred, confidence } = found;
  const playable = found.video_url !== null;
  return { id, at: timestamp, ms: duration_seconds * 1000, summary, steps, windows, applications, source, video, inferred, confidence, playable };
}

/** An entry of `GET /memory/procedures`. @returns {Remembered} */
export function remembered(found) {
  const { id, started_at, start_ms, end_ms, summary, titles, applications, source, video } = found;
  const steps = found.steps.map((step) => step.text);
  const inferred = found.steps.some((step) => step.inferred);
  return { id, at: started_at, ms: end_ms - start_ms, summary, steps, windows: titles, applications, source, video, inferred, playable: source !== "run" };
}

/**
 * A card of it.
 * @param {Remembered} memory
 * @param {{open?: boolean, refines: () => boolean, forgotten: (id: string) => void, show: (at: string) => void}} wishes
 *     whether its steps are told at once, whether somebody words memories better, what to do once it is forgotten, and how
 *     its moment is shown in the day
 */
export function memoryCard(memory, { open = false, refines, forgotten, show }) {
  const card = h("article", { class: "panel memory", tabindex: "-1" });
  const draw = (one) => {
    const steps = h("ol", { class: "steps" }, one.steps.map((step) => h("li", {}, quoted(step))));
    const told = open ? steps : h("details", {}, h("summary", {}, plural(one.steps.length, "step")), steps);
    const actions = h("div", { class: "toolbar" });
    const { button, place } = clip(one.id, one.ms, one.summary, open && poster(one));
    const task = lesson(one);
    const play = () => one.playable && !button.hidden && button.click();
    const picture = !open && h("div", { class: `memory-poster${one.playable ? " plays" : ""}`, "aria-hidden": "true", on: { click: play } }, poster(one));
    const body = [h("h3", {}, quoted(one.summary)), h("p", { class: "memory-facts" }, facts(one))];
    const rest = h("div", { class: "stack" }, told, actions, task.place);
    if (open) fill(card, body, h("div", { class: one.playable ? "memory-body" : "stack" }, rest, one.playable && place));
    else fill(card, h("div", { class: "memory-line" }, picture, h("div", { class: "stack tight" }, body, rest)), one.playable && place);
    fill(
      actions,
      one.playable && !open && button,
      one.source === "recorder" && h("button", { class: "button small", type: "button", on: { click: () => show(one.at) } }, "Show in the day"),
      one.source === "run" && h("a", { class: "button small", href: link(api.address("ui", "runs", one.video)) }, "Its run"),
      one.playable && task.button,
      refines() && h("button", { class: "button small", type: "button", on: { click: (event) => refine(event.currentTarget, one, draw) } }, "Word it better"),
      h("button", { class: "button small quiet", type: "button", on: { click: () => forget(one, card, forgotten) } }, "Forget this"),
    );
  };
  draw(memory);
  return card;
}

function facts(memory) {
  const places = [...new Set([...memory.windows, ...memory.applications])].filter((each) => each && !memory.summary.includes(each)).slice(0, 3);
  return [
    h("time", { datetime: memory.at, title: ago(memory.at) }, moment(memory.at)),
    memory.ms > 0 && h("span", { class: "muted" }, `took ${lasting(memory.ms)}`),
    places.length > 0 && h("span", { class: "muted" }, `in ${places.join(" · ")}`),
    memory.confidence !== undefined && sure(memory.confidence),
    memory.inferred && h("span", { class: "badge muted", title: "No input log says what was done: it was told from what changed." }, "told from the screen alone"),
    !memory.playable && h("span", { class: "badge muted" }, memory.source === "run" ? "a run of Vaider" : "its recording is gone"),
  ];
}

function sure(confidence) {
  const mood = confidence >= SURE ? "good" : confidence >= LIKELY ? "accent" : "muted";
  return h("span", { class: `badge ${mood}`, title: "How often an answer that looks like this one is right" }, `${percent(confidence)} sure`);
}

async function refine(button, memory, draw) {
  button.disabled = true;
  try {
    const found = remembered(await api.post(api.address("memory", memory.id, "refine"), {}));
    draw({ ...memory, ...found, confidence: memory.confidence, playable: memory.playable });
    notice("It is worded anew.");
  } catch (error) {
    failure(error);
    button.disabled = false;
  }
}

async function forget(memory, card, forgotten) {
  const text = "Its steps and words leave every file. The recording itself stays: forget its stretch of time to remove that.";
  if (!(await ask({ title: `Forget “${memory.summary}”?`, text, action: "Forget it", dangerous: true }))) return;
  try {
    await api.del(api.address("memory", memory.id));
  } catch (error) {
    if (error.status !== 404) return failure(error);
  }
  notice("It is forgotten.");
  const beside = card.nextElementSibling ?? card.previousElementSibling;
  card.remove();
  beside?.focus({ preventScroll: true });
  forgotten(memory.id);
}
