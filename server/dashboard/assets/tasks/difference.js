/** What differs between two texts, as a table of two columns or as the lines of a unified diff. */

import { h } from "../shared/dom.js";
import { compared, linesOf } from "./text_diff.js";

const AROUND = 3;

/**
 * Two texts side by side; long stretches that are the same are left out.
 * @param {{title: string, text: string}} old
 * @param {{title: string, text: string}} now
 */
export function sideBySide(old, now) {
  const rows = folded(paired(compared(linesOf(old.text), linesOf(now.text))));
  return h(
    "div",
    { class: "scroll diff-frame", tabindex: "0", role: "region", "aria-label": `${old.title} beside ${now.title}` },
    h(
      "table",
      { class: "diff" },
      h("colgroup", {}, [0, 1].map(() => [h("col", { class: "diff-numbers" }), h("col")])),
      h("thead", {}, h("tr", {}, [old, now].map(({ title }) => h("th", { scope: "col", colspan: "2" }, title)))),
      h("tbody", {}, rows.map(row)),
    ),
  );
}

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

function row([left, right]) {
  if (left === null && right === null) return h("tr", { class: "diff-gap" }, h("td", { colspan: "4" }, "⋯ the same"));
  return h("tr", {}, cell(left, "old"), cell(right, "new"));
}

function cell(step, kind) {
  if (!step) return [h("td", { class: "diff-number" }), h("td", { class: "diff-none" })];
  const differs = step.kind !== "same";
  const number = (kind === "old" ? step.old : step.now) + 1;
  return [
    h("td", { class: "diff-number number" }, number),
    h("td", { class: `mono ${differs ? `diff-${kind}` : ""}` }, differs && h("span", { class: "visually-hidden" }, "differs: "), step.text || " "),
  ];
}

/** What was replaced stands beside what replaces it. */
function paired(steps) {
  const rows = [];
  let waiting = 0;
  for (const step of steps) {
    if (step.kind === "new" && waiting > 0) rows[rows.length - waiting--][1] = step;
    else {
      rows.push([step.kind === "new" ? undefined : step, step.kind === "old" ? undefined : step]);
      waiting = step.kind === "old" ? waiting + 1 : 0;
    }
  }
  return rows;
}

function folded(rows) {
  const near = rows.map(() => false);
  rows.forEach(([left, right], at) => {
    if (left?.kind === "same" && right?.kind === "same") return;
    for (let by = Math.max(0, at - AROUND); by <= Math.min(rows.length - 1, at + AROUND); by += 1) near[by] = true;
  });
  const shown = [];
  rows.forEach((each, at) => {
    if (near[at]) shown.push(each);
    else if (at === 0 || near[at - 1]) shown.push([null, null]);
  });
  return shown;
}
