/** The story of a run while it goes on: all that it has told before, then each event as it comes, once and in order. */

import { api } from "../shared/api.js";
import { live } from "../shared/live.js";
import { story } from "./run_story.js";

const PAGE = 1000;

/**
 * @param {string} id of the job
 * @param {{heard: (event: any) => void, loaded?: () => Promise<void>|void, failed?: (error: Error) => void}} wishes told of
 *   each event that is news, once what came before is read, and why it cannot be
 * @returns {{tale: ReturnType<typeof story>, isLoading: () => boolean, leave: () => void}}
 */
export function following(id, { heard, loaded = () => {}, failed = () => {} }) {
  const tale = story();
  /** @type {any[]|null} */
  let early = [];
  const hear = (event) => tale.add(event) && heard(event);
  const load = async () => {
    early ??= [];
    try {
      for (;;) {
        const { events } = await api.get(`${api.address("jobs", id, "events")}?after=${tale.last}&limit=${PAGE}`);
        for (const event of events) tale.add(event);
        if (events.length < PAGE) break;
      }
      await loaded();
    } catch (error) {
      failed(error);
    }
    const later = early ?? [];
    early = null;
    later.forEach(hear);
  };
  const stops = [
    live.on((event) => {
      if (event.job_id !== id) return;
      // What came before is being fetched: in their order, each once.
      if (early !== null) early.push(event);
      else hear(event);
    }),
    live.back(load),
  ];
  load();
  return { tale, isLoading: () => early !== null, leave: () => stops.forEach((stop) => stop()) };
}
