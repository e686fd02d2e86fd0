/** What a task asks: one round, all open questions at once, and what was answered before. */

import { api } from "../shared/api.js";
import { fill, h, keyed } from "../shared/dom.js";
import { plural } from "../shared/format.js";
import { failure, notice } from "../shared/notice.js";
import { momentButton } from "./task_film.js";

/**
 * @param {{task: string, changed: () => Promise<any>, run?: () => void, film?: ReturnType<typeof import("./task_film.js").taskFilm>}} part
 *   `changed` reads the task again, and gives it; `run` goes on with it once the answers are written; `film` plays what a
 *   question is about
 * @returns {{element: HTMLElement, update: (questions: any[]) => void, dirty: () => boolean}}
 */
export function questionsPanel({ task, changed, run, film }) {
  const list = h("div", { class: "stack" });
  const apply = h("button", { class: "button primary", type: "submit" }, "Apply & continue");
  const state = h("p", { class: "muted small", role: "status" });
  const form = h("form", { class: "stack", "aria-label": "Answers", autocomplete: "off", novalidate: true }, list, h("div", { class: "row" }, apply, state));
  const offer = h("div", { role: "status" });
  const none = h("p", { class: "muted" });
  const before = h("div", { class: "stack" });
  const element = h("div", { class: "stack" }, offer, none, form, before);
  const panel = { task, changed, film };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const given = [...list.children].filter((item) => answerOf(item).trim() !== "");
    if (given.length === 0) {
      state.textContent = "Write an answer first; those left blank stay open.";
      list.querySelector("textarea")?.focus();
      return;
    }
    apply.disabled = true;
    state.textContent = `Writing ${plural(given.length, "answer")} …`;
    const written = await applied(panel, given);
    apply.disabled = false;
    state.textContent = "";
    const now = await changed().catch(failure);
    if (written === given.length && now) offered(offer, written, now, run);
  });
  list.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });

  return {
    element,
    update(questions) {
      const open = questions.filter((each) => each.state === "open");
      const late = typedInto(list, open, questions);
      keyed(list, [...open, ...late], (each) => each.id, (each) => asked(panel, each), refresh);
      for (const [at, item] of [...list.children].entries()) helped(panel, item, [...open, ...late][at]);
      form.hidden = open.length + late.length === 0;
      none.hidden = !form.hidden;
      none.textContent = questions.length === 0 ? "It asks nothing." : "All is answered.";
      if (open.length > 0) fill(offer);
      past(before, panel, questions.filter((each) => each.state !== "open"));
    },
    dirty: () => [...list.children].some((item) => answerOf(item).trim() !== ""),
  };
}

/** Questions that are not open any more, though somebody here is answering them: what was typed is not thrown away. */
function typedInto(list, open, questions) {
  const ids = new Set(open.map((each) => each.id));
  return [...list.children]
    .filter((item) => !ids.has(item.dataset.key) && answerOf(item).trim() !== "")
    .map(({ dataset: { key } }) => ({ ...questions.find((each) => each.id === key), id: key, late: true }));
}

/** Write them one by one; those that fail keep their text and say why. @returns {Promise<number>} how many were written */
async function applied(panel, items) {
  let written = 0;
  for (const item of items) {
    const sent = answerOf(item);
    const problem = item.querySelector(".problem");
    try {
      await api.put(address(panel.task, item.dataset.key), { answer: sent });
      // What was typed on in the meantime is another answer.
      if (answerOf(item) === sent) item.querySelector("textarea").value = "";
      problem.hidden = true;
      written += 1;
    } catch (error) {
      problem.textContent = error.message;
      problem.hidden = false;
      if (written === 0) item.querySelector("textarea").focus();
    }
  }
  return written;
}

function offered(place, written, now, run) {
  const left = now.questions.filter((each) => each.state === "open").length;
  const rest = left > 0 ? `; ${plural(left, "question")} ${left === 1 ? "stays" : "stay"} open` : "";
  const said = `${plural(written, "answer")} ${written === 1 ? "is" : "are"} written into HEARTBEAT.md${rest}.`;
  if (!run) return notice(said);
  const go = h("button", { class: "button primary", type: "button", on: { click: run } }, "Run it now");
  const later = h("button", { class: "button", type: "button", on: { click: () => fill(place) } }, "Not now");
  fill(place, h("div", { class: "panel done row between" }, h("p", {}, said), h("div", { class: "row" }, go, later)));
  go.focus();
}

