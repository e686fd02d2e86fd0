/** A task made of a memory: asked for, followed while it is learned, and linked to. */

import { api } from "../shared/api.js";
import { fill, h, link } from "../shared/dom.js";
import { isFinal, words } from "../shared/jobs.js";
import { live } from "../shared/live.js";
import { failure } from "../shared/notice.js";

/**
 * The button, in whose place its progress and the task come.
 * @param {{id: string}} memory
 */
export function lesson(memory) {
  const place = h("span", { class: "row", role: "status" });
  const rest = () => fill(place, h("button", { class: "button small", type: "button", on: { click: begin } }, "Make a task of it"));
  const begin = async (event) => {
    event.currentTarget.disabled = true;
    try {
      follow(place, (await api.post("/tasks", { memory: memory.id })).job_id, rest);
    } catch (error) {
      failure(error);
      rest();
    }
  };
  rest();
  return place;
}

function follow(place, job, rest) {
  const said = h("span", {}, "Being learned");
  const stops = [];
  const leave = () => stops.forEach((stop) => stop());
  const look = async () => {
    // A card that is not shown any more follows nothing.
    if (!place.isConnected) return leave();
    const found = await api.get(api.address("jobs", job)).catch(() => null);
    if (found === null || !isFinal(found.state)) return;
    leave();
    ended(place, found, rest);
  };
  stops.push(
    live.on((event) => {
      if (event.job_id !== job) return;
      said.textContent = words(event);
      if (isFinal(event.stage)) look();
    }),
    live.back(look),
  );
  fill(place, said, h("a", { href: api.address("ui", "runs", job) }, "Details"));
  look();
}

function ended(place, job, rest) {
  const task = job.result?.task;
  const id = typeof task === "string" ? task : task?.id;
  if (job.state === "done" && id) {
    fill(place, h("a", { class: "button small primary", href: link(api.address("ui", "tasks", id)) }, "Open the task"));
    return;
  }
  rest();
  place.append(h("span", { class: "problem small" }, job.error?.error ?? "Nothing was learned."));
}
