/** The jobs that are not over: kept up to date by the stream, the same for each part of a page. */

import { api } from "./api.js";
import { isFinal } from "./jobs.js";
import { live } from "./live.js";

const MOST = 200;

/** @type {Map<string, {job: any, event: any, approval: any}>} */
const entries = new Map();
const listeners = new Set();
const endings = new Set();
const asked = new Set();
let told = false;
let known = false;

export const running = {
  /** All of them, the newest last, now and after each change. @param {(entries: any[], known: boolean) => void} listener */
  on(listener) {
    listeners.add(listener);
    if (known) listener([...entries.values()], known);
    return () => listeners.delete(listener);
  },
  /** A job is over. @param {(event: any) => void} listener */
  ended(listener) {
    endings.add(listener);
    return () => endings.delete(listener);
  },
};

async function look() {
  try {
    const states = ["running", "queued"].map((state) => api.get(`/jobs?state=${state}&brief=true&limit=${MOST}`));
    const found = (await Promise.all(states)).flatMap((answer) => answer.jobs);
    entries.clear();
    for (const job of found.reverse()) entries.set(job.id, { job, event: job.progress, approval: approval(job.progress) });
    known = true;
    tell();
  } catch {
    // The stream says that the daemon is away; this is asked again when it is back.
  }
}

function receive(event) {
  if (isFinal(event.stage)) {
    entries.delete(event.job_id);
    for (const listener of endings) listener(event);
    return tell();
  }
  const entry = entries.get(event.job_id);
  if (entry === undefined) return meet(event);
  entry.event = event;
  if (event.stage !== "queued") entry.job.state = "running";
  entry.approval = approval(event) ?? (event.stage === "approval_given" ? null : entry.approval);
  tell();
}

async function meet(event) {
  if (asked.has(event.job_id) || entries.size >= MOST) return;
  asked.add(event.job_id);
  try {
    const job = await api.get(api.address("jobs", event.job_id));
    if (!isFinal(job.state)) entries.set(job.id, { job, event: job.progress, approval: approval(job.progress) });
    tell();
  } catch {
    // Told by the next event, or gone.
  } finally {
    asked.delete(event.job_id);
  }
}

function approval(event) {
  return event?.stage === "approval_asked" ? { ...event.data, asked_at: event.t } : null;
}

/** Once a frame, however many events there were. */
function tell() {
  if (told) return;
  told = true;
  const now = () => {
    told = false;
    for (const listener of listeners) listener([...entries.values()], known);
  };
  // A page that nobody sees draws no frames.
  if (document.visibilityState === "visible") requestAnimationFrame(now);
  else setTimeout(now, 250);
}

live.on(receive);
live.back(look);
look();
