/** How it looked when something that is remembered was done; fetched once it comes into sight. */

import { api } from "../shared/api.js";
import { h } from "../shared/dom.js";
import { Stills } from "../shared/stills.js";
import { still } from "./segment_stills.js";

const SETTLED_MS = 300;
const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    waiting.get(target)?.();
    waiting.delete(target);
  }
}, { rootMargin: "200px" });
/** @type {WeakMap<Element, () => void>} */
const waiting = new WeakMap();

/** @param {import("./memory_card.js").Remembered} memory @returns {HTMLImageElement} hidden as long as there is no picture */
export function poster(memory) {
  const image = /** @type {HTMLImageElement} */ (h("img", { class: "memory-picture", alt: "", decoding: "async" }));
  const show = async () => {
    const address = await source(memory).catch(() => null);
    if (address) image.src = address;
  };
  waiting.set(image, show);
  seen.observe(image);
  return image;
}

/** The end of it: what came of it is to be seen there. */
async function source({ id, source: from, video, at, ms, playable }) {
  if (from === "recorder") return still(video, Date.parse(at) + ms - began(video) + SETTLED_MS);
  if (from === "video") return playable ? lastOf(api.address("memory", id, "clip.mp4"), ms) : null;
  const { names } = await api.get(api.address("jobs", video, "screenshots"));
  return names.length > 0 ? `${api.address("jobs", video, "screenshots", names.at(-1))}?width=480` : null;
}

/** The last picture of a clip. @param {string} address @param {number} ms its length */
async function lastOf(address, ms) {
  const stills = new Stills();
  stills.tell(address);
  const taken = await stills.take(Math.max(0, ms - SETTLED_MS));
  stills.close();
  return taken;
}

/** When a segment began, by its id: `20261121T191317.250Z`. */
function began(segment) {
  return Date.parse(segment.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/, "$1-$2-$3T$4:$5:$6"));
}
