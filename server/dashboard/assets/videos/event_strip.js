/** Where in the clip something happened: a thin strip below it, each event a line, each proof of a verdict a mark. */

import { h } from "../shared/dom.js";
import { clock } from "../shared/format.js";

const STEP_MS = 20;

/** @param {HTMLElement} place @param {(ms: number) => void} seek @returns {(ms: number) => void} moves the playhead */
export function eventStrip(place, { timeline, verdicts, video }, seek) {
  const length = Math.max(1, video.duration_ms);
  const canvas = /** @type {HTMLCanvasElement} */ (h("canvas", { "aria-hidden": "true" }));
  const slider = /** @type {HTMLInputElement} */ (h("input", { type: "range", min: 0, max: length, step: STEP_MS, value: 0, "aria-label": "Place in the clip" }));
  place.replaceChildren(canvas, slider);
  const draw = () => {
    const { width, height } = place.getBoundingClientRect();
    const scale = devicePixelRatio || 1;
    [canvas.width, canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
    const pen = canvas.getContext("2d");
    const colours = getComputedStyle(place);
    if (!pen || width === 0) return;
    pen.scale(scale, scale);
    pen.fillStyle = colours.getPropertyValue("--strong-line");
    const drawn = new Set();
    for (const event of timeline) {
      const x = Math.round((event.t_ms / length) * (width - 2));
      if (!drawn.has(x)) pen.fillRect(x, height * 0.3, 2, height * 0.7);
      drawn.add(x);
    }
    for (const verdict of verdicts) {
      pen.fillStyle = colours.getPropertyValue({ pass: "--good", fail: "--bad" }[verdict.verdict] ?? "--warn");
      for (const proof of verdict.evidence) pen.fillRect(Math.round((proof.t_ms / length) * (width - 4)), 0, 4, height);
    }
  };
  new ResizeObserver(draw).observe(place);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  slider.addEventListener("input", () => seek(Number(slider.value)));
  return (ms) => {
    slider.value = String(ms);
    slider.setAttribute("aria-valuetext", clock(ms));
  };
}
