/** Memory: what was done, asked for, listed, watched and forgotten; and the recorder that sees it. */

import { api } from "../shared/api.js";
import { dayView } from "./day.js";
import { live } from "../shared/live.js";
import { newest } from "./memory_list.js";
import { search } from "./memory_search.js";
import { recorderPanel } from "./recorder_panel.js";

const WORDERS = new Set(["vision", "gemini"]);
let count = null;

const changed = () => [list, day].forEach((each) => each.now());
const day = dayView(() => list.now());
const recorder = recorderPanel(() => {
  changed();
  answers.again();
});
// Cards are made once: by then it has to be known whether somebody words memories better.
const { refiner } = await api.get("/memory/sent?limit=1").catch(() => ({ refiner: "none" }));
const wishes = {
  refines: () => WORDERS.has(refiner),
  show: (at) => day.show(at),
  forgotten() {
    answers.again();
    changed();
  },
};
const list = newest(wishes, (found, shown) => {
  if (count === null || found !== count) answers.offer(shown);
  // Another window has forgotten something, or something new can be found.
  if (count !== null && found !== count) answers.again();
  count = found;
});
const answers = search({ ...wishes, empty: () => list.count() === 0 });
live.back(() => [recorder, list, day].forEach((each) => each.now()));
