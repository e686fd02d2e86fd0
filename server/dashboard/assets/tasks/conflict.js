/** Two edits of one file: shown beside each other, and nothing is lost whichever is kept. */

import { sideBySide } from "./difference.js";
import { fill, h } from "../shared/dom.js";
import { moment } from "../shared/format.js";
import { linesOf, merged } from "./text_diff.js";
import { writer } from "./versions.js";

/**
 * @param {{base: string, mine: string, theirs: {text: string, version: any},
 *   keep: () => void, take: () => void, merge: (text: string, conflicts: number) => void, close: () => void}} between
 *   `base` is what both edits began from
 * @returns {HTMLElement}
 */
export function conflictView({ base, mine, theirs, keep, take, merge, close }) {
  const both = merged(linesOf(base), linesOf(mine), linesOf(theirs.text));
  const { version } = theirs;
  const button = (words, kind, done) => h("button", { class: `button ${kind}`, type: "button", on: { click: done } }, words);
  const element = h("section", { class: "panel ask stack", "aria-labelledby": "conflict-title", tabindex: "-1" });
  return fill(
    element,
    h("h3", { id: "conflict-title" }, "HEARTBEAT.md was changed meanwhile"),
    h("p", {}, `Version ${version.number} was written ${writer(version)} at ${moment(version.at)}.`),
    h("p", {}, "Nothing of either is lost: choose what the file is to say."),
    sideBySide({ title: "On disk", text: theirs.text }, { title: "Yours", text: mine }),
    h(
      "div",
      { class: "row" },
      button("Keep mine", "", keep),
      button("Take theirs", "", take),
      button("Merge by hand", "primary", () => merge(both.lines.join("\n"), both.conflicts)),
      button("Go on editing", "quiet", close),
    ),
    h("p", { class: "hint" }, overlap(both.conflicts)),
  );
}

function overlap(conflicts) {
  if (conflicts === 0) return "The changes are in different places: merging takes both.";
  const places = conflicts === 1 ? "One place was" : `${conflicts} places were`;
  return `${places} changed in both: merging puts both texts there, between marks.`;
}
