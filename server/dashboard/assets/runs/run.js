/** One run: how it looks and what it does while it goes on, and what came of it. */

import { api } from "../shared/api.js";
import { byId, fill, h, subject } from "../shared/dom.js";
import { lasting, moment } from "../shared/format.js";
import { badge, bar, isFinal, kind, title, who, words } from "../shared/jobs.js";
import { every } from "../shared/polling.js";
import { controls } from "./run_controls.js";
import { driving } from "./run_drive.js";
import { question } from "./run_question.js";
import { lesson, money, outcome } from "./run_result.js";
import { liveScreen } from "./run_screen.js";
import { following } from "./run_following.js";
import { whereabouts } from "./run_plan.js";
import { stepList } from "./run_steps.js";

const ID = subject();
const REFRESHED = new Set(["taken_over", "resumed", "approval_asked", "approval_given", "replay_started", "done", "failed", "cancelled"]);
const DISPLAYS = { private: "on a display of its own", current: "on your own screen" };
const screen = liveScreen(byId("screen"), ID);
const steps = stepList(byId("steps"), ID, openPicture);
const asked = question(byId("question"));
const drive = driving(ID, screen, giveBack);
const buttons = controls(byId("controls"), ID, { changed, drive: () => setDriven(true) });
let job = null;
let driven = false;
let pictures = new Set();
let watched = "";
let drawn = false;
let ended = false;
let shownOutcome = "";
/** What it took when it went well, in milliseconds; 0 while that is not known. */
let usual = 0;

byId("driving").append(drive.panel);

const told = following(ID, { heard, loaded: refresh, failed: (error) => job === null && missing(error) });
const { tale } = told;
const state = every(2000, async () => {
  if (told.isLoading() || isFinal(job?.state)) return;
  await refresh();
});

function heard(event) {
  if (REFRESHED.has(event.stage)) refresh().catch(() => {});
  draw();
}

async function refresh() {
  const found = await api.get(api.address("jobs", ID));
  if (found.kind === "analysis") return location.replace(api.address("ui", "videos", ID));
  if (tale.begun?.directory) {
    const { names } = await api.get(api.address("jobs", ID, "screenshots")).catch(() => ({ names: [] }));
    pictures = new Set(names);
  }
  changed(found);
}

/** In the middle of those that went well. */
async function learnUsual({ task, workflow }) {
  const path = task ? ["tasks", task] : workflow ? ["workflows", workflow.split("/").filter(Boolean).at(-1)] : null;
  if (path === null) return;
  const { runs } = await api.get(api.address(...path, "runs")).catch(() => ({ runs: [] }));
  const took = runs.filter((run) => run.outcome === "succeeded").map((run) => run.duration_ms).sort((one, other) => one - other);
  usual = took[Math.floor(took.length / 2)] ?? 0;
}

function changed(found) {
  if (job === null && !isFinal(found.state)) learnUsual(found.request ?? {});
  job = found;
  if (driven && job.live?.held !== "held" && job.live?.held !== "asked") setDriven(false);
  draw();
}

/** Once a frame, however much has happened. */
function draw() {
  if (drawn || job === null) return;
  drawn = true;
  requestAnimationFrame(() => {
    drawn = false;
    show();
  });
}

function show() {
  const over = isFinal(job.state);
  showHead(over);
  buttons.show(job, driven);
  asked.show(job, job.approval);
  const learns = job.kind === "learning";
  byId("learning").hidden = !learns;
  byId("acting").hidden = learns;
  if (learns) return showLearning(over);
  if (over) showOutcome();
  showScreen(over);
  steps.show(tale, pictures, over, nothing());
  byId("following").hidden = over;
  if (byId("follow").checked && !over) steps.follow();
}

/** Made once: what is unfolded in it stays so. */
function showOutcome() {
  const now = `${job.finished_at} ${tale.last} ${pictures.size}`;
  if (shownOutcome === now) return;
  shownOutcome = now;
  fill(byId("outcome"), outcome(job, tale, { pictures, reveal: steps.reveal }));
}

function showHead(over) {
  byId("title").textContent = tale.begun?.task_name || title(job);
  document.title = `Vaider – ${byId("title").textContent}`;
  const request = job.request ?? {};
  const held = job.live && job.live.held !== "no";
  fill(
    byId("about"),
    held ? h("span", { class: "badge warn" }, driven ? "you are driving" : "held") : badge(job),
    h("span", {}, kind(job)),
    request.provider && h("span", {}, `by ${who(request.provider, request.model)}`),
    request.display && h("span", {}, DISPLAYS[request.display] ?? `display ${request.display}`),
    h("time", { datetime: job.created_at }, moment(job.created_at)),
  );
  byId("whereabouts").hidden = over || job.kind === "learning";
  if (!over) showWhereabouts();
  const announcement = over ? `The run is over: ${job.headline?.label ?? job.state}` : held ? "The run is held" : words(tale.progress);
  if (byId("announcement").textContent !== announcement) byId("announcement").textContent = announcement;
}

