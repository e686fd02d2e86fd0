/** What is on each page: whether the daemon is there, what runs now, and the button that stops it. */

import { api } from "./api.js";
import { byId, fill, h, keyed } from "./dom.js";
import { bar, kind, moveBar, page, title, words } from "./jobs.js";
import { live } from "./live.js";
import { every } from "./polling.js";
import { running } from "./running.js";
import { stopJob } from "./stopping.js";

const STREAM = {
  connecting: ["", "Connecting …"],
  live: ["good", "Live"],
  behind: ["warn", "Catching up …"],
  offline: ["bad", "The daemon is away; trying again …"],
};
const RECORDER = {
  recording: ["bad", "Recording"],
  starting: ["warn", "Recorder starts"],
  paused: ["warn", "Recorder paused"],
  locked: ["warn", "Recorder waits: screen locked"],
  failed: ["bad", "Recorder failed"],
};
const SHOWN = 4;
const ACTING = new Set(["replay", "reload"]);

live.state((state) => {
  const [mood, text] = STREAM[state];
  document.body.dataset.stream = state;
  fill(byId("stream-state"), h("span", { class: `dot ${mood}`, "aria-hidden": "true" }), text);
});

running.on((entries) => {
  const place = byId("now");
  // A run's own page tells more of it, and has its own button.
  const others = entries.filter((entry) => new URL(page(entry.job), location.origin).pathname !== location.pathname);
  place.hidden = others.length === 0;
  const shown = others.slice(-SHOWN).reverse();
  keyed(place, shown, (entry) => entry.job.id, makeLine, updateLine);
  const acting = entries.filter((entry) => ACTING.has(entry.job.kind));
  const stop = /** @type {HTMLButtonElement} */ (byId("stop"));
  // A run's own page, and a line or a card of it, have a button for that run.
  stop.hidden = acting.length === 0 || (acting.length === 1 && !others.includes(acting[0]));
  stop.textContent = acting.length > 1 ? `Stop all ${acting.length} runs` : "Stop";
  stop.onclick = () => stopAll(acting);
});

every(5000, async () => {
  const chip = byId("recorder-state");
  const status = await api.get("/recorder").catch(() => null);
  const [mood, text] = RECORDER[status?.phase] ?? [];
  chip.hidden = text === undefined;
  if (text === undefined) return;
  chip.title = status.reason ?? "";
  fill(chip, h("span", { class: `dot ${mood}`, "aria-hidden": "true" }), text);
});

navigationEnds(document.querySelector(".top nav"));

/** Where the navigation does not fit, have it show where it goes on, and the entry of this page. @param {HTMLElement} nav */
function navigationEnds(nav) {
  const list = nav.firstElementChild;
  const look = () => {
    const { scrollLeft, clientWidth, scrollWidth } = list;
    nav.dataset.more = [scrollLeft > 1 && "before", scrollLeft + clientWidth < scrollWidth - 1 && "after"].filter(Boolean).join(" ");
  };
  list.addEventListener("scroll", look, { passive: true });
  new ResizeObserver(look).observe(list);
  const current = list.querySelector("[aria-current]");
  if (current) list.scrollLeft = current.offsetLeft + current.offsetWidth / 2 - list.clientWidth / 2;
}

function makeLine(entry) {
  const { job } = entry;
  return h(
    "div",
    { class: "now-line" },
    h("a", { href: page(job) }, h("span", { class: "muted" }, kind(job)), " ", h("strong", {}, title(job))),
    h("span", { class: "now-words" }),
    bar(entry.event, `Progress of ${title(job)}`),
    h("button", { class: "button small", type: "button", "aria-label": `Stop ${title(job)}`, on: { click: () => stopJob(job) } }, "Stop"),
  );
}

function updateLine(line, entry) {
  line.querySelector(".now-words").textContent = entry.approval ? "Waits for your answer" : words(entry.event);
  moveBar(line, entry.event);
}

function stopAll(entries) {
  // Nothing is asked first: who wants to stop what moves the mouse has no time.
  for (const entry of entries) stopJob(entry.job);
}
