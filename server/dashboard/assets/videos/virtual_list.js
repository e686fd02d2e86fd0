/** A list of any length of which only the rows in sight are in the page: ten thousand cost as much as twenty. */

import { h } from "../shared/dom.js";

const AHEAD = 6;
const SETTLED_MS = 90;
const STILL = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * @typedef {object} Kind
 * @property {string} label
 * @property {number} height of a row in pixels
 * @property {() => HTMLElement} make an empty row, an `li`
 * @property {(row: HTMLElement, index: number) => void} update cheap: called while somebody scrolls
 * @property {(row: HTMLElement, index: number) => void} settle what costs more: called when the scrolling is slow or rests
 */

/** A scrolling list of rows of one height. Rows are used again for other items, so `update` must set all that differs. */
export class VirtualList {
  #kind;
  #space;
  #rows = new Map();
  #spare = [];
  #count = 0;
  #drawn = 0;
  #resting = 0;
  #top = 0;

  /** @param {Kind} kind */
  constructor(kind) {
    this.#kind = kind;
    this.#space = h("ol", { class: "virtual-space", "aria-label": kind.label });
    this.element = h("div", { class: "virtual", tabindex: -1 }, this.#space);
    const soon = () => (this.#drawn ||= requestAnimationFrame(() => this.#draw()));
    this.element.addEventListener("scroll", soon, { passive: true });
    new ResizeObserver(soon).observe(this.element);
  }

  /** Show so many items, all of them anew. */
  show(count) {
    this.#count = count;
    this.#space.style.setProperty("height", `${count * this.#kind.height}px`);
    for (const index of [...this.#rows.keys()]) this.#putAway(index);
    cancelAnimationFrame(this.#drawn);
    this.#draw();
    this.#rest();
  }

  /** The row of an item, if it is in the page. */
  row(index) {
    return this.#rows.get(index);
  }

  /** Bring an item into sight, if it is not there. */
  reveal(index, smooth = false) {
    const { element } = this;
    const { height } = this.#kind;
    const place = index * height;
    const [low, high] = [element.scrollTop + height, element.scrollTop + element.clientHeight - 2 * height];
    if (place >= low && place <= high) return;
    const far = Math.abs(place - element.scrollTop) > 3 * element.clientHeight;
    const middle = Math.max(0, place - Math.max(0, (element.clientHeight - height) / 3));
    element.scrollTo({ top: middle, behavior: smooth && !far && !STILL.matches ? "smooth" : "instant" });
    this.#draw();
  }

  #range() {
    const { element } = this;
    const { height } = this.#kind;
    const first = Math.max(0, Math.floor(element.scrollTop / height) - AHEAD);
    return [first, Math.min(this.#count, Math.ceil((element.scrollTop + element.clientHeight) / height) + AHEAD)];
  }

  #draw() {
    this.#drawn = 0;
    const [first, end] = this.#range();
    const isSlow = Math.abs(this.element.scrollTop - this.#top) < this.#kind.height;
    this.#top = this.element.scrollTop;
    for (const [index, row] of this.#rows) {
      if (index >= first && index < end) continue;
      // The row that has the focus keeps it, out of sight as it is.
      if (row.contains(document.activeElement) && index < this.#count) continue;
      this.#putAway(index);
    }
    for (let index = first; index < end; index += 1) if (!this.#rows.has(index)) this.#place(index);
    if (isSlow) for (const [index, row] of this.#rows) this.#kind.settle(row, index);
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => this.#rest(), SETTLED_MS);
  }

  #putAway(index) {
    const row = this.#rows.get(index);
    this.#rows.delete(index);
    this.#spare.push(row);
    row.hidden = true;
  }

  #place(index) {
    const row = this.#spare.pop() ?? this.#space.appendChild(this.#kind.make());
    this.#rows.set(index, row);
    row.hidden = false;
    row.setAttribute("aria-posinset", String(index + 1));
    row.setAttribute("aria-setsize", String(this.#count));
    row.style.setProperty("transform", `translateY(${index * this.#kind.height}px)`);
    this.#kind.update(row, index);
  }

  #rest() {
    // Elements stand in the order of their items, for those who read them one by one.
    const ordered = [...this.#rows].sort(([one], [other]) => one - other);
    let before = null;
    for (const [index, row] of ordered) {
      const isAside = row.previousElementSibling !== before && !row.contains(document.activeElement);
      if (isAside) this.#space.insertBefore(row, before?.nextElementSibling ?? this.#space.firstElementChild);
      before = row;
      this.#kind.settle(row, index);
    }
    while (this.#spare.length > 2 * AHEAD) this.#spare.pop().remove();
  }
}
