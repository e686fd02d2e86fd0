/** Which analyses are listed: those of a submitter, of a label, or all; the address says it too. */

import { byId } from "../shared/dom.js";

const NAMES = ["submitter", "label"];
const TYPED_MS = 300;

/**
 * Heed the form. It is there once something was submitted by somebody, or under a label.
 * @param {() => void} changed
 */
export function startFilter(changed) {
  const form = byId("filters");
  const fields = NAMES.map((name) => /** @type {HTMLInputElement} */ (byId(name)));
  const given = new URLSearchParams(location.search);
  for (const field of fields) field.value = given.get(field.id) ?? "";
  const query = () => fields.filter((each) => each.value.trim()).map((each) => `&${each.id}=${encodeURIComponent(each.value.trim())}`).join("");
  let typing = 0;
  form.hidden = query() === "";
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => {
      history.replaceState(null, "", `${location.pathname}${query().replace("&", "?")}`);
      changed();
    }, TYPED_MS);
  });
  return {
    query,
    seen: (jobs) => {
      if (jobs.some((job) => NAMES.some((name) => job[name]))) form.hidden = false;
    },
  };
}
