/** What is carried out for one task or workflow at this moment. */

import { h, keyed } from "../shared/dom.js";
import { bar, moveBar, page, words } from "../shared/jobs.js";
import { running } from "../shared/running.js";

const NAMES = { replay: "It is being carried out", reload: "It is done again", learning: "It is learned into" };

/** Whether a job is about a task. */
export function ofTask(job, id) {
  return [job.task, job.request?.task, job.request?.into].includes(id);
}

/** Whether a job is about a workflow, by its name. */
export function ofWorkflow(job, name) {
  const folder = job.workflow || job.request?.workflow || "";
  return folder.split("/").filter(Boolean).at(-1) === name;
}

/**
 * Keep the jobs that belong here in a place, as they go on.
 * @param {HTMLElement} place
 * @param {(job: any) => boolean} belongs
 * @param {() => void} ended one of them is over
 */
export function activeJobs(place, belongs, ended) {
  let shown = new Set();
  running.on((entries) => {
    const found = entries.filter(({ job }) => belongs(job));
    const ids = new Set(found.map(({ job }) => job.id));
    if ([...shown].some((id) => !ids.has(id))) ended();
    shown = ids;
    place.hidden = found.length === 0;
    keyed(place, found, ({ job }) => job.id, make, update);
  });
}

function make({ job, event }) {
  return h(
    "div",
    { class: "panel active-job stack tight" },
    h(
      "div",
      { class: "row between" },
      h("p", {}, h("strong", {}, NAMES[job.kind] ?? job.kind), " ", h("span", { class: "muted job-words" })),
      h("a", { class: "button small", href: page(job) }, "Watch"),
    ),
    bar(event, "Progress"),
  );
}

function update(element, { event, approval }) {
  element.querySelector(".job-words").textContent = approval ? "It waits for your answer" : words(event);
  moveBar(element, event);
}
