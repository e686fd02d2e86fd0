/** Sentences that quote the screen: what stands between quotation marks stands out. */

import { h } from "../shared/dom.js";

const QUOTED = /"([^"]*)"/gu;

/**
 * The sentence in pieces; what it quotes was read from a screen, and stays text.
 * @param {string} sentence
 * @returns {(string | HTMLElement)[]}
 */
export function quoted(sentence) {
  const pieces = [];
  let at = 0;
  for (const found of sentence.matchAll(QUOTED)) {
    pieces.push(sentence.slice(at, found.index), h("mark", { class: "quoted" }, found[0]));
    at = found.index + found[0].length;
  }
  pieces.push(sentence.slice(at));
  return pieces;
}
