/** Files on their way to the daemon: one after the other, each with its progress and a way back. */

import { api } from "../shared/api.js";
import { h } from "../shared/dom.js";
import { percent } from "../shared/format.js";

/**
 * Send files; resolves to the accepted jobs' ids, in order, and to what failed and why. The others go on.
 * @param {HTMLElement} place where progress is shown
 * @param {File[]} files
 * @param {object} question
 * @returns {Promise<{accepted: string[], failed: {file: File, message: string}[]}>}
 */
export async function send(place, files, question) {
  const waiting = files.map((file) => ({ file, line: makeLine(file) }));
  place.append(...waiting.map(({ line }) => line.element));
  const accepted = [];
  const failed = [];
  const warn = (event) => event.preventDefault();
  // Whoever leaves the page stops what is being sent; the browser asks first.
  addEventListener("beforeunload", warn);
  for (const { file, line } of waiting) {
    try {
      if (!line.cancelled()) accepted.push(await sendOne(file, question, line));
    } catch (error) {
      if (error.code !== "cancelled") failed.push({ file, message: error.message });
    }
    line.element.remove();
  }
  removeEventListener("beforeunload", warn);
  return { accepted, failed };
}

async function sendOne(file, question, line) {
  const upload = api.upload("/analyse", file, question, line.progress);
  line.onCancel(upload.cancel);
  return (await upload).job_id;
}

function makeLine(file) {
  const bar = h("progress", { class: "progress", max: 1, value: 0, "aria-label": `Sending ${file.name}` });
  const words = h("span", { class: "muted small number" }, "waiting");
  let cancelled = false;
  let cancel = () => {};
  const stop = () => {
    cancelled = true;
    cancel();
  };
  return {
    element: h(
      "div",
      { class: "stack" },
      h("div", { class: "row between" }, h("span", { class: "small" }, `Sending ${file.name}`), words, h("button", { class: "button small", type: "button", on: { click: stop } }, "Cancel")),
      bar,
    ),
    cancelled: () => cancelled,
    onCancel: (wish) => (cancel = wish),
    progress(part) {
      bar.value = part;
      words.textContent = part < 1 ? percent(part) : "stored; it begins in a moment";
    },
  };
}
