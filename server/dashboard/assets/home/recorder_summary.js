/** How the recorder is, in one look. */

import { fill, h } from "../shared/dom.js";
import { ago, bytes, plural } from "../shared/format.js";

const PHASES = {
  off: ["muted", "Off"],
  starting: ["warn", "Starting"],
  recording: ["good", "Recording"],
  paused: ["warn", "Paused"],
  locked: ["warn", "The screen is locked"],
  failed: ["bad", "Does not record"],
};

/** @param {Element} place @param {any} recorder as `/health` tells it */
export function recorderSummary(place, recorder) {
  if (!recorder) return fill(place, h("p", { class: "muted" }, "This daemon has no recorder."));
  const [mood, text] = PHASES[recorder.phase] ?? ["muted", recorder.phase];
  const newest = recorder.newest_picture_at;
  return fill(
    place,
    h("p", { class: "row" }, h("span", { class: `badge ${mood}` }, text), recorder.phase === "recording" && newest && h("span", {}, "last seen ", h("time", { datetime: newest }, ago(newest)))),
    recorder.reason && h("p", { class: recorder.phase === "failed" ? "problem" : "muted" }, recorder.reason),
    h("p", { class: "muted" }, recorder.segments > 0 ? `${plural(recorder.segments, "segment")}, ${bytes(recorder.size_bytes)}. ` : "Nothing is kept. ", h("a", { href: "/ui/memory" }, "Memory")),
  );
}
