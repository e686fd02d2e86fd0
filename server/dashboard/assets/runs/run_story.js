/** What a run has told, event by event, as subtasks and their steps. */

import { isFinal } from "../shared/jobs.js";

const MOST_STEPS = 400;

/**
 * @typedef {{key: string, kind: "step"|"note", picture: string, words: string, why: string, outcome: string, evidence: string,
 *   problem: string, waits: boolean, seconds: number, step: number|null, value: {name: string, value: string, query: string}|null, t: string}} Step
 * @typedef {{key: string, index: number, text: string, result: string, check: any, done: boolean, failed: boolean, steps: Step[]}} Subtask
 */

/** An empty story. `add` takes events in their order, each once. */
export function story() {
  return {
    last: 0,
    begun: null,
    finished: null,
    end: null,
    queued: null,
    total: 0,
    /** What it is going to do, as far as it has told. @type {{text: string, steps: string[]}[]} */ plan: [],
    held: false,
    /** @type {any} */ asked: null,
    /** @type {any} */ action: null,
    /** @type {Subtask[]} */ subtasks: [],
    /** @type {any} */ progress: null,
    steps: 0,
    dropped: 0,
    /** @param {{id: string|number, stage: string, t: string, data: any}} event @returns {boolean} whether it was news */
    add(event) {
      if (Number(event.id) <= this.last) return false;
      this.last = Number(event.id);
      this.progress = event;
      take(this, event, event.data ?? {});
      return true;
    },
  };
}

function take(tale, event, data) {
  const { stage } = event;
  if (data.subtask_total > 0) tale.total = data.subtask_total;
  if (stage === "queued") tale.queued = data.place ?? null;
  else if (isFinal(stage)) finish(tale, event);
  else (TAKERS[stage] ?? (() => {}))(tale, event, data);
}

function finish(tale, event) {
  tale.end = event;
  tale.asked = null;
  tale.held = false;
  tale.action = null;
}

const TAKERS = {
  replay_started: (tale, event, data) => {
    tale.begun = { ...data, t: event.t };
    tale.total = data.subtask_total;
    tale.plan = data.plan ?? [];
  },
  subtask_started: (tale, event, data) => {
    tale.subtasks.push({ key: String(event.id), index: data.subtask_idx, text: data.subtask_text, result: "", check: null, done: false, failed: false, steps: [] });
  },
  predicted_tool_call: (tale, event, data) => {
    tale.predicted = data.tool_call;
    tale.picture = picture(data);
  },
  pixel_action: (tale, event, data) => {
    if (data.pixel_action?.x_px >= 0) tale.action = data.pixel_action;
    add(tale, event, { picture: picture(data), words: data.words, waits: data.pixel_action?.action === "wait", seconds: data.pixel_action?.time ?? 0, step: data.step_idx ?? null, why: data.pixel_action?.observation ?? "" });
  },
  action_result: (tale, event, data) => {
    const step = newest(tale);
    // What was refused was never begun.
    if (step === undefined || step.outcome || step.kind === "note") {
      return add(tale, event, { picture: picture(data), step: data.step_idx ?? null, words: data.words ?? called(tale.predicted), outcome: data.outcome, evidence: data.evidence });
    }
    Object.assign(step, { outcome: data.outcome, evidence: data.evidence });
  },
  extract_result: (tale, event, data) => add(tale, event, {
    picture: picture(data), step: data.step_idx ?? null, words: `Read ${data.query || data.variable_name}`, value: { name: data.variable_name, value: data.value, query: data.query }, outcome: "confirmed",
  }),
  exec_error: (tale, event, data) => {
    const step = newest(tale);
    if (step?.kind === "step" && !step.outcome && !step.problem) step.problem = data.error;
    else add(tale, event, { picture: picture(data), words: "Could not go on as decided", problem: data.error });
  },
  subtask_done: (tale, event, data) => {
    const subtask = tale.subtasks.at(-1);
    if (subtask) Object.assign(subtask, { done: true, failed: data.succeeded === false, result: data.result ?? "", check: data.check ?? null });
  },
  taken_over: (tale, event, data) => {
    const step = newest(tale);
    if (step?.kind === "step" && !step.outcome && !step.problem) step.problem = "Broken off";
    tale.held = data.held === true;
    note(tale, event, data.held ? "Held: you have mouse and keyboard" : `Paused: ${data.reason}`);
  },
  resumed: (tale, event, data) => {
    tale.held = false;
    note(tale, event, data.inputs > 0 ? `Given back; you did ${data.inputs === 1 ? "1 thing" : `${data.inputs} things`}` : "Given back");
  },
  approval_asked: (tale, event, data) => {
    tale.asked = { ...data, t: event.t };
    note(tale, event, `Asked: ${data.question}`);
  },
  approval_given: (tale, event, data) => {
    tale.asked = null;
    note(tale, event, `Answer: ${data.answer}`);
  },
  reload_stopped: (tale, event, data) => note(tale, event, `The replay stopped at action ${data.stopped_at + 1}: ${data.reason}`),
  reload_started: (tale, event) => note(tale, event, "Replaying for a front end"),
  reload_action: (tale, event, data) => note(tale, event, `Action ${data.done ?? ""} of ${data.total ?? ""}`),
  reload_emitted: (tale, event) => note(tale, event, "All actions are told; the front end's report is awaited"),
  replay_finished: (tale, event, data) => {
    tale.finished = { ...data, t: event.t };
    tale.action = null;
  },
};

function note(tale, event, words) {
  add(tale, event, { kind: "note", words });
}

function add(tale, event, told) {
  const subtask = tale.subtasks.at(-1) ?? before(tale, event);
  subtask.steps.push({
    key: String(event.id), kind: "step", picture: "", words: "", why: "", outcome: "", evidence: "", problem: "", value: null, waits: false, seconds: 0, step: null, t: event.t, ...told,
  });
  tale.steps += 1;
  if (tale.steps <= MOST_STEPS) return;
  // A page that is left open must not grow: the report has them all.
  const oldest = tale.subtasks.find((each) => each.steps.length > 0);
  oldest.steps.shift();
  tale.steps -= 1;
  tale.dropped += 1;
}

function before(tale, event) {
  const subtask = { key: `before ${event.id}`, index: -1, text: "", result: "", check: null, done: false, failed: false, steps: [] };
  tale.subtasks.push(subtask);
  return subtask;
}

function newest(tale) {
  return tale.subtasks.at(-1)?.steps.at(-1);
}

function called(call) {
  return String(call?.name ?? "action").replaceAll("_", " ");
}

function picture({ subtask_idx: subtask, iter }) {
  if (!(subtask >= 0 && iter >= 0)) return "";
  return `subtask_${String(subtask).padStart(2, "0")}_iter_${String(iter).padStart(3, "0")}.png`;
}
