/** A task made of a memory: asked for, followed while it is learned, and asked about where it was asked for. */

import { learned, notLearned } from "../tasks/lesson_result.js";
import { api } from "../shared/api.js";
import { fill, h } from "../shared/dom.js";
import { isFinal, words } from "../shared/jobs.js";
import { live } from "../shared/live.js";
import { failure } from "../shared/notice.js";

/**
 * The button, and the place in which its progress and the task come.
 * @param {{id: string}} memory
 * @returns {{button: HTMLElement, place: HTMLElement}}
 */
export function lesson(memory) {
  const place = h("div", { class: "lesson stack tight", hidden: true });
  const button = h("button", { class: "button small", type: "button" }, "Make a task of it");
  const rest = (...told) => {
    button.hidden = false;
    button.disabled = false;
    place.hidden = told.length === 0;
    fill(place, told);
  };
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const { job_id: job } = await api.post("/tasks", { memory: memory.id });
      button.hidden = true;
      place.hidden = false;
      follow(place, job, rest);
    } catch (error) {
      failure(error);
      rest();
    }
  });
  return { button, place };
}

function follow(place, job, rest) {
  const said = h("span", { role: "status" }, "Being learned");
  const stops = [];
  const leave = () => stops.forEach((stop) => stop());
  const look = async () => {
    // A card that is not shown any more follows nothing.
    if (!place.isConnected) return leave();
    const found = await api.get(api.address("jobs", job)).catch(() => null);
    if (found === null || !isFinal(found.state)) return;
    leave();
    if (found.state === "done") fill(place, learned(found.result, () => {}));
    else rest(...notLearned(found));
  };
  stops.push(
    live.on((event) => {
      if (event.job_id !== job) return;
      said.textContent = words(event);
      if (isFinal(event.stage)) look();
    }),
    live.back(look),
  );
  fill(place, h("p", { class: "row" }, said, h("a", { href: api.address("ui", "runs", job) }, "Details")));
  look();
}
