/** The videos: have one watched, and the list of those that were. */

import { api } from "../shared/api.js";
import { byId, fill, h } from "../shared/dom.js";
import { expectationForm } from "./expectation_form.js";
import { startFilter } from "./filter.js";
import { bytes } from "../shared/format.js";
import { notice } from "../shared/notice.js";
import { send } from "./sending.js";
import { startList } from "./video_list.js";

/** What is wrong with the file that a path names. */
const PATH_FAULTS = new Set(["invalid_path", "invalid_video", "too_large", "not_found", "forbidden"]);
const question = expectationForm();
const fileInput = /** @type {HTMLInputElement} */ (byId("file"));
const pathInput = /** @type {HTMLInputElement} */ (byId("path"));
const list = startList(byId("list"), byId("more"), startFilter(() => list.refresh()));
let files = [];
let mostBytes = Infinity;
let depth = 0;

byId("question").append(question.element);
fileInput.addEventListener("change", () => choose([...fileInput.files]));
pathInput.addEventListener("input", () => complain(""));
pathInput.value = new URLSearchParams(location.search).get("path") ?? "";
byId("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  start();
});
for (const type of ["dragenter", "dragover", "dragleave", "drop"]) addEventListener(type, dragged);
heedSettings();

function dragged(event) {
  if (![...(event.dataTransfer?.types ?? [])].includes("Files")) return;
  event.preventDefault();
  if (event.type === "dragenter") depth += 1;
  if (event.type === "dragleave") depth -= 1;
  if (event.type === "drop") {
    depth = 0;
    choose([...event.dataTransfer.files]);
  }
  byId("veil").hidden = depth <= 0;
}

function choose(chosen) {
  const large = chosen.filter((file) => file.size > mostBytes);
  files = chosen.filter((file) => file.size > 0 && file.size <= mostBytes);
  if (large.length > 0) complain(`${large[0].name} is over ${bytes(mostBytes)}; send a shorter one, or raise the setting max_video_bytes.`);
  else complain(files.length < chosen.length ? "What is empty or a folder cannot be watched; choose video files." : "");
  showChosen();
  if (files.length > 0) byId("start").focus();
}

function showChosen() {
  const place = byId("chosen");
  place.hidden = files.length === 0;
  const leave = (file) => {
    files = files.filter((each) => each !== file);
    fileInput.value = "";
    showChosen();
    byId("start").focus();
  };
  fill(place, files.map((file) => h(
    "li",
    {},
    h("span", {}, h("strong", {}, file.name), " ", h("span", { class: "muted small" }, bytes(file.size))),
    h("button", { class: "button quiet small", type: "button", "aria-label": `Leave out ${file.name}`, on: { click: () => leave(file) } }, "×"),
  )));
  byId("start").textContent = files.length > 1 ? `Watch all ${files.length}` : "Watch it";
}

async function start() {
  const path = pathInput.value.trim();
  if (files.length === 0 && !path) return complain("Choose a video file, drop one in, or give its path.");
  if (files.length > 0 && path) return complain("A file and a path: remove one of them.");
  complain("");
  const button = /** @type {HTMLButtonElement} */ (byId("start"));
  button.disabled = true;
  try {
    const sent = files;
    const jobs = path ? await ask(path) : await sendAll(sent);
    if (jobs.length === 1 && sent.length <= 1) location.assign(api.address("ui", "videos", jobs[0]));
    else list.refresh();
    if (jobs.length > 1) notice(`${jobs.length} videos are being watched.`);
  } catch (error) {
    complain(error.message);
  } finally {
    button.disabled = false;
  }
}

async function ask(path) {
  try {
    return [(await api.post("/analyse", { video_path: path, ...question.value() }, { headers: { Prefer: "respond-async" } })).job_id];
  } catch (error) {
    if (!PATH_FAULTS.has(error.code)) throw error;
    blame(error.message);
    return [];
  }
}

/** What could not be sent is chosen still. */
async function sendAll(sent) {
  files = [];
  fileInput.value = "";
  showChosen();
  const { accepted, failed } = await send(byId("sending"), sent, question.value());
  files = failed.map(({ file }) => file);
  showChosen();
  if (failed.length > 0) complain(failed.map(({ file, message }) => `${file.name}: ${message}`).join(" "));
  return accepted;
}

/** Say what is wrong with the path where it is typed. */
function blame(text) {
  byId("path-problem").hidden = !text;
  byId("path-problem").textContent = text;
  pathInput.setAttribute("aria-invalid", String(text !== ""));
  if (text) pathInput.focus();
}

function complain(text) {
  blame("");
  const place = byId("problem");
  place.hidden = !text;
  place.textContent = text;
}

async function heedSettings() {
  const { settings = [] } = await api.get("/settings").catch(() => ({}));
  const value = (name, otherwise) => settings.find((each) => each.name === name)?.value ?? otherwise;
  const days = value("upload_keep_days", 7);
  mostBytes = value("max_video_bytes", Infinity);
  byId("kept").textContent = days > 0
    ? `Videos stay on this machine, and so does what is found, unless a model is asked. A file that is sent here can be watched for ${days} days after it was last asked about; then Vaider's copy is removed.`
    : "Videos stay on this machine, unless a model is asked. Vaider's copy of a file that is sent here is removed as soon as it is analysed.";
}
