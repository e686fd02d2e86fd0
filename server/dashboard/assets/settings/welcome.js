/** The first visit: what works already, what a key adds, how an agent is connected. */

import { api } from "../shared/api.js";
import { coded } from "./coded.js";
import { ask } from "../shared/dialog.js";
import { byId, fill, h } from "../shared/dom.js";
import { dismissWelcome } from "./first_visit.js";
import { failure } from "../shared/notice.js";
import { showSnippets } from "./snippets.js";

const FIRST_SNIPPETS = 2;

async function showWorks() {
  try {
    // What is said to work was looked at just now: that is what the doctor is for.
    const [health, { samples }, { workflows }, { checks }] = await Promise.all(["/health", "/samples", "/workflows", "/doctor"].map((path) => api.get(path)));
    const found = Object.fromEntries(checks.map((check) => [check.name, check]));
    fill(byId("works"), watching(health, samples[0]), acting(health, workflows, found), remembering(health, found));
  } catch (error) {
    fill(byId("works"), h("p", { class: "problem", role: "alert" }, error.message));
  }
}

function card(title, works, lines, ...actions) {
  return h(
    "article",
    { class: "panel" },
    h("div", { class: "row between" }, h("h3", {}, title), h("span", { class: `badge ${works ? "good" : "warn"}` }, works ? "works" : "not yet")),
    lines.filter(Boolean).map((line) => h("p", { class: "muted" }, line)),
    h("div", { class: "row" }, actions),
  );
}

function watching({ providers }, sample) {
  const local = providers.local ?? { available: false };
  const others = Object.keys(providers).filter((name) => name !== "local" && providers[name].available);
  const label = "Watch the sample";
  const start = async (event) => {
    const button = event.currentTarget;
    button.disabled = true;
    button.textContent = "Sending …";
    try {
      await watchSample(sample);
    } catch (error) {
      failure(error);
      button.disabled = false;
      button.textContent = label;
    }
  };
  return card(
    "Eyes: watch a recording",
    local.available,
    [
      "Drop the video of a test or of a bug: what happened on the screen, when, and whether it was as expected, with the frames that show it.",
      local.available ? `Read on this machine${others.length > 0 ? `; ${others.join(", ")} can be asked too` : ""}.` : local.reason,
    ],
    sample && local.available && h("button", { class: "button primary", type: "button", on: { click: start } }, label),
    h("a", { class: "button", href: "/ui/videos" }, "Drop a video"),
  );
}

async function watchSample({ name, expectations }) {
  const answer = await fetch(api.address("samples", name));
  if (!answer.ok) throw new Error("The sample cannot be read; drop a video of your own.");
  const file = new File([await answer.blob()], name, { type: "video/mp4" });
  const { job_id: job } = await api.upload("/analyse", file, { expectations, provider: "local" });
  location.assign(api.address("ui", "videos", job));
}

function acting({ deciders }, workflows, found) {
  const local = deciders.local ?? { available: false };
  const own = found.desktop?.state === "ok";
  const hidden = found["private desktop"];
  const first = workflows.find((workflow) => workflow.valid !== false);
  return card(
    "Hands: done again as shown",
    local.available && (own || hidden?.state === "ok"),
    [
      "A recording of yours becomes a task: a plain file with a plan, questions and places for values. It is carried out on a display of its own or on yours, checked on the screen, and stops when you take the mouse.",
      local.available ? "Decided on this machine, without a model." : local.reason,
      hidden?.state !== "ok" && coded(`No display of its own: ${hidden?.advice}`),
    ],
    first && h("a", { class: "button primary", href: api.address("ui", "workflows", first.name) }, `Run ${first.name}`),
    h("a", { class: "button", href: "/ui/tasks" }, "Make a task"),
  );
}

function remembering({ recorder }, found) {
  const seen = found.desktop?.state === "ok";
  const works = recorder !== null && recorder.phase !== "failed" && (seen || recorder.phase === "recording");
  const off = recorder?.phase === "off" && seen;
  const start = async (event) => {
    const button = event.currentTarget;
    const text = "Two pictures a second of your screen, kept on this machine alone, the last hour of them. A red frame shows that it records. Password managers and private windows are black; more can be excluded under Settings, Privacy.";
    if (!(await ask({ title: "Start recording?", text, action: "Start" }))) return;
    button.disabled = true;
    try {
      await api.post("/recorder", { action: "start" });
      location.assign("/ui/memory");
    } catch (error) {
      failure(error);
      button.disabled = false;
    }
  };
  return card(
    "Memory: recall how you did it",
    works,
    [
      "A private recording of your screen answers questions such as how you sent that parcel: the steps, when, and the clip.",
      coded(recorderLine(recorder, seen)),
    ],
    off && h("button", { class: "button primary", type: "button", on: { click: start } }, "Start recording …"),
    recorder !== null && h("a", { class: "button", href: "/ui/settings#privacy" }, "What is excluded"),
  );
}

function recorderLine(recorder, seen) {
  if (recorder === null) return "This daemon has no recorder.";
  if (recorder.phase === "failed") return recorder.reason;
  if (recorder.phase !== "off") return "It is on.";
  return seen ? "It is off until you start it." : "This daemon sees no screen of yours: start `vaider serve` in your desktop session, on X11.";
}

async function showKeys() {
  try {
    const { keys } = await api.get("/keys");
    fill(
      byId("adds"),
      h("ul", { class: "list" }, keys.map((key) => h(
        "li",
        { class: "row between" },
        h("span", { class: "grow" }, h("strong", {}, key.title), h("span", { class: "muted" }, ` ${key.adds}`)),
        key.saved ? h("span", { class: "badge good" }, "saved") : h("a", { href: "/ui/settings#keys" }, "Set", h("span", { class: "visually-hidden" }, ` the key of ${key.title}`)),
      ))),
    );
  } catch (error) {
    fill(byId("adds"), h("p", { class: "problem", role: "alert" }, error.message));
  }
}

byId("done").addEventListener("click", () => {
  dismissWelcome();
  location.assign("/");
});
showWorks();
showKeys();
showSnippets(byId("snippets"), FIRST_SNIPPETS);
