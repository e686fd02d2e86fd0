/** A browser on another machine shows the token once. */

import { api } from "./api.js";
import { byId } from "./dom.js";

byId("sign-in").addEventListener("submit", async (event) => {
  event.preventDefault();
  const field = /** @type {HTMLInputElement} */ (byId("token"));
  const problem = byId("problem");
  try {
    await api.post("/session", { token: field.value });
    field.value = "";
    if (location.pathname === "/ui/sign-in") location.assign("/");
    else location.reload();
  } catch (error) {
    problem.textContent = error.message;
    problem.hidden = false;
    field.select();
  }
});
