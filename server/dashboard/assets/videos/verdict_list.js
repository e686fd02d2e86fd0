/** What was expected: a line for each verdict, with its reason and the moments that prove it. */

import { h } from "../shared/dom.js";
import { clock } from "../shared/format.js";

const MOODS = { pass: "good", fail: "bad", unclear: "warn" };
const ORDER = ["fail", "unclear", "pass"];
const SHOWN = 6;

/** The worst first. @param {any[]} verdicts @param {string} said what is told already @param {(ms: number) => void} seek */
export function verdictList(verdicts, said, seek) {
  const sorted = [...verdicts].sort((one, other) => ORDER.indexOf(one.verdict) - ORDER.indexOf(other.verdict));
  return h("ul", { class: "verdicts", id: "verdicts", "aria-label": "What was expected", tabindex: "0" }, sorted.map((verdict) => item(verdict, said, seek)));
}

function item(verdict, said, seek) {
  return h(
    "li",
    { class: "verdict" },
    h("span", { class: `badge ${MOODS[verdict.verdict] ?? "muted"}` }, verdict.verdict),
    h("p", {}, verdict.verdict === "pass" ? "" : "expected: ", h("strong", {}, verdict.expectation), " ", !said.endsWith(verdict.reason) && h("span", { class: "muted" }, verdict.reason)),
    h(
      "div",
      { class: "row end" },
      verdict.evidence.slice(0, SHOWN).map((each) => proof(each, seek)),
      verdict.evidence.length > SHOWN && h("span", { class: "muted small" }, `and ${verdict.evidence.length - SHOWN} more`),
    ),
  );
}

function proof(evidence, seek) {
  const quote = evidence.quote ? `, “${evidence.quote}”` : "";
  return h("button", { class: "button small number", type: "button", "aria-label": `Show ${clock(evidence.t_ms)}${quote}`, on: { click: () => seek(evidence.t_ms) } }, clock(evidence.t_ms));
}
