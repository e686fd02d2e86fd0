/** One analysed video: the clip beside its timeline, live from the first moment on. */

import { again, aboutPanels, exportLinks, factLine } from "./analysis_facts.js";
import { api } from "../shared/api.js";
import { clipKeys, tellKeys } from "./clip_keys.js";
import { crop } from "../shared/crop.js";
import { byId, fill, h, subject } from "../shared/dom.js";
import { KINDS, picture } from "./event_row.js";
import { FilmStrip } from "./film_strip.js";
import { clock, lasting, percent } from "../shared/format.js";
import { isFinal, title } from "../shared/jobs.js";
import { live } from "../shared/live.js";
import { outcomePanel } from "../shared/outcome.js";
import { every } from "../shared/polling.js";
import { showProgress } from "../shared/progress_panel.js";
import { Stills } from "../shared/stills.js";
import { TimelinePanel } from "./timeline_panel.js";
import { verdictList } from "./verdict_list.js";
import { WatchedClip } from "./watched_clip.js";

const ADDRESS_MS = 250;
const SAME_MS = 500;
const id = subject();
const stills = new Stills();
const clip = new WatchedClip(byId("stage"), id, (ms) => moved(ms), stills);
let job = null;
let panel = null;
let strip = null;
let shownEvent;
let addressing = 0;

live.on((event) => {
  if (event.job_id !== id || job === null || isFinal(job.state)) return;
  if (isFinal(event.stage)) return look();
  job.progress = event;
  job.state = event.stage === "queued" ? "queued" : "running";
  showGoing();
});
// The stream tells the first places in line only.
every(5000, async () => {
  if (job?.state === "queued") await look();
});
live.back(() => (job === null || !isFinal(job.state) ? look() : job.state === "done" && clip.load()));
addEventListener("hashchange", goToHash);
byId("help").addEventListener("click", tellKeys);
byId("back").addEventListener("click", () => clip.step(-1));
byId("forward").addEventListener("click", () => clip.step(1));
byId("next").addEventListener("click", () => panel?.byAction(1));
byId("previous").addEventListener("click", () => panel?.byAction(-1));
clipKeys({
  j: () => panel?.byAction(1),
  k: () => panel?.byAction(-1),
  J: () => panel?.byEvent(1),
  K: () => panel?.byEvent(-1),
  " ": () => clip.toggle(),
  ArrowLeft: () => clip.step(-1),
  ArrowRight: () => clip.step(1),
  "/": () => panel?.focusSearch(),
  "?": tellKeys,
});
look();

async function look() {
  try {
    job = await api.get(api.address("jobs", id));
  } catch (error) {
    return fill(byId("state"), lost(error));
  }
  if (job.kind !== "analysis") return location.replace(api.address("ui", "runs", id));
  byId("name").textContent = title(job);
  document.title = `Vaider – ${title(job)}`;
  fill(byId("facts"), factLine(job));
  if (job.state === "done") showAnalysis(job.result);
  else if (isFinal(job.state)) showEnd();
  else {
    byId("watch").hidden = false;
    clip.load();
    showGoing();
  }
}

function lost(error) {
  if (error.code === "not_found") return h("div", { class: "panel empty" }, h("p", {}, "There is no such analysis; it may have been made by another daemon."), h("a", { class: "button", href: "/ui/videos" }, "All videos"));
  return h("div", { class: "panel empty" }, h("p", { class: "problem" }, error.message), h("button", { class: "button", type: "button", on: { click: look } }, "Try again"));
}

function showGoing() {
  showProgress(byId("state"), job, "Progress of the analysis", "The timeline appears here when it is done; this page may be closed meanwhile.");
}

function showEnd() {
  byId("watch").hidden = true;
  const gone = job.request.uploaded;
  fill(
    byId("state"),
    outcomePanel(job.headline, { more: gone && h("p", { class: "muted" }, "Vaider's copy of the file was removed with it. ", h("a", { href: "/ui/videos" }, "Send it again"), ".") }),
    !gone && h("p", {}, h("a", { class: "button", href: `/ui/videos?${new URLSearchParams({ path: job.request.video_path })}` }, "Name another file")),
    !gone && again(job, "Try it again"),
  );
}

function showAnalysis(analysis) {
  fill(byId("state"));
  byId("watch").hidden = false;
  byId("events").hidden = false;
  byId("steps").hidden = analysis.timeline.length === 0;
  byId("length").textContent = `/ ${clock(analysis.video.duration_ms)}`;
  showOutcome(analysis);
  fill(byId("about"), aboutPanels(job, analysis));
  exportLinks(byId("exports"), job);
  strip = new FilmStrip(byId("strip"), id, analysis, stills, choose);
  panel = new TimelinePanel(id, analysis, stills, { choose, found: (hits) => strip.mark(hits) });
  clip.tell(analysis);
  clip.load();
  goToHash();
}

/** Where it is that a verdict is about: what changed at its moment. */
function regionAt({ timeline, verdicts }, { t_ms: ms, frame }) {
  const quote = verdicts.flatMap((each) => each.evidence).find((each) => each.t_ms === ms)?.quote;
  const there = timeline.filter((event) => event.frame === frame && Math.abs(event.t_ms - ms) < SAME_MS);
  return (there.find((event) => quote && event.text?.includes(quote)) ?? there[0])?.region ?? null;
}

/** One line, one picture, a button to the moment; and each verdict in a line of its own. */
function showOutcome(analysis) {
  const { headline } = job;
  byId("outcome").hidden = false;
  const seen = headline.t_ms !== null;
  fill(byId("outcome"), outcomePanel(headline, {
    picture: headline.frame ? crop(picture(id, headline.frame, 960), headline.at_end ? null : regionAt(analysis, headline), analysis.video) : null,
    caption: headline.at_end ? "The end of the video" : "",
    show: seen && (headline.at_end ? "Show how it ended" : `Show ${clock(headline.t_ms)}`),
    go: () => {
      choose(headline.t_ms);
      byId("clip").scrollIntoView({ block: "nearest" });
    },
    more: analysis.verdicts.length > 0 && verdictList(analysis.verdicts, headline.text, choose),
  }));
}

/** Somebody wants to see a moment: its address is that of the page from then on. */
function choose(ms) {
  clearTimeout(addressing);
  // Browsers refuse to have it changed at each stroke of a key that is held down.
  addressing = setTimeout(() => history.replaceState(null, "", `#t=${Math.round(ms)}`), ADDRESS_MS);
  clip.seek(ms);
}

function goToHash() {
  const wanted = /^#t=(\d{1,9})$/.exec(location.hash);
  if (wanted) clip.seek(Number(wanted[1]));
}

function moved(ms) {
  byId("clock").textContent = clock(ms);
  strip?.at(ms);
  const event = panel?.at(ms) ?? null;
  if (event !== shownEvent) showEvent(event);
  shownEvent = event;
  return event;
}

function showEvent(event) {
  if (!event) return fill(byId("current"), job?.result && h("p", { class: "muted" }, "Nothing has happened yet. ", h("kbd", {}, "j"), " goes to what was done first."));
  const lasted = event.until_ms === null ? "" : `, for ${lasting(Math.max(0, event.until_ms - event.t_ms))}`;
  fill(
    byId("current"),
    h("p", {}, h("strong", { class: "number" }, clock(event.t_ms)), lasted, " ", h("span", { class: `badge ${KINDS[event.kind] ?? "muted"}` }, event.kind), " ", h("span", { class: "muted small" }, `${percent(event.confidence)} sure`)),
    h("p", {}, event.description),
  );
}
