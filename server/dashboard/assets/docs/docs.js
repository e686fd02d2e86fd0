/** The page of the HTTP interface: finding what there is by any word of it. */

import { byId } from "../shared/dom.js";
import { plural } from "../shared/format.js";

/** So few are shown open. */
const FEW = 3;
const groups = [...document.querySelectorAll(".docs-group")];
const operations = [...document.querySelectorAll(".docs-operation")].map((element) => ({ element, words: element.textContent.toLowerCase() }));
const find = /** @type {HTMLInputElement} */ (byId("find"));

function look() {
  const wanted = find.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = operations.filter(({ words }) => wanted.every((word) => words.includes(word)));
  for (const { element } of operations) element.hidden = true;
  for (const { element } of found) {
    element.hidden = false;
    element.open = wanted.length > 0 && found.length <= FEW;
  }
  for (const group of groups) group.hidden = !group.querySelector(".docs-operation:not([hidden])");
  byId("found").textContent = wanted.length > 0 ? `${found.length} of ${plural(operations.length, "call")}` : plural(operations.length, "call");
}

find.addEventListener("input", look);
look();
