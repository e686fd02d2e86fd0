/** All that is remembered, page by page, the newest first. */

import { api } from "../shared/api.js";
import { byId, fill, h, keyed } from "../shared/dom.js";
import { memoryCard, remembered } from "./memory_card.js";
import { plural } from "../shared/format.js";
import { every } from "../shared/polling.js";

const PAGE = 15;
const EVERY_MS = 10_000;
/** What you did comes first; what Vaider did or was shown stands apart. */
const SOURCES = { recorder: "Recorded", video: "From analysed videos", run: "Vaider’s own runs" };

/**
 * List them in the page's own place.
 * @param {{refines: () => boolean, forgotten: (id: string) => void, show: (at: string) => void}} wishes as of a card
 * @param {(count: number, newest: any[]) => void} counted told whenever it is known how many there are, and which are shown
 * @returns {{now: () => void, count: () => number}}
 */
export function newest(wishes, counted) {
  const place = byId("memories");
  const before = [];
  let count = -1;
  let last = null;
  const older = h("button", { class: "button", type: "button", on: { click: () => turn(() => before.push(last)) } }, "Older");
  const newer = h("button", { class: "button", type: "button", on: { click: () => turn(() => before.pop()) } }, "Newer");
  fill(byId("memory-pages"), newer, older);
  const look = async () => {
    const query = new URLSearchParams({ limit: String(PAGE + 1) });
    if (before.length > 0) query.set("before", before.at(-1));
    const found = await api.get(`/memory/procedures?${query}`).catch((error) => {
      if (place.childElementCount === 0 || count < 0) fill(place, h("p", { class: "problem" }, error.message));
      throw error;
    });
    const shown = found.memories.slice(0, PAGE);
    last = shown.at(-1)?.started_at ?? null;
    newer.hidden = before.length === 0;
    older.hidden = found.memories.length <= PAGE;
    count = found.count;
    counted(count, found.memories);
    byId("memory-count").textContent = count > 0 ? plural(count, "memory").replace("memorys", "memories") : "";
    tell(place, shown, wishes);
  };
  const polled = every(EVERY_MS, look);
  const turn = async (move) => {
    move();
    await look().catch(() => {});
    byId("memories-title").scrollIntoView({ block: "start" });
    place.querySelector(".memory")?.focus({ preventScroll: true });
  };
  return { now: polled.now, count: () => count };
}

function tell(place, shown, wishes) {
  if (shown.length === 0) {
    return fill(
      place,
      h(
        "div",
        { class: "panel empty" },
        h("p", {}, "Nothing is remembered yet."),
        h("p", {}, "Start the recorder, and what you do can be asked for about three seconds later. Analysed videos and runs are remembered too."),
      ),
    );
  }
  if (!place.firstElementChild?.classList.contains("newest")) {
    fill(place, Object.entries(SOURCES).map(([source, name]) => h("section", { class: "stack newest", "aria-label": name, dataset: { source } }, h("h3", { class: "muted" }, name), h("div", { class: "stack" }))));
  }
  // What is all of one source needs no heading beside that of the list.
  const several = new Set(shown.map((found) => found.source)).size > 1;
  for (const part of place.children) {
    part.firstElementChild.hidden = !several && part.dataset.source === "recorder";
    const own = shown.filter((found) => found.source === part.dataset.source);
    part.hidden = own.length === 0;
    cards(part.lastElementChild, own, wishes);
  }
}

function cards(place, shown, wishes) {
  // What is still being recorded grows: its card is made anew.
  keyed(place, shown, (found) => `${found.id} ${found.end_ms} ${found.steps.length}`, (found) => memoryCard(remembered(found), wishes));
}
