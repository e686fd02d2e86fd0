/** The plan of a run as a checklist: each step with what was done for it, and the one that it is at. */

const EXPECTED = /^(.*?)\s*Expected outcome:\s*(.*)$/s;

/**
 * @typedef {{key: string, text: string, state: "done"|"now"|"stopped"|"todo", acts: import("./run_story.js").Step[]}} Line
 * @typedef {{key: string, number: string, text: string, looksFor: string, state: "done"|"now"|"stopped"|"todo", subtask: import("./run_story.js").Subtask|null, lines: Line[]}} Part
 */

/**
 * All parts, those that are to come too.
 * @param {ReturnType<import("./run_story.js").story>} tale
 * @param {boolean} over whether the run has ended
 * @returns {Part[]}
 */
export function checklist(tale, over) {
  const begun = new Map(tale.subtasks.map((each) => [each.index, each]));
  const before = tale.subtasks.filter((each) => each.index < 0);
  const count = Math.max(tale.plan.length, ...tale.subtasks.map((each) => each.index + 1), 0);
  const planned = Array.from({ length: count }, (_, index) => part(index, tale, begun.get(index) ?? null, over));
  return [...before.map((each) => ({ key: each.key, number: "", text: "", looksFor: "", state: over ? "done" : "now", subtask: each, lines: grouped(each.steps, over) })), ...planned];
}

/** The line that a run is at, and the part it belongs to; null before the first and after the end. @param {Part[]} parts */
function current(parts) {
  const at = parts.findLast((each) => each.state === "now" || each.state === "stopped");
  if (!at) return null;
  return { part: at, line: at.lines.findLast((line) => line.state === "now" || line.state === "stopped") ?? null };
}

/** The step that a run is at, in words; null before the first and after the end. @param {ReturnType<import("./run_story.js").story>} tale */
export function whereabouts(tale) {
  const at = current(checklist(tale, false));
  return at && { number: at.part.number, text: at.line?.text || at.part.text };
}

/** How many waits in a row are one: `Waited 3 times, 1 s in all`. @param {import("./run_story.js").Step[]} waits */
export function waited(waits) {
  const seconds = waits.reduce((sum, each) => sum + each.seconds, 0);
  const long = seconds > 0 ? `${Number(seconds.toFixed(seconds < 10 ? 1 : 0))} s` : "";
  return waits.length === 1 ? `Waited ${long}`.trim() : [`Waited ${waits.length} times`, long && `${long} in all`].filter(Boolean).join(", ");
}

/** Steps where neighbours that only wait are one. @param {import("./run_story.js").Step[]} steps @returns {(import("./run_story.js").Step|import("./run_story.js").Step[])[]} */
export function folded(steps) {
  const found = [];
  for (const step of steps) {
    if (!step.waits || step.problem) found.push(step);
    else if (Array.isArray(found.at(-1))) found.at(-1).push(step);
    else found.push([step]);
  }
  return found;
}

function part(index, tale, subtask, over) {
  const planned = tale.plan[index];
  const [, text, looksFor] = EXPECTED.exec(planned?.text ?? subtask?.text ?? "") ?? [null, planned?.text ?? subtask?.text ?? "", ""];
  const state = stateOf(subtask, over, tale, index);
  const lines = planned?.steps.length > 0 && (subtask === null || subtask.steps.every((each) => each.step !== null || each.kind === "note" || each.waits || each.problem))
    ? listed(planned.steps, subtask, state)
    : grouped(subtask?.steps ?? [], state !== "now" && state !== "stopped", state);
  return { key: `part ${index}`, number: tale.total > 1 ? `${index + 1} of ${tale.total}` : "", text, looksFor, state, subtask, lines };
}

function stateOf(subtask, over, tale, index) {
  if (subtask === null) return "todo";
  if (subtask.done) return subtask.failed ? "stopped" : "done";
  if (tale.subtasks.some((each) => each.index > index)) return "done";
  if (!over) return "now";
  return tale.finished?.outcome === "succeeded" ? "done" : "stopped";
}

/** The steps of the plan, each with its acts; what names no step belongs to the one before. */
function listed(texts, subtask, state) {
  const lines = texts.map((text, at) => ({ key: `step ${at}`, text, state: "todo", acts: [] }));
  let at = 0;
  for (const act of subtask?.steps ?? []) {
    if (act.step !== null) at = Math.min(act.step, lines.length - 1);
    lines[at].acts.push(act);
  }
  const reached = lines.findLastIndex((line) => line.acts.length > 0);
  lines.forEach((line, place) => {
    if (state === "done" || place < reached) line.state = "done";
    else if (state !== "todo" && place === Math.max(0, reached)) line.state = state;
  });
  return lines;
}

/** Acts that were done for the same reason are one line. */
function grouped(acts, isOver, state = isOver ? "done" : "now") {
  const lines = [];
  for (const act of acts) {
    const why = reason(act);
    const last = lines.at(-1);
    if (last && (act.waits || act.kind === "note" || why === last.text)) last.acts.push(act);
    else lines.push({ key: `from ${act.key}`, text: why || act.words, state: "done", acts: [act] });
  }
  if (lines.length > 0 && !isOver) lines.at(-1).state = state;
  return lines;
}

function reason(act) {
  return act.why.replace(/ \(its program tells what it holds\)$/, "");
}
