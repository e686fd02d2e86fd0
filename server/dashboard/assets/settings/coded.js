/** Sentences with `code` in them, as the settings' descriptions have it. */

import { h } from "../shared/dom.js";

/** @param {string} text @returns {(string|Node)[]} */
export function coded(text) {
  return text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? h("code", {}, part) : part));
}
