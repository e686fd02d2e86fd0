/** The timeline: what was done with what followed, what is searched for, and which moment the clip has come to. */

import { byId, fill, h } from "../shared/dom.js";
import { KINDS, makeRow, settleRow, updateRow } from "./event_row.js";
import { plural } from "../shared/format.js";
import { before, doneIn, momentsOf, rowsByAction, rowsByEvent } from "./moments.js";
import { VirtualList } from "./virtual_list.js";

const SEARCH_MS = 80;
const HELD_MS = 60;

/** Several of its parts are of the page: `search`, `ways`, `kinds`, `count`, `follow`. */
export class TimelinePanel {
  #analysis;
  #choose;
  #found;
  #list;
  #empty = h("p", { class: "muted empty-timeline", hidden: true });
  #search = /** @type {HTMLInputElement} */ (byId("search"));
  #hidden = new Set();
  #byAction;
  #rows = [];
  #moments = [];
  #query = "";
  #current = -1;
  #picked = -1;
  #lastMs = 0;
  #soughtFrom = 0;
  #following = true;

  /**
   * @param {string} jobId
   * @param {any} analysis
   * @param {import("../shared/stills.js").Stills} stills
   * @param {{choose: (ms: number) => void, found: (hits: any[], isSought: boolean) => void}} wishes somebody wants to see
   *     a moment; what was searched for is, or is not, at these
   */
  constructor(jobId, analysis, stills, { choose, found }) {
    this.#analysis = analysis;
    this.#choose = choose;
    this.#found = found;
    this.#byAction = doneIn(analysis).length > 0;
    const update = (row, index) => this.#update(row, index);
    this.#list = new VirtualList({ label: "Timeline", height: rowHeight(), make: makeRow, update, settle: (row) => settleRow(row, jobId, stills) });
    fill(byId("timeline"), this.#list.element, this.#empty);
    this.#listenToList();
    this.#listenToSearch();
    byId("follow").addEventListener("click", () => this.#follow(true));
    this.#offerWays();
    this.#offerKinds();
    this.#filter();
  }

  /** Show what the clip has come to. Several may have one moment: then it is the one that was picked. */
  at(ms) {
    this.#lastMs = ms;
    if (this.#picked >= 0 && Math.abs(ms - this.#moments[this.#picked].t_ms) > HELD_MS) this.#picked = -1;
    const now = this.#picked >= 0 ? this.#picked : before(this.#moments, ms);
    if (now !== this.#current) {
      const changed = new Set([this.#row(this.#current), this.#row(now)].map((index) => Math.max(0, index)));
      this.#current = now;
      for (const index of changed) if (this.#list.row(index)) this.#update(this.#list.row(index), index);
      if (this.#following && now >= 0) this.#list.reveal(this.#row(now), true);
    }
    return this.#moments[this.#current]?.what ?? null;
  }

  /** Go on by rows: by what was done. */
  byAction(step) {
    const row = this.#row(this.#current);
    this.#goToRow(Math.max(0, Math.min(this.#rows.length - 1, row + step)));
  }

  /** Go on by what happened, one after the other. */
  byEvent(step) {
    this.#go(Math.max(0, Math.min(this.#moments.length - 1, this.#current + step)));
  }

  focusSearch() {
    this.#search.focus();
  }

  #row(moment) {
    return this.#moments[moment]?.row ?? -1;
  }

  #update(element, index) {
    const row = this.#row(this.#current);
    const current = index === row ? this.#moments[this.#current].what : null;
    // The first row can be reached by the keyboard before the clip has come to any.
    const reachable = index === Math.max(0, row);
    updateRow(element, { row: this.#rows[index], index, current, reachable, query: this.#query }, this.#analysis);
  }

  #filter() {
    const query = this.#search.value.trim().toLowerCase();
    const all = this.#byAction ? rowsByAction(this.#analysis) : rowsByEvent(this.#analysis).filter((row) => !this.#hidden.has(row.events[0].kind));
    const hits = query ? momentsOf(all).filter((moment) => moment.text.includes(query)) : [];
    const fitting = new Set(hits.map((moment) => moment.row));
    const shown = query ? all.filter((_, index) => fitting.has(index)) : all;
    const moments = momentsOf(shown);
    [this.#query, this.#rows, this.#current, this.#picked] = [query, shown, -1, -1];
    // What was searched for is gone through; what else its rows tell is not.
    this.#moments = query ? moments.filter((moment) => moment.text.includes(query)) : moments;
    this.#list.show(shown.length);
    this.#list.element.hidden = shown.length === 0;
    this.#empty.hidden = shown.length > 0;
    this.#empty.textContent = this.#analysis.timeline.length === 0 ? "Nothing changed on the screen in this clip." : "Nothing fits. Search for something else, or show more kinds.";
    byId("count").textContent = this.#counted(query, hits.length, shown.length);
    this.#found(hits, Boolean(query));
    this.at(this.#lastMs);
  }

  /** What is searched for is shown at once: the first after the moment where the search began, else the last. */
  #find() {
    this.#filter();
    if (this.#query) this.#go(Math.min(before(this.#moments, this.#soughtFrom - 1) + 1, this.#moments.length - 1));
  }

  #counted(query, hits, rows) {
    const { timeline } = this.#analysis;
    if (query) return `${hits.toLocaleString()} found`;
    const events = plural(timeline.length, "event");
    if (this.#byAction) return `${plural(doneIn(this.#analysis).length, "action")}, ${events}`;
    return rows === timeline.length ? events : `${rows.toLocaleString()} of ${events}`;
  }

  #follow(wanted) {
    this.#following = wanted;
    byId("follow").hidden = wanted || this.#rows.length === 0;
    if (wanted && this.#current >= 0) this.#list.reveal(this.#row(this.#current), true);
  }

  #go(index) {
    if (!this.#moments[index]) return;
    this.#follow(true);
    this.#picked = index;
    this.#choose(this.#moments[index].t_ms);
    this.#list.reveal(this.#row(index), true);
  }

  #goToRow(row) {
    this.#go(this.#moments.findIndex((moment) => moment.row === row));
  }

  #listenToList() {
    const { element } = this.#list;
    for (const type of ["wheel", "touchmove"]) element.addEventListener(type, () => this.#follow(false), { passive: true });
    element.addEventListener("pointerdown", (event) => event.target === element && this.#follow(false));
    element.addEventListener("click", (event) => {
      const row = event.target.closest(".event");
      if (row) this.#goToRow(Number(row.dataset.index));
    });
    element.addEventListener("keydown", (event) => this.#walk(event));
  }

  #listenToSearch() {
    let timer = 0;
    // Each letter shows the clip at another moment: none of these is where the search began.
    this.#search.addEventListener("focus", () => (this.#soughtFrom = this.#lastMs));
    this.#search.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.#find(), SEARCH_MS);
    });
    this.#search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.#go(this.#current + 1 < this.#moments.length ? this.#current + 1 : 0);
      if (event.key !== "Escape") return;
      this.#search.value = "";
      this.#filter();
      this.#search.blur();
    });
  }

  /** The arrow keys, Home and End inside of the list; the focus goes along. */
  #walk(event) {
    const [current, count] = [this.#row(this.#current), this.#rows.length];
    const steps = { ArrowDown: current + 1, ArrowUp: current - 1, Home: 0, End: count - 1, PageDown: current + 8, PageUp: current - 8 };
    if (!(event.key in steps) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const index = Math.max(0, Math.min(count - 1, steps[event.key]));
    this.#goToRow(index);
    this.#list.row(index)?.firstElementChild.focus({ preventScroll: true });
  }

  #offerWays() {
    const ways = [[true, "Actions"], [false, "All events"]];
    byId("ways").hidden = doneIn(this.#analysis).length === 0;
    fill(byId("ways"), ways.map(([byAction, name]) => {
      const press = () => {
        this.#byAction = byAction;
        for (const each of byId("ways").children) each.setAttribute("aria-pressed", String(each === button));
        byId("kinds").hidden = byAction;
        this.#filter();
      };
      const button = h("button", { class: "button small kind", type: "button", "aria-pressed": String(byAction === this.#byAction), on: { click: press } }, name);
      return button;
    }));
  }

  #offerKinds() {
    const counts = new Map();
    for (const { kind } of this.#analysis.timeline) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    byId("kinds").hidden = this.#byAction || counts.size < 2;
    fill(byId("kinds"), Object.keys(KINDS).filter((kind) => counts.has(kind)).map((kind) => {
      const button = h("button", { class: "button small kind", type: "button", "aria-pressed": "true" }, kind, h("span", { class: "muted number" }, counts.get(kind).toLocaleString()));
      button.addEventListener("click", () => {
        if (!this.#hidden.delete(kind)) this.#hidden.add(kind);
        button.setAttribute("aria-pressed", String(!this.#hidden.has(kind)));
        this.#filter();
      });
      return button;
    }));
  }
}

function rowHeight() {
  return parseInt(getComputedStyle(document.body).getPropertyValue("--event-height"), 10) || 88;
}
