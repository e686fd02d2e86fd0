/** The timeline: all events, those that are searched for, and which one the clip has come to. */

import { byId, fill, h } from "../shared/dom.js";
import { KINDS, makeRow, settleRow, updateRow } from "./event_row.js";
import { plural } from "../shared/format.js";
import { VirtualList } from "./virtual_list.js";

const SEARCH_MS = 80;
const HELD_MS = 60;

/** Several of its parts are of the page: `search`, `kinds`, `count`, `follow`. */
export class TimelinePanel {
  #timeline;
  #video;
  #choose;
  #texts;
  #list;
  #empty = h("p", { class: "muted empty-timeline", hidden: true });
  #search = /** @type {HTMLInputElement} */ (byId("search"));
  #hidden = new Set();
  #shown;
  #query = "";
  #current = -1;
  #picked = -1;
  #lastMs = 0;
  #following = true;

  /**
   * @param {string} jobId
   * @param {{timeline: object[], video: object}} analysis
   * @param {(event: object) => void} choose somebody wants to see an event
   */
  constructor(jobId, { timeline, video }, choose) {
    this.#timeline = this.#shown = timeline;
    this.#video = video;
    this.#choose = choose;
    this.#texts = timeline.map((event) => [event.description, event.text, event.before].filter(Boolean).join("\n").toLowerCase());
    const update = (row, index) => this.#update(row, index);
    this.#list = new VirtualList({ label: "Events", height: rowHeight(), make: makeRow, update, settle: (row) => settleRow(row, jobId) });
    this.#list.element.style.setProperty("--picture-ratio", String(video.width / Math.max(1, video.height)));
    fill(byId("timeline"), this.#list.element, this.#empty);
    this.#listenToList();
    this.#listenToSearch();
    byId("follow").addEventListener("click", () => this.#follow(true));
    kinds(timeline, this.#hidden, () => this.#filter());
    this.#filter();
  }

  /** Show which event the clip has come to. Several may have one moment: then it is the one that was picked. */
  at(ms) {
    this.#lastMs = ms;
    if (this.#picked >= 0 && Math.abs(ms - this.#shown[this.#picked].t_ms) > HELD_MS) this.#picked = -1;
    const now = this.#picked >= 0 ? this.#picked : before(this.#shown, ms);
    if (now !== this.#current) {
      const changed = [this.#current, now].map((index) => Math.max(0, index));
      this.#current = now;
      for (const index of changed) if (this.#list.row(index)) this.#update(this.#list.row(index), index);
      if (this.#following && now >= 0) this.#list.reveal(now, true);
    }
    return this.#shown[this.#current] ?? null;
  }

  next() {
    this.#go(Math.min(this.#current + 1, this.#shown.length - 1));
  }

  previous() {
    this.#go(Math.max(this.#current - 1, 0));
  }

  focusSearch() {
    this.#search.focus();
  }

  #update(row, index) {
    const isCurrent = index === this.#current;
    // The first row can be reached by the keyboard before the clip has come to any.
    const reachable = index === Math.max(0, this.#current);
    updateRow(row, { event: this.#shown[index], index, current: isCurrent, reachable, query: this.#query }, this.#video);
  }

  #filter() {
    const [all, query] = [this.#timeline, this.#search.value.trim().toLowerCase()];
    const shown = all.filter((event, index) => !this.#hidden.has(event.kind) && (!query || this.#texts[index].includes(query)));
    [this.#query, this.#shown, this.#current, this.#picked] = [query, shown, -1, -1];
    this.#list.show(shown.length);
    this.#list.element.hidden = shown.length === 0;
    this.#empty.hidden = shown.length > 0;
    this.#empty.textContent = all.length === 0 ? "Nothing changed on the screen in this clip." : "No event fits. Search for something else, or show more kinds.";
    const events = plural(all.length, "event");
    byId("count").textContent = shown.length === all.length ? events : `${shown.length.toLocaleString()} of ${events}`;
    this.at(this.#lastMs);
  }

  #follow(wanted) {
    this.#following = wanted;
    byId("follow").hidden = wanted || this.#timeline.length === 0;
    if (wanted && this.#current >= 0) this.#list.reveal(this.#current, true);
  }

  #go(index) {
    if (!this.#shown[index]) return;
    this.#follow(true);
    this.#picked = index;
    this.#choose(this.#shown[index]);
    this.#list.reveal(index, true);
  }

  #listenToList() {
    const { element } = this.#list;
    for (const type of ["wheel", "touchmove"]) element.addEventListener(type, () => this.#follow(false), { passive: true });
    element.addEventListener("pointerdown", (event) => event.target === element && this.#follow(false));
    element.addEventListener("click", (event) => {
      const row = event.target.closest(".event");
      if (row) this.#go(Number(row.dataset.index));
    });
    element.addEventListener("keydown", (event) => this.#walk(event));
  }

  #listenToSearch() {
    let timer = 0;
    this.#search.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.#filter(), SEARCH_MS);
    });
    this.#search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.#go(this.#current + 1 < this.#shown.length ? this.#current + 1 : 0);
      if (event.key !== "Escape") return;
      this.#search.value = "";
      this.#filter();
      this.#search.blur();
    });
  }

  /** The arrow keys, Home and End inside of the list; the focus goes along. */
  #walk(event) {
    const [current, count] = [this.#current, this.#shown.length];
    const steps = { ArrowDown: current + 1, ArrowUp: current - 1, Home: 0, End: count - 1, PageDown: current + 8, PageUp: current - 8 };
    if (!(event.key in steps) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const index = Math.max(0, Math.min(count - 1, steps[event.key]));
    this.#go(index);
    this.#list.row(index)?.firstElementChild.focus({ preventScroll: true });
  }
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
