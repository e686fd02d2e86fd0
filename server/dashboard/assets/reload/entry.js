/** The page of one entry of reload: what it would do, step by step, and doing it again. */

import { api } from "../shared/api.js";
import { ask } from "../shared/dialog.js";
import { byId, fill, h, subject } from "../shared/dom.js";
import { ago, lasting, moment, plural } from "../shared/format.js";
import { badge } from "../shared/jobs.js";
import { live } from "../shared/live.js";
import { failure } from "../shared/notice.js";
import { replayForm } from "./replay_form.js";
import { badges, isSaidTwice, trigger, uses, withPlaces } from "./reload_entries.js";
import { differences, stepList } from "./reload_steps.js";
import { soon } from "./soon.js";

const ID = subject();
const TELLING = new Set(["done", "failed", "cancelled", "reload_started", "reload_finished", "reload_stopped"]);
const LOOKED_AT = 200;
const SHOWN = 8;
/** A wording that only programs use: a folder and values. */
const PROGRAMS = /^(workflow|task):/;
const form = replayForm(ID);
const steps = stepList(byId("steps"), (skipped, all) => form.skip(skipped, all));
let shape = "";

async function load() {
  try {
    show(await api.get(`${api.address("reload", ID)}?images=true`));
  } catch (error) {
    byId("entry").hidden = error.status === 404;
    tell(error.status === 404 ? "This entry is not kept any more: it was forgotten, or was not used for long." : error.message);
  }
}

function tell(text) {
  byId("problem").textContent = text;
  byId("problem").hidden = text === "";
}

function show(entry) {
  tell("");
  byId("entry").hidden = false;
  byId("label").textContent = entry.label || entry.cacheId;
  document.title = `${entry.label || entry.cacheId} – Vaider`;
  byId("words").hidden = isSaidTwice(entry);
  fill(byId("words"), trigger(entry));
  fill(byId("badges"), badges(entry));
  fill(byId("warnings"), warnings(entry));
  fill(byId("facts"), facts(entry));
  form.update(entry);
  // What is being left out stays so while only counts have changed.
  const now = JSON.stringify([entry.version, entry.sequence.length, entry.proposalSuccesses, entry.healingSteps.length]);
  if (now !== shape) {
    shape = now;
    steps.update(entry.sequence);
    byId("healing").hidden = entry.healingSteps.length === 0;
    fill(byId("differences"), differences(entry));
  }
  byId("criteria").hidden = entry.successCriteria === "";
  byId("criteria").textContent = `Then it is done: ${entry.successCriteria}`;
}

function warnings(entry) {
  const warning = (text) => h("p", { class: "panel ask small" }, text);
  return [
    entry.stale && warning(`${entry.stale} It is not done again; what succeeds from now on is kept anew.`),
    entry.quarantined && warning(`It is not offered until it has succeeded again: ${entry.quarantined}`),
  ].filter(Boolean);
}

function facts(entry) {
  const rows = [
    ["Recorded from", origin(entry)],
    ["Also asked as", others(entry)],
    ["Recorded", [when(entry.createdAt), entry.originalMessageId.startsWith("job-") && [" in ", h("a", { href: api.address("ui", "runs", entry.originalMessageId) }, "this run")]]],
    ["Decided then by", [entry.agentId || "unknown", entry.durationMs > 0 && `, in ${lasting(entry.durationMs)}`, entry.modelCalls > 0 && ` and ${plural(entry.modelCalls, "model call")}`]],
    ["Used", uses(entry)],
    ["Last used", when(entry.lastUsed)],
    ["Screen", entry.screen && `${entry.screen[0]} × ${entry.screen[1]}`],
    ["Version", `${entry.cacheId}, version ${entry.version}`],
  ];
  return rows.filter(([, value]) => value).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]);
}

function others(entry) {
  const said = entry.requests.slice(1).filter((request) => !PROGRAMS.test(request));
  return said.length > 0 && h("ul", { class: "wordings" }, said.map((request) => h("li", {}, withPlaces(request))));
}

function origin(entry) {
  const [kind, name] = [entry.origin.split(": ")[0], entry.origin.split(": ").slice(1).join(": ")];
  const folder = { workflow: "workflows", task: "tasks" }[kind];
  const short = name.split("/").filter(Boolean).at(-1);
  if (folder && short) return [`the ${kind} `, h("a", { href: api.address("ui", folder, short), title: name }, short)];
  return "what a client carried out";
}

function when(iso) {
  return h("time", { datetime: iso, title: moment(iso) }, ago(iso));
}

async function loadUses() {
  try {
    const { jobs } = await api.get(`/jobs?brief=true&kind=replay&kind=reload&limit=${LOOKED_AT}`);
    const mine = jobs.filter((job) => job.entry === ID).slice(0, SHOWN);
    fill(byId("uses"), mine.length === 0 ? h("p", { class: "muted" }, "None among the last runs.") : h("ul", { class: "list" }, mine.map(use)));
  } catch (error) {
    fill(byId("uses"), h("p", { class: "problem" }, error.message));
  }
}

function use(job) {
  return h(
    "li",
    {},
    h("div", { class: "row between" }, h("div", { class: "row" }, badge(job), when(job.created_at)), h("a", { href: api.address("ui", "runs", job.id), "aria-label": `Actions of the replay of ${moment(job.created_at)}` }, "Actions")),
    job.reason && h("p", { class: "small muted" }, job.reason),
  );
}

async function forget() {
  const sure = { title: "Forget this entry?", text: "It is not offered any more. The task or workflow that it came from stays, and what succeeds from now on is kept anew.", action: "Forget it", dangerous: true };
  if (!(await ask(sure))) return;
  try {
    await api.del(api.address("reload", ID));
    location.assign("/ui/reload");
  } catch (error) {
    failure(error);
  }
}

const refresh = soon(() => Promise.all([load(), loadUses()]), 500);
fill(byId("again"), form.element);
byId("forget").addEventListener("click", forget);
live.on(({ stage }) => TELLING.has(stage) && refresh());
live.back(refresh);
load();
loadUses();
