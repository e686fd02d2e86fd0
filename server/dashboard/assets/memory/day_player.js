/** Plays the recording from a moment on: one segment after the other, and says of each picture when it was taken. */

import { api } from "../shared/api.js";
import { fill, h } from "../shared/dom.js";

const SEAM_MS = 10_000;
const BEHIND_MS = 20_000;
const LEAST_SECONDS = 0.2;

/**
 * @param {{moved: (at: number) => void, missing: (at: number) => string}} wishes `moved` is told when the shown picture was
 *     taken; `missing` says why there is none
 * @returns {{element: HTMLElement, play: (at: number, day: any) => void, stop: () => void}}
 */
export function dayPlayer({ moved, missing }) {
  const { video, time, close, said, shown, element } = furniture();
  let current = null;
  let known = null;
  let place = 0;

  const begin = () => playFrom(video, place);
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
  video.addEventListener("loadedmetadata", begin);
  video.addEventListener("timeupdate", () => {
    if (current === null) return;
    const at = Date.parse(current.start) + video.currentTime * 1000;
    caption(time, at);
    moved(at);
  });
  video.addEventListener("ended", () => {
    const next = current && following(current, known);
    if (next) start(next, Date.parse(next.start));
  });
  video.addEventListener("error", async () => {
    if (current === null) return;
    const { id } = current;
    stop();
    said.textContent = await complaint(id);
  });
  close.addEventListener("click", stop);
  return { element, play, stop };
}

function furniture() {
  const video = /** @type {HTMLVideoElement} */ (h("video", { class: "picture", controls: true, playsinline: true, preload: "auto", "aria-label": "The recording" }));
  video.muted = true;
  const time = h("time", { class: "number" });
  const close = h("button", { class: "button small", type: "button" }, "Close");
  const said = h("p", { class: "muted", role: "status" });
  const shown = h("figure", { class: "player", hidden: true }, video, h("figcaption", { class: "row between" }, time, close));
  return { video, time, close, said, shown, element: h("div", { class: "stack" }, said, shown) };
}

function playFrom(video, seconds) {
  video.currentTime = Number.isFinite(video.duration) ? Math.min(seconds, Math.max(0, video.duration - LEAST_SECONDS)) : seconds;
  video.play().catch(() => {});
}

function caption(time, at) {
  time.dateTime = new Date(at).toISOString();
  fill(time, new Date(at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" }));
}

/** The segment that goes on where another ends. */
function following(segment, day) {
  const next = day.segments.find((each) => each.playable && each.start > segment.start);
  return next && Date.parse(next.start) - Date.parse(segment.end) < SEAM_MS ? next : null;
}

async function complaint(id) {
  const first = { headers: { Range: "bytes=0-0" } };
  const error = await api.get(`${api.address("recorder", "segments", id)}.mp4`, first).catch((caught) => caught);
  return error?.code === "unreadable" ? "This browser cannot play the recording." : error?.message ?? "";
}

/** The segment that shows a moment; what is being recorded shows the present, too. */
export function holding(day, at) {
  const playable = day.segments.filter((segment) => segment.playable);
  const within = playable.find((segment) => Date.parse(segment.start) <= at && at <= Date.parse(segment.end) + (segment.complete ? 0 : BEHIND_MS));
  return within ?? playable.find((segment) => Math.abs(Date.parse(segment.start) - at) < SEAM_MS / 2) ?? null;
}
