/** What became of a run: in words, with its evidence, and where it goes from there. */

import { api } from "../shared/api.js";
import { h } from "../shared/dom.js";
import { lasting, plural } from "../shared/format.js";
import { checked } from "./run_steps.js";

const OUTCOMES = {
  succeeded: ["good", "✓", "Succeeded", "All was done, and what was expected is there."],
  unclear: ["warn", "?", "Unclear", "All is said to be done; whether it was cannot be seen."],
  failed: ["bad", "✗", "Failed", "It could not be done."],
  refused: ["bad", "⊘", "Refused", "It may not do this."],
  asked: ["warn", "?", "Asks", "It needs an answer that only you can give."],
  cancelled: ["muted", "■", "Cancelled", "Somebody stopped it."],
  taken_over: ["muted", "■", "Taken over", "You took the mouse or the keyboard."],
};

/** @param {any} job one that is over @param {ReturnType<import("./run_story.js").story>} tale @returns {HTMLElement} */
export function outcome(job, tale) {
  const run = job.result ?? {};
  const name = job.outcome;
  const [mood, sign, said, meaning] = OUTCOMES[name] ?? ["muted", "·", String(name), ""];
  const reason = run.reason || tale.finished?.reason || job.error?.error || meaning;
  return h(
    "section",
    { class: `panel stack run-result ${mood}`, "aria-label": "Outcome" },
    h("h2", { class: "run-verdict" }, h("span", { "aria-hidden": "true" }, sign), " ", said),
    h("p", {}, reason),
    run.confirmed_by && h("p", {}, h("span", { class: `badge ${run.caution ? "warn" : "good"}` }, `confirmed by ${run.confirmed_by}`), " ", run.caution || null),
    run.success_check && h("div", {}, h("h3", { class: "small muted" }, "What success was to look like"), checked(run.success_check)),
    (run.effects ?? []).length > 0 && h("div", {}, h("h3", { class: "small muted" }, "What was read elsewhere"), run.effects.map(checked)),
    extracts(run.extracts ?? told(tale)),
    questions(run),
    h("dl", { class: "facts" }, facts(run, tale).map(([term, value]) => [h("dt", {}, term), h("dd", {}, value)])),
    h("p", { class: "row" }, links(job, run, tale)),
  );
}

function told(tale) {
  const values = tale.subtasks.flatMap((each) => each.steps).filter((step) => step.value).map((step) => [step.value.name, step.value.value]);
  return Object.fromEntries(values);
}

function extracts(values) {
  const entries = Object.entries(values);
  if (entries.length === 0) return null;
  return h(
    "div",
    {},
    h("h3", { class: "small muted" }, "Read off the screen"),
    h("dl", { class: "facts" }, entries.map(([name, value]) => [h("dt", {}, name), h("dd", { class: "mono" }, value)])),
  );
}

function questions(run) {
  const asked = [...(run.asked ?? []), ...(run.open_questions ?? []).filter((each) => !(run.asked ?? []).some((one) => one.id === each.id))];
  if (asked.length === 0) return null;
  return h(
    "div",
    { class: "stack" },
    h("h3", { class: "small muted" }, plural(asked.length, "open question")),
    h("ul", { class: "list" }, asked.map((question) => h("li", {}, question.text))),
    run.task && h("p", {}, h("a", { class: "button primary", href: `${api.address("ui", "tasks", run.task)}#questions` }, "Answer them")),
  );
}

function facts(run, tale) {
  const spent = run.spent ?? tale.finished?.spent ?? {};
  const took = run.duration_ms ?? tale.finished?.duration_ms;
  const tokens = (spent.input_tokens ?? 0) + (spent.output_tokens ?? 0);
  const replayed = run.reload;
  return [
    ["Took", took === undefined ? "" : lasting(took)],
    ["Actions", spent.steps === undefined ? "" : String(spent.steps)],
    ["By you", run.inputs ? plural(run.inputs, "action") : ""],
    ["Decided by", [run.provider, run.model].filter(Boolean).join(" ")],
    ["Model", spent.model_calls ? `${plural(spent.model_calls, "call")}, ${plural(tokens, "token")}` : ""],
    ["Cost", money(spent)],
    ["Replayed", replayed ? `${replayed.replayed} of ${replayed.actions} actions${replayed.reason ? `; ${replayed.reason}` : ""}` : ""],
    ["With", Object.entries(run.params ?? {}).map(([name, value]) => `${name} = ${value}`).join(", ")],
    ["Folder", run.directory ?? tale.finished?.directory ?? ""],
  ].filter(([, value]) => value !== "");
}

/** What it has cost, as far as anybody knows. */
export function money(spent) {
  if (!spent.model_calls) return "";
  return spent.usd === null || spent.usd === undefined ? "not known" : `$${spent.usd.toFixed(spent.usd < 1 ? 3 : 2)}`;
}

function links(job, run, tale) {
  const entry = run.entry || run.reload?.cache_id;
  const task = job.request?.task;
  const workflow = String(job.request?.workflow ?? "").split("/").filter(Boolean).at(-1);
  return [
    tale.finished && h("a", { class: "button", href: api.address("jobs", job.id, "report"), target: "_blank", rel: "noopener" }, "Report"),
    entry && h("a", { class: "button", href: api.address("ui", "reload", entry) }, run.entry ? "Its reload entry" : "The entry it replayed"),
    task && h("a", { class: "button", href: api.address("ui", "tasks", task) }, "The task"),
    !task && workflow && h("a", { class: "button", href: api.address("ui", "workflows", workflow) }, "The workflow"),
  ];
}

/** What was learned, or why nothing was. @param {any} job */
export function lesson(job) {
  const learned = job.result;
  if (!learned) return [h("p", { class: "problem" }, job.error?.error ?? "Nothing was learned.")];
  const open = (learned.questions ?? []).filter((each) => each.state === "open").length;
  const where = api.address("ui", "tasks", learned.task);
  return [
    h("p", {}, h("span", { class: "badge good" }, learned.created ? "learned" : "merged"), " ", h("strong", {}, learned.title || learned.task)),
    h("p", { class: "muted" }, `By ${[learned.provider, learned.model].filter(Boolean).join(" ")}, in ${lasting(learned.duration_ms ?? 0)}.`),
    (learned.warnings ?? []).map((warning) => h("p", { class: "muted" }, warning)),
    h("p", { class: "row" }, h("a", { class: "button primary", href: open ? `${where}#questions` : where }, open ? `Answer ${plural(open, "question")}` : "Open the task")),
  ];
}
