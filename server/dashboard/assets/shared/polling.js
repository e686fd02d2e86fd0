/** Asking again and again, only while somebody looks. */

/**
 * Do it now and every so often while the page is visible, never twice at a time; and at once when it is looked at again.
 * @param {number} ms
 * @param {() => Promise<void>} task what it raises is left to the next time
 * @returns {{now: () => void, stop: () => void}}
 */
export function every(ms, task) {
  let timer = 0;
  let busy = false;
  let stopped = false;
  const turn = async () => {
    clearTimeout(timer);
    if (busy || stopped || document.visibilityState !== "visible") return;
    busy = true;
    await task().catch(() => {});
    busy = false;
    if (!stopped) timer = setTimeout(turn, ms);
  };
  document.addEventListener("visibilitychange", turn);
  turn();
  return {
    now: turn,
    stop() {
      stopped = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", turn);
    },
  };
}
