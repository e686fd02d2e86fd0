/** A list of any length of which only the rows in sight are in the page: ten thousand cost as much as twenty. */

import { h } from "../shared/dom.js";

const AHEAD = 6;
const SETTLED_MS = 90;
const STILL = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * A scrolling list of rows of one height. Rows are used again for other items, so `update` must set all that differs.
 * @param {object} kind
 * @param {string} kind.label
 * @param {number} kind.height of a row in pixels
 * @param {() => HTMLElement} kind.make an empty row, an `li`
 * @param {(row: HTMLElement, index: number) => void} kind.update cheap: called while somebody scrolls
 * @param {(row: HTMLElement, index: number) => void} kind.settle what costs more: called when the scrolling is slow or rests
 */
export function virtualList({ label, height, make, update, settle }) {
  const space = h("ol", { class: "virtual-space", "aria-label": label });
  const element = h("div", { class: "virtual", tabindex: -1 }, space);
  const rows = new Map();
  const spare = [];
  let count = 0;
  let drawn = 0;
  let resting = 0;
  let top = 0;

  const range = () => {
    const first = Math.max(0, Math.floor(element.scrollTop / height) - AHEAD);
    return [first, Math.min(count, Math.ceil((element.scrollTop + element.clientHeight) / height) + AHEAD)];
  };

  const draw = () => {
    drawn = 0;
    const [first, end] = range();
    const isSlow = Math.abs(element.scrollTop - top) < height;
    top = element.scrollTop;
    for (const [index, row] of rows) {
      if (index >= first && index < end) continue;
      // The row that has the focus keeps it, out of sight as it is.
      if (row.contains(document.activeElement) && index < count) continue;
      rows.delete(index);
      spare.push(row);
      row.hidden = true;
    }
    for (let index = first; index < end; index += 1) if (!rows.has(index)) place(index);
    if (isSlow) for (const [index, row] of rows) settle(row, index);
    clearTimeout(resting);
    resting = setTimeout(rest, SETTLED_MS);
  };

  const place = (index) => {
    const row = spare.pop() ?? space.appendChild(make());
    rows.set(index, row);
    row.hidden = false;
    row.setAttribute("aria-posinset", String(index + 1));
    row.setAttribute("aria-setsize", String(count));
    row.style.setProperty("transform", `translateY(${index * height}px)`);
    update(row, index);
  };

  const rest = () => {
    // Elements stand in the order of their items, for those who read them one by one.
    const ordered = [...rows].sort(([one], [other]) => one - other);
    let before = null;
    for (const [index, row] of ordered) {
      if (row.previousElementSibling !== before && !row.contains(document.activeElement)) space.insertBefore(row, before?.nextElementSibling ?? space.firstElementChild);
      before = row;
      settle(row, index);
    }
    while (spare.length > 2 * AHEAD) spare.pop().remove();
  };

  const soon = () => (drawn ||= requestAnimationFrame(draw));
  element.addEventListener("scroll", soon, { passive: true });
  new ResizeObserver(soon).observe(element);

  return {
    element,
    /** Show so many items, all of them anew. */
    show(number) {
      count = number;
      space.style.setProperty("height", `${count * height}px`);
      for (const [index, row] of rows) {
        rows.delete(index);
        spare.push(row);
        row.hidden = true;
      }
      cancelAnimationFrame(drawn);
      draw();
      rest();
    },
    /** The row of an item, if it is in the page. */
    row: (index) => rows.get(index),
    /** Bring an item into sight, if it is not there. */
    reveal(index, smooth = false) {
      const place = index * height;
      const [low, high] = [element.scrollTop + height, element.scrollTop + element.clientHeight - 2 * height];
      if (place >= low && place <= high) return;
      const far = Math.abs(place - element.scrollTop) > 3 * element.clientHeight;
      const middle = Math.max(0, place - Math.max(0, (element.clientHeight - height) / 3));
      element.scrollTo({ top: middle, behavior: smooth && !far && !STILL.matches ? "smooth" : "instant" });
      draw();
    },
  };
}
