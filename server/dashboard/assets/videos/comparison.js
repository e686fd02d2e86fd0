/** Two runs compared: how far it is, then what differs; with pictures it is a file of its own. */

import { api } from "../shared/api.js";
import { byId, fill, h, subject } from "../shared/dom.js";
import { clock } from "../shared/format.js";
import { isFinal, title } from "../shared/jobs.js";
import { live } from "../shared/live.js";
import { outcomePanel } from "../shared/outcome.js";
import { every } from "../shared/polling.js";
import { showProgress } from "../shared/progress_panel.js";

const id = subject();
let job = null;

live.on((event) => {
  if (event.job_id !== id || job === null || isFinal(job.state)) return;
  if (isFinal(event.stage)) return look();
  job.progress = event;
  show();
});
// The stream tells the first places in line only.
every(5000, async () => {
  if (job?.state === "queued") await look();
});
live.back(look);
look();

async function look() {
  try {
    job = await api.get(api.address("jobs", id));
  } catch (error) {
    return fill(byId("state"), h("div", { class: "panel empty" }, h("p", { class: "problem" }, error.message), h("a", { class: "button", href: "/ui/videos" }, "All videos")));
  }
  if (job.kind !== "comparison") return location.replace(api.address("ui", "runs", id));
  byId("name").textContent = title(job);
  document.title = `Vaider – ${title(job)}`;
  if (job.state === "done") showDifferences(job.result);
  else if (isFinal(job.state)) fill(byId("state"), outcomePanel(job.headline));
  else show();
}

function showDifferences(found) {
  const pictures = api.address("jobs", id, "comparison");
  fill(
    byId("exports"),
    h("a", { class: "button small", href: pictures, target: "_blank", rel: "noopener" }, "As one page"),
    h("a", { class: "button small", href: api.address("jobs", id, "share"), download: `${title(job)}.html`, title: "One HTML file with its pictures" }, "Share"),
  );
  fill(
    byId("state"),
    outcomePanel(job.headline),
    found.warnings.map((warning) => h("p", {}, warning)),
    found.differences.length > 0
      ? h("section", {}, h("h2", {}, "What differs"), h("ol", { class: "stack compared" }, found.differences.map(difference)))
      : h("section", {}, h("h2", {}, "How both ended"), pair("", ["at its end", "at its end"])),
    list("What differs from run to run", found.varying),
    list("What is unclear", found.unclear),
  );
}

function difference(each, place) {
  return h(
    "li",
    { class: "panel stack" },
    h("p", { class: "row" }, h("span", { class: "badge bad" }, each.kind), h("span", { class: "grow" }, each.description)),
    pair(`?difference=${place}`, [each.good_ms, each.bad_ms].map(clock)),
  );
}

/** Both runs beside each other, as long as their videos are there. */
function pair(query, moments) {
  const { good, bad, videos } = job.result;
  return h("div", { class: "compared-pair" }, [["good", "Good run", good], ["bad", "Compared with it", bad]].map(([side, words, path], at) => {
    const image = h("img", { class: "picture", width: videos?.[at].width, height: videos?.[at].height, src: `${api.address("jobs", id, "comparison", side)}${query}`, alt: `${words}, ${moments[at]}`, loading: "lazy", decoding: "async" });
    const figure = h("figure", {}, h("figcaption", { class: "muted small", title: path }, `${words}: ${path.split("/").at(-1)}, ${moments[at]}`), image);
    image.addEventListener("error", () => image.replaceWith(h("p", { class: "muted small" }, "The video is gone or has changed since.")));
    return figure;
  }));
}

function list(words, differences) {
  if (differences.length === 0) return null;
  return h("section", {}, h("h2", {}, words), h("ul", { class: "list panel" }, differences.map((each) => h("li", {}, each.description))));
}

function show() {
  showProgress(byId("state"), job, "Progress of the comparison");
}
