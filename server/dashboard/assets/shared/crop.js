/** A picture cut to what changed in it, at a size that can be read; what changed is boxed. */

import { h } from "./dom.js";

const ROOM = 1.3;
const LEAST = 0.36;

/** An empty place for one. */
export function makeCrop() {
  return h("span", { class: "crop", "aria-hidden": "true" }, h("img", { alt: "", decoding: "async" }), h("span", { class: "box", hidden: true }));
}

/** A place with a picture in it. @param {string} source @param {number[]|null} region @param {{width: number, height: number}} size of the frame */
export function crop(source, region, size, ratio = 16 / 9) {
  const place = makeCrop();
  place.firstElementChild.src = source;
  aim(place, region, size, ratio);
  return place;
}

/** Show the part around a region, all of the frame without one. */
export function aim(place, region, { width, height }, ratio = 16 / 9) {
  const [image, box] = place.children;
  const part = around(region, width, height, ratio);
  place.style.setProperty("--part-ratio", String(ratio));
  const set = (element, sides) => Object.entries(sides).forEach(([side, share]) => element.style.setProperty(side, `${(100 * share).toFixed(3)}%`));
  set(image, { width: width / part.width, left: -part.left / part.width, top: -part.top / part.height });
  box.hidden = !region;
  if (!region) return;
  const [x, y, wide, high] = region;
  set(box, { left: (x - part.left) / part.width, top: (y - part.top) / part.height, width: wide / part.width, height: high / part.height });
}

function around(region, width, height, ratio) {
  const [x, y, wide, high] = region ?? [0, 0, width, height];
  const room = region ? ROOM : 1;
  const across = Math.max(wide * room, high * room * ratio, width * LEAST);
  // As large as the frame at most: of a tall frame its width, of a wide one its height.
  const shown = Math.min(across, Math.max(width, region ? 0 : height * ratio));
  const down = shown / ratio;
  const inside = (from, length, whole) => (length >= whole ? (whole - length) / 2 : Math.max(0, Math.min(from, whole - length)));
  return { left: inside(x + wide / 2 - shown / 2, shown, width), top: inside(y + high / 2 - down / 2, down, height), width: shown, height: down };
}
