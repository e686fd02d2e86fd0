/**
 * The daemon's stream of events, for as long as anybody listens: it comes back by itself and goes on where it was.
 *
 * Read with fetch, not EventSource: that would have to be told each stage's name, and does not notice a connection
 * that is open and dead.
 */

const BEHIND_MS = 5000;
const AGAIN_MS = 1500;
const SILENT_MS = 40000; // The daemon says something at least every 15 s.

/**
 * @typedef {{id: string, job_id: string, stage: string, t: string, data: Record<string, any>}} JobEvent
 * @param {(message: {event?: JobEvent, state?: string, back?: true}) => void} send
 * @returns {{state: () => string, again: () => void}}
 */
export function follow(send) {
  const stream = { state: "connecting", last: "", send, waiting: null };
  run(stream);
  return { state: () => stream.state, again: () => stream.waiting?.() };
}

async function run(stream) {
  for (;;) {
    try {
      await read(stream);
    } catch {
      // Gone, refused or silent: all the same, it is asked again.
    }
    tell(stream, "offline");
    await new Promise((resolve) => {
      stream.waiting = resolve;
      setTimeout(resolve, AGAIN_MS);
    });
    stream.waiting = null;
  }
}

async function read(stream) {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENT_MS);
  try {
    const path = stream.last ? `/events?after=${encodeURIComponent(stream.last)}` : "/events";
    const answer = await fetch(path, { headers: { Accept: "text/event-stream" }, cache: "no-store", signal: silence.signal });
    if (!answer.ok || answer.body === null) return;
    const returned = stream.state === "offline";
    tell(stream, "live");
    // What came while nobody listened may be more than the stream can make up for.
    if (returned) stream.send({ back: true });
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENT_MS);
      const blocks = (text + value.replaceAll("\r", "")).split("\n\n");
      text = blocks.pop() ?? "";
      for (const block of blocks) pass(stream, block);
    }
  } finally {
    clearTimeout(timer);
  }
}

function pass(stream, block) {
  const fields = {};
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) fields[line.slice(0, colon)] = line.slice(colon + 1).replace(/^ /, "");
  }
  if (fields.data === undefined) return;
  const { job_id, t, ...data } = JSON.parse(fields.data);
  if (job_id === undefined) return;
  // A place in line that has changed is computed, not stored: it has no id.
  if (fields.id !== undefined) stream.last = fields.id;
  tell(stream, Date.now() - Date.parse(t) > BEHIND_MS ? "behind" : "live");
  stream.send({ event: { id: fields.id ?? "", stage: fields.event, job_id, t, data } });
}

function tell(stream, state) {
  clearTimeout(stream.settling);
  if (state === "behind") stream.settling = setTimeout(() => tell(stream, "live"), AGAIN_MS);
  if (state === stream.state) return;
  stream.state = state;
  stream.send({ state });
}
