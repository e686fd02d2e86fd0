/** A timeline in rows: each action with what followed from it; what follows from no action is a row of its own. */

/**
 * @typedef {{t_ms: number, action: any|null, events: any[], told: any|null}} Row `told` is the event that says no more than its action
 * @typedef {{t_ms: number, row: number, what: any, text: string}} Moment a row's action, or one of its events
 */

/** Calls of a test that only look at the page; of them only those that failed are listed. As `PASSIVE` in core/traces.py. */
const LOOKS = new Set(["expect", "waitForSelector", "waitForTimeout", "waitForFunction"]);

/** What was done: by the test's own record where there is one, else what was seen. @param {{actions: any[], trace: any|null}} analysis */
export function doneIn({ actions, trace }) {
  const calls = (trace?.actions ?? []).filter(({ method, error }) => error || !LOOKS.has(method));
  return calls.length > 0 ? calls.map(called) : actions;
}

/** A test's call as an action; `events` are the places in the timeline of what followed. */
function called({ t_ms, title, source, error, events }) {
  const line = source ? `${source.file.split(/[/\\]/).at(-1)}:${source.line} ` : "";
  return { t_ms, kind: "test", description: `${line}${title}${error ? ", which failed" : ""}.`, region: null, events };
}

/** @param {{timeline: any[], actions: any[], trace: any|null}} analysis @returns {Row[]} in order of time */
export function rowsByAction(analysis) {
  const done = doneIn(analysis).map((action) => makeRow(action, []));
  const causes = new Map(done.flatMap((row) => (row.action.events ?? []).map((at) => [at, row])));
  const isTest = done.some((row) => row.action.events);
  const alone = [];
  for (const [at, event] of analysis.timeline.entries()) {
    const row = isTest ? causes.get(at) : done[event.cause ?? -1];
    if (row) row.events.push(event);
    else alone.push(makeRow(null, [event]));
  }
  // A typed text is an action and an event: it is told once.
  for (const row of done) {
    row.told = row.events.find((event) => event.description === row.action.description) ?? null;
    row.events = row.events.filter((event) => event !== row.told);
  }
  return [...done, ...alone].sort((one, other) => one.t_ms - other.t_ms);
}

/** @returns {Row[]} each event by itself */
export function rowsByEvent({ timeline }) {
  return timeline.map((event) => makeRow(null, [event]));
}

function makeRow(action, events) {
  return { t_ms: (action ?? events[0]).t_ms, action, events, told: null };
}

/** All actions and events of some rows, in order of time. @param {Row[]} rows @returns {Moment[]} */
export function momentsOf(rows) {
  return rows
    .flatMap((row, index) => [row.action, ...row.events].filter(Boolean).map((what) => ({ t_ms: what.t_ms, row: index, what, text: words(what) })))
    .sort((one, other) => one.t_ms - other.t_ms || one.row - other.row);
}

function words(what) {
  return [what.description, what.text, what.before, what.value].filter(Boolean).join("\n").toLowerCase();
}

/** The last item that has begun at a moment; -1 when none has. */
export function before(items, ms) {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (items[middle].t_ms <= ms) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
