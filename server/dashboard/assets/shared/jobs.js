/** What all jobs have in common: a title, a state, how far they are, a page. */

import { api } from "./api.js";
import { h } from "./dom.js";
import { percent } from "./format.js";

const KINDS = { analysis: "Video", comparison: "Comparison", replay: "Run", reload: "Replay for a front end", learning: "Learning" };
const PAGES = { analysis: "videos", comparison: "comparisons" };
const FINAL = new Set(["done", "failed", "cancelled"]);
const CONFIRMED = { effect: "checked by its effect", screen: "seen on the screen only" };
const BADGES = { running: "accent", queued: "muted" };
const WORDS = {
  queued: "Waiting in line", uploading: "Uploading", decoding: "Decoding", reading: "Reading text", found: "Watching", asking: "Asking the model",
  verifying: "Checking", replay_started: "Started", predicted_tool_call: "Deciding", action_result: "Looking",
  extract_result: "Read a value", exec_error: "Something went wrong; trying again", subtask_done: "Step done",
  taken_over: "You are in control", held: "Paused", resumed: "Going on", approval_asked: "Waits for your answer",
  approval_given: "Answered", replay_finished: "Writing the report", reload_started: "Started", reload_action: "Doing it again",
  reload_emitted: "Waiting for the front end's report", reload_finished: "Finished", reload_stopped: "Stopped",
  done: "Done", failed: "Failed", cancelled: "Cancelled",
};

/** @param {string} state */
export function isFinal(state) {
  return FINAL.has(state);
}

/** The kind in words, e.g. `Video`. */
export function kind(job) {
  return KINDS[job.kind] ?? job.kind;
}

/** What it is about: a file, a task, a workflow. */
export function title(job) {
  if (job.title) return job.title;
  const asked = job.request ?? {};
  if (asked.good && asked.bad) return [asked.good, asked.bad].map((each) => lastPart(each.video_path)).join(" → ");
  const path = asked.video_path ?? asked.videos?.[0] ?? asked.workflow;
  return lastPart(path) || asked.task || asked.reload?.entry_id || asked.memory || job.id;
}

/** Its own page; of a video that is not as expected at the moment that shows it. */
export function page(job) {
  const { t_ms, mood } = job.headline ?? {};
  const moment = t_ms > 0 && mood !== "good" ? `#t=${t_ms}` : "";
  return `${api.address("ui", PAGES[job.kind] ?? "runs", job.id)}${moment}`;
}

/** The ways on from a run: to answer what it asks, and to run it again with other values; none for another job. */
export function waysOn(job) {
  const name = job.task || lastPart(job.workflow);
  if (job.kind !== "replay" || !name) return [];
  const asks = job.task && job.headline?.label === "asked";
  const form = `${api.address("ui", job.task ? "tasks" : "workflows", name)}?like=${encodeURIComponent(job.id)}#run`;
  return [
    asks && h("a", { class: "button small primary", href: `${api.address("ui", "tasks", job.task)}#questions`, "aria-label": `Answer ${title(job)}` }, "Answer"),
    h("a", { class: "button small", href: form, "aria-label": `Run ${title(job)} again with other values` }, "Run again with …"),
  ];
}

/** A small picture of how it ended: of a video at the moment that shows it, of a run its last screen; null without one. */
export function thumbnail(job, name = "result-picture") {
  const frame = job.headline?.frame || job.frame;
  const path = frame ? api.address("jobs", job.id, "frames", frame.split("/").at(-1)) : job.steps > 0 ? api.address("jobs", job.id, "screen.jpg") : "";
  if (!path) return null;
  return h("img", { class: `${name} picture`, src: `${path}?width=320`, alt: "", loading: "lazy", decoding: "async" });
}

/** How far an event says that its job is, 0 to 1; null when it does not say. */
export function fraction(event) {
  const { done, total, subtask_idx, subtask_total } = event?.data ?? {};
  if (total > 0 && done >= 0) return Math.min(1, done / total);
  if (subtask_total > 0 && subtask_idx >= 0) return Math.min(1, subtask_idx / subtask_total);
  return null;
}

/** What an event says in a few words. */
export function words(event) {
  if (!event) return "";
  const { data, stage } = event;
  if (stage === "subtask_started") return `${data.subtask_idx + 1} of ${data.subtask_total}: ${data.subtask_text}`;
  if (stage === "pixel_action") return data.words ?? "Acting";
  const part = fraction(event);
  const said = WORDS[stage] ?? String(stage).replaceAll("_", " ");
  if (stage === "queued" && data.place > 0) return `${said}, place ${data.place}`;
  return ["decoding", "reading", "found", "uploading"].includes(stage) && part !== null ? `${said}, ${percent(part)}` : said;
}

/** What a success was confirmed by, in words; empty without one. @param {string} by `effect` or `screen` */
export function confirmedBy(by) {
  return CONFIRMED[by] ?? "";
}

/** Why it ended otherwise than well, where a badge stands beside it; empty for what ended well. */
export function why(job) {
  const { label, mood, text } = job.headline ?? {};
  if (!["bad", "warn"].includes(mood)) return "";
  return text.toLowerCase().startsWith(`${label}: `) ? text.slice(label.length + 2) : text;
}

/** A badge of how the job stands or ended. */
export function badge(job) {
  if (job.headline) return h("span", { class: `badge ${job.headline.mood}` }, job.headline.label);
  return h("span", { class: `badge ${BADGES[job.state] ?? "muted"}` }, job.state);
}

/** A progress bar for an event; without an end where it does not say how far. */
export function bar(event, label) {
  const part = fraction(event);
  return h("progress", { class: "progress", "aria-label": label, max: 1, value: part });
}

/** Move a progress bar on; without an end where it is not known how far. @param {number|null} part 0 to 1 */
export function advance(progress, part) {
  if (part === null) progress.removeAttribute("value");
  else progress.value = part;
}

/** Move the one bar within an element to where an event says that its job is. */
export function moveBar(within, event) {
  advance(within.querySelector("progress"), fraction(event));
}

function lastPart(path) {
  return typeof path === "string" ? path.split("/").filter(Boolean).at(-1) ?? "" : "";
}

/** Who watches, decides or learns, in words that stand after "by". @param {string} provider @param {string} [model] */
export function who(provider, model = "") {
  return provider === "local" ? "this computer" : [provider, model].filter(Boolean).join(" ");
}
