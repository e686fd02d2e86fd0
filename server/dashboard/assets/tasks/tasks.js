/** All tasks and workflows, and new ones. */

import { api } from "../shared/api.js";
import { byId, fill, h } from "../shared/dom.js";
import { importForm } from "./import_form.js";
import { learnForm } from "./learn_form.js";
import { live } from "../shared/live.js";
import { every } from "../shared/polling.js";
import { running } from "../shared/running.js";
import { taskRows } from "./task_rows.js";
import { workflowRows } from "./workflow_rows.js";
import { writeForm } from "./write_form.js";

const LOOK_MS = 10000;
const MANY = 6;
const lists = { tasks: null, workflows: null };

const rows = {
  tasks: taskRows({ changed: () => look.now() }),
  workflows: workflowRows(),
};
const learn = learnForm({ changed: () => look.now() });
byId("learn").append(learn.element);
byId("write").append(writeForm().element);
byId("import").append(importForm().element);
byId("wanted").addEventListener("input", show);

const look = every(LOOK_MS, async () => {
  await Promise.all(["tasks", "workflows"].map(read));
  show();
});
live.back(() => look.now());
running.ended(() => look.now());
running.on((entries) => {
  for (const each of Object.values(rows)) each.active(entries);
});

async function read(name) {
  try {
    lists[name] = (await api.get(`/${name}`))[name];
    if (name === "tasks") learn.tasks(lists.tasks);
  } catch (error) {
    if (lists[name] === null) fill(byId(name), h("p", { class: "panel problem", role: "alert" }, error.message));
  }
}

function show() {
  const words = byId("wanted").value.toLowerCase().split(/\s+/).filter(Boolean);
  const total = Object.values(lists).reduce((sum, list) => sum + (list?.length ?? 0), 0);
  byId("filter").hidden = total < MANY;
  for (const [name, list] of Object.entries(lists)) {
    if (list === null) continue;
    const found = list.filter((each) => words.every((word) => rows[name].words(each).toLowerCase().includes(word)));
    if (found.length > 0) rows[name].show(byId(name), found);
    else fill(byId(name), list.length > 0 ? h("p", { class: "muted" }, "None of them has these words.") : rows[name].empty());
  }
}
