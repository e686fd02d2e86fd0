/** What came of learning, with its questions to be answered where they are told. */

import { api } from "../shared/api.js";
import { h } from "../shared/dom.js";
import { plural } from "../shared/format.js";
import { questionsPanel } from "./questions.js";

/**
 * What a finished job has learned.
 * @param {any} result of the job
 * @param {() => void} changed called whenever an answer was written
 * @returns {Node[]}
 */
export function learned(result, changed) {
  const asking = result.questions.length > 0;
  const where = api.address("ui", "tasks", result.task);
  const open = h("div", { class: "row" }, h("a", { class: `button ${asking ? "" : "primary"}`, href: where }, "Open the task"));
  const asks = asking ? plural(result.questions.length, "question") : "nothing";
  const said = h("p", {}, `${result.created ? "Learned" : "Added to"} “${result.title}”: it asks ${asks}.`);
  const warnings = result.warnings.map((each) => h("p", { class: "muted small" }, each));
  return asking ? [said, ...warnings, taskQuestions(result.task, changed, result.questions).element, open] : [said, ...warnings, open];
}

/**
 * The questions of a task, wherever they are asked.
 * @param {string} task its id
 * @param {() => void} changed called whenever an answer was written
 * @param {any[]} [first] what is known of them already
 */
export function taskQuestions(task, changed, first = []) {
  const read = async () => {
    const now = await api.get(api.address("tasks", task));
    panel.update(now.questions);
    return now;
  };
  const panel = questionsPanel({
    task,
    run: () => location.assign(`${api.address("ui", "tasks", task)}#run`),
    async changed() {
      const now = await read();
      changed();
      return now;
    },
  });
  panel.update(first);
  read().catch(() => {});
  return panel;
}

/** Why a job has learned nothing. @returns {Node[]} */
export function notLearned({ state, error }) {
  if (error?.code === "no_task") {
    return [
      h("p", { role: "status" }, h("strong", {}, "No task was found in this recording.")),
      h("p", {}, error.error),
      h("p", { class: "muted" }, "Nothing was changed. Show the whole of it, from the first click to what says that it is done, and send that."),
    ];
  }
  return [h("p", { class: state === "cancelled" ? "muted" : "problem", role: "alert" }, error?.error ?? "It failed.")];
}
