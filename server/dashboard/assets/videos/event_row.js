/** One row of the timeline: a picture of what changed, what was done, and what followed from it. */

import { api } from "../shared/api.js";
import { aim, makeCrop } from "../shared/crop.js";
import { fill, h } from "../shared/dom.js";
import { clock } from "../shared/format.js";
import { before } from "./moments.js";

export const KINDS = {
  appeared: "good", vanished: "muted", changed: "accent", typed: "accent", scrolled: "muted", navigated: "warn", busy: "muted",
};
export const CROP_WIDTH = 640;
const RATIO = 16 / 9;
const LINES = 3;
const TELLING = { navigated: 4, appeared: 3, changed: 3, typed: 2, scrolled: 2, vanished: 1, busy: 1 };

/** The address of a picture that an event names; null for none. */
export function picture(jobId, frame, width = null) {
  const name = frame?.split("/").at(-1);
  if (!name) return null;
  return api.address("jobs", jobId, "frames", name) + (width ? `?width=${width}` : "");
}

/** Lay a box over a picture where something changed. @param {HTMLElement} box @param {object} video its size */
export function placeBox(box, region, video) {
  box.hidden = !region || !(video.width > 0 && video.height > 0);
  if (box.hidden) return;
  const [x, y, width, height] = region;
  const sides = { left: x / video.width, top: y / video.height, width: width / video.width, height: height / video.height };
  for (const [side, part] of Object.entries(sides)) box.style.setProperty(side, `${Math.max(0, Math.min(1, part)) * 100}%`);
}

/** How much an event tells of a clip, for there is room for few. */
export function telling(event) {
  return TELLING[event.kind] ?? 1;
}

/** What a row is pictured by: the event that tells most, else the action itself. */
function pictured({ action, events, told }) {
  const best = events.reduce((one, other) => (one && telling(one) >= telling(other) ? one : other), told);
  return best ?? { ...action, frame: null };
}

/** Name a picture; of what has none, what stood there before stands in for one that cannot be taken. */
export function namePicture(image, { frame, t_ms: ms }, timeline) {
  const earlier = timeline[before(timeline, ms - 1)]?.frame;
  const named = { frame: frame ?? "", at: String(ms), earlier: earlier ?? "" };
  // What is scrolled past is not fetched.
  if (image.dataset.frame !== named.frame || image.dataset.at !== named.at) image.removeAttribute("src");
  Object.assign(image.dataset, named);
}

/** An empty row. */
export function makeRow() {
  return h(
    "li",
    { class: "event" },
    h(
      "button",
      { class: "event-button", type: "button", tabindex: -1 },
      makeCrop(),
      h("span", { class: "event-words" }, h("span", { class: "event-head" }, h("span", { class: "number event-clock" }), h("span", { class: "badge" }), h("span", { class: "event-done" })), h("span", { class: "event-sentence" }), h("span", { class: "event-effects" })),
    ),
  );
}

/** Set a row. @param {{row: import("./moments.js").Row, index: number, current: any, reachable: boolean, query: string}} shown */
export function updateRow(element, { row, index, current, reachable, query }, { video, timeline }) {
  const button = element.firstElementChild;
  const [place, words] = button.children;
  const [head, sentence, effects] = words.children;
  const [time, badge, done] = head.children;
  const shown = pictured(row);
  const isCurrent = current !== null;
  element.dataset.index = index;
  element.classList.toggle("is-current", isCurrent);
  element.classList.toggle("is-action", row.action !== null);
  button.tabIndex = reachable ? 0 : -1;
  if (isCurrent) button.setAttribute("aria-current", "true");
  else button.removeAttribute("aria-current");
  namePicture(place.firstElementChild, shown, timeline);
  aim(place, shown.region, video, RATIO);
  time.textContent = clock(row.t_ms);
  badge.textContent = row.action?.kind ?? shown.kind;
  badge.className = `badge ${row.action ? "accent" : KINDS[shown.kind] ?? "muted"}`;
  const said = marked((row.action ?? shown).description, query);
  const isShort = row.events.length > 0 && row.action !== null;
  fill(done, isShort && said);
  fill(sentence, !isShort && said);
  fill(effects, row.action && lines(row.events, current, query));
}

/** What followed, a line each; those around the current one, or around the first that was searched for, where there are many. */
function lines(events, current, query) {
  const sought = query ? events.findIndex((event) => event.description.toLowerCase().includes(query)) : -1;
  const wanted = Math.max(events.indexOf(current), sought, 0);
  const count = events.length > LINES ? LINES - 1 : LINES;
  const first = Math.max(0, Math.min(wanted - count + 1, events.length - count));
  const shown = events.slice(first, first + count);
  const left = events.length - shown.length;
  return [
    shown.map((event) => h("span", { class: `effect${event === current ? " is-shown" : ""}` }, h("span", { class: "number muted" }, clock(event.t_ms)), " ", marked(event.description, query))),
    left > 0 && h("span", { class: "effect muted" }, `and ${left.toLocaleString()} more`),
  ];
}

/** Fetch the picture of a row that stays in sight. @param {import("../shared/stills.js").Stills} stills */
export function settleRow(row, jobId, stills) {
  load(row.querySelector("img"), jobId, stills);
}

/** Show the picture that an image names; of what has none, one is taken of the clip. */
export async function load(image, jobId, stills) {
  const { frame, at, earlier } = image.dataset;
  const source = picture(jobId, frame, CROP_WIDTH) ?? (image.src ? null : await stills.take(Number(at)) ?? picture(jobId, earlier, CROP_WIDTH));
  if (source && image.dataset.at === at && image.getAttribute("src") !== source) image.src = source;
}

/** A text with the parts that were searched for marked. @param {string} text @param {string} query lower-case */
export function marked(text, query) {
  if (!query) return text;
  const parts = [];
  const low = text.toLowerCase();
  let from = 0;
  // Where lower-case letters take more room than upper-case ones, places would not fit.
  for (let at = low.indexOf(query); at >= 0 && low.length === text.length; at = low.indexOf(query, from)) {
    parts.push(text.slice(from, at), h("mark", {}, text.slice(at, at + query.length)));
    from = at + query.length;
  }
  return [...parts, text.slice(from)];
}
