/** The file is another one than an edit began from: nothing is lost, whichever of both is kept. */

import { unified } from "./difference.js";
import { fill, h } from "../shared/dom.js";
import { moment } from "../shared/format.js";
import { writer } from "./versions.js";

/**
 * @param {{theirs: any, diff: string, overwrite: () => void, reload: () => void}} between
 *   `theirs` is the version on disk, `diff` what it changed of the one that the edit began from
 * @returns {HTMLElement}
 */
export function conflictView({ theirs, diff, overwrite, reload }) {
  const { number, at } = theirs;
  const button = (words, done) => h("button", { class: "button", type: "button", on: { click: done } }, words);
  return fill(
    h("section", { class: "panel ask stack", "aria-labelledby": "conflict-title", tabindex: "-1" }),
    h("h3", { id: "conflict-title" }, "HEARTBEAT.md was changed meanwhile"),
    h("p", { role: "alert" }, `Version ${number} was written ${writer(theirs)} at ${moment(at)}. Your text stays below, and version ${number} among the versions.`),
    unified(diff, "What was changed on disk"),
    h("div", { class: "row" }, button("Overwrite it with mine", overwrite), button("Load it", reload)),
  );
}
