/** The tasks of a list, each with its state. */

import { ofTask } from "./active_jobs.js";
import { api } from "../shared/api.js";
import { ask } from "../shared/dialog.js";
import { fill, h, keyed } from "../shared/dom.js";
import { ago, moment, plural } from "../shared/format.js";
import { badge, bar, moveBar, words } from "../shared/jobs.js";
import { failure, notice } from "../shared/notice.js";

/** @param {{changed: () => void}} part */
export function taskRows({ changed }) {
  let entries = [];
  let list = null;
  const activity = (item, task) => showActivity(item.querySelector(".activity"), entries.find(({ job }) => ofTask(job, task)));
  return {
    words: (task) => `${task.title} ${task.id} ${task.schedule}`,
    empty: () =>
      h(
        "div",
        { class: "panel empty" },
        h("p", {}, "There is no task yet. Show Vaider once how something is done, and it writes down how."),
        h("p", { class: "row" }, h("a", { class: "button primary", href: "#learn" }, "Drop a recording"), h("a", { class: "button", href: "#write" }, "Write one")),
      ),
    show(place, tasks) {
      if (list === null || list.parentElement !== place) fill(place, (list = h("ul", { class: "list panel" })));
      keyed(list, tasks, (task) => task.id, (task) => make(task, changed), (item, task) => {
        update(item, task);
        activity(item, task.id);
      });
    },
    active(found) {
      entries = found;
      for (const item of list?.children ?? []) activity(item, item.dataset.key);
    },
  };
}

function make(task, changed) {
  const remove = h("button", { class: "button small quiet remove", type: "button" }, "Delete");
  const item = h(
    "li",
    { class: "undertaking" },
    h("div", { class: "row" }, h("a", { class: "name", href: api.address("ui", "tasks", task.id) }), h("span", { class: "row states-of" })),
    h("p", { class: "muted small about" }),
    h("div", { class: "activity", hidden: true }),
    h("div", { class: "row actions" }, h("a", { class: "button small primary answer", href: `${api.address("ui", "tasks", task.id)}#questions` }, "Answer"), h("a", { class: "button small run", href: `${api.address("ui", "tasks", task.id)}#run` }, "Run"), remove),
  );
  remove.addEventListener("click", async () => {
    const name = item.querySelector(".name").textContent;
    const sure = await ask({ title: `Delete ${name}?`, text: "Its versions, recordings and runs are deleted with it, for good.", action: "Delete", dangerous: true });
    if (!sure) return;
    try {
      await api.del(api.address("tasks", task.id));
      notice(`${name} is deleted.`);
    } catch (error) {
      failure(error);
    }
    changed();
  });
  return item;
}

function update(item, task) {
  const name = task.title || task.id;
  item.querySelector(".name").textContent = name;
  item.querySelector(".run").setAttribute("aria-label", `Run ${name}`);
  item.querySelector(".answer").setAttribute("aria-label", `Answer ${name}`);
  item.querySelector(".answer").hidden = task.open_questions === 0;
  item.querySelector(".remove").setAttribute("aria-label", `Delete ${name}`);
  const last = task.last_run;
  fill(
    item.querySelector(".states-of"),
    task.fault && h("span", { class: "badge bad" }, "cannot be used"),
    task.schedule_fault && h("span", { class: "badge bad" }, "schedule not understood"),
    task.open_questions > 0 && h("a", { class: "badge warn", href: `${api.address("ui", "tasks", task.id)}#questions` }, plural(task.open_questions, "open question")),
    // That it asked, its question says.
    last && !(task.open_questions > 0 && last.headline.label === "asked") && badge(last),
  );
  const when = (iso, before) => h("span", {}, before, h("time", { datetime: iso, title: moment(iso) }, ago(iso)));
  const parts = [
    last ? when(last.started_at, "Ran ") : "Not run yet",
    task.next && [`${task.schedule}, `, when(task.next, "next ")],
    !last && when(task.modified, "changed "),
  ].filter(Boolean);
  fill(item.querySelector(".about"), task.fault || task.schedule_fault || parts.map((part, at) => [at > 0 && " · ", part]));
}

/** What a list tells of a job that goes on. @param {HTMLElement} place */
export function showActivity(place, entry) {
  place.hidden = !entry;
  if (!entry) return fill(place);
  if (!place.firstElementChild) fill(place, h("span", { class: "small activity-words" }), bar(entry.event, "Progress"));
  place.querySelector(".activity-words").textContent = entry.approval ? "Waits for your answer" : words(entry.event);
  moveBar(place, entry.event);
}