function asked(panel, question) {
  const id = fieldOf(panel.task, question);
  const area = h("textarea", { id, rows: "2", "aria-describedby": `${id}-problem` });
  const earlier = question.earlier_answer;
  return h(
    "div",
    { class: "asked stack tight" },
    h("label", { class: "question", for: id }, question.short ?? question.text),
    question.details && h("p", { class: "muted small said" }, question.details),
    earlier && h("p", { class: "row small" }, h("span", { class: "muted" }, "It was answered before: "), h("q", { class: "grow" }, earlier)),
    h("div", { class: "row asked-help" }),
    area,
    h("p", { id: `${id}-problem`, class: "problem small", hidden: true }),
    h("div", { class: "row between" }, h("span", { class: "asked-badge" }), stateButton(panel, question, "stale", "Ask no more")),
  );
}

/** Its seconds of the film, and the answers that may be right, each at one click. */
function helped({ film }, item, question) {
  const { t_ms: ms, proposed = [], earlier_answer: earlier, text } = question;
  const told = JSON.stringify([ms, proposed, earlier, film?.has()]);
  if (item.dataset.help === told) return;
  item.dataset.help = told;
  const area = item.querySelector("textarea");
  const answer = (words, said) => {
    const take = () => {
      area.value = said;
      area.focus();
    };
    return h("button", { class: "button small", type: "button", on: { click: take } }, words);
  };
  fill(
    item.querySelector(".asked-help"),
    film?.has() && ms !== null && ms !== undefined && momentButton(ms, text, () => film.play(ms, ms, text)),
    earlier && answer("Use that answer", earlier),
    proposed.map((each) => answer(each === "skip" ? "Leave this step out" : each, each)),
  );
}

function refresh(item, question) {
  const earlier = question.earlier_answer;
  if (question.late) {
    const said = question.answer ? `was answered meanwhile: “${question.answer}” Yours takes its place` : "is not asked any more";
    fill(item.querySelector(".asked-badge"), h("span", { class: "small said" }, `This ${said}.`));
    return;
  }
  fill(
    item.querySelector(".asked-badge"),
    earlier && h("span", { class: "badge muted" }, "asked again"),
    " ",
    question.required ? h("span", { class: "badge warn" }, "required") : h("span", { class: "badge muted" }, "optional"),
  );
}

function past(place, panel, questions) {
  const groups = [
    ["answered", "Answered", questions.filter((each) => each.state === "answered")],
    ["stale", "Not asked any more", questions.filter((each) => each.state === "stale")],
  ].filter(([, , found]) => found.length > 0);
  keyed(
    place,
    groups,
    ([name]) => name,
    ([, title]) => h("details", {}, h("summary", {}, title, " ", h("span", { class: "badge muted" })), h("ul", { class: "list" })),
    (details, [, , found]) => {
      details.querySelector(".badge").textContent = String(found.length);
      keyed(details.querySelector("ul"), found, (each) => `${each.id} ${each.answer}`, (each) => answered(panel, each));
    },
  );
}

function answered(panel, question) {
  return h(
    "li",
    { class: "stack tight" },
    h("strong", { class: "said" }, question.text),
    question.answer !== null && h("p", { class: "said" }, question.answer || "(without a word)"),
    h(
      "div",
      { class: "row" },
      stateButton(panel, question, "open", "Ask again"),
      question.state === "answered" && stateButton(panel, question, "stale", "Ask no more"),
    ),
  );
}

function stateButton({ task, changed }, question, state, words) {
  const button = h("button", { class: "button small", type: "button", "aria-label": `${words}: ${question.text}` }, words);
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      await api.put(address(task, question.id), { state });
      await changed();
      if (state === "open") document.getElementById(fieldOf(task, question))?.focus();
    } catch (error) {
      failure(error);
    }
    button.disabled = false;
  });
  return button;
}

/** The same question may be asked by two tasks on one page. */
function fieldOf(task, question) {
  return `answer-${task}-${question.id}`;
}

function answerOf(item) {
  return item.querySelector("textarea").value;
}

function address(task, question) {
  return api.address("tasks", task, "questions", question);
}