/** The step that it is at, in words. */
function showWhereabouts() {
  const at = whereabouts(tale);
  fill(byId("whereabouts"), at ? [h("strong", {}, `Now${at.number ? ` at ${at.number}` : ""}: `), at.text] : "It begins …");
}

function showLearning(over) {
  const place = byId("learning");
  if (over) return fill(place, lesson(job));
  fill(place, h("p", {}, words(tale.progress) || "Waiting"), bar(tale.progress, "Progress of learning"));
}

function showScreen(over) {
  const open = !over && job.live?.size;
  screen.measure(job.live?.size ?? null);
  screen.describe(over ? "The last screenshot of the run" : "The run's screen, live");
  screen.point(over || driven ? null : tale.action);
  screen.stage.classList.toggle("empty", !open && (over ? pictures.size === 0 : job.kind === "reload"));
  screen.say(unseen(over));
  const how = open ? (driven ? "driven" : "live") : over ? "over" : "";
  if (how !== watched) {
    watched = how;
    screen.watch(how);
  }
  if (over && !ended && pictures.size > 0) {
    ended = true;
    screen.once().catch(() => {});
  }
  screen.caption(
    h("span", {}, over ? pictures.size > 0 && "Its last screenshot" : words(tale.progress)),
    open && !driven && job.live.viewer && h("span", {}, "VNC: ", h("code", {}, job.live.viewer)),
  );
  byId("facts").hidden = over || !job.live;
  if (!byId("facts").hidden) showFacts(job.live);
}

/** Said while there is no picture to show. */
function unseen(over) {
  if (job.kind === "reload") return "The front end acts on its own display.";
  if (over) return pictures.size > 0 ? "Looking …" : "No screenshot of it is kept; its report has small ones.";
  return job.state === "queued" ? `Waiting in line${job.place ? `, place ${job.place}` : ""}.` : "The display opens …";
}

function showFacts({ spent, minutes, limits }) {
  const of = (value, most) => (most ? `${value} of ${most}` : String(value));
  const rows = [
    ["Time", `${lasting(minutes * 60000)}${usual ? `, usually ${lasting(usual)}` : ""}`],
    ["At most", limits.minutes ? `${limits.minutes} min` : ""],
    ["Actions", of(spent.steps, limits.steps)],
    ["Model calls", spent.model_calls ? of(spent.model_calls, limits.model_calls) : ""],
    ["Cost", money(spent)],
  ];
  fill(byId("facts"), h("dl", { class: "facts number" }, rows.filter(([, value]) => value).map(([term, value]) => [h("dt", {}, term), h("dd", {}, value)])));
}

function nothing() {
  if (job.state === "queued") return `It waits in line${job.place ? `, place ${job.place}` : ""}: others run before it.`;
  return isFinal(job.state) ? "It has told no actions, or they are older than what is kept." : "It begins …";
}

async function giveBack() {
  try {
    changed(await api.post(api.address("jobs", ID, "resume")));
  } catch {
    // It is over, or the daemon is away: the page tells either.
  }
  setDriven(false);
  byId("controls").querySelector("button:not([hidden])")?.focus();
}

function setDriven(is) {
  driven = is;
  byId("driving").hidden = !is;
  document.body.classList.toggle("is-driven", is);
  if (is) {
    show();
    drive.begin(job.live?.viewer ?? tale.begun?.viewer ?? null);
  } else {
    drive.end();
    draw();
  }
}

function openPicture(name) {
  const source = api.address("jobs", ID, "screenshots", name);
  const close = h("button", { class: "button", type: "button", on: { click: () => dialog.close() } }, "Close");
  const dialog = h(
    "dialog",
    { class: "dialog run-large", "aria-label": "Screenshot" },
    h("img", { class: "picture", src: source, alt: "What the run saw before this action" }),
    h("div", { class: "row between" }, h("a", { href: source, target: "_blank", rel: "noopener" }, "Full size"), close),
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function missing(error) {
  state.stop();
  byId("title").textContent = error.code === "not_found" ? "There is no such run" : "The run cannot be shown";
  fill(byId("outcome"), h("div", { class: "panel empty" }, h("p", {}, error.message), h("a", { class: "button", href: "/" }, "See what runs now")));
}
