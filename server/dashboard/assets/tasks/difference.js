/** What differs between two versions: the lines of a unified diff. */

import { linesOf } from "./line_ends.js";
import { h } from "../shared/dom.js";

/** A unified diff, as the daemon tells it. @param {string} text @param {string} label */
export function unified(text, label) {
  const lines = linesOf(text.replace(/\n$/, "")).filter((line) => !/^(---|\+\+\+) /.test(line));
  const kinds = { "+": "new", "-": "old", "@": "hunk" };
  return h(
    "div",
    { class: "scroll diff-frame", tabindex: "0", role: "region", "aria-label": label },
    h("div", { class: "diff-lines mono" }, lines.map((line) => diffLine(kinds[line[0]] ?? "same", line))),
  );
}

function diffLine(kind, line) {
  const said = { new: "added: ", old: "removed: " }[kind];
  return h("div", { class: `diff-${kind}` }, said && h("span", { class: "visually-hidden" }, said), line || " ");
}
