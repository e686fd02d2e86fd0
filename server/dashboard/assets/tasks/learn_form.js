/** A recording in, a task out: sent, watched while it is learned from, and asked about. */

import { api } from "../shared/api.js";
import { fill, h } from "../shared/dom.js";
import { bytes, percent } from "../shared/format.js";
import { advance, bar, fraction, isFinal, words } from "../shared/jobs.js";
import { live } from "../shared/live.js";
import { learned, notLearned } from "./lesson_result.js";
import { failure } from "../shared/notice.js";

const MOST = 5;
const WATCHERS = [["", "As set"], ["local", "local, on this machine"], ["gemini", "gemini"]];

/**
 * @param {{changed: () => void}} part
 * @returns {{element: HTMLElement, tasks: (tasks: any[]) => void}}
 */
export function learnForm({ changed }) {
  const file = h("input", { id: "learn-file", type: "file", accept: "video/*,.mp4,.mkv,.webm,.mov,.gif", multiple: true, class: "visually-hidden" });
  const into = h("select", { id: "learn-into" }, h("option", { value: "" }, "A new task"));
  const by = h("select", { id: "learn-by" }, WATCHERS.map(([value, name]) => h("option", { value }, name)));
  const drop = h(
    "label",
    { class: "drop", for: "learn-file" },
    h("strong", {}, "Drop a recording here, or choose one"),
    h("span", { class: "hint" }, "Of somebody doing it once: at most 2 GB and 5 minutes. It stays on this machine, unless Gemini is to watch it."),
  );
  const lessons = h("div", { class: "stack" });
  const take = (files) => {
    for (const each of files) {
      while (lessons.children.length >= MOST && lessons.lastElementChild?.dataset.over) lessons.lastElementChild.remove();
      const wanted = { ...(into.value && { into: into.value }), ...(by.value && { provider: by.value }) };
      lessons.prepend(lesson(each, wanted, changed));
    }
  };
  file.addEventListener("change", () => {
    take([...file.files]);
    file.value = "";
  });
  dropped(drop, take);
  const element = h(
    "div",
    { class: "stack" },
    file,
    drop,
    h(
      "div",
      { class: "grid" },
      field("Learn it into", into, "Another recording of a known task adds to it: what differs becomes a question."),
      field("Watched by", by, "Without Gemini, what was clicked is asked, unless the recording has a log of it."),
    ),
    lessons,
  );
  return {
    element,
    tasks(tasks) {
      const chosen = into.value;
      fill(into, h("option", { value: "" }, "A new task"), tasks.filter((each) => !each.fault).map((each) => h("option", { value: each.id }, each.title)));
      into.value = [...into.options].some((each) => each.value === chosen) ? chosen : "";
    },
  };
}

/** Take the files that are dropped on a place. */
function dropped(place, take) {
  for (const name of ["dragenter", "dragover"]) place.addEventListener(name, () => place.classList.add("over"));
  for (const name of ["dragleave", "drop"]) place.addEventListener(name, () => place.classList.remove("over"));
  place.addEventListener("drop", (event) => take([...event.dataTransfer.files]));
  // Beside the place it would be opened in the place of this page.
  for (const name of ["dragover", "drop"]) addEventListener(name, (event) => event.preventDefault());
}

function field(name, input, hint) {
  return h("div", { class: "field" }, h("label", { class: "label", for: input.id }, name), input, h("span", { class: "hint" }, hint));
}

/** One recording on its way. */
function lesson(file, wanted, changed) {
  const state = h("p", { role: "status" });
  const progress = bar(null, `Progress of ${file.name}`);
  const stop = h("button", { class: "button small", type: "button", "aria-label": `Stop ${file.name}` }, "Stop");
  const body = h("div", { class: "stack" }, state, progress);
  const heading = h("h3", {}, file.name, " ", h("span", { class: "muted small" }, bytes(file.size)));
  const card = h("article", { class: "panel stack tight lesson" }, h("div", { class: "row between" }, heading, stop), body);
  const step = (text, part) => {
    state.textContent = text;
    advance(progress, part);
  };
  const sending = api.upload("/tasks", file, wanted, (part) => step(part < 1 ? `Sending, ${percent(part)}` : "Checking it", part));
  step("Sending", 0);
  stop.onclick = () => sending.cancel();
  const over = (...content) => {
    card.dataset.over = "true";
    stop.remove();
    fill(body, ...content);
  };
  sending.then(
    ({ job_id: job }) => {
      stop.onclick = () => api.del(api.address("jobs", job)).catch(failure);
      follow(job, step, (ended) => {
        changed();
        over(...(ended.state === "done" ? learned(ended.result, changed) : notLearned(ended)));
      });
    },
    (error) => over(h("p", { class: error.code === "cancelled" ? "muted" : "problem", role: "alert" }, error.message)),
  );
  return card;
}

/** Tell how far a job is, and what became of it, once. */
function follow(id, step, ended) {
  let over = false;
  const look = async () => {
    const job = await api.get(api.address("jobs", id)).catch(() => null);
    if (job === null || over) return;
    if (!isFinal(job.state)) return step(words(job.progress) || "Waiting in line", fraction(job.progress));
    over = true;
    leave.forEach((each) => each());
    ended(job);
  };
  const leave = [
    live.on((event) => {
      if (event.job_id !== id) return;
      if (isFinal(event.stage)) look();
      else step(words(event), fraction(event));
    }),
    live.back(look),
  ];
  look();
}
