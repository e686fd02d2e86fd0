/** What else an analysis tells: who watched and why, warnings, the first screen; and what can be done with it. */

import { api } from "../shared/api.js";
import { ask } from "../shared/dialog.js";
import { fill, h } from "../shared/dom.js";
import { compareForm } from "./compare_form.js";
import { expectationForm } from "./expectation_form.js";
import { bytes, clock, lasting, moment, plural } from "../shared/format.js";
import { who } from "../shared/jobs.js";
import { failure, notice } from "../shared/notice.js";

/** One line below the title. */
export function factLine(job) {
  const video = job.result?.video;
  const when = job.finished_at ?? job.created_at;
  const told = video ? [clock(video.duration_ms), `${video.width} × ${video.height}`, video.codec, bytes(video.size_bytes)] : [];
  return [told.map((each) => `${each} · `), h("time", { datetime: when }, moment(when))];
}

/** Below the clip. */
export function aboutPanels(job, analysis) {
  return [
    tests(analysis),
    analysis.warnings.length > 0 && h("section", { class: "panel stack", "aria-labelledby": "warnings-title" }, h("h2", { id: "warnings-title" }, "Warnings"), h("ul", { class: "list" }, analysis.warnings.map((each) => h("li", {}, each)))),
    h("section", { class: "panel stack", "aria-labelledby": "about-title" }, h("h2", { id: "about-title" }, "About this analysis"), facts(job, analysis), firstScreen(analysis)),
    again(job),
  ];
}

/** The tests that a film names or shows as over, and how they ended. */
function tests({ trace }) {
  const shown = trace?.tests ?? [];
  if (shown.length === 0) return null;
  const ended = { passed: ["good", "passed"], failed: ["bad", "failed"] };
  const rows = shown.map((test) => {
    const [tone, words] = ended[test.ended] ?? ["muted", "end not seen"];
    return h("li", {}, h("span", { class: `badge ${tone}` }, words), " ", test.title, " ", h("span", { class: "muted small" }, test.until_ms == null ? "" : clock(test.until_ms)));
  });
  return h("section", { class: "panel stack", "aria-labelledby": "tests-title" }, h("h2", { id: "tests-title" }, plural(shown.length, "test")), h("ul", { class: "list" }, rows));
}

function facts(job, analysis) {
  const usage = Object.entries(analysis.usage).map(([name, count]) => `${count.toLocaleString()} ${name.replaceAll("_", " ")}`).join(", ");
  const rows = [
    ["Watched by", [h("strong", {}, who(analysis.provider)), ` (${analysis.model})`]],
    ["Why", analysis.provider_reason],
    ["Took", analysis.cached ? "answered from what was kept of the same question" : lasting(analysis.duration_ms)],
    usage && ["Used", usage],
    ["File", h("span", { class: "mono" }, job.request.uploaded ? "an upload; Vaider's copy of it is kept for a while" : analysis.video.path)],
    ["Log", h("span", { class: "mono" }, analysis.interactions_dir)],
    (job.pinned || job.leaves_at) && ["Kept", kept(job)],
  ].filter(Boolean);
  return h("dl", { class: "facts" }, rows.flatMap(([name, what]) => [h("dt", {}, name), h("dd", {}, what)]));
}

/** Until when, and a button that changes it. */
function kept(job) {
  const change = async () => {
    try {
      await api.post(api.address("jobs", job.id, "pin"), { pinned: !job.pinned });
      location.reload();
    } catch (error) {
      failure(error);
    }
  };
  const until = job.pinned ? "for ever, because somebody pinned it" : ["until ", h("time", { datetime: job.leaves_at }, moment(job.leaves_at)), "; then it is removed with its pictures"];
  return [until, " ", h("button", { class: "button small", type: "button", on: { click: change } }, job.pinned ? "Unpin it" : "Keep it")];
}

function firstScreen(analysis) {
  const lines = analysis.first_screen;
  if (lines.length === 0) return h("p", { class: "muted" }, "No text could be read on the first screen.");
  return h("details", {}, h("summary", {}, `First screen: ${plural(lines.length, "line")}`), h("ul", { class: "first-screen", tabindex: 0, "aria-label": "First screen" }, lines.map((line) => h("li", {}, line))));
}

/** The same video with another question. @param {string} [heading] */
export function again(job, heading = "Ask something else about this video") {
  const form = expectationForm({ expectations: job.request.expectations, provider: job.request.provider });
  const anew = h("input", { type: "checkbox" });
  const submit = h("button", { class: "button primary" }, "Ask");
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  const send = async (event) => {
    event.preventDefault();
    submit.disabled = true;
    try {
      const { job_id } = await api.post(api.address("jobs", job.id, "again"), { ...form.value(), use_cache: !anew.checked });
      location.assign(api.address("ui", "videos", job_id));
    } catch (error) {
      problem.hidden = false;
      problem.textContent = error.message;
      submit.disabled = false;
    }
  };
  return h(
    "section",
    { class: "panel stack", "aria-labelledby": "again-title" },
    h("h2", { id: "again-title" }, heading),
    h(
      "form",
      { class: "stack", on: { submit: send } },
      form.element,
      h("label", { class: "check-field" }, anew, h("span", {}, "Watch it anew, even if this was answered before")),
      problem,
      h("div", { class: "row between" }, submit, job.request.uploaded && remover(job)),
    ),
  );
}

function remover(job) {
  const remove = async () => {
    const text = "The clip cannot be watched here or asked about any more. What was found, and the pictures, stay.";
    if (!(await ask({ title: "Remove Vaider's copy of this video?", text, action: "Remove it", dangerous: true }))) return;
    try {
      await api.del(api.address("jobs", job.id, "video"));
      notice("The copy was removed.");
      location.reload();
    } catch (error) {
      failure(error);
    }
  };
  return h("button", { class: "button danger", type: "button", on: { click: remove } }, "Remove the kept video");
}

/** Ways to take it along. */
export function exportLinks(place, job) {
  const name = (job.result.video.path.split("/").at(-1) ?? "video").replace(/\.[^.]*$/, "");
  const save = () => {
    const address = URL.createObjectURL(new Blob([JSON.stringify(job.result, null, 2)], { type: "application/json" }));
    h("a", { href: address, download: `${name}.analysis.json` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  };
  fill(
    place,
    h("a", { class: "button small primary", href: api.address("jobs", job.id, "share"), download: `${name}.html`, title: "One HTML file with its pictures" }, "Share"),
    h("span", { class: "muted small" }, "Export"),
    h("button", { class: "button small", type: "button", on: { click: save } }, "JSON"),
    h("a", { class: "button small", href: api.address("jobs", job.id, "timeline.md"), download: `${name}.timeline.md` }, "Markdown"),
    h("a", { class: "button small", href: api.address("jobs", job.id, "contact-sheet.jpg"), download: `${name}.contact-sheet.jpg` }, "Contact sheet"),
    compareForm(job),
  );
  place.hidden = false;
}
