/** The workflows of a list, each with its state. */

import { ofWorkflow } from "./active_jobs.js";
import { api } from "../shared/api.js";
import { fill, h, keyed } from "../shared/dom.js";
import { ago, moment, plural } from "../shared/format.js";
import { badge } from "../shared/jobs.js";
import { showActivity } from "./task_rows.js";

/** As `taskRows`, for workflows. */
export function workflowRows() {
  let entries = [];
  let list = null;
  const activity = (item, name) => showActivity(item.querySelector(".activity"), entries.find(({ job }) => ofWorkflow(job, name)));
  return {
    words: (workflow) => `${workflow.name} ${workflow.task_name} ${workflow.task_description}`,
    empty: () =>
      h(
        "div",
        { class: "panel empty" },
        h("p", {}, "There is no workflow yet. Make one of a task, on its page, or import one that somebody has handed on."),
        h("p", { class: "row" }, h("a", { class: "button", href: "#import" }, "Import one")),
      ),
    show(place, workflows) {
      if (list === null || list.parentElement !== place) fill(place, (list = h("ul", { class: "list panel" })));
      keyed(list, workflows, (workflow) => workflow.name, make, (item, workflow) => {
        update(item, workflow);
        activity(item, workflow.name);
      });
    },
    active(found) {
      entries = found;
      for (const item of list?.children ?? []) activity(item, item.dataset.key);
    },
  };
}

function make({ name }) {
  const address = api.address("ui", "workflows", name);
  return h(
    "li",
    { class: "undertaking" },
    h("div", { class: "row" }, h("a", { class: "name", href: address }, name), h("span", { class: "row states-of" })),
    h("p", { class: "muted small about" }),
    h("div", { class: "activity", hidden: true }),
    h("div", { class: "row actions" }, h("a", { class: "button small run", href: `${address}#run`, "aria-label": `Run ${name}` }, "Run")),
  );
}

function update(item, workflow) {
  const last = workflow.last_run;
  item.querySelector(".run").hidden = !workflow.valid;
  fill(item.querySelector(".states-of"), !workflow.valid && h("span", { class: "badge bad" }, "not valid"), last && badge(last));
  const size = ` · ${plural(workflow.parameters.length, "value")} · ${plural(workflow.subtasks, "part")}`;
  const ran = last && [" · ran ", h("time", { datetime: last.started_at, title: moment(last.started_at) }, ago(last.started_at))];
  const about = workflow.valid ? [workflow.task_description || workflow.task_name, size, ran] : h("span", { class: "said" }, workflow.error);
  fill(item.querySelector(".about"), about);
}
