/** The analyses, newest first, and those that go on as they go on. */

import { api } from "../shared/api.js";
import { fill, h, keyed } from "../shared/dom.js";
import { ago, clock, moment, plural } from "../shared/format.js";
import { badge, bar, isFinal, moveBar, page, thumbnail, title, who, why, words } from "../shared/jobs.js";
import { live } from "../shared/live.js";
import { stopJob } from "../shared/stopping.js";
import { every } from "../shared/polling.js";

const A_PAGE = 50;
const MOST = 500;
const AGAIN_MS = 600;

/**
 * Fill a place with the list, and keep it up to date.
 * @param {HTMLElement} place
 * @param {HTMLElement} more a button that shows older ones
 * @param {{ query: () => string, seen: (jobs: object[]) => void }} filter which are listed; it hears of those that were
 */
export function startList(place, more, filter) {
  let wanted = A_PAGE;
  let jobs = [];
  let timer = 0;
  const refresh = async () => {
    clearTimeout(timer);
    timer = 0;
    try {
      const asked = filter.query();
      const found = await api.get(`/jobs?brief=true&kind=analysis&kind=comparison&limit=${wanted}${asked}`);
      // Somebody has typed on meanwhile.
      if (asked !== filter.query()) return;
      jobs = found.jobs;
      filter.seen(jobs);
      more.hidden = jobs.length < wanted || wanted >= MOST;
      show(place, jobs, asked !== "");
    } catch (error) {
      if (jobs.length === 0) fill(place, h("p", { class: "problem" }, error.message));
    }
  };
  // Many jobs may end at once; the list is read once for all of them.
  const soon = () => (timer ||= setTimeout(refresh, AGAIN_MS));
  more.addEventListener("click", () => {
    wanted = Math.min(MOST, wanted + 2 * A_PAGE);
    refresh();
  });
  live.on((event) => {
    const job = jobs.find((each) => each.id === event.job_id);
    // A job that is not known is a new one only when it takes its place in line.
    if (job ? isFinal(event.stage) : event.stage === "queued" && event.id) return soon();
    if (!job) return;
    Object.assign(job, { progress: event, state: event.stage === "queued" ? "queued" : "running" });
    const row = place.querySelector(`[data-key="${CSS.escape(job.id)}"]`);
    if (row) update(row, job);
  });
  live.back(refresh);
  // Also for its words, which tell how long ago something was.
  every(60000, refresh);
  return { refresh };
}

function show(place, jobs, filtered) {
  if (jobs.length === 0 && filtered) return fill(place, h("div", { class: "panel empty" }, h("p", {}, "No analysis was submitted so.")));
  if (jobs.length === 0) {
    return fill(place, h("div", { class: "panel empty" }, h("p", {}, "No video was watched yet."), h("p", {}, "Drop the recording of a test in: Vaider says what happened in it and when, and whether what you expect is to be seen.")));
  }
  if (place.firstElementChild?.tagName !== "UL") fill(place, h("ul", { class: "list panel" }));
  keyed(place.firstElementChild, jobs, (job) => job.id, make, update);
}

function make(job) {
  return h(
    "li",
    { class: "watched" },
    h("span", { class: "watched-picture picture", "aria-hidden": "true" }),
    h("h3", {}, h("a", { href: page(job) }, title(job))),
    h("span", { class: "row watched-badges" }),
    h("p", { class: "muted watched-facts" }),
  );
}

function update(row, job) {
  fill(row.querySelector(".watched-badges"), badge(job));
  fill(row.querySelector(".watched-facts"), facts(job));
  const picture = row.firstElementChild.tagName === "IMG" ? null : thumbnail(job, "watched-picture");
  if (picture) row.firstElementChild.replaceWith(picture);
  const going = row.querySelector(".watched-live");
  if (isFinal(job.state)) return going?.remove();
  const line = going ?? row.appendChild(makeLive(job));
  line.querySelector("span").textContent = words(job.progress);
  moveBar(line, job.progress);
}

function makeLive(job) {
  return h(
    "div",
    { class: "watched-live" },
    h("span", {}),
    bar(job.progress, `Progress of ${title(job)}`),
    h("button", { class: "button small", type: "button", "aria-label": `Cancel ${title(job)}`, on: { click: () => stopJob(job) } }, "Cancel"),
  );
}

function facts(job) {
  const told = [];
  if (job.video_ms !== null && job.video_ms !== undefined) told.push(clock(job.video_ms));
  if (job.events !== null && job.events !== undefined) told.push(plural(job.events, "event"));
  if (job.state === "done" && job.provider) told.push(`watched by ${who(job.provider)}`);
  const when = job.finished_at || job.created_at;
  return [why(job) && h("span", { class: "watched-why" }, why(job)), told.map((each) => `${each} · `), submitted(job), h("time", { datetime: when, title: moment(when) }, ago(when))];
}

/** Who submitted it and under which label, each a link to all that were so. */
function submitted(job) {
  return ["submitter", "label"].filter((name) => job[name]).map((name) => [
    h("a", { href: `/ui/videos?${name}=${encodeURIComponent(job[name])}`, title: name === "label" ? "All with this label" : "All that this token submitted" }, job[name]),
    " · ",
  ]);
}
