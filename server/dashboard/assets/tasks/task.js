/** One task: what it asks, carrying it out, its document, when it runs by itself, and what became of it. */

import { activeJobs, ofTask } from "./active_jobs.js";
import { api } from "../shared/api.js";
import { ask } from "../shared/dialog.js";
import { byId, fill, h, subject } from "../shared/dom.js";
import { editor } from "./editor.js";
import { ago, moment, plural } from "../shared/format.js";
import { live } from "../shared/live.js";
import { failure, notice } from "../shared/notice.js";
import { pastRuns } from "./past_runs.js";
import { planList } from "./plan_list.js";
import { every } from "../shared/polling.js";
import { questionsPanel } from "./questions.js";
import { runForm } from "./run_form.js";
import { schedulePanel } from "./schedule.js";
import { taskFilm } from "./task_film.js";
import { versionList } from "./versions.js";
import { workflowMaker } from "./workflow_maker.js";

const LOOK_MS = 4000;
const READABLE = ["questions", "plan", "run", "document", "schedule"];
const id = subject();
const path = api.address("tasks", id);
let shown = null;
let leaving = false;

const form = runForm(() => ({ task: id }), `${path}/try`);
const film = taskFilm(byId("film"), id);
const questions = questionsPanel({ task: id, changed: load, run: goOn, film });
const plan = planList({ task: id, film, saved: show });
const text = editor({ task: id, saved: show });
const schedule = schedulePanel({ task: id, changed: load });
const versions = versionList({ task: id, changed: load });
const runs = pastRuns(["tasks", id]);

byId("questions").append(questions.element);
byId("plan").append(plan.element);
byId("run").append(form.element);
byId("document").append(text.element);
byId("schedule").append(schedule.element);
byId("versions").append(versions.element);
byId("history").append(runs.element);
activeJobs(byId("active"), (job) => ofTask(job, id), () => {
  runs.load();
  watch.now();
});
const watch = every(LOOK_MS, load);
live.back(() => {
  watch.now();
  runs.load();
});
runs.load();
addEventListener("beforeunload", (event) => {
  if (!leaving && (text.dirty() || questions.dirty() || plan.dirty())) event.preventDefault();
});

/** Read it again. @returns {Promise<any>} the task; null when it cannot be read */
async function load() {
  try {
    const task = await api.get(path);
    show(task);
    return task;
  } catch (error) {
    trouble(error);
    return null;
  }
}

function show(task) {
  const first = shown === null;
  const other = shown?.version.number !== task.version.number;
  shown = task;
  byId("trouble").hidden = task.fault === "";
  byId("trouble").textContent = task.fault;
  byId("trouble").classList.add("problem");
  if (other) {
    heading(task);
    film.update(task.film);
    byId("shown").classList.toggle("has-film", task.film !== "");
    plan.update(task);
    questions.update(task.questions);
    form.update({ parameters: task.parameters, open: task.questions.filter((each) => each.state === "open"), fault: task.fault });
    text.update(task);
    versions.update(task.version.number);
    schedule.load().catch(failure);
  }
  for (const part of ["shown", "parts", "actions", ...READABLE]) byId(part).hidden = false;
  byId("loading").hidden = true;
  // What was linked to was not there when the page came.
  if (first && location.hash) document.querySelector(`[id="${CSS.escape(location.hash.slice(1))}"]`)?.scrollIntoView();
}

function heading(task) {
  const open = task.questions.filter((each) => each.state === "open").length;
  const next = open > 0 ? { href: "#questions", does: "Answer" } : { href: "#run", does: "Run" };
  fill(
    byId("actions"),
    h("a", { class: "button primary", href: next.href }, next.does),
    h("button", { class: "button", type: "button", on: { click: () => workflowMaker(id) } }, "Make a workflow"),
    h("button", { class: "button quiet", type: "button", on: { click: remove } }, "Delete"),
  );
  byId("title").textContent = task.title || task.id;
  document.title = `Vaider – ${task.title || task.id}`;
  fill(
    byId("facts"),
    open > 0 && h("a", { class: "badge warn", href: "#questions" }, plural(open, "open question")),
    task.fault && h("span", { class: "badge bad" }, "cannot be used"),
    h("span", { class: "muted small" }, "Changed ", h("time", { datetime: task.version.at, title: moment(task.version.at) }, ago(task.version.at)), " · "),
    h("code", { class: "small", title: `${task.folder}/HEARTBEAT.md` }, "HEARTBEAT.md"),
  );
}

function trouble(error) {
  if (shown !== null && error.code !== "not_found") return;
  const gone = error.code === "not_found";
  const place = byId("trouble");
  place.hidden = false;
  const said = gone && shown ? "This task is not there any more: it was deleted." : error.message;
  fill(place, h("p", { class: "problem" }, said), h("p", {}, h("a", { href: "/ui/tasks" }, "All tasks")));
  byId("loading").hidden = true;
  if (gone) {
    byId("actions").hidden = true;
    watch.stop();
  } else if (error.code !== "offline") unreadable();
}

/** What is no text can still be taken back to what it was. */
function unreadable() {
  byId("parts").hidden = false;
  for (const part of ["shown", ...READABLE]) byId(part).hidden = true;
  versions.update(0);
}

/** Once the answers are written: at once where nothing more is needed. */
function goOn() {
  byId("run").scrollIntoView();
  if (form.needs()) return notice("It needs values that have no default: fill them in, then run it.");
  form.start();
}

async function remove() {
  const sure = await ask({
    title: `Delete ${shown.title || id}?`,
    text: "Its versions, recordings and runs are deleted with it, for good.",
    action: "Delete",
    dangerous: true,
  });
  if (!sure) return;
  try {
    await api.del(path);
    leaving = true;
    location.assign("/ui/tasks");
  } catch (error) {
    failure(error);
  }
}
