/** The recorder's true state, and what can be asked of it; every window shows the same within a few seconds. */

import { api } from "../shared/api.js";
import { byId, fill, h } from "../shared/dom.js";
import { exclusionPreview } from "./exclusions.js";
import { forgetLast } from "./forget.js";
import { ago, bytes, lasting, moment, plural } from "../shared/format.js";
import { failure } from "../shared/notice.js";
import { every } from "../shared/polling.js";

const EVERY_MS = 3000;
const UNSEEN_SECONDS = 60;
const PHASES = {
  off: ["muted", "Off", "Nothing is recorded."],
  starting: ["warn", "Starting", "It looks for the display."],
  recording: ["good", "Recording", ""],
  paused: ["warn", "Paused", "Nothing is recorded until it is resumed."],
  locked: ["warn", "Screen locked", "It goes on when the screen is unlocked."],
  failed: ["bad", "Does not record", ""],
};
const ACTIONS = {
  start: ["Start recording", "primary"],
  pause: ["Pause", ""],
  resume: ["Resume", "primary"],
  stop: ["Stop recording", ""],
};
const OFFERED = {
  off: ["start"],
  starting: ["pause", "stop"],
  recording: ["pause", "stop"],
  paused: ["resume", "stop"],
  locked: ["pause", "stop"],
  failed: ["start", "stop"],
};

/**
 * Show it in the page's own place.
 * @param {() => void} forgotten called once something has been forgotten
 */
export function recorderPanel(forgotten) {
  let shown = "";
  const show = (recorder) => {
    tell(recorder);
    // The buttons stay while nothing changes: whoever has the keyboard on one keeps it.
    if (recorder.phase !== shown) offer(recorder.phase, act);
    shown = recorder.phase;
  };
  const polled = every(EVERY_MS, async () => {
    try {
      show(await api.get("/recorder"));
    } catch (error) {
      shown = "";
      badge("bad", error.code === "offline" ? "Not known" : "No recorder");
      fill(byId("recorder-actions"));
      fill(byId("recorder-facts"));
      fill(byId("recorder-reason"), h("p", { class: "problem" }, error.message));
    }
  });
  const act = async (action) => {
    try {
      show(await api.post("/recorder", { action }));
    } catch (error) {
      failure(error);
    }
    polled.now();
  };
  forgetting(() => {
    polled.now();
    forgotten();
  });
  blackedOut();
  return { now: polled.now };
}

function forgetting(done) {
  const minutes = /** @type {HTMLInputElement} */ (byId("forget-minutes"));
  byId("forget-last").addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = event.currentTarget.querySelector("button");
    button.disabled = true;
    if (await forgetLast(minutes.valueAsNumber)) done();
    button.disabled = false;
  });
}

function blackedOut() {
  const details = /** @type {HTMLDetailsElement} */ (byId("blacked-out"));
  let preview = null;
  details.addEventListener("toggle", () => {
    if (details.open) preview = exclusionPreview(byId("blacked-out-now"), () => ({}));
    else preview?.stop();
  });
}

function offer(phase, act) {
  const offered = OFFERED[phase] ?? ["start"];
  const had = byId("recorder-actions").contains(document.activeElement);
  const buttons = offered.map((action) => {
    const [text, mood] = ACTIONS[action];
    const press = (event) => {
      event.currentTarget.disabled = true;
      act(action).finally(() => (event.target.disabled = false));
    };
    return h("button", { class: `button ${mood}`, type: "button", on: { click: press } }, text);
  });
  fill(byId("recorder-actions"), buttons);
  if (had) buttons[0]?.focus();
}

function badge(mood, text) {
  const place = byId("recorder-phase");
  if (place.textContent !== text) place.textContent = text;
  place.className = `badge ${mood}`;
}

function tell(recorder) {
  const [mood, text, usual] = PHASES[recorder.phase] ?? ["muted", recorder.phase, ""];
  badge(mood, text);
  const age = recorder.newest_picture_age_seconds;
  const blind = recorder.phase === "recording" && age !== null && age > UNSEEN_SECONDS;
  fill(
    byId("recorder-reason"),
    recorder.phase === "recording" && h("p", { class: blind ? "problem" : "" }, seen(age, blind)),
    recorder.veiled && h("p", {}, h("span", { class: "badge" }, "◼ Partly blacked out now")),
    recorder.reason ? h("p", { class: recorder.phase === "failed" ? "problem" : "muted" }, recorder.reason) : usual && h("p", { class: "muted" }, usual),
    recorder.warnings.map((warning) => h("p", { class: "small" }, h("span", { class: "badge warn" }, "Note"), ` ${warning}`)),
  );
  fill(byId("recorder-facts"), facts(recorder).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", { class: "number" }, value))));
}

function seen(age, blind) {
  if (age === null) return "No picture has been read back yet.";
  const when = `The newest picture that is not black is ${lasting(age * 1000)} old.`;
  return blind ? `${when} Look at what is excluded, and at the screen.` : when;
}

function facts(recorder) {
  const { reading } = recorder;
  const runs = recorder.phase !== "off";
  const kept = recorder.segments > 0 ? `${plural(recorder.segments, "segment")}, ${bytes(recorder.size_bytes)}` : "nothing";
  return [
    ["Kept", recorder.oldest_at ? [`${kept}, since `, h("time", { datetime: recorder.oldest_at }, moment(recorder.oldest_at))] : kept],
    !runs && recorder.newest_picture_at && ["Last seen", h("time", { datetime: recorder.newest_picture_at }, ago(recorder.newest_picture_at))],
    runs && recorder.display && ["Display", `${recorder.display}, ${recorder.width}×${recorder.height}`],
    runs && ["Pictures", `${recorder.frames.toLocaleString()}, ${recorder.masked.toLocaleString()} with something blacked out`],
    runs && ["Missing", `${plural(recorder.gaps, "gap")}, ${plural(recorder.dropped, "look")} dropped${recorder.restarts > 0 ? `, ${plural(recorder.restarts, "restart")}` : ""}`],
    runs && ["Costs", `${recorder.cpu_percent.toFixed(1)} % of a core, ${bytes(recorder.memory_bytes)} of memory`],
    reading && ["Read", readSo(reading)],
  ].filter(Boolean);
}

function readSo(reading) {
  if (reading.problem) return h("span", { class: "problem" }, reading.problem);
  const waits = reading.waiting > 0 ? `, ${plural(reading.waiting, "segment")} waiting` : "";
  const failed = reading.failed > 0 ? `, ${plural(reading.failed, "segment")} unreadable` : "";
  if (reading.read_until) return [`until `, h("time", { datetime: reading.read_until }, moment(reading.read_until)), waits, failed];
  return `${reading.reading.length > 0 ? "reading" : "nothing new"}${waits}${failed}`;
}
