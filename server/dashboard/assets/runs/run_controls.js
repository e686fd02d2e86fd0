/** What can be done with a run: hold it, drive it, stop it, do it again. */

import { api } from "../shared/api.js";
import { fill, h } from "../shared/dom.js";
import { isFinal } from "../shared/jobs.js";
import { failure } from "../shared/notice.js";

/**
 * @param {HTMLElement} place
 * @param {string} id the job's
 * @param {{changed: (job: any) => void, drive: () => void}} told of what became of it, and that a person wants to drive
 */
export function controls(place, id, { changed, drive }) {
  const act = async (button, ask) => {
    button.disabled = true;
    try {
      changed(await ask());
    } catch (error) {
      failure(error);
    } finally {
      button.disabled = false;
    }
  };
  const ask = (what) => () => api.post(api.address("jobs", id, what));
  const button = (text, mood, onClick) => h("button", { class: `button ${mood}`, type: "button", on: { click: ({ currentTarget }) => onClick(currentTarget) } }, text);
  const pause = button("Pause", "", (it) => act(it, ask("hold")));
  const resume = button("Resume", "primary", (it) => act(it, ask("resume")));
  const take = button("Take over", "", (it) => act(it, async () => {
    const job = await ask("hold")();
    drive();
    return job;
  }));
  const stop = button("Stop this run", "danger", (it) => act(it, () => api.del(api.address("jobs", id))));
  const again = h("span", { class: "toolbar" });
  let shape = "";
  fill(place, pause, resume, take, stop, again);
  return {
    /** @param {any} job @param {boolean} isDriven */
    show(job, isDriven) {
      const over = isFinal(job.state);
      const held = job.live && job.live.held !== "no";
      pause.hidden = over || !job.live || held;
      resume.hidden = over || !held || isDriven;
      take.hidden = over || !job.live || isDriven;
      take.disabled = job.live?.size === null;
      stop.hidden = over;
      stop.textContent = job.kind === "learning" ? "Stop learning" : "Stop this run";
      const now = `${over}${job.finished_at}`;
      if (now === shape) return;
      shape = now;
      fill(again, over && job.kind === "replay" && runAgain(job, act));
    },
  };
}

/** With the same values; those that are sensitive are kept nowhere, and have to be given anew. */
function runAgain(job, act) {
  const { request } = job;
  const form = request.task ? api.address("ui", "tasks", request.task) : api.address("ui", "workflows", lastPart(request.workflow));
  const other = h("a", { class: "button", href: `${form}?like=${encodeURIComponent(job.id)}#run` }, "Run again with …");
  if (request.held) return other;
  const start = async () => {
    const { job_id: next } = await api.post("/replay", wish(request));
    location.assign(api.address("ui", "runs", next));
    return job;
  };
  return [h("button", { class: `button ${job.outcome === "succeeded" ? "primary" : ""}`, type: "button", on: { click: ({ currentTarget }) => act(currentTarget, start) } }, "Run again"), other];
}

function wish(request) {
  const what = request.reload
    ? { cache_id: request.reload.cache_id, skip_indices: request.reload.skip_indices ?? [], params: request.reload.values ?? {} }
    : { ...(request.task ? { task: request.task } : { workflow: request.workflow }), params: request.params };
  const how = Object.fromEntries(["provider", "model", "display", "size", "on_takeover"].map((name) => [name, request[name]]).filter(([, value]) => value));
  return { ...what, ...how };
}

function lastPart(path) {
  return String(path ?? "").split("/").filter(Boolean).at(-1) ?? "";
}
