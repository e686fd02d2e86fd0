/** What was expected: each verdict with its reason and the moments that prove it. */

import { h } from "../shared/dom.js";
import { picture } from "./event_row.js";
import { clock } from "../shared/format.js";

const MOODS = { pass: "good", fail: "bad", unclear: "warn" };
const SHOWN = 6;

/** @param {(ms: number) => void} seek */
export function verdictList(jobId, verdicts, seek) {
  return [h("h2", { id: "verdicts-title" }, "What was expected"), h("ul", { class: "list verdicts" }, verdicts.map((verdict) => item(jobId, verdict, seek)))];
}

function item(jobId, verdict, seek) {
  return h(
    "li",
    { class: "verdict" },
    h("span", { class: `badge ${MOODS[verdict.verdict] ?? "muted"}` }, verdict.verdict),
    h(
      "div",
      { class: "stack tight" },
      h("p", {}, h("strong", {}, verdict.expectation)),
      h("p", { class: "muted" }, verdict.reason),
      verdict.evidence.length > 0 && h("div", { class: "row" }, verdict.evidence.slice(0, SHOWN).map((each) => proof(jobId, each, seek))),
      verdict.evidence.length > SHOWN && h("p", { class: "muted small" }, `and ${verdict.evidence.length - SHOWN} more moments, in the JSON`),
    ),
  );
}

function proof(jobId, evidence, seek) {
  const source = picture(jobId, evidence.frame, 240);
  const quote = evidence.quote ? `, “${evidence.quote}”` : "";
  return h(
    "button",
    { class: "proof", type: "button", "aria-label": `Show ${clock(evidence.t_ms)}${quote}`, on: { click: () => seek(evidence.t_ms) } },
    source && h("img", { src: source, alt: "", loading: "lazy", decoding: "async" }),
    h("span", { class: "number" }, clock(evidence.t_ms)),
    evidence.quote && h("span", { class: "proof-quote" }, `“${evidence.quote}”`),
  );
}
