/** The first visit: a video, a recording or an agent to begin with. All can be used before anything is known of this machine. */

import { api } from "../shared/api.js";
import { coded } from "./coded.js";
import { copied } from "./copying.js";
import { ask } from "../shared/dialog.js";
import { byId, fill, h } from "../shared/dom.js";
import { dismissWelcome } from "./first_visit.js";
import { failure } from "../shared/notice.js";
import { showSnippets } from "./snippets.js";

const RECORDED = "Two pictures a second of your screen, kept on this machine alone, the last hour of them. A red frame shows that it records. Password managers and private windows are black; more can be excluded under Settings, Privacy.";

/** Do what a button is for; when it fails, say so, and let it be tried again. */
function wire(button, act) {
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      await act();
    } catch (error) {
      failure(error);
    }
    button.disabled = false;
  });
}

async function watchSample() {
  const { samples } = await api.get("/samples");
  if (samples.length === 0) throw new Error("No sample came with this Vaider; choose a video of your own.");
  const [{ name, expectations }] = samples;
  const answer = await fetch(api.address("samples", name));
  if (!answer.ok) throw new Error("The sample cannot be read; choose a video of your own.");
  const file = new File([await answer.blob()], name, { type: "video/mp4" });
  const { job_id: job } = await api.upload("/analyse", file, { expectations, provider: "local" });
  location.assign(api.address("ui", "videos", job));
}

async function record() {
  if (!(await ask({ title: "Start recording?", text: RECORDED, action: "Start" }))) return;
  await api.post("/recorder", { action: "start" });
  location.assign("/ui/memory");
}

/** Why the screen cannot be recorded, or that it is; empty when all that is missing is a click. */
async function recorderState() {
  const recorder = await api.get("/recorder").catch(() => null);
  if (recorder === null) return "This daemon has no recorder: what you show it comes as a file.";
  if (recorder.phase === "failed") return recorder.reason;
  if (recorder.phase !== "off") return "Your screen is being recorded.";
  const { checks } = await api.get("/doctor");
  if (checks.find((check) => check.name === "desktop")?.state === "ok") return "";
  return "Your screen cannot be recorded: this daemon does not see it. Start `vaider serve` in your desktop session, on X11.";
}

async function showRecorder() {
  const said = await recorderState();
  byId("record").disabled = said !== "";
  fill(byId("record-state"), coded(said));
}

async function copy(title) {
  const { snippets, token_needed: tokenNeeded, token_file: file } = await api.get("/clients");
  const { text, note } = snippets.find((each) => each.title === title);
  const token = tokenNeeded ? ` Set VAIDER_TOKEN for it to the text of ${file}.` : "";
  const done = await copied(text);
  if (!done) byId("texts").open = true;
  fill(byId("copy-state"), done ? h("span", { class: "badge good" }, "Copied") : "The browser does not let this page copy: the lines are below.", " ", coded(`${note}${token}`));
}

async function showKeys() {
  try {
    const { keys } = await api.get("/keys");
    fill(
      byId("adds"),
      h("p", { class: "muted" }, "None is needed. With one, a model is asked when you say so, and sees what you send it."),
      h("ul", { class: "list" }, keys.map((key) => h(
        "li",
        { class: "row between" },
        h("span", { class: "grow" }, h("strong", {}, key.title), h("span", { class: "muted" }, ` ${key.adds}`)),
        key.saved ? h("span", { class: "badge good" }, "saved") : h("a", { href: "/ui/settings#keys" }, "Set", h("span", { class: "visually-hidden" }, ` the key of ${key.title}`)),
      ))),
    );
  } catch (error) {
    fill(byId("adds"), h("p", { class: "problem", role: "alert" }, error.message));
  }
}

/** Nothing of it is asked for before somebody wants to see it. */
function unfolded(id, show) {
  byId(id).addEventListener("toggle", show, { once: true });
}

wire(byId("sample"), watchSample);
wire(byId("record"), record);
for (const button of document.querySelectorAll("[data-client]")) wire(button, () => copy(button.dataset.client));
byId("done").addEventListener("click", () => {
  dismissWelcome();
  location.assign("/");
});
unfolded("texts", () => showSnippets(byId("snippets")));
unfolded("keys", showKeys);
showRecorder().catch(() => {});
