/** Plays the recording from a moment on: one segment after the other, and says of each picture when it was taken. */

import { api } from "./api.js";
import { fill, h } from "./dom.js";

const SEAM_MS = 10_000;
const BEHIND_MS = 20_000;
const LEAST_SECONDS = 0.2;

/**
 * @param {{moved: (at: number) => void, missing: (at: number) => string}} wishes `moved` is told when the shown picture was
 *     taken; `missing` says why there is none
 * @returns {{element: HTMLElement, play: (at: number, day: any) => void, stop: () => void}}
 */
export function dayPlayer({ moved, missing }) {
  const video = /** @type {HTMLVideoElement} */ (h("video", { class: "picture", controls: true, playsinline: true, preload: "auto", "aria-label": "The recording" }));
  const time = h("time", { class: "number" });
  const close = h("button", { class: "button small", type: "button" }, "Close");
  const said = h("p", { class: "muted", role: "status" });
  const shown = h("figure", { class: "player", hidden: true }, video, h("figcaption", { class: "row between" }, time, close));
  const element = h("div", { class: "stack" }, said, shown);
  let current = null;
  let known = null;

  let place = 0;

  const begin = () => {
    video.currentTime = Number.isFinite(video.duration) ? Math.min(place, Math.max(0, video.duration - LEAST_SECONDS)) : place;
    video.play().catch(() => {});
  };
  const start = (segment, at) => {
    const same = current?.id === segment.id && segment.complete;
    current = segment;
    place = Math.max(0, (at - Date.parse(segment.start)) / 1000);
    shown.hidden = false;
    if (same && video.readyState > 0) return begin();
    // What is still being recorded has grown since it was last asked for.
    video.src = `${api.address("recorder", "segments", segment.id)}.mp4${segment.complete ? "" : `?until=${encodeURIComponent(segment.end)}`}`;
  };
  const stop = () => {
    current = null;
    video.pause();
    video.removeAttribute("src");
    video.load();
    shown.hidden = true;
  };
  const play = (at, day) => {
    known = day;
    const segment = holding(day, at);
    said.textContent = segment === null ? missing(at) : "";
    if (segment === null) stop();
    else start(segment, at);
  };
  video.muted = true;
  video.addEventListener("loadedmetadata", begin);
  video.addEventListener("timeupdate", () => {
    if (current === null) return;
    const at = Date.parse(current.start) + video.currentTime * 1000;
    time.dateTime = new Date(at).toISOString();
    fill(time, new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" }));
    moved(at);
  });
  video.addEventListener("ended", () => {
    const next = current && known?.segments.find((segment) => segment.playable && segment.start > current.start);
    if (next && Date.parse(next.start) - Date.parse(current.end) < SEAM_MS) start(next, Date.parse(next.start));
  });
  video.addEventListener("error", async () => {
    if (current === null) return;
    const { id } = current;
    stop();
    const error = await api.get(`${api.address("recorder", "segments", id)}.mp4`, { headers: { Range: "bytes=0-0" } }).catch((caught) => caught);
    said.textContent = error?.code === "unreadable" ? "This browser cannot play the recording." : error?.message ?? "";
  });
  close.addEventListener("click", stop);
  return { element, play, stop };
}

/** The segment that shows a moment; what is being recorded shows the present, too. */
export function holding(day, at) {
  const playable = day.segments.filter((segment) => segment.playable);
  const within = playable.find((segment) => Date.parse(segment.start) <= at && at <= Date.parse(segment.end) + (segment.complete ? 0 : BEHIND_MS));
  return within ?? playable.find((segment) => Math.abs(Date.parse(segment.start) - at) < SEAM_MS / 2) ?? null;
}
