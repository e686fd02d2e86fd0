/** How far a job is that has its page to itself, with a way to stop it. */

import { h, fill } from "./dom.js";
import { bar, moveBar, words } from "./jobs.js";
import { stopJob } from "./stopping.js";

/**
 * Show it, or move it on where it is shown.
 * @param {HTMLElement} place
 * @param {any} job
 * @param {string} label of the bar
 * @param {string} [note] what stands below it
 */
export function showProgress(place, job, label, note = "") {
  if (!place.querySelector(".going")) {
    const stop = h("button", { class: "button small", type: "button", on: { click: () => stopJob(job) } }, "Cancel");
    fill(
      place,
      h(
        "section",
        { class: "panel stack tight going", "aria-label": "Progress" },
        h("div", { class: "row between" }, h("p", { role: "status" }, h("strong", { class: "going-words" })), stop),
        bar(job.progress, label),
        note && h("p", { class: "muted small" }, note),
      ),
    );
  }
  place.querySelector(".going-words").textContent = words(job.progress) || "Starting";
  moveBar(place, job.progress);
}
