/** The timeline: all events, those that are searched for, and which one the clip has come to. */

import { byId, fill, h } from "../shared/dom.js";
import { KINDS, makeRow, settleRow, updateRow } from "./event_row.js";
import { plural } from "../shared/format.js";
import { virtualList } from "./virtual_list.js";

const SEARCH_MS = 80;
const HELD_MS = 60;

/**
 * @param {string} jobId
 * @param {{timeline: object[], video: object}} analysis
 * @param {(event: object) => void} choose somebody wants to see an event
 */
export function timelinePanel(jobId, { timeline, video }, choose) {
  const hidden = new Set();
  const search = /** @type {HTMLInputElement} */ (byId("search"));
  const texts = timeline.map((event) => [event.description, event.text, event.before].filter(Boolean).join("\n").toLowerCase());
  let shown = timeline;
  let query = "";
  let current = -1;
  let picked = -1;
  let lastMs = 0;
  let following = true;
  let timer = 0;

  // The first row can be reached by the keyboard before the clip has come to any.
  const update = (row, index) => updateRow(row, { event: shown[index], index, current: index === current, reachable: index === Math.max(0, current), query }, video);
  const list = virtualList({
    label: "Events",
    height: rowHeight(),
    make: makeRow,
    update,
    settle: (row) => settleRow(row, jobId),
  });
  const empty = h("p", { class: "muted empty-timeline", hidden: true });
  list.element.style.setProperty("--picture-ratio", String(video.width / Math.max(1, video.height)));
  fill(byId("timeline"), list.element, empty);

  const filter = () => {
    query = search.value.trim().toLowerCase();
    shown = timeline.filter((event, index) => !hidden.has(event.kind) && (!query || texts[index].includes(query)));
    [current, picked] = [-1, -1];
    list.show(shown.length);
    list.element.hidden = shown.length === 0;
    empty.hidden = shown.length > 0;
    empty.textContent = timeline.length === 0 ? "Nothing changed on the screen in this clip." : "No event fits. Search for something else, or show more kinds.";
    byId("count").textContent = shown.length === timeline.length ? plural(timeline.length, "event") : `${shown.length.toLocaleString()} of ${plural(timeline.length, "event")}`;
    at(lastMs);
  };

  /** Show which event the clip has come to. Several may have one moment: then it is the one that was picked. */
  const at = (ms) => {
    lastMs = ms;
    if (picked >= 0 && Math.abs(ms - shown[picked].t_ms) > HELD_MS) picked = -1;
    const now = picked >= 0 ? picked : before(shown, ms);
    if (now !== current) {
      const changed = [current, now].map((index) => Math.max(0, index));
      current = now;
      for (const index of changed) if (list.row(index)) update(list.row(index), index);
      if (following && now >= 0) list.reveal(now, true);
    }
    return shown[current] ?? null;
  };

  const follow = (wanted) => {
    following = wanted;
    byId("follow").hidden = wanted || timeline.length === 0;
    if (wanted && current >= 0) list.reveal(current, true);
  };
  const go = (index) => {
    if (!shown[index]) return;
    follow(true);
    picked = index;
    choose(shown[index]);
    list.reveal(index, true);
  };

  for (const type of ["wheel", "touchmove"]) list.element.addEventListener(type, () => follow(false), { passive: true });
  list.element.addEventListener("pointerdown", (event) => event.target === list.element && follow(false));
  list.element.addEventListener("click", (event) => {
    const row = event.target.closest(".event");
    if (row) go(Number(row.dataset.index));
  });
  list.element.addEventListener("keydown", (event) => walk(event, go, current, shown.length, () => list));
  byId("follow").addEventListener("click", () => follow(true));
  search.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(filter, SEARCH_MS);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key === "Enter") go(current + 1 < shown.length ? current + 1 : 0);
    if (event.key === "Escape") {
      search.value = "";
      filter();
      search.blur();
    }
  });
  kinds(timeline, hidden, filter);
  filter();
  return {
    at,
    next: () => go(Math.min(current + 1, shown.length - 1)),
    previous: () => go(Math.max(current - 1, 0)),
    focusSearch: () => search.focus(),
  };
}

/** The last item that has begun at a moment; -1 when none has. */
export function before(events, ms) {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[middle].t_ms <= ms) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The arrow keys, Home and End inside of the list; the focus goes along. */
function walk(event, go, current, count, list) {
  const steps = { ArrowDown: current + 1, ArrowUp: current - 1, Home: 0, End: count - 1, PageDown: current + 8, PageUp: current - 8 };
  if (!(event.key in steps) || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation();
  const index = Math.max(0, Math.min(count - 1, steps[event.key]));
  go(index);
  list().row(index)?.firstElementChild.focus({ preventScroll: true });
}

function kinds(timeline, hidden, changed) {
  const counts = new Map();
  for (const { kind } of timeline) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  byId("kinds").hidden = counts.size < 2;
  const toggle = (kind, button) => {
    if (!hidden.delete(kind)) hidden.add(kind);
    button.setAttribute("aria-pressed", String(!hidden.has(kind)));
    changed();
  };
  fill(byId("kinds"), Object.keys(KINDS).filter((kind) => counts.has(kind)).map((kind) => {
    const button = h("button", { class: "button small kind", type: "button", "aria-pressed": "true" }, kind, h("span", { class: "muted number" }, counts.get(kind).toLocaleString()));
    button.addEventListener("click", () => toggle(kind, button));
    return button;
  }));
}

function rowHeight() {
  return parseInt(getComputedStyle(document.body).getPropertyValue("--event-height"), 10) || 88;
}
