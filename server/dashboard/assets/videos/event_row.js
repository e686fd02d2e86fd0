/** One event as a row of the timeline: its picture with what changed boxed, its moment, and its sentence. */

import { api } from "../shared/api.js";
import { fill, h } from "../shared/dom.js";
import { clock } from "../shared/format.js";

export const KINDS = {
  appeared: "good", vanished: "muted", changed: "accent", typed: "accent", scrolled: "muted", navigated: "warn", busy: "muted",
};
const THUMBNAIL = 240;

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

/** An empty row. */
export function makeRow() {
  return h(
    "li",
    { class: "event" },
    h(
      "button",
      { class: "event-button", type: "button", tabindex: -1 },
      h("span", { class: "event-picture", "aria-hidden": "true" }, h("img", { alt: "", decoding: "async" }), h("span", { class: "box", hidden: true })),
      h("span", { class: "event-words" }, h("span", { class: "event-head" }, h("span", { class: "number event-clock" }), h("span", { class: "badge" })), h("span", { class: "event-sentence" })),
    ),
  );
}

/** Set a row. @param {{event: object, index: number, current: boolean, reachable: boolean, query: string}} shown */
export function updateRow(row, { event, index, current, reachable, query }, video) {
  const button = row.firstElementChild;
  const [frame, words] = button.children;
  const [image, box] = frame.children;
  const [head, sentence] = words.children;
  row.dataset.index = index;
  row.classList.toggle("is-current", current);
  button.tabIndex = reachable ? 0 : -1;
  if (current) button.setAttribute("aria-current", "true");
  else button.removeAttribute("aria-current");
  if (image.dataset.frame !== (event.frame ?? "")) {
    // What is scrolled past is not fetched.
    image.removeAttribute("src");
    image.dataset.frame = event.frame ?? "";
  }
  placeBox(box, event.frame ? event.region : null, video);
  head.firstElementChild.textContent = clock(event.t_ms);
  head.lastElementChild.textContent = event.kind;
  head.lastElementChild.className = `badge ${KINDS[event.kind] ?? "muted"}`;
  fill(sentence, marked(event.description, query));
}

/** Fetch the picture of a row that stays in sight. */
export function settleRow(row, jobId) {
  const image = row.querySelector("img");
  const source = picture(jobId, image.dataset.frame, THUMBNAIL);
  if (source && image.getAttribute("src") !== source) image.src = source;
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
