/** Pictures of a day: of what its strip has in sight, and of where the pointer is. */

import { h } from "../shared/dom.js";
import { holding } from "./day_player.js";
import { still } from "./segment_stills.js";

const CELL = 132;
const [FEWEST, MOST] = [3, 12];
const SETTLED_MS = 200;
const LOOK_MS = 1000;

/**
 * @param {{go: (at: number) => void, words: (at: number) => string}} wishes plays a moment, and how one is told
 * @returns {{element: HTMLElement, show: (day: any, from: number, until: number, width: number) => void, peek: (day: any, at: number|null, share?: number) => void}}
 */
export function dayFilm({ go, words }) {
  const film = h("div", { class: "day-film", role: "group", "aria-label": "Pictures of what is in sight" });
  const look = h("div", { class: "day-look", "aria-hidden": "true", hidden: true }, h("img", { alt: "" }), h("p", { class: "small" }));
  const state = { timer: 0, shown: "" };
  return {
    element: h("div", { class: "day-pictures" }, film, look),
    show(day, from, until, width) {
      clearTimeout(state.timer);
      // It has its place as long as anything of the day can be seen: nothing moves while one looks through it.
      film.hidden = !day.segments.some((segment) => segment.playable && segment.complete);
      const now = () => draw(film, state, { moments: momentsIn(day, from, until, width), go, words });
      if (film.childElementCount === 0) now();
      else state.timer = setTimeout(now, SETTLED_MS);
    },
    peek(day, at, share = 0) {
      look.hidden = at === null;
      if (at !== null) peeked(look, day, at, share, words(at));
    },
  };
}

/** Of each part of what is in sight a moment that can be seen: where something was done, else its middle. */
function momentsIn(day, from, until, width) {
  const count = Math.max(FEWEST, Math.min(MOST, Math.floor(width / CELL)));
  const part = (until - from) / count;
  return Array.from({ length: count }, (_, index) => {
    const [first, last] = [from + index * part, from + (index + 1) * part];
    const within = (at) => at >= first && at < last;
    const done = day.memories.map((memory) => Date.parse(memory.end)).find((at) => within(at) && seen(day, at));
    const at = done ?? middle(day, first, last);
    return { at, segment: at === null ? null : seen(day, at) };
  });
}

/** The middle of what was recorded between two moments; null where nothing was. */
function middle(day, first, last) {
  const inside = day.segments
    .filter((segment) => segment.playable && segment.complete)
    .map((segment) => [Math.max(first, Date.parse(segment.start)), Math.min(last, Date.parse(segment.end))])
    .sort((one, other) => other[1] - other[0] - (one[1] - one[0]));
  return inside.length > 0 && inside[0][1] > inside[0][0] ? (inside[0][0] + inside[0][1]) / 2 : null;
}

/** The segment that shows a moment; what is being recorded still has no picture yet. */
function seen(day, at) {
  const segment = holding(day, at);
  return segment?.complete ? segment : null;
}

function draw(film, state, { moments, go, words }) {
  const shown = moments.map(({ at, segment }) => `${segment?.id} ${at}`).join();
  if (shown === state.shown) return;
  state.shown = shown;
  film.replaceChildren(...moments.map((moment) => cell(moment, go, words)));
}

function cell({ at, segment }, go, words) {
  if (segment === null) return h("span", { class: "day-cell" });
  const image = h("img", { alt: "", decoding: "async" });
  still(segment.id, at - Date.parse(segment.start)).then((source) => source && (image.src = source));
  const time = new Date(at).toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
  return h("button", { class: "day-cell", type: "button", tabindex: "-1", "aria-label": words(at), on: { click: () => go(at) } }, image, h("span", { class: "day-clock number" }, time));
}

async function peeked(look, day, at, share, words) {
  const [image, said] = look.children;
  const segment = seen(day, at);
  said.textContent = words;
  look.style.setProperty("left", `${(100 * share).toFixed(2)}%`);
  look.classList.toggle("is-left", share > 0.5);
  image.hidden = segment === null;
  const ms = segment ? Math.round((at - Date.parse(segment.start)) / LOOK_MS) * LOOK_MS : 0;
  look.dataset.at = `${segment?.id} ${ms}`;
  const source = segment && (await still(segment.id, ms, true));
  if (source && look.dataset.at === `${segment.id} ${ms}`) image.src = source;
}
