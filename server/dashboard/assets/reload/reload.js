/** The page of reload: what is kept, what it was good for, what would be offered now. */

import { api } from "../shared/api.js";
import { ask } from "../shared/dialog.js";
import { byId, fill, h, keyed } from "../shared/dom.js";
import { live } from "../shared/live.js";
import { failure, notice } from "../shared/notice.js";
import { makeEntry, updateEntry } from "./reload_entries.js";
import { figures, reasons } from "./reload_figures.js";
import { showOptions } from "./reload_options.js";
import { soon } from "./soon.js";

const PAGE = 50;
const MOST = 500;
const TELLING = new Set(["done", "failed", "cancelled", "reload_started", "reload_finished", "reload_stopped"]);
const SHOWN_REFUSALS = 10;
let wanted = PAGE;

async function load() {
  try {
    const [{ entries, count }, told] = await Promise.all([api.get(`/reload?limit=${wanted}`), api.get("/reload/stats")]);
    showEntries(entries, count);
    fill(byId("figures"), figures(told));
    fill(byId("reasons"), reasons(told));
  } catch (error) {
    say(error.message, true);
  }
}

function showEntries(entries, count) {
  const list = byId("entries");
  list.hidden = count === 0;
  keyed(list, entries, (entry) => `${entry.cacheId} ${entry.version}`, makeEntry, updateEntry);
  byId("more").hidden = entries.length >= Math.min(count, MOST);
  /** @type {HTMLButtonElement} */ (byId("forget-all")).disabled = count === 0;
  if (count > entries.length) say(`Those ${entries.length} of ${count.toLocaleString()} that were used last.`);
  else say(count === 0 ? "" : `${entriesOf(count)}, those used last first.`);
  if (count === 0) fill(byId("kept-note"), nothing());
}

function entriesOf(count) {
  return count === 1 ? "1 entry" : `${count.toLocaleString()} entries`;
}

function nothing() {
  return [
    "Nothing yet. A run that succeeds is kept by itself: ",
    h("a", { href: "/ui/tasks" }, "run a task or a workflow"),
    ". An agent's own actions can be posted to ",
    h("code", {}, "/reload"),
    ", and entries of another machine imported here.",
  ];
}

function say(text, bad = false) {
  const note = byId("kept-note");
  note.classList.toggle("problem", bad);
  note.textContent = text;
}

async function look(event) {
  event.preventDefault();
  const request = /** @type {HTMLInputElement} */ (byId("asked")).value.trim();
  const place = byId("offered");
  if (request === "") {
    fill(place, h("p", { class: "muted" }, "Write what you would ask for, e.g. as you would tell an agent."));
    return;
  }
  fill(place, h("p", { class: "muted" }, "Looking …"));
  try {
    fill(place, showOptions(await api.post("/reload/options", { request, explain: true })));
  } catch (error) {
    fill(place, h("p", { class: "problem", role: "alert" }, error.message));
  }
}

async function forgetAll() {
  const sure = { title: "Forget all that is kept?", text: "What was learned of repetitions is gone for good; export it first if you may want it back. Tasks, workflows and memories stay.", action: "Forget all", dangerous: true };
  if (!(await ask(sure))) return;
  try {
    const { forgotten } = await api.del("/reload");
    notice(`${entriesOf(forgotten)} forgotten.`);
    await load();
  } catch (error) {
    failure(error);
  }
}

async function take(event) {
  const input = /** @type {HTMLInputElement} */ (event.target);
  const [file] = input.files ?? [];
  input.value = "";
  if (file === undefined) return;
  const place = byId("imported");
  fill(place, h("p", { class: "panel muted" }, `Importing ${file.name} …`));
  try {
    fill(place, importAnswer(file.name, await api.post("/reload/import", await read(file))));
    await load();
  } catch (error) {
    fill(place, h("p", { class: "panel problem", role: "alert" }, `${file.name}: ${error.message}`));
  }
}

async function read(file) {
  try {
    return JSON.parse(await file.text());
  } catch {
    throw new Error("This is no JSON: choose a file that Export has written.");
  }
}

function importAnswer(name, { cacheIds, refused }) {
  const shown = refused.slice(0, SHOWN_REFUSALS);
  return h(
    "div",
    { class: "panel stack" },
    h("div", { class: "row between" }, h("p", {}, h("strong", {}, name), `: ${cacheIds.length} kept, ${refused.length} refused. What is kept has to be seen to succeed once before it is done without asking.`), h("button", { class: "button quiet small", type: "button", on: { click: () => fill(byId("imported")) } }, "Close")),
    shown.length > 0 && h("ul", { class: "list small" }, shown.map(({ position, reason }) => h("li", {}, `Entry ${position + 1}: ${reason}`))),
    refused.length > shown.length && h("p", { class: "muted small" }, `… and ${refused.length - shown.length} more.`),
  );
}

byId("ask").addEventListener("submit", look);
byId("forget-all").addEventListener("click", forgetAll);
byId("import").addEventListener("click", () => byId("file").click());
byId("file").addEventListener("change", take);
byId("more").addEventListener("click", () => {
  wanted = Math.min(wanted + PAGE, MOST);
  load();
});
const refresh = soon(load, 500);
live.on(({ stage }) => TELLING.has(stage) && refresh());
live.back(load);
load();
