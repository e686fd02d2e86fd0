/** Pictures of the recording at any of its moments, drawn from its segments by the browser: nothing is cut or kept for them. */

import { api } from "../shared/api.js";
import { Stills } from "../shared/stills.js";

/** So many segments are open at a time. */
const MOST = 4;
/** @type {Map<string, Stills>} */
const open = new Map();

/**
 * The address of a picture; null when there is none, or when a newer look was taken meanwhile.
 * @param {string} segment its id
 * @param {number} ms since its first picture
 * @param {boolean} [isLook] only the newest of these matters
 * @returns {Promise<string|null>}
 */
export function still(segment, ms, isLook = false) {
  const found = open.get(segment) ?? opened(segment);
  // What was asked for last is closed last.
  open.delete(segment);
  open.set(segment, found);
  const taken = found.take(Math.max(0, Math.round(ms)), isLook);
  // One that still draws keeps its clip until it is asked for no more.
  const [oldest, stills] = [...open].find(([, each]) => each.isIdle) ?? [];
  if (open.size > MOST && stills) {
    open.delete(oldest);
    stills.close();
  }
  return taken;
}

function opened(segment) {
  const stills = new Stills();
  stills.tell(`${api.address("recorder", "segments", segment)}.mp4`);
  return stills;
}
