/** What became of a run: in a line, with its picture and its evidence, and where it goes from there. */

import { api } from "../shared/api.js";
import { h } from "../shared/dom.js";
import { lasting, plural } from "../shared/format.js";
import { who } from "../shared/jobs.js";
import { outcomePanel } from "../shared/outcome.js";
import { checked } from "./run_steps.js";

/**
 * @param {any} job one that is over
 * @param {ReturnType<import("./run_story.js").story>} tale
 * @param {{pictures: Set<string>, reveal: (key: string) => void}} shown the screenshots that there are; brings a step into view
 * @returns {HTMLElement}
 */
export function outcome(job, tale, { pictures, reveal }) {
  const run = job.result ?? {};
  const moment = decisive(tale, run, pictures);
  const seen = job.outcome === "succeeded" ? [...pictures].at(-1) : moment?.picture;
  const where = moment && api.address("jobs", job.id, "screenshots", seen);
  const headline = job.headline ?? { mood: "muted", text: job.outcome };
  return outcomePanel(headline, {
    picture: moment && h("img", { class: "run-moment", src: `${where}?width=480`, alt: "", decoding: "async" }),
    show: moment && (job.outcome === "succeeded" ? "Show the last action" : "Show that moment"),
    primary: job.outcome !== "asked",
    go: () => moment && reveal(moment.key),
    // The line adds some words to the reason, and leaves out what is in parentheses.
    details: run.reason?.length > headline.text.length ? run.reason : "",
    more: [
      run.caution && h("p", { class: "muted small" }, run.caution),
      run.success_check && run.success_check.verdict !== "pass" && checked(run.success_check),
      (run.effects ?? []).map(checked),
      extracts(run.extracts, tale),
      questions(run, job.outcome === "asked" ? run.asked ?? [] : []),
      h("div", { class: "row between" }, h("p", { class: "row" }, links(job, run, tale)), about(run, tale)),
    ],
  });
}

/** The action that tells how it ended: the last one that did more than wait, where it stopped. */
function decisive(tale, run, pictures) {
  const part = run.stopped_at === null || run.stopped_at === undefined ? tale.subtasks.at(-1) : tale.subtasks.findLast((each) => each.index === run.stopped_at);
  const steps = (part?.steps ?? []).filter((step) => pictures.has(step.picture));
  return steps.findLast((step) => !step.waits) ?? steps.at(-1) ?? null;
}

function about(run, tale) {
  const rows = facts(run, tale);
  const took = rows.slice(0, 2).map(([name, value]) => (name === "Actions" ? plural(Number(value), "action") : value));
  return h(
    "details",
    { class: "run-about small" },
    h("summary", {}, took.join(", ") || "About this run"),
    h("dl", { class: "facts" }, rows.map(([term, value]) => [h("dt", {}, term), h("dd", {}, value)])),
  );
}

/** What was read off the screen, by what was looked for. */
function extracts(values, tale) {
  const read = tale.subtasks.flatMap((each) => each.steps).flatMap((step) => step.value ?? []);
  const queries = Object.fromEntries(read.map(({ name, query }) => [name, query]));
  const entries = Object.entries(values ?? Object.fromEntries(read.map(({ name, value }) => [name, value])));
  if (entries.length === 0) return null;
  return h("p", {}, h("span", { class: "muted" }, "Read off the screen: "), entries.map(([name, value], at) => [at > 0 && ", ", h("span", { title: name }, `${queries[name] || name}: `), h("span", { class: "mono" }, value)]));
}

/** @param {any} run @param {any[]} told the questions that the line above tells */
function questions(run, told) {
  const asked = [...(run.asked ?? []), ...(run.open_questions ?? []).filter((each) => !(run.asked ?? []).some((one) => one.id === each.id))];
  if (asked.length === 0) return null;
  const others = asked.filter((question) => !told.includes(question));
  return h(
    "div",
    { class: "stack" },
    others.length > 0 && [h("h3", { class: "small muted" }, plural(others.length, told.length > 0 ? "other open question" : "open question")), h("ul", { class: "list" }, others.map((question) => h("li", {}, question.text)))],
    run.task && h("p", {}, h("a", { class: "button primary", href: `${api.address("ui", "tasks", run.task)}#questions` }, asked.length === 1 ? "Answer it" : "Answer them")),
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
    ["Decided by", who(run.provider, run.model)],
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
    tale.finished && h("a", { class: "button", href: api.address("jobs", job.id, "share"), download: "" }, "Share"),
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
    h("p", { class: "muted" }, `By ${who(learned.provider, learned.model)}, in ${lasting(learned.duration_ms ?? 0)}.`),
    (learned.warnings ?? []).map((warning) => h("p", { class: "muted" }, warning)),
    h("p", { class: "row" }, h("a", { class: "button primary", href: open ? `${where}#questions` : where }, open ? `Answer ${plural(open, "question")}` : "Open the task")),
  ];
}
