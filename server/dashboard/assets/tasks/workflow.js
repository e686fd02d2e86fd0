/** One workflow: its values and its run, what it does step by step, and what became of it. */

import { activeJobs, ofWorkflow } from "./active_jobs.js";
import { api } from "../shared/api.js";
import { byId, fill, h, subject } from "../shared/dom.js";
import { plural } from "../shared/format.js";
import { live } from "../shared/live.js";
import { pastRuns } from "./past_runs.js";
import { planView } from "./plan_view.js";
import { every } from "../shared/polling.js";
import { runForm } from "./run_form.js";

const LOOK_MS = 10000;
const name = subject();
let shape = "";

const form = runForm(() => ({ workflow: name }));
const runs = pastRuns(["workflows", name]);
byId("title").textContent = name;
document.title = `Vaider – ${name}`;
byId("run").append(form.element);
byId("history").append(runs.element);
const plan = byId("plan").appendChild(h("div", { class: "stack" }));

activeJobs(byId("active"), (job) => ofWorkflow(job, name), () => runs.load());
const watch = every(LOOK_MS, load);
live.back(() => {
  watch.now();
  runs.load();
});
runs.load();

async function load() {
  try {
    show(await api.get(api.address("workflows", name)));
  } catch (error) {
    trouble(error);
  }
}

function show(answer) {
  byId("trouble").hidden = true;
  byId("loading").hidden = true;
  for (const part of ["parts", "actions", "work"]) byId(part).hidden = false;
  const { jobs, last_run: last, ...rest } = answer;
  const now = JSON.stringify(rest);
  if (now === shape) return;
  const first = shape === "";
  shape = now;
  const { workflow } = answer;
  const steps = workflow.plan.subtasks.reduce((sum, each) => sum + each.steps.length, 0);
  const size = `${plural(workflow.plan.subtasks.length, "part")}, ${plural(steps, "step")}`;
  fill(
    byId("facts"),
    h("span", { class: "muted small", title: answer.folder }, `${workflow.task_description_user || workflow.task_name} · ${size}`),
  );
  fill(byId("actions"), h("a", { class: "button", href: api.address("workflows", name, "export"), download: `${name}.zip` }, "Export"));
  form.update({ parameters: answer.parameters });
  fill(plan, planView(answer));
  if (first && location.hash === "#run") byId("run").scrollIntoView();
}

function trouble(error) {
  if (shape !== "" && !["not_found", "invalid_workflow"].includes(error.code)) return;
  const place = byId("trouble");
  const faults = String(error.body?.faults ?? "").split("\n").filter(Boolean);
  place.hidden = false;
  byId("loading").hidden = true;
  shape = "";
  fill(
    place,
    h("p", { class: "problem" }, faults.length > 0 ? "Its schema.json breaks the rules of the format, and nothing can be run:" : error.message),
    faults.length > 0 && h("ul", { class: "faults mono" }, faults.map((each) => h("li", {}, each))),
    h("p", {}, h("a", { href: "/ui/tasks" }, "All tasks and workflows")),
  );
  // What was run of it can be read all the same.
  byId("parts").hidden = error.code !== "invalid_workflow";
  byId("work").hidden = true;
}
